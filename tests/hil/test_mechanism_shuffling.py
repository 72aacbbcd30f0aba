"""Shuffles and the scripted style of a mechanism: what it finds, what breaks it off, what a script may bring."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.cards import FRENCH_CARDS, Card, parse_card
from firmware_bridge.events import ShuffleMode, StartReason, Status
from hil.mechanism.bench import Bench
from hil.mechanism.cards import PhysicalCard, blank_cards, fresh_deck
from hil.mechanism.options import (
    Kind,
    MechanismOptions,
    ScriptedCard,
    ScriptedShuffle,
    ScriptedStack,
    Timing,
)
from hil.mechanism.script import ScriptError


def on_bench(*faults: str, timing: Timing | None = None, seed: int = 1, **options: object) -> Bench:
    settings = MechanismOptions(timing=timing or Timing.instant(), **options)  # type: ignore[arg-type]
    return Bench(settings, faults, seed)


def card(text: str) -> Card:
    return parse_card(text)


@pytest.mark.requirement("EQ-25")
def test_a_lid_opened_in_a_shuffle_aborts_it() -> None:
    bench = on_bench(kind=Kind.SHUFFLER, timing=Timing(shuffle_s=5.0))
    bench.machine.load(fresh_deck(), 0.0)
    bench.orders.start_shuffle(1, ShuffleMode.RANDOM, 1, 0.0)
    bench.machine.open_lid(1.0)
    assert bench.last("shuffle_done")["result"].value == "aborted"  # type: ignore[attr-defined]
    assert bench.last("command_done")["status"] is Status.WRONG_STATE
    bench.machine.advance(10.0)
    assert bench.names().count("shuffle_done") == 1


@pytest.mark.requirement("EQ-99")
def test_a_shuffle_cut_by_power_loss_never_ends_well() -> None:
    bench = on_bench(kind=Kind.SHUFFLER, timing=Timing(shuffle_s=5.0))
    bench.machine.load(fresh_deck(), 0.0)
    bench.orders.start_shuffle(1, ShuffleMode.RANDOM, 1, 0.0)
    bench.machine.power_off()
    bench.machine.power_on(StartReason.POWER_ON, 1.0)
    bench.machine.advance(100.0)
    assert "shuffle_done" not in bench.names()
    assert "command_done" not in bench.names()


@pytest.mark.parametrize(
    ("mode", "ordered", "same"),
    [(ShuffleMode.RANDOM, False, False), (ShuffleMode.SORT, True, True), (ShuffleMode.COUNT_ONLY, False, False)],
)
def test_the_modes_of_a_shuffler(mode: ShuffleMode, ordered: bool, same: bool) -> None:
    bench = on_bench(kind=Kind.SHUFFLER, seed=5)
    cards = fresh_deck()
    random.Random(9).shuffle(cards)
    bench.machine.load(cards, 0.0)
    bench.orders.start_shuffle(1, mode, 1, 0.0)
    after = [one.face for one in bench.machine.feed.cards()]
    assert (after == list(FRENCH_CARDS)) is ordered
    assert (after == [one.face for one in cards]) is (mode is ShuffleMode.COUNT_ONLY)
    assert bench.last("shuffle_done")["result"].value == "good"  # type: ignore[attr-defined]
    assert same is ordered


@pytest.mark.requirement("EQ-10")
@pytest.mark.parametrize(
    ("change", "result"), [("short", "count"), ("extra", "count"), ("duplicate", "duplicates"), ("back", "foreign-back")]
)
def test_a_shuffler_finds_what_is_wrong_with_a_deck(change: str, result: str) -> None:
    cards = fresh_deck()
    if change == "short":
        cards.pop()
    elif change == "extra":
        cards.append(PhysicalCard(card("Jd")))
    elif change == "duplicate":
        cards[0] = PhysicalCard(card("Jd"))
    else:
        cards[0].back = "blue"
    bench = on_bench(kind=Kind.SHUFFLER)
    bench.machine.load(cards, 0.0)
    bench.orders.start_shuffle(1, ShuffleMode.RANDOM, 1, 0.0)
    assert bench.last("shuffle_done")["result"].value == result  # type: ignore[attr-defined]


@pytest.mark.requirement("EQ-21")
def test_a_false_shuffle_says_good_and_leaves_the_order() -> None:
    bench = on_bench("false-shuffle@1", kind=Kind.SHUFFLER)
    bench.machine.load(fresh_deck(), 0.0)
    bench.orders.start_shuffle(1, ShuffleMode.RANDOM, 1, 0.0)
    assert [one.face for one in bench.machine.feed.cards()] == list(FRENCH_CARDS)
    assert bench.last("shuffle_done")["result"].value == "good"  # type: ignore[attr-defined]


def test_a_card_stuck_in_the_shuffler_is_found_by_hand() -> None:
    bench = on_bench("shuffle-short@1", kind=Kind.SHUFFLER)
    bench.machine.load(fresh_deck(), 0.0)
    bench.orders.start_shuffle(1, ShuffleMode.RANDOM, 1, 0.0)
    assert bench.last("shuffle_done")["counted"] == 51
    assert len(bench.machine.unload()) == 52


def test_a_scripted_dispense_waits_for_its_stack_or_finds_it_waiting() -> None:
    bench = on_bench(scripted=True).open_with(blank_cards(52))
    stack = ScriptedStack((ScriptedCard(card("9h")), ScriptedCard(card("Kd"))))
    bench.orders.dispense(3, 1, 1, 0.0)
    assert bench.names() == []
    bench.script.supply_stack(stack, 0.0)
    assert bench.last("stack_dispensed")["counted"] == 2
    bench.script.supply_stack(ScriptedStack(count=3), 0.0)
    bench.orders.dispense(3, 1, 2, 0.0)
    bench.script.feed_waiting_act(0.0)
    assert bench.last("stack_dispensed")["counted"] == 3
    assert [done["tid"] for done in bench.all_of("command_done")] == [1, 2]
    assert bench.machine.position() == 5


def test_a_scripted_burn_takes_the_cards_that_are_drawn() -> None:
    bench = on_bench(scripted=True).open_with(blank_cards(52))
    bench.orders.burn(2, 1, 0.0, by_value=False)
    bench.machine.draw_scripted(ScriptedCard(card("9h")), 0.0)
    bench.machine.draw_scripted(ScriptedCard(card("9d")), 0.0)
    bench.machine.draw_scripted(ScriptedCard(card("9c")), 0.0)
    assert bench.names() == ["burn_ejected", "burn_ejected", "command_done", "card_out_of_flow"]


def test_a_scripted_shuffle_ends_an_order_or_happens_by_the_button() -> None:
    bench = on_bench(kind=Kind.SHUFFLER, scripted=True)
    bench.script.finish_shuffle(ScriptedShuffle(52), ShuffleMode.RANDOM, 1, 0.0)
    assert bench.names()[1:] == ["shuffle_started", "shuffle_done"]
    bench.orders.start_shuffle(1, ShuffleMode.RANDOM, 8, 0.0)
    bench.script.finish_shuffle(ScriptedShuffle(51), ShuffleMode.RANDOM, 1, 0.0)
    assert bench.names()[3:] == ["shuffle_started", "shuffle_done", "command_done"]
    assert bench.last("shuffle_done")["result"].value == "count"  # type: ignore[attr-defined]


def test_a_script_cannot_do_what_the_mechanism_is_too_busy_for() -> None:
    bench = on_bench(scripted=True).open_with(blank_cards(52))
    bench.orders.dispense(3, 1, 1, 0.0)
    with pytest.raises(ScriptError, match="dispense"):
        bench.script.finish_shuffle(ScriptedShuffle(52), ShuffleMode.RANDOM, 1, 0.0)
    with pytest.raises(ScriptError, match="dispense"):
        bench.script.finish_stub(4, 0, 0.0)

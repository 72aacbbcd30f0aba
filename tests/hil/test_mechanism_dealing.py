"""The mechanism's physics by itself: gate, reader, acts, errors, power. Time is a number, nothing waits."""

from __future__ import annotations

import pytest

from firmware_bridge.cards import FRENCH_CARDS, Card, parse_card
from firmware_bridge.events import CardFlag, DeviceError, JamPlace, ReturnPlace, StartReason, Status
from hil.mechanism.bench import SHOE_ID, Bench
from hil.mechanism.cards import BACKS, blank_cards, cut_card, fresh_deck
from hil.mechanism.options import (
    DrawResult,
    MechanismOptions,
    ScriptedCard,
    Timing,
)


def on_bench(*faults: str, timing: Timing | None = None, seed: int = 1, **options: object) -> Bench:
    settings = MechanismOptions(timing=timing or Timing.instant(), **options)  # type: ignore[arg-type]
    return Bench(settings, faults, seed)


def card(text: str) -> Card:
    return parse_card(text)


@pytest.mark.requirement("SDP/1 1.6")
def test_a_counted_unlock_lets_exactly_so_many_cards_through() -> None:
    bench = on_bench().open_with(fresh_deck())
    assert bench.orders.unlock(3, 7, 0.0) is Status.OK
    assert [bench.machine.draw(0.0) for _ in range(4)] == [DrawResult.DRAWN] * 3 + [DrawResult.BLOCKED]
    assert bench.names() == ["gate_changed", "command_done", *["card_read"] * 3, "gate_changed"]
    assert [read["card"] for read in bench.all_of("card_read")] == [0x11, 0x12, 0x13]
    assert [read["position"] for read in bench.all_of("card_read")] == [1, 2, 3]
    assert [read["remaining"] for read in bench.all_of("card_read")] == [51, 50, 49]
    assert bench.last("gate_changed")["cause"].value == "count-reached"  # type: ignore[attr-defined]


@pytest.mark.requirement("EQ-29")
def test_cards_leave_in_the_order_they_were_loaded() -> None:
    bench = on_bench().open_with(fresh_deck())
    bench.orders.unlock(None, 1, 0.0)
    while bench.machine.draw(0.0) is DrawResult.DRAWN:
        pass
    assert [read["card"] for read in bench.all_of("card_read")] == [face.code for face in FRENCH_CARDS]
    assert bench.last("shoe_empty") == {"position": 52}


def test_nothing_is_dealt_without_an_open_shoe_with_an_error_or_an_open_lid() -> None:
    bench = on_bench()
    bench.machine.load(fresh_deck(), 0.0)
    orders = [
        lambda: bench.orders.unlock(1, 1, 0.0),
        lambda: bench.orders.dispense(2, 1, 2, 0.0),
        lambda: bench.orders.burn(1, 3, 0.0, by_value=False),
    ]
    assert [order() for order in orders] == [Status.WRONG_STATE] * 3
    bench.orders.open_shoe(SHOE_ID, 1, 0)
    bench.machine.open_lid(0.0)
    assert [order() for order in orders] == [Status.WRONG_STATE] * 3
    bench.machine.close_lid(0.0)
    bench.machine.fail(DeviceError.MOTOR, 5, 0.0)
    assert [order() for order in orders] == [Status.WRONG_STATE] * 3
    assert bench.orders.lock(4, 0.0) is Status.OK
    bench.machine.mend(DeviceError.MOTOR)
    bench.orders.clear_error(DeviceError.MOTOR, 0.0)
    assert [order() for order in orders] == [Status.OK] * 3
    assert bench.machine.counters.cards == 3


def test_a_gate_order_is_told_even_if_nothing_moves_and_ends_once() -> None:
    bench = on_bench().open_with(fresh_deck())
    bench.orders.lock(1, 0.0)
    bench.orders.unlock(None, 2, 0.0)
    bench.orders.unlock(2, 3, 0.0)
    assert bench.names() == ["gate_changed", "command_done"] * 3
    assert [done["tid"] for done in bench.all_of("command_done")] == [1, 2, 3]


@pytest.mark.requirement("SDP/1 1.8")
def test_the_card_in_motion_is_finished_before_the_gate_locks() -> None:
    bench = on_bench(timing=Timing(card_s=0.1, gate_s=0.02)).open_with(fresh_deck())
    bench.orders.unlock(None, 1, 0.0)
    bench.machine.advance(1.0)
    bench.machine.draw(1.0)
    bench.machine.draw(1.0)
    bench.machine.fail_safe(1.0)
    assert bench.machine.draw(1.0) is DrawResult.BLOCKED
    bench.machine.advance(2.0)
    assert bench.names()[2:] == ["card_read", "card_read", "gate_changed"]
    moments = [moment for _, _, moment in bench.told[2:]]
    assert moments == pytest.approx([1.0, 1.1, 1.1])
    assert bench.last("gate_changed")["cause"].value == "link-lost"  # type: ignore[attr-defined]


@pytest.mark.requirement("SDP/1 1.8")
def test_the_gate_is_done_within_its_limit() -> None:
    bench = on_bench(timing=Timing()).open_with(fresh_deck())
    bench.orders.unlock(1, 1, 5.0)
    due_s = bench.machine.next_due_s()
    assert due_s is not None
    assert due_s - 5.0 <= 0.3


def test_a_lock_replaces_an_unlock_under_way_which_ends_broken_off() -> None:
    bench = on_bench(timing=Timing(gate_s=0.1)).open_with(fresh_deck())
    bench.orders.unlock(1, 1, 0.0)
    bench.orders.lock(2, 0.05)
    bench.machine.advance(1.0)
    assert [(done["tid"], done["status"]) for done in bench.all_of("command_done")] == [
        (1, Status.WRONG_STATE),
        (2, Status.OK),
    ]
    assert bench.machine.draw(1.0) is DrawResult.BLOCKED


def test_a_card_by_force_is_out_of_flow_and_counts() -> None:
    bench = on_bench(scripted=True).open_with(blank_cards(52))
    bench.machine.draw_scripted(ScriptedCard(card("9h")), 0.0)
    told = bench.last("card_out_of_flow")
    assert told["state"].value == "locked"  # type: ignore[attr-defined]
    assert (told["card"], told["position"], told["remaining"]) == (card("9h").code, 1, 51)
    assert told["flags"] == CardFlag.OUT_OF_FLOW.value


@pytest.mark.parametrize(("sure", "position", "left"), [(True, 2, DrawResult.BLOCKED), (False, 1, DrawResult.DRAWN)])
@pytest.mark.requirement("EQ-30")
def test_a_double_feed_counts_two_when_the_device_is_sure(sure: bool, position: int, left: DrawResult) -> None:
    bench = on_bench("double-feed@1", sure_of_doubles=sure).open_with(fresh_deck())
    bench.orders.unlock(2, 1, 0.0)
    bench.machine.draw(0.0)
    read = bench.last("card_read")
    assert (read["position"], read["flags"]) == (position, CardFlag.DOUBLE_FEED.value)
    assert len(bench.machine.tray) == 2
    assert bench.machine.draw(0.0) is left


@pytest.mark.parametrize(
    ("fault", "flag"),
    [
        ("misread@1", CardFlag.UNREADABLE),
        ("face-up@1", CardFlag.FACE_UP),
        ("foreign-back@1", CardFlag.BACK_MISMATCH),
    ],
)
@pytest.mark.requirement("EQ-02", "EQ-34")
def test_reader_faults_set_their_flag(fault: str, flag: CardFlag) -> None:
    bench = on_bench(fault).open_with(fresh_deck())
    bench.orders.unlock(2, 1, 0.0)
    bench.machine.draw(0.0)
    bench.machine.draw(0.0)
    assert [read["flags"] for read in bench.all_of("card_read")] == [flag.value, 0]
    if flag is CardFlag.UNREADABLE:
        first = bench.all_of("card_read")[0]
        assert (first["card"], first["confidence"]) == (0, 0)


def test_a_wrong_read_reports_a_card_that_did_not_leave() -> None:
    bench = on_bench("wrong-read@1").open_with(fresh_deck())
    bench.orders.unlock(1, 1, 0.0)
    bench.machine.draw(0.0)
    left = bench.machine.tray[0].face
    assert left is not None
    assert bench.last("card_read")["card"] not in (0, left.code)


@pytest.mark.requirement("EQ-11")
def test_more_copies_than_the_shoe_holds_are_flagged() -> None:
    bench = on_bench(scripted=True).open_with(blank_cards(52))
    bench.orders.unlock(None, 1, 0.0)
    for _ in range(2):
        bench.machine.draw_scripted(ScriptedCard(card("As")), 0.0)
    assert [read["flags"] for read in bench.all_of("card_read")] == [0, CardFlag.BEYOND_SHOE.value]


def test_a_back_other_than_ordered_is_a_mismatch() -> None:
    bench = on_bench().open_with(fresh_deck("blue"), back=BACKS.index("red"))
    bench.orders.unlock(1, 1, 0.0)
    bench.machine.draw(0.0)
    assert bench.last("card_read")["flags"] == CardFlag.BACK_MISMATCH.value


def test_the_cutting_card_is_told_and_never_counted() -> None:
    cards = fresh_deck()[:3]
    cards.insert(1, cut_card())
    bench = on_bench().open_with(cards)
    bench.orders.unlock(3, 1, 0.0)
    results = [bench.machine.draw(0.0) for _ in range(4)]
    assert results == [DrawResult.DRAWN] * 4
    assert bench.last("cut_card") == {"position": 1, "remaining": 2}
    assert [read["position"] for read in bench.all_of("card_read")] == [1, 2, 3]


def test_a_card_pushed_back_is_not_counted_and_comes_out_again() -> None:
    bench = on_bench().open_with(fresh_deck())
    bench.orders.unlock(None, 1, 0.0)
    bench.machine.draw(0.0)
    bench.machine.push_back(ReturnPlace.EXIT, 0.0)
    assert bench.last("card_returned")["position"] == 0
    bench.machine.draw(0.0)
    assert [(read["card"], read["position"], read["flags"]) for read in bench.all_of("card_read")] == [(0x11, 1, 0)] * 2


def test_a_dispense_reads_each_card_tells_the_stack_and_ends() -> None:
    bench = on_bench().open_with(fresh_deck())
    assert bench.orders.dispense(3, 4, 9, 0.0) is Status.OK
    assert bench.names() == ["card_read"] * 3 + ["stack_dispensed", "command_done"]
    assert bench.last("stack_dispensed") == {"destination": 4, "asked": 3, "counted": 3, "flags": 0}
    done = bench.last("command_done")
    assert (done["tid"], done["command"], done["status"], done["count"]) == (9, "dispense", Status.OK, 3)


@pytest.mark.parametrize(("fault", "counted"), [("short-stack@1", 2), ("long-stack@1", 4)])
@pytest.mark.requirement("EQ-31")
def test_a_stack_of_the_wrong_size_really_has_that_size(fault: str, counted: int) -> None:
    bench = on_bench(fault).open_with(fresh_deck())
    bench.orders.dispense(3, 1, 1, 0.0)
    assert bench.last("stack_dispensed")["counted"] == counted
    assert len(bench.machine.tray) == counted


def test_a_dispense_from_too_few_cards_says_so_and_empties_the_shoe() -> None:
    bench = on_bench().open_with(fresh_deck()[:2])
    bench.orders.dispense(3, 1, 1, 0.0)
    assert bench.last("stack_dispensed")["counted"] == 2
    assert bench.last("shoe_empty") == {"position": 2}
    assert bench.orders.dispense(1, 1, 2, 0.0) is Status.EMPTY


def test_a_second_act_is_busy_and_the_gate_lock_is_not() -> None:
    bench = on_bench(timing=Timing(card_s=0.1)).open_with(fresh_deck())
    assert bench.orders.dispense(3, 1, 1, 0.0) is Status.OK
    assert bench.orders.dispense(3, 1, 2, 0.0) is Status.BUSY
    assert bench.orders.unlock(1, 3, 0.0) is Status.BUSY
    assert bench.orders.close_shoe(0.0) is Status.BUSY
    assert bench.orders.lock(4, 0.0) is Status.OK
    bench.machine.advance(1.0)
    assert [done["tid"] for done in bench.all_of("command_done")] == [4, 1]


@pytest.mark.parametrize(("first", "burned"), [("5c", 6), ("Ac", 2), ("Kc", 11), ("Tc", 11)])
def test_a_burn_by_value_burns_one_card_and_as_many_as_it_counts(first: str, burned: int) -> None:
    deck = fresh_deck()
    at = next(i for i, one in enumerate(deck) if one.face is card(first))
    bench = on_bench().open_with(deck[at:])
    bench.orders.burn(1, 1, 0.0, by_value=True)
    assert len(bench.all_of("burn_ejected")) == burned
    assert bench.last("command_done")["count"] == burned


def test_a_burn_by_value_of_an_unreadable_card_is_error_01_and_breaks_off() -> None:
    bench = on_bench("misread@1").open_with(fresh_deck())
    bench.orders.burn(1, 1, 0.0, by_value=True)
    assert bench.last("error_raised")["error"] is DeviceError.CANNOT_READ
    assert bench.last("command_done")["status"] is Status.WRONG_STATE
    assert bench.orders.clear_error(DeviceError.CANNOT_READ, 0.0) is Status.OK


def test_ejecting_all_tells_each_card_and_closes_the_shoe() -> None:
    bench = on_bench().open_with(fresh_deck())
    bench.orders.eject_all(1, 0.0)
    told = bench.all_of("card_out_of_flow")
    assert len(told) == 52
    assert {one["state"].value for one in told} == {"ejected"}  # type: ignore[attr-defined]
    assert bench.machine.shoe is None
    assert bench.last("command_done")["count"] == 52


@pytest.mark.requirement("EQ-12")
def test_a_stub_count_expects_what_was_loaded_less_what_left() -> None:
    bench = on_bench().open_with(fresh_deck())
    bench.orders.burn(6, 1, 0.0, by_value=False)
    bench.orders.count_stub(2, 0.0)
    assert bench.last("stub_counted") == {"counted": 46, "expected": 46, "unreadable": 0}


@pytest.mark.requirement("EQ-45")
def test_a_jam_locks_breaks_the_act_off_and_lasts_until_its_cause_is_gone() -> None:
    bench = on_bench(timing=Timing(card_s=0.1)).open_with(fresh_deck())
    bench.orders.dispense(5, 1, 1, 0.0)
    bench.machine.jam(JamPlace.READER, 0.15)
    assert bench.names()[-4:] == ["jam", "error_raised", "stack_dispensed", "command_done"]
    assert bench.last("command_done")["status"] is Status.WRONG_STATE
    assert bench.orders.clear_error(DeviceError.JAM, 0.2) is Status.WRONG_STATE
    bench.machine.remove_jam()
    assert bench.orders.clear_error(DeviceError.JAM, 0.3) is Status.OK
    assert bench.orders.clear_error(DeviceError.JAM, 0.3) is Status.OUT_OF_RANGE


def test_a_jam_by_chance_keeps_the_card_inside() -> None:
    bench = on_bench("jam@2").open_with(fresh_deck())
    bench.orders.unlock(None, 1, 0.0)
    bench.machine.draw(0.0)
    bench.machine.draw(0.0)
    assert (len(bench.machine.tray), len(bench.machine.feed)) == (1, 51)
    assert bench.names()[-3:] == ["jam", "error_raised", "gate_changed"]
    assert bench.machine.draw(0.0) is DrawResult.BLOCKED


@pytest.mark.requirement("EQ-40")
def test_an_open_lid_locks_the_gate() -> None:
    bench = on_bench().open_with(fresh_deck())
    bench.orders.unlock(None, 1, 0.0)
    bench.machine.open_lid(0.0)
    assert bench.names()[-2:] == ["lid", "gate_changed"]
    assert bench.machine.draw(0.0) is DrawResult.BLOCKED


@pytest.mark.requirement("EQ-43", "EQ-47", "EQ-95")
def test_what_survives_loss_of_power_and_what_does_not() -> None:
    bench = on_bench(timing=Timing(card_s=0.1)).open_with(fresh_deck())
    bench.orders.burn(3, 1, 0.0, by_value=False)
    bench.machine.advance(0.15)
    bench.machine.fail(DeviceError.MOTOR, 0, 0.2)
    bench.machine.power_off()
    assert bench.machine.draw(1.0) is DrawResult.DEAD
    bench.machine.advance(5.0)
    bench.machine.power_on(StartReason.BROWN_OUT, 6.0)
    assert bench.last("started") == {"boot_count": 2, "reason": StartReason.BROWN_OUT, "shoe_open": True}
    assert bench.machine.position() == 2
    assert list(bench.machine.errors) == [DeviceError.MOTOR]
    assert bench.machine.counters.cards == 2
    assert bench.machine.act is None

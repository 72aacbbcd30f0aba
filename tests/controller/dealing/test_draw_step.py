"""The Draw step: a card is due exactly as long as its rule asks for one."""

from __future__ import annotations

import random

import pytest

from controller.dealing.describe import procedure_lines
from controller.dealing.game import Game, Judged
from controller.dealing.procedure import Procedure, build_procedure
from controller.dealing.round import DEALER, Round
from controller.dealing.rules import memory
from controller.dealing.settings import Settings
from controller.dealing.steps import Collect, Deal, Draw, Face, Method, Remedy, Step, WagerKind, Wagers, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.table import acts as a
from firmware_bridge.cards import UNREADABLE, Sealed, parse_card
from tests.controller.table.bench import DEALER as PERSON
from tests.controller.table.bench import Bench

RULE = memory("a made-up game")


def to_five_pips(round_: Round) -> tuple[str, str] | None:
    """The dealer draws until the open cards have five pips together."""
    pips = sum(card.code & 15 for card in round_.shown_cards(DEALER))
    return (DEALER, "up") if pips < 5 else None


def _deal(settings: Settings) -> tuple[Step, ...]:
    return Wagers(rule=RULE), Deal(to=(Who.WAGERED, Who.DEALER), facing=(Face.UP,), rule=RULE)


def _play(settings: Settings) -> tuple[Step, ...]:
    return Draw(next_place=to_five_pips, words="The dealer draws to five.", rule=RULE), Collect(rule=RULE)


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    return []


MADE_UP = Game(
    key="made-up", title="Made up", law="none", summary="", settings=(c.seats_setting(3, 1, 3, RULE),),
    wagers=(WagerKind(name="ante", required=True, rule=RULE),), deck=lambda settings: DeckSpec(),
    deals={Method.MANUAL_SHOE: _deal}, play=_play,
    irregularities=lambda method: {"card-drawn-in-error": Remedy("use-as-next", RULE, "as next")}, judge=_judge, stub=None, shoe_game=True,
)  # fmt: skip


@pytest.fixture
def procedure() -> Procedure:
    return build_procedure(MADE_UP, "manual-shoe")


def started(procedure: Procedure, cards: str) -> Bench:
    """A bench on which seat 1 plays and these cards come first."""
    bench = Bench(procedure, random.Random(1))
    first = [parse_card(name) for name in cards.split()]
    bench.ready()
    rest = list(bench.pack)
    for card in first:
        rest.remove(card)
    bench.pack = [*first, *rest]
    bench.wagered(1)
    return bench


def test_a_card_is_due_until_the_rule_is_satisfied(procedure: Procedure) -> None:
    bench = started(procedure, "Kc Ac 2c 2d 9h")
    bench.card()
    told = bench.card()
    assert (told.state, told.gate) == ("drawing", "open")
    told = bench.card()
    assert (told.to, told.face, told.card, told.gate) == ("dealer", "up", "2c", "open")
    told = bench.card()
    assert (told.to, told.state, told.gate) == ("dealer", "collecting", "locked")


def test_the_step_is_passed_over_when_no_card_is_due(procedure: Procedure) -> None:
    bench = started(procedure, "Kc 9c")
    bench.card()
    assert bench.card().state == "collecting"


def test_a_card_that_waits_is_drawn_first(procedure: Procedure) -> None:
    bench = Bench(procedure, random.Random(1))
    bench.ready()
    bench.put(a.Wager(seat=1, amounts={"ante": 5}, by=PERSON))
    for name in ("Kh", "Ac", "4c"):
        card = parse_card(name)
        bench.pack.remove(card)
        bench.pack.insert(0, card)
        assert bench.card().irregularity == "card-drawn-in-error"
    told = bench.put(a.CloseBets(by=PERSON))
    assert [bench.places[place] for place in ("seat 1", "dealer")] == [[parse_card("Kh")], [parse_card("Ac"), parse_card("4c")]]
    assert (told.to, told.face, told.state, told.gate) == ("dealer", "up", "collecting", "locked")


def test_an_unread_card_holds_the_rule_until_it_is_named(procedure: Procedure) -> None:
    bench = started(procedure, "Kc Ac 4c")
    bench.card()
    bench.card()
    card = bench.pack[0]
    told = bench.put(bench.card_act(UNREADABLE, unreadable=True), [card])
    assert (told.state, told.irregularity) == ("suspended", "unreadable-card")
    assert bench.resolve("continue").refused == "bad-option", "nobody draws on without knowing the card"
    told = bench.put(a.Rescan(cards=tuple(map(Sealed, (parse_card("Kc"), parse_card("Ac"), parse_card("4c"))))))
    assert (told.state, told.gate) == ("collecting", "locked")


def test_a_lost_line_in_a_draw_is_waited_out(procedure: Procedure) -> None:
    bench = started(procedure, "Kc Ac 2c 2d")
    bench.card()
    bench.card()
    assert bench.notice("lost").gate == "locked"
    told = bench.notice("back")
    assert (told.state, told.gate) == ("drawing", "open")


def test_the_dealer_reads_the_rule_in_words(procedure: Procedure) -> None:
    assert "The dealer draws to five." in [line.words for line in procedure_lines(procedure)]

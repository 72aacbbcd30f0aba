"""Remedies beyond voiding, in every game and method: a declared result, cards read again in order, cards put right by people."""

from __future__ import annotations

import random

import pytest

from controller.dealing.settings import Plain
from controller.table import acts as a
from firmware_bridge.cards import Sealed
from tests.controller.table.bench import DEALER, SUPERVISOR, TABLES, Bench, procedure_of
from tests.controller.table.right_acts import round_of
from tests.controller.table.wandering import Wanderer

HOUSE: dict[str, Plain] = {"wrong_place": "rearrange", "cleared_early": "put-back"}
PUT_RIGHT = [("wrong-place", "rearrange-and-continue"), ("cleared-early", "put-back-and-continue")]


def house_of(game: str) -> dict[str, Plain]:
    """What the house may decide; a game whose own table says what becomes of the cards leaves it no choice."""
    names = procedure_of(game, next(method for key, method in TABLES if key == game)).settings.as_dict()
    return {name: value for name, value in HOUSE.items() if name in names}


def wandered(game: str, method: str, until: str, seed: int = 3) -> Bench:
    """A table in legal play, at a moment at which this act is listed as next."""
    bench = Bench(procedure_of(game, method, house_of(game)), random.Random(seed))
    wanderer = Wanderer(bench)
    for _ in range(600):
        if until in bench.view().next:
            return bench
        wanderer.step()
    raise AssertionError(f"nobody may ever {until}")


def in_the_deal(game: str, method: str) -> Bench:
    """A table at which at least two cards lie and further cards are due."""
    bench = Bench(procedure_of(game, method, house_of(game)), random.Random(4))
    wanderer = Wanderer(bench)
    for _ in range(600):
        lying = sum(len(held) for place, held in bench.state.round.hands.items() if place != "burn") if bench.state.round else 0
        if bench.view().gate == "open" and lying >= 2 and len(bench.laid) == lying:
            return bench
        wanderer.step()
    raise AssertionError("no such moment")


def rescan(bench: Bench, *, turned: bool = False) -> a.Rescan:
    """All cards on the table read again, in the order dealt or the other way round."""
    laid = bench.laid[::-1] if turned else bench.laid
    return a.Rescan(cards=tuple(map(Sealed, laid)), by=DEALER)


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_a_result_that_differs_alarms_and_both_are_kept(game: str, method: str) -> None:
    bench = wandered(game, method, "declare")
    key = next(key for key in round_of(bench).results if key not in round_of(bench).declared)
    assert key not in bench.view().results, "nothing of the outcome shows before"
    seat, _, hand = key.partition(" hand ")
    told = bench.put(a.Declare(seat=int(seat), hand=int(hand) if hand else None, result="another result", by=DEALER))
    assert (told.refused, told.alarm) == (None, "declared-differs")
    assert key in told.results
    assert bench.state.round is not None
    assert bench.state.round.declared[key] == "another result"
    assert bench.put(a.Resolve(choose="continue", by=SUPERVISOR)).alarms == ()


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_cards_are_read_again_in_the_order_dealt(game: str, method: str) -> None:
    bench = in_the_deal(game, method)
    before = bench.view()
    told = bench.put(rescan(bench))
    assert (told.refused, told.evidence, told.state, told.gate) == (None, "confirmed", before.state, before.gate)
    if bench.laid != bench.laid[::-1]:
        told = bench.put(rescan(bench, turned=True))
        assert (told.alarm, told.state, told.gate) == ("unreadable-card", "suspended", "locked")
        told = bench.put(rescan(bench))
        assert (told.alarms, told.state, told.gate) == ((), before.state, before.gate)


@pytest.mark.parametrize(
    ("game", "method", "what", "remedy"),
    [(game, method, *case) for game, method in TABLES for case in PUT_RIGHT if case[0].replace("-", "_") in house_of(game)],
)
def test_cards_are_put_right_and_play_goes_on_where_it_was(game: str, method: str, what: str, remedy: str) -> None:
    for settle in (rescan, lambda bench: a.Resolve(choose="continue", by=SUPERVISOR)):
        bench = in_the_deal(game, method)
        before, plan = bench.view(), (round_of(bench).plan, round_of(bench).cursor)
        told = bench.put(a.Report(what=what, by=DEALER))
        assert (told.irregularity, told.remedy, told.state, told.gate) == (what, remedy, "suspended", "locked")
        assert "rescan" in told.next
        assert all(place in told.message for place in round_of(bench).hands if place != "burn")
        told = bench.put(settle(bench))
        assert (told.alarms, told.phase, told.gate) == ((), before.phase, "open")
        assert (round_of(bench).plan, round_of(bench).cursor) == plan


def test_the_message_tells_places_and_order_but_no_card() -> None:
    bench = in_the_deal("winners-pot-poker", "hand")
    told = bench.put(a.Report(what="wrong-place", by=DEALER))
    assert "In the order in which they were dealt the cards belong to seat" in told.message
    assert not [card.name for card in bench.laid if card.name in told.message]

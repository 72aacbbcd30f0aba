"""Errors of a reader by card, place and speed, and what is called weak."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from controller.technician.deal_aligning import lay_beside
from controller.technician.deal_tally import DealReport, Reading, Tally, speed_name
from firmware_bridge.cards import FRENCH_CARDS, UNREADABLE, Card, parse_card

DECK = FRENCH_CARDS
SEVEN, EIGHT = parse_card("7d"), parse_card("8d")


def deal(tally: Tally, read: Sequence[Card], since_ms: int = 150) -> bool:
    readings = [Reading(card, since_ms if at else None) for at, card in enumerate(read)]
    return tally.add(lay_beside(DECK, read, tally.expected), readings)


def with_card(card: Card, told: Card) -> list[Card]:
    return [told if one is card else one for one in DECK]


def by_name(report: DealReport, kind: str) -> dict[str, tuple[int, int, int, int]]:
    return {g.name: (g.cards, g.wrong, g.unread, g.missed) for g in getattr(report, kind)}


@pytest.mark.requirement("EQ-103")
def test_a_good_reader_has_a_bound_and_nothing_weak() -> None:
    tally = Tally(DECK)
    for _ in range(20):
        assert deal(tally, DECK)
    report = tally.report()
    assert (report.deals, report.cards, report.right, report.weak) == (20, 1040, 1040, ())
    assert report.wrong_rate_at_most == report.failed_rate_at_most == pytest.approx(3 / 1040, rel=0.01)
    assert by_name(report, "by_speed") == {"up to 200 ms": (1020, 0, 0, 0)}


@pytest.mark.requirement("T-25")
def test_a_weak_card_is_told_by_what_it_was_taken_for() -> None:
    tally = Tally(DECK)
    for number in range(12):
        deal(tally, with_card(SEVEN, EIGHT if number % 3 else UNREADABLE))
    report = tally.report()
    assert (report.wrong, report.unread, report.right) == (8, 4, 612)
    assert [(c.card, c.told, c.times) for c in report.confusions] == [("7d", "8d", 8)]
    assert by_name(report, "by_card")["7d"] == (12, 8, 4, 0)
    assert [(weak.kind, weak.name) for weak in report.weak] == [("card", "7d"), ("place", str(DECK.index(SEVEN) + 1))]
    assert "12 of 12 were not read right, of all others 0 of 612" in report.weak[0].sentence


def test_a_cut_deck_tells_the_card_from_its_place() -> None:
    tally, rng = Tally(DECK), random.Random(1)
    for _ in range(12):
        at = rng.randrange(52)
        deal(tally, [UNREADABLE if card is SEVEN else card for card in (*DECK[at:], *DECK[:at])])
    assert [(weak.kind, weak.name) for weak in tally.report().weak] == [("card", "7d")]


def test_a_weak_place_is_no_weak_card() -> None:
    tally, rng = Tally(DECK), random.Random(2)
    for _ in range(12):
        at = rng.randrange(1, 51)
        read = [*DECK[at:], *DECK[:at]]
        read[4] = UNREADABLE
        deal(tally, read)
    assert [(weak.kind, weak.name) for weak in tally.report().weak] == [("place", "5")]


def test_a_reader_that_is_too_slow_is_weak_at_speed() -> None:
    tally = Tally(DECK)
    for number in range(10):
        fast = number % 2 == 0
        read = list(DECK)
        if fast:
            for at in range(number, 52, 11):
                read[at] = UNREADABLE
        deal(tally, read, 80 if fast else 900)
    assert [(weak.kind, weak.name) for weak in tally.report().weak] == [("speed", "up to 100 ms")]


def test_what_never_came_and_what_came_from_nowhere_are_counted_apart() -> None:
    tally = Tally(DECK)
    deal(tally, [card for card in DECK if card is not SEVEN])
    deal(tally, [*DECK[:20], UNREADABLE, *DECK[20:]])
    report = tally.report()
    assert (report.cards, report.right, report.missed, report.extra) == (103, 103, 1, 1)
    assert by_name(report, "by_card")["7d"] == (1, 0, 0, 1)


def test_another_order_is_set_aside_and_moves_nothing() -> None:
    tally, other = Tally(DECK), list(DECK)
    random.Random(3).shuffle(other)
    assert not deal(tally, other)
    assert deal(tally, DECK)
    report = tally.report()
    assert (report.deals, report.set_aside, report.cards, report.wrong, tally.expected) == (1, 1, 52, 0, 0)


def test_a_deal_broken_off_goes_on_at_its_place() -> None:
    tally = Tally(DECK)
    deal(tally, DECK[:30])
    deal(tally, [*DECK[30:50], UNREADABLE, DECK[51]])
    assert by_name(tally.report(), "by_place")["51"] == (1, 0, 1, 0)


def test_errors_all_over_are_nobodys_own() -> None:
    tally, rng = Tally(DECK), random.Random(5)
    for _ in range(20):
        deal(tally, [UNREADABLE if rng.random() < 0.05 else card for card in DECK])
    assert tally.report().weak == ()


@pytest.mark.parametrize(("ms", "name"), [(0, "up to 100 ms"), (100, "up to 100 ms"), (101, "up to 200 ms"), (9_999, "over 1600 ms")])
def test_speeds_have_classes(ms: int, name: str) -> None:
    assert speed_name(ms) == name

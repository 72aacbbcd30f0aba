"""Which card lies where, as the people at a table see it."""

from __future__ import annotations

import random

import pytest

from controller.dealing.settings import resolve_settings
from controller.games import GAMES
from controller.table.outcome import Outcome
from firmware_bridge.cards import parse_card
from hil.people.hands import arrange
from hil.people.moves import HandCards
from hil.people.tracker import CardTracker


def told(tracker: CardTracker, act: str, to: str | None, *, in_stack: bool = False) -> list[tuple[str, str]]:
    tracker.told(act, Outcome(act=act, state="dealing", gate="open", to=to), in_stack=in_stack)
    return tracker.take_placed()


def test_a_card_goes_where_the_table_says() -> None:
    tracker = CardTracker()
    tracker.pulled(["9h"])
    assert told(tracker, "card", "seat 1") == [("seat 1", "9h")]
    assert told(tracker, "decide", "seat 1") == []


def test_a_card_aside_is_placed_by_the_act_that_makes_it_due() -> None:
    tracker = CardTracker()
    tracker.pulled(["9h"])
    assert told(tracker, "card", "aside") == []
    assert told(tracker, "expose", "dealer") == []
    assert told(tracker, "set", "dealer") == []
    assert told(tracker, "set", "burn") == [("burn", "9h")]
    assert told(tracker, "decide", "seat 2") == []


def test_the_second_of_two_cards_that_left_together_waits_aside() -> None:
    tracker = CardTracker()
    tracker.pulled(["9h", "Kd"])
    assert told(tracker, "card", "seat 1") == [("seat 1", "9h")]
    assert told(tracker, "resolve", "seat 2") == [("seat 2", "Kd")]


def test_cards_of_a_stack_are_placed_with_the_stack() -> None:
    tracker = CardTracker()
    for name in ("9h", "Kd", "2c"):
        tracker.pulled([name])
        assert told(tracker, "card", "seat 1", in_stack=True) == []
    assert told(tracker, "stack", "seat 1") == [("seat 1", "9h"), ("seat 1", "Kd"), ("seat 1", "2c")]


def test_dealing_order_is_the_order_in_which_cards_were_laid() -> None:
    cards = HandCards()
    for place, name in (("seat 1", "9h"), ("burn", "2c"), ("dealer", "Kd"), ("dealer", "Ks"), ("seat 1", "3h")):
        cards.saw(place, [name])
    assert cards.in_dealing_order() == ["9h", "Kd", "Ks", "3h"]


@pytest.mark.parametrize("hand", ["As Ad 9c 9d", "2c 3d 5h 6s", "7s 7h 7d Kc", "Qc Jd Ts 9h"])
def test_hands_are_arranged_as_the_game_allows(hand: str) -> None:
    game = GAMES["supreme-pai-gow"]
    settings = resolve_settings(game.settings, {}, game.key)

    def is_allowed(groups: dict[str, list[str]]) -> bool:
        return game.set_flaw(settings, {name: tuple(map(parse_card, cards)) for name, cards in groups.items()}) is None

    arranged = set()
    for seed in range(20):
        groups = arrange(hand.split(), (("high", 2), ("low", 2)), is_allowed, random.Random(seed))
        assert is_allowed(groups)
        assert sorted(groups["high"] + groups["low"]) == sorted(hand.split())
        arranged.add(tuple(sorted(groups["high"])))
    assert len(arranged) > 1 or hand == "As Ad 9c 9d"


def test_the_last_arrangement_is_taken_where_none_is_allowed() -> None:
    groups = arrange(["As", "Ad"], (("high", 1), ("low", 1)), lambda groups: False, random.Random(1))
    assert sorted(groups["high"] + groups["low"]) == ["Ad", "As"]

"""Two-Card Joker Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import build_procedure
from controller.dealing.settings import SettingError
from controller.games import GAMES
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.games.stacked import choose, dealt, played, settled

GAME = "two-card-joker-poker"
ANTE = {"ante": 10}
BOTH = {"ante": 10, "pair_up": 5}
ODDS = {"pair-of-jokers": 50, "pair": 4}


@pytest.mark.rule("13:69F-23.8(c)", "13:69F-35.9(c)")
@pytest.mark.parametrize(("method", "passes"), [("manual-shoe", 2), ("hand", 2), ("automated-shoe", 1)])
def test_two_cards_each_with_the_dealer_last_and_the_jokers_in_the_stub(method: str, passes: int) -> None:
    bench = open_table(GAME, method)
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer"] * passes
    assert bench.view().stub_expected == 52 - 2 * 2


@pytest.mark.rule("13:69F-30")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ("9d 3c", "Js 4h", {"ante": 10, "call": 0}),
        ("9d 3c", "Qs 4h", {"ante": -10, "call": -10}),
        ("Kd 3c", "Qs 4h", {"ante": 10, "call": 10}),
        ("Qd 4c", "Qs 4h", {"ante": 0, "call": 0}),
        ("Jk Jk", "As Ks", {"ante": 10, "call": 80}),
        ("Jk Jk", "Js 4h", {"ante": 10, "call": 0}),
        ("As Ks", "9h 8h", {"ante": 10, "call": 50}),
        ("As Ks", "Ah Kh", {"ante": 0, "call": 0}),
        ("9h 8h", "Jk As", {"ante": 10, "call": 30}),
        ("Jk 9h", "9s 9d", {"ante": 0, "call": 0}),
        ("Jk As", "9s 9d", {"ante": 10, "call": 10}),
        ("2c 2d", "Kh Qs", {"ante": 10, "call": 10}),
        ("Ah 2d", "Kh 9h", {"ante": 10, "call": 10}),
        ("5h 2h", "Ks Qh", {"ante": -10, "call": -10}),
    ],
)
def test_the_settlement_table(player: str, dealer: str, expected: dict[str, int]) -> None:
    pays = played(GAME, {1: ANTE}, f"{player} | {dealer}", {1: "call"}).pays["1"]
    assert isinstance(pays, dict)
    assert {name: float(amount) for name, amount in pays.items()} == expected


@pytest.mark.rule("house:middle_order", "house:ace_low")
def test_a_house_orders_pair_straight_and_flush_and_sets_the_low_ace() -> None:
    cards = "5h 2h | 2c 2d"
    assert pay(played(GAME, {1: ANTE}, cards, {1: "call"}), "1") == -2000
    assert pay(played(GAME, {1: ANTE}, cards, {1: "call"}, middle_order="flush-straight-pair"), "1") == 2000
    low = "Ah 2d | Kd Qc"
    assert pay(played(GAME, {1: ANTE}, low, {1: "call"}), "1") == -2000, "the lowest straight"
    assert pay(played(GAME, {1: ANTE}, "Ah 2d | Kd 3c", {1: "call"}), "1") == 2000
    assert pay(played(GAME, {1: ANTE}, "Ah 2d | Ad 3c", {1: "call"}, ace_low=False), "1") == -2000, "ace and deuce are high cards"


@pytest.mark.rule("13:69F-30")
@pytest.mark.parametrize(("hand", "units"), [("Jk Jk", 50), ("Jk 2c", 4), ("8c 8d", 4), ("As Ks", -1)])
def test_pair_up_is_paid_on_the_own_hand_whatever_the_dealer_holds(hand: str, units: int) -> None:
    for dealer in ("Js 4h", "Ah Kh"):
        assert pay(played(GAME, {1: {"pair_up": 5}}, f"{hand} | {dealer}", {}, pair_up_table=ODDS), "1") == units * 500


@pytest.mark.rule("house:pair_up_table")
def test_without_odds_pair_up_is_told_and_not_paid() -> None:
    outcome = played(GAME, {1: BOTH}, "Jk 2c | As Qd", {1: "call"})
    assert outcome.results["1"] == {"ante": "win", "call": "win", "pair_up": "odds"}
    assert outcome.hands["1"] == "pair of deuces"


@pytest.mark.rule("13:69F-33.10(a)", "house:side_wager_after_fold")
@pytest.mark.parametrize(("house", "net"), [("stays", -1000 + 2000), ("lost", -1500)])
def test_what_a_fold_does_to_pair_up(house: str, net: int) -> None:
    outcome = played(
        GAME, {1: BOTH, 2: ANTE}, "8c 8d | Kh 7c | Qs 4h", {1: "fold", 2: "call"}, pair_up_table=ODDS, side_wager_after_fold=house
    )
    assert (pay(outcome, "1"), pay(outcome, "2")) == (net, 2000)


@pytest.mark.rule("13:69F-23.8(c)")
def test_only_seats_with_an_ante_are_asked_in_order() -> None:
    bench = dealt(GAME, {1: {"pair_up": 5}, 2: ANTE, 3: ANTE}, "")
    assert refusal(bench, "decide", {"seat": 1, "choose": "call"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 3, "choose": "call"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 2, "choose": "call", "amount": 15}) == "bad-amount"
    choose(bench, {2: "call", 3: "fold"})
    assert settled(bench).state == "complete"


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_dealers_card_seen_early_voids_the_hands_and_pair_up_stands() -> None:
    bench = dealt(GAME, {1: BOTH, 2: BOTH}, "8c 8d | Kh 7c | Qs 4h", pair_up_table=ODDS)
    decide(bench, 1, "fold")
    did(bench, "report", {"what": "dealer-card-exposed"})
    outcome = collect(bench)
    assert outcome.results["1"] == {"ante": "void", "pair_up": "win"}
    assert (pay(outcome, "1"), pay(outcome, "2")) == (2000, -500)


@pytest.mark.parametrize(("name", "value"), [("middle_order", "pair-flush"), ("call_table", {"full-house": 2}), ("ace_low", 1)])
def test_settings_that_cannot_be_are_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=name):
        build_procedure(GAMES[GAME], "hand", {name: value})  # type: ignore[dict-item]

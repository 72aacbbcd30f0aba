"""Three-Card Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import build_procedure
from controller.games import GAMES
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.games.stacked import choose, dealt, played, settled

GAME = "three-card-poker"
ANTE = {"ante": 10}
BOTH = {"ante": 10, "pair_plus": 5}
NOBODY = "Js 9d 2c"
"""A dealer's hand that does not qualify."""


@pytest.mark.rule("13:69F-20", "PA 679a.9(b)")
@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_three_passes_to_wagering_seats_and_the_dealer_last(method: str) -> None:
    bench = open_table(GAME, method)
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer"] * 3
    assert bench.view().stub_expected == 43


@pytest.mark.rule("13:69F-35.9(c)")
def test_stacks_of_three_with_the_dealer_last() -> None:
    bench = open_table(GAME, "automated-shoe")
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer"]
    assert bench.view().stub_expected == 43


@pytest.mark.rule("13:69F-27.6(a)")
def test_ante_or_pair_plus_puts_a_seat_in_play_and_nothing_else_does() -> None:
    bench = open_table(GAME)
    did(bench, "wager", {"seat": 1, "pair_plus": 5})
    did(bench, "wager", {"seat": 2, "ante": 5})
    assert refusal(bench, "wager", {"seat": 3, "play": 5}) == "bad-option"
    did(bench, "wager", {"seat": 2, "pair_plus": 15})
    did(bench, "close_bets")


@pytest.mark.rule("13:69F-33.10(a)")
def test_seats_with_an_ante_decide_in_order_and_pair_plus_alone_is_not_asked() -> None:
    bench = dealt(GAME, {1: ANTE, 2: {"pair_plus": 5}, 3: BOTH}, "")
    assert refusal(bench, "decide", {"seat": 3, "choose": "play"}) == "not-your-turn"
    decide(bench, 1, "fold")
    assert refusal(bench, "decide", {"seat": 2, "choose": "fold"}) == "not-your-turn"
    decide(bench, 3, "play")
    assert bench.view().state == "settling"


def test_with_pair_plus_alone_at_every_seat_nobody_is_asked() -> None:
    bench = dealt(GAME, {1: {"pair_plus": 5}, 2: {"pair_plus": 5}}, "2h 2d 9c | Ah Td 4c | " + NOBODY)
    assert bench.view().state == "settling"
    outcome = settled(bench)
    assert (pay(outcome, "1"), pay(outcome, "2")) == (500, -500)


@pytest.mark.rule("13:69F-20")
@pytest.mark.parametrize("amount", [5, 20, "10.01"])
def test_play_is_exactly_the_ante(amount: object) -> None:
    bench = dealt(GAME, {1: ANTE}, "")
    assert refusal(bench, "decide", {"seat": 1, "choose": "play", "amount": amount}) == "bad-amount"
    decide(bench, 1, "play", amount=10)


@pytest.mark.rule("13:69F-20.3(b)", "13:69F-20")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ("5h 6c 8d", NOBODY, {"ante": 10, "play": 0}),
        ("5h 6c 8d", "Qs 9d 2c", {"ante": -10, "play": -10}),
        ("Kh 6c 8d", "Qs 9d 2c", {"ante": 10, "play": 10}),
        ("Qh 9c 2d", "Qs 9d 2h", {"ante": 0, "play": 0}),
        ("Kh 9h 4h", "4s 5d 6h", {"ante": -10, "play": -10}),
        ("4s 5d 6h", "Kh 9h 4h", {"ante": 10, "play": 10, "ante_bonus": 10}),
        ("4s 4d 4h", "Ah Qc Kd", {"ante": 10, "play": 10, "ante_bonus": 40}),
        ("Ah 2d 3c", "5s 5d 5h", {"ante": -10, "play": -10, "ante_bonus": 10}),
        ("7h 6h 5h", "Ah Kh Qh", {"ante": -10, "play": -10, "ante_bonus": 50}),
        ("Ac 2d 3c", "2s 3d 4h", {"ante": -10, "play": -10, "ante_bonus": 10}),
        ("Ac 2d Kc", "2s 2h 4h", {"ante": -10, "play": -10}),
    ],
)
def test_the_settlement_table(player: str, dealer: str, expected: dict[str, int]) -> None:
    outcome = played(GAME, {1: ANTE}, f"{player} | {dealer}", {1: "play"})
    pays = outcome.pays["1"]
    assert isinstance(pays, dict)
    assert {name: float(amount) for name, amount in pays.items()} == expected


@pytest.mark.rule("13:69F-20")
@pytest.mark.parametrize(
    ("hand", "units"),
    [("7h 6h 5h", 40), ("As Ks Qs", 40), ("4s 4d 4h", 30), ("4s 5d 6h", 6), ("Kh 9h 4h", 4), ("8h 8d 3c", 1), ("Ah Kd 8c", -1)],
)
def test_pair_plus_is_paid_by_its_table_whatever_the_dealer_holds(hand: str, units: int) -> None:
    for dealer in (NOBODY, "Td Tc Th"):
        outcome = played(GAME, {1: {"pair_plus": 5}}, f"{hand} | {dealer}", {})
        assert pay(outcome, "1") == units * 500


def test_a_table_may_pay_the_mini_royal_more() -> None:
    table = {"mini-royal": 50, "straight-flush": 40, "pair": 1}
    assert pay(played(GAME, {1: {"pair_plus": 5}}, f"As Ks Qs | {NOBODY}", {}, pair_plus_table=table), "1") == 25_000
    assert pay(played(GAME, {1: {"pair_plus": 5}}, f"9s 8s 7s | {NOBODY}", {}, pair_plus_table=table), "1") == 20_000


def test_without_a_table_pair_plus_is_told_and_not_paid() -> None:
    outcome = played(GAME, {1: {"pair_plus": 5}}, f"As Ks Qs | {NOBODY}", {}, pair_plus_table={})
    assert outcome.results["1"] == "odds"
    assert outcome.hands["1"] == "straight flush, ace high"


@pytest.mark.rule("13:69F-21.8(f)", "13:69F-20")
def test_a_fold_loses_both_wagers_and_racks_the_cards_at_once() -> None:
    bench = dealt(GAME, {1: BOTH, 2: ANTE}, "2h 2d 2c | Ah 9d 4c | Ks 8d 7c")
    assert decide(bench, 1, "fold").rack == 43 + 3
    choose(bench, {2: "play"})
    outcome = settled(bench)
    assert (pay(outcome, "1"), pay(outcome, "2")) == (-1500, 2000)


@pytest.mark.rule("house:side_wager_after_fold")
def test_a_house_may_keep_the_cards_under_pair_plus() -> None:
    bench = dealt(GAME, {1: BOTH}, "2h 2d 2c | Ks 8d 7c", side_wager_after_fold="stays")
    assert decide(bench, 1, "fold").state == "settling"
    outcome = settled(bench)
    assert outcome.results["1"] == {"ante": "lose", "pair_plus": "win"}
    assert pay(outcome, "1") == 14_000


def test_when_all_fold_the_dealers_cards_stay_down() -> None:
    bench = dealt(GAME, {1: ANTE, 2: BOTH}, "")
    choose(bench, {1: "fold", 2: "fold"})
    assert bench.view().state == "collecting"


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_dealers_card_seen_early_voids_the_hands_and_pair_plus_stands() -> None:
    bench = dealt(GAME, {1: BOTH, 2: BOTH, 3: BOTH}, "2h 2d 2c | Ah 9d 4c | Ac 9s 4d | Ks 8d 7c")
    decide(bench, 1, "play")
    decide(bench, 2, "fold")
    outcome = did(bench, "report", {"what": "dealer-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void-side-bets-stand")
    outcome = collect(bench)
    assert outcome.results["1"] == {"ante": "void", "play": "void", "pair_plus": "win"}
    assert [pay(outcome, seat) for seat in "123"] == [15_000, 0, -500], "the folded hand is in the rack"


def test_the_most_seats_are_sixteen() -> None:
    assert build_procedure(GAMES[GAME], "hand", {"seats": 16}).seats == 16
    assert GAMES[GAME].cards_needed is not None
    assert GAMES[GAME].cards_needed(build_procedure(GAMES[GAME], "hand").settings, 16) == 51

"""Double Down Stud by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain
from controller.games import GAMES
from controller.table.outcome import Outcome
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "double-down-stud"


def table(method: str = "manual-shoe", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def play(bench: Bench, choice: str = "raise", **wagers: object) -> Outcome:
    """Seat 1 alone to the end."""
    bets(bench, 1, **wagers)
    places(bench)
    decide(bench, 1, choice)
    did(bench, "expose", {"community": [4]})
    return collect(bench)


@pytest.mark.rule("13:69F-17.8")
@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_one_card_to_each_seat_and_three_of_four_community_cards_lie_face_up(method: str) -> None:
    bench = table(method, cards="9h Kd Ks 9c 9d 4h")
    bets(bench, 5, 2)
    dealt = [(outcome.to, outcome.face, outcome.card) for outcome in (bench.card() for _ in range(6))]
    up = [("seat 2", "9h"), ("seat 5", "Kd"), ("community 1", "Ks"), ("community 2", "9c"), ("community 3", "9d")]
    assert dealt == [*((to, "up", card) for to, card in up), ("community 4", "down", None)]
    assert bench.view().state == "deciding"


@pytest.mark.rule("house:methods_permitted")
def test_stacks_of_one_card_need_the_decision_of_the_house() -> None:
    with pytest.raises(ProcedureError, match="methods_permitted"):
        build_procedure(GAMES[GAME], "automated-shoe")
    bench = table("automated-shoe")
    bets(bench, 1, 3)
    assert places(bench) == ["seat 1", "seat 3", "community 1", "community 2", "community 3", "community 4"]


@pytest.mark.rule("13:69F-31.8(d)")
def test_a_stack_of_two_voids_all_hands() -> None:
    bench = table("automated-shoe")
    bets(bench, 1, 3)
    outcome = bench.stack(2)
    assert (outcome.state, outcome.irregularity, outcome.remedy) == ("void", "wrong-stack-size", "all-hands-void")


@pytest.mark.rule("house:methods_permitted")
def test_a_stack_whose_open_card_was_not_read_waits_until_the_cards_are_read_again() -> None:
    bench = table("automated-shoe", cards="9h Ks 9c 9d 4h")
    bets(bench, 1)
    outcome = bench.stack(1, read=False)
    assert (outcome.state, outcome.irregularity) == ("suspended", "unreadable-card")
    assert refusal(bench, "resolve", {"choose": "continue"}, "supervisor:S1") is not None
    assert did(bench, "rescan", "9h").state == "dealing"
    places(bench)
    decide(bench, 1, "raise")
    did(bench, "expose", {"community": [4]})
    assert pay(collect(bench), "1") == 100 * 3 * 20


@pytest.mark.rule("13:69F-35.9(e)", "13:69F-23.8(d)", "house:seats")
@pytest.mark.parametrize("seats", range(1, 8))
def test_the_stub_has_48_less_one_for_each_player(seats: int) -> None:
    bench = table()
    bets(bench, *range(1, seats + 1))
    places(bench)
    assert bench.view().stub_expected == 48 - seats


@pytest.mark.rule("13:69F-17.9", "13:69F-33.10(a)")
def test_one_double_of_exactly_the_wager_in_turn_and_no_fold() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    assert refusal(bench, "decide", {"seat": 2, "choose": "raise"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 1, "choose": "fold"}) == "bad-option"
    for amount in (5, 15, 20):
        assert refusal(bench, "decide", {"seat": 1, "choose": "raise", "amount": amount}) == "bad-amount"
    assert decide(bench, 1, "double", amount=10).choice == "raise"
    assert refusal(bench, "decide", {"seat": 1, "choose": "raise"}) == "not-your-turn"
    assert decide(bench, 2, "stand").state == "settling"


@pytest.mark.rule("13:69F-17.9")
def test_the_fourth_card_is_turned_after_the_last_decision() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "expose", {"community": [4]}) == "not-your-turn"
    decide(bench, 1, "stand")
    assert refusal(bench, "expose", {"community": [1]}) == "not-expected-now"
    assert did(bench, "expose", {"community": [4]}).state == "collecting"


@pytest.mark.rule("13:69F-17.5", "13:69F-17.11")
@pytest.mark.parametrize("choice", ["raise", "stand"])
@pytest.mark.parametrize(
    ("cards", "result", "odds"),
    [
        ("As Ks Qs Js Ts", "win", 1000), ("9s 8s 7s 6s 5s", "win", 200), ("As 2s 3s 4s 5s", "win", 200), ("9s 9h 9d 9c 2s", "win", 50),
        ("9s 9h 9d 2c 2s", "win", 11), ("As Js 9s 4s 2s", "win", 8), ("As 2h 3d 4c 5s", "win", 5), ("Ts Jh Qd Kc As", "win", 5),
        ("9s 9h 9d 4c 2s", "win", 3), ("2s 3h 2d 3c Ks", "win", 2), ("Js 2h Jd 3c Ks", "win", 1), ("2s 3h 9d Ac As", "win", 1),
        ("Ts 2h Td 3c Ks", "push", 0), ("6s 2h 6d 3c Ks", "push", 0), ("2s 8h 8d 3c Ks", "push", 0), ("5s 2h 5d 3c Ks", "lose", -1),
        ("As Kh Qd Jc 9s", "lose", -1), ("Qs Kh Ad 2c 3s", "lose", -1),
    ],
)  # fmt: skip
def test_wager_and_double_are_paid_at_the_same_odds(cards: str, result: str, odds: int, choice: str) -> None:
    outcome = play(table(cards=cards), choice)
    assert outcome.results["1"] == result
    assert pay(outcome, "1") == 100 * odds * (20 if choice == "raise" else 10)


@pytest.mark.rule("house:payout_limit")
def test_a_house_may_limit_what_one_hand_wins() -> None:
    outcome = play(table(cards="As Ks Qs Js Ts", payout_limit=15_000))
    assert outcome.pays["1"] == {"wager": "10000", "raise": "5000"}


@pytest.mark.rule("13:69F-21.8(k)")
def test_every_hand_is_settled_with_the_last_card_and_told_when_it_is_declared() -> None:
    bench = table(cards="9h Kd Ks 9c 9d 4h")
    bets(bench, 1, 2)
    places(bench)
    decide(bench, 1, "stand")
    assert refusal(bench, "expose", {"seat": 2}) == "not-your-turn"
    decide(bench, 2, "stand")
    assert did(bench, "expose", {"community": [4]}).results == {}
    assert did(bench, "expose", {"seat": 2}).results == {}
    assert refusal(bench, "expose", {"seat": 3}) == "not-wagered"
    assert did(bench, "declare", {"seat": 2, "result": "win"}).results == {"2": "win"}
    outcome = do(bench, "declare", {"seat": 1, "result": "push"})
    assert outcome.alarms == ("declared-differs",)
    assert collect(bench).results == {"1": "win", "2": "win"}


@pytest.mark.rule("13:69F-28.12(a)")
def test_the_fourth_card_seen_early_voids_all_hands_and_the_doubles_go_back() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    decide(bench, 1, "raise")
    outcome = did(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void")
    assert collect(bench).pays == {"1": {"wager": "0", "raise": "0"}, "2": "0"}

"""Flop Poker by its rules, one at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, places, refusal
from tests.controller.table.bench import Bench

GAME = "flop-poker"


def table(method: str = "hand", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def played(hands: dict[int, str], flop: str, folded: tuple[int, ...] = (), pot: object = 5, **house: Plain) -> Bench:
    """A round from the hand with these own cards, antes of 10, all hands exposed."""
    laps = [names.split()[lap] for lap in range(3) for _, names in sorted(hands.items())]
    bench = table(cards=" ".join([*laps, flop]), **house)
    for seat in hands:
        did(bench, "wager", {"seat": seat, "ante": 10, "pot": pot})
    did(bench, "close_bets")
    places(bench)
    for seat in sorted(hands):
        decide(bench, seat, "fold" if seat in folded else "flop")
    did(bench, "expose", {"community": [1, 2, 3]})
    for seat in sorted(hands, reverse=True):
        did(bench, "expose", {"seat": seat})
    return bench


@pytest.mark.rule("published sheets")
def test_ante_and_pot_wager_are_required_and_the_pot_wager_is_the_same_for_all() -> None:
    bench = table()
    did(bench, "wager", {"seat": 1, "ante": 10, "pot": 5})
    assert refusal(bench, "wager", {"seat": 2, "ante": 20, "pot": 10}) == "bad-amount"
    did(bench, "wager", {"seat": 2, "ante": 20})
    assert refusal(bench, "close_bets") == "not-wagered"
    did(bench, "wager", {"seat": 2, "pot": 5})
    did(bench, "close_bets")


def test_a_seat_alone_may_change_its_pot_wager() -> None:
    bench = table()
    did(bench, "wager", {"seat": 1, "ante": 10, "pot": 5})
    did(bench, "wager", {"seat": 1, "pot": 10})
    did(bench, "wager", {"seat": 2, "ante": 10, "pot": 10})


@pytest.mark.rule("13:69F-23.8(c)", "house:flop_timing")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_three_laps_then_the_flop_face_down(method: str) -> None:
    bench = table(method)
    bets(bench, 6, 2)
    assert places(bench) == [*["seat 2", "seat 6"] * 3, "community 1", "community 2", "community 3"]
    assert all(not held.shown for held in bench.state.round.hands["community"])  # type: ignore[union-attr]


@pytest.mark.rule("13:69F-35.9(c)", "house:stack_community", "house:flop_burn")
def test_stacks_of_three_with_the_flop_as_the_last_one_or_by_hand() -> None:
    flop = ["community 1", "community 2", "community 3"]
    for house, last in (({}, ["community"]), ({"stack_community": "hand"}, flop), ({"flop_burn": 1}, ["burn", *flop])):
        bench = table("automated-shoe", **house)  # type: ignore[arg-type]
        bets(bench, 5, 1)
        assert places(bench) == ["seat 1", "seat 5", *last]


@pytest.mark.rule("house:flop_timing")
def test_the_flop_may_come_with_the_laps_or_face_up_after_the_decisions() -> None:
    bench = table(flop_timing="each-pass")
    bets(bench, 1)
    assert places(bench) == ["seat 1", "community 1", "seat 1", "community 2", "seat 1", "community 3"]
    bench = table(flop_timing="after-decisions", flop_burn=1)
    bets(bench, 1)
    assert places(bench) == ["seat 1"] * 3
    decide(bench, 1, "fold")
    assert places(bench) == ["burn", "community 1", "community 2", "community 3"]
    assert (bench.view().state, bench.view().stub_expected) == ("settling", 49 - 3 - 1)


@pytest.mark.rule("13:69F-35.9(e)")
@pytest.mark.parametrize("seats", range(1, 8))
def test_the_stub_has_49_less_3_for_each_player(seats: int) -> None:
    bench = table()
    bets(bench, *range(1, seats + 1))
    places(bench)
    assert bench.view().stub_expected == 49 - 3 * seats


@pytest.mark.rule("published sheets")
def test_one_decision_a_flop_wager_of_the_ante_or_a_fold() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "flop", "amount": 20}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "check"}) == "bad-option"
    decide(bench, 1, "flop", amount=10)
    outcome = decide(bench, 2, "fold")
    assert outcome.rack == 43, "folded cards stay on the layout"
    assert outcome.state == "settling"


HANDS = [
    ("Ah Kh Qh", "Jh Th 2c", 1000), ("9h 8h 7h", "Jh Th 2c", 500), ("9h 9s 9c", "9d Th 2c", 100), ("9h 9s 9c", "Td Th 2c", 30),
    ("9h 8h 2h", "Jh Th 3c", 20), ("9h 8s 7c", "Jh Th 3c", 11), ("Js Jd 4c", "Jh Th 7h", 4), ("Js Jd 4c", "4h Th 7h", 2),
    ("Js Jd 4c", "5h Th 7h", 1), ("Js 3d 4c", "Jh Th 7h", 1), ("Ts Td 4c", "5h 8h 7h", None), ("9h 8h 2s", "Jh Th 7h", None),
    ("Ah 2d 4c", "Kh Qs Js", None), ("3h 2d 4c", "Ah Qs 5s", 11), ("9c 9d 4c", "Jh Jd Jc", 2), ("Tc 9d 4c", "Jh Jd Jc", 1),
]  # fmt: skip
"""own cards, flop, odds; with three jacks on the flop only two of them may be used"""


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("own", "flop", "odds"), HANDS)
def test_all_own_cards_and_exactly_two_of_the_flop_are_paid_from_a_pair_of_jacks_on(own: str, flop: str, odds: int | None) -> None:
    outcome = collect(played({1: own}, flop))
    expected = {"ante": "10", "flop": str(10 * odds), "pot": "0"} if odds is not None else {"ante": "-10", "flop": "-10", "pot": "0"}
    assert outcome.pays["1"] == expected


@pytest.mark.rule("published sheets")
def test_the_house_sets_the_lowest_pair_that_wins_and_the_odds() -> None:
    outcome = collect(played({1: "Ts Td 4c"}, "5h 8h 7h", lowest_paid_pair="T", flop_table={"pair": "3 to 2"}))
    assert outcome.pays["1"] == {"ante": "10", "flop": "15", "pot": "0"}
    outcome = collect(played({1: "9h 8s 7c"}, "Jh Th 3c", flop_table={}))
    assert outcome.results["1"] == "win"
    assert outcome.pays["1"] == {"ante": "10", "pot": "0"}


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("odd_chips", "from_right"), [("first-from-right", "1.67"), ("house", "1.66")])
def test_equal_hands_share_the_pot_and_odd_cents_go_as_the_house_set_it(odd_chips: str, from_right: str) -> None:
    hands = {2: "Ah Kh 9c", 3: "2c 3d 4h", 5: "As Ks 9d"}
    outcome = collect(played(hands, "Qc 6h 8d", pot="3.33", odd_chips=odd_chips))
    assert {seat: outcome.pays[str(seat)]["pot"] for seat in hands} == {2: "1.66", 3: "-3.33", 5: from_right}  # type: ignore[index]
    assert outcome.results["5"]["pot"] == outcome.results["2"]["pot"] == "win"  # type: ignore[index]


@pytest.mark.rule("published sheets")
def test_a_folded_hand_may_win_the_pot_and_its_ante_is_lost_all_the_same() -> None:
    outcome = collect(played({1: "Ah Kd 9c", 2: "Qs Qd 3h", 4: "5c 5d 8s"}, "Ac 5h 2d", folded=(1, 4)))
    assert outcome.pays == {
        "1": {"ante": "-10", "pot": "-5"}, "2": {"ante": "10", "flop": "10", "pot": "-5"}, "4": {"ante": "-10", "pot": "10"},
    }  # fmt: skip


@pytest.mark.rule("13:69F-33.10(f)", "published sheets")
def test_a_hand_is_settled_with_the_table_as_it_is_read_and_with_the_pot_after_the_last() -> None:
    bench = table(cards="Js 9h Jd 8h 4c 2s Jh Th 7h")
    bets(bench, 1, 3)
    places(bench)
    decide(bench, 1, "flop")
    decide(bench, 3, "flop")
    did(bench, "expose", {"community": [1, 2, 3]})
    did(bench, "expose", {"seat": 3})
    assert did(bench, "declare", {"seat": 3, "result": "lose"}).pays["3"] == {"ante": "-10", "flop": "-10"}
    assert refusal(bench, "declare", {"seat": 1, "result": "win"}) == "not-expected-now"
    did(bench, "expose", {"seat": 1})
    assert bench.view().pays["3"] == {"ante": "-10", "flop": "-10", "pot": "-10"}


def test_without_amounts_the_pot_is_won_but_not_counted() -> None:
    bench = table()
    did(bench, "wager", {"seat": 1})
    did(bench, "close_bets")
    places(bench)
    decide(bench, 1, "fold")
    did(bench, "expose", {"community": [1, 2, 3]})
    did(bench, "expose", {"seat": 1})
    outcome = collect(bench)
    assert (outcome.results["1"], outcome.pays["1"]) == ({"ante": "lose", "pot": "win"}, {})


@pytest.mark.rule("house:community-card-exposed")
def test_a_card_of_the_flop_seen_before_all_have_decided_returns_all_wagers() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    decide(bench, 1, "flop")
    assert do(bench, "report", {"what": "community-card-exposed"}).state == "void"
    assert bench.view().pays["1"] == {"ante": "0", "flop": "0", "pot": "0"}

"""Double Cross Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain, SettingError
from controller.table.outcome import Outcome
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "double-cross-poker"
EVEN: dict[str, Plain] = {"ante_odds": 1, "raise_odds": 1}
EXAMPLE = "Ah Kd 7c 7d Ts 9s Qh Qc Js 2d 8s 6s 7h"
"""Seats 1, 2 and 4, the dealer, and the cross: left, right, above, below, centre."""


def table(method: str = "automated-shoe", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def play(bench: Bench, *seats: int, choose: tuple[str, str] = ("check", "check"), amount: int | None = None, **wagers: object) -> Outcome:
    """All seats do the same, to the end, with the default steps of the cross."""
    bets(bench, *seats, **wagers)
    places(bench)
    for community, word in (([1, 2], choose[0]), ([3, 4], choose[1]), ([5], "")):
        did(bench, "expose", {"community": community})
        for seat in seats if word else ():
            decide(bench, seat, word, **({"amount": amount} if amount and word != "check" else {}))
    did(bench, "expose", {"seat": "dealer"})
    for seat in sorted(seats, reverse=True):
        did(bench, "expose", {"seat": seat})
    return collect(bench)


@pytest.mark.rule("13:69F-25.6(a)")
def test_no_seat_is_dealt_to_without_an_ante() -> None:
    bench = table()
    assert refusal(bench, "wager", {"seat": 1, "three_card_wager": 5}) == "not-wagered"
    assert refusal(bench, "wager", {"seat": 1, "first_raise": 5}) == "bad-option"
    assert refusal(bench, "wager", {"seat": 8, "ante": 5}) == "bad-position"
    bets(bench, 2)
    assert places(bench)[:2] == ["seat 2", "dealer"]


@pytest.mark.rule("13:69F-25.9(a)", "13:69F-35.9(c)", "13:69F-28.9", "13:69F-35.9(d)")
def test_stacks_of_two_to_each_seat_and_the_dealer_and_then_the_cross_from_the_hand() -> None:
    bench = table()
    bets(bench, 4, 1)
    assert places(bench) == ["seat 1", "seat 4", "dealer", *(f"community {n}" for n in range(1, 6))]


@pytest.mark.rule("13:69F-25.7(a)", "13:69F-25.8(a)", "13:69F-23.8(c)")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_two_passes_with_the_dealer_last_and_then_the_cross(method: str) -> None:
    bench = table(method)
    bets(bench, 4, 1)
    one_pass = ["seat 1", "seat 4", "dealer"]
    assert places(bench) == [*one_pass, *one_pass, *(f"community {n}" for n in range(1, 6))]


@pytest.mark.rule("13:69F-35.9(e)", "house:burn_before_cross")
@pytest.mark.parametrize("burns", [0, 1, 3])
@pytest.mark.parametrize("seats", range(1, 8))
def test_the_stub_has_45_less_two_for_each_player_and_the_burns(seats: int, burns: int) -> None:
    bench = table(burn_before_cross=burns)
    bets(bench, *range(1, seats + 1))
    assert places(bench).count("burn") == burns
    assert bench.view().stub_expected == 45 - 2 * seats - burns


@pytest.mark.rule("house:hand_formation")
@pytest.mark.parametrize(("formation", "hand"), [("line", "straight, ten high"), ("any-five", "flush, J 10 9 8 6")])
def test_a_hand_is_one_line_with_the_own_cards_unless_the_house_takes_any_five(formation: str, hand: str) -> None:
    outcome = play(table(cards=EXAMPLE, hand_formation=formation), 1, 2, 4)
    assert outcome.results == {"1": "lose", "2": "win", "4": "win"}
    assert outcome.hands["4"] == hand


@pytest.mark.rule("house:hand_formation")
def test_the_dealers_hand_is_the_better_line_too() -> None:
    outcome = play(table(cards="As Ac 2c 3d Kd Kh 4s 5h 9c"), 1)
    assert outcome.results == {"1": "win"}
    outcome = play(table(cards="As Ac 4c 5d Kd Kh 4s 5h 9c"), 1)
    assert outcome.results == {"1": "win"}
    outcome = play(table(cards="Ks Kc 4c 5d Qd Qh 4s 4h 9c"), 1)
    assert outcome.results == {"1": "lose"}


@pytest.mark.rule("house:hand_formation")
def test_lines_follow_the_order_in_which_the_house_lays_the_cross() -> None:
    order: Plain = ["centre", "left", "above", "right", "below"]
    bench = table(cards="Ts 9s Qh Qc 7h Js 8s 2d 6s", cross_order=order)
    bets(bench, 1)
    places(bench)
    for community in ([2, 4], [3, 5]):
        did(bench, "expose", {"community": community})
        decide(bench, 1, "check")
    did(bench, "expose", {"community": [1]})
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "expose", {"seat": 1})
    assert collect(bench).hands["1"] == "straight, ten high"


@pytest.mark.rule("house:turn_steps")
def test_raise_or_check_clockwise_after_each_step_but_the_last() -> None:
    bench = table()
    bets(bench, 1, 3)
    places(bench)
    assert bench.view().state == "settling"
    for number, community in enumerate(([1, 2], [3, 4]), start=1):
        for other in {1, 2, 3, 4, 5} - set(community):
            assert refusal(bench, "expose", {"community": [other]}) in ("not-your-turn", "not-expected-now")
        did(bench, "expose", {"community": community})
        assert refusal(bench, "decide", {"seat": 3, "choose": "check"}) == "not-your-turn"
        assert refusal(bench, "decide", {"seat": 1, "choose": "fold"}) == "bad-option"
        decide(bench, 1, "raise", amount=5)
        decide(bench, 3, ("first_raise", "second_raise")[number - 1], amount=70)
    assert did(bench, "expose", {"community": [5]}).state == "settling"
    assert refusal(bench, "expose", {"seat": 3}) == "not-your-turn"
    did(bench, "expose", {"seat": "dealer"})
    assert refusal(bench, "expose", {"seat": 1}) == "not-your-turn"


@pytest.mark.rule("house:turn_steps")
def test_a_house_may_have_up_to_four_decisions_the_first_before_any_card_is_turned() -> None:
    steps: Plain = [[], ["left"], ["right"], ["above", "below"], ["centre"]]
    bench = table(turn_steps=steps, **EVEN, cards="9h 9c 2d 3d 4h 5h Js 7s Kc")
    bets(bench, 1)
    places(bench)
    for word, community in (("first", [1]), ("second", [2]), ("third", [3, 4]), ("fourth", [5])):
        decide(bench, 1, f"{word}_raise", amount=10)
        did(bench, "expose", {"community": community})
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "expose", {"seat": 1})
    assert pay(collect(bench), "1") == 5000


@pytest.mark.rule("house:turn_steps", "house:cross_order")
@pytest.mark.parametrize(
    "house",
    [
        {"turn_steps": [["left"], ["right"], ["above"], ["below"]]},
        {"turn_steps": [["left", "left"], ["right", "above", "below", "centre"]]},
        {"turn_steps": [["left"], [], ["right", "above", "below", "centre"]]},
        {"turn_steps": [["up"], ["left", "right", "above", "below", "centre"]]},
        {"turn_steps": [[], ["left"], ["right"], ["above"], ["below"], ["centre"]]},
        {"turn_steps": "left"},
        {"turn_steps": ["left"]},
        {"cross_order": ["left", "right", "above", "below"]},
        {"cross_order": ["left", "left", "above", "below", "centre"]},
        {"cross_order": 5},
        {"ante_odds": "even"},
        {"raise_odds": -1},
        {"three_card_place": "middle"},
        {"three_card_table": {"full-house": 5}},
        {"seats": 8},
    ],
)
def test_what_no_cross_can_be_is_refused(house: dict[str, Plain]) -> None:
    with pytest.raises(SettingError):
        table(**house)


@pytest.mark.rule("house:raise_size")
@pytest.mark.parametrize(("size", "good", "bad"), [(0, 33, None), (1, 10, 20), (2, 20, 10)])
def test_a_raise_is_as_large_as_the_house_says(size: int, good: int, bad: int | None) -> None:
    bench = table(raise_size=size)
    bets(bench, 1)
    places(bench)
    did(bench, "expose", {"community": [1, 2]})
    assert bad is None or refusal(bench, "decide", {"seat": 1, "choose": "first_raise", "amount": bad}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "first_raise", "amount": good}) is None


@pytest.mark.rule("house:ante_odds", "house:raise_odds")
@pytest.mark.parametrize(("odds", "paid"), [({}, None), (EVEN, 3000), ({"ante_odds": "3 to 2", "raise_odds": 2}, 5500)])
def test_without_odds_of_the_house_a_win_is_told_without_money(odds: dict[str, Plain], paid: int | None) -> None:
    outcome = play(table(cards="9h 9c 2d 3d 4h 5h Js 7s Kc", **odds), 1, choose=("first_raise", "second_raise"), amount=10)
    assert outcome.results["1"] == "win"
    assert (outcome.pays["1"] == {}) if paid is None else (pay(outcome, "1") == paid)


def test_a_lost_hand_loses_ante_and_raises_and_an_equal_one_pushes() -> None:
    lost = play(table(cards="2d 3d 9h 9c 4h 5h Js 7s Kc"), 1, choose=("first_raise", "check"), amount=25)
    assert lost.pays["1"] == {"ante": "-10", "first_raise": "-25"}
    even = play(table(cards="9h 4c 9d 4s Ks Kd 8s 6s 2h"), 1, choose=("first_raise", "check"), amount=25)
    assert (even.results["1"], even.pays["1"]) == ("push", {"ante": "0", "first_raise": "0"})


@pytest.mark.rule("house:fold_allowed", "13:69F-33.10(a)")
@pytest.mark.parametrize(("side", "racked"), [(None, 2), (5, 0)])
def test_where_a_house_allows_a_fold_the_cards_stay_under_a_three_card_wager(side: int | None, racked: int) -> None:
    bench = table(fold_allowed=True)
    bets(bench, 1, **({"three_card_wager": side} if side else {}))
    places(bench)
    did(bench, "expose", {"community": [1, 2]})
    before = bench.view().rack or 0
    assert (decide(bench, 1, "fold").rack or 0) - before == racked
    did(bench, "expose", {"community": [3, 4]})
    did(bench, "expose", {"community": [5]})
    did(bench, "expose", {"seat": "dealer"})
    if side:
        did(bench, "expose", {"seat": 1})
    told = collect(bench).results["1"]
    assert told == ({"ante": "lose", "three_card_wager": "odds"} if side else "lose")


@pytest.mark.rule("house:three_card_place", "house:three_card_table")
@pytest.mark.parametrize(("place", "paid"), [("left", "3"), ("centre", "90"), ("above", "-3"), ("none", None)])
def test_the_three_card_wager_is_on_the_own_cards_and_the_card_that_the_house_names(place: str, paid: str | None) -> None:
    posted: Plain = {"three-of-a-kind": 30, "pair": 1}
    cards = "9h 9c 2d 3d 4h 5h Js 7s 9d" if place == "centre" else "9h 8c 2d 3d 8h 5h Js 7h Kc"
    table_ = posted if place != "above" else {"straight-flush": 40}
    outcome = play(table(cards=cards, three_card_place=place, three_card_table=table_), 1, three_card_wager=3)
    paid_ = outcome.pays["1"]
    assert isinstance(paid_, dict)
    assert paid_.get("three_card_wager") == paid


@pytest.mark.rule("13:69F-28.12(a)")
@pytest.mark.parametrize("turned", [0, 1])
def test_a_dealers_card_seen_before_the_decisions_end_voids_all_hands_but_not_the_three_card_wager(turned: int) -> None:
    bench = table()
    bets(bench, 1, three_card_wager=5)
    places(bench)
    if turned:
        did(bench, "expose", {"community": [1, 2]})
    outcome = did(bench, "report", {"what": "dealer-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void-side-bets-stand")
    assert collect(bench).results == {"1": {"ante": "void", "three_card_wager": "odds"}}


def test_a_card_of_the_cross_seen_out_of_turn_waits_for_a_supervisor() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    outcome = did(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("suspended", "supervisor-decides")
    bench.resolve("continue")
    did(bench, "expose", {"community": [1, 2]})
    decide(bench, 1, "check")
    did(bench, "expose", {"community": [3, 4]})
    decide(bench, 1, "check")
    assert refusal(bench, "report", {"what": "community-card-exposed"}) == "not-expected-now"


@pytest.mark.rule("13:69F-31.8(d)")
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("before", [0, 1])
def test_a_stack_of_the_wrong_size_voids_all_hands(count: int, before: int) -> None:
    bench = table()
    bets(bench, 1)
    for _ in range(before):
        bench.stack(2)
    outcome = bench.stack(count)
    assert (outcome.state, outcome.irregularity, outcome.remedy) == ("void", "wrong-stack-size", "all-hands-void")

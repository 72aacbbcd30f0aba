"""Winner's Pot Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from controller.table.outcome import Outcome
from controller.table.parse import parse_act, parse_by
from tests.controller.games.rounds import bets, collect, decide, did, next_round, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "winners-pot-poker"
EXAMPLE = "Ks 5d 9c Ah Kd 8c Td Qh 4h 2s 9s Jh 6c Kc 3d Th 7s 4d 9d 2h"
"""Button at seat 1: seats 2 and 4, the dealer, seat 1, three times; burn; fourth cards; burn; fifth cards."""


def table(cards: str = "", method: str = "hand", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def dealt(bench: Bench, *seats: int, button: int = 1, **more: object) -> list[str]:
    """Wagers, button and the first three cards."""
    did(bench, "start", {"button": button})
    bets(bench, *seats, **more)
    return places(bench)


def to_end(bench: Bench, *, settle: tuple[int, ...]) -> Outcome:
    """The dealer is exposed, then the seats from the right, then the cards are collected."""
    did(bench, "expose", {"seat": "dealer"})
    for seat in sorted(settle, reverse=True):
        did(bench, "expose", {"seat": seat})
    return collect(bench)


def may_decide(bench: Bench, seat: int, word: str) -> bool:
    """Whether it is this seat's turn."""
    return bench.would(parse_act("decide", {"seat": seat, "choose": word}, parse_by("dealer"))).accepted


def all_in(bench: Bench, *seats: int) -> None:
    """These seats bet and double in the button's order, as the table asks."""
    for word in ("bet", "double"):
        for _ in seats:
            turn = next(seat for seat in seats if may_decide(bench, seat, word))
            decide(bench, turn, word)
        places(bench)


@pytest.mark.rule("13:69F-33.10(a)", "13:69F-33.10(b)", "13:69F-33.10(d)")
def test_the_deal_begins_after_the_button_and_the_dealer_has_a_place_in_the_rotation() -> None:
    bench = table(EXAMPLE)
    one_pass = ["seat 2", "seat 4", "dealer", "seat 1"]
    assert dealt(bench, 1, 2, 4) == one_pass * 3
    decide(bench, 2, "bet")
    decide(bench, 4, "fold")
    decide(bench, 1, "bet")
    assert places(bench) == ["burn", "seat 2", "dealer", "seat 1"]
    decide(bench, 2, "double")
    decide(bench, 1, "double")
    assert places(bench) == ["burn", "seat 2", "dealer", "seat 1"]


@pytest.mark.rule("13:69F-33.10(a)")
def test_two_cards_down_then_cards_up() -> None:
    bench = table(EXAMPLE)
    did(bench, "start", {"button": 1})
    bets(bench, 1, 2, 4)
    faces = []
    while bench.view().gate == "open":
        outcome = bench.card()
        faces.append(outcome.face)
        assert (outcome.card is None) == (outcome.face == "down")
    assert faces == ["down"] * 8 + ["up"] * 4


@pytest.mark.rule("13:69F-33.10(h)", "13:69F-33.10(f)")
def test_the_worked_round() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1, 2, 4)
    decide(bench, 2, "bet")
    decide(bench, 4, "fold")
    decide(bench, 1, "bet")
    places(bench)
    decide(bench, 2, "double")
    decide(bench, 1, "double")
    places(bench)
    assert bench.view().stub_expected == 32 == 45 - 9 - 2 - 2
    assert refusal(bench, "expose", {"seat": 2}) == "not-your-turn"
    outcome = to_end(bench, settle=(1, 2))
    assert outcome.results == {"1": "lose", "2": "win", "4": "lose"}
    assert [pay(outcome, key) for key in ("1", "2", "4")] == [-4000, 8000 - 800 - 4000, -1000]


@pytest.mark.rule("13:69F-35.9(e)", "13:69F-23.8(e)")
@pytest.mark.parametrize(("n", "k4", "k5"), [(1, 1, 1), (4, 3, 2), (8, 8, 8), (9, 9, 9), (5, 2, 1), (3, 3, 0)])
def test_the_stub_is_45_less_3n_less_those_who_stayed(n: int, k4: int, k5: int) -> None:
    bench = table(seats=9)
    dealt(bench, *range(1, n + 1), button=9)
    after_three = 49 - 3 * n
    assert len(bench.pack) == after_three
    for seat in range(1, n + 1):
        decide(bench, seat, "bet" if seat <= k4 else "fold")
    places(bench)
    assert len(bench.pack) == 47 - 3 * n - k4
    for seat in range(1, k4 + 1):
        decide(bench, seat, "double" if seat <= k5 else "fold")
    places(bench)
    expected = 45 - 3 * n - k4 - k5 if k5 else 47 - 3 * n - k4
    assert bench.view().stub_expected == expected


@pytest.mark.rule("13:69F-33.10(a)", "13:69F-33.10(c)")
def test_seats_decide_clockwise_from_the_button() -> None:
    bench = table()
    dealt(bench, 1, 3, 6, button=3)
    for wrong, right in ((1, 6), (3, 1), (6, 3)):
        assert refusal(bench, "decide", {"seat": wrong, "choose": "bet"}) == "not-your-turn"
        decide(bench, right, "bet")
    places(bench)
    for wrong, right in ((1, 6), (6, 1), (1, 3)):
        assert refusal(bench, "decide", {"seat": wrong, "choose": "double"}) == "not-your-turn"
        decide(bench, right, "double")


@pytest.mark.rule("13:69F-33.10(a)", "house:bet_size", "house:double_size")
def test_the_sizes_of_bet_and_double_are_the_houses() -> None:
    bench = table(bet_size=2, double_size=3)
    dealt(bench, 1)
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet", "amount": 10}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "double"}) == "bad-option"
    decide(bench, 1, "bet", amount=20)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "double", "amount": 20}) == "bad-amount"
    decide(bench, 1, "double", amount=30)


@pytest.mark.rule("13:69F-33.10(a)", "13:69F-33.10(c)")
def test_an_early_fold_goes_to_the_house_and_a_late_one_to_the_pot() -> None:
    bench = table("Ah 2c 3d 2h As 4c 5d 2d Ad 6h 7h 3h 8s Ac 9h Jc 4h 8d Kh Qh 5c", commission_percent=0)
    dealt(bench, 2, 3, 4, button=1)
    decide(bench, 2, "bet")
    decide(bench, 3, "fold")
    decide(bench, 4, "bet")
    places(bench)
    decide(bench, 2, "double")
    decide(bench, 4, "fold")
    places(bench)
    outcome = to_end(bench, settle=(2,))
    assert {key: pay(outcome, key) for key in outcome.pays} == {"2": 2000, "3": -1000, "4": -2000}
    assert sum(pay(outcome, key) for key in outcome.pays) == -1000, "the house has the ante that was folded on three cards"


@pytest.mark.rule("13:69F-33.10(a)")
@pytest.mark.parametrize(("bonus", "racked"), [(None, 3), (5, 0)])
def test_a_folded_hand_stays_under_a_jacks_plus_wager(bonus: int | None, racked: int) -> None:
    bench = table()
    more = {"jacks_plus": bonus} if bonus else {}
    dealt(bench, 1, 2, button=7, **more)
    rack = bench.view().rack or 0
    assert (decide(bench, 1, "fold").rack or 0) - rack == racked


QUADS_FOR_ONE = "As 2h 3c Ah 4d 5c Ad 6h 8c 9d Ac Td Jd Qs 2s 3s 4h"
"""The first seat gets four aces; the second one and the dealer nothing."""


@pytest.mark.rule("13:69F-33.10(h)")
@pytest.mark.parametrize(
    ("percent", "fixed", "kept"), [(10, None, 800), (10, 5, 500), (10, 20, 800), (5, None, 400), (0, None, 0), (10, 0, 0)]
)
def test_the_commission_is_the_lesser_of_percent_and_fixed_amount(percent: int, fixed: int | None, kept: int) -> None:
    bench = table(QUADS_FOR_ONE, commission_percent=percent, commission_fixed=fixed)
    dealt(bench, 2, 3, button=1)
    all_in(bench, 2, 3)
    outcome = to_end(bench, settle=(2, 3))
    assert pay(outcome, "2") == 8000 - kept - 4000
    assert pay(outcome, "3") == -4000


NO_FLUSH_EQUAL = "Ah Ad Kc Kd Qh Qs 2c Jh Jd 3c 9h 9d"
"""The seat and the dealer: A K Q J 9 each, neither a flush."""


@pytest.mark.rule("13:69F-33.10(h)")
@pytest.mark.parametrize(("fixed", "kept"), [(None, 200), (1, 100)])
def test_in_a_tie_with_the_dealer_the_commission_comes_from_the_players_part_only(fixed: int | None, kept: int) -> None:
    bench = table(NO_FLUSH_EQUAL, commission_fixed=fixed)
    dealt(bench, 2, button=1)
    all_in(bench, 2)
    outcome = to_end(bench, settle=(2,))
    assert outcome.results == {"2": "win"}
    assert pay(outcome, "2") == 2000 - kept - 4000, "the pot of 40 is shared with the dealer"


@pytest.mark.rule("13:69F-33.10(h)")
def test_the_dealers_best_hand_takes_the_pot_for_the_house() -> None:
    bench = table("2h As 4d Ah 6h Ad 3c 8s Ac 5c 9d Kd")
    dealt(bench, 2, button=1)
    all_in(bench, 2)
    outcome = to_end(bench, settle=(2,))
    assert outcome.results == {"2": "lose"}
    assert pay(outcome, "2") == -4000


TWO_TIE = "Ah Ad 2c Kc Kd 3s Qh Qd 5c 6c Jh Js 7d 7c 9h 9s 8h"
"""Both seats tie over the dealer."""


@pytest.mark.rule("13:69F-33.10(h)", "house:odd_chips")
@pytest.mark.parametrize(("odd", "second"), [("first-from-right", 1), ("house", 0)])
def test_players_who_tie_share_the_pot_and_odd_cents_go_as_the_house_set_it(odd: str, second: int) -> None:
    bench = table(TWO_TIE, odd_chips=odd, commission_percent=0, bet_size=0, double_size=0)
    did(bench, "start", {"button": 1})
    did(bench, "wager", {"seat": 2, "ante": "0.01"})
    did(bench, "wager", {"seat": 3, "ante": "0.02"})
    did(bench, "close_bets")
    places(bench)
    for word in ("bet", "double"):
        decide(bench, 2, word, amount="0.01")
        decide(bench, 3, word, amount="0.01")
        places(bench)
    outcome = to_end(bench, settle=(2, 3))
    assert outcome.results == {"2": "win", "3": "win"}
    assert (pay(outcome, "2"), pay(outcome, "3")) == (3 - 3, 3 - 4 + second)


@pytest.mark.rule("13:69F-33.10(a)")
def test_when_all_fold_on_three_cards_no_further_card_is_dealt() -> None:
    bench = table()
    dealt(bench, 1, 2)
    decide(bench, 2, "fold")
    decide(bench, 1, "fold")
    outcome = bench.view()
    assert (outcome.state, outcome.gate, outcome.stub_expected) == ("collecting", "locked", 43)
    outcome = collect(bench)
    assert {key: pay(outcome, key) for key in outcome.pays} == {"1": -1000, "2": -1000}


@pytest.mark.rule("13:69F-33.10(c)")
def test_when_all_fold_on_four_cards_the_pot_is_the_houses() -> None:
    bench = table()
    dealt(bench, 1)
    decide(bench, 1, "bet")
    places(bench)
    decide(bench, 1, "fold")
    outcome = collect(bench)
    assert (outcome.results, pay(outcome, "1")) == ({"1": "lose"}, -2000)


@pytest.mark.rule("13:69F-33.10(a)")
def test_the_dealer_turns_no_card_before_everyone_left_has_five() -> None:
    bench = table()
    dealt(bench, 1)
    assert refusal(bench, "expose", {"seat": "dealer"}) == "not-your-turn"
    decide(bench, 1, "bet")
    places(bench)
    assert refusal(bench, "expose", {"seat": "dealer"}) == "not-your-turn"
    decide(bench, 1, "double")
    places(bench)
    assert refusal(bench, "expose", {"seat": "dealer"}) is None


@pytest.mark.rule("13:69F-33.10(a)")
def test_the_button_moves_one_seat_each_round_and_may_be_placed() -> None:
    bench = table(seats=3)
    firsts = [first_to_decide(bench, placed=placed) for placed in (None, None, None, None, 2, None)]
    assert firsts == [1, 2, 3, 1, 3, 1]


@pytest.mark.rule("13:69F-33.10(a)")
def test_after_a_void_round_the_button_stays() -> None:
    bench = table(seats=3)
    assert [first_to_decide(bench, void=void) for void in (False, True, True, False, False)] == [1, 2, 2, 2, 3]


def first_to_decide(bench: Bench, *, placed: int | None = None, void: bool = False) -> int:
    """Play a round of three seats in which all fold, or which is void; return the seat that decides first."""
    if placed is not None:
        did(bench, "start", {"button": placed})
    bets(bench, 1, 2, 3)
    places(bench)
    turns = []
    while bench.view().state == "deciding":
        turns.append(next(seat for seat in (1, 2, 3) if may_decide(bench, seat, "fold")))
        if void:
            did(bench, "report", {"what": "dealer-card-exposed"})
        else:
            decide(bench, turns[-1], "fold")
    if "stub-count-due" in bench.view().alarms:
        did(bench, "stub_count", bench.view().stub_expected)
    collect(bench)
    next_round(bench)
    return turns[0]


@pytest.mark.rule("13:69F-33.10(a)")
def test_a_seat_behind_the_dealer_in_rotation_gets_its_cards_after_the_dealer() -> None:
    bench = table(seats=3)
    assert dealt(bench, 1, 3, button=2)[:3] == ["seat 3", "dealer", "seat 1"]


@pytest.mark.rule("13:69F-33.10(a)")
@pytest.mark.parametrize("value", [{"button": 9}, {"seat": "dealer"}, {"dice": 7}])
def test_only_a_seat_of_this_table_has_the_button(value: dict[str, object]) -> None:
    assert refusal(table(), "start", value) in ("bad-position", "bad-option")


@pytest.mark.rule("13:69F-35.9(c)")
def test_stacks_of_three_whose_last_card_is_up_then_single_cards() -> None:
    bench = table(EXAMPLE, "automated-shoe")
    assert dealt(bench, 1, 2, 4) == ["seat 2", "seat 4", "dealer", "seat 1"]
    assert bench.state.round is not None
    shown = {place: [held.shown for held in hand] for place, hand in bench.state.round.hands.items()}
    assert set(map(tuple, shown.values())) == {(False, False, True)}
    for seat in (2, 4, 1):
        decide(bench, seat, "bet")
    assert places(bench) == ["burn", "seat 2", "seat 4", "dealer", "seat 1"]


@pytest.mark.rule("house:jacks_plus_table")
@pytest.mark.parametrize(
    ("cards", "result", "cents"),
    [
        ("Jh 2s Jc 4d 5h 7d 2c 8s 9d Tc 3h 6s", "win", 500),
        ("Th 2s Tc 4d 5h 7d 2c 8s 9d Jc 3h 6s", "lose", -500),
        ("As 2s Ah 4d Ad 7d 2c Ac 9d Tc 3h 6s", "win", 12_500),
        ("Th 2s 9c 4d 5h 7d 2c 8s Kd Jc 3h 6s", "lose", -500),
    ],
)
def test_jacks_plus_is_paid_by_its_own_table(cards: str, result: str, cents: int) -> None:
    bench = table(cards, jacks_plus_table={"pair": 1, "two-pair": 2, "four-of-a-kind": 25})
    dealt(bench, 2, button=1, jacks_plus=5)
    all_in(bench, 2)
    outcome = to_end(bench, settle=(2,))
    told, amounts = outcome.results["2"], outcome.pays["2"]
    word = told if isinstance(told, str) else told["jacks_plus"]
    assert word == result
    assert isinstance(amounts, dict)
    assert round(float(amounts["jacks_plus"]) * 100) == cents


@pytest.mark.rule("13:69F-33.10(a)")
def test_without_a_bonus_table_the_wager_is_settled_outside_of_this_record() -> None:
    bench = table()
    dealt(bench, 1, button=7, jacks_plus=5)
    decide(bench, 1, "fold")
    outcome = collect(bench)
    assert outcome.results["1"] == {"ante": "lose", "jacks_plus": "odds"}
    assert outcome.pays["1"] == {"ante": "-10"}


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_dealers_down_card_seen_early_voids_all_hands() -> None:
    bench = table()
    dealt(bench, 1, 2, button=7, jacks_plus=5)
    outcome = did(bench, "report", {"what": "dealer-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void-side-bets-stand")
    assert outcome.results["1"] == {"ante": "void", "jacks_plus": "odds"}


def test_cards_may_be_named_in_any_order_when_they_are_turned() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 2, button=1)
    all_in(bench, 2)
    dealer = [card.name for card in bench.places["dealer"]]
    seat = [card.name for card in bench.places["seat 2"]]
    assert refusal(bench, "expose", {"seat": "dealer", "cards": ["As", *dealer[1:]]}) == "bad-cards"
    did(bench, "expose", {"seat": "dealer", "cards": dealer[::-1]})
    did(bench, "expose", {"seat": 2, "cards": seat[::-1]})
    assert collect(bench).state == "complete"

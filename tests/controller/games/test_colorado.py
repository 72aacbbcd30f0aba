"""Colorado Hold 'Em Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, places, refusal
from tests.controller.table.bench import Bench

GAME = "colorado-hold-em-poker"
EXAMPLE = "9h Kd 7s 9s 9c Qd 5h Jd 4d 2c 3c 4s"
"""Seats 1, 2 and 4 and the community, pass by pass."""


def table(method: str = "hand", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def to_settlement(bench: Bench, *seats: int) -> None:
    for seat in seats:
        decide(bench, seat, "bet")
    did(bench, "expose", {"community": [1, 2, 3]})


@pytest.mark.rule("13:69F-23.8(c)")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_three_passes_to_wagering_seats_in_order_with_a_community_card_after_each(method: str) -> None:
    bench = table(method)
    bets(bench, 4, 1, 2)
    one_pass = ["seat 1", "seat 2", "seat 4"]
    assert places(bench) == [*one_pass, "community 1", *one_pass, "community 2", *one_pass, "community 3"]


@pytest.mark.rule("13:69F-23.8(c)")
def test_with_one_player_the_community_cards_are_still_interleaved() -> None:
    bench = table()
    bets(bench, 5)
    assert places(bench) == ["seat 5", "community 1", "seat 5", "community 2", "seat 5", "community 3"]


@pytest.mark.rule("13:69F-23.8(c)")
def test_every_card_is_dealt_face_down_and_its_name_is_not_told() -> None:
    bench = table()
    bets(bench, 2)
    while bench.view().gate == "open":
        outcome = bench.card()
        assert (outcome.face, outcome.card) == ("down", None)


@pytest.mark.rule("13:69F-35.9(c)")
def test_stacks_of_three_go_to_each_seat_and_last_to_the_community() -> None:
    bench = table("automated-shoe")
    bets(bench, 3, 1)
    assert places(bench) == ["seat 1", "seat 3", "community"]


@pytest.mark.rule("13:69F-35.9(d)", "house:stack_community")
def test_the_house_may_deal_the_community_cards_by_hand_after_the_stacks() -> None:
    bench = table("automated-shoe", stack_community="hand")
    bets(bench, 3, 1)
    assert places(bench) == ["seat 1", "seat 3", "community 1", "community 2", "community 3"]


@pytest.mark.rule("13:69F-23.8(b)")
def test_no_card_before_no_more_bets() -> None:
    bench = table()
    did(bench, "wager", {"seat": 1, "ante": 10})
    assert bench.view().gate == "locked"
    assert bench.card().to == "aside"


@pytest.mark.rule("13:69F-23.8(b)")
def test_no_wager_after_no_more_bets() -> None:
    bench = table()
    bets(bench, 1)
    assert refusal(bench, "wager", {"seat": 2, "ante": 10}) == "not-expected-now"


@pytest.mark.rule("13:69F-23.8(e)")
@pytest.mark.parametrize("seats", range(1, 8))
@pytest.mark.parametrize("face_up", [False, True])
def test_the_stub_has_49_less_3_for_each_player_and_one_less_for_a_card_found_face_up(seats: int, face_up: bool) -> None:
    bench = table(seats=7)
    bets(bench, *range(1, seats + 1))
    if face_up:
        assert bench.card(face_up=True).to == "discard"
    places(bench)
    assert bench.view().stub_expected == 49 - 3 * seats - face_up


@pytest.mark.rule("13:69F-23.8(e)", "house:stub_count_every")
@pytest.mark.parametrize("every", [1, 3, 5])
def test_the_stub_is_counted_at_least_once_in_so_many_rounds(every: int) -> None:
    bench = table(stub_count_every=every)
    for number in range(1, every + 1):
        bets(bench, 1)
        places(bench)
        assert ("stub-count-due" in bench.view().alarms) is (number == every)
        decide(bench, 1, "fold")
        did(bench, "expose", {"community": [1, 2, 3]})
        outcome = collect(bench)
        assert outcome.state == ("collecting" if number == every else "complete")
        if number < every:
            bench.shuffle()
    outcome = did(bench, "stub_count", 46)
    assert (outcome.state, outcome.alarms) == ("complete", ())


@pytest.mark.rule("13:69F-23.8(e)")
def test_a_count_in_any_round_starts_the_interval_again() -> None:
    bench = table(stub_count_every=2)
    for _ in range(3):
        bets(bench, 1)
        places(bench)
        did(bench, "stub_count", 46)
        decide(bench, 1, "fold")
        did(bench, "expose", {"community": [1, 2, 3]})
        assert collect(bench).state == "complete"
        bench.shuffle()


@pytest.mark.rule("13:69F-23.8(d)")
def test_the_stub_is_in_the_rack_before_anybody_decides() -> None:
    bench = table()
    bets(bench, 1, 2, 4)
    places(bench)
    outcome = bench.view()
    assert (outcome.state, outcome.rack, outcome.stub_expected) == ("deciding", 40, 40)


@pytest.mark.rule("13:69E-1.13L(b)")
def test_the_worked_round() -> None:
    bench = table(cards=EXAMPLE, pay_table={"three-of-a-kind": 3})
    bets(bench, 1, 2, 4)
    places(bench)
    decide(bench, 1, "bet", discard=["4d"])
    decide(bench, 2, "bet", discard=["2c"])
    decide(bench, 4, "fold")
    did(bench, "expose", {"community": [1, 2, 3]})
    did(bench, "expose", {"seat": 2})
    did(bench, "expose", {"seat": 1})
    outcome = collect(bench)
    assert outcome.results == {"1": "win", "2": "lose", "4": "lose"}
    assert outcome.pays == {"1": {"ante": "30", "bet": "30"}, "2": {"ante": "-10", "bet": "-10"}, "4": "-10"}


@pytest.mark.rule("13:69E-1.13L(b)")
def test_seats_decide_clockwise_from_seat_one() -> None:
    bench = table()
    bets(bench, 2, 5, 6)
    places(bench)
    assert refusal(bench, "decide", {"seat": 5, "choose": "bet"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 3, "choose": "bet"}) == "not-wagered"
    for seat in (2, 5, 6):
        decide(bench, seat, "bet")
    assert bench.view().state == "settling"


@pytest.mark.rule("house:bet_size")
@pytest.mark.parametrize(("size", "good", "bad"), [(1, 10, 20), (2, 20, 10), (3, 30, 10)])
def test_the_bet_is_the_multiple_of_the_ante_that_the_house_set(size: int, good: int, bad: int) -> None:
    bench = table(bet_size=size)
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet", "amount": bad}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet", "amount": good}) is None


@pytest.mark.rule("house:bet_size")
def test_a_house_may_leave_the_bet_open() -> None:
    bench = table(bet_size=0)
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet", "amount": "7.50"}) is None


@pytest.mark.rule("13:69E-1.13L(b)")
@pytest.mark.parametrize("cards", [["4d", "9h"], ["As"], ["9h", "9c", "4d"]])
def test_exactly_one_card_of_the_own_hand_is_discarded(cards: list[str]) -> None:
    bench = table(cards=EXAMPLE)
    bets(bench, 1, 2, 4)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet", "discard": cards}) == "bad-cards"


@pytest.mark.rule("13:69F-33.10(a)")
@pytest.mark.parametrize(("bonus", "racked"), [(None, 3), (5, 0)])
def test_a_folded_hand_goes_to_the_rack_or_stays_under_the_bonus_wager(bonus: int | None, racked: int) -> None:
    bench = table()
    bets(bench, 1, **({"bonus": bonus} if bonus else {}))
    places(bench)
    rack = bench.view().rack or 0
    outcome = decide(bench, 1, "fold")
    assert (outcome.rack or 0) - rack == racked
    did(bench, "expose", {"community": [1, 2, 3]})
    outcome = collect(bench)
    assert outcome.rack == 52
    told = outcome.results["1"]
    assert told == ({"ante": "lose", "bonus": "odds"} if bonus else "lose")


@pytest.mark.rule("13:69F-33.10(f)")
def test_hands_are_exposed_from_the_dealers_right() -> None:
    bench = table(cards=EXAMPLE)
    bets(bench, 1, 2, 4)
    places(bench)
    for seat, discard in ((1, "4d"), (2, "2c"), (4, "3c")):
        decide(bench, seat, "bet", discard=[discard])
    assert refusal(bench, "expose", {"seat": 4}) == "not-your-turn"
    did(bench, "expose", {"community": [1, 2, 3]})
    for wrong, right in ((1, 4), (1, 2), (2, 1)):
        assert refusal(bench, "expose", {"seat": wrong}) == "not-your-turn"
        did(bench, "expose", {"seat": right})


def test_two_cards_are_shown_and_they_must_be_of_the_hand() -> None:
    bench = table(cards=EXAMPLE)
    bets(bench, 1, 2, 4)
    places(bench)
    to_settlement(bench, 1, 2, 4)
    for cards in ([], ["7s"], ["7s", "5h", "3c"], ["7s", "As"]):
        assert refusal(bench, "expose", {"seat": 4, "cards": cards}) == "bad-cards"
    did(bench, "expose", {"seat": 4, "cards": ["5h", "7s"]})


@pytest.mark.rule("13:69E-1.13L(b)")
@pytest.mark.parametrize(("lowest", "result"), [(None, "odds"), ("9", "win"), ("T", "lose"), ("2", "win"), ("A", "lose")])
def test_the_lowest_paid_pair_is_the_houses(lowest: str | None, result: str) -> None:
    bench = table(cards="9h 2s 9c 3s 5d 7d", lowest_paid_pair=lowest, pay_table={"pair": 1})
    bets(bench, 1)
    places(bench)
    to_settlement(bench, 1)
    did(bench, "expose", {"seat": 1, "cards": ["9h", "9c"]})
    outcome = collect(bench)
    assert outcome.results == {"1": result}
    expected = {"odds": {}, "win": {"ante": "10", "bet": "10"}, "lose": {"ante": "-10", "bet": "-10"}}
    assert outcome.pays["1"] == expected[result]


@pytest.mark.rule("house:pay_table")
def test_without_posted_odds_the_hand_is_told_and_no_money() -> None:
    bench = table(cards=EXAMPLE)
    bets(bench, 1, 2, 4)
    places(bench)
    to_settlement(bench, 1, 2, 4)
    did(bench, "expose", {"seat": 4, "cards": ["5h", "7s"]})
    did(bench, "expose", {"seat": 2, "cards": ["Kd", "Qd"]})
    did(bench, "expose", {"seat": 1, "cards": ["9h", "9c"]})
    outcome = collect(bench)
    assert outcome.results == {"1": "win", "2": "lose", "4": "lose"}
    assert "three" in outcome.hands["1"]
    assert outcome.pays["1"] == {}


def test_wagers_without_amounts_give_results_without_money() -> None:
    bench = table(cards=EXAMPLE, pay_table={"three-of-a-kind": 3})
    did(bench, "wager", {"seat": 1})
    did(bench, "wager", {"seat": 2})
    did(bench, "wager", {"seat": 4})
    did(bench, "close_bets")
    places(bench)
    to_settlement(bench, 1, 2, 4)
    for seat, cards in ((4, ["5h", "7s"]), (2, ["Kd", "Qd"]), (1, ["9h", "9c"])):
        did(bench, "expose", {"seat": seat, "cards": cards})
    outcome = collect(bench)
    assert outcome.results == {"1": "win", "2": "lose", "4": "lose"}
    assert outcome.pays == {"1": {}, "2": {}, "4": {}}


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_community_card_seen_early_voids_all_hands_but_not_the_bonus() -> None:
    bench = table()
    bets(bench, 1, 2, bonus=5)
    places(bench)
    outcome = did(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void-side-bets-stand")
    outcome = collect(bench)
    assert outcome.results == {"1": {"ante": "void", "bonus": "odds"}, "2": {"ante": "void", "bonus": "odds"}}
    assert outcome.pays == {"1": {"ante": "0"}, "2": {"ante": "0"}}


@pytest.mark.rule("13:69F-31.8(d)")
@pytest.mark.parametrize("count", [2, 4])
def test_a_stack_of_the_wrong_size_voids_all_hands(count: int) -> None:
    bench = table("automated-shoe")
    bets(bench, 1, 3)
    outcome = bench.stack(count)
    assert (outcome.state, outcome.irregularity, outcome.remedy) == ("void", "wrong-stack-size", "all-hands-void")
    assert outcome.pays == {"1": "0", "3": "0"}


@pytest.mark.rule("13:69F-27.12(a)")
def test_one_card_face_up_is_discarded_and_a_second_one_voids_all_hands() -> None:
    bench = table()
    bets(bench, 1)
    first = bench.card(face_up=True)
    assert (first.to, first.irregularity, first.remedy, first.gate) == ("discard", "card-face-up", "discard-and-continue", "open")
    assert bench.card().to == "seat 1"
    second = bench.card(face_up=True)
    assert (second.irregularity, second.remedy, second.state) == ("cards-face-up", "all-hands-void", "void")


def test_an_unread_kept_card_is_named_when_it_is_shown() -> None:
    bench = table(cards="9h 2s 9c 3s 5d 7d")
    bets(bench, 1)
    bench.card(unreadable=True)
    assert bench.view().alarms == ("unreadable-card",)
    bench.resolve("continue")
    places(bench)
    to_settlement(bench, 1)
    assert do(bench, "expose", {"seat": 1, "cards": ["9h", "9c"]}).refused is None
    assert collect(bench).results == {"1": "odds"}

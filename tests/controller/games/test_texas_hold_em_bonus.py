"""Texas Hold 'Em Bonus Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain, SettingError
from controller.games.hole_cards import check_hole_table, hole_odds
from controller.games.texas_hold_em_bonus_poker import BONUS_TABLE
from firmware_bridge.cards import parse_card
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, places, refusal
from tests.controller.table.bench import Bench

GAME = "texas-hold-em-bonus-poker"


def table(method: str = "hand", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def one_seat(own: str, dealer: str, board: str, turn: str = "check", river: str = "check", bonus: int = 0, **house: Plain) -> Bench:
    """A round of seat 1 with an ante of 10, played to the dealer's cards; the burns are what is left."""
    (a, b), (c, d), up = own.split(), dealer.split(), board.split()
    burns = [name for name in ("2c", "2d", "2h", "3c", "3d", "3h") if name not in (a, b, c, d, *up)]
    cards = [a, c, b, d, burns[0], *up[:3], burns[1], up[3], burns[2], up[4]]
    bench = table(cards=" ".join(cards), **house)
    bets(bench, 1, **({"bonus": bonus} if bonus else {}))
    places(bench)
    for choice in ("flop", turn, river):
        decide(bench, 1, choice)
        places(bench)
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "expose", {"seat": 1})
    return bench


@pytest.mark.rule("13:69F-23.8(c)")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_two_passes_of_single_cards_with_the_dealer_last(method: str) -> None:
    bench = table(method)
    bets(bench, 5, 2)
    assert places(bench) == ["seat 2", "seat 5", "dealer"] * 2


@pytest.mark.rule("13:69F-28.9(a)", "13:69F-35.9(c)")
def test_stacks_of_two_with_the_dealers_last() -> None:
    bench = table("automated-shoe")
    bets(bench, 5, 2)
    assert places(bench) == ["seat 2", "seat 5", "dealer"]
    assert bench.procedure.step("stack").size == 2  # type: ignore[union-attr]


@pytest.mark.rule("PA 647a.1", "13:69F-14.10(g)")
def test_a_card_is_burned_before_the_flop_the_turn_and_the_river() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    decide(bench, 1, "flop")
    assert places(bench) == ["burn", "community 1", "community 2", "community 3"]
    decide(bench, 1, "check")
    assert places(bench) == ["burn", "community 4"]
    decide(bench, 1, "river")
    assert places(bench) == ["burn", "community 5"]
    assert bench.view().state == "settling"


@pytest.mark.rule("13:69F-28.10(a)")
def test_the_flop_wager_is_twice_the_ante_and_comes_before_the_flop_or_the_seat_folds() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    for amount in (10, 19, "20.01", 40):
        assert refusal(bench, "decide", {"seat": 1, "choose": "flop", "amount": amount}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "check"}) == "bad-option"
    assert refusal(bench, "decide", {"seat": 1, "choose": "turn"}) == "bad-option"
    decide(bench, 1, "flop", amount=20)


@pytest.mark.rule("published sheets")
def test_turn_and_river_wagers_equal_the_ante_and_nobody_folds_any_more() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    decide(bench, 1, "flop")
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "turn", "amount": 20}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "fold"}) == "bad-option"
    decide(bench, 1, "turn", amount=10)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "turn"}) == "bad-option"
    decide(bench, 1, "river", amount=10)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "river"}) == "not-expected-now"


@pytest.mark.rule("13:69F-23.8(e)")
@pytest.mark.parametrize("seats", range(1, 8))
def test_the_stub_has_42_less_2_for_each_player(seats: int) -> None:
    bench = table(seats=7)
    bets(bench, *range(1, seats + 1))
    places(bench)
    for choice in ("flop", "check", "check"):
        for seat in range(1, seats + 1):
            decide(bench, seat, choice)
        places(bench)
    assert bench.view().stub_expected == 42 - 2 * seats


@pytest.mark.rule("13:69F-28.10(a)")
def test_when_all_fold_no_board_is_dealt_and_the_dealer_shows_nothing() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    decide(bench, 1, "fold")
    decide(bench, 2, "fold")
    assert (bench.view().state, bench.view().stub_expected) == ("collecting", 46)
    outcome = collect(bench)
    assert outcome.pays == {"1": "-10", "2": "-10"}


@pytest.mark.rule("13:69F-33.10(f)")
def test_the_dealer_turns_first_then_seats_from_the_right() -> None:
    bench = table()
    bets(bench, 1, 4)
    for choice in ("flop", "check", "check"):
        places(bench)
        decide(bench, 1, choice)
        decide(bench, 4, choice)
    places(bench)
    assert refusal(bench, "expose", {"seat": 4}) == "not-your-turn"
    did(bench, "expose", {"seat": "dealer"})
    assert refusal(bench, "expose", {"seat": 1}) == "not-your-turn"
    did(bench, "expose", {"seat": 4})
    did(bench, "expose", {"seat": 1})


HANDS = [
    ("Ah Kh", "9c 9d", "Qh 8h 4h 3s 7d", "win", "win"),
    ("8c 7c", "Ah Qh", "6d 5h 4s Kd Ks", "push", "win"),
    ("Ac 2s", "9c 9d", "5h 4s 3s Kd 7h", "push", "win"),
    ("Ac Kc", "Ad Qd", "As 8h 8d 4c 5s", "push", "win"),
    ("9c 9d", "Ah Kh", "Qh 8h 4h 3s 7d", "lose", "lose"),
    ("7c 2s", "8d 3d", "Ah Kh Qh Jh Th", "push", "push"),
    ("Qc 2s", "Qd 3d", "Ah Kh 9s 8c 5h", "push", "push"),
    ("5c 5d", "Ac Ad", "5h 5s As 8c 9h", "win", "win"),
]
"""own cards, dealer's, board, what the ante does, what the other wagers do"""


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("own", "dealer", "board", "ante", "other"), HANDS)
def test_the_best_five_of_seven_decide_and_a_winning_ante_needs_a_flush(own: str, dealer: str, board: str, ante: str, other: str) -> None:
    bench = one_seat(own, dealer, board, "turn", "river")
    outcome = did(bench, "declare", {"seat": 1, "result": other})
    assert outcome.alarms == ()
    results = outcome.results["1"]
    told = dict.fromkeys(("ante", "flop", "turn", "river"), results) if isinstance(results, str) else results
    assert told == {"ante": ante, "flop": other, "turn": other, "river": other}
    factor = {"win": 1, "push": 0, "lose": -1}
    assert outcome.pays["1"] == {
        "ante": str(10 * factor[ante]), "flop": str(20 * factor[other]), "turn": str(10 * factor[other]), "river": str(10 * factor[other]),
    }  # fmt: skip


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("lowest", "ante"), [("flush", "push"), ("straight", "win"), ("high-card", "win"), ("full-house", "push")])
def test_the_house_sets_from_which_hand_on_the_ante_is_paid(lowest: str, ante: str) -> None:
    bench = one_seat("8c 7c", "Ah Qh", "6d 5h 4s Kd Ks", ante_pays_from=lowest)
    outcome = collect(bench)
    results = outcome.results["1"]
    assert (results if isinstance(results, str) else results["ante"]) == ante


@pytest.mark.rule("published sheets")
def test_the_house_may_let_the_dealer_win_equal_hands() -> None:
    outcome = collect(one_seat("7c 2s", "8d 3d", "Ah Kh Qh Jh Th", equal_hands="lose"))
    assert outcome.results["1"] == "lose"


def test_no_wager_is_at_stake_that_was_not_placed() -> None:
    outcome = collect(one_seat("9c 9d", "Ah Kh", "Qh 8h 4h 3s 7d", "check", "river"))
    assert outcome.pays["1"] == {"ante": "-10", "flop": "-20", "river": "-10"}


BONUS = [
    ("As Ad", "Kc Qc", 30), ("As Ad", "Ac Ah", 1000), ("Ks As", "Kc Qc", 25), ("As Qs", "Kc Qc", 20), ("Js As", "Kc Qc", 20),
    ("As Kd", "Kc Qc", 15), ("Ks Kd", "Kc Kh", 10), ("Qs Qd", "Kc Ah", 10), ("Js Jd", "Kc Ah", 10), ("As Qd", "Kc Ah", 5),
    ("Jd As", "Kc Ah", 5), ("Ts Td", "Kc Ah", 3), ("2s 2d", "Kc Ah", 3), ("As Ts", "Kc Ah", None), ("Ks Qs", "Kc Ah", None),
]  # fmt: skip


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("own", "dealer", "odds"), BONUS)
def test_the_bonus_is_paid_by_the_two_own_cards_whatever_becomes_of_the_hand(own: str, dealer: str, odds: int | None) -> None:
    cards, others = tuple(map(parse_card, own.split())), tuple(map(parse_card, dealer.split()))
    assert hole_odds(BONUS_TABLE, cards, others) == odds
    assert hole_odds(BONUS_TABLE, cards[::-1], others[::-1]) == odds


def test_the_row_that_says_most_of_two_cards_pays() -> None:
    table_: dict[str, Plain] = {"A-K": 2, "A-K-suited": 9, "suited": 1, "pair": 4, "7-7": 8}
    assert not check_hole_table(table_)
    hands = ("Ah Kh", "Kd Ah", "9h 3h", "7d 7h", "6d 6h", "9d 3h")
    assert [hole_odds(table_, tuple(map(parse_card, hand.split()))) for hand in hands] == [9, 2, 1, 8, 4, None]


@pytest.mark.parametrize("row", ["K-A", "A-A-suited", "10-10", "A-K-both", "royal"])
def test_a_row_that_names_no_two_cards_is_refused(row: str) -> None:
    with pytest.raises(SettingError, match="there is no hand"):
        table(bonus_table={row: 2})


@pytest.mark.rule("published sheets")
def test_without_a_table_the_bonus_is_settled_outside_of_the_record() -> None:
    outcome = collect(one_seat("As Ad", "9c 8d", "Qh 8h 4h 3s 7d", bonus=5, bonus_table={}))
    assert outcome.results["1"]["bonus"] == "odds"  # type: ignore[index]
    assert "bonus" not in outcome.pays["1"]


@pytest.mark.rule("13:69F-33.10(a)2")
def test_a_folded_hand_is_turned_for_its_bonus_in_its_place_from_the_right() -> None:
    bench = table(cards="As 2c Ks Ad 3c Kc", seats=6)
    did(bench, "wager", {"seat": 1, "ante": 10, "bonus": 10})
    did(bench, "wager", {"seat": 3, "ante": 10})
    did(bench, "close_bets")
    places(bench)
    decide(bench, 1, "fold")
    for choice in ("flop", "check", "check"):
        decide(bench, 3, choice)
        places(bench)
    did(bench, "expose", {"seat": "dealer"})
    assert refusal(bench, "expose", {"seat": 1}) == "not-your-turn"
    did(bench, "expose", {"seat": 3})
    did(bench, "expose", {"seat": 1})
    outcome = collect(bench)
    assert outcome.pays["1"] == {"ante": "-10", "bonus": "300"}


@pytest.mark.rule("13:69F-28.12(a)")
def test_in_a_void_round_the_bonus_is_settled_on_the_players_cards_alone() -> None:
    bench = table(cards="As Kc Ac Ad Kd Ah")
    did(bench, "wager", {"seat": 1, "ante": 10, "bonus": 1})
    did(bench, "wager", {"seat": 2, "ante": 10, "bonus": 1})
    did(bench, "close_bets")
    places(bench)
    decide(bench, 1, "flop")
    outcome = do(bench, "report", {"what": "dealer-card-exposed"})
    assert (outcome.state, outcome.remedy, outcome.rule) == ("void", "all-hands-void-side-bets-stand", "13:69F-28.12(a)")
    assert outcome.pays["1"] == {"ante": "0", "bonus": "30", "flop": "0"}
    assert outcome.pays["2"] == {"ante": "0", "bonus": "10"}


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_bonus_whose_cards_are_not_all_dealt_when_the_round_is_void_is_settled_by_people() -> None:
    bench = table()
    bets(bench, 1, bonus=5)
    bench.card()
    bench.card()
    outcome = do(bench, "report", {"what": "dealer-card-exposed"})
    assert outcome.results["1"] == {"ante": "void", "bonus": "odds"}


@pytest.mark.rule("13:69F-31.8(d)2")
def test_a_round_that_is_void_for_a_wrong_number_of_cards_returns_the_bonus_too() -> None:
    bench = table()
    bets(bench, 1, bonus=5)
    places(bench)
    outcome = do(bench, "report", {"what": "wrong-count", "seat": 1, "cards": 3})
    assert outcome.results["1"] == "void"

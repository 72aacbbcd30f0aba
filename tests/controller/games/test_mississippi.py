"""Mississippi Stud by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain, SettingError
from controller.table.outcome import Outcome
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "mississippi-stud"
STREETS = ("third_street", "fourth_street", "fifth_street")


def table(method: str = "automated-shoe", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def play(bench: Bench, bet: int = 10, **wagers: object) -> Outcome:
    """Seat 1 alone: bets the same on every street, is exposed, and the cards are collected."""
    bets(bench, 1, **wagers)
    places(bench)
    for number, street in enumerate(STREETS, start=1):
        decide(bench, 1, street, amount=bet)
        did(bench, "expose", {"community": [number]})
    did(bench, "expose", {"seat": 1})
    return collect(bench)


@pytest.mark.rule("13:69F-35.9(c)", "13:69F-35.9(d)")
def test_stacks_of_two_go_to_wagering_seats_and_the_community_cards_come_from_the_hand() -> None:
    bench = table()
    bets(bench, 6, 2, 3)
    assert places(bench) == ["seat 2", "seat 3", "seat 6", "community 1", "community 2", "community 3"]
    assert bench.view().state == "deciding"


@pytest.mark.rule("13:69F-23.8(c)")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_two_laps_of_single_cards_and_then_the_community_cards(method: str) -> None:
    bench = table(method)
    bets(bench, 1, 4)
    assert places(bench) == ["seat 1", "seat 4", "seat 1", "seat 4", "community 1", "community 2", "community 3"]


@pytest.mark.rule("13:69F-35.9(b)")
def test_no_stack_before_no_more_bets() -> None:
    bench = table()
    did(bench, "wager", {"seat": 1, "ante": 10})
    assert bench.view().gate == "locked"
    assert bench.stack(2).to == "aside"


@pytest.mark.rule("13:69F-35.9(c)", "13:69F-35.9(d)")
def test_nothing_dealt_is_shown_before_its_street() -> None:
    bench = table()
    bets(bench, 1, 2)
    while bench.view().gate == "open":
        outcome = bench.card() if "card" in bench.view().next else bench.stack(2)
        assert (outcome.face, outcome.card, outcome.cards) == ("down", None, ())


@pytest.mark.rule("13:69F-35.9(e)")
@pytest.mark.parametrize("seats", range(1, 7))
@pytest.mark.parametrize("face_up", [False, True])
def test_the_stub_has_49_less_2_for_each_player_and_one_less_for_a_card_found_face_up(seats: int, face_up: bool) -> None:
    bench = table("hand")
    bets(bench, *range(1, seats + 1))
    if face_up:
        assert bench.card(face_up=True).to == "discard"
    places(bench)
    assert bench.view().stub_expected == 49 - 2 * seats - face_up
    decide(bench, 1, "fold")
    assert bench.view().stub_expected == 49 - 2 * seats - face_up


@pytest.mark.rule("13:69F-35.1", "13:69E-1.13X(b)4")
@pytest.mark.parametrize(("amount", "accepted"), [(10, True), (20, True), (30, True), (5, False), (15, False), (40, False), (None, False)])
def test_every_bet_is_one_two_or_three_antes(amount: int | None, accepted: bool) -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    for number, street in enumerate(STREETS, start=1):
        value = {"seat": 1, "choose": street} | ({"amount": amount} if amount else {})
        assert (refusal(bench, "decide", value) is None) is accepted
        if not accepted:
            decide(bench, 1, street, amount=10)
        did(bench, "expose", {"community": [number]})


@pytest.mark.rule("13:69F-35.1")
def test_no_seat_may_check() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "check"}) == "bad-option"


@pytest.mark.rule("13:69F-35.1")
def test_community_cards_are_turned_one_at_a_time_each_after_its_decisions() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    for number, street in enumerate(STREETS, start=1):
        assert refusal(bench, "expose", {"community": [number]}) == "not-your-turn"
        decide(bench, 1, street, amount=10)
        decide(bench, 2, street, amount=10)
        for other in {1, 2, 3} - {number}:
            assert refusal(bench, "expose", {"community": [other]}) in ("not-your-turn", "not-expected-now")
        did(bench, "expose", {"community": [number]})
    assert bench.view().state == "settling"


@pytest.mark.rule("13:69F-35.1")
@pytest.mark.parametrize(("street", "lost"), [(0, 10), (1, 40), (2, 60)])
def test_a_fold_loses_the_ante_and_the_bets_placed_and_racks_the_cards(street: int, lost: int) -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    for number in range(3):
        if number == street:
            before = bench.view().rack or 0
            assert (decide(bench, 1, "fold").rack or 0) - before == 2
        elif number < street:
            decide(bench, 1, STREETS[number], amount=(30, 20)[number])
        decide(bench, 2, STREETS[number], amount=10)
        did(bench, "expose", {"community": [number + 1]})
    did(bench, "expose", {"seat": 2})
    outcome = collect(bench)
    assert outcome.results["1"] == "lose"
    assert pay(outcome, "1") == -100 * lost


@pytest.mark.rule("13:69F-33.10(a)")
@pytest.mark.parametrize(("bonus", "racked"), [(None, 2), (5, 0)])
def test_a_folded_hand_stays_on_the_table_only_under_a_side_wager(bonus: int | None, racked: int) -> None:
    bench = table()
    bets(bench, 1, 2, **({"three_card_bonus": bonus} if bonus else {}))
    places(bench)
    before = bench.view().rack or 0
    assert (decide(bench, 1, "fold").rack or 0) - before == racked


@pytest.mark.rule("PA 655a.12(a)", "PA 655a.6(b)", "13:69F-35.1")
@pytest.mark.parametrize(
    ("own", "board", "result", "odds"),
    [
        ("As Ks", "Qs Js Ts", "win", 500), ("9s 8s", "7s 6s 5s", "win", 100), ("As 2s", "3s 4s 5s", "win", 100),
        ("9s 9h", "9d 9c 2s", "win", 40), ("9s 9h", "9d 2c 2s", "win", 10), ("As Js", "9s 4s 2s", "win", 6),
        ("As 2h", "3d 4c 5s", "win", 4), ("As Kh", "Qd Jc Ts", "win", 4), ("9s 9h", "9d 4c 2s", "win", 3), ("9s 9h", "4d 4c 2s", "win", 2),
        ("2s 3h", "2d 3c Ks", "win", 2), ("Js 2h", "Jd 3c Ks", "win", 1), ("As Ah", "9d 3c Ks", "win", 1), ("2s 3h", "Jd Jc Ks", "win", 1),
        ("Ts 2h", "Td 3c Ks", "push", 0), ("6s 2h", "6d 3c Ks", "push", 0), ("2s 3h", "8d 8c Ks", "push", 0),
        ("5s 2h", "5d 3c Ks", "lose", -1), ("2s 2h", "5d 3c Ks", "lose", -1), ("As Kh", "Qd Jc 9s", "lose", -1),
        ("Ks As", "2d 3c 4s", "lose", -1),
    ],
)  # fmt: skip
def test_ante_and_every_bet_are_paid_at_the_same_odds(own: str, board: str, result: str, odds: int) -> None:
    outcome = play(table(cards=f"{own} {board}"), bet=20)
    assert outcome.results["1"] == result
    assert pay(outcome, "1") == 100 * (10 + 3 * 20) * odds


@pytest.mark.rule("PA 655a.12(b)")
def test_one_hand_wins_at_most_50_000() -> None:
    outcome = play(table(cards="As Ks Qs Js Ts"), bet=300, amount=100)
    assert outcome.pays["1"] == {"ante": "50000", "third_street": "0", "fourth_street": "0", "fifth_street": "0"}


@pytest.mark.rule("PA 655a.12(b)")
def test_the_limit_is_never_below_the_best_hand_on_minimum_wagers() -> None:
    outcome = play(table(cards="As Ks Qs Js Ts", minimum_wager=50), bet=50, amount=50)
    assert pay(outcome, "1") == 100 * 500 * 200


@pytest.mark.rule("PA 655a.6(c)", "house:three_card_bonus_table")
@pytest.mark.parametrize(
    ("board", "result", "odds"),
    [
        ("As Ks Qs", "win", 50), ("4s 3s 2s", "win", 40), ("As 2s 3s", "win", 40), ("9s 9h 9d", "win", 30), ("9s 8h 7d", "win", 6),
        ("Ks 8s 2s", "win", 3), ("2s 2h 9d", "win", 1), ("As Kh 9d", "lose", -1),
    ],
)  # fmt: skip
def test_the_bonus_is_on_the_community_cards_alone(board: str, result: str, odds: int) -> None:
    outcome = play(table(cards=f"5c Tc {board}"), three_card_bonus=4)
    told = outcome.results["1"]
    assert (told if isinstance(told, str) else told["three_card_bonus"]) == result
    paid = outcome.pays["1"]
    assert isinstance(paid, dict)
    assert paid["three_card_bonus"] == str(4 * odds)


@pytest.mark.rule("house:turn_after_all_fold")
@pytest.mark.parametrize(
    ("house", "bonus", "turned"), [("side-wagers", False, False), ("side-wagers", True, True), ("always", False, True)]
)
def test_after_every_seat_has_folded_the_cards_are_turned_for_a_bonus_or_where_the_house_says_so(
    house: str, bonus: bool, turned: bool
) -> None:
    bench = table(turn_after_all_fold=house)
    bets(bench, 1, **({"three_card_bonus": 5} if bonus else {}))
    places(bench)
    outcome = decide(bench, 1, "fold")
    assert (outcome.state == "settling") is turned
    for number in (1, 2, 3) if turned else ():
        outcome = did(bench, "expose", {"community": [number]})
    assert outcome.state == "collecting"


@pytest.mark.rule("13:69F-34.12(h)", "13:69F-21.8(l)", "house:settlement_passes")
@pytest.mark.parametrize(("passes", "rule"), [(1, "13:69F-34.12(h)"), (2, "13:69F-21.8(l)")])
def test_hands_are_exposed_from_the_dealers_right(passes: int, rule: str) -> None:
    bench = table(settlement_passes=passes)
    bets(bench, 1, 3, 6)
    places(bench)
    for number, street in enumerate(STREETS, start=1):
        for seat in (1, 3, 6):
            decide(bench, seat, street, amount=10)
        did(bench, "expose", {"community": [number]})
    for seat in (6, 3, 1):
        for wrong in {1, 3, 6} - {seat}:
            outcome = do(bench, "expose", {"seat": wrong})
            assert outcome.refused == "not-your-turn"
            assert wrong > seat or outcome.rule == rule
        did(bench, "expose", {"seat": seat})


def test_wagers_without_amounts_give_results_without_money() -> None:
    bench = table(cards="9s 9h 9d 4c 2s")
    did(bench, "wager", {"seat": 1})
    did(bench, "close_bets")
    places(bench)
    for number, street in enumerate(STREETS, start=1):
        decide(bench, 1, street)
        did(bench, "expose", {"community": [number]})
    did(bench, "expose", {"seat": 1})
    outcome = collect(bench)
    assert (outcome.results["1"], outcome.pays["1"]) == ("win", {})


@pytest.mark.rule("13:69E-1.13X(a)")
@pytest.mark.parametrize("seats", [5, 7])
def test_the_table_has_six_positions(seats: int) -> None:
    with pytest.raises(SettingError, match=r"13:69E-1\.13X\(a\)"):
        table(seats=seats)


@pytest.mark.rule("house:community-card-exposed")
def test_a_community_card_seen_early_voids_all_hands_and_every_wager_goes_back() -> None:
    bench = table()
    bets(bench, 1, 2, three_card_bonus=5)
    places(bench)
    outcome = did(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void")
    assert pay(collect(bench), "1") == 0


@pytest.mark.parametrize("count", [1, 3])
def test_a_stack_of_the_wrong_size_voids_all_hands(count: int) -> None:
    bench = table()
    bets(bench, 1, 3)
    outcome = bench.stack(count)
    assert (outcome.state, outcome.irregularity, outcome.remedy) == ("void", "wrong-stack-size", "all-hands-void")


def test_a_jam_of_the_dealing_shoe_voids_the_round() -> None:
    bench = table()
    bets(bench, 1, 3)
    bench.stack(2)
    outcome = bench.notice("jam")
    assert (outcome.state, outcome.remedy) == ("void", "round-void")

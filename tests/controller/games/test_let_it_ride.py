"""Let It Ride Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain, SettingError
from controller.table.outcome import Outcome
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "let-it-ride-poker"


def table(method: str = "automated-shoe", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def play(bench: Bench, first: str = "let-it-ride", second: str = "let-it-ride", **wagers: object) -> Outcome:
    """Seat 1 alone to the end; stacks of three, so that the third community card is the sixth of the deck."""
    bets(bench, 1, **wagers)
    places(bench)
    for number, word in enumerate((first, second), start=1):
        decide(bench, 1, word)
        did(bench, "expose", {"community": [number]})
    did(bench, "expose", {"seat": 1})
    return collect(bench)


@pytest.mark.rule("13:69F-35.9(c)", "13:69F-35.9(b)")
def test_stacks_of_three_go_to_each_seat_and_last_to_the_community() -> None:
    bench = table()
    bets(bench, 7, 1, 3)
    assert places(bench) == ["seat 1", "seat 3", "seat 7", "community"]


@pytest.mark.rule("13:69F-18.9")
def test_of_the_community_stack_the_third_card_goes_to_the_rack_unseen() -> None:
    bench = table(cards="2c 3c 4c Kd Qd Jd")
    bets(bench, 1)
    bench.stack(3)
    outcome = bench.stack(3)
    assert (outcome.cards, outcome.rack) == ((), 1 + 46)
    decide(bench, 1, "let-it-ride")
    assert did(bench, "expose", {"community": [1]}).cards == ("Kd",)
    decide(bench, 1, "let-it-ride")
    assert refusal(bench, "expose", {"community": [3]}) == "bad-position"
    assert did(bench, "expose", {"community": [2]}).cards == ("Qd",)


@pytest.mark.rule("13:69F-23.8(c)")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_a_community_card_follows_each_of_the_first_two_passes(method: str) -> None:
    bench = table(method)
    bets(bench, 4, 1)
    assert places(bench) == ["seat 1", "seat 4", "community 1", "seat 1", "seat 4", "community 2", "seat 1", "seat 4"]


@pytest.mark.rule("13:69F-35.9(e)", "13:69F-23.8(d)", "13:69F-35.9(d)")
@pytest.mark.parametrize("seats", range(1, 8))
@pytest.mark.parametrize(("method", "full"), [("automated-shoe", 49), ("hand", 50), ("manual-shoe", 50)])
def test_the_stub_has_three_less_for_each_player_and_one_less_from_stacks(method: str, full: int, seats: int) -> None:
    bench = table(method)
    bets(bench, *range(1, seats + 1))
    places(bench)
    assert bench.view().stub_expected == full - 3 * seats


@pytest.mark.rule("13:69E-1.13H(b)2")
@pytest.mark.parametrize("second", ["4.99", 6, 10])
def test_the_three_wagers_are_equal(second: object) -> None:
    bench = table()
    assert refusal(bench, "wager", {"seat": 1, "one": 5, "two": second, "three": 5}) == "bad-amount"
    assert refusal(bench, "wager", {"seat": 1, "one": 5, "two": 5, "three": second}) == "bad-amount"
    assert refusal(bench, "wager", {"seat": 1, "one": 5, "two": 5, "three": 5}) is None


@pytest.mark.rule("13:69E-1.13H(b)2")
def test_no_seat_is_dealt_with_fewer_than_three_wagers() -> None:
    bench = table()
    did(bench, "wager", {"seat": 1, "one": 5})
    assert refusal(bench, "close_bets") == "not-wagered"
    did(bench, "wager", {"seat": 1, "two": 5})
    assert refusal(bench, "close_bets") == "not-wagered"
    did(bench, "wager", {"seat": 1, "three": 5})
    assert did(bench, "close_bets").gate == "open"


@pytest.mark.rule("13:69E-1.13H(b)")
def test_a_bonus_is_no_wager_of_its_own() -> None:
    assert refusal(table(), "wager", {"seat": 1, "three_card_bonus": 5}) == "not-wagered"


@pytest.mark.rule("PA 643a.1")
@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("let-it-ride", "let-it-ride", {"one": "10", "two": "10", "three": "10"}),
        ("take-back", "let-it-ride", {"two": "10", "three": "10"}),
        ("let-it-ride", "take-back", {"one": "10", "three": "10"}),
        ("take-back", "take-back", "10"),
    ],
)
def test_one_wager_may_be_taken_back_at_each_of_two_points_and_the_third_stays(first: str, second: str, left: object) -> None:
    outcome = play(table(cards="Ts 2h 3d Tc 4c 9h"), first, second)
    assert outcome.results["1"] == "win"
    assert outcome.pays["1"] == left


@pytest.mark.rule("PA 643a.1")
def test_nobody_folds_takes_back_twice_or_out_of_turn() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "fold"}) == "bad-option"
    assert refusal(bench, "decide", {"seat": 2, "choose": "take-back"}) == "not-your-turn"
    decide(bench, 1, "take-back")
    assert refusal(bench, "decide", {"seat": 1, "choose": "take-back"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 2, "choose": "take-back", "amount": 10}) == "bad-amount"
    decide(bench, 2, "take-back")
    assert refusal(bench, "decide", {"seat": 1, "choose": "take-back"}) == "not-expected-now"


@pytest.mark.rule("13:69F-18.12")
def test_each_community_card_is_turned_after_its_decisions() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    for number in (1, 2):
        assert refusal(bench, "expose", {"community": [number]}) == "not-your-turn"
        decide(bench, 1, "let-it-ride")
        decide(bench, 2, "let-it-ride")
        assert refusal(bench, "expose", {"community": [3 - number]}) in ("not-your-turn", "not-expected-now")
        did(bench, "expose", {"community": [number]})
    assert bench.view().state == "settling"


@pytest.mark.rule("13:69F-17.5", "13:69F-18.11")
@pytest.mark.parametrize(
    ("own", "board", "odds"),
    [
        ("As Ks Qs", "Js Ts", 1000), ("9s 8s 7s", "6s 5s", 200), ("9s 9h 9d", "9c 2s", 50), ("9s 9h 9d", "2c 2s", 11),
        ("As Js 9s", "4s 2s", 8), ("As 2h 3d", "4c 5s", 5), ("9s 9h 9d", "4c 2s", 3), ("2s 3h 2d", "3c Ks", 2), ("Ts 2h Td", "3c Ks", 1),
        ("As 2h 9d", "Ac 3s", 1), ("2s 3h 9d", "Kc Ks", 1), ("9s 9h 2d", "3c Ks", -1), ("6s 6h 2d", "3c Ks", -1), ("As Kh Qd", "Jc 9s", -1),
    ],
)  # fmt: skip
def test_every_wager_left_is_paid_by_the_same_table(own: str, board: str, odds: int) -> None:
    outcome = play(table(cards=f"{own} {board} 8h"), second="take-back")
    assert outcome.results["1"] == ("win" if odds > 0 else "lose")
    assert outcome.pays["1"] == {"one": str(10 * odds), "three": str(10 * odds)}


@pytest.mark.rule("13:69F-29.11(e)")
def test_one_hand_wins_at_most_the_posted_limit() -> None:
    outcome = play(table(cards="As Ks Qs Js Ts 2h"), amount=40)
    assert outcome.pays["1"] == {"one": "40000", "two": "10000", "three": "0"}
    assert pay(play(table(cards="As Ks Qs Js Ts 2h", payout_limit=200_000), amount=40), "1") == 100 * 120_000


@pytest.mark.rule("13:69E-1.13H(b)5", "house:let_it_ride_bonus_table")
@pytest.mark.parametrize(
    ("cards", "odds"),
    [
        ("As Ks Qs Js Ts 2h", 10_000), ("9s 8s 7s 6s 5s 2h", 2000), ("9s 9h 9d 9c 2s 3h", 100), ("9s 9h 9d 2c 2s 3h", 75),
        ("As Js 9s 4s 2s 3h", 50),
        ("As 2h 3d 4c 5s 9h", 25), ("9s 9h 9d 4c 2s 3h", 8), ("2s 3h 2d 3c Ks 9h", 4), ("As Ah 2d 3c Ks 9h", -1), ("As Kh Qd Jc 9s 2h", -1),
    ],
)  # fmt: skip
def test_the_bonus_on_the_hand_is_paid_whatever_was_taken_back(cards: str, odds: int) -> None:
    outcome = play(table(cards=cards), "take-back", "take-back", let_it_ride_bonus=1)
    paid = outcome.pays["1"]
    assert isinstance(paid, dict)
    assert paid["let_it_ride_bonus"] == str(odds)


@pytest.mark.rule("13:69E-1.13H(b)5", "house:three_card_bonus_table")
@pytest.mark.parametrize(
    ("own", "odds"), [("As Ks Qs", 50), ("9s 8s 7s", 40), ("9s 9h 9d", 30), ("9s 8h 7d", 6), ("Ks 8s 2s", 3), ("2s 2h 9d", 1),
     ("As Kh 9d", -1)]
)  # fmt: skip
def test_the_three_card_bonus_is_on_the_own_cards(own: str, odds: int) -> None:
    posted: Plain = {"mini-royal": 50, "straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 3, "pair": 1}
    outcome = play(table(cards=f"{own} 5c Jc 4h", three_card_bonus_table=posted), three_card_bonus=2)
    paid = outcome.pays["1"]
    assert isinstance(paid, dict)
    assert paid["three_card_bonus"] == str(2 * odds)


@pytest.mark.rule("house:three_card_bonus_table")
def test_without_a_posted_table_the_bonus_is_settled_outside_of_the_record() -> None:
    outcome = play(table(cards="9s 9h 9d 4c 2s 3h"), three_card_bonus=2)
    told = outcome.results["1"]
    assert isinstance(told, dict)
    assert told["three_card_bonus"] == "odds"


@pytest.mark.rule("13:69F-21.8(k)")
def test_hands_are_exposed_from_the_dealers_right() -> None:
    bench = table()
    bets(bench, 1, 3, 6)
    places(bench)
    for number in (1, 2):
        for seat in (1, 3, 6):
            decide(bench, seat, "let-it-ride")
        did(bench, "expose", {"community": [number]})
    outcome = do(bench, "expose", {"seat": 1})
    assert (outcome.refused, outcome.rule) == ("not-your-turn", "13:69F-21.8(k)")
    for seat in (6, 3, 1):
        did(bench, "expose", {"seat": seat})


@pytest.mark.rule("13:69F-28.12(a)")
@pytest.mark.parametrize("decided", [0, 1])
def test_a_community_card_seen_early_voids_all_hands_but_not_the_bonus_on_the_own_cards(decided: int) -> None:
    bench = table()
    bets(bench, 1, three_card_bonus=5, let_it_ride_bonus=1)
    places(bench)
    for number in range(1, decided + 1):
        decide(bench, 1, "take-back")
        did(bench, "expose", {"community": [number]})
    outcome = did(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void-side-bets-stand")
    told = collect(bench).results["1"]
    assert isinstance(told, dict)
    left = {"two": "void", "three": "void", "let_it_ride_bonus": "void", "three_card_bonus": "odds"}
    assert told == (left if decided else {"one": "void", **left})


@pytest.mark.rule("13:69F-31.8(d)")
@pytest.mark.parametrize("seats", [0, 1])
@pytest.mark.parametrize("count", [2, 4])
def test_a_stack_of_the_wrong_size_voids_all_hands_also_at_the_community(seats: int, count: int) -> None:
    bench = table()
    bets(bench, 1)
    for _ in range(seats):
        bench.stack(3)
    outcome = bench.stack(count)
    assert (outcome.state, outcome.irregularity, outcome.remedy) == ("void", "wrong-stack-size", "all-hands-void")


@pytest.mark.rule("13:69E-1.13H(a)")
@pytest.mark.parametrize("seats", [6, 8])
def test_the_table_has_seven_positions(seats: int) -> None:
    with pytest.raises(SettingError, match=r"13:69E-1\.13H\(a\)"):
        table(seats=seats)

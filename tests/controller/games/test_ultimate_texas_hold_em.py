"""Ultimate Texas Hold 'Em by its rules, one at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, places, refusal
from tests.controller.table.bench import Bench

GAME = "ultimate-texas-hold-em"


def table(method: str = "hand", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def one_seat(own: str, dealer: str, board: str, play: int = 10, trips: int = 0, **house: Plain) -> Bench:
    """A round of seat 1 with ante and blind of 10, played to the exposed hand. `play` 10, 20 or 40: when it is made."""
    (a, b), (c, d), up = own.split(), dealer.split(), board.split()
    burns = [name for name in ("2c", "2d", "3c", "3d") if name not in (a, b, c, d, *up)]
    bench = table(cards=" ".join([a, c, b, d, burns[0], *up[:3], burns[1], *up[3:]]), **house)
    bets(bench, 1, **({"trips": trips} if trips else {}))
    for due in (40, 20, 10):
        places(bench)
        if play <= due:
            decide(bench, 1, *(("play",) if play == due else ("check",)), **({"amount": due} if play == due else {}))
    places(bench)
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "expose", {"seat": 1})
    return bench


def told(bench: Bench) -> tuple[dict[str, str], dict[str, str]]:
    """(results, pays) by wager once the cards are picked up."""
    outcome = collect(bench)
    results, pays = outcome.results["1"], outcome.pays["1"]
    assert isinstance(pays, dict)
    return (dict.fromkeys(pays, results) if isinstance(results, str) else dict(results)), dict(pays)


@pytest.mark.rule("published sheets")
def test_ante_and_blind_are_both_required_and_equal() -> None:
    bench = table()
    assert refusal(bench, "wager", {"seat": 1, "blind": 10}) == "not-wagered"
    assert refusal(bench, "wager", {"seat": 1, "ante": 10, "blind": "10.01"}) == "bad-amount"
    did(bench, "wager", {"seat": 1, "ante": 10})
    assert refusal(bench, "close_bets") == "not-wagered"
    did(bench, "wager", {"seat": 1, "blind": 10})
    did(bench, "close_bets")


@pytest.mark.rule("13:69F-28.7")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_two_laps_of_single_cards_then_three_and_two_community_cards_with_a_burn_before_each(method: str) -> None:
    bench = table(method)
    bets(bench, 2, 6)
    assert places(bench) == ["seat 2", "seat 6", "dealer"] * 2
    decide(bench, 2, "check")
    decide(bench, 6, "check")
    assert places(bench) == ["burn", "community 1", "community 2", "community 3"]
    decide(bench, 2, "check")
    decide(bench, 6, "check")
    assert places(bench) == ["burn", "community 4", "community 5"]


@pytest.mark.rule("13:69F-28.9(a)")
def test_stacks_of_two_with_the_dealers_last() -> None:
    bench = table("automated-shoe")
    bets(bench, 3, 1)
    assert places(bench) == ["seat 1", "seat 3", "dealer"]


@pytest.mark.rule("house:community_deal")
def test_the_board_may_come_first_face_down_as_single_cards_or_as_one_stack() -> None:
    board = [f"community {n}" for n in range(1, 6)]
    for method, expected in (("hand", [*board, *["seat 1", "dealer"] * 2]), ("automated-shoe", ["community", "seat 1", "dealer"])):
        bench = table(method, community_deal="face-down-first")
        bets(bench, 1)
        assert places(bench) == expected
        assert (bench.view().state, bench.view().stub_expected) == ("deciding", 45 - 2)
        decide(bench, 1, "check")
        did(bench, "expose", {"community": [1, 2, 3]})
        decide(bench, 1, "check")
        did(bench, "expose", {"community": [4, 5]})
        decide(bench, 1, "play")
        assert bench.view().phase == "expose 3"


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("rounds", "right"), [(0, (30, 40)), (1, (20,)), (2, (10,))])
def test_the_play_wager_is_smaller_the_later_it_is_made(rounds: int, right: tuple[int, ...]) -> None:
    bench = table()
    bets(bench, 1)
    for _ in range(rounds):
        places(bench)
        decide(bench, 1, "check")
    places(bench)
    for amount in (5, 10, 20, 30, 35, 40, 50):
        act = {"seat": 1, "choose": "play", "amount": amount}
        assert bench.would(_act(act)).accepted is (amount in right)
    assert bench.would(_act({"seat": 1, "choose": "fold"})).accepted is (rounds == 2)
    assert bench.would(_act({"seat": 1, "choose": "check"})).accepted is (rounds < 2)


def _act(value: object) -> object:
    from controller.table.parse import parse_act, parse_by

    return parse_act("decide", value, parse_by("player:1"))


@pytest.mark.rule("published sheets")
def test_one_play_wager_a_round_and_seats_that_made_it_are_passed_over() -> None:
    bench = table()
    bets(bench, 1, 2, 3)
    places(bench)
    decide(bench, 1, "play", amount=40)
    decide(bench, 2, "check")
    decide(bench, 3, "play", amount=30)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "play", "amount": 20}) == "not-your-turn"
    decide(bench, 2, "play", amount=20)
    assert places(bench) == ["burn", "community 4", "community 5"]
    assert bench.view().state == "settling", "nobody is asked after the last cards"


@pytest.mark.rule("13:69F-35.9(e)")
@pytest.mark.parametrize("seats", range(1, 8))
def test_the_stub_has_43_less_2_for_each_player(seats: int) -> None:
    bench = table(seats=7)
    bets(bench, *range(1, seats + 1))
    for _ in range(2):
        places(bench)
        for seat in range(1, seats + 1):
            decide(bench, seat, "check")
    places(bench)
    assert (bench.view().state, bench.view().stub_expected) == ("deciding", 43 - 2 * seats)


QUEENS, NOTHING = "Qc 8s", "Ac 8d"
BOARD = "9h Kd 4s Qd 2c"
CASES = [
    ("9s 9d", QUEENS, BOARD, "win", "win", "push"),
    ("Jh 7h", QUEENS, BOARD, "lose", "lose", "lose"),
    ("Ah Ts", NOTHING, BOARD, "push", "win", "push"),
    ("Jh 7h", NOTHING, BOARD, "push", "lose", "lose"),
    ("Ah 8c", NOTHING, BOARD, "push", "push", "push"),
    ("Qh 8c", QUEENS, BOARD, "push", "push", "push"),
    ("2h 3s", "Jd 7c", "Ah Kh Qh Jh Th", "push", "push", "push"),
]
"""own cards, dealer's, board; what ante, play and blind do"""


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("own", "dealer", "board", "ante", "play", "blind"), CASES)
@pytest.mark.parametrize("stake", [10, 20, 40])
def test_a_dealer_below_a_pair_gives_back_the_ante_alone(
    own: str, dealer: str, board: str, ante: str, play: str, blind: str, stake: int
) -> None:
    results, pays = told(one_seat(own, dealer, board, stake))
    assert results == {"ante": ante, "play": play, "blind": blind}
    factor = {"win": 1, "push": 0, "lose": -1}
    assert pays == {"ante": str(10 * factor[ante]), "play": str(stake * factor[play]), "blind": str(10 * factor[blind])}


BLIND = [
    ("Ah Kh", "Qh Jh Th 2s 3c", 5000), ("9h 8h", "Qh Jh Th 2s 3s", 500), ("9h 9s", "9c 9d Th 2s 3s", 100), ("9h 9s", "9c Td Th 2s 3s", 30),
    ("9h 8h", "2h Jh Kh Ts 3s", 15), ("9h 8s", "Qh Jh Th 2s 3s", 10), ("9h 9s", "9c Qd Th 2s 3s", 0),
]  # fmt: skip


@pytest.mark.rule("PA 653a.12(b)")
@pytest.mark.parametrize(("own", "board", "pays"), BLIND)
def test_the_blind_is_paid_from_a_straight_on_when_the_hand_wins(own: str, board: str, pays: int) -> None:
    results, paid = told(one_seat(own, "5c 6d", board))
    assert (results["blind"], paid["blind"]) == ("win" if pays else "push", str(pays))


@pytest.mark.rule("PA 653a.12(b)")
def test_without_a_table_a_winning_blind_is_settled_outside_of_the_record() -> None:
    results, pays = told(one_seat("9h 8h", "5c 6d", "2h Jh Kh Ts 3s", blind_table={}))
    assert results["blind"] == "odds"
    assert "blind" not in pays


TRIPS = [
    ("Ah Kh", "Qh Jh Th 2s 3c", 50), ("9h 8h", "Qh Jh Th 2s 3s", 40), ("9h 9s", "9c 9d Th 2s 3s", 30), ("9h 9s", "9c Td Th 2s 3s", 9),
    ("9h 8h", "2h Jh Kh Ts 3s", 7), ("9h 8s", "Qh Jh Th 2s 3s", 4), ("9h 9s", "9c Qd Th 2s 3s", 3), ("9h 9s", "8c 8d Th 2s 3s", -1),
]  # fmt: skip


@pytest.mark.rule("PA 653a.12(c)")
@pytest.mark.parametrize("dealer", ["5c 6d", "As Ad"])
@pytest.mark.parametrize(("own", "board", "pays"), TRIPS)
def test_trips_is_paid_by_the_players_hand_whoever_wins(own: str, board: str, pays: int, dealer: str) -> None:
    assert told(one_seat(own, dealer, board, trips=5))[1]["trips"] == str(5 * pays)


@pytest.mark.rule("13:69F-34.12(h)", "13:69F-21.8(l)", "house:settlement_passes")
def test_the_dealer_reads_in_how_many_passes_hands_are_settled() -> None:
    from controller.dealing.describe import step_words

    words = [step_words(table(settlement_passes=passes).procedure.by_name["settle"]) for passes in (1, 2)]
    assert "take the losing wagers; then pay" not in words[0]
    assert "take the losing wagers; then pay" in words[1]


@pytest.mark.rule("13:69F-28.12(a)")
@pytest.mark.parametrize(("choose", "state"), [("check", "void"), ("play", "dealing")])
def test_a_dealers_card_seen_while_a_seat_may_still_play_voids_all_hands_but_not_after_the_last_has(choose: str, state: str) -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    decide(bench, 1, "check")
    places(bench)
    decide(bench, 1, choose)
    assert bench.view().state == "dealing"
    assert do(bench, "report", {"what": "dealer-card-exposed"}).state == state


@pytest.mark.rule("house:community-card-exposed")
@pytest.mark.parametrize(("choose", "state"), [("check", "void"), ("play", "settling")])
def test_the_last_two_of_a_board_may_be_seen_with_the_flop_once_all_have_played(choose: str, state: str) -> None:
    bench = table(community_deal="face-down-first")
    bets(bench, 1)
    places(bench)
    did(bench, "decide", {"seat": 1, "choose": choose, **({"amount": 30} if choose == "play" else {})})
    assert do(bench, "report", {"what": "community-card-exposed"}).state == state


@pytest.mark.rule("house:community-card-exposed")
def test_a_community_card_seen_too_early_returns_all_wagers() -> None:
    bench = table(community_deal="face-down-first")
    bets(bench, 1, trips=5)
    places(bench)
    outcome = do(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void")
    assert outcome.results["1"] == "void"

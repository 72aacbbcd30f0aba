"""Mini-Tex 3 Card Hold 'Em by its rules, one at a time."""

from __future__ import annotations

from itertools import combinations

import pytest

from controller.dealing.settings import Plain
from controller.games.mini_tex_3_card_hold_em import best_three
from controller.hands.three_card import evaluate_three
from firmware_bridge.cards import UNREADABLE, Card, parse_card
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, places, refusal
from tests.controller.table.bench import Bench

GAME = "mini-tex-3-card-hold-em"
ALL = ("ante", "flop", "third", "play")


def table(method: str = "hand", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def hand(names: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, names.split()))


def one_seat(own: str, dealer: str, board: str, pocket: int = 0, **house: Plain) -> Bench:
    """A round of seat 1 with an ante of 10, played to the exposed hand."""
    (a, b), (c, d), up = own.split(), dealer.split(), board.split()
    burns = [name for name in ("2c", "3c", "4c", "5c") if name not in (a, b, c, d, *up)]
    bench = table(cards=" ".join([a, c, b, d, burns[0], *up[:2], burns[1], up[2]]), **house)
    bets(bench, 1, **({"pocket_poker": pocket} if pocket else {}))
    for choice in ("flop", "third", "play"):
        places(bench)
        decide(bench, 1, choice)
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "expose", {"seat": 1})
    return bench


@pytest.mark.rule("13:69F-37.1")
@pytest.mark.parametrize("method", ["hand", "manual-shoe"])
def test_a_flop_of_two_cards_then_one_with_a_burn_before_each(method: str) -> None:
    bench = table(method)
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer"] * 2
    decide(bench, 2, "flop")
    decide(bench, 4, "flop")
    assert places(bench) == ["burn", "community 1", "community 2"]
    decide(bench, 2, "third")
    decide(bench, 4, "third")
    assert places(bench) == ["burn", "community 3"]
    assert bench.view().stub_expected == 45 - 2 * 2


@pytest.mark.rule("13:69F-28.9(a)")
def test_stacks_of_two_with_the_dealers_last() -> None:
    bench = table("automated-shoe")
    bets(bench, 3, 1)
    assert places(bench) == ["seat 1", "seat 3", "dealer"]


@pytest.mark.rule("13:69F-37.1")
@pytest.mark.parametrize(("before", "name", "right"), [((), "flop", 10), (("flop",), "third", 10), (("flop", "third"), "play", 20)])
def test_each_wager_is_needed_to_go_on_and_has_its_size(before: tuple[str, ...], name: str, right: int) -> None:
    bench = table()
    bets(bench, 1)
    for choice in before:
        places(bench)
        decide(bench, 1, choice)
    places(bench)
    for wrong in (5, 15, 30, 30 - right):
        assert refusal(bench, "decide", {"seat": 1, "choose": name, "amount": wrong}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "check"}) == "bad-option"
    decide(bench, 1, name, amount=right)


@pytest.mark.rule("13:69F-37.1")
@pytest.mark.parametrize("before", [(), ("flop",), ("flop", "third")])
def test_who_folds_loses_what_was_placed(before: tuple[str, ...]) -> None:
    bench = table()
    bets(bench, 1)
    for choice in before:
        places(bench)
        decide(bench, 1, choice)
    places(bench)
    decide(bench, 1, "fold")
    outcome = collect(bench)
    assert outcome.results["1"] == "lose"
    placed = dict.fromkeys(("ante", *before), "-10")
    assert outcome.pays["1"] == (placed if before else "-10")


@pytest.mark.rule("13:69F-37.1")
def test_the_best_three_of_five_have_an_own_card_in_them() -> None:
    assert best_three(hand("2c 2d"), hand("As Ks Qs")).text == "pair of deuces"  # type: ignore[union-attr]
    assert best_three(hand("Js 9d"), hand("As Ks Qs")).text.startswith("straight flush")  # type: ignore[union-attr]
    assert best_three(hand("Ac 9d"), hand("8s 8h 8d")).text == "pair of eights"  # type: ignore[union-attr]
    for own, board in (("2c 7d", "As Ks Qs"), ("Ah Ad", "Ac 5d 6d"), ("4h 5h", "6h 7h 8h"), ("Kc Kd", "9s 9h 9d")):
        cards = hand(own) + hand(board)
        allowed = [three for three in combinations(cards, 3) if set(three) & set(hand(own))]
        assert len(allowed) == 9
        best = best_three(hand(own), hand(board))
        assert best is not None
        assert best.value == max(evaluate_three(three).value for three in allowed)


def test_an_unread_card_leaves_the_hand_open() -> None:
    assert best_three((UNREADABLE, *hand("2d")), hand("As Ks Qs")) is None
    assert best_three(hand("2c 2d"), hand("As Ks")) is None


CASES = [
    ("Kd Qd", "9c 4d", "Jd 4h 5s", "win", "win"),
    ("Ts Th", "9c 4d", "Jd 4h 5s", "win", "win"),
    ("2c 2d", "Js 9d", "As Ks Qs", "lose", "lose"),
    ("2h 7d", "As Kd", "Th 8s 3h", "win", "push"),
    ("Ac 7d", "Qs Jd", "8h 8s 3h", "win", "win"),
    ("Ac 7d", "Ad 7s", "8h 8c 3h", "push", "push"),
    ("Qh Jd", "Qs Jc", "9h 8s 3h", "win", "push"),
    ("Ah 7d", "3s 9d", "2h 3h 6h", "win", "win"),
    ("4s 5d", "Ad 9h", "2h 3h 6c", "win", "win"),
]
"""own cards, dealer's, board; what the first three wagers and the play wager do"""


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("own", "dealer", "board", "first", "play"), CASES)
def test_a_dealer_below_a_pair_pays_all_but_the_play_wager(own: str, dealer: str, board: str, first: str, play: str) -> None:
    bench = one_seat(own, dealer, board)
    outcome = did(bench, "declare", {"seat": 1, "result": first})
    assert outcome.alarms == ()
    results = outcome.results["1"]
    told = dict.fromkeys(ALL, results) if isinstance(results, str) else dict(results)
    assert told == {"ante": first, "flop": first, "third": first, "play": play}
    factor = {"win": 1, "push": 0, "lose": -1}
    ten, twenty = str(10 * factor[first]), str(20 * factor[play])
    assert outcome.pays["1"] == {"ante": ten, "flop": ten, "third": ten, "play": twenty}


@pytest.mark.rule("house:pocket_poker_table", "13:69F-37.1")
def test_pocket_poker_stands_on_the_own_cards_alone() -> None:
    house: dict[str, Plain] = {"pocket_poker_table": {"pair": 3, "A-K-suited": "5 to 2"}}
    assert collect(one_seat("2h 2d", "As Ad", "Ac 9h 5d", 10, **house)).pays["1"]["pocket_poker"] == "30"  # type: ignore[index]
    assert collect(one_seat("Ah Kh", "2s 2d", "2h 9h 5d", 10, **house)).pays["1"]["pocket_poker"] == "25"  # type: ignore[index]
    assert collect(one_seat("Ah Kd", "2s 3d", "As 9h 5d", 10, **house)).pays["1"]["pocket_poker"] == "-10"  # type: ignore[index]
    assert collect(one_seat("2h 2d", "As Ad", "Ac 9h 5d", 10)).results["1"]["pocket_poker"] == "odds"  # type: ignore[index]


@pytest.mark.rule("13:69F-28.12(a)")
def test_pocket_poker_is_settled_when_the_round_is_void_for_a_dealers_card() -> None:
    bench = table(cards="2h As 2d Ad", pocket_poker_table={"pair": 3})
    bets(bench, 1, pocket_poker=10)
    places(bench)
    outcome = do(bench, "report", {"what": "dealer-card-exposed"})
    assert outcome.results["1"] == {"ante": "void", "pocket_poker": "win"}
    assert outcome.pays["1"] == {"ante": "0", "pocket_poker": "30"}


@pytest.mark.parametrize("where", [{"seat": 1}, {"seat": "dealer"}])
def test_a_wrong_number_of_cards_returns_all_wagers(where: dict[str, object]) -> None:
    bench = table()
    bets(bench, 1, pocket_poker=10)
    places(bench)
    outcome = do(bench, "report", {"what": "wrong-count", "cards": 3, **where})
    assert (outcome.remedy, outcome.results["1"]) == ("all-hands-void", "void")

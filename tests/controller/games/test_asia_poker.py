"""Asia Poker by its sections, one rule at a time."""

from __future__ import annotations

import random

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES
from controller.table.outcome import Outcome
from firmware_bridge.cards import FRENCH_CARDS, JOKER
from tests.controller.games.rounds import collect, decide, did, do, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "asia-poker"


def table(cards: str = "", method: str = "automated-shoe", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def one_seat(player: str, dealer: str, **house: Plain) -> Bench:
    """Seat 1 with seven cards, then the others' cards, then the dealer's: high hand first, then medium, then low."""
    named = {*player.split(), *dealer.split()}
    others = [card.name for card in (*FRENCH_CARDS, JOKER) if card.name not in named]
    random.Random(3).shuffle(others)
    bench = table(f"{player} {' '.join(others[:35])} {dealer}", **house)
    did(bench, "wager", {"seat": 1, "wager": 20})
    did(bench, "close_bets")
    did(bench, "start", {"seat": 1})
    assert places(bench)[-1] == "dealer"
    did(bench, "stub_count", 4)
    did(bench, "set", {"seat": 1}, "player:1")
    if "house_way" not in house:
        did(bench, "set", {"seat": "dealer", **hands(dealer)})
    return bench


def hands(names: str) -> dict[str, list[str]]:
    named = names.split()
    return {"high": named[:4], "medium": named[4:6], "low": named[6:]}


def result(bench: Bench, player: str) -> Outcome:
    did(bench, "expose", {"seat": 1, **hands(player)})
    return collect(bench)


@pytest.mark.rule("13:69F-31.11(b)", "13:69F-31.11(c)")
@pytest.mark.parametrize(
    ("total", "to"),
    [(8, "dealer"), (15, "dealer"), (9, "seat 6"), (16, "seat 6"), (3, "seat 5"), (10, "seat 5"), (17, "seat 5"), (4, "seat 4"),
     (11, "seat 4"), (18, "seat 4"), (5, "seat 3"), (12, "seat 3"), (6, "seat 2"), (13, "seat 2"), (7, "seat 1"), (14, "seat 1")],
)  # fmt: skip
def test_three_dice_fix_the_start_as_the_law_counts(total: int, to: str) -> None:
    bench = table(method="manual-shoe")
    did(bench, "wager", {"seat": 1})
    did(bench, "close_bets")
    assert did(bench, "start", {"dice": total}).to == to
    if total <= 7:
        again = table(method="hand")
        did(again, "wager", {"seat": 1})
        did(again, "close_bets")
        assert did(again, "start", {"number": total}).to == to, "a generator's number is counted alike"


@pytest.mark.rule("13:69F-31.8(c)", "13:69F-31.10(d)", "13:69F-31.10(a)")
@pytest.mark.parametrize("method", ["manual-shoe", "hand", "automated-shoe"])
def test_every_position_is_dealt_seven_cards_wager_or_not(method: str) -> None:
    bench = table(method=method)
    did(bench, "wager", {"seat": 5})
    did(bench, "close_bets")
    did(bench, "start", {"dice": 12})
    around = ["seat 3", "seat 4", "seat 5", "seat 6", "dealer", "seat 1", "seat 2"]
    assert places(bench) == around * (1 if method == "automated-shoe" else 7)


@pytest.mark.rule("13:69F-31.8(d)", "13:69F-31.8(d)1", "13:69F-31.10(e)", "13:69F-31.10(e)1")
def test_exactly_four_are_left_and_hands_without_a_wager_go_unexposed() -> None:
    bench = table()
    for seat in (2, 6):
        did(bench, "wager", {"seat": seat})
    did(bench, "close_bets")
    did(bench, "start", {"seat": "dealer"})
    places(bench)
    assert (bench.view().stub_expected, bench.view().rack) == (4, 4 + 4 * 7)
    assert do(bench, "stub_count", 5).remedy == "all-hands-void"


@pytest.mark.rule("13:69F-31.10(e)")
@pytest.mark.parametrize("seats", [5, 7])
def test_another_number_of_positions_contradicts_the_law_and_is_refused_with_its_citation(seats: int) -> None:
    with pytest.raises(SettingError, match=r"13:69F-31\.10\(e\)"):
        build_procedure(GAMES[GAME], "hand", {"seats": seats})


@pytest.mark.rule("13:69F-31.8(d)")
def test_a_stub_that_is_not_proved_every_round_is_refused_with_the_citation() -> None:
    with pytest.raises(SettingError, match=r"13:69F-31\.8\(d\)"):
        build_procedure(GAMES[GAME], "hand", {"stub_count_every": 5})


SETTLEMENT = [
    ("As Ad 9c 5d Kc Qh Jh", "Kd Kh 9h 4s Qd Js Tc", "win"),
    ("As Ad 9c 5d Kc 2h 2c", "Kd Kh 9h 4s Qd Js Tc", "win"),
    ("As Ad 9c 5d Qc 2h 3c", "Kd Kh 9h 4s Qd Js Tc", "lose"),
    ("Qs Qc 9c 5d Kc 2h Ts", "Kd Kh 9h 4s Qd Js Tc", "lose"),
    ("Qs Qc 9c 5d Kc 2h Jh", "Kd Kh 9h 4s Qd Js Tc", "win"),
    ("Ks Kc 9c 4d Qs Jc Tc", "Kd Kh 9h 4s Qd Js Td", "lose"),
    ("As Ks Qs Jk Td 2h 2c", "9d 9c 9h 9s Jd 8d 3s", "lose"),
    ("9s 9d 9c 9h Kd 8d 7c", "As Ks Qs Js Qd Td 5h", "win"),
    ("2s 3d 4c Jk Kc Qd Th", "Kd Kh Ks 4s Qs Jh 9c", "win"),
    ("Jk Ah 6s 6h Jc Jd 2s", "As Ad 5c 2h Kc 9h 8d", "win"),
]  # fmt: skip
"""(the seat's high, medium and low hand; the dealer's; the result): two wins of three are needed, a copy is the dealer's."""


@pytest.mark.rule("13:69F-34.12(f)")
@pytest.mark.parametrize(("player", "dealer", "expected"), SETTLEMENT)
def test_two_of_three_hands_must_beat_the_dealers(player: str, dealer: str, expected: str) -> None:
    outcome = result(one_seat(player, dealer), player)
    assert outcome.results == {"1": expected}
    assert pay(outcome, "1") == {"win": 2000, "lose": -2000}[expected], "even money, no commission, no push"


@pytest.mark.parametrize("player", ["Kc 9s 7d 4c As Ad Qh", "As Ad 4c 9s Qh 7d Kc", "Qs 9h 7c 5d Kd 2h 3c"])
def test_a_hand_set_out_of_order_loses(player: str) -> None:
    bench = one_seat(player, "Jd Jh Th 9d 8s 6d 2d")
    assert did(bench, "expose", {"seat": 1, **hands(player)}).irregularity == "wrong-set"
    assert collect(bench).results == {"1": "lose"}


def test_equal_neighbours_are_in_order() -> None:
    player = "As Kd 7c 4d Ah Kc 2h"
    assert result(one_seat(player, "Qd Jh Th 9d 8s 6d 3d"), player).results == {"1": "lose"}, "only two wins count: high and medium"


@pytest.mark.rule("13:69F-34.12(e)")
def test_a_seat_surrenders_its_whole_wager_until_its_hands_are_exposed() -> None:
    bench = one_seat("As Ad 9c 5d Kc Qh Jh", "Kd Kh 9h 4s Qd Js Tc")
    assert decide(bench, 1, "surrender").rack == 4 + 5 * 7 + 7
    assert pay(collect(bench), "1") == -2000


@pytest.mark.rule("house:low_straight")
@pytest.mark.parametrize(("place", "expected"), [("lowest", "lose"), ("second", "win")])
def test_the_low_straight_stands_where_the_house_puts_it(place: str, expected: str) -> None:
    player, dealer = "As 2d 3c 4h Qc Jh 5h", "9h Td Jc Qh Kd 8s 6d"
    assert result(one_seat(player, dealer, low_straight=place), player).results == {"1": "lose"}, "K 8 beats Q J, and 6 beats 5"
    player = "As 2d 3c 4h Qc Jh 7h"
    assert result(one_seat(player, dealer, low_straight=place), player).results == {"1": expected}


@pytest.mark.rule("house:house_way")
def test_a_casinos_list_sets_the_dealers_three_hands() -> None:
    way: list[Plain] = [{"holding": "two-pair", "high": "pair", "medium": "pair"}, {"best": ["high", "medium", "low"]}]
    bench = one_seat("As Ad 9c 5d Kc Qh Th", "Kd Kh Js Jc 7d 5s 2d", house_way=way)
    wrong = do(bench, "set", {"seat": "dealer", **hands("Kd Kh Js Jc 7d 5s 2d")})
    assert (wrong.irregularity, wrong.remedy) == ("wrong-set", "reset-house-way")
    assert wrong.house_way is not None
    assert {name: set(cards) for name, cards in wrong.house_way.items()} == {
        "high": {"Kd", "Kh", "5s", "2d"}, "medium": {"Js", "Jc"}, "low": {"7d"},
    }  # fmt: skip
    right = did(bench, "set", {"seat": "dealer"})
    assert right.state == "settling"


@pytest.mark.rule("house:card_face_up")
def test_one_card_face_up_voids_all_hands_unless_the_house_goes_on_with_three_left() -> None:
    for house, remedy, state in ((None, "all-hands-void", "void"), ("discard-and-continue", "discard-and-continue", "dealing")):
        bench = table(method="hand", **({"card_face_up": house} if house else {}))
        did(bench, "wager", {"seat": 1})
        did(bench, "close_bets")
        did(bench, "start", {"seat": 1})
        outcome = bench.card(face_up=True)
        assert (outcome.irregularity, outcome.remedy, outcome.state) == ("card-face-up", remedy, state)
        if state == "dealing":
            places(bench)
            assert bench.view().stub_expected == 3


def test_hands_are_named_by_their_three_names() -> None:
    bench = one_seat("As Ad 9c 5d Kc Qh Jh", "Kd Kh 9h 4s Qd Js Tc")
    assert refusal(bench, "expose", {"seat": 1, "high": ["As", "Ad", "9c", "5d"], "low": ["Jh"]}) == "bad-cards"
    assert refusal(bench, "expose", {"seat": 1, "cards": ["As", "Ad"]}) == "bad-cards"
    assert do(bench, "expose", {"seat": 1, "cards": ["As", "Ad", "9c", "5d", "Kc", "Qh", "Jh"]}).refused is None
    with pytest.raises(ProcedureError):
        build_procedure(GAMES[GAME], "by foot", {})

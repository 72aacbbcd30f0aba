"""House ways for seven cards: the published table line by line, permissible arrangements only, and lists that cannot be followed."""

from __future__ import annotations

import itertools
import random

import pytest

from controller.dealing.settings import Plain
from controller.games.asia_poker import FORMS as THREE
from controller.games.pai_gow_poker import BEST, HOUSE_WAY
from controller.games.pai_gow_poker import FORMS as TWO
from controller.hands.errors import HandError
from controller.hands.house_way import HouseWayError
from controller.hands.semi_wild import LowStraight, compare_ranks, rank_hand
from controller.hands.set_way import arrange, arrangements, parse_set_way
from firmware_bridge.cards import FRENCH_CARDS, JOKER, Card, parse_card

ROWS = [row for row in HOUSE_WAY if isinstance(row, dict)]
WAY = parse_set_way(ROWS, TWO)
SEED = 5_207


def cards(names: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, names.split()))


TABLE = [
    ("no pair", "As Kd Jh 9c 7s 5h 2d", "As 9c 7s 5h 2d", "Kd Jh"),
    ("no pair, the joker is an ace", "Jk Kd Jh 9c 7s 5h 2d", "Jk 9c 7s 5h 2d", "Kd Jh"),
    ("one pair", "2c 9d Tc 6c Ah 4s 6d", "6c 6d 9d 4s 2c", "Ah Tc"),
    ("one pair, of the joker", "2c 9d Tc 7c Ah 4s Jk", "Ah Jk 7c 4s 2c", "Tc 9d"),
    ("two pair, bigger jacks", "Js Jd 4h 4c 9s 7d 2h", "Js Jd 9s 7d 2h", "4h 4c"),
    ("two pair, bigger tens, an ace can go low", "Ts Td 4h 4c As 7d 2h", "Ts Td 4h 4c 2h", "As 7d"),
    ("two pair, bigger tens, no ace", "Ts Td 4h 4c Ks 7d 2h", "Ts Td Ks 7d 2h", "4h 4c"),
    ("two pair, bigger sixes, a king can go low", "6s 6d 4h 4c Ks 9d 2h", "6s 6d 4h 4c 2h", "Ks 9d"),
    ("two pair, bigger sixes, no king", "6s 6d 4h 4c Qs 9d 2h", "6s 6d Qs 9d 2h", "4h 4c"),
    ("three pair", "Qs Qd 9h 9c 4s 4d 2h", "9h 9c 4s 4d 2h", "Qs Qd"),
    ("three aces", "As Ad Ah Tc 8s 5d 2h", "As Ad 8s 5d 2h", "Ah Tc"),
    ("three aces, one of them the joker", "As Ad Jk Tc 8s 5d 2h", "As Ad 8s 5d 2h", "Jk Tc"),
    ("three kings", "Ks Kd Kh Tc 8s 5d 2h", "Ks Kd Kh 5d 2h", "Tc 8s"),
    ("two threes", "Ks Kd Kh 8c 8s 8d 2h", "8c 8s 8d Kx 2h", "K K"),
    ("straight, no pair", "9s Td Jh Qc Ks 4d 2h", "9s Td Jh Qc Ks", "4d 2h"),
    ("straight of six cards leaves its highest", "8c 9s Td Jh Qc Ks 2h", "8c 9s Td Jh Qc", "Ks 2h"),
    ("flush, no pair", "As 9s 8s 5s 2s Kd Qh", "As 9s 8s 5s 2s", "Kd Qh"),
    ("straight with one pair", "Ks Qh Jd Ts 9c 8d 8h", "Ks Qh Jd Ts 9c", "8d 8h"),
    ("straight with a pair of queens and an ace: ace low", "As Kd Qh Qc Js Td 2c", "Qh Qc Js Td 2c", "As Kd"),
    ("straight with a pair of nines and an ace: the straight", "Ac 9h 9d 8s 7c 6d 5h", "9 8s 7c 6d 5h", "Ac 9"),
    ("straight with two pair: as two pair", "Qs Qh Jd Jc Ts 9d 8h", "Qs Qh Ts 9d 8h", "Jd Jc"),
    ("straight with three of a kind", "9s 9h 9d 8c 7s 6d 5h", "9 8c 7s 6d 5h", "9 9"),
    ("full house", "Ks Kd Kh 8c 8s 5d 2h", "Ks Kd Kh 5d 2h", "8c 8s"),
    ("full house with a second pair", "5s 5d 5h 8c 8s Qd Qh", "5s 5d 5h 8c 8s", "Qd Qh"),
    ("four kings", "Ks Kd Kh Kc 8s 5d 2h", "K K 8s 5d 2h", "K K"),
    ("four tens, a king can go low", "Ts Td Th Tc Ks 5d 2h", "Ts Td Th Tc 2h", "Ks 5d"),
    ("four tens, no king", "Ts Td Th Tc Qs 5d 2h", "T T Qs 5d 2h", "T T"),
    ("four sixes", "6s 6d 6h 6c Qs 5d 2h", "6s 6d 6h 6c 2h", "Qs 5d"),
    ("four and a pair", "Ks Kd Kh Kc 3s 3d 2h", "Ks Kd Kh Kc 2h", "3s 3d"),
    ("four and three", "6s 6d 6h 6c Qs Qd Qh", "6s 6d 6h 6c Q", "Q Q"),
    ("five aces", "As Ad Ah Ac Jk 5d 2h", "A A A 5d 2h", "A A"),
    ("five aces and kings", "As Ad Ah Ac Jk Kd Kh", "As Ad Ah Ac Jk", "Kd Kh"),
    ("five aces and queens", "As Ad Ah Ac Jk Qd Qh", "A A A Qd Qh", "A A"),
]  # fmt: skip
"""(what the seven cards contain, the cards, the high hand, the low hand); a rank alone is any card of it, an ace the joker too."""


def is_hand(held: tuple[Card, ...], wanted: str) -> bool:
    def rank(name: str) -> str:
        return "A" if name == "Jk" else name[0]

    left = [card.name for card in held]
    for name in sorted(wanted.split(), key=lambda text: len(text) != 2 or text[1] == "x"):
        match = next((other for other in left if other == name), None) if len(name) == 2 and name[1] != "x" else None
        match = match or next((other for other in left if (len(name) == 1 or name[1] == "x") and rank(other) == name[0]), None)
        if match is None:
            return False
        left.remove(match)
    return not left


@pytest.mark.rule("house:house_way")
@pytest.mark.parametrize(("what", "hand", "high", "low"), TABLE, ids=[row[0] for row in TABLE])
def test_the_published_house_way_line_by_line(what: str, hand: str, high: str, low: str) -> None:
    for order in range(3):
        held = list(cards(hand))
        random.Random(order).shuffle(held)
        chosen = arrange(WAY, held, TWO, BEST)
        assert is_hand(chosen.cards["high"], high), [card.name for card in chosen.cards["high"]]
        assert is_hand(chosen.cards["low"], low), [card.name for card in chosen.cards["low"]]


def test_every_line_of_the_published_way_decides_some_hand() -> None:
    lines = {arrange(WAY, cards(hand), TWO, BEST).line for _, hand, _, _ in TABLE}
    assert lines == set(range(1, len(WAY) + 1))


@pytest.mark.parametrize("forms", [TWO, THREE])
def test_any_seven_cards_are_set_permissibly(forms: tuple[tuple[str, int], ...]) -> None:
    rng = random.Random(SEED)
    way = WAY if forms == TWO else parse_set_way([{"holding": "two-pair", "high": "pair", "medium": "pair"}, {"best": ["high"]}], THREE)
    for _ in range(60):
        held = rng.sample((*FRENCH_CARDS, JOKER), 7)
        set_ = arrange(way, held, forms, [name for name, _ in forms]).cards
        assert sorted(card.code for group in set_.values() for card in group) == sorted(card.code for card in held)
        ranked = [rank_hand(set_[name]) for name, _ in forms]
        assert all(compare_ranks(one, two) >= 0 for one, two in itertools.pairwise(ranked)), f"seed {SEED}"


def test_all_permissible_arrangements_are_tried() -> None:
    assert len(arrangements(cards("As Ad Ah Ac Ks Qs Jd"), TWO, LowStraight.SECOND)) == 21
    assert len(arrangements(cards("Ks Qd Jh 9c 7s 5h 2d"), TWO, LowStraight.SECOND)) == 15, "any two of the six lower cards may be low"


@pytest.mark.rule("13:69F-34.12(d)")
def test_three_hands_are_set_by_a_casinos_own_list() -> None:
    rows: list[dict[str, Plain]] = [
        {"holding": "two-pair", "medium": "pair", "low_at_least": "9"},
        {"medium_at_least": "K", "low_at_least": "Q", "best": ["medium", "low", "high"]},
        {"best": ["high", "medium", "low"]},
    ]
    way = parse_set_way(rows, THREE)
    first = arrange(way, cards("Ks Kd Jh Jc 9s 5h 2d"), THREE, ("high",))
    assert (first.line, is_hand(first.cards["medium"], "Jh Jc"), is_hand(first.cards["low"], "9s")) == (1, True, True)
    second = arrange(way, cards("As Ah Kd Qc 9s 5h 2d"), THREE, ("high",))
    assert (second.line, is_hand(second.cards["medium"], "A 9s"), is_hand(second.cards["low"], "Kd")) == (2, True, True)
    third = arrange(way, cards("Js Td 9h 8c 6s 5h 2d"), THREE, ("high",))
    assert (third.line, is_hand(third.cards["high"], "Js Td 9h 8c")) == (3, True)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "the last line"), ([{"high": "pair"}], "the last line"), ([{"holding": "one pair"}], "holding = .* is unknown"),
        ([{"high": "flash"}], "line 1: high = 'flash' is no kind of hand"), ([{"medium": "pair"}], "there is no medium hand"),
        ([{"best": ["middle"]}], "best names 'middle'"), ([{"rank_at_least": "11"}], "'11' is no rank"), ([{"hihg": "pair"}], "line 1"),
        ([{"medium_at_least": "K"}], "there is no medium hand"), ([{"complete": "yes"}], "line 1"), (["pair"], "line 1 must be a table"),
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_followed_is_refused(rows: list[dict[str, Plain]], words: str) -> None:
    with pytest.raises(HouseWayError, match=words):
        parse_set_way(rows, TWO)


def test_another_number_of_cards_is_refused() -> None:
    with pytest.raises(HandError, match="7 cards are set here, not 6"):
        arrange(WAY, cards("As Ad Ah Ac Ks Qs"), TWO, BEST)

"""House ways that split four cards into a high and a low hand."""

import itertools
import random

import pytest

from controller.hands.errors import HandError
from controller.hands.house_way import HouseWayError
from controller.hands.split_way import HighLow, PairHigh, parse_split_way, set_high_low, splits_of
from firmware_bridge.cards import FRENCH_CARDS, JOKER, Card, parse_card


def hand(text: str) -> list[Card]:
    return [parse_card(name) for name in text.split()]


def names(split: HighLow) -> tuple[str, str]:
    return " ".join(card.name for card in split.high.cards), " ".join(card.name for card in split.low.cards)


FILED = parse_split_way(
    [
        {"prefer": "split-pair", "at_most": "8", "beside_at_least": "K"},
        {"prefer": "pair-high"},
        {"prefer": "highest-low"},
    ]
)
"""A house way such as a casino might file: small pairs are split beside a king or ace, other pairs go high."""


@pytest.mark.rule("13:69F-34.12(c)")
@pytest.mark.parametrize(
    ("cards", "high", "low", "line"),
    [
        ("Qc Qd Kd 3h", "Qc Qd", "Kd 3h", 2),
        ("As Ad 9c 9d", "As Ad", "9c 9d", 2),
        ("7c 7d Kh 3s", "Kh 7c", "7d 3s", 1),
        ("7c 7d Qh 3s", "7c 7d", "Qh 3s", 2),
        ("9c 9d Kh 3s", "9c 9d", "Kh 3s", 2),
        ("Kd 9c 7h 4s", "Kd 4s", "9c 7h", 3),
        ("5c 5d 5h 2s", "5c 5d", "5h 2s", 2),
    ],
)
def test_the_first_line_that_applies_decides(cards: str, high: str, low: str, line: int) -> None:
    for order in itertools.permutations(hand(cards)):
        split = set_high_low(FILED, order)
        shown = [[card.rank for card in one.cards] for one in (split.high, split.low)]
        assert shown == [[card.rank for card in hand(text)] for text in (high, low)]
        assert split.line == line


def test_the_highest_high_hand_keeps_the_two_highest_cards_together() -> None:
    way = parse_split_way([{"prefer": "highest-high"}])
    assert names(set_high_low(way, hand("4s Kd 7h 9c"))) == ("Kd 9c", "7h 4s")
    assert names(set_high_low(way, hand("4s 4d Kh 9c"))) == ("4s 4d", "Kh 9c")


def test_limits_of_a_line_are_kept() -> None:
    way = parse_split_way([{"prefer": "pair-high", "at_least": "J", "beside_at_least": "9"}, {"prefer": "highest-high"}])
    assert set_high_low(way, hand("Jc Jd 9h 2s")).line == 1
    assert set_high_low(way, hand("Tc Td 9h 2s")).line == 2
    assert set_high_low(way, hand("Jc Jd 8h 2s")).line == 2


@pytest.mark.rule("13:69F-34.12(a)")
def test_the_high_hand_never_ranks_below_the_low_one() -> None:
    rng = random.Random(34)
    for _ in range(2_000):
        cards = rng.sample(FRENCH_CARDS, 4)
        for split in (*splits_of(cards), set_high_low(FILED, cards)):
            assert split.high.value >= split.low.value
            assert sorted(card.code for card in (*split.high.cards, *split.low.cards)) == sorted(card.code for card in cards)


def test_equal_hands_are_told() -> None:
    split = set_high_low(FILED, hand("9c 9d 9h 9s"))
    assert split.is_equal
    assert not set_high_low(FILED, hand("9c 9d Th Ts")).is_equal


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "last line"),
        ([{"prefer": "pair-high"}], "last line"),
        ([{"prefer": "pair-hi"}, {"prefer": "highest-high"}], "line 1.*'pair-high'"),
        ([{"prefer": "pair-high", "least": "J"}, {"prefer": "highest-high"}], "line 1: unknown key 'least'"),
        ([{"prefer": "pair-high", "at_least": "0"}, {"prefer": "highest-high"}], "line 1.*no rank"),
        ([{"prefer": "highest-high", "at_least": "2"}], "line 1: unknown key 'at_least', this kind takes none"),
    ],
)
def test_a_list_that_cannot_be_followed_is_refused_with_its_line(rows: list[dict[str, object]], words: str) -> None:
    with pytest.raises(HouseWayError, match=words):
        parse_split_way(rows)


def test_an_unchecked_list_that_never_applies_is_noticed() -> None:
    with pytest.raises(HouseWayError, match="no line"):
        set_high_low((PairHigh(),), hand("As Kd 9h 4c"))


@pytest.mark.parametrize("cards", [hand("As Kd 9h"), [*hand("As Kd 9h"), JOKER]])
def test_only_four_ranked_cards_are_split(cards: list[Card]) -> None:
    with pytest.raises(HandError):
        splits_of(cards)

"""The best five of seven cards fall into the categories as often as combinatorics says: all 133,784,560 hands, or some by chance."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from controller.hands.poker import PokerCategory, category_of, hand_value
from firmware_bridge.cards import FRENCH_CARDS

CODES = [card.code for card in FRENCH_CARDS]
FREQUENCIES = {
    PokerCategory.ROYAL_FLUSH: 4_324,
    PokerCategory.STRAIGHT_FLUSH: 37_260,
    PokerCategory.FOUR_OF_A_KIND: 224_848,
    PokerCategory.FULL_HOUSE: 3_473_184,
    PokerCategory.FLUSH: 4_047_644,
    PokerCategory.STRAIGHT: 6_180_020,
    PokerCategory.THREE_OF_A_KIND: 6_461_620,
    PokerCategory.TWO_PAIR: 31_433_400,
    PokerCategory.PAIR: 58_627_800,
    PokerCategory.HIGH_CARD: 23_294_460,
}
ALL_HANDS = 133_784_560
DIFFERENT_VALUES = 4_824
"""Fewer than of five cards: the worst high cards cannot be the best five of seven."""
SEED = 133


def test_100_000_random_seven_card_hands_fall_into_the_categories_as_often_as_they_should() -> None:
    rng = random.Random(SEED)
    counted = Counter(category_of(hand_value(rng.sample(CODES, 7))) for _ in range(100_000))
    for category, frequency in FREQUENCIES.items():
        share = frequency / ALL_HANDS
        expected = share * 100_000
        assert abs(counted[category] - expected) <= 5 * (expected * (1 - share)) ** 0.5 + 2, f"seed {SEED}: {category}"


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_all_133_784_560_seven_card_hands_fall_into_the_categories_exactly() -> None:
    values = Counter(map(hand_value, itertools.combinations(CODES, 7)))
    counted: Counter[PokerCategory] = Counter()
    for value, number in values.items():
        counted[category_of(value)] += number
    assert dict(counted) == FREQUENCIES
    assert counted.total() == ALL_HANDS
    assert len(values) == DIFFERENT_VALUES

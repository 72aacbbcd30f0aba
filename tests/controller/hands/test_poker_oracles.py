"""Poker ranking against independent evaluators that others wrote, where they are installed."""

import itertools
import random

import pytest

from controller.hands.poker import hand_value
from firmware_bridge.cards import FRENCH_CARDS, Card

SEED = 7_462


def deals(number: int, cards: int) -> list[list[Card]]:
    rng = random.Random(SEED)
    return [rng.sample(FRENCH_CARDS, cards) for _ in range(number)]


def verify_same_order(ours: list[int], theirs: list[int]) -> None:
    """Both orders are the same if equal values meet equal values and the sequences of different ones agree."""
    pairs = sorted(set(zip(ours, theirs, strict=True)))
    assert len({one for one, _ in pairs}) == len(pairs)
    assert all(a[1] < b[1] for a, b in itertools.pairwise(pairs)), f"seed {SEED}"


def values_of(hands: list[list[Card]]) -> list[int]:
    return [hand_value([card.code for card in hand]) for hand in hands]


def by_phevaluator(hands: list[list[Card]]) -> list[int]:
    phevaluator = pytest.importorskip("phevaluator")
    return [-phevaluator.evaluate_cards(*[card.name for card in hand]) for hand in hands]


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_the_same_order_as_phevaluator_on_3_000_hands(cards: int) -> None:
    hands = deals(3_000, cards)
    verify_same_order(values_of(hands), by_phevaluator(hands))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("cards", [5, 6, 7])
def test_the_same_order_as_phevaluator_on_a_million_hands(cards: int) -> None:
    hands = deals(1_000_000, cards)
    verify_same_order(values_of(hands), by_phevaluator(hands))


def by_pokerkit(hands: list[list[Card]]) -> list[int]:
    pokerkit = pytest.importorskip("pokerkit")
    entries = [pokerkit.StandardHighHand.from_game("".join(card.name for card in hand)).entry.index for hand in hands]
    return [int(index) for index in entries]


def test_the_same_order_as_pokerkit_on_500_hands_of_seven_cards() -> None:
    hands = deals(500, 7)
    verify_same_order(values_of(hands), by_pokerkit(hands))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_same_order_as_pokerkit_on_a_million_hands_of_seven_cards() -> None:
    hands = deals(1_000_000, 7)
    verify_same_order(values_of(hands), by_pokerkit(hands))

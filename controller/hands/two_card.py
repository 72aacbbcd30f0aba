"""Ranking of two-card hands, as in the pai gow family: a pair over no pair, then the higher cards; suits are equal.

Whether suited or consecutive cards rank is not known of any game here; they do not. Equal values are a copy, and what
a copy means is the game's rule.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import high_rank, rank_name, rank_symbol
from firmware_bridge.cards import Card

_PAIR_BIT: Final = 1 << 8


class TwoCardCategory(enum.Enum):
    """Kinds of two-card hands, in rising order."""

    HIGH_CARD = "high-card"
    PAIR = "pair"


class TwoCardHand(msgspec.Struct, frozen=True):
    """A ranked two-card hand. Compare `value`: higher is better, equal is a copy."""

    value: int
    cards: tuple[Card, Card]
    """The higher card first."""

    @property
    def category(self) -> TwoCardCategory:
        return TwoCardCategory.PAIR if self.value & _PAIR_BIT else TwoCardCategory.HIGH_CARD

    @property
    def text(self) -> str:
        """The hand in words, such as `pair of queens` or `K 3 high`."""
        first, second = (high_rank(card.rank) for card in self.cards)
        if self.category is TwoCardCategory.PAIR:
            return f"pair of {rank_name(first, plural=True)}"
        return f"{rank_symbol(first)} {rank_symbol(second)} high"


def evaluate_two(cards: Sequence[Card]) -> TwoCardHand:
    """Rank a two-card hand.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    if len(cards) != 2:
        raise HandError(f"a two-card hand has two cards, not {len(cards)}")
    for card in cards:
        if not 1 <= card.rank <= 13:
            raise HandError("a joker or an unreadable card has no rank in a two-card hand")
    first, second = sorted(cards, key=lambda card: high_rank(card.rank), reverse=True)
    return TwoCardHand(two_card_value(first.code, second.code), (first, second))


def two_card_value(first: int, second: int) -> int:
    """Return the value of two cards given by their codes, in any order."""
    a, b = high_rank(first & 15), high_rank(second & 15)
    return (_PAIR_BIT if a == b else 0) | max(a, b) << 4 | min(a, b)

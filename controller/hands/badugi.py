"""Ranking of badugi hands, up to four cards of different ranks and suits: low wins, and more cards always beat fewer.

The ace is low. Cards that share a rank or a suit with a better one do not count.

A higher value is a better hand; equal values are a tie.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import rank_symbol
from firmware_bridge.cards import Card

HAND_SIZE: Final = 4
_NAMES: Final = ("", "one card", "two cards", "three cards", "badugi")
_WORST: Final = 0xFFFF


class BadugiHand(msgspec.Struct, frozen=True):
    """A ranked badugi hand. Compare `value`: higher is better, equal is a tie."""

    value: int
    cards: tuple[Card, ...]
    """The cards that count, the highest first: four of them are a badugi."""

    @property
    def text(self) -> str:
        """The hand in words, such as `badugi, 8 4 3 A`."""
        return f"{_NAMES[len(self.cards)]}, {' '.join(rank_symbol(card.rank) for card in self.cards)}"


def evaluate_badugi(cards: Sequence[Card]) -> BadugiHand:
    """Rank four cards.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    if len(cards) != HAND_SIZE:
        raise HandError(f"a badugi hand has {HAND_SIZE} cards, not {len(cards)}")
    if any(not 1 <= card.rank <= 13 for card in cards):
        raise HandError("a joker or an unreadable card has no rank in a badugi hand")
    for size in range(HAND_SIZE, 0, -1):
        found = [chosen for chosen in itertools.combinations(cards, size) if _all_different(chosen)]
        if found:
            return max((_hand(chosen) for chosen in found), key=lambda hand: hand.value)
    raise HandError("one card is always different from no other")  # four cards hold a single one


def _all_different(cards: Sequence[Card]) -> bool:
    return len({card.rank for card in cards}) == len(cards) == len({card.suit for card in cards})


def _hand(cards: Sequence[Card]) -> BadugiHand:
    ordered = tuple(sorted(cards, key=lambda card: card.rank, reverse=True))
    badness = 0
    for card in ordered:
        badness = badness << 4 | card.rank
    return BadugiHand(len(cards) << 16 | _WORST - badness, ordered)

"""Ranking of two-card hands from a deck with jokers, as in two-card joker poker.

A pair of jokers is the highest hand, then the royal flush (ace and king of one suit), the straight flush (two neighbours of one suit), and
last two cards that are nothing. How pair, straight and flush stand among each other is not known and is given by the caller. A joker only
completes a pair, of the rank of the card beside it; such a pair equals a natural one. Whether ace and deuce are neighbours is given, too.

A value is one integer: the kind's level above the two ranks, ace 14, the low ace 1. Equal values are a tie.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import high_rank, rank_name, rank_symbol
from firmware_bridge.cards import JOKER, Card

_ACE = 14
_KING = 13
_JOKER_RANK = 15
_QUEEN = 12


class JokerHandKind(enum.Enum):
    """Kinds of hands, in no order."""

    PAIR_OF_JOKERS = "pair-of-jokers"
    ROYAL_FLUSH = "royal-flush"
    STRAIGHT_FLUSH = "straight-flush"
    PAIR = "pair"
    STRAIGHT = "straight"
    FLUSH = "flush"
    HIGH_CARD = "high-card"


class JokerHand(msgspec.Struct, frozen=True):
    """A ranked hand. Compare `value`: higher is better, equal is a tie."""

    value: int
    kind: JokerHandKind
    cards: tuple[Card, Card]
    """The higher card first; a joker after the card that it makes a pair with."""

    @property
    def ranks(self) -> tuple[int, int]:
        """The ranks in the order in which they count."""
        return self.value >> 4 & 15, self.value & 15

    @property
    def is_queen_high_or_better(self) -> bool:
        """Whether a dealer who needs a queen plays with it."""
        return self.kind is not JokerHandKind.HIGH_CARD or self.ranks[0] >= _QUEEN

    @property
    def text(self) -> str:
        """The hand in words, such as `pair of nines` or `straight, five high`."""
        first = self.ranks[0]
        symbols = f"{rank_symbol(first)} {rank_symbol(self.ranks[1])}" if first != _JOKER_RANK else ""
        match self.kind:
            case JokerHandKind.PAIR_OF_JOKERS:
                return "pair of jokers"
            case JokerHandKind.ROYAL_FLUSH:
                return "royal flush"
            case JokerHandKind.PAIR:
                return f"pair of {rank_name(first, plural=True)}"
            case JokerHandKind.HIGH_CARD:
                return f"{symbols} high"
            case JokerHandKind.FLUSH:
                return f"flush, {symbols}"
            case _:
                return f"{self.kind.value.replace('-', ' ')}, {rank_name(first)} high"


@dataclass(frozen=True, slots=True)
class JokerRanking:
    """The order of pair, straight and flush, best first, and whether the ace is low beside a deuce."""

    middle: tuple[JokerHandKind, ...] = (JokerHandKind.PAIR, JokerHandKind.STRAIGHT, JokerHandKind.FLUSH)
    ace_low: bool = True

    def __post_init__(self) -> None:
        if set(self.middle) != {JokerHandKind.PAIR, JokerHandKind.STRAIGHT, JokerHandKind.FLUSH} or len(self.middle) != 3:
            raise HandError("the order in question is that of pair, straight and flush, each once")

    def evaluate(self, cards: Sequence[Card]) -> JokerHand:
        """Rank two cards.

        Raises:
            HandError: for another number of cards, or an unreadable card.
        """
        if len(cards) != 2 or not all(card is JOKER or 1 <= card.rank <= 13 for card in cards):
            raise HandError("a hand has two cards, each of a rank or a joker")
        high, low = sorted(cards, key=lambda card: -1 if card is JOKER else high_rank(card.rank), reverse=True)
        kind, ranks = self._kind(high, low)
        order = (
            JokerHandKind.HIGH_CARD,
            *reversed(self.middle),
            JokerHandKind.STRAIGHT_FLUSH,
            JokerHandKind.ROYAL_FLUSH,
            JokerHandKind.PAIR_OF_JOKERS,
        )
        return JokerHand(order.index(kind) << 8 | ranks[0] << 4 | ranks[1], kind, (high, low))

    def _kind(self, high: Card, low: Card) -> tuple[JokerHandKind, tuple[int, int]]:
        if high is JOKER:
            return JokerHandKind.PAIR_OF_JOKERS, (_JOKER_RANK, _JOKER_RANK)
        first = high_rank(high.rank)
        second = first if low is JOKER else high_rank(low.rank)
        if first == second:
            return JokerHandKind.PAIR, (first, second)
        if self.ace_low and (first, second) == (_ACE, 2):
            first, second = 2, 1
        suited = high.suit == low.suit
        if first - second == 1:
            if suited:
                return JokerHandKind.ROYAL_FLUSH if second == _KING else JokerHandKind.STRAIGHT_FLUSH, (first, second)
            return JokerHandKind.STRAIGHT, (first, second)
        return JokerHandKind.FLUSH if suited else JokerHandKind.HIGH_CARD, (first, second)

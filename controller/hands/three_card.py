"""The three-card ranking of N.J.A.C. 13:69F-20.3.

Order, low to high: high card, pair, flush, straight, three of a kind, straight flush. With three cards a straight is rarer than a flush,
and three of a kind rarer than both, so they stand in another order than in five-card poker. 3-2-A is the lowest straight; K-A-2 is none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from controller.hands.poker import PokerCategory
from controller.hands.short_poker import ShortPoker, verify_cards
from firmware_bridge.cards import Card

HAND_SIZE: Final = 3
RANKING: Final = ShortPoker(
    HAND_SIZE,
    (
        PokerCategory.HIGH_CARD,
        PokerCategory.PAIR,
        PokerCategory.FLUSH,
        PokerCategory.STRAIGHT,
        PokerCategory.THREE_OF_A_KIND,
        PokerCategory.STRAIGHT_FLUSH,
    ),
)
QUEEN: Final = 12
ACE: Final = 14


class ThreeCardHand(msgspec.Struct, frozen=True):
    """A ranked three-card hand. Compare `value`: higher is better, equal is a tie."""

    value: int
    held: tuple[Card, ...]

    @property
    def category(self) -> PokerCategory:
        return RANKING.category_of(self.value)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks in the order in which they count, ace 14, the low ace of a straight 1."""
        return RANKING.ranks_of(self.value)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order in which they count."""
        return RANKING.cards_of(self.value, self.held)

    @property
    def text(self) -> str:
        """The hand in words, such as `pair of queens`."""
        return RANKING.describe(self.value)

    @property
    def is_mini_royal(self) -> bool:
        """Ace, king and queen of one suit, which some pay tables set above other straight flushes."""
        return self.category is PokerCategory.STRAIGHT_FLUSH and self.ranks[0] == ACE

    @property
    def is_queen_high_or_better(self) -> bool:
        """Whether a dealer of the three-card family plays with it."""
        return self.category is not PokerCategory.HIGH_CARD or self.ranks[0] >= QUEEN


def three_card_value(codes: Collection[int]) -> int:
    """Return the value of three cards given by their codes; their number is the caller's promise.

    Raises:
        HandError: for a code that is no ranked card.
    """
    return RANKING.value(codes)


def evaluate_three(cards: Sequence[Card]) -> ThreeCardHand:
    """Rank three cards.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    verify_cards(cards, HAND_SIZE, HAND_SIZE)
    return ThreeCardHand(RANKING.value([card.code for card in cards]), tuple(cards))

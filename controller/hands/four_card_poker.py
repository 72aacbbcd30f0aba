"""The four-card ranking of four-card poker, N.J.A.C. 13:69F-27.3: the best four of four to six cards.

Order, low to high: high card, pair, two pair, straight, flush, three of a kind, straight flush, four of a kind. Three of a kind stands
above the flush, and the flush above the straight. 4-3-2-A is the lowest straight; nothing wraps around. A card that is not among the
best four never counts, also not between equal hands.

Other games with four-card hands order them otherwise; `controller.hands.four_card` knows holdings by name and no order at all.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from controller.hands.poker import PokerCategory
from controller.hands.short_poker import ShortPoker, verify_cards
from firmware_bridge.cards import Card

HAND_SIZE: Final = 4
MAX_CARDS: Final = 6
"""The dealer has six cards; fifteen fours are then tried."""

RANKING: Final = ShortPoker(
    HAND_SIZE,
    (
        PokerCategory.HIGH_CARD,
        PokerCategory.PAIR,
        PokerCategory.TWO_PAIR,
        PokerCategory.STRAIGHT,
        PokerCategory.FLUSH,
        PokerCategory.THREE_OF_A_KIND,
        PokerCategory.STRAIGHT_FLUSH,
        PokerCategory.FOUR_OF_A_KIND,
    ),
)


class FourCardHand(msgspec.Struct, frozen=True):
    """A ranked hand of the best four cards. Compare `value`: higher is better, equal is a tie."""

    value: int
    held: tuple[Card, ...]
    """All cards of the hand, four to six."""

    @property
    def category(self) -> PokerCategory:
        return RANKING.category_of(self.value)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of the best four in the order in which they count, ace 14, the low ace of a straight 1."""
        return RANKING.ranks_of(self.value)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The best four in the order in which they count."""
        fours = itertools.combinations(self.held, HAND_SIZE)
        best = next(four for four in fours if RANKING.value([card.code for card in four]) == self.value)
        return RANKING.cards_of(self.value, best)

    @property
    def text(self) -> str:
        """The hand in words, such as `aces and sevens`."""
        return RANKING.describe(self.value)


def four_card_value(codes: Collection[int]) -> int:
    """Return the value of the best four of four to six cards given by their codes; their number is the caller's promise.

    Raises:
        HandError: for a code that is no ranked card.
    """
    if len(codes) == HAND_SIZE:
        return RANKING.value(codes)
    return max(map(RANKING.value, itertools.combinations(codes, HAND_SIZE)))


def evaluate_four(cards: Sequence[Card]) -> FourCardHand:
    """Rank the best four of four to six cards.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    verify_cards(cards, HAND_SIZE, MAX_CARDS)
    return FourCardHand(four_card_value([card.code for card in cards]), tuple(cards))

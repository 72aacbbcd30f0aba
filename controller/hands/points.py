"""Point counts up to twenty-one: what a hand of cards is worth, what a blackjack is, and when a dealer draws.

An ace counts eleven unless that passes twenty-one, then one (13:69F-2.2(b)). A total is soft while an ace counts eleven. Ten, jack, queen
and king count ten. Which hand wins and what it is paid is each game's own affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from firmware_bridge.cards import Card

ACE: Final = 1
TEN: Final = 10
SEVEN: Final = 7
BEST: Final = 21
"""A total above it loses."""
DEALER_STANDS: Final = 17
"""The dealer draws to sixteen."""


class Total(NamedTuple):
    """A hand's points; `soft` while an ace counts eleven."""

    points: int
    soft: bool

    def __str__(self) -> str:
        return f"soft {self.points}" if self.soft else str(self.points)

    @property
    def bust(self) -> bool:
        """Above twenty-one."""
        return self.points > BEST


def value_of(card: Card) -> int:
    """The card's points, an ace as eleven; two cards of one value are a pair that may be split."""
    return 11 if card.rank == ACE else min(card.rank, TEN)


def is_ten(card: Card) -> bool:
    """A ten, jack, queen or king."""
    return card.rank >= TEN


def total_of(cards: Sequence[Card]) -> Total:
    """The best total of the cards."""
    points = sum(min(card.rank, TEN) for card in cards)
    soft = points + TEN <= BEST and any(card.rank == ACE for card in cards)
    return Total(points + TEN if soft else points, soft)


def is_blackjack(cards: Sequence[Card]) -> bool:
    """An ace with a card of ten as two cards; whether they are the first two, not after a split, the caller knows."""
    return len(cards) == 2 and any(card.rank == ACE for card in cards) and any(is_ten(card) for card in cards)


def may_be_blackjack(up: Card) -> bool:
    """True when a hole card can make a blackjack with this up card."""
    return up.rank == ACE or is_ten(up)


def dealer_draws(cards: Sequence[Card], *, hits_soft_17: bool) -> bool:
    """True when the drawing rule gives the dealer another card."""
    total = total_of(cards)
    if total.points == DEALER_STANDS and total.soft:
        return hits_soft_17
    return total.points < DEALER_STANDS


def one_suit(cards: Sequence[Card]) -> bool:
    """All of one suit."""
    return len({card.suit for card in cards}) == 1


def one_colour(cards: Sequence[Card]) -> bool:
    """All red or all black; suits run clubs, diamonds, hearts, spades."""
    return len({card.suit in (2, 3) for card in cards}) == 1

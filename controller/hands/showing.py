"""What lies open of a stud hand, ranked to say who opens and who bets first.

Showing hands rank as quads, trips, two pair, pair and high card; straights and flushes do not count before five cards. The lowest or
highest single up card opens the first betting; there, and only there, suits decide between equal ranks: clubs lowest, then diamonds,
hearts, spades. The ace is high in games for the high hand and low in games for the low one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from controller.hands.poker import high_rank
from firmware_bridge.cards import Card

Showing = tuple[tuple[int, ...], tuple[int, ...]]
"""How often the ranks occur, then the ranks in that order; compares as the hands do."""


def showing_high(cards: Sequence[Card]) -> Showing:
    """Return the rank of up to four open cards for the high hand; greater is higher. Unread cards count as nothing."""
    return _showing([high_rank(card.rank) for card in cards if card.code])


def showing_low(cards: Sequence[Card]) -> Showing:
    """Return the same with the ace low; smaller is the better low."""
    return _showing([card.rank for card in cards if card.code])


def _showing(ranks: Sequence[int]) -> Showing:
    ordered = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    return tuple(number for _, number in ordered), tuple(rank for rank, _ in ordered)


def door_high(card: Card) -> tuple[int, int]:
    """Return the rank of a single up card with its suit, the ace high."""
    return high_rank(card.rank), card.suit


def door_low(card: Card) -> tuple[int, int]:
    """Return the rank of a single up card with its suit, the ace low."""
    return card.rank, card.suit

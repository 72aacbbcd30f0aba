"""Ranking of low hands: ace to five, with or without the eight as its upper bound, and deuce to seven.

Ace to five: the ace is low, straights and flushes do not count, pairs do, and 5-4-3-2-A is the best hand. With `eight or better` only five
unpaired cards of eight and lower are a low at all. Deuce to seven turns the high ranking upside down: the ace is always high, straights
and flushes count against the hand, and 7-5-4-3-2 of mixed suits is the best one. A-2-3-4-5 is no straight there.

As everywhere in this package a higher value is a better hand and equal values are a tie. Suits are equal.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import high_rank, rank_name, rank_symbol
from firmware_bridge.cards import Card

HAND_SIZE: Final = 5
MAX_CARDS: Final = 9
"""Four own cards and five on the board, as in the high ranking."""
EIGHT: Final = 8
_TOP: Final = (1 << 24) - 1
"""Above every badness: three bits of category, five ranks of four bits."""
_SHAPES: Final = ((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 2), (4, 1))
"""How often the ranks of five cards occur, best low first; their place is the category where suits and straights do not count."""
_NO_PAIR, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(9)
_AGAINST: Final = {_STRAIGHT: "straight, ", _FLUSH: "flush, ", _STRAIGHT_FLUSH: "straight flush, "}
_IN_HIGH_ORDER: Final = (_NO_PAIR, _PAIR, _TWO_PAIR, _TRIPS, _FULL_HOUSE, _QUADS)


class LowHand(msgspec.Struct, frozen=True):
    """A ranked low hand. Compare `value`: higher is better, that is lower cards; equal is a tie."""

    value: int
    cards: tuple[Card, ...]
    """The five cards used, in the order in which they count against the hand: the highest first."""
    text: str
    """The hand in words, such as `7 5 4 3 2`."""


def ace_to_five_value(codes: Collection[int]) -> int:
    """Return the value of the best ace-to-five low of five to nine cards, given by their codes; always more than 0."""
    return _TOP - _badness([code & 15 for code in codes])


def eight_or_better_value(codes: Collection[int]) -> int:
    """Return the same where five unpaired cards are eight or lower, else 0: no low."""
    lowest = sorted({code & 15 for code in codes})[:HAND_SIZE]
    if len(lowest) < HAND_SIZE or lowest[-1] > EIGHT or lowest[0] < 1:
        return 0
    return _TOP - _packed(0, lowest[::-1])


def deuce_to_seven_value(codes: Sequence[int]) -> int:
    """Return the value of exactly five cards in the deuce-to-seven ranking."""
    ranks = _by_number([high_rank(code & 15) for code in codes])
    category = _IN_HIGH_ORDER[_SHAPES.index(_shape(ranks))]
    if category == _NO_PAIR:
        is_straight, is_flush = ranks[0] - ranks[-1] == HAND_SIZE - 1, len({code >> 4 for code in codes}) == 1
        category = (_NO_PAIR, _STRAIGHT, _FLUSH, _STRAIGHT_FLUSH)[is_straight + 2 * is_flush]
    return _TOP - _packed(category, ranks)


def evaluate_ace_to_five(cards: Sequence[Card]) -> LowHand:
    """Rank the best ace-to-five low of five to nine cards.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    _verify(cards, MAX_CARDS)
    return _low_hand(ace_to_five_value([card.code for card in cards]), cards, _low_rank)


def maybe_eight_or_better(cards: Sequence[Card]) -> LowHand | None:
    """Rank the best low of five to nine cards, or None when no five of them are unpaired and eight or lower.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    _verify(cards, MAX_CARDS)
    value = eight_or_better_value([card.code for card in cards])
    return _low_hand(value, cards, _low_rank) if value else None


def evaluate_deuce_to_seven(cards: Sequence[Card]) -> LowHand:
    """Rank five cards in the deuce-to-seven ranking.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    _verify(cards, HAND_SIZE)
    return _low_hand(deuce_to_seven_value([card.code for card in cards]), cards, lambda card: high_rank(card.rank))


def _verify(cards: Sequence[Card], most: int) -> None:
    if not HAND_SIZE <= len(cards) <= most:
        raise HandError(f"a low hand is ranked from {HAND_SIZE}{f' to {most}' if most > HAND_SIZE else ''} cards, not {len(cards)}")
    if any(not 1 <= card.rank <= 13 for card in cards):
        raise HandError("a joker or an unreadable card has no rank in a low hand")


def _badness(ranks: Sequence[int]) -> int:
    """The lowest five of the ranks, as a number that is smaller for a better low."""
    distinct = sorted(set(ranks))
    if len(distinct) >= HAND_SIZE:
        return _packed(0, distinct[HAND_SIZE - 1 :: -1])
    return min(_packed(_SHAPES.index(_shape(five)), _by_number(five)) for five in itertools.combinations(ranks, HAND_SIZE))


def _shape(ranks: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(Counter(ranks).values(), reverse=True))


def _by_number(ranks: Sequence[int]) -> list[int]:
    """The ranks as they count: those held more often first, then the higher ones."""
    counts = Counter(ranks)
    return sorted(ranks, key=lambda rank: (counts[rank], rank), reverse=True)


def _packed(category: int, ranks: Sequence[int]) -> int:
    value = category
    for rank in ranks:
        value = value << 4 | rank
    return value


def _low_rank(card: Card) -> int:
    return card.rank


def _low_hand(value: int, cards: Sequence[Card], rank_of: Callable[[Card], int]) -> LowHand:
    bad = _TOP - value
    ranks = [bad >> shift & 15 for shift in (16, 12, 8, 4, 0)]
    pool = list(cards)
    used = []
    for rank in ranks:
        card = next(card for card in pool if rank_of(card) == rank)
        pool.remove(card)
        used.append(card)
    return LowHand(value, tuple(used), _words(bad >> 20, ranks))


def _words(category: int, ranks: Sequence[int]) -> str:
    symbols = " ".join(rank_symbol(rank) for rank in ranks)
    paired = [rank_name(rank, plural=True) for rank, number in Counter(ranks).items() if number > 1]
    if paired:
        return f"{symbols}, with {' and '.join(paired)}"
    return f"{_AGAINST.get(category, '')}{symbols} low"

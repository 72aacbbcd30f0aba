"""Ranking of hands of one, two, four and five cards with a semi-wild joker, as the pai gow family plays it.

The joker is an ace, or any card that completes a straight, a flush, a straight flush or a royal flush; never another card of a pair.
In a hand of one or two cards it is an ace. In a flush it is the highest card of the suit that the hand lacks.

Two orders of kinds are known, low to high:

- five cards: the usual order of poker, with five aces on top;
- four cards (Asia poker): high card, pair, two pair, three of a kind, straight, flush, straight flush, royal flush, four of a kind.

Where the straight with a low ace (5-4-3-2-A, 4-3-2-A) stands is the house's choice: second only to the one with a high ace, or lowest.
Suits are equal. A value is one integer that compares as hands of the same number of cards do; hands of different sizes are compared by
`compare_ranks`, which says whether one hand of a seat may stand above another.
"""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import PokerCategory, high_rank, rank_name, rank_symbol
from firmware_bridge.cards import JOKER, UNREADABLE, Card

K = PokerCategory
_ACE: Final = 14
_NO_STRAIGHT: Final = 0
PAIRS_ONLY: Final = 2
"""Hands of so many cards or fewer have no straights and no flushes."""


class LowStraight(enum.StrEnum):
    """Where the straight with a low ace stands."""

    SECOND = "second"
    LOWEST = "lowest"


FIVE_CARD_ORDER: Final = (
    K.HIGH_CARD, K.PAIR, K.TWO_PAIR, K.THREE_OF_A_KIND, K.STRAIGHT, K.FLUSH, K.FULL_HOUSE, K.FOUR_OF_A_KIND, K.STRAIGHT_FLUSH,
    K.ROYAL_FLUSH, K.FIVE_OF_A_KIND,
)  # fmt: skip
FOUR_CARD_ORDER: Final = (
    K.HIGH_CARD, K.PAIR, K.TWO_PAIR, K.THREE_OF_A_KIND, K.STRAIGHT, K.FLUSH, K.STRAIGHT_FLUSH, K.ROYAL_FLUSH, K.FOUR_OF_A_KIND,
)  # fmt: skip
SHORT_ORDER: Final = (K.HIGH_CARD, K.PAIR)
_ORDERS: Final = {5: FIVE_CARD_ORDER, 4: FOUR_CARD_ORDER, 2: SHORT_ORDER, 1: SHORT_ORDER}
_LEVELS: Final = {size: {kind: level for level, kind in enumerate(order)} for size, order in _ORDERS.items()}
_KINDS: Final = {
    (5,): K.FIVE_OF_A_KIND, (4, 1): K.FOUR_OF_A_KIND, (4,): K.FOUR_OF_A_KIND, (3, 2): K.FULL_HOUSE, (3, 1, 1): K.THREE_OF_A_KIND,
    (3, 1): K.THREE_OF_A_KIND, (2, 2, 1): K.TWO_PAIR, (2, 2): K.TWO_PAIR, (2, 1, 1, 1): K.PAIR, (2, 1, 1): K.PAIR, (2,): K.PAIR,
}  # fmt: skip
RANKED_MOST: Final = 1 << 14
"""Sets of ranks that are kept once ranked: all of one house's hands of one, two, four and five cards, a few megabytes."""
COMPLETE: Final = frozenset({K.STRAIGHT, K.FLUSH, K.STRAIGHT_FLUSH, K.ROYAL_FLUSH})
"""Kinds in which the joker may be any card."""


def _runs(size: int, low_straight: LowStraight) -> tuple[tuple[int, tuple[int, ...], frozenset[int]], ...]:
    """(strength, ranks from the highest card, the same with the ace high) of every straight, the strongest first."""
    wheel = tuple(range(size, 0, -1))
    strengths = {tuple(range(high, high - size, -1)): high if high < _ACE else _ACE + 1 for high in range(_ACE, size, -1)}
    strengths[wheel] = _ACE if low_straight is LowStraight.SECOND else size
    falling = sorted(((strength, run) for run, strength in strengths.items()), reverse=True)
    return tuple((strength, run, frozenset(_ACE if rank == 1 else rank for rank in run)) for strength, run in falling)


_RUNS: Final = {(size, place): _runs(size, place) for size in (4, 5) for place in LowStraight}


class RankedHand(msgspec.Struct, frozen=True):
    """A ranked hand. Compare `value` with hands of the same size: higher is better, equal is a copy."""

    value: int
    category: PokerCategory
    ranks: tuple[int, ...]
    """In the order in which they count, ace 14; a straight from its highest card, the low ace 1."""

    @property
    def text(self) -> str:
        """The hand in words, such as `pair of queens`."""
        return _describe(self.category, self.ranks)


def rank_hand(cards: Sequence[Card], low_straight: LowStraight = LowStraight.SECOND) -> RankedHand:
    """Rank a hand of one, two, four or five cards. The deck has one joker; were there more in a hand, all of them would be aces.

    Raises:
        HandError: for another number of cards, or an unreadable card.
    """
    size = len(cards)
    if size not in _ORDERS:
        raise HandError(f"a hand of this family has one, two, four or five cards, not {size}")
    suited = [card for card in cards if card is not JOKER]
    if UNREADABLE in cards:
        raise HandError("an unreadable card has no rank")
    one_suit = len({card.suit for card in suited}) == 1
    return _ranked(tuple(sorted(high_rank(card.rank) for card in suited)), size, one_suit, low_straight)


@functools.lru_cache(maxsize=RANKED_MOST)
def _ranked(ranks: tuple[int, ...], size: int, one_suit: bool, low_straight: LowStraight) -> RankedHand:
    """The hand of these ranks and as many jokers as are missing."""
    jokers = size - len(ranks)
    best = _of_equal_ranks([*ranks, *[_ACE] * jokers], size)
    if size <= PAIRS_ONLY or jokers > 1:
        return best
    run, strength = _run(ranks, size, low_straight)
    for hand in _completed(ranks, size, run, strength, one_suit=one_suit):
        best = hand if hand.value > best.value else best
    return best


def _of_equal_ranks(ranks: Sequence[int], size: int) -> RankedHand:
    numbers = Counter(ranks)
    ordered = tuple(sorted(ranks, key=lambda rank: (numbers[rank], rank), reverse=True))
    kind = _KINDS.get(tuple(sorted(numbers.values(), reverse=True)), K.HIGH_CARD)
    return _hand(size, kind, ordered, ordered)


def _completed(ranks: Sequence[int], size: int, run: tuple[int, ...], strength: int, *, one_suit: bool) -> list[RankedHand]:
    """The straight and the flush of these cards, where they are one; a joker fills what is missing."""
    found = []
    if run:
        royal = run[0] == _ACE
        kind = (K.ROYAL_FLUSH if royal else K.STRAIGHT_FLUSH) if one_suit else K.STRAIGHT
        found.append(_hand(size, kind, run, (strength,) * size))
    if one_suit:
        held = [*ranks, next(rank for rank in range(_ACE, 1, -1) if rank not in ranks)] if len(ranks) < size else list(ranks)
        ordered = tuple(sorted(held, reverse=True))
        found.append(_hand(size, K.FLUSH, ordered, ordered))
    return found


def _run(ranks: Sequence[int], size: int, low_straight: LowStraight) -> tuple[tuple[int, ...], int]:
    """(the highest straight that these ranks make or that one card completes, its strength); an empty one when there is none."""
    held = frozenset(ranks)
    if len(held) == len(ranks) and (max(held) - min(held) < size or _ACE in held):
        for strength, run, members in _RUNS[size, low_straight]:
            if held <= members:
                return run, strength
    return (), _NO_STRAIGHT


def _hand(size: int, kind: PokerCategory, ranks: tuple[int, ...], keys: Sequence[int]) -> RankedHand:
    value = _LEVELS[size][kind]
    for key in keys:
        value = value << 4 | key
    return RankedHand(value, kind, ranks)


def compare_ranks(higher: RankedHand, lower: RankedHand) -> int:
    """1, 0 or -1 as the first hand ranks above, like or below the second, which has fewer cards, as far as its cards reach."""
    kinds = (min(_LEVELS[5][higher.category], 2), min(_LEVELS[5][lower.category], 2))
    if kinds[0] != kinds[1]:
        return 1 if kinds[0] > kinds[1] else -1
    if kinds[0] == 2:
        return 1
    most = min(len(higher.ranks), len(lower.ranks))
    one, other = higher.ranks[:most], lower.ranks[:most]
    return (one > other) - (one < other)


def _describe(kind: PokerCategory, ranks: tuple[int, ...]) -> str:
    first, last = ranks[0], ranks[-1]
    symbols = " ".join(rank_symbol(rank) for rank in ranks)
    match kind:
        case K.STRAIGHT | K.STRAIGHT_FLUSH:
            return f"{kind.value.replace('-', ' ')}, {rank_name(first)} high"
        case K.ROYAL_FLUSH:
            return "royal flush"
        case K.FLUSH:
            return f"flush, {symbols}"
        case K.FULL_HOUSE:
            return f"{rank_name(first, plural=True)} full of {rank_name(last, plural=True)}"
        case K.FIVE_OF_A_KIND | K.FOUR_OF_A_KIND | K.THREE_OF_A_KIND:
            number = {K.FIVE_OF_A_KIND: "five", K.FOUR_OF_A_KIND: "four", K.THREE_OF_A_KIND: "three"}[kind]
            return f"{number} {rank_name(first, plural=True)}"
        case K.TWO_PAIR:
            return f"{rank_name(first, plural=True)} and {rank_name(ranks[2], plural=True)}"
        case K.PAIR:
            return f"pair of {rank_name(first, plural=True)}"
        case _:
            return f"{symbols} high"

"""Ranking of hands of three or four cards: what the short rankings share.

Which kinds of hands exist, what they look like and how equal kinds are compared is the same everywhere; in which order the kinds stand
differs by game and is given. The ace is high, and low only in the lowest straight (3-2-A, 4-3-2-A). Suits are equal.

A value is one integer: the kind's level above the ranks of the cards in the order in which they count, four bits each (king 13, ace 14,
the low ace 1). Values compare as hands do, and the ranks can be read off.

Each card has a key with one three-bit counter for its rank; the sum of the keys is looked up in a table that fills itself (at most 455
sets of ranks for three cards, 1,820 for four, and as many again in one suit). Hands from several decks are ranked too: five and more equal
cards do not fit into four, and equal cards of one suit are what their ranks make them.

Jokers are no part of this file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from controller.hands.errors import HandError
from controller.hands.poker import PokerCategory, high_rank, rank_name, rank_symbol
from firmware_bridge.cards import FRENCH_CARDS, Card

_ACE: Final = 14
_KEYS: Final = {card.code: 1 << 3 * (high_rank(card.rank) - 2) for card in FRENCH_CARDS}
_KINDS: Final = {
    (4,): PokerCategory.FOUR_OF_A_KIND,
    (3,): PokerCategory.THREE_OF_A_KIND,
    (3, 1): PokerCategory.THREE_OF_A_KIND,
    (2, 2): PokerCategory.TWO_PAIR,
}


class ShortPoker:
    """One ranking: how many cards a hand has, and its kinds in rising order."""

    __slots__ = ("_flushes", "_levels", "_ranked", "order", "size")

    def __init__(self, size: int, order: tuple[PokerCategory, ...]) -> None:
        self.size, self.order = size, order
        self._levels = {kind: level for level, kind in enumerate(order)}
        self._ranked: dict[int, int] = {}
        self._flushes: dict[int, int] = {}

    def value(self, codes: Collection[int]) -> int:
        """Return the value of exactly `size` cards, given by their codes. The number of cards is the caller's promise.

        Raises:
            HandError: for a code that is no ranked card.
        """
        try:
            key = sum([_KEYS[code] for code in codes])
        except KeyError as no_card:
            raise HandError(f"card code {no_card.args[0]} has no rank in a poker hand") from None
        if len({code >> 4 for code in codes}) == 1:
            return self._flushes.get(key) or self._rank(self._flushes, key, one_suit=True)
        return self._ranked.get(key) or self._rank(self._ranked, key, one_suit=False)

    def category_of(self, value: int) -> PokerCategory:
        """Return the kind of a hand's value."""
        return self.order[(value >> 4 * self.size) - 1]

    def ranks_of(self, value: int) -> tuple[int, ...]:
        """Return the ranks in the order in which they count (ace 14, the low ace of a straight 1)."""
        return tuple(value >> 4 * place & 15 for place in reversed(range(self.size)))

    def cards_of(self, value: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Return these cards in the order in which they count."""
        places = [_ACE if rank == 1 else rank for rank in self.ranks_of(value)]
        return tuple(sorted(cards, key=lambda card: places.index(high_rank(card.rank))))

    def describe(self, value: int) -> str:
        """Return a hand in words, such as `pair of queens` or `K 9 4 high`."""
        ranks = self.ranks_of(value)
        first, last = ranks[0], ranks[-1]
        symbols = " ".join(rank_symbol(rank) for rank in ranks)
        match self.category_of(value):
            case PokerCategory.STRAIGHT_FLUSH | PokerCategory.STRAIGHT as kind:
                return f"{kind.value.replace('-', ' ')}, {rank_name(first)} high"
            case PokerCategory.FOUR_OF_A_KIND:
                return f"four {rank_name(first, plural=True)}"
            case PokerCategory.THREE_OF_A_KIND:
                return f"three {rank_name(first, plural=True)}"
            case PokerCategory.TWO_PAIR:
                return f"{rank_name(first, plural=True)} and {rank_name(last, plural=True)}"
            case PokerCategory.PAIR:
                return f"pair of {rank_name(first, plural=True)}"
            case PokerCategory.FLUSH:
                return f"flush, {symbols}"
            case _:
                return f"{symbols} high"

    def _rank(self, table: dict[int, int], key: int, *, one_suit: bool) -> int:
        numbers = {rank: key >> 3 * (rank - 2) & 7 for rank in range(2, _ACE + 1)}
        ranks = sorted((rank for rank in numbers for _ in range(numbers[rank])), key=lambda rank: (numbers[rank], rank), reverse=True)
        straight = self._straight(ranks)
        kind = _KINDS.get(tuple(sorted(Counter(ranks).values(), reverse=True)))
        if kind is None:
            kind = _of_suits(len(set(ranks)) == self.size, straight is not None, one_suit)
        if one_suit and self._levels[kind] < self._levels[PokerCategory.FLUSH]:
            kind, ranks = PokerCategory.FLUSH, sorted(ranks, reverse=True)
        value = self._levels[kind] + 1
        for rank in straight or ranks:
            value = value << 4 | rank
        table[key] = value
        return value

    def _straight(self, ranks: Sequence[int]) -> tuple[int, ...] | None:
        held = tuple(sorted(ranks, reverse=True))
        if held == tuple(range(held[0], held[0] - self.size, -1)):
            return held
        low = tuple(range(self.size, 0, -1))
        return low if held == (_ACE, *low[:-1]) else None


def _of_suits(unpaired: bool, straight: bool, one_suit: bool) -> PokerCategory:
    """The kind of a hand with at most one pair, before the flush of a pair (from several decks) is considered."""
    if straight:
        return PokerCategory.STRAIGHT_FLUSH if one_suit else PokerCategory.STRAIGHT
    if not unpaired:
        return PokerCategory.PAIR
    return PokerCategory.FLUSH if one_suit else PokerCategory.HIGH_CARD


def verify_cards(cards: Sequence[Card], least: int, most: int) -> None:
    """Refuse another number of cards, and cards without a rank.

    Raises:
        HandError: saying what was wrong.
    """
    if not least <= len(cards) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise HandError(f"this hand is ranked from {wanted} cards, not {len(cards)}")
    if not all(1 <= card.rank <= 13 for card in cards):
        raise HandError("a joker or an unreadable card has no rank in this hand")

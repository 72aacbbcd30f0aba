"""Ranking of poker hands: the best five of five to nine cards, from one or several decks.

Order, low to high: high card, pair, two pair, three of a kind, straight, flush, full house, four of a kind, five of a
kind, straight flush, royal flush, suited five of a kind. The categories with five equal ranks occur only with several
decks; their place is the house's order for such games. The ace is low in A-2-3-4-5 only, the lowest straight. Suits
are equal.

A value is one integer: the category in bits 20-23, below it the ranks of the five cards in the order in which they
count, four bits each (king 13, ace 14, the low ace 1). Values compare as hands do, and the five cards can be read off.

How a hand is ranked quickly: every card has a key with one four-bit counter for its suit and above them one decimal
digit for its rank. The keys of a hand are added up; up to nine cards fit each counter and each digit, and thirteen
digits and four counters fit the machine's own integers, which Python adds up twice as fast as longer ones. A suit
counter of five or more is a flush. The rank digits alone decide everything else and are looked up in a table that fills
itself, so that a hand costs one sum and one look-up after the first of its kind.

Jokers are no part of this file; hands of three and four cards are ranked in `controller.hands.short_poker`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from firmware_bridge.cards import FRENCH_CARDS, Card

MIN_CARDS: Final = 5
MAX_CARDS: Final = 9
"""Nine cards make the most that a decimal digit, or a counter of four bits and its flush test (plus three, bit 3), can
hold; hold 'em with four own cards and five on the board needs exactly these."""


class PokerCategory(enum.Enum):
    """Kinds of five-card hands, in rising order."""

    HIGH_CARD = "high-card"
    PAIR = "pair"
    TWO_PAIR = "two-pair"
    THREE_OF_A_KIND = "three-of-a-kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full-house"
    FOUR_OF_A_KIND = "four-of-a-kind"
    FIVE_OF_A_KIND = "five-of-a-kind"
    STRAIGHT_FLUSH = "straight-flush"
    ROYAL_FLUSH = "royal-flush"
    SUITED_FIVE_OF_A_KIND = "suited-five-of-a-kind"


CATEGORIES: Final = tuple(PokerCategory)
_LEVEL: Final = {category: index for index, category in enumerate(CATEGORIES)}
_OF_ONE_SUIT: Final = {
    PokerCategory.FLUSH,
    PokerCategory.STRAIGHT_FLUSH,
    PokerCategory.ROYAL_FLUSH,
    PokerCategory.SUITED_FIVE_OF_A_KIND,
}

_CATEGORY_SHIFT: Final = 20
LOWEST: Final = {category.value: index << _CATEGORY_SHIFT for index, category in enumerate(CATEGORIES)}
"""By the category's name: no hand of it has a lower value, and every hand of a lower category has."""
_SUITS_MASK: Final = 0xFFFF
_FIVE_OR_MORE: Final = 0x8888
_START: Final = 0x3333
"""Three in each suit counter, so that five cards of a suit set its highest bit."""
_LOW_ACE: Final = 1
_ACE: Final = 14
_WHEEL: Final = (5, 4, 3, 2, _LOW_ACE)


class PokerHand(msgspec.Struct, frozen=True, gc=False):
    """A ranked hand. Compare `value`: higher is better, equal is a tie. The rest is worked out when asked for."""

    value: int
    held: tuple[Card, ...]
    """All cards of the hand, five to nine."""

    @property
    def category(self) -> PokerCategory:
        return category_of(self.value)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The five cards used, in the order in which they count."""
        return _cards_used(self.value, self.held)

    @property
    def text(self) -> str:
        """The hand in words, such as `kings full of fours`."""
        return describe(self.value)


def hand_value(codes: Collection[int]) -> int:
    """Return the value of the best five of five to nine cards, given by their codes.

    This is the quick way: the number of cards is the caller's promise.

    Raises:
        HandError: for a code that is no ranked card.
    """
    try:
        key = sum(map(_KEY_OF, codes), _START)
    except KeyError as no_card:
        raise HandError(f"card code {no_card.args[0]} has no rank in a poker hand") from None
    value = _RANKED.get(key >> 16) or _rank_new(key >> 16)
    return max(value, _flush_value(codes, key)) if key & _FIVE_OR_MORE else value


def evaluate(cards: Sequence[Card]) -> PokerHand:
    """Rank the best five of five to nine cards.

    Raises:
        HandError: for another number of cards, or a card without rank (joker, unreadable).
    """
    if not MIN_CARDS <= len(cards) <= MAX_CARDS:
        raise HandError(f"a poker hand is ranked from {MIN_CARDS} to {MAX_CARDS} cards, not {len(cards)}")
    try:
        key = sum(map(_KEY_OF_CARD, cards), _START)
    except KeyError as no_card:
        raise HandError(f"card code {no_card.args[0].code} has no rank in a poker hand") from None
    value = _RANKED.get(key >> 16) or _rank_new(key >> 16)
    if key & _FIVE_OR_MORE:
        value = max(value, _flush_value([card.code for card in cards], key))
    return PokerHand(value, tuple(cards))


def category_of(value: int) -> PokerCategory:
    """Return the category of a hand's value."""
    return CATEGORIES[value >> _CATEGORY_SHIFT]


def ranks_of(value: int) -> tuple[int, ...]:
    """Return the ranks of the five cards in the order in which they count (ace 14, the low ace of a straight 1)."""
    return value >> 16 & 15, value >> 12 & 15, value >> 8 & 15, value >> 4 & 15, value & 15


def describe(value: int) -> str:
    """Return a hand in words, such as `kings full of fours` or `K Q J 9 4 high`."""
    return _TEXTS[value >> _CATEGORY_SHIFT](value)


_TEXT_OF: Final[dict[PokerCategory, Callable[[int], str]]] = {
    PokerCategory.HIGH_CARD: lambda value: f"{_symbols(ranks_of(value))} high",
    PokerCategory.PAIR: lambda value: f"pair of {_firsts(value)}",
    PokerCategory.TWO_PAIR: lambda value: f"{_firsts(value)} and {_PLURALS[value >> 8 & 15]}",
    PokerCategory.THREE_OF_A_KIND: lambda value: f"three {_firsts(value)}",
    PokerCategory.STRAIGHT: lambda value: f"straight, {_NAMES[value >> 16 & 15]} high",
    PokerCategory.FLUSH: lambda value: f"flush, {_symbols(ranks_of(value))}",
    PokerCategory.FULL_HOUSE: lambda value: f"{_firsts(value)} full of {_PLURALS[value & 15]}",
    PokerCategory.FOUR_OF_A_KIND: lambda value: f"four {_firsts(value)}",
    PokerCategory.FIVE_OF_A_KIND: lambda value: f"five {_firsts(value)}",
    PokerCategory.STRAIGHT_FLUSH: lambda value: f"straight flush, {_NAMES[value >> 16 & 15]} high",
    PokerCategory.ROYAL_FLUSH: lambda value: "royal flush",
    PokerCategory.SUITED_FIVE_OF_A_KIND: lambda value: f"five suited {_firsts(value)}",
}
_TEXTS: Final = tuple(_TEXT_OF[category] for category in CATEGORIES)
_NAMES: Final[tuple[str, ...]] = (
    "",
    "ace",
    *("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
)
_PLURALS: Final[tuple[str, ...]] = tuple(f"{name}es" if name == "six" else f"{name}s" for name in _NAMES)
_SYMBOLS: Final[tuple[str, ...]] = (*"?A23456789", "10", *"JQKA")


def rank_name(rank: int, *, plural: bool = False) -> str:
    """Return a rank in words, ace 14 or 1: `king`, `sixes`."""
    return _PLURALS[rank] if plural else _NAMES[rank]


def rank_symbol(rank: int) -> str:
    """Return a rank as printed on the card, ace 14 or 1: `K`, `10`."""
    return _SYMBOLS[rank]


def _firsts(value: int) -> str:
    return _PLURALS[value >> 16 & 15]


def _symbols(ranks: Iterable[int]) -> str:
    return " ".join(map(_SYMBOLS.__getitem__, ranks))


def high_rank(card_rank: int) -> int:
    """Return a card's rank with the ace high (14)."""
    return _ACE if card_rank == 1 else card_rank


_DIGIT: Final = 10
_RANKS: Final = 13


def _card_key(card: Card) -> int:
    return 1 << (4 * (card.suit - 1)) | int(_DIGIT ** (high_rank(card.rank) - 2)) << 16


_KEYS: Final = {card.code: _card_key(card) for card in FRENCH_CARDS}
_KEY_OF: Final = _KEYS.__getitem__
_KEY_OF_CARD: Final = {card: _KEYS[card.code] for card in FRENCH_CARDS}.__getitem__
_RANKED: Final[dict[int, int]] = {}
"""Value of each set of rank counters met so far, flushes apart."""
_FLUSHES: Final[dict[int, int]] = {}
"""Value of each set of rank counters of one suit met so far."""
_FLUSH_SUIT: Final = {8 << 4 * (suit - 1): suit for suit in range(1, 5)}
_RANKED_MAX: Final = 150_000
"""Five, six and seven cards of any number of decks have 75,140 sets of counters together, some 15 MB; beyond the limit
the rare sets of eight and nine cards are worked out each time."""


def _rank_new(counters: int) -> int:
    value = _quick_value(counters)
    if len(_RANKED) < _RANKED_MAX:
        _RANKED[counters] = value
    return value


_HALF: Final = 10**7
_HALF_RANKS: Final = 7
_MASKS: Final[dict[int, tuple[int, int, int, int, int]]] = {}
"""By the digits of half the ranks, deuce to eight or nine to ace: bits of the ranks held, and of those held twice, three times or more
often, three times, four times. Nine cards make at most 11,440 halves, and the usual ones are met soon."""
_WHEEL_BITS: Final = 0b1000000001111
"""Ace, deuce, three, four and five, the deuce as the lowest bit."""


def _quick_value(counters: int) -> int:
    """The best hand of rank digits when suits do not matter, worked out on all of them at once: each set of ranks is a mask of bits."""
    half, low_half = divmod(counters, _HALF)
    high, low = _MASKS.get(half) or _masks_new(half), _MASKS.get(low_half) or _masks_new(low_half)
    held, pairs, many = high[0] << _HALF_RANKS | low[0], high[1] << _HALF_RANKS | low[1], high[2] << _HALF_RANKS | low[2]
    threes = 0
    if many:
        threes, fours = high[3] << _HALF_RANKS | low[3], high[4] << _HALF_RANKS | low[4]
        if many != threes | fours:
            return _five_of_a_kind(_counts(counters))
        if fours:
            first, rest = _take(fours, held)
            return _FOUR | first * 0x11110 | rest.bit_length() + 1
        first, others = _take(threes, threes | pairs)
        if others:
            return _FULL | first * 0x11100 | (others.bit_length() + 1) * 0x11
    run = held & held >> 1 & held >> 2 & held >> 3 & held >> 4
    if run:
        return _STRAIGHT + (run.bit_length() + 1) * 0x11111
    if held & _WHEEL_BITS == _WHEEL_BITS:
        return _WHEEL_VALUE
    if threes:
        first, rest = _take(threes, held)
        return _THREE | first * 0x11100 | _highest(rest, 2)
    if not pairs:
        return _HIGH | _highest(held, 5)
    first, rest = _take(pairs, held)
    second_pair = pairs & rest
    if second_pair:
        second, rest = _take(second_pair, rest)
        return _TWO | first * 0x11000 | second * 0x110 | rest.bit_length() + 1
    return _PAIR | first * 0x11000 | _highest(rest, 3)


def _masks_new(half: int) -> tuple[int, int, int, int, int]:
    held = twos = many = threes = fours = 0
    bit, digits = 1, half
    while digits:
        digits, count = divmod(digits, _DIGIT)
        if count:
            held |= bit
            if count == 2:
                twos |= bit
            elif count > 2:
                many |= bit
                threes |= bit * (count == 3)
                fours |= bit * (count == 4)
        bit <<= 1
    _MASKS[half] = masks = held, twos, many, threes, fours
    return masks


def _take(bits: int, held: int) -> tuple[int, int]:
    """The highest of some ranks, and the held ones without it."""
    length = bits.bit_length()
    return length + 1, held & ~(1 << length - 1)


def _all_ranks() -> tuple[int, ...]:
    ranks = [0]
    for rank in range(2, _RANKS + 2):
        ranks += [rank << 4 * held.bit_count() | lower for held, lower in enumerate(ranks)]
    return tuple(ranks)


_RANKS_HELD: Final = _all_ranks()
"""By the bits of the ranks held: those ranks, the highest first, four bits each. The 8,192 entries are made in two milliseconds."""


def _highest(held: int, number: int) -> int:
    """The highest ranks, four bits each."""
    return _RANKS_HELD[held] >> 4 * (held.bit_count() - number)


def _counts(counters: int) -> list[int]:
    """Return the numbers of deuces to aces."""
    counts = []
    for _ in range(_RANKS):
        counters, number = divmod(counters, _DIGIT)
        counts.append(number)
    return counts


def _five_of_a_kind(counts: Sequence[int]) -> int:
    """Only one rank can be held five times among nine cards."""
    rank = next(rank for rank, number in enumerate(counts, 2) if number >= 5)
    return _value(PokerCategory.FIVE_OF_A_KIND, (rank,) * 5)


def _flush_value(codes: Iterable[int], key: int) -> int:
    suit = _FLUSH_SUIT[key & _FIVE_OR_MORE]
    ranks = sum(_KEYS[code] for code in codes if code >> 4 == suit) >> 16
    return _FLUSHES.get(ranks) or _flush_new(ranks)


def _flush_new(counters: int) -> int:
    """The usual flush on masks of bits, as `_quick_value`; equal cards and straights are counted one by one."""
    half, low_half = divmod(counters, _HALF)
    high, low = _MASKS.get(half) or _masks_new(half), _MASKS.get(low_half) or _masks_new(low_half)
    held = high[0] << _HALF_RANKS | low[0]
    run = held & held >> 1 & held >> 2 & held >> 3 & held >> 4
    if run or held & _WHEEL_BITS == _WHEEL_BITS or high[1] or low[1] or high[2] or low[2]:
        value = _value_of_one_suit(_counts(counters))
    else:
        value = _FLUSH | _highest(held, 5)
    if len(_FLUSHES) < _RANKED_MAX:
        _FLUSHES[counters] = value
    return value


def _value_of_one_suit(counts: Sequence[int]) -> int:
    """Return the best flush that the numbers of deuces to aces of one suit make."""
    for rank, number in enumerate(counts, 2):
        if number >= 5:
            return _value(PokerCategory.SUITED_FIVE_OF_A_KIND, (rank,) * 5)
    ranks = [rank for rank in range(_ACE, 1, -1) for _ in range(counts[rank - 2])]
    straight = _straight(ranks)
    if not straight:
        return _value(PokerCategory.FLUSH, ranks[:5])
    royal = straight[0] == _ACE
    return _value(PokerCategory.ROYAL_FLUSH if royal else PokerCategory.STRAIGHT_FLUSH, straight)


def _straight(ranks: Iterable[int]) -> tuple[int, ...] | None:
    """Return the highest straight among these ranks."""
    held = set(ranks)
    for high in range(_ACE, 5, -1):
        run = tuple(range(high, high - 5, -1))
        if held.issuperset(run):
            return run
    return _WHEEL if held.issuperset((_ACE, 2, 3, 4, 5)) else None


def _value(category: PokerCategory, ranks: Iterable[int]) -> int:
    value = _LEVEL[category]
    for rank in ranks:
        value = value << 4 | rank
    return value


_HIGH: Final = _LEVEL[PokerCategory.HIGH_CARD] << _CATEGORY_SHIFT
_PAIR: Final = _LEVEL[PokerCategory.PAIR] << _CATEGORY_SHIFT
_TWO: Final = _LEVEL[PokerCategory.TWO_PAIR] << _CATEGORY_SHIFT
_THREE: Final = _LEVEL[PokerCategory.THREE_OF_A_KIND] << _CATEGORY_SHIFT
_STRAIGHT: Final = (_LEVEL[PokerCategory.STRAIGHT] << _CATEGORY_SHIFT) + 0x43210
"""Plus the lowest rank five times."""
_WHEEL_VALUE: Final = _value(PokerCategory.STRAIGHT, _WHEEL)
_FLUSH: Final = _LEVEL[PokerCategory.FLUSH] << _CATEGORY_SHIFT
_FULL: Final = _LEVEL[PokerCategory.FULL_HOUSE] << _CATEGORY_SHIFT
_FOUR: Final = _LEVEL[PokerCategory.FOUR_OF_A_KIND] << _CATEGORY_SHIFT


def _cards_used(value: int, cards: Sequence[Card]) -> tuple[Card, ...]:
    pool = list(cards)
    if category_of(value) in _OF_ONE_SUIT:
        suit = next(s for s in range(1, 5) if sum(card.suit == s for card in cards) >= 5)
        pool = [card for card in cards if card.suit == suit]
    used: list[Card] = []
    for rank in ranks_of(value):
        card = next(card for card in pool if high_rank(card.rank) == (_ACE if rank == _LOW_ACE else rank))
        pool.remove(card)
        used.append(card)
    return tuple(used)

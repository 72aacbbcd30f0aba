"""Four-card holdings by name, for rules that a casino defines itself, such as the "natural" of Fast Action Hold 'Em.

A holding is a name and a question that four cards answer with yes or no. Several can hold at once: four equal cards
are four of a kind, two pair and, from several decks, suited pairs. A rule is therefore an ordered list of names, and
the first that holds is the one announced. The ace is high, and low in A-2-3-4 only.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import high_rank
from firmware_bridge.cards import Card

HAND_SIZE: Final = 4


class UnknownHoldingError(HandError):
    """A configured name that no holding has."""


class Holdings(msgspec.Struct, frozen=True):
    """An ordered list of holdings, by name; make it with `parse_holdings`."""

    names: tuple[str, ...]

    def named(self, cards: Sequence[Card]) -> str | None:
        """Return the first of the names that these four cards satisfy.

        Raises:
            HandError: for another number of cards, or a card without rank.
        """
        _verify_four(cards)
        return next((name for name in self.names if HOLDINGS[name](cards)), None)


def parse_holdings(names: Sequence[str]) -> Holdings:
    """Check configured names and return them as a rule.

    Raises:
        UnknownHoldingError: for a name that no holding has; the message tells the nearest one.
    """
    for name in names:
        if name not in HOLDINGS:
            near = difflib.get_close_matches(name, HOLDINGS, n=1, cutoff=0.0)
            raise UnknownHoldingError(f"'{name[:40]}' is no four-card holding; the nearest is '{near[0]}'")
    if len(set(names)) != len(names):
        raise UnknownHoldingError("a four-card holding is named twice")
    return Holdings(tuple(names))


def _numbers(cards: Sequence[Card]) -> list[int]:
    return sorted(Counter(card.rank for card in cards).values(), reverse=True)


def is_four_of_a_kind(cards: Sequence[Card]) -> bool:
    """Four cards of one rank."""
    return _numbers(cards) == [4]


def is_four_suited(cards: Sequence[Card]) -> bool:
    """Four cards equal in rank and suit."""
    return len({card.code for card in cards}) == 1


def is_three_of_a_kind(cards: Sequence[Card]) -> bool:
    """Three or four cards of one rank."""
    return _numbers(cards)[0] >= 3


def is_two_pair(cards: Sequence[Card]) -> bool:
    """Two pairs, also of the same rank."""
    return _numbers(cards) in ([2, 2], [4])


def is_pair(cards: Sequence[Card]) -> bool:
    """Two cards of one rank, or more."""
    return _numbers(cards)[0] >= 2


def suited_pairs(cards: Sequence[Card]) -> int:
    """Return how many pairs of cards equal in rank and suit can be laid out."""
    return sum(number // 2 for number in Counter(card.code for card in cards).values())


def is_suited_pair(cards: Sequence[Card]) -> bool:
    """Two cards equal in rank and suit."""
    return suited_pairs(cards) >= 1


def is_two_suited_pairs(cards: Sequence[Card]) -> bool:
    """Two pairs, each of cards equal in rank and suit."""
    return suited_pairs(cards) == 2


def is_flush(cards: Sequence[Card]) -> bool:
    """Four cards of one suit."""
    return len({card.suit for card in cards}) == 1


def is_straight(cards: Sequence[Card]) -> bool:
    """Four ranks in a row."""
    ranks = sorted(high_rank(card.rank) for card in cards)
    return ranks == [2, 3, 4, 14] or ranks == list(range(ranks[0], ranks[0] + HAND_SIZE))


def is_straight_flush(cards: Sequence[Card]) -> bool:
    """Four ranks in a row in one suit."""
    return is_flush(cards) and is_straight(cards)


def is_four_aces(cards: Sequence[Card]) -> bool:
    """Four aces."""
    return all(card.rank == 1 for card in cards)


HOLDINGS: Final[dict[str, Callable[[Sequence[Card]], bool]]] = {
    "four-suited": is_four_suited,
    "four-aces": is_four_aces,
    "four-of-a-kind": is_four_of_a_kind,
    "straight-flush": is_straight_flush,
    "two-suited-pairs": is_two_suited_pairs,
    "three-of-a-kind": is_three_of_a_kind,
    "flush": is_flush,
    "straight": is_straight,
    "two-pair": is_two_pair,
    "suited-pair": is_suited_pair,
    "pair": is_pair,
}


def _verify_four(cards: Sequence[Card]) -> None:
    if len(cards) != HAND_SIZE:
        raise HandError(f"a four-card holding is asked of four cards, not {len(cards)}")
    if not all(1 <= card.rank <= 13 for card in cards):
        raise HandError("a joker or an unreadable card belongs to no four-card holding")

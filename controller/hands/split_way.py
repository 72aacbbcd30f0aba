"""House ways that split four cards into a high and a low hand of two, as an ordered list of preferences.

No such list is in the law: each casino files its own, so none is built in. The first line that applies to any of the
three possible splits decides, and among the splits it applies to the one that the line ranks highest. The better of
the two hands is always the high one; when both are equal, what that means is the game's rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.house_way import HouseWayError, Row, parse_rank, parse_rows, verify_ranked
from controller.hands.poker import high_rank
from controller.hands.two_card import TwoCardCategory, TwoCardHand, evaluate_two
from firmware_bridge.cards import Card

HAND_SIZE: Final = 4
_SPLITS: Final = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))


class HighLow(msgspec.Struct, frozen=True):
    """Four cards set as two hands."""

    high: TwoCardHand
    low: TwoCardHand
    line: int
    """Line of the house way that decided, counted from 1; 0 for a split that no line made."""

    @property
    def is_equal(self) -> bool:
        """Whether the high hand does not outrank the low one."""
        return self.high.value == self.low.value


class SplitPreference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a house way for two hands."""

    def strength(self, split: HighLow) -> tuple[int, int] | None:
        """Return None if the line does not apply to this split, else what to compare the splits by."""
        raise NotImplementedError

    @property
    def is_always_satisfied(self) -> bool:
        """Whether it applies to any four cards, so that a list may end here."""
        return False


class _PairLimits(SplitPreference, frozen=True):
    at_least: str | None = None
    """Lowest rank of the pair."""
    at_most: str | None = None
    """Highest rank of the pair."""
    beside_at_least: str | None = None
    """Rank that the highest of the other two cards must reach."""

    def __post_init__(self) -> None:
        for text in (self.at_least, self.at_most, self.beside_at_least):
            if text is not None:
                parse_rank(text)

    def admits(self, pair_rank: int, others: Sequence[int]) -> bool:
        return (
            (self.at_least is None or pair_rank >= parse_rank(self.at_least))
            and (self.at_most is None or pair_rank <= parse_rank(self.at_most))
            and (self.beside_at_least is None or max(others) >= parse_rank(self.beside_at_least))
        )


class PairHigh(_PairLimits, frozen=True):
    """A pair as the high hand, the other two cards as the low one (which may be a pair too)."""

    def strength(self, split: HighLow) -> tuple[int, int] | None:
        if split.high.category is not TwoCardCategory.PAIR:
            return None
        if not self.admits(_ranks(split.high)[0], _ranks(split.low)):
            return None
        return split.high.value, split.low.value


class SplitPair(_PairLimits, frozen=True):
    """The two cards of a pair in different hands, each with another card."""

    def strength(self, split: HighLow) -> tuple[int, int] | None:
        high, low = _ranks(split.high), _ranks(split.low)
        for rank in sorted(set(high) & set(low), reverse=True):
            others = [*high, *low]
            others.remove(rank)
            others.remove(rank)
            if self.admits(rank, others):
                return split.high.value, split.low.value
        return None


class HighestHigh(SplitPreference, frozen=True):
    """The split with the highest high hand."""

    def strength(self, split: HighLow) -> tuple[int, int] | None:
        return split.high.value, split.low.value

    @property
    def is_always_satisfied(self) -> bool:
        return True


class HighestLow(SplitPreference, frozen=True):
    """The split with the highest low hand that the high hand still matches or beats."""

    def strength(self, split: HighLow) -> tuple[int, int] | None:
        return split.low.value, split.high.value

    @property
    def is_always_satisfied(self) -> bool:
        return True


SPLIT_PREFERENCES: Final[dict[str, type[SplitPreference]]] = {
    "pair-high": PairHigh,
    "split-pair": SplitPair,
    "highest-high": HighestHigh,
    "highest-low": HighestLow,
}


def splits_of(cards: Sequence[Card]) -> tuple[HighLow, ...]:
    """Return the three ways to split four cards into two hands.

    Raises:
        HandError: for another number of cards, or a card without rank.
    """
    if len(cards) != HAND_SIZE:
        raise HandError(f"a high and a low hand are set from four cards, not {len(cards)}")
    verify_ranked(cards)
    return tuple(_as_high_low(evaluate_two([cards[i] for i in a]), evaluate_two([cards[i] for i in b])) for a, b in _SPLITS)


def set_high_low(preferences: Sequence[SplitPreference], cards: Sequence[Card]) -> HighLow:
    """Return the split that the house way asks for.

    Raises:
        HandError: for another number of cards, or a card without rank.
        HouseWayError: when no line applies, which a list from `parse_split_way` rules out.
    """
    splits = splits_of(cards)
    for line, preference in enumerate(preferences, 1):
        rated = [(preference.strength(split), split) for split in splits]
        applying = [(strength, split) for strength, split in rated if strength is not None]
        if applying:
            best = max(applying, key=lambda rating: rating[0])[1]
            return HighLow(best.high, best.low, line)
    raise HouseWayError("no line of the house way applies: its last line must be `highest-high` or `highest-low`")


def parse_split_way(rows: Sequence[Row]) -> tuple[SplitPreference, ...]:
    """Return a house way for two hands from rows such as `{ prefer = "split-pair", beside_at_least = "K" }`.

    Raises:
        HouseWayError: naming the line, and the nearest valid word where one is misspelt.
    """
    preferences = parse_rows(rows, SPLIT_PREFERENCES)
    if not preferences or not preferences[-1].is_always_satisfied:
        raise HouseWayError("the last line of a house way for two hands must be `highest-high` or `highest-low`")
    return preferences


def _as_high_low(one: TwoCardHand, other: TwoCardHand) -> HighLow:
    return HighLow(one, other, 0) if one.value >= other.value else HighLow(other, one, 0)


def _ranks(hand: TwoCardHand) -> tuple[int, int]:
    first, second = hand.cards
    return high_rank(first.rank), high_rank(second.rank)

"""The variants of poker as data: how many cards a player gets, how the streets go, and which hands take the pot.

A variant has one or two halves of the pot. Each half ranks a player's own cards with the board; None means that the hand takes no part
in it, such as a hand without a low of eight or better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from controller.hands.badugi import evaluate_badugi
from controller.hands.low import evaluate_ace_to_five, evaluate_deuce_to_seven, maybe_eight_or_better
from controller.hands.omaha import evaluate_omaha, maybe_omaha_low
from controller.hands.poker import evaluate
from firmware_bridge.cards import Card

Cards: TypeAlias = "Sequence[Card]"
Ranked: TypeAlias = "tuple[int, str]"
"""(value, hand in words); a higher value is better."""
Half: TypeAlias = "Callable[[Cards, Cards], Ranked | None]"


class Family(StrEnum):
    BOARD = "board"
    DRAW = "draw"
    STUD = "stud"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One variant. `own` cards are each player's at the showdown; `halves` are (name, ranking), one unnamed where the pot is not split."""

    title: str
    family: Family
    own: int
    halves: tuple[tuple[str, Half], ...]
    draws: int = 0
    opens_high: bool = False
    """Stud for the low hand: the highest up card opens, then the lowest showing hand is first."""

    def cards_needed(self, seats: int) -> int:
        """The cards that a round with so many players takes, burns included; with draws, one new card for each player."""
        match self.family:
            case Family.BOARD:
                return self.own * seats + 5 + 3
            case Family.DRAW:
                return self.own * seats + self.draws + seats
            case Family.STUD if self.own == 7:
                return 3 * seats + 3 * (seats + 1) + 1
            case Family.STUD:
                return 2 * seats + 3 * (seats + 1)


def _high(own: Cards, board: Cards) -> Ranked:
    hand = evaluate((*own, *board))
    return hand.value, hand.text


def _omaha_high(own: Cards, board: Cards) -> Ranked:
    hand = evaluate_omaha(own, board)
    return hand.value, hand.text


def _omaha_low(own: Cards, board: Cards) -> Ranked | None:
    low = maybe_omaha_low(own, board)
    return (low.value, low.text) if low is not None else None


def _eight_or_better(own: Cards, board: Cards) -> Ranked | None:
    low = maybe_eight_or_better((*own, *board))
    return (low.value, low.text) if low is not None else None


def _ace_to_five(own: Cards, board: Cards) -> Ranked:
    low = evaluate_ace_to_five((*own, *board))
    return low.value, low.text


def _deuce_to_seven(own: Cards, board: Cards) -> Ranked:
    low = evaluate_deuce_to_seven((*own, *board))
    return low.value, low.text


def _badugi(own: Cards, board: Cards) -> Ranked:
    hand = evaluate_badugi(own)
    return hand.value, hand.text


HIGH: Final = (("", _high),)
ACE_TO_FIVE: Final = (("", _ace_to_five),)
DEUCE_TO_SEVEN: Final = (("", _deuce_to_seven),)
OMAHA: Final = (("", _omaha_high),)
OMAHA_HIGH_LOW: Final[tuple[tuple[str, Half], ...]] = (("high", _omaha_high), ("low", _omaha_low))
HIGH_LOW: Final[tuple[tuple[str, Half], ...]] = (("high", _high), ("low", _eight_or_better))

BOARD, DRAW, STUD = Family.BOARD, Family.DRAW, Family.STUD
VARIANTS: Final[dict[str, Variant]] = {
    "holdem": Variant(title="Hold 'Em", family=BOARD, own=2, halves=HIGH),
    "omaha": Variant(title="Omaha", family=BOARD, own=4, halves=OMAHA),
    "omaha-high-low": Variant(title="Omaha High-Low", family=BOARD, own=4, halves=OMAHA_HIGH_LOW),
    "five-card-omaha": Variant(title="Five-Card Omaha", family=BOARD, own=5, halves=OMAHA),
    "five-card-omaha-high-low": Variant(title="Five-Card Omaha High-Low", family=BOARD, own=5, halves=OMAHA_HIGH_LOW),
    "seven-card-stud": Variant(title="Seven-Card Stud", family=STUD, own=7, halves=HIGH),
    "seven-card-stud-high-low": Variant(title="Seven-Card Stud High-Low", family=STUD, own=7, halves=HIGH_LOW),
    "seven-card-stud-low": Variant(title="Seven-Card Stud Low", family=STUD, own=7, halves=ACE_TO_FIVE, opens_high=True),
    "five-card-stud": Variant(title="Five-Card Stud", family=STUD, own=5, halves=HIGH),
    "five-card-draw": Variant(title="Five-Card Draw", family=DRAW, own=5, halves=HIGH, draws=1),
    "ace-to-five-draw": Variant(title="Ace-to-Five Draw", family=DRAW, own=5, halves=ACE_TO_FIVE, draws=1),
    "deuce-to-seven-draw": Variant(title="Deuce-to-Seven Draw", family=DRAW, own=5, halves=DEUCE_TO_SEVEN, draws=1),
    "triple-draw": Variant(title="Deuce-to-Seven Triple Draw", family=DRAW, own=5, halves=DEUCE_TO_SEVEN, draws=3),
    "ace-to-five-triple-draw": Variant(title="Ace-to-Five Triple Draw", family=DRAW, own=5, halves=ACE_TO_FIVE, draws=3),
    "badugi": Variant(title="Badugi", family=DRAW, own=4, halves=(("", _badugi),), draws=3),
}

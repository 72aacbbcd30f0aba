"""Omaha hands: exactly two cards of the player's own and three of the board, high and low apart.

The two halves may use different cards. Any number of own cards from two is taken, so that four-card and five-card Omaha are one ranking.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from controller.hands.errors import HandError
from controller.hands.low import LowHand, eight_or_better_value, maybe_eight_or_better
from controller.hands.poker import PokerHand, evaluate, hand_value
from firmware_bridge.cards import Card

OWN: Final = 2
OF_BOARD: Final = 3
BOARD: Final = 5


def evaluate_omaha(own: Sequence[Card], board: Sequence[Card]) -> PokerHand:
    """Rank the best high hand of two own cards and three of a board of five.

    Raises:
        HandError: for too few own cards, another board, or a card without rank.
    """
    best = max(_fives(own, board), key=lambda five: hand_value([card.code for card in five]))
    return evaluate(best)


def maybe_omaha_low(own: Sequence[Card], board: Sequence[Card]) -> LowHand | None:
    """Rank the best low, eight or better, of two own cards and three of the board; None when there is none.

    Raises:
        HandError: for too few own cards, another board, or a card without rank.
    """
    best = max(_fives(own, board), key=lambda five: eight_or_better_value([card.code for card in five]))
    return maybe_eight_or_better(best)


def _fives(own: Sequence[Card], board: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    if len(own) < OWN or len(board) != BOARD:
        raise HandError(f"an Omaha hand takes two of the player's cards and three of a board of five, not of {len(own)} and {len(board)}")
    return (two + three for two in itertools.combinations(own, OWN) for three in itertools.combinations(board, OF_BOARD))

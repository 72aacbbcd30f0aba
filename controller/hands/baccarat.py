"""Baccarat: point counts, naturals, and the tables that say when a third card is drawn.

A table of the Banker's draws is data: for each two-card count of 0 to 7 a row of eleven cells, the first for a Player who stayed, the
others for the value of the Player's third card, 0 to 9. `D` draws, `S` stays, `O` leaves it to the banker. The value is the third
card's own, not the Player's new count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from controller.hands.errors import HandError
from firmware_bridge.cards import JOKER, UNREADABLE, Card

NATURALS: Final = (8, 9)
"""Counts that end the draw when two cards make them."""
TEN: Final = 10
"""Tens and court cards count nothing; only the last digit of a sum counts."""

Tableau = Mapping[int, str]

FORCED_TABLEAU: Final[Tableau] = {
    #    s0123456789
    0: "DDDDDDDDDDD",
    1: "DDDDDDDDDDD",
    2: "DDDDDDDDDDD",
    3: "DDDDDDDDDSD",
    4: "DSSDDDDDDSS",
    5: "DSSSSDDDDSS",
    6: "SSSSSSSDDSS",
    7: "SSSSSSSSSSS",
}
"""Where nobody chooses: punto banco and minibaccarat."""

CHEMIN_TABLEAU: Final[Tableau] = {
    **FORCED_TABLEAU,
    3: "DDDDDDDDDSO",
    5: "DSSSSODDDSS",
}
"""Chemin de fer: the banker is free with 3 against a nine and with 5 against a four."""

FORCED_PLAYER: Final = "DDDDDDSS"
"""The Player's draw by two-card count, 0 to 7."""
CHEMIN_PLAYER: Final = "DDDDDOSS"
"""In chemin de fer the Player is free with 5."""


class Play(Enum):
    """What a table says of a third card."""

    DRAW = "D"
    STAY = "S"
    FREE = "O"


def value_of(card: Card) -> int:
    """What one card counts.

    Raises:
        HandError: an unread card or a joker, which count nothing known.
    """
    if card is UNREADABLE or card is JOKER:
        raise HandError(f"a baccarat hand cannot hold {'an unread card' if card is UNREADABLE else 'a joker'}")
    rank = card.code & 0x0F
    return rank if rank < TEN else 0


def burn_value(card: Card) -> int:
    """How many further cards the first card of a shoe burns: tens and court cards burn ten."""
    return value_of(card) or TEN


def count(cards: Sequence[Card]) -> int:
    """The point count of a hand: the last digit of the sum."""
    return sum(map(value_of, cards)) % TEN


def is_natural(cards: Sequence[Card]) -> bool:
    """Whether the first two cards count 8 or 9."""
    return len(cards) >= 2 and count(cards[:2]) in NATURALS


def player_play(two_cards: int, row: str = FORCED_PLAYER) -> Play:
    """The Player's play with this two-card count when neither hand is a natural."""
    return Play(row[two_cards]) if two_cards < len(row) else Play.STAY


def banker_play(two_cards: int, third: Card | None, tableau: Tableau = FORCED_TABLEAU) -> Play:
    """The Banker's play with this two-card count against the Player's third card; None: the Player stayed."""
    row = tableau.get(two_cards)
    if row is None:
        return Play.STAY
    return Play(row[0] if third is None else row[1 + value_of(third)])


def hand_name(cards: Sequence[Card]) -> str:
    """A hand in words: `natural 9`, `7`, `three-card 8`."""
    points = count(cards)
    if len(cards) == 2 and points in NATURALS:
        return f"natural {points}"
    return f"three-card {points}" if len(cards) == 3 else str(points)

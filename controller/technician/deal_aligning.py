"""What was read, laid beside what must have left: which card was read as which, which came unread, which never came.

The deck goes round and round, so a deal may begin anywhere in it (somebody cut it, or went away and came back), and it may run over the
end into the next one. A reader does not only misread: two cards leave as one, or one is told twice, and everything behind is then out of
step. So the whole deal is laid beside the deck in the way that explains it with the least trouble, as texts are compared.

Pure: no device, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from firmware_bridge.cards import UNREADABLE, Card

WRONG: Final = 3
"""Cheaper than a card that never came and another that came from nowhere: one wrong word is the simpler story."""
UNREAD: Final = 2
MISSED: Final = 4
EXTRA: Final = 4
ELSEWHERE: Final = 6
"""For a deal that begins neither at the top of the deck nor where the last one ended: two wrong words are the simpler story still."""
SLACK: Final = 16
"""Cards that may be missed in one deal beyond those read; more is not this deck."""
_DIAGONAL, _MISSED, _EXTRA = 0, 1, 2


class Laid(msgspec.Struct, frozen=True):
    """One step of a deal. `place` is the deck's, from 0, None for a card that no place explains; `read` None: a card that never came.

    `index` is the number of the reading, from 0; of a card that never came, the one after it.
    """

    place: int | None
    read: Card | None
    index: int


class Deal(msgspec.Struct, frozen=True):
    """A deal laid beside its deck."""

    steps: tuple[Laid, ...]
    begins: int
    """The deck's place of its first card."""
    ends: int
    """The place after its last card: where the next one begins if nobody touches the cards."""
    alike: int
    """Readings that are the expected card."""


def lay_beside(deck: Sequence[Card], read: Sequence[Card], expected: int) -> Deal:
    """Lay one deal, which most likely begins at place `expected` or 0, beside its deck."""
    size, rows = len(deck), len(read)
    columns = size + rows + SLACK
    costs = [0 if at in (0, expected) else ELSEWHERE if at < size else _NEVER for at in range(columns + 1)]
    ways: list[bytearray] = []
    for card in read:
        costs, way = _next_row(costs, deck, card)
        ways.append(way)
    at = min(range(columns + 1), key=costs.__getitem__)
    return _walk_back(deck, read, ways, at)


_NEVER: Final = 1 << 30


def _next_row(above: list[int], deck: Sequence[Card], card: Card) -> tuple[list[int], bytearray]:
    size = len(deck)
    failed = UNREAD if card is UNREADABLE else WRONG
    here = [above[0] + EXTRA]
    way = bytearray([_EXTRA])
    left = here[0]
    for column in range(1, len(above)):
        best, step = above[column - 1] + (0 if deck[(column - 1) % size] is card else failed), _DIAGONAL
        if left + MISSED < best:
            best, step = left + MISSED, _MISSED
        if above[column] + EXTRA < best:
            best, step = above[column] + EXTRA, _EXTRA
        here.append(best)
        way.append(step)
        left = best
    return here, way


def _walk_back(deck: Sequence[Card], read: Sequence[Card], ways: list[bytearray], at: int) -> Deal:
    size, row, end = len(deck), len(read), at
    steps: list[Laid] = []
    while row:
        match ways[row - 1][at]:
            case 0:
                row, at = row - 1, at - 1
                steps.append(Laid(at % size, read[row], row))
            case 1:
                at -= 1
                steps.append(Laid(at % size, None, row))
            case _:
                row -= 1
                steps.append(Laid(None, read[row], row))
    steps.reverse()
    alike = sum(step.place is not None and step.read is deck[step.place] for step in steps)
    return Deal(tuple(steps), at % size, end % size, alike)

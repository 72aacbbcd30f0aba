"""What one table of a soak did, in numbers."""

from __future__ import annotations

import msgspec


class Figures(msgspec.Struct):
    """What one table did."""

    rounds: int = 0
    void: int = 0
    acts: int = 0
    refused: dict[str, int] = {}
    """Acts refused, by code."""
    uncertain: int = 0
    """Acts whose answer was lost."""
    cards: int = 0
    cards_unattended: int = 0
    """Cards pulled while no daemon lived."""
    alarms: dict[str, int] = {}
    irregularities: dict[str, int] = {}


def add_counts(mine: dict[str, int], more: dict[str, int]) -> None:
    """Add counts by name."""
    for name, count in more.items():
        mine[name] = mine.get(name, 0) + count

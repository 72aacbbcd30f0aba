"""Ratios, not times: both sides of a goal are measured in one run, in turn, and the medians are compared.

A side is a function that does its work once and returns how long that took (seconds per unit of work), so that set-up stays outside.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TypedDict

ROUNDS = 7
"""Pairs per goal: the median of seven is steady on a shared machine and a goal still takes seconds."""


class Goal(TypedDict):
    """One measured goal: what is ours, what it is compared with, and whether the wanted ratio holds."""

    goal: str
    what: str
    ours: float
    peer: float
    ratio: float
    limit: float
    ok: bool


def in_turn(ours: Callable[[], float], peer: Callable[[], float], rounds: int = ROUNDS) -> tuple[float, float]:
    """Medians of both sides, measured alternately after one warm-up of each."""
    ours(), peer()
    pairs = [(ours(), peer()) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def at_most(goal: str, what: str, ours: float, peer: float, limit: float) -> Goal:
    """A goal whose ratio ours / peer must not exceed `limit`."""
    ratio = ours / peer
    return Goal(goal=goal, what=what, ours=ours, peer=peer, ratio=round(ratio, 3), limit=limit, ok=ratio <= limit)


def at_least(goal: str, what: str, ours: float, peer: float, limit: float) -> Goal:
    """A goal whose ratio ours / peer must reach `limit` (both are rates)."""
    ratio = ours / peer
    return Goal(goal=goal, what=what, ours=ours, peer=peer, ratio=round(ratio, 3), limit=limit, ok=ratio >= limit)

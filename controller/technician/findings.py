"""What a technician's command found: rows for a listing, and sentences for what is not in order."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One thing that is not in order."""

    problem: str
    do: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a listing, and the problems that they show; `good` is said when there is none."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, object], ...]
    problems: tuple[Problem, ...] = ()
    good: str = ""

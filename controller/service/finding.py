"""What a check of the doctor's found: good, worth a look, or wrong, with one sentence and what to do now."""

from __future__ import annotations

from enum import Enum

import msgspec


class Grade(Enum):
    """How a check ended."""

    GOOD = "good"
    LOOK = "look"
    """Not wrong for this program, and somebody should look at it."""
    WRONG = "wrong"


class Finding(msgspec.Struct, frozen=True):
    """One check's result."""

    check: str
    grade: Grade
    what: str
    do: str = ""

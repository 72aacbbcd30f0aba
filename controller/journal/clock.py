"""The two clocks that the journal stamps entries with (EQ-86): wall time for people, monotonic time for deciding.

Nothing in the journal reads the time by itself: it asks the clock it was given.
"""

from __future__ import annotations

import time
from typing import Protocol


class JournalClock(Protocol):
    """What the journal asks for the time."""

    def wall_ms(self) -> int:
        """Return milliseconds since 1970 in UTC; may jump and go back."""

    def mono_ns(self) -> int:
        """Return nanoseconds of a clock that never goes back while the machine runs."""


class SystemClock:
    """The machine's own clocks."""

    __slots__ = ()

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def mono_ns(self) -> int:
        return time.monotonic_ns()

"""The timer of a session's next deadline, which moves away with every frame.

It is set anew only for an earlier deadline. One that goes off too early finds out and goes on waiting, so the usual case, a
deadline that moves away, costs nothing. It knows neither session nor device.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable


class DueTimer:
    """Calls `due` when the deadline is reached; it runs on one loop from `begin` on."""

    __slots__ = ("_clock", "_due", "_handle", "_loop", "_next_deadline", "goes_off_s")

    def __init__(self, next_deadline: Callable[[], float | None], due: Callable[[float], None], clock: Callable[[], float]) -> None:
        """`next_deadline`: when something is due, None for never. `due` is given the time; it may not wait."""
        self._next_deadline, self._due, self._clock = next_deadline, due, clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handle: asyncio.TimerHandle | None = None
        self.goes_off_s = math.inf
        """When it goes off, infinity while it is not set: never later than the deadline that was asked for last."""

    def begin(self) -> None:
        """Run on the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def look(self) -> None:
        """See that it goes off no later than the next deadline."""
        due_s = self._next_deadline()
        if due_s is None or due_s >= self.goes_off_s or self._loop is None:
            return
        self.stop()
        self.goes_off_s = due_s
        self._handle = self._loop.call_later(max(0.0, due_s - self._clock()), self._go_off)

    def stop(self) -> None:
        """Forget the deadline; may be called twice."""
        if self._handle is not None:
            self._handle.cancel()
        self._handle, self.goes_off_s = None, math.inf

    def _go_off(self) -> None:
        self._handle, self.goes_off_s = None, math.inf
        due_s, now_s = self._next_deadline(), self._clock()
        if due_s is None or due_s > now_s:
            self.look()
        else:
            self._due(now_s)

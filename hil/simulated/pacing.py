"""The pace of a slow serial line: bytes handed over at once arrive one after the other, as fast as the baud rate lets them. Pure.

Bytes that would arrive within the same two milliseconds come together, as a USB adapter hands them over; nothing here reads a clock.
"""

from __future__ import annotations

from collections import deque
from typing import Final

TOGETHER_S: Final = 0.002
"""A full-speed adapter's shortest latency timer is 1 ms; timers of an event loop are no finer."""


class PacedLine:
    """One direction of a line. `byte_s`: how long one byte takes; 0 lets everything through at once."""

    def __init__(self, byte_s: float) -> None:
        self._byte_s = byte_s
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._free_at_s = 0.0
        self._piece = max(1, int(TOGETHER_S / byte_s)) if byte_s > 0 else 0

    @property
    def is_idle(self) -> bool:
        """Whether everything has arrived."""
        return not self._waiting

    def clear(self) -> None:
        """Lose what is under way."""
        self._waiting.clear()
        self._free_at_s = 0.0

    def feed(self, content: bytes, now_s: float) -> None:
        """Hand bytes to the line."""
        if not content:
            return
        if not self._piece:
            self._waiting.append((now_s, content))
            return
        at_s = max(now_s, self._free_at_s)
        for begin in range(0, len(content), self._piece):
            piece = content[begin : begin + self._piece]
            at_s += len(piece) * self._byte_s
            self._waiting.append((at_s, piece))
        self._free_at_s = at_s

    def take(self, now_s: float) -> list[bytes]:
        """Return what has arrived by now, in order."""
        arrived = []
        while self._waiting and self._waiting[0][0] <= now_s:
            arrived.append(self._waiting.popleft()[1])
        return arrived

    def next_due_s(self) -> float | None:
        """Return when something arrives next."""
        return self._waiting[0][0] if self._waiting else None

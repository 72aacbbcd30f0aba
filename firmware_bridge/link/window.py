"""The sending half of go-back-N (SDP/1 1.4): which DATA frames are under way, and when they go again.

SEQ counts modulo 16. Up to W frames are unacknowledged; an acknowledgement is cumulative, and one outside the window
is ignored. Messages that find the window full wait in order. A message is sealed when it gets its SEQ, so that the
seal's counter and SEQ grow together, with the seal that was in force when it was handed over. A frame that goes again
is the same bytes but for RTX, ACK and checksum.

The window knows no time: when to repeat is decided by `LinkEnd`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from firmware_bridge.errors import NotReadyError
from firmware_bridge.link.limits import QUEUE_MAX, SEQ_MODULO
from firmware_bridge.seal import Sealer


class Flight(NamedTuple):
    """A DATA frame under way."""

    seq: int
    ctl: int
    body: bytes


class Waiting(NamedTuple):
    """A message that has no SEQ yet."""

    message: bytes
    sealer: Sealer | None


class SendWindow:
    """DATA on its way to the other side."""

    __slots__ = ("_flights", "_next_seq", "_waiting", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._next_seq = 0
        self._flights: deque[Flight] = deque()
        self._waiting: deque[Waiting] = deque()

    @property
    def under_way(self) -> int:
        return len(self._flights)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def has_room(self) -> bool:
        """Tell whether a message handed over now would go out at once."""
        return not self._waiting and len(self._flights) < self.size

    def put(self, message: bytes, sealer: Sealer | None) -> None:
        """Hand over a message.

        Raises:
            NotReadyError: too many wait already.
        """
        if len(self._waiting) >= QUEUE_MAX:
            raise NotReadyError(f"{QUEUE_MAX} messages wait for the link already")
        self._waiting.append(Waiting(message, sealer))

    @property
    def has_next(self) -> bool:
        """Tell whether a message waits and the window has a place for it."""
        return bool(self._waiting) and len(self._flights) < self.size

    def take_next(self) -> tuple[int, Waiting]:
        """Return the next message that may go, with its SEQ; `start` must follow."""
        return self._next_seq, self._waiting.popleft()

    def start(self, flight: Flight) -> None:
        """Take note that this frame is under way."""
        self._flights.append(flight)
        self._next_seq = (flight.seq + 1) % SEQ_MODULO

    def acknowledge(self, ack: int) -> bool:
        """Drop what the other side has; tell whether anything was."""
        if not self._flights:
            return False
        count = (ack - self._flights[0].seq) % SEQ_MODULO
        if count == 0 or count > len(self._flights):
            return False
        for _ in range(count):
            self._flights.popleft()
        return True

    def flights(self) -> Iterator[Flight]:
        """Return the frames under way, oldest first."""
        return iter(self._flights)

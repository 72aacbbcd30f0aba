"""The sending half of go-back-N (SDP/1 1.4): which DATA frames are under way, and when they go again.

SEQ counts modulo 16. Up to W frames are unacknowledged; an acknowledgement is cumulative, and one outside the window
is ignored. Messages that find the window full wait in order. A message is sealed when it gets its SEQ, so that the
seal's counter and SEQ grow together, with the seal that was in force when it was handed over. A frame that goes again
is the same bytes but for RTX, ACK and checksum.

The window knows no time: when to repeat is decided by `LinkEnd`.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from firmware_bridge.errors import NotReadyError
from firmware_bridge.link.limits import QUEUE_MAX, SEQ_MODULO
from firmware_bridge.seal import Sealer


class Flight(msgspec.Struct, frozen=True, gc=False):
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

    __slots__ = ("flights", "next_seq", "size", "waiting")

    def __init__(self, size: int) -> None:
        self.size = size
        self.next_seq = 0
        """The SEQ of the next frame."""
        self.flights: list[Flight] = []
        """Frames under way, oldest first; a handful, so a list is quick and a tenth of a deque."""
        self.waiting: list[Waiting] = []

    @property
    def has_room(self) -> bool:
        """Tell whether a message handed over now would go out at once."""
        return not self.waiting and len(self.flights) < self.size

    def put(self, message: bytes, sealer: Sealer | None) -> None:
        """Hand over a message.

        Raises:
            NotReadyError: too many wait already.
        """
        if len(self.waiting) >= QUEUE_MAX:
            raise NotReadyError(f"{QUEUE_MAX} messages wait for the link already")
        self.waiting.append(Waiting(message, sealer))

    def maybe_next(self) -> Waiting | None:
        """Return the next message that may go; `start` must follow."""
        return self.waiting.pop(0) if self.waiting and len(self.flights) < self.size else None

    def start(self, ctl: int, body: bytes) -> int:
        """Take note that this frame is under way; return its SEQ."""
        seq = self.next_seq
        self.flights.append(Flight(seq, ctl, body))
        self.next_seq = (seq + 1) % SEQ_MODULO
        return seq

    def acknowledge(self, ack: int) -> bool:
        """Drop what the other side has; tell whether anything was."""
        flights = self.flights
        if not flights:
            return False
        count = (ack - flights[0].seq) % SEQ_MODULO
        if count == 0 or count > len(flights):
            return False
        del flights[:count]
        return True

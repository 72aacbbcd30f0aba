"""The device's own memory of events: it survives loss of power and never drops what the host has not acknowledged.

Capacity and meaning are those of SDP/1 1.7: the last 1,000 events at least; an unacknowledged event is never
overwritten. When only such events are left the memory is full, which is device error 0E. A small reserve lets the
device still write down that very error and the gate that it locks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice

from firmware_bridge.session.device import JournalFullError, StoredEvent

CAPACITY = 1000
"""SDP/1 1.7: at least the last 1,000 events."""

RESERVE = 64
"""Room for the events that say that the memory is full: error, gate, broken act, and a start."""


class DeviceJournal:
    """Events in order of their numbers, the newest last. Numbers begin at 1 and have no gap."""

    def __init__(self, capacity: int = CAPACITY, first_eseq: int = 1) -> None:
        self._capacity = capacity
        self._kept: deque[StoredEvent] = deque()
        self._newest = first_eseq - 1
        self._acknowledged = first_eseq - 1
        self.appended = 0

    @property
    def oldest(self) -> int:
        """Number of the oldest event kept; one more than `newest` when none is."""
        return self._newest - len(self._kept) + 1

    @property
    def newest(self) -> int:
        return self._newest

    @property
    def acknowledged(self) -> int:
        """Number up to which the host has stored everything."""
        return self._acknowledged

    @property
    def unacknowledged(self) -> int:
        return self._newest - max(self._acknowledged, self.oldest - 1)

    @property
    def is_full(self) -> bool:
        """True while nothing but unacknowledged events is kept: error 0E, and its cause lasts."""
        return self.unacknowledged >= self._capacity

    def append(self, event: StoredEvent) -> None:
        """Write one event down.

        Raises:
            JournalFullError: when even the reserve holds only unacknowledged events; nothing was written.
        """
        if event.eseq != self._newest + 1:
            raise ValueError(f"event {event.eseq} after {self._newest}: numbers have no gap")
        if self.unacknowledged >= self._capacity + RESERVE:
            raise JournalFullError("the device's event memory holds only unacknowledged events")
        self._kept.append(event)
        self._newest = event.eseq
        self.appended += 1
        while len(self._kept) > self._capacity and self.oldest <= self._acknowledged:
            self._kept.popleft()

    def from_(self, eseq: int) -> Iterable[StoredEvent]:
        """Return the events kept from this number on, in order."""
        return islice(self._kept, max(0, eseq - self.oldest), None)

    def ack(self, eseq: int) -> None:
        """Take the host's word that it has stored everything up to this number."""
        self._acknowledged = max(self._acknowledged, min(eseq, self._newest))

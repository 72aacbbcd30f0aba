"""Event numbers as the host sees them (SDP/1 1.7): which is due, which came before, where the gap is.

Two marks: `wanted` is the next event to be delivered, `durable` the last one whose owner has stored it. Only what is
durable is acknowledged, and EVENT_RESUME asks from `durable` + 1, because asking for n acknowledges all before n. What
lies between the marks was delivered and may come again: it is recognised by number and content and has no second effect.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from firmware_bridge.session.limits import EVENTS_UNACKNOWLEDGED_MAX, RECENT_EVENTS


class Arrival(Enum):
    """What an event's number and content say of it."""

    NEW = "new"
    REPEATED = "repeated"
    CHANGED = "changed"
    """Came before with other content."""
    GAP = "gap"
    FLOOD = "flood"
    """More than may be unacknowledged."""


class EventIntake:
    """The marks and the contents of recent events."""

    __slots__ = ("_content_of", "_recent", "durable", "replayed_to", "wanted")

    def __init__(self, first_wanted: int, content_of: Callable[[bytes], bytes]) -> None:
        """`content_of` returns what of a message must not differ when it is repeated."""
        self._content_of = content_of
        self.wanted = first_wanted
        self.durable = first_wanted - 1
        self.replayed_to = 0
        """Events up to this one happened before the last EVENT_RESUME."""
        self._recent: list[bytes | None] = [None] * RECENT_EVENTS
        """The last events delivered, each at its number modulo the length; None where none is known."""

    def judge(self, eseq: int, message: bytes) -> Arrival:
        """Say what this event is; a new one counts as delivered."""
        if eseq > self.wanted:
            return Arrival.GAP
        if eseq < self.wanted:
            known = self._recent[eseq % RECENT_EVENTS] if self.wanted - eseq <= RECENT_EVENTS else None
            same = known is None or self._content_of(known) == self._content_of(message)
            return Arrival.REPEATED if same else Arrival.CHANGED
        if self.wanted - self.durable > EVENTS_UNACKNOWLEDGED_MAX:
            return Arrival.FLOOD
        self.deliver(eseq, message)
        return Arrival.NEW

    def deliver(self, eseq: int, message: bytes) -> None:
        """The due event counts as delivered."""
        self._recent[eseq % RECENT_EVENTS] = message
        self.wanted = eseq + 1

    def maybe_lost(self, oldest: int) -> tuple[int, int] | None:
        """Return first and last event that the device no longer has, and go on after them."""
        if oldest <= self.wanted:
            return None
        lost = (self.wanted, oldest - 1)
        for eseq in range(self.wanted, min(oldest, self.wanted + RECENT_EVENTS)):
            self._recent[eseq % RECENT_EVENTS] = None  # so many places have moved out of reach
        self.wanted = oldest
        self.durable = oldest - 1
        return lost

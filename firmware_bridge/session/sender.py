"""The device's side of the event stream (SDP/1 1.7): in order, at most 8 unacknowledged, again when nobody answers.

Nothing is sent until EVENT_RESUME says where to begin; RST and a new session stop it again. An event that went before,
or is older than the resume, goes with the replay flag where it has flags, and otherwise unchanged.
"""

from __future__ import annotations

from itertools import islice

from firmware_bridge.codec import Codec
from firmware_bridge.link.device import DeviceLink
from firmware_bridge.session.limits import EVENT_ACK_LOST_S, EVENT_REPEATS_S, EVENTS_UNACKNOWLEDGED_MAX
from firmware_bridge.session.mechanism import EventJournal


class EventSender:
    """Sends the journal's events."""

    def __init__(self, codec: Codec, link: DeviceLink, journal: EventJournal) -> None:
        self._codec = codec
        self._link = link
        self._journal = journal
        self._enabled = False
        self._next = 1
        self._acked = 0
        self._sent_to = 0
        self._replayed_to = 0
        self._waiting_since: float | None = None
        self._repeats = 0

    @property
    def is_resumed(self) -> bool:
        return self._enabled

    def stop(self) -> None:
        """Send nothing until the next EVENT_RESUME."""
        self._enabled = False
        self._waiting_since = None

    def resume(self, first_wanted: int) -> bool:
        """Begin with `first_wanted`, which acknowledges all before it; False: there is no such event yet or next."""
        newest = self._journal.newest
        if first_wanted > newest + 1:
            return False
        self._journal.ack(first_wanted - 1)
        self._next = max(first_wanted, self._journal.oldest)
        self._acked = self._next - 1
        self._sent_to = self._acked
        self._replayed_to = newest
        self._waiting_since = None
        self._repeats = 0
        self._enabled = True
        return True

    def acknowledge(self, eseq: int, now: float) -> None:
        """Take EVENT_ACK; one for events that were not sent, or were acknowledged, says nothing."""
        if not self._enabled or not self._acked < eseq <= self._sent_to:
            return
        self._acked = eseq
        self._next = max(self._next, eseq + 1)
        self._repeats = 0
        self._waiting_since = now if self._sent_to > eseq else None
        self._journal.ack(eseq)

    def pump(self, now: float) -> None:
        """Send what may be sent."""
        if not self._enabled or not self._link.is_up:
            return
        room = self._acked + EVENTS_UNACKNOWLEDGED_MAX + 1 - self._next
        if room <= 0 or self._next > self._journal.newest:
            return
        for event in islice(self._journal.from_(self._next), room):
            if not self._link.has_room:
                return
            replayed = event.eseq <= self._sent_to or event.eseq <= self._replayed_to
            message = self._codec.write_event(event.name, event.eseq, event.t_ms, event.payload, replayed=replayed)
            self._link.send(message, now)
            self._sent_to = max(self._sent_to, event.eseq)
            self._next = event.eseq + 1
            if self._waiting_since is None:
                self._waiting_since = now

    def tick(self, now: float) -> bool:
        """Repeat from the oldest when nothing is acknowledged; False: for so long that the link is lost."""
        if not self._enabled or self._waiting_since is None:
            return True
        # Sums, as in `next_deadline`: a difference may round to just below the limit at the very deadline.
        if now >= self._waiting_since + EVENT_ACK_LOST_S:
            return False
        due = sum(now >= self._waiting_since + limit for limit in EVENT_REPEATS_S)
        if due > self._repeats:
            self._repeats = due
            self._next = self._acked + 1
        return True

    def next_deadline(self) -> float | None:
        if not self._enabled or self._waiting_since is None:
            return None
        limits = (*EVENT_REPEATS_S, EVENT_ACK_LOST_S)
        return self._waiting_since + limits[min(self._repeats, len(limits) - 1)]

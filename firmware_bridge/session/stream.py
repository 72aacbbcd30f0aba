"""The host's side of the event stream: what arrives in order, what comes again, what is missing, what to acknowledge.

While a gap is open nothing is taken but what is due; EVENT_RESUME asks for it once, and again only when the answer did
not close it. Acknowledgements wait for a free place in the link's window and only the newest is sent: it is cumulative.
"""

from __future__ import annotations

from typing import NamedTuple

from device_profiles.errors import FieldError
from firmware_bridge.errors import MisuseError
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.session.intake import Arrival, EventIntake
from firmware_bridge.session.outputs import EventArrived, EventGap, EventRepeated, EventsLost, IdentityMismatch, RefusalKind, Refused
from firmware_bridge.session.pipe import HostPipe


class Refusal(NamedTuple):
    """The device is not the one it should be."""

    kind: RefusalKind
    expected: str
    actual: str

    def output(self, epoch: int) -> Refused:
        """Return what the owner is told."""
        output = IdentityMismatch if self.kind is RefusalKind.IDENTITY else Refused
        return output(epoch, self.kind, self.expected, self.actual)


class EventStream:
    """Events of one device."""

    __slots__ = ("_link", "_pipe", "_write_ack", "ack_due", "gap_resumes", "intake", "is_open")

    def __init__(self, pipe: HostPipe, first_wanted: int) -> None:
        self._pipe = pipe
        self.intake = EventIntake(first_wanted, pipe.codec.event_content)
        self._link = pipe.link
        self._write_ack = pipe.codec.write_event_ack
        self.is_open = False
        """Whether acknowledgements may be sent: not while a session is made (SDP/1 1.10)."""
        self.ack_due = False
        """Whether something durable is not acknowledged yet."""
        self.gap_resumes = 0
        """How often EVENT_RESUME was asked for the gap that is open."""

    @property
    def wanted(self) -> int:
        return self.intake.wanted

    @property
    def durable(self) -> int:
        return self.intake.durable

    def begin(self) -> None:
        """The link is a new one: EVENT_RESUME will acknowledge what is durable."""
        self.ack_due = False
        self.gap_resumes = 0

    def knows(self, newest: int) -> bool:
        """Tell whether a device whose newest event this is can be the one that sent what was delivered."""
        return newest >= self.intake.wanted - 1

    def refusal(self) -> Refusal:
        """Return why a device that does not is refused."""
        return Refusal(RefusalKind.HISTORY, f"every event before {self.wanted}", "fewer events than that")

    def resumed(self, oldest: int, newest: int) -> None:
        """Take the answer to EVENT_RESUME."""
        self.intake.replayed_to = newest
        lost = self.intake.maybe_lost(oldest)
        if lost is not None:
            self._pipe.tell(EventsLost(self._pipe.link.epoch, *lost))

    def take(self, code: int, message: bytes) -> bool:
        """Take one event; True: events are missing before it."""
        try:
            eseq, _ = self._pipe.codec.read_event_numbers(message)
        except FieldError:
            self._pipe.fault(FaultKind.BAD_MESSAGE)
            return False
        match self.intake.judge(eseq, message):
            case Arrival.NEW:
                self._deliver(code, message, eseq)
            case Arrival.REPEATED:
                again = eseq <= self.intake.durable
                self.ack_due = self.ack_due or again
                self._pipe.tell(EventRepeated(self._pipe.link.epoch, eseq, again))
            case Arrival.CHANGED:
                self._pipe.fault(FaultKind.EVENT_CHANGED)
            case Arrival.FLOOD:
                self._pipe.fault(FaultKind.EVENT_FLOOD)
            case Arrival.GAP:
                return True
        return False

    def took_due(self, now: float) -> None:
        """The due event was delivered past this stream: what a gap or the window had held up goes on."""
        self.gap_resumes = 0
        self.flush(now)

    def tell_gap(self, message: bytes) -> None:
        """Tell the owner that an event is missing before this one."""
        seen, _ = self._pipe.codec.read_event_numbers(message)
        self._pipe.tell(EventGap(self._pipe.link.epoch, self.intake.wanted, seen))

    def acknowledge(self, eseq: int, now: float) -> None:
        """Take note that everything up to `eseq` is durable, and say so at once when the window has room.

        Raises:
            MisuseError: the event was never delivered.
        """
        intake = self.intake
        if eseq > intake.durable:
            if eseq >= intake.wanted:
                raise MisuseError(f"event {eseq} was never delivered, so it cannot be stored")
            intake.durable = eseq
        elif not self.ack_due:
            return
        write_ack = self._write_ack
        self.ack_due = not (self.is_open and self._link.maybe_send(write_ack(intake.durable), now))

    def flush(self, now: float) -> None:
        """Send the acknowledgement that is due, when the window has room."""
        if self.ack_due and self._link.maybe_send(self._write_ack(self.intake.durable), now):
            self.ack_due = False

    def _deliver(self, code: int, message: bytes, eseq: int) -> None:
        replayed = eseq <= self.intake.replayed_to
        self.gap_resumes = 0
        try:
            event = self._pipe.codec.read_event(code, message, replayed=replayed)
        except FieldError:
            # It has a number, so it counts and is acknowledged; what it says is lost, and the fault says so.
            self._pipe.fault(FaultKind.BAD_MESSAGE)
            event = self._pipe.codec.unknown_event(code, message, replayed=replayed)
        self._pipe.tell(EventArrived(self._pipe.link.epoch, event))

"""Ears on a line that speaks SDP/1: one on what the device says, one on what the other host says.

The device numbers its events, so an ear knows what it missed. A frame that was damaged for the host too comes again a moment later, behind
others; so events wait for those before them, at most a window of them and at most `WAIT_S`, and then what is still missing is told as
lost: an ear cannot ask for it. A sealed session tells a third party nothing: the line counts as lost while it lasts.
"""

from __future__ import annotations

from typing import Final

from device_profiles.errors import FieldError
from firmware_bridge.codec import Codec
from firmware_bridge.ear.base import Ear
from firmware_bridge.events import DeviceEvent, JournalLost, Status
from firmware_bridge.framing import CobsFramer, FrameFault
from firmware_bridge.link.faults import FRAME_FAULT_KINDS, FaultKind, LossCause
from firmware_bridge.link.frames import SEC, FrameKind, kind_of
from firmware_bridge.link.limits import HEADER_SIZE
from firmware_bridge.link.line import Line
from firmware_bridge.round_events import HostAsked
from firmware_bridge.session.intake import Arrival, EventIntake
from firmware_bridge.session.limits import EVENTS_UNACKNOWLEDGED_MAX
from firmware_bridge.session.outputs import (
    EventRepeated,
    HostOutput,
    HostState,
    Identified,
    IdentityMismatch,
    LinkLost,
    LinkUp,
    RefusalKind,
    Running,
)

WAIT_S: Final = 2.0
"""Longer than all retries of a frame take (SDP/1 1.4)."""
_SESSION: Final = frozenset({"identify", "capabilities", "status", "session_open", "session_auth", "session_close", "event_resume", "echo"})
"""What a host asks for the line's own sake; not told."""


class DeviceEar(Ear):
    """What a device of SDP/1 says to another host. `expected_serial` is compared when that host asks for it."""

    def __init__(self, codec: Codec, line: Line, first_wanted: int, expected_serial: str | None = None) -> None:
        super().__init__(first_wanted)
        self._codec = codec
        self._framer = CobsFramer(codec.profile.framing, pauses=line.pauses)
        self._intake: EventIntake | None = EventIntake(first_wanted, codec.event_content) if first_wanted > 1 else None
        self._expected = expected_serial
        self._waiting: dict[int, tuple[int, bytes]] = {}
        """Events by number that came before one that is missing: code and message."""
        self._give_up_s: float | None = None
        self._is_sealed = False

    def next_deadline(self) -> float | None:
        return self._give_up_s

    def _begin(self, now_s: float) -> None:
        self._framer.reset()
        self._is_sealed = False

    def _hear(self, chunk: bytes, now_s: float) -> None:
        for found in self._framer.feed(chunk, now_s):
            if isinstance(found, FrameFault):
                self._fault(FRAME_FAULT_KINDS[found])
            elif (kind := kind_of(found)) is None:
                self._fault(FaultKind.BAD_FRAME)
            elif kind is FrameKind.DATA:
                self._hear_data(found, now_s)

    def _hear_data(self, frame: bytes, now_s: float) -> None:
        if frame[0] & SEC:
            self._hear_sealed()
            return
        if self._is_sealed:
            self._is_sealed = False
            self._tell(LinkUp(self.epoch, 0, restarted=False))
            self._tell(Running(self.epoch, self._standing.status(), self._first_wanted, self._standing.eseq))
        message = frame[HEADER_SIZE:]
        try:
            message_class, code, _ = self._codec.read_header(message)
            if message_class == self._codec.classes.event:
                self._hear_event(code, message, now_s)
            elif message_class == self._codec.classes.response:
                self._hear_response(code, message)
        except FieldError:
            self._fault(FaultKind.BAD_MESSAGE)

    def _hear_sealed(self) -> None:
        if not self._is_sealed:
            self._is_sealed = True
            self._tell(LinkLost(self.epoch, LossCause.WRONG_SEAL, "its session is sealed, and tells a third party nothing"))

    # ---- events in their order

    def _hear_event(self, code: int, message: bytes, now_s: float) -> None:
        eseq, _ = self._codec.read_event_numbers(message)
        if self._intake is None:  # nothing was ever heard of it: its numbers begin anywhere
            self._intake = EventIntake(eseq, self._codec.event_content)
        self._judge(self._intake, eseq, code, message)
        self._take_waiting(self._intake)
        if len(self._waiting) > EVENTS_UNACKNOWLEDGED_MAX:
            self._tell_lost(self._intake)
        if not self._waiting:
            self._give_up_s = None
        elif self._give_up_s is None:
            self._give_up_s = now_s + WAIT_S

    def _judge(self, intake: EventIntake, eseq: int, code: int, message: bytes) -> None:
        match intake.judge(eseq, message):
            case Arrival.NEW:
                self._deliver(intake, code, message)
            case Arrival.GAP:
                self._waiting[eseq] = code, message
            case Arrival.CHANGED:
                self._fault(FaultKind.EVENT_CHANGED)
            case Arrival.REPEATED | Arrival.FLOOD:
                self._tell(EventRepeated(self.epoch, eseq, reacknowledged=True))

    def _deliver(self, intake: EventIntake, code: int, message: bytes) -> None:
        intake.durable = intake.wanted - 1
        try:
            event = self._codec.read_event(code, message, replayed=False)
        except FieldError:
            self._fault(FaultKind.BAD_MESSAGE)
            event = self._codec.unknown_event(code, message, replayed=False)
        self._pass_on(event)

    def _pass_on(self, event: DeviceEvent) -> None:
        self._standing.eseq = event.eseq
        self._tell_event(event)

    def _take_waiting(self, intake: EventIntake) -> None:
        while (found := self._waiting.pop(intake.wanted, None)) is not None:
            self._judge(intake, intake.wanted, *found)

    def tick(self, now_s: float) -> list[HostOutput]:
        if self._give_up_s is not None and now_s >= self._give_up_s and self._intake is not None:
            self._tell_lost(self._intake)
        return super().tick(now_s)

    def _tell_lost(self, intake: EventIntake) -> None:
        """The missing ones do not come any more: the last of them stands for all, and those that wait follow."""
        oldest = min(self._waiting)
        lost = intake.maybe_lost(oldest)
        if lost is not None:
            self._pass_on(JournalLost(oldest - 1, 0, False, *lost))  # a struct of positions
        self._take_waiting(intake)
        self._give_up_s = None

    # ---- what it says of itself when the other host asks

    def _hear_response(self, code: int, message: bytes) -> None:
        spec = self._codec.command_by_code(code)
        if spec is None or spec.name not in ("identify", "capabilities"):
            return
        status, fields = self._codec.read_response(spec, message)
        if status is not Status.OK:
            return
        if spec.name == "capabilities":
            return  # what it can do is the other host's to use
        self.identity = self._codec.identity_of(fields)
        serial = self.identity.serial
        if self._expected is not None and serial != self._expected:
            self.state = HostState.REFUSED
            self._tell(IdentityMismatch(self.epoch, RefusalKind.IDENTITY, self._expected, serial or ""))
        else:
            self._tell(Identified(self.epoch, self.identity, self.capabilities, sealed=False))


class HostEar(Ear):
    """What another host says to a device of SDP/1: its orders by name. They have no numbers, so they are counted here."""

    def __init__(self, codec: Codec, line: Line, first_wanted: int) -> None:
        super().__init__(first_wanted)
        self._codec = codec
        self._framer = CobsFramer(codec.profile.framing, pauses=line.pauses)
        self._last: bytes = b""

    def _begin(self, now_s: float) -> None:
        self._framer.reset()
        self._last = b""

    def _hear(self, chunk: bytes, now_s: float) -> None:
        for found in self._framer.feed(chunk, now_s):
            if isinstance(found, FrameFault):
                self._fault(FRAME_FAULT_KINDS[found])
            elif kind_of(found) is FrameKind.DATA and not found[0] & SEC:
                self._hear_message(found[HEADER_SIZE:])

    def _hear_message(self, message: bytes) -> None:
        if message == self._last:
            return  # the same command with the same tid, sent again
        try:
            message_class, code, _ = self._codec.read_header(message)
            spec = self._codec.command_by_code(code)
            if message_class != self._codec.classes.command or spec is None or spec.name in _SESSION:
                return
            fields = self._codec.read_command(spec, message)
        except FieldError:
            self._fault(FaultKind.BAD_MESSAGE)
            return
        self._last = message
        order = fields.get("order")
        words = f"{spec.name} {order}" if isinstance(order, str) else spec.name
        self._tell_event(self._standing.number(HostAsked(0, 0, False, words)))

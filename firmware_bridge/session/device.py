"""The device's side of the pipe, for simulated devices: the mirror of `HostSession` over the same link and codec.

It answers by itself what a protocol layer answers: who it is, what it can, where it stands, sessions, EVENT_RESUME,
ECHO; malformed, unknown, forbidden and repeated commands. Everything else goes to the mechanism. Every event goes to
the journal before anything else and out of it when the host may have it.

The same tid again is answered from the store and does not act twice (SDP/1 1.5). RST and a new session forget the
store; a lost link, RST and the end of a session reach the mechanism as `link_lost`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from device_profiles.errors import FieldError, FieldRangeError
from device_profiles.values import FieldValue
from firmware_bridge.codec import Codec, CommandSpec
from firmware_bridge.events import StartReason, Status
from firmware_bridge.framing import CobsFramer, FrameFault
from firmware_bridge.link.bus_device import device_link
from firmware_bridge.link.faults import LinkCounters, LossCause
from firmware_bridge.link.frames import FaultReason
from firmware_bridge.link.notes import Bad, LinkNote, Lost, Reset
from firmware_bridge.seal import DeviceKey, Sealer, SessionKeys
from firmware_bridge.session.guard import SessionGuard
from firmware_bridge.session.limits import (
    ANSWERS_WAITING_MAX,
    EXPIRY_SPARE,
    PENDING_AFTER_S,
    RESPONSES_KEPT,
    SESSION_EXPIRY_S,
    SESSION_FRAMES_MAX,
)
from firmware_bridge.session.mechanism import (
    Answer,
    CommandReceived,
    DeviceSettings,
    EventJournal,
    JournalFullError,
    Mechanism,
    StoredEvent,
)
from firmware_bridge.session.selfreport import identity_of, status_of
from firmware_bridge.session.sender import EventSender

__all__ = [
    "Answer",
    "CommandReceived",
    "DeviceSession",
    "DeviceSettings",
    "EventJournal",
    "JournalFullError",
    "Mechanism",
    "StoredEvent",
]

_OWN_FUNCTION = "security-level"


@dataclass(slots=True)
class _Owed:
    """A command whose answer the mechanism gives later."""

    spec: CommandSpec
    pending_at: float | None
    """When to say PENDING; None: it was said."""


class DeviceSession:
    """One device as its own protocol layer sees it."""

    def __init__(
        self,
        codec: Codec,
        settings: DeviceSettings,
        mechanism: Mechanism,
        journal: EventJournal,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._codec = codec
        self._settings = settings
        self._mechanism = mechanism
        self._journal = journal
        self._framer = CobsFramer(codec.profile.framing, pauses=settings.line.pauses)
        self._link = device_link(codec.profile.framing, codec.checksum, settings.line, settings.window, settings.address)
        serial = str(settings.identity.get("serial", ""))
        self._guard = SessionGuard(settings.keys, serial, entropy, technician_switch=settings.technician_switch)
        self._sender = EventSender(codec, self._link, journal)
        self._kept: OrderedDict[int, tuple[CommandSpec, bytes]] = OrderedDict()
        self._owed: dict[int, _Owed] = {}
        self._sealer: Sealer | None = None
        self._sealed_since = 0.0
        self._started_at = 0.0
        self._taking = False
        self._functions = {capability["function"] for capability in settings.capabilities}

    @property
    def counters(self) -> LinkCounters:
        return self._link.counters

    @property
    def is_up(self) -> bool:
        return self._link.is_up

    @property
    def is_resumed(self) -> bool:
        """Tell whether the host has asked for events, so that they flow."""
        return self._sender.is_resumed

    @property
    def session_keys(self) -> SessionKeys | None:
        """The keys of the present session, for answering ATTEST."""
        return self._guard.keys

    def set_key(self, role: int, key: DeviceKey) -> None:
        """Take a new key, which counts from the next SESSION_OPEN."""
        self._guard.device_keys[role] = key

    def start(self, reason: StartReason, boot_count: int, now: float) -> None:
        """The device is on. Its mechanism records STARTED first."""
        self._started_at = now
        self._forget()
        self._framer.reset()
        self._link.start(reason, boot_count, now)

    def power_off(self) -> None:
        """The device is off: only the journal remains."""
        self._forget()
        self._framer.reset()
        self._link.stop()

    def connection_made(self, now: float) -> None:
        """A new connection replaces the old one (SDP/1 1.1)."""
        self._framer.reset()
        self._drop_link("another connection took its place", now)

    def connection_lost(self, now: float) -> None:
        """The transport is gone: the link is lost."""
        self._framer.reset()
        self._link.unsay()
        self._drop_link("the connection is gone", now)

    def receive(self, content: bytes, now: float) -> None:
        """Take bytes from the wire."""
        self._link.counters.bytes_in += len(content)
        self._taking = True
        try:
            for found in self._framer.feed(content, now):
                if isinstance(found, FrameFault):
                    self._link.damaged(found, now)
                    continue
                result = self._link.receive(found, now)
                if type(result) is bytes:
                    self._take_message(result, now)
                elif result is not None:
                    self._take_note(cast("LinkNote", result), now)
        finally:
            self._taking = False
        self._expire_session(now)
        self._sender.pump(now)

    def tick(self, now: float) -> None:
        """Do what is due."""
        note = self._link.tick(now)
        if note is not None:
            self._take_note(note, now)
        if not self._link.is_up:
            return
        if not self._sender.tick(now):
            self._take_note(self._link.fail(LossCause.NO_EVENT_ACK, "no event was acknowledged for 5 s", now), now)
            return
        for tid, owed in self._owed.items():
            if owed.pending_at is not None and now >= owed.pending_at:
                owed.pending_at = None
                self._link.send(self._codec.write_response(owed.spec, tid, Status.PENDING), now)
        self._expire_session(now)
        self._sender.pump(now)

    def bytes_to_send(self) -> bytes:
        """Return what is to go on the wire, and forget it."""
        return self._link.bytes_to_send()

    def next_deadline(self) -> float | None:
        """Return when `tick` has something to do, None for never."""
        deadlines = [self._link.next_deadline()]
        if self._link.is_up:
            deadlines.append(self._sender.next_deadline())
            deadlines += [owed.pending_at for owed in self._owed.values()]
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def record(self, name: str, fields: Mapping[str, FieldValue], t_ms: int | None, now: float) -> int:
        """Journal an event, send it when the host may have it, and return its number.

        `t_ms` is the device's time since its start, None for reckoning it from `now`.

        Raises:
            JournalFullError: the journal takes no more.
            FieldError: a value is missing, unknown or does not fit.
            MisuseError: the profile has no such event.
        """
        body = self._codec.write_event_body(name, fields)
        at_ms = int((now - self._started_at) * 1000) if t_ms is None else t_ms
        event = StoredEvent(self._journal.newest + 1, at_ms, name, body)
        self._journal.append(event)
        if not self._taking:
            self._sender.pump(now)
        return event.eseq

    def respond(self, tid: int, status: Status, fields: Mapping[str, FieldValue], now: float) -> None:
        """Give the answer that is owed; after RST or a new session nobody waits for it.

        Raises:
            FieldError: a value is missing, unknown or does not fit.
        """
        owed = self._owed.get(tid)
        if owed is None:
            return
        self._answer(owed.spec, tid, Answer(status, fields), now)
        del self._owed[tid]
        if not self._taking:
            self._sender.pump(now)

    # What the link tells

    def _drop_link(self, detail: str, now: float) -> None:
        if self._link.is_up:
            self._take_note(self._link.fail(LossCause.TRANSPORT_CLOSED, detail, now), now)

    def _take_note(self, note: LinkNote, now: float) -> None:
        match note:
            case Bad():
                return
            case Lost(cause):
                self._forget()
                if cause is LossCause.BAD_SEALS:
                    self._record_tamper("bad-tags", now)
                self._mechanism.link_lost(cause, now)
            case Reset():
                self._forget()
                self._mechanism.link_lost(LossCause.RESET, now)
            case _:
                raise AssertionError("a device's link tells nothing else")

    def _forget(self) -> None:
        """Forget session, stored responses and who waits; never the journal or an act under way."""
        self._guard.end()
        self._sealer = None
        self._sender.stop()
        self._kept.clear()
        self._owed.clear()

    def _expire_session(self, now: float) -> None:
        """Drop the link when the session is older or longer than it may be."""
        if self._sealer is None:
            return
        if self._sealer.frames >= SESSION_FRAMES_MAX - EXPIRY_SPARE or now >= self._sealed_since + SESSION_EXPIRY_S:
            lost = self._link.drop(FaultReason.SESSION_EXPIRED, LossCause.SESSION_EXPIRED, "session expired", now)
            self._take_note(lost, now)

    def _record_tamper(self, kind: str, now: float) -> None:
        try:
            self.record("tamper", {"kind": kind}, None, now)
        except JournalFullError:
            return  # the mechanism has raised error 0E for the full journal already, which says more

    # Messages

    def _take_message(self, message: bytes, now: float) -> None:
        codec = self._codec
        try:
            message_class, code, tid = codec.read_header(message)
            if message_class == codec.classes.event_ack and code == codec.classes.event_ack_code:
                self._sender.acknowledge(codec.read_event_ack(message), now)
            elif message_class == codec.classes.command:
                self._take_command(code, tid, message, now)
            else:
                self._link.counters.bad_frame += 1
        except FieldError:
            self._link.counters.bad_frame += 1

    def _take_command(self, code: int, tid: int, message: bytes, now: float) -> None:
        spec = self._codec.command_by_code(code)
        kept, owed = self._kept.get(tid), self._owed.get(tid)
        if kept is not None and kept[0] is spec:
            self._link.send(kept[1], now)
            return
        if owed is not None and owed.spec is spec:
            self._link.send(self._codec.write_response(spec, tid, Status.PENDING), now)
            return
        status = Status.BAD_FORMAT if tid == 0 or kept or owed else self._judge(spec)
        if spec is None or status is not Status.OK:
            self._link.send(self._codec.write_refusal(code, tid, status), now)
            return
        try:
            fields = self._codec.read_command(spec, message)
        except FieldRangeError:
            self._answer(spec, tid, Answer(Status.OUT_OF_RANGE), now)
        except FieldError:
            self._answer(spec, tid, Answer(Status.BAD_FORMAT), now)
        else:
            self._carry_out(spec, tid, fields, now)

    def _judge(self, spec: CommandSpec | None) -> Status:
        """Say whether the command may be carried out at all."""
        if spec is None:
            return Status.UNKNOWN_CODE
        if not self._guard.allows(spec):
            return Status.DENIED
        function = spec.message.function
        if function is not None and function != _OWN_FUNCTION and function not in self._functions:
            return Status.NOT_SUPPORTED
        return Status.OK

    def _carry_out(self, spec: CommandSpec, tid: int, fields: dict[str, FieldValue], now: float) -> None:
        match spec.name:
            case "identify":
                self._answer(spec, tid, Answer(fields=identity_of(self._settings, self._codec.profile)), now)
            case "capabilities":
                self._answer(spec, tid, Answer(fields={"capabilities": self._settings.capabilities}), now)
            case "status":
                fields = status_of(self._mechanism.status(now), self._journal, self._link.counters)
                self._answer(spec, tid, Answer(fields=fields), now)
            case "echo":
                self._answer(spec, tid, Answer(fields=fields), now)
            case "event_resume":
                self._resume(spec, tid, cast("int", fields["first_wanted"]), now)
            case "session_open":
                self._answer(spec, tid, self._guard.open(fields, now), now)
            case "session_auth":
                self._authenticate(spec, tid, fields, now)
            case "session_close":
                self._close(spec, tid, now)
            case _:
                self._ask_mechanism(spec, tid, fields, now)

    def _ask_mechanism(self, spec: CommandSpec, tid: int, fields: dict[str, FieldValue], now: float) -> None:
        if len(self._owed) >= ANSWERS_WAITING_MAX:
            self._answer(spec, tid, Answer(Status.BUSY), now)
            return
        entry = spec.message
        received = CommandReceived(tid, spec.name, fields, entry.act, entry.needs_idle, entry.needs_diagnostic)
        # Owed before it is asked, so that a mechanism may respond from within and a repetition finds it.
        self._owed[tid] = _Owed(spec, now + PENDING_AFTER_S)
        answer = self._mechanism.command(received, now)
        if answer is not None and tid in self._owed:
            self.respond(tid, answer.status, answer.fields, now)

    def _answer(self, spec: CommandSpec, tid: int, answer: Answer, now: float) -> None:
        response = self._codec.write_response(spec, tid, answer.status, answer.fields)
        if len(response) > self._link.message_limit:
            # The host agreed to shorter bodies than this answer needs (1.4), so it asked for too much.
            response = self._codec.write_response(spec, tid, Status.OUT_OF_RANGE)
        if spec.message.changes:
            self._kept[tid] = (spec, response)
            if len(self._kept) > RESPONSES_KEPT:
                self._kept.popitem(last=False)
        self._link.send(response, now)

    # What the session answers itself

    def _resume(self, spec: CommandSpec, tid: int, first_wanted: int, now: float) -> None:
        if not self._sender.resume(first_wanted):
            self._answer(spec, tid, Answer(Status.OUT_OF_RANGE), now)
            return
        fields = {"oldest": self._journal.oldest, "newest": self._journal.newest}
        self._answer(spec, tid, Answer(fields=fields), now)

    def _authenticate(self, spec: CommandSpec, tid: int, fields: dict[str, FieldValue], now: float) -> None:
        was_open = self._guard.is_open
        answer, sealer = self._guard.authenticate(fields, now)
        self._answer(spec, tid, answer, now)
        if sealer is None:
            if self._guard.lock_if_attacked(now):
                self._record_tamper("failed-proofs", now)
            return
        self._sender.stop()
        self._kept.clear()
        self._owed.clear()
        self._sealer, self._sealed_since = sealer, now
        self._link.use_seal(sealer, now)
        if was_open:
            self._mechanism.link_lost(LossCause.SESSION_ENDED, now)

    def _close(self, spec: CommandSpec, tid: int, now: float) -> None:
        if not self._guard.is_open:
            self._answer(spec, tid, Answer(Status.WRONG_STATE), now)
            return
        self._answer(spec, tid, Answer(), now)
        self._forget()
        self._link.use_seal(None, now)
        self._mechanism.link_lost(LossCause.SESSION_ENDED, now)

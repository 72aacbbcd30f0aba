"""The host's side of one device: bytes and time in; events, answers and changes of the link out; bytes to send.

The session is the whole pipe without a wire: framer, link, seal and codec, the connect sequence, the numbers of events
and commands. Its owner moves bytes and time, stores what `EventArrived` brings and only then calls `acknowledge`.

States: CLOSED (no transport) -> RESETTING (RST is out) -> CONNECTING (the steps of `Handshake`) -> RUNNING. A lost link
leads back to RESETTING by itself; REFUSED is left only by `connection_made`, and in it nothing is taken or said.

What it deliberately does not know: what a card means, whether an act was allowed, what to do about an alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, cast

from device_profiles.errors import FieldError
from device_profiles.values import FieldValue
from firmware_bridge.codec import Codec
from firmware_bridge.commands import Command
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import Status
from firmware_bridge.link.faults import FaultKind, LinkCounters, LossCause
from firmware_bridge.link.notes import LinkNote, Lost, NoCommonVersion, Up
from firmware_bridge.link.quality import QualityWatch
from firmware_bridge.reports import Capability, DeviceIdentity
from firmware_bridge.seal import SessionKeys
from firmware_bridge.session.desk import CommandDesk, Purpose, Waiting
from firmware_bridge.session.express import ExpressLane
from firmware_bridge.session.handshake import Handshake, HostSettings, Setback, Step
from firmware_bridge.session.lifetime import SessionLifetime, earlier
from firmware_bridge.session.limits import COMMANDS_WAITING_MAX, GAP_RESUMES_MAX, SETTLE_S, STATUS_INTERVAL_S
from firmware_bridge.session.outputs import (
    CommandAnswered,
    HostOutput,
    HostState,
    Identified,
    LineQuality,
    LinkLost,
    LinkUp,
    RefusalKind,
    Running,
    StatusReported,
)
from firmware_bridge.session.pipe import HostPipe
from firmware_bridge.session.stream import EventStream, Refusal

__all__ = ["HostSession", "HostSettings", "HostState"]

_RUNNING = HostState.RUNNING  # looked up once: members of an Enum are slow to reach and to hash
_DEAF = frozenset({HostState.CLOSED, HostState.REFUSED})
_CONNECTED = frozenset({HostState.CONNECTING, HostState.RUNNING})


class HostSession:
    """One device as the host sees it."""

    def __init__(self, codec: Codec, settings: HostSettings, entropy: Callable[[int], bytes]) -> None:
        """`entropy` returns so many random bytes, such as `os.urandom`."""
        self._codec = codec
        self._pipe = HostPipe(codec, settings.line, entropy(1)[0], settings.address)
        self._link = self._pipe.link
        self._handshake = Handshake(codec, settings, entropy)
        self._desk = CommandDesk(self._pipe, settings.first_tid)
        self._events = EventStream(self._pipe, settings.first_wanted)
        self._express = ExpressLane(codec, self._pipe, self._events)
        self._quality = QualityWatch()
        self._boot_count = settings.last_boot_count
        self._state = HostState.CLOSED
        self._lifetime: SessionLifetime | None = None
        self._settle_at = 0.0
        self.maybe_event = self._express.maybe_take
        """Take bytes that are one frame with the event that is due, the usual case; None: give them to `receive`."""
        self.acknowledge = self._events.acknowledge
        """Acknowledge every event up to a number to the device: its owner has stored them. MisuseError: one was never delivered."""
        self.bytes_to_send = self._link.bytes_to_send
        """Return what is to go on the wire, and forget it."""
        self._resume = codec.command(Step.EVENT_RESUME.value)
        self._status = codec.command(Step.STATUS.value)
        self._close = codec.command("session_close")

    @property
    def state(self) -> HostState:
        return self._state

    @property
    def epoch(self) -> int:
        return self._link.epoch

    @property
    def identity(self) -> DeviceIdentity | None:
        return self._handshake.identity

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        return self._handshake.capabilities

    @property
    def wanted(self) -> int:
        """The next event number to be delivered."""
        return self._events.wanted

    @property
    def durable(self) -> int:
        """The last event number that the owner acknowledged."""
        return self._events.durable

    @property
    def counters(self) -> LinkCounters:
        return self._link.counters

    @property
    def session_keys(self) -> SessionKeys | None:
        """The keys of the present session, for comparing an attestation."""
        return self._handshake.keys

    def connection_made(self, now: float) -> list[HostOutput]:
        """The transport is open, or a refused device shall be tried again."""
        if self._state in _CONNECTED:
            self._take_loss(Lost(LossCause.CLOSED, "the connection was opened anew"))
        self._pipe.reset()
        self._link.open(now)
        self._enter(HostState.RESETTING)
        return self._pipe.told()

    def connection_lost(self, now: float) -> list[HostOutput]:
        """The transport is closed: nothing is sent until `connection_made`."""
        if self._state in _CONNECTED:
            self._take_loss(Lost(LossCause.TRANSPORT_CLOSED, "the port is closed"))
        self._shut(HostState.CLOSED)
        self._link.unsay()
        return self._pipe.told()

    def receive(self, content: bytes, now: float) -> list[HostOutput]:
        """Take bytes from the wire."""
        if (event := self.maybe_event(content, now)) is not None or self._state in _DEAF:
            return [event] if event is not None else []
        for found in self._pipe.feed(content, now):
            if type(found) is bytes:
                self._take_message(found, now)
            else:
                self._take_note(cast("LinkNote", found), now)
            if self._state is HostState.REFUSED:
                break
        self._flush(now)
        return self._pipe.told()

    def tick(self, now: float) -> list[HostOutput]:
        """Do what is due."""
        if self._state in _DEAF:
            return []
        note = self._link.tick(now)
        if note is not None:
            self._take_note(note, now)
        for waiting in self._desk.overdue(now):
            self._given_up(waiting, now)
        if self._state is HostState.RUNNING and now >= self._settle_at:
            self._link.settle()
        if self._state is HostState.RUNNING and self._lifetime is not None:
            self._keep_session(self._lifetime, now)
        if self._quality.watch(self._link.counters, now):
            self._pipe.tell(LineQuality(self._quality.grade, self._quality.damaged_per_mille))
        self._flush(now)
        return self._pipe.told()

    def next_deadline(self) -> float | None:
        """Return when `tick` has something to do, None for never."""
        if self._state is not _RUNNING and self._state in _DEAF:
            return None
        deadline = self._link.next_deadline()
        if not self._desk.is_empty:
            deadline = earlier(deadline, self._desk.next_deadline())
        if self._lifetime is not None and self._state is _RUNNING:
            awaited = self._desk.count(Purpose.KEEP_ALIVE) > 0
            return earlier(deadline, self._lifetime.next_deadline(self._link.last_sealed_out, awaited=awaited))
        return deadline

    def request(self, command: Command, now: float) -> int:
        """Send a command; `CommandAnswered` or `CommandFailed` with the returned tid will follow.

        Raises:
            NotReadyError: the session is not running, or too many commands wait already.
            MisuseError: the profile has no such command, or a value does not fit.
        """
        spec, fields = self._codec.message_of(command)
        if spec.message.session or spec is self._resume:
            raise MisuseError(f"'{spec.name}' is the session's own business")
        if self._state is not HostState.RUNNING:
            raise NotReadyError(f"the device takes no commands: the session is {self._state.value}")
        if self._desk.count(Purpose.OWNER) >= COMMANDS_WAITING_MAX:
            raise NotReadyError(f"{COMMANDS_WAITING_MAX} commands wait for their answers already")
        if spec.message.sealed and self._lifetime is None:
            raise MisuseError(f"'{spec.name}' goes only through a sealed session")
        try:
            return self._desk.ask(spec, fields, Purpose.OWNER, now).tid
        except FieldError as error:
            raise MisuseError(f"command '{spec.name}': {error}") from error

    def renew(self, now: float) -> None:
        """Make a new sealed session, best between two rounds; when its time is up the session does it by itself.

        The device takes the end of a session as it takes a lost link: it locks the gate.

        Raises:
            NotReadyError: not running in a sealed session, or commands wait for their answers.
        """
        if self._state is not HostState.RUNNING or self._lifetime is None or self._is_busy():
            raise NotReadyError("a session is renewed while it runs and no command waits")
        self._begin_handshake(now, renewal=True)

    def close(self, now: float) -> list[HostOutput]:
        """Take leave: SESSION_CLOSE where there is a session. Send what is left, then close the transport."""
        if self._state is HostState.RUNNING and self._lifetime is not None:
            self._link.send(self._codec.write_command(self._close, self._desk.take_tid(), {}), now)
        if self._state in _CONNECTED:
            self._take_loss(Lost(LossCause.CLOSED, "closed by the host"))
        self._shut(HostState.CLOSED)
        return self._pipe.told()

    # What the link tells

    def _take_note(self, note: LinkNote, now: float) -> None:
        match note:
            case Up(boot_count):
                self._came_up(boot_count, now)
            case Lost():
                self._take_loss(note)
                self._enter(HostState.RESETTING)
            case NoCommonVersion():
                self._refuse(Refusal(RefusalKind.VERSION, "a version this host speaks", "no common version"))
            case _:
                raise AssertionError("a host's link tells nothing else")

    def _came_up(self, boot_count: int, now: float) -> None:
        known, self._boot_count = self._boot_count, boot_count
        if known is not None and boot_count < known:
            self._pipe.fault(FaultKind.BOOT_COUNT_BACK)
        self._pipe.tell(LinkUp(self.epoch, boot_count, restarted=known is not None and boot_count != known))
        self._events.begin()
        self._begin_handshake(now, renewal=False)

    def _take_loss(self, lost: Lost) -> None:
        self._pipe.tell(LinkLost(self.epoch, lost.cause, lost.detail, lost.reason))
        self._lifetime = None
        self._desk.clear()

    def _give_up(self, cause: LossCause, detail: str, now: float) -> None:
        if self._link.is_up:
            self._take_note(self._link.fail(cause, detail, now), now)

    def _shut(self, state: HostState) -> None:
        self._desk.clear()
        self._lifetime = None
        self._link.shut()
        self._pipe.reset()
        self._enter(state)

    def _enter(self, state: HostState) -> None:
        """Events are taken and acknowledged while it runs, the short way only without a seal."""
        self._state = state
        self._events.is_open = runs = state is HostState.RUNNING
        self._express.is_open = runs and self._lifetime is None

    def _refuse(self, refusal: Refusal) -> None:
        self._shut(HostState.REFUSED)
        self._pipe.tell(refusal.output(self.epoch))

    # Messages

    def _take_message(self, message: bytes, now: float) -> None:
        codec = self._codec
        if len(message) < codec.header_size:
            self._pipe.fault(FaultKind.BAD_MESSAGE)
            return
        message_class, code, tid = codec.read_header(message)
        if message_class == codec.classes.event and self._state is HostState.RUNNING:
            if self._events.take(code, message):
                self._close_gap(message, now)
        elif message_class == codec.classes.response:
            self._take_response(code, tid, message, now)
        elif message_class != codec.classes.event or self._lifetime is None:
            # No event comes before EVENT_RESUME is answered (1.7), but for those under way when a session is renewed.
            self._pipe.fault(FaultKind.BAD_MESSAGE)

    def _close_gap(self, message: bytes, now: float) -> None:
        """An event is missing before this one: ask for it once, and take nothing until it comes."""
        if self._desk.count(Purpose.RESUME):
            return
        self._events.gap_resumes += 1
        if self._events.gap_resumes > GAP_RESUMES_MAX:
            self._give_up(LossCause.EVENT_GAP, f"event {self._events.wanted} does not come", now)
            return
        self._events.tell_gap(message)
        self._desk.ask(self._resume, {"first_wanted": self._events.durable + 1}, Purpose.RESUME, now)

    def _take_response(self, code: int, tid: int, message: bytes, now: float) -> None:
        answered = self._desk.maybe_answer(code, tid, message, now)
        if answered is None:
            return
        waiting, answer = answered
        if answer is None:
            self._given_up(waiting, now)
            return
        status, fields = answer
        match waiting.purpose:
            case Purpose.OWNER:
                self._pipe.tell(CommandAnswered(self.epoch, tid, waiting.spec.name, status, fields))
            case Purpose.STEP:
                self._take_step(status, fields, now)
            case Purpose.KEEP_ALIVE | Purpose.PROBE:
                if status is Status.OK:
                    self._pipe.tell(StatusReported(self.epoch, self._codec.status_of(fields)))
            case Purpose.RESUME:
                self._take_resume(status, fields, now)
            case _:
                assert_never(waiting.purpose)

    def _given_up(self, waiting: Waiting, now: float) -> None:
        """A command of the session's own got no good answer."""
        if waiting.purpose in (Purpose.STEP, Purpose.RESUME):
            self._give_up(LossCause.COMMAND_UNANSWERED, f"no good answer to {waiting.spec.name}", now)

    def _take_resume(self, status: Status, fields: dict[str, FieldValue], now: float) -> None:
        if status is not Status.OK:
            self._give_up(LossCause.COMMAND_UNANSWERED, f"event_resume was answered with {status.value}", now)
            return
        oldest, newest = cast("int", fields["oldest"]), cast("int", fields["newest"])
        if self._events.knows(newest):
            self._events.resumed(oldest, newest)
        else:
            self._refuse(self._events.refusal())

    # The connect sequence

    def _begin_handshake(self, now: float, *, renewal: bool) -> None:
        self._enter(HostState.CONNECTING)
        self._handshake.begin(renewal=renewal)
        self._ask_step(now)

    def _ask_step(self, now: float) -> None:
        step = self._handshake.step
        assert step is not None, "only an unfinished handshake asks"
        fields = self._handshake.fields(self._events.durable + 1)
        self._desk.ask(self._codec.command(step.value), fields, Purpose.STEP, now)

    def _take_step(self, status: Status, fields: dict[str, FieldValue], now: float) -> None:
        step = self._handshake.step
        problem = self._handshake.take(status, fields)
        if isinstance(problem, Refusal):
            self._refuse(problem)
        elif isinstance(problem, Setback):
            self._pipe.fault(FaultKind.REFUSED_STEP)
            self._give_up(LossCause.COMMAND_UNANSWERED, problem.detail, now)
        elif self._handshake.step is None:
            self._run(now, resumed=step is Step.EVENT_RESUME)
        else:
            if step is Step.SESSION_AUTH:
                self._lifetime = SessionLifetime(self._handshake.sealer(), cast("int", fields["frames_max"]), now)
                self._link.use_seal(self._lifetime.sealer, now)
            self._ask_step(now)

    def _run(self, now: float, *, resumed: bool) -> None:
        handshake = self._handshake
        assert handshake.identity is not None and handshake.status is not None  # noqa: PT018
        if not self._events.knows(handshake.newest):
            self._refuse(self._events.refusal())
            return
        self._enter(HostState.RUNNING)
        self._settle_at = now + SETTLE_S
        sealed = self._lifetime is not None
        self._pipe.tell(Identified(self.epoch, handshake.identity, handshake.capabilities, sealed))
        self._pipe.tell(Running(self.epoch, handshake.status, handshake.oldest, handshake.newest))
        if resumed:
            self._events.resumed(handshake.oldest, handshake.newest)

    def _keep_session(self, lifetime: SessionLifetime, now: float) -> None:
        """Keep the sealed session alive, and make a new one in time."""
        if lifetime.is_over(now):
            if not self._is_busy():
                self.renew(now)
                return
            lifetime.put_off(now)
        if now >= self._link.last_sealed_out + STATUS_INTERVAL_S and not self._desk.count(Purpose.KEEP_ALIVE):
            self._desk.ask(self._status, {}, Purpose.KEEP_ALIVE, now)

    def _is_busy(self) -> bool:
        """Tell whether an answer is awaited that a new session would lose."""
        return any(self._desk.count(purpose) for purpose in (Purpose.OWNER, Purpose.PROBE, Purpose.RESUME))

    def _flush(self, now: float) -> None:
        # While a session is made nothing may stand between SESSION_AUTH and its answer (1.10).
        if self._state is HostState.RUNNING:
            self._events.flush(now)

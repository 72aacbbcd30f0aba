"""The host's side of a plain device: bytes and time in; events, answers and changes of the link out; bytes to send.

It says the same things as the session of SDP/1, so whoever owns a device need not know which of the two it speaks. What such a device
does not give is made here and said to be: event numbers are counted from the last one stored, times are the host's since the
connection, a position counts the cards since the device started. A device that cannot be asked is taken to be there as long as its port is
open, unless its profile says how silence is judged.

States: CLOSED (no transport) -> CONNECTING (the questions of the profile) -> RUNNING; a silent device goes to RESETTING until it is heard.
"""

from __future__ import annotations

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Unframed, Way
from firmware_bridge.commands import Command, Request
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import DeviceEvent, JournalLost, Started, StartReason, Status
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.plain.abilities import may_write
from firmware_bridge.plain.asking import Asking, Question, fields_of
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.connecting import Connecting, identity_of
from firmware_bridge.plain.echo import Echo
from firmware_bridge.plain.frame_reader import FrameReader
from firmware_bridge.plain.framers import PlainFault, PlainFrame, Trouble
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.plain.mapping import CARD_EVENTS, status_of
from firmware_bridge.plain.replies import Replies
from firmware_bridge.plain.sameness import NumberWatch, RepeatFilter, RingWatch, Sequel
from firmware_bridge.plain.settings import RETRY_S, TID_MAX, PlainSettings
from firmware_bridge.plain.standing import FAULT_KINDS, KnownStanding, merged_faults
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    CommandFailure,
    EventArrived,
    HostOutput,
    HostState,
    Identified,
    IdentityMismatch,
    LinkLost,
    LinkUp,
    RefusalKind,
    Running,
)


class PlainSession:
    """One plain device as the host hears it."""

    def __init__(self, codec: PlainCodec, settings: PlainSettings) -> None:
        profile = codec.profile
        self._codec, self._settings, self._profile = codec, settings, profile
        both_ways = settings.listens_only and profile.framing.echo  # another host's words are on the same wire
        self._framer = codec.framer(Way.BOTH if both_ways else Way.IN, pauses=settings.line.pauses)
        self._reader = FrameReader(codec, settings.cards)
        self._repeats = RepeatFilter(profile.repeats, profile.numbers)
        self._once = frozenset(profile.repeats.once if profile.repeats is not None else ())
        self._numbers = NumberWatch.of_messages(profile.numbers)
        self._rings = {m.name: RingWatch(m.ring) for m in profile.messages if m.ring is not None}
        self._asking = Asking(codec)
        self._out, self._echo = bytearray(), Echo(expected=profile.framing.echo)
        self._standing = KnownStanding(settings.first_wanted)
        self._started_s = self._heard_s = 0.0
        self._poll_s: float | None = None
        self._retry_s: float | None = None
        self.state = HostState.CLOSED
        self.epoch = self.frames_heard = self._tid = self._tries = 0
        self.identity: DeviceIdentity | None = None
        self.may_write = may_write(profile, granted=settings.may_write) and not settings.listens_only
        self.capabilities: tuple[Capability, ...] = codec.capabilities[self.may_write]
        self._replies = Replies(codec, may_write=self.may_write)
        self._connecting = Connecting(profile.connect, codec.connect_states, is_silent=not self.may_write)

    # ---- the owner's side

    def connection_made(self, now_s: float) -> list[HostOutput]:
        """The port is open."""
        self._framer.reset()
        self._repeats.clear()
        self._started_s = self._heard_s = now_s
        return self._connect(now_s)

    def connection_lost(self, now_s: float) -> list[HostOutput]:
        """The port is gone."""
        return self._lose(LossCause.TRANSPORT_CLOSED, "the port is closed", HostState.CLOSED)

    def close(self, now_s: float) -> list[HostOutput]:
        """End it on purpose."""
        return self._lose(LossCause.CLOSED, "closed", HostState.CLOSED)

    def maybe_event(self, chunk: bytes, now_s: float) -> EventArrived | None:
        """There is no short way for these devices."""
        return None

    def acknowledge(self, eseq: int, now_s: float) -> None:
        """Events up to this one are durable: what the device waits for is said now; without a connection, when it says them again."""
        said = self._replies.durable(eseq)
        if self.state in (HostState.CONNECTING, HostState.RUNNING):
            self._send(said)

    def request(self, command: Command, now_s: float) -> int:
        """Send a command and return its number; the answer comes as an output.

        Raises:
            NotReadyError: nothing may be written, the device is not running, or too much waits.
            MisuseError: the profile has no message for it, or a value does not fit.
        """
        message = self._codec.message_of(command)
        if message is None or message.way is Way.IN:
            raise MisuseError(f"profile '{self._profile.name}' has no message for this command")
        if self.state is not HostState.RUNNING or self._asking.is_full:
            raise NotReadyError("the device is not ready for commands")
        if not self.may_write:
            raise NotReadyError("this device is only listened to: nothing is written to it")
        given = dict(command.fields) if isinstance(command, Request) else {}
        tid = self._tid % TID_MAX + 1
        try:
            self._asking.put(Question(message, tid, fields_of(message, command, given)))
        except FieldError as error:
            raise MisuseError(str(error)) from error
        self._tid = tid
        self._ask(now_s)
        return self._tid

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent."""
        waiting = bytes(self._out)
        self._out.clear()
        return waiting

    def next_deadline(self) -> float | None:
        """When `tick` has something to do."""
        times = [self._asking.due_s, self._poll_s, self._retry_s, self._connecting.due_s]
        quiet_s = self._profile.quiet.lost_after_s
        if quiet_s is not None and self.state is HostState.RUNNING:
            times.append(self._heard_s + quiet_s)
        gap_s = self._profile.framing.gap_s
        if gap_s is not None and self._framer.held and not self._settings.line.pauses:
            times.append(self._framer.last_byte_s + 2 * gap_s)
        return min((time for time in times if time is not None), default=None)

    def tick(self, now_s: float) -> list[HostOutput]:
        """Do what is due."""
        outputs = self._asking.taken(self.epoch) + self._take(self._framer.expire(now_s), now_s)
        if self._retry_s is not None and now_s >= self._retry_s:
            outputs += self._connect(now_s)
        repeat, failed = self._asking.overdue(now_s)
        if repeat is not None or failed is not None:
            self._echo.forget()
        if repeat is not None:
            self._send(repeat)
        if failed is not None:
            outputs += self._unanswered(failed, now_s)
        if self._connecting.is_over(now_s):
            outputs += self._enter(now_s)
        if self._poll_s is not None and now_s >= self._poll_s:
            self._put_poll(now_s)
        self._ask(now_s)
        quiet_s = self._profile.quiet.lost_after_s
        if quiet_s is not None and self.state is HostState.RUNNING and now_s >= self._heard_s + quiet_s:
            outputs += self._lose(LossCause.SILENCE, f"nothing was heard for {quiet_s:g} s", HostState.RESETTING)
            self._retry_s = now_s + RETRY_S[0]
        return outputs

    def receive(self, chunk: bytes, now_s: float) -> list[HostOutput]:
        """Take bytes from the port."""
        if self.state in (HostState.CLOSED, HostState.REFUSED):
            return []
        heard = self._echo.taken_out(chunk)
        self._asking.line_used(now_s)
        outputs = self._take(self._framer.feed(heard, now_s), now_s) if heard else []
        self._ask(now_s)
        return outputs

    # ---- connecting

    def _connect(self, now_s: float) -> list[HostOutput]:
        self.epoch += 1
        self._echo.forget()
        self._retry_s = self._poll_s = None
        self._asking.clear_own()
        self._connecting.begin()
        self.state = HostState.CONNECTING
        return [LinkUp(self.epoch, 0, restarted=False), *self._enter(now_s)]

    def _enter(self, now_s: float) -> list[HostOutput]:
        """Say what the state of the connection says, until it waits for something or is at its end."""
        connecting = self._connecting
        while (state := connecting.state) is not None:
            message = self._codec.by_name[state.say] if state.say is not None else None
            if message is not None:
                self._asking.put(Question(message, values=state.values))
                self._ask(now_s)
            if connecting.wait(now_s) or (message is not None and message.answer is not None):
                return []
            connecting.go_on()
        return self._connected(now_s) if connecting.is_connected else self._give_up(connecting.why, now_s)

    def _give_up(self, why: str, now_s: float) -> list[HostOutput]:
        outputs = self._lose(LossCause.COMMAND_UNANSWERED, why, HostState.RESETTING)
        self._retry_s = now_s + RETRY_S[min(self._tries, len(RETRY_S) - 1)]
        self._tries += 1
        return outputs

    def _connected(self, now_s: float) -> list[HostOutput]:
        self.identity = identity_of(self._profile.about, self._connecting.told)
        expected = self._settings.expected_serial
        if expected is not None and self.identity.serial is not None and self.identity.serial != expected:
            self.state = HostState.REFUSED
            self._asking.clear()
            return [IdentityMismatch(self.epoch, RefusalKind.IDENTITY, expected, self.identity.serial)]
        self.state = HostState.RUNNING
        self._tries = 0
        self._heard_s = now_s
        if self._profile.poll is not None and self.may_write:
            self._poll_s = now_s
        return [
            Identified(self.epoch, self.identity, self.capabilities, sealed=False),
            Running(self.epoch, self.status(), self._settings.first_wanted, self._standing.eseq),
        ]

    def status(self) -> StatusReport:
        """What is known of where the device stands; it cannot be asked."""
        return self._standing.status()

    def _lose(self, cause: LossCause, detail: str, state: HostState) -> list[HostOutput]:
        was = self.state
        self.state = state
        self._connecting.end()
        self._poll_s = self._retry_s = None
        outputs: list[HostOutput] = [
            CommandFailed(self.epoch, question.tid, question.message.name, CommandFailure.LINK_LOST)
            for question in self._asking.clear()
            if question.tid
        ]
        if was in (HostState.CONNECTING, HostState.RUNNING):
            outputs.append(LinkLost(self.epoch, cause, detail))
        return outputs

    # ---- hearing

    def _take(self, found: list[PlainFrame | Trouble], now_s: float) -> list[HostOutput]:
        outputs: list[HostOutput] = []
        for item in found:
            if isinstance(item, Trouble):
                outputs += self._trouble(item)
                continue
            self._heard_s = now_s
            if not self._is_said_once(item) and self._repeats.is_repeated(item.content, now_s):
                self._say_again(item)
                continue
            outputs += self._take_frame(item, now_s)
        outputs += [self._standing.fault(FaultKind.COPIES_MISSING, "said too few times") for _ in range(self._repeats.take_weak())]
        return merged_faults(outputs)

    def _is_said_once(self, frame: PlainFrame) -> bool:
        """Two answers within the time of repetitions may be alike, each to a question of its own; other messages are never repeated."""
        heard = self._reader.maybe_read(frame) if self._asking.out is not None or self._once else None
        return heard is not None and (heard.name in self._once or self._asking.is_answered_by(heard))

    def _trouble(self, trouble: Trouble) -> list[HostOutput]:
        if trouble.fault is PlainFault.UNFRAMED and self._profile.framing.unframed is Unframed.IGNORE:
            return []
        return [self._standing.fault(FAULT_KINDS[trouble.fault], f"{len(trouble.content)} bytes")]

    def _take_frame(self, frame: PlainFrame, now_s: float) -> list[HostOutput]:
        try:
            heard = self._reader.read(frame)
        except FieldError as error:
            return [self._standing.fault(FaultKind.BAD_MESSAGE, str(error))]
        if heard is None and self._settings.listens_only and self._codec.is_hosts(frame):
            return []  # both ways are on this wire
        if heard is None:
            return [self._standing.fault(FaultKind.BAD_MESSAGE, "no message of the profile")]
        self.frames_heard += 1
        if self._asking.is_stale(heard):
            return [self._standing.fault(FaultKind.STALE_ANSWER, heard.name)]
        outputs, is_again = self._numbered(heard)
        if is_again:
            self._say_again(frame)
            return outputs
        outputs += self._answered(heard, now_s)
        was_awaited = self._connecting.due_s is not None and self._connecting.hear(heard)
        if was_awaited:
            outputs += self._enter(now_s)
        outputs += self._in_ring(heard, now_s)
        for entry in heard.ring if self._codec.by_name[heard.name].group is not None else ():
            outputs += self._event(entry, now_s)
        outputs += self._event(heard, now_s)
        if heard.means is not None and heard.means.begins_numbering and self._profile.connect.after_restart and not was_awaited:
            outputs += self._connect(now_s)
        return outputs

    def _numbered(self, heard: PlainHeard) -> tuple[list[HostOutput], bool]:
        """What its number says of messages before it, and whether it is one of them again."""
        rule = self._profile.numbers
        if heard.means is not None and heard.means.begins_numbering:
            self._forget_numbers()
        if self._numbers is None or rule is None or not isinstance(number := heard.fields.get(rule.field), int):
            return [], False
        match self._numbers.take(number, heard.told):
            case Sequel.SAME:
                return [], True
            case Sequel.CHANGED:
                return [self._standing.fault(FaultKind.EVENT_CHANGED, "a number came again with other content")], True
            case Sequel.GAP:
                return [self._arrived(JournalLost(0, 0, False, *self._numbers.lost))], False  # a struct of positions
            case _:
                return [], False

    def _forget_numbers(self) -> None:
        self._standing.position = 0
        if self._numbers is not None:
            self._numbers.clear()

    def _in_ring(self, heard: PlainHeard, now_s: float) -> list[HostOutput]:
        message = self._codec.by_name[heard.name]
        if message.ring is None or not isinstance(counter := heard.fields.get(message.ring.counter), int):
            return []
        new, lost, restarted = self._rings[heard.name].take(counter)
        outputs: list[HostOutput] = []
        if restarted:
            self._forget_numbers()
            outputs.append(self._arrived(Started(0, 0, False, 0, StartReason.POWER_ON, False)))
        if lost:
            outputs.append(self._arrived(JournalLost(0, 0, False, 1, lost)))
        for entry in reversed(heard.ring[:new]):
            outputs += self._event(entry, now_s)
        return outputs

    def _event(self, heard: PlainHeard, now_s: float) -> list[HostOutput]:
        if heard.means is None:
            self._send(self._replies.reply_to(heard, 0))
            return []
        if heard.means.event in CARD_EVENTS:
            self._standing.position += 1
        event = self._codec.event_of(heard, int((now_s - self._started_s) * 1000), self._standing.position)
        if event is None:
            return []
        arrived = self._arrived(event)
        self._send(self._replies.reply_to(heard, self._standing.eseq))
        return [arrived]

    def _arrived(self, event: DeviceEvent) -> EventArrived:
        return EventArrived(self.epoch, self._standing.number(event))

    # ---- saying

    def _say_again(self, frame: PlainFrame) -> None:
        """A message that was heard before: its reply may have been lost."""
        if self._replies.says_something and (heard := self._reader.maybe_read(frame)) is not None:
            self._send(self._replies.again(heard))

    def _answered(self, heard: PlainHeard, now_s: float) -> list[HostOutput]:
        question = self._asking.answered(heard)
        if question is None:
            return []
        answer = question.message.answer
        refused = answer is not None and heard.name in answer.refusals
        if question.is_poll and not refused:
            self._poll_s = now_s + (self._profile.poll.every_s if self._profile.poll is not None else 0.0)
            return []
        if question.tid:
            fields = dict(heard.fields)
            status = status_of(self._codec.by_name[heard.name], fields) if refused else Status.OK
            return [CommandAnswered(self.epoch, question.tid, question.message.name, status, fields)]
        return self._enter(now_s) if self._connecting.hear(heard) else self._unanswered(question, now_s)

    def _unanswered(self, question: Question, now_s: float) -> list[HostOutput]:
        if question.is_poll and self._profile.turns is None:  # with turns an answer is said for one number only: it is lost with it
            self._poll_s = now_s + (self._profile.poll.every_s if self._profile.poll is not None else 0.0)
            return []
        if question.tid:
            return [CommandFailed(self.epoch, question.tid, question.message.name, CommandFailure.TIMED_OUT)]
        if question.is_poll:
            return self._give_up(f"no answer to {question.message.name}", now_s)
        self._connecting.go_on()
        return self._enter(now_s)

    def _put_poll(self, now_s: float) -> None:
        poll = self._profile.poll
        if poll is None or not self._asking.is_idle:
            return
        self._poll_s = None
        self._asking.put(Question(self._codec.by_name[poll.message], is_poll=True))

    def _ask(self, now_s: float) -> None:
        while (wire := self._asking.next(now_s)) is not None:
            self._send(wire)

    def _send(self, wire: bytes) -> None:
        self._out += wire
        self._echo.said(wire)

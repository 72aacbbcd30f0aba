"""Commands that wait for their final response: numbers, time limits, repetition, and which answer belongs to which.

A tid is non-zero and used again only after all others. An answer counts for the command of its tid and code; whatever
else comes is late or made up, and counted. When an owner's command gets no final response within its limit, STATUS is
asked and then the same tid goes again, which is safe until RST (SDP/1 1.5, 1.12): the device answers it from its store
and does not act twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from device_profiles.errors import FieldError
from device_profiles.values import FieldValue
from firmware_bridge.codec import CommandSpec
from firmware_bridge.events import Status
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.session.limits import REPEATS_MAX, STEP_SLACK_S, TID_MAX
from firmware_bridge.session.outputs import CommandFailed, CommandFailure
from firmware_bridge.session.pipe import HostPipe

STATUS_COMMAND: Final = "status"


class Purpose(Enum):
    """Who waits for the answer."""

    OWNER = "owner"
    STEP = "step"
    """A step of the connect sequence."""
    KEEP_ALIVE = "keep-alive"
    PROBE = "probe"
    """STATUS because another command's answer is overdue."""
    RESUME = "resume"
    """EVENT_RESUME because of a gap."""


@dataclass(slots=True)
class Waiting:
    """A command without its final response."""

    spec: CommandSpec
    tid: int
    message: bytes
    purpose: Purpose
    deadline: float | None
    """None while a probe is out for it."""
    repeats: int = 0
    probes_for: int = 0
    """With PROBE: the tid whose answer is overdue."""


class CommandDesk:
    """The commands under way."""

    def __init__(self, pipe: HostPipe, first_tid: int) -> None:
        self._pipe = pipe
        self._next_tid = (first_tid - 1) % TID_MAX + 1
        self._waiting: dict[int, Waiting] = {}
        self._status = pipe.codec.command(STATUS_COMMAND)

    def take_tid(self) -> int:
        """Return a tid that no waiting command has."""
        while True:
            tid = self._next_tid
            self._next_tid = tid % TID_MAX + 1
            if tid not in self._waiting:
                return tid

    def ask(self, spec: CommandSpec, fields: Mapping[str, FieldValue], purpose: Purpose, now: float) -> Waiting:
        """Send a command and wait for its answer.

        Raises:
            FieldError: a value is missing, unknown or does not fit.
            BridgeError: the link takes it not, or not now.
        """
        tid = self.take_tid()
        message = self._pipe.codec.write_command(spec, tid, fields)
        self._pipe.link.send(message, now)
        slack = 0.0 if purpose is Purpose.OWNER else STEP_SLACK_S
        waiting = Waiting(spec, tid, message, purpose, now + spec.message.max_s + slack)
        self._waiting[tid] = waiting
        return waiting

    def count(self, purpose: Purpose) -> int:
        return sum(waiting.purpose is purpose for waiting in self._waiting.values())

    def clear(self) -> None:
        """Forget all: the link or the session is lost, and with it every answer."""
        lost = list(self._waiting.values())
        self._waiting.clear()
        for waiting in lost:
            self._fail(waiting, CommandFailure.LINK_LOST)

    @property
    def is_empty(self) -> bool:
        """Tell whether no command waits."""
        return not self._waiting

    def next_deadline(self) -> float | None:
        if not self._waiting:
            return None
        return min((w.deadline for w in self._waiting.values() if w.deadline is not None), default=None)

    def maybe_answer(
        self, code: int, tid: int, message: bytes, now: float
    ) -> tuple[Waiting, tuple[Status, dict[str, FieldValue]] | None] | None:
        """Return the command that this final response answers, with its content; None inside: it is unreadable."""
        waiting = self._waiting.get(tid)
        if waiting is None or waiting.spec.message.code != code:
            self._pipe.fault(FaultKind.STALE_ANSWER if waiting is None else FaultKind.WRONG_ANSWER)
            return None
        try:
            status, fields = self._pipe.codec.read_response(waiting.spec, message)
        except FieldError:
            self._pipe.fault(FaultKind.BAD_MESSAGE)
            self._settle(waiting, now)
            if waiting.purpose is Purpose.OWNER:
                self._fail(waiting, CommandFailure.UNREADABLE)
            return waiting, None
        if status is Status.PENDING:
            return None
        self._settle(waiting, now)
        return waiting, (status, fields)

    def overdue(self, now: float) -> list[Waiting]:
        """Ask after owner's commands whose time is up; return the session's own ones, which are given up."""
        if not self._waiting:
            return []
        expired = [w for w in self._waiting.values() if w.deadline is not None and now >= w.deadline]
        own: list[Waiting] = []
        for waiting in expired:
            match waiting.purpose:
                case Purpose.OWNER if waiting.repeats < REPEATS_MAX and self._pipe.link.is_up:
                    waiting.deadline = None
                    self.ask(self._status, {}, Purpose.PROBE, now).probes_for = waiting.tid
                case Purpose.OWNER:
                    del self._waiting[waiting.tid]
                    self._fail(waiting, CommandFailure.TIMED_OUT)
                case Purpose.PROBE:
                    self._settle(waiting, now)
                case _:
                    del self._waiting[waiting.tid]
                    own.append(waiting)
        return own

    def _settle(self, waiting: Waiting, now: float) -> None:
        """The answer is here, or given up; a probe is followed by the command that it was sent for."""
        del self._waiting[waiting.tid]
        probed = self._waiting.get(waiting.probes_for)
        if waiting.purpose is not Purpose.PROBE or probed is None or not self._pipe.link.is_up:
            return
        probed.repeats += 1
        probed.deadline = now + probed.spec.message.max_s
        self._pipe.link.send(probed.message, now)

    def _fail(self, waiting: Waiting, failure: CommandFailure) -> None:
        if waiting.purpose is Purpose.OWNER:
            self._pipe.tell(CommandFailed(self._pipe.link.epoch, waiting.tid, waiting.spec.name, failure))

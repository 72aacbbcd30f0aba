"""What the host has asked of a plain device and waits for: one question at a time, answered by the next fitting message.

Most such devices number nothing, so an answer belongs to the question that is out. Where the profile has turns, a question gets its number
when it is first said and keeps it when it is repeated, and an answer with another number belongs to no question; then several questions may
be out, as many as the window of the turns says, each answered, repeated and given up for itself. A question is repeated
when its profile says so; then it has failed. An order to which no answer is known counts as taken when it is said. Polls give way to
questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from device_profiles.plain.messages import Plain, PlainMessage
from device_profiles.plain.profile import Turns
from firmware_bridge.events import Status
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.session.outputs import CommandAnswered, HostOutput

WAITING_MAX: Final = 32
"""Questions that may wait; a device that answers none of them is lost long before."""


@dataclass(slots=True)
class Question:
    """A message of the host, and who waits for the answer: `tid` 0 is the session itself."""

    message: PlainMessage
    tid: int = 0
    values: Mapping[str, Plain] = field(default_factory=dict)
    is_poll: bool = False
    wire: bytes = b""
    tries: int = 0
    due_s: float = 0.0
    turn: int | None = None
    """Its number, where questions are numbered."""
    place: int = 0
    """How many numbers were given out before its own."""


class Asking:
    """The questions of one connection."""

    __slots__ = ("_codec", "_given_out", "_out", "_pause_s", "_rule", "_said", "_silent_from_s", "_turn", "_waiting")

    def __init__(self, codec: PlainCodec) -> None:
        self._codec = codec
        self._rule = codec.profile.turns
        self._turn: int | None = None
        self._waiting: list[Question] = []
        self._said: list[Question] = []
        """Orders that have no answer: they count as taken when they are said."""
        self._out: list[Question] = []
        """Questions under way, oldest first."""
        self._given_out = 0
        """Numbers since the beginning."""
        self._pause_s = codec.profile.line.pause_s or 0.0
        self._silent_from_s = 0.0

    @property
    def _window(self) -> int:
        return self._rule.window if self._rule is not None else 1

    @property
    def out(self) -> Question | None:
        """The question that has been under way longest."""
        return self._out[0] if self._out else None

    @out.setter
    def out(self, question: Question | None) -> None:
        self._out = [question] if question is not None else []

    def clear(self) -> list[Question]:
        """Forget everything; return what was not answered."""
        unanswered = self._said + self._out + self._waiting
        self.out = self._turn = None
        self._waiting, self._said = [], []
        return unanswered

    def clear_own(self) -> None:
        """Forget the questions of the session itself: it begins anew."""
        self._out = [question for question in self._out if question.tid]
        self._waiting = [question for question in self._waiting if question.tid]

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= WAITING_MAX

    @property
    def is_idle(self) -> bool:
        return not self._out and not self._waiting

    def put(self, question: Question) -> None:
        """Ask this when its turn comes.

        Raises:
            FieldError: a value is missing or does not fit.
        """
        question.wire = self._written(question)
        self._waiting.append(question)

    def next(self, now_s: float) -> bytes | None:
        """The bytes to send now: the next question, when there is room for one."""
        if not self._has_room or not self._waiting or now_s < self._silent_from_s:
            return None
        question = self._waiting.pop(0)
        if self._rule is not None and question.message.answer is not None:
            self._turn = question.turn = _following(self._rule, self._turn)
            question.place, self._given_out = self._given_out, self._given_out + 1
            question.wire = self._written(question)
        return self._send(question, now_s)

    @property
    def _has_room(self) -> bool:
        """Whether another question may go out: its number lies within the window that begins with the oldest that is out.

        One with which both ends begin anew is alone on the line until it is answered.
        """
        if not self._out or self._rule is None:
            return not self._out
        restart = self._rule.restart
        if restart is not None and (self._turn is None or any(question.turn == restart for question in self._out)):
            return False
        return self._given_out - min(question.place for question in self._out) < self._window

    def line_used(self, now_s: float) -> None:
        """Somebody has just spoken: the host waits for the pause that the device needs."""
        self._silent_from_s = now_s + self._pause_s

    def _send(self, question: Question, now_s: float) -> bytes:
        self.line_used(now_s)
        question.tries += 1
        answer = question.message.answer
        if answer is not None:
            question.due_s = now_s + answer.within_s
            self._out = [*(other for other in self._out if other is not question), question]
        elif question.tid:
            self._said.append(question)
        return question.wire

    def taken(self, epoch: int) -> list[HostOutput]:
        """What to tell of the orders that have no answer; each is told once."""
        said, self._said = self._said, []
        return [CommandAnswered(epoch, question.tid, question.message.name, Status.OK, {}) for question in said]

    def answered(self, heard: PlainHeard) -> Question | None:
        """The question that this message answers or refuses, taken off; None when it answers none."""
        question = self._answered_by(heard)
        if question is None:
            return None
        self._out.remove(question)
        if question.message.answer is not None and heard.name in question.message.answer.refusals:
            self._begin_anew()
        return question

    def is_answered_by(self, heard: PlainHeard) -> bool:
        """Whether this message answers or refuses a question that is out."""
        return self._answered_by(heard) is not None

    def _answered_by(self, heard: PlainHeard) -> Question | None:
        for question in self._out:
            answer = question.message.answer
            if answer is None or heard.name not in (*answer.messages, *answer.refusals):
                continue
            if self._has_number(heard, question) or (self._window == 1 and heard.name in answer.refusals):
                return question
        return None

    def _has_number(self, heard: PlainHeard, question: Question) -> bool:
        return self._rule is None or self._rule.field not in heard.fields or heard.fields[self._rule.field] == question.turn

    def is_stale(self, heard: PlainHeard) -> bool:
        """Whether this message has the number of another question than those that are out; a refusal may say which is waited for."""
        if self._rule is None or self._rule.field not in heard.fields:
            return False
        return not any(self._has_number(heard, question) for question in self._out) and not self.is_answered_by(heard)

    def overdue(self, now_s: float) -> tuple[bytes | None, Question | None]:
        """(bytes to repeat, a question that has failed), when an answer is late; more may be late then."""
        question = next((one for one in self._out if one.message.answer is not None and now_s >= one.due_s), None)
        if question is None or question.message.answer is None:
            return None, None
        if question.tries < question.message.answer.tries:
            return self._send(question, now_s), None
        self._out.remove(question)
        self._begin_anew()
        return None, question

    @property
    def due_s(self) -> float | None:
        """When to look again; 0: at once."""
        if self._said:
            return 0.0
        due_s = min((question.due_s for question in self._out), default=None)
        if self._waiting and self._pause_s and self._has_room:
            return self._silent_from_s if due_s is None else min(due_s, self._silent_from_s)
        return due_s

    def _begin_anew(self) -> None:
        """Nobody knows what number the device waits for: where it can be told, it is."""
        if self._rule is not None and self._rule.restart is not None:
            self._turn = None

    def _written(self, question: Question) -> bytes:
        message, values = question.message, dict(question.values)
        if self._rule is not None and message.answer is not None:
            values[self._rule.field] = question.turn if question.turn is not None else self._rule.first
        return self._codec.write(message.name, values)


def _following(rule: Turns, turn: int | None) -> int:
    if turn is None:
        return rule.first if rule.restart is None else rule.restart
    return rule.first if turn in (rule.restart, rule.last) else turn + 1


def fields_of(message: PlainMessage, command: object, given: Mapping[str, object]) -> dict[str, Plain]:
    """The fields of a message that carries a canonical command; what the command leaves open is left to the profile."""
    values: dict[str, Plain] = {}
    for name, attribute in message.carries_map.items():
        value = getattr(command, attribute, None)
        if isinstance(value, str | int | bool):
            values[name] = value
    return values | {name: value for name, value in given.items() if isinstance(value, str | int | bool)}

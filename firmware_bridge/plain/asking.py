"""What the host has asked of a plain device and waits for: one question at a time, answered by the next fitting message.

Most such devices number nothing, so an answer belongs to the question that is out. Where the profile has turns, a question gets its number
when it is first said and keeps it when it is repeated, and an answer with another number belongs to no question. A question is repeated
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


class Asking:
    """The questions of one connection."""

    __slots__ = ("_codec", "_pause_s", "_rule", "_said", "_silent_from_s", "_turn", "_waiting", "out")

    def __init__(self, codec: PlainCodec) -> None:
        self._codec = codec
        self._rule = codec.profile.turns
        self._turn: int | None = None
        self._waiting: list[Question] = []
        self._said: list[Question] = []
        """Orders that have no answer: they count as taken when they are said."""
        self.out: Question | None = None
        self._pause_s = codec.profile.line.pause_s or 0.0
        self._silent_from_s = 0.0

    def clear(self) -> list[Question]:
        """Forget everything; return what was not answered."""
        unanswered = self._said + ([self.out] if self.out is not None else []) + self._waiting
        self.out = self._turn = None
        self._waiting, self._said = [], []
        return unanswered

    def clear_own(self) -> None:
        """Forget the questions of the session itself: it begins anew."""
        if self.out is not None and not self.out.tid:
            self.out = None
        self._waiting = [question for question in self._waiting if question.tid]

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= WAITING_MAX

    @property
    def is_idle(self) -> bool:
        return self.out is None and not self._waiting

    def put(self, question: Question) -> None:
        """Ask this when its turn comes.

        Raises:
            FieldError: a value is missing or does not fit.
        """
        question.wire = self._written(question)
        self._waiting.append(question)

    def next(self, now_s: float) -> bytes | None:
        """The bytes to send now: the next question, when none is out."""
        if self.out is not None or not self._waiting or now_s < self._silent_from_s:
            return None
        question = self._waiting.pop(0)
        if self._rule is not None and question.message.answer is not None:
            self._turn = _following(self._rule, self._turn)
            question.wire = self._written(question)
        return self._send(question, now_s)

    def line_used(self, now_s: float) -> None:
        """Somebody has just spoken: the host waits for the pause that the device needs."""
        self._silent_from_s = now_s + self._pause_s

    def _send(self, question: Question, now_s: float) -> bytes:
        self.line_used(now_s)
        question.tries += 1
        answer = question.message.answer
        if answer is not None:
            question.due_s = now_s + answer.within_s
            self.out = question
        elif question.tid:
            self._said.append(question)
        return question.wire

    def taken(self, epoch: int) -> list[HostOutput]:
        """What to tell of the orders that have no answer; each is told once."""
        said, self._said = self._said, []
        return [CommandAnswered(epoch, question.tid, question.message.name, Status.OK, {}) for question in said]

    def answered(self, heard: PlainHeard) -> Question | None:
        """The question that this message answers or refuses, taken off; None when it answers none."""
        if not self.is_answered_by(heard):
            return None
        question, self.out = self.out, None
        if question is not None and question.message.answer is not None and heard.name in question.message.answer.refusals:
            self._begin_anew()
        return question

    def is_answered_by(self, heard: PlainHeard) -> bool:
        """Whether this message answers or refuses the question that is out."""
        answer = self.out.message.answer if self.out is not None else None
        return answer is not None and heard.name in (*answer.messages, *answer.refusals) and not self.is_stale(heard)

    def is_stale(self, heard: PlainHeard) -> bool:
        """Whether this message has the number of another question than the one that is out; a refusal may say which is waited for."""
        if self._rule is None or self._rule.field not in heard.fields:
            return False
        answer = self.out.message.answer if self.out is not None else None
        return answer is None or (heard.name not in answer.refusals and heard.fields[self._rule.field] != self._turn)

    def overdue(self, now_s: float) -> tuple[bytes | None, Question | None]:
        """(bytes to repeat, a question that has failed), when the answer is late."""
        question = self.out
        if question is None or question.message.answer is None or now_s < question.due_s:
            return None, None
        if question.tries < question.message.answer.tries:
            return self._send(question, now_s), None
        self.out = None
        self._begin_anew()
        return None, question

    @property
    def due_s(self) -> float | None:
        """When to look again; 0: at once."""
        if self._said:
            return 0.0
        if self.out is not None:
            return self.out.due_s
        return self._silent_from_s if self._waiting and self._pause_s else None

    def _begin_anew(self) -> None:
        """Nobody knows what number the device waits for: where it can be told, it is."""
        if self._rule is not None and self._rule.restart is not None:
            self._turn = None

    def _written(self, question: Question) -> bytes:
        message, values = question.message, dict(question.values)
        if self._rule is not None and message.answer is not None:
            values[self._rule.field] = self._turn if self._turn is not None else self._rule.first
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

"""What the host has asked of a plain device and waits for: one question at a time, answered by the next fitting message.

Such devices number nothing, so an answer belongs to the question that is out. A question is repeated when its profile says so; then it
has failed. Polls give way to questions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from device_profiles.plain.messages import Plain, PlainMessage

WAITING_MAX: Final = 32
"""Questions that may wait; a device that answers none of them is lost long before."""


@dataclass(slots=True)
class Question:
    """A message of the host, and who waits for the answer: `tid` 0 is the session itself."""

    message: PlainMessage
    wire: bytes
    tid: int
    tries: int = 0
    due_s: float = 0.0
    is_poll: bool = False


class Asking:
    """The questions of one connection."""

    def __init__(self) -> None:
        self._waiting: deque[Question] = deque()
        self.out: Question | None = None

    def clear(self) -> list[Question]:
        """Forget everything; return what was not answered."""
        unanswered = ([self.out] if self.out is not None else []) + list(self._waiting)
        self.out = None
        self._waiting.clear()
        return unanswered

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= WAITING_MAX

    @property
    def is_idle(self) -> bool:
        return self.out is None and not self._waiting

    def put(self, question: Question) -> None:
        """Ask this when its turn comes."""
        self._waiting.append(question)

    def next(self, now_s: float) -> bytes | None:
        """The bytes to send now: the next question, when none is out."""
        if self.out is not None or not self._waiting:
            return None
        question = self._waiting.popleft()
        return self._send(question, now_s)

    def _send(self, question: Question, now_s: float) -> bytes:
        question.tries += 1
        answer = question.message.answer
        if answer is not None:
            question.due_s = now_s + answer.within_s
            self.out = question
        return question.wire

    def answered(self, name: str) -> Question | None:
        """The question that a message of this name answers, taken off; None when it answers none."""
        if not self.is_answered_by(name):
            return None
        question, self.out = self.out, None
        return question

    def is_answered_by(self, name: str) -> bool:
        """Whether a message of this name answers or refuses the question that is out."""
        answer = self.out.message.answer if self.out is not None else None
        return answer is not None and (name in answer.messages or name in answer.refusals)

    def overdue(self, now_s: float) -> tuple[bytes | None, Question | None]:
        """(bytes to repeat, a question that has failed), when the answer is late."""
        question = self.out
        if question is None or question.message.answer is None or now_s < question.due_s:
            return None, None
        if question.tries < question.message.answer.tries:
            return self._send(question, now_s), None
        self.out = None
        return None, question

    @property
    def due_s(self) -> float | None:
        """When to look again."""
        return self.out.due_s if self.out is not None else None


def fields_of(message: PlainMessage, command: object, given: Mapping[str, object]) -> dict[str, Plain]:
    """The fields of a message that carries a canonical command; what the command leaves open is left to the profile."""
    values: dict[str, Plain] = {}
    for field, attribute in message.carries_map.items():
        value = getattr(command, attribute, None)
        if isinstance(value, str | int | bool):
            values[field] = value
    return values | {name: value for name, value in given.items() if isinstance(value, str | int | bool)}

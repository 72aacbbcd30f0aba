"""Whether a message is new: devices that say everything several times, and devices that number what they say."""

from __future__ import annotations

from enum import Enum
from typing import Final

from device_profiles.plain.messages import Ring
from device_profiles.plain.profile import Numbers, Repeats

KEPT_MAX: Final = 64
"""Messages that are remembered; none of these devices has as many different ones under way within its own repetition."""


class _Heard:
    """A message within the time of its repetitions: when it came last, how often, and how many new ones came before it."""

    __slots__ = ("before", "copies", "last_s")

    def __init__(self, now_s: float, before: int) -> None:
        self.last_s, self.copies, self.before = now_s, 1, before


class RepeatFilter:
    """Tells a repetition from a new message that reads alike.

    A repetition comes within the time of the rule after the copy before it. Where the device numbers its messages, one that reads alike is
    another as soon as more than half of the numbers were used since: repetitions do not come that late, and a number does not come back
    that early. Where it numbers nothing and says everything a certain number of times, a further copy is another message.
    """

    __slots__ = ("_cycle", "_heard", "_new", "_rule", "_weak")

    def __init__(self, rule: Repeats | None, numbers: Numbers | None = None) -> None:
        self._rule = rule
        told = rule.numbers if rule is not None else None
        counted = numbers.last - numbers.first + 1 if numbers is not None else None
        self._cycle = told or counted
        self._heard: dict[bytes, _Heard] = {}
        """In the order in which they came new."""
        self._new = 0
        self._weak = 0

    def clear(self) -> None:
        """The device counts anew: what it says from now on is new."""
        self._heard.clear()

    def take_weak(self) -> int:
        """Messages that came fewer times than the device says everything, since this was asked last."""
        weak, self._weak = self._weak, 0
        return weak

    def is_repeated(self, content: bytes, now_s: float) -> bool:
        """Note the message, and say whether it was heard before."""
        rule = self._rule
        if rule is None:
            return False
        self._drop_old(rule, now_s)
        known = self._heard.get(content)
        if known is not None and self._is_copy(rule, known):
            known.last_s, known.copies = now_s, known.copies + 1
            return True
        if known is not None:
            self._drop(rule, content)
        elif len(self._heard) >= KEPT_MAX:
            self._drop(rule, next(iter(self._heard)))
        self._new += 1
        self._heard[content] = _Heard(now_s, self._new)
        return False

    def _is_copy(self, rule: Repeats, known: _Heard) -> bool:
        if self._cycle is not None:
            return self._new - known.before <= self._cycle // 2
        return rule.times == 1 or known.copies < rule.times

    def _drop_old(self, rule: Repeats, now_s: float) -> None:
        for content in [content for content, known in self._heard.items() if now_s - known.last_s > rule.within_s]:
            self._drop(rule, content)

    def _drop(self, rule: Repeats, content: bytes) -> None:
        if self._heard.pop(content).copies < rule.times:
            self._weak += 1


class Sequel(Enum):
    """How a number follows the one before it."""

    NEXT = "next"
    SAME = "same"
    CHANGED = "changed"
    """The number is that of the message before, and what it tells is not."""
    GAP = "gap"
    RESTART = "restart"


class NumberWatch:
    """Follows a running number. `lost` are the numbers of the last gap, first and last."""

    __slots__ = ("_first", "_heard", "_last", "_restart", "_told", "lost")

    def __init__(self, first: int, last: int, restart: int | None) -> None:
        self._first, self._last, self._restart = first, last, restart
        self._heard: int | None = None
        self._told: object = None
        self.lost = (0, 0)

    @classmethod
    def of_messages(cls, rule: Numbers | None) -> NumberWatch | None:
        """A watch on the numbers of messages; None where the device has none."""
        return cls(rule.first, rule.last, rule.restart) if rule is not None else None

    def clear(self) -> None:
        """The next number, whatever it is, is a beginning."""
        self._heard = None

    def take(self, number: int, told: object = None) -> Sequel:
        """Take the next number, and what its message tells; None where that is nothing."""
        before, self._heard = self._heard, number
        before_told, self._told = self._told, told
        if self._restart is not None and number == self._restart:
            return Sequel.RESTART
        if before is None or before == self._restart or not self._first <= before <= self._last:
            return Sequel.NEXT
        if number == before:
            if told is None or before_told is None:
                self._told = told or before_told
                return Sequel.SAME
            return Sequel.SAME if told == before_told else Sequel.CHANGED
        due = self._following(before)
        if number == due:
            return Sequel.NEXT
        self.lost = (due, number - 1 if number > self._first else self._last)
        return Sequel.GAP

    def _following(self, number: int) -> int:
        return self._first if number >= self._last else number + 1


class RingWatch:
    """Tells how many entries of a ring are new by its counter, and how many were lost between two looks.

    At the first look nobody knows which entries were there before: all count as old, and whoever owns the session tells that something may
    have passed unheard. Between two looks the counter tells, also when the line was lost meanwhile.
    """

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._heard: int | None = None

    def take(self, counter: int) -> tuple[int, int, bool]:
        """(new entries, lost entries, the device has started) at this counter."""
        ring, before = self._ring, self._heard
        self._heard = counter
        if counter < ring.first:
            return 0, 0, before is not None and before != counter
        if before is None:
            return 0, 0, False
        cycle = ring.last - ring.first + 1
        came = counter - ring.first + 1 if before < ring.first else (counter - before) % cycle
        return min(came, ring.count), max(0, came - ring.count), False

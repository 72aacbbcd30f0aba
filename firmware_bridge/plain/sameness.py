"""Whether a message is new: devices that say everything several times, and devices that number what they say."""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from typing import Final

from device_profiles.plain.messages import Ring
from device_profiles.plain.profile import Numbers, Repeats

KEPT_MAX: Final = 64
"""Messages that are remembered; none of these devices has as many different ones under way within its own repetition."""


class RepeatFilter:
    """Tells a repetition from a new message by its bytes and the time since the first of them."""

    def __init__(self, rule: Repeats | None) -> None:
        self._rule = rule
        self._heard: OrderedDict[bytes, tuple[float, int]] = OrderedDict()
        self.weak = 0
        """Messages that came fewer times than the device says everything."""

    def clear(self) -> None:
        """The device counts anew: what it says from now on is new."""
        self._heard.clear()

    def is_repeated(self, content: bytes, now_s: float) -> bool:
        """Note the message, and say whether it was heard before within the time of the rule."""
        if self._rule is None:
            return False
        first = self._heard.get(content)
        if first is not None and now_s - first[0] <= self._rule.within_s:
            self._heard[content] = (first[0], first[1] + 1)
            return True
        self._heard.pop(content, None)
        self._heard[content] = (now_s, 1)
        while len(self._heard) > KEPT_MAX:
            self._drop_oldest()
        while self._heard and now_s - next(iter(self._heard.values()))[0] > self._rule.within_s:
            self._drop_oldest()
        return False

    def _drop_oldest(self) -> None:
        _, (_, times) = self._heard.popitem(last=False)
        if self._rule is not None and times < self._rule.times:
            self.weak += 1


class Sequel(Enum):
    """How a number follows the one before it."""

    NEXT = "next"
    SAME = "same"
    GAP = "gap"
    RESTART = "restart"


class NumberWatch:
    """Follows a running number. `lost` are the numbers of the last gap, first and last."""

    def __init__(self, first: int, last: int, restart: int | None) -> None:
        self._first, self._last, self._restart = first, last, restart
        self._heard: int | None = None
        self.lost = (0, 0)

    @classmethod
    def of_messages(cls, rule: Numbers | None) -> NumberWatch | None:
        """A watch on the numbers of messages; None where the device has none."""
        return cls(rule.first, rule.last, rule.restart) if rule is not None else None

    def clear(self) -> None:
        """The next number, whatever it is, is a beginning."""
        self._heard = None

    def take(self, number: int) -> Sequel:
        """Take the next number."""
        before, self._heard = self._heard, number
        if self._restart is not None and number == self._restart:
            return Sequel.RESTART
        if before is None or before == self._restart or not self._first <= before <= self._last:
            return Sequel.NEXT
        if number == before:
            return Sequel.SAME
        due = self._following(before)
        if number == due:
            return Sequel.NEXT
        self.lost = (due, number - 1 if number > self._first else self._last)
        return Sequel.GAP

    def _following(self, number: int) -> int:
        return self._first if number >= self._last else number + 1


class RingWatch:
    """Tells how many entries of a ring are new by its counter, and how many were lost between two looks."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._heard: int | None = None

    def clear(self) -> None:
        """The next look is a beginning: what lies in the ring then is old."""
        self._heard = None

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

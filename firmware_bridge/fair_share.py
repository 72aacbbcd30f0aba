"""How much of the processor one device may take with what brings nothing, so that it holds up no other table (EQ-58, T-27).

One loop serves all devices. A device that floods, by a defect or on purpose, would take as much of it as it likes: noise, frames said
again and again, a frame without an end, heartbeats. So each device has a share of the loop's time. What it brings, events and answers, is
free where the device must wait for our acknowledgement before it says more; a device that waits for nobody pays for its events too.

Three things follow:
1. When the share is spent, or the line is flooded, the port is read in turns: it rests after each read until the time is earned again, and
   a read takes a piece of bounded size. While the flood lasts it stays so, even where the turns take less than the share: a wake-up for
   each few bytes would take the rest of it, and stand in the way of other tables' cards each time.
2. When a good part of what the line can carry says nothing for some seconds, the owner is told, once for each flood.
3. When even so there is always more than the turns take, what is read is old, and old cards are worse than none: the port is given up.

Sans-I/O, and it reads no clock: time spent and time passed are arguments. It does not know what the bytes are.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from firmware_bridge.link.limits import BITS_PER_BYTE
from firmware_bridge.transport.base import TURN_BYTES

SHARE: Final = 0.03
"""Of one processor, for what brings nothing, at most. A line-rate flood of a UART, read in turns, takes half of it."""
BURST_S: Final = 0.05
"""So much may be spent at once: the noise of plugging in, the pages that a starting device prints."""
WAKE_S: Final = 0.0001
"""What a read costs before anybody looks at it: a wake-up of the loop and two calls of the kernel."""
EVENT_S: Final = 0.0005
"""What table and journal spend later on an event of a device that waits for nobody: 60 a second are free. No shoe deals so fast."""
EVENT_WORTH_S: Final = 0.001
"""An event or an answer that was waited for pays for so much of the work of its read; a read full of them costs nothing."""
TURN_S: Final = 0.02
"""The shortest rest: a wake-up for each few bytes costs more than the bytes. A card that comes in the flood is late by as much."""
TURN_MAX_S: Final = 0.5
"""The longest: heartbeats among the flood must be heard, and a link is lost after 3 s (SDP/1 1.8)."""
FLOOD_S: Final = 1.0
"""What comes in this time tells whether the line is flooded: longer than a few messages that are all said three times, and than what pours
is held up now and then."""
NOTICE_S: Final = 5.0
"""So long must a flood last to be told: nobody need run for a noisy plug."""
NOTICE_PART: Final = 1 / 3
"""Of what the line can carry; more is a flood. The chattiest device that is known repeats everything three times and is silent between
cards."""
BEHIND_S: Final = 5.0
"""So long may every turn find more than it takes. A serial line cannot; a broken server or a hostile one can."""


class Turn(NamedTuple):
    """What follows from one read: how long the port rests, and what its owner is to be told."""

    rest_s: float = 0.0
    flood_bytes_s: int = 0
    """Not 0: a flood of so many bytes a second is to be told now."""
    is_behind: bool = False
    """The port is to be given up."""


NO_REST: Final = Turn()


class Poured:
    """What says nothing, counted over one time after the other."""

    __slots__ = ("_flood_bytes_s", "_over_s", "_since_s", "_wasted", "bytes_s")

    def __init__(self, flood_bytes_s: float, over_s: float, now_s: float) -> None:
        self._flood_bytes_s, self._over_s, self._since_s = flood_bytes_s, over_s, now_s
        self._wasted = 0
        self.bytes_s = 0.0
        """In the last whole time."""

    @property
    def is_flood(self) -> bool:
        return self.bytes_s >= self._flood_bytes_s

    def take(self, wasted: int, now_s: float) -> bool:
        """Count these bytes, and say whether a time is over with them."""
        self._wasted += wasted
        passed_s = now_s - self._since_s
        if passed_s < self._over_s:
            return False
        self.bytes_s = self._wasted / passed_s
        self._since_s, self._wasted = now_s, 0
        return True


class FairShare:
    """The share of one device on one opening of its port."""

    __slots__ = ("_behind_since", "_debt_s", "_is_told", "_notice", "_paid_at_s", "_poured", "in_turns")

    def __init__(self, baud: int, now_s: float) -> None:
        flood_bytes_s = baud / BITS_PER_BYTE * NOTICE_PART
        self._poured, self._notice = Poured(flood_bytes_s, FLOOD_S, now_s), Poured(flood_bytes_s, NOTICE_S, now_s)
        self._debt_s = 0.0
        self._paid_at_s = now_s
        self._is_told = False
        self._behind_since: float | None = None
        self.in_turns = False
        """Whether the port is being read in turns."""

    def charge(self, spent_s: float, size: int, brought: int, now_s: float, *, waits: bool) -> Turn:
        """Take note of one read: what it cost, its bytes, the events and answers in it. `waits`: the device waits for us."""
        cost_s = max(0.0, spent_s + WAKE_S - brought * EVENT_WORTH_S) if waits else spent_s + WAKE_S + brought * EVENT_S
        wasted = 0 if brought else size
        self._debt_s = max(0.0, self._debt_s - (now_s - self._paid_at_s) * SHARE) + cost_s
        self._paid_at_s = now_s
        self._poured.take(wasted, now_s)
        flood_bytes_s = self._told(wasted, now_s)
        if not self._poured.is_flood and self._debt_s <= (BURST_S / 2 if self.in_turns else BURST_S):
            self.in_turns, self._behind_since = False, None
            return NO_REST if not flood_bytes_s else Turn(0.0, flood_bytes_s)
        self.in_turns = True
        over_s = self._debt_s - BURST_S
        return Turn(min(max(TURN_S, over_s / SHARE), TURN_MAX_S), flood_bytes_s, self._is_behind(size, now_s))

    def _told(self, wasted: int, now_s: float) -> int:
        """Bytes a second that say nothing, when that is to be told."""
        if not self._notice.take(wasted, now_s):
            return 0
        was_told, self._is_told = self._is_told, self._notice.is_flood
        return int(self._notice.bytes_s) if self._is_told and not was_told else 0

    def _is_behind(self, size: int, now_s: float) -> bool:
        """Tell whether every turn of some seconds was full."""
        if size < TURN_BYTES:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = now_s
        return self._behind_since is not None and now_s - self._behind_since >= BEHIND_S

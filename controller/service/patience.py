"""How often a device is asked for the same thing. Pure: answers in, the next step out.

A busy device is waited for, a refusal is looked into with STATUS, a third one is told to the table. Whatever changes
at the table or at the device begins the count anew.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from firmware_bridge.commands import Command, Dispense, Unlock
from firmware_bridge.events import Status
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed, CommandFailure

REFUSALS_MAX: Final = 3
"""A device that refuses the same command three times, with STATUS read in between, will not take it the fourth time."""

BUSY_WAITS_MAX: Final = 50
BUSY_WAIT_S: Final = 0.1
"""Together five seconds: the longest mechanical act between two commands is a stack of seven cards."""

NOTICE_GAP_S: Final = 10.0
"""A device that breaks its promises all the time writes no more than six records a minute of it."""

DEFECT_PAUSE_S: Final = 1.0
"""A defect that strikes at once again must not fill the log's disk."""

FIRST_CONNECTION_S: Final = 5.0
"""Power-on to first RSTACK (SDP/1 1.8): a device silent for longer at the start is told to the table as lost."""


class Next(Enum):
    """What to do after an answer."""

    ACCEPTED = "accepted"
    COMPARE = "compare"
    """The link was lost meanwhile: what comes next is compared when it is back."""
    WITHOUT_COUNT = "without-count"
    """The device knows no counted unlock after all."""
    ACT_UNDER_WAY = "act-under-way"
    """A stack was asked for while an act runs: its end is waited for."""
    WAIT = "wait"
    LOOK = "look"
    """Ask for STATUS, then compare."""
    GIVE_UP = "give-up"


class Patience:
    """Counts the refusals of one device."""

    def __init__(self) -> None:
        self.given_up_on: Command | None = None
        self._refusals = 0
        self._busy_waits = 0

    def renew(self) -> None:
        """Something has changed: begin the count anew."""
        self.given_up_on, self._refusals, self._busy_waits = None, 0, 0

    def judge(self, command: Command, answer: CommandAnswered | CommandFailed) -> Next:
        """Return what to do after this answer."""
        if isinstance(answer, CommandFailed):
            return Next.COMPARE if answer.failure is CommandFailure.LINK_LOST else self._refused(command)
        if answer.status is Status.OK:
            return Next.ACCEPTED
        if answer.status is Status.NOT_SUPPORTED and isinstance(command, Unlock) and command.cards is not None:
            return Next.WITHOUT_COUNT
        if answer.status is Status.BUSY:
            if isinstance(command, Dispense):
                return Next.ACT_UNDER_WAY
            if self._busy_waits < BUSY_WAITS_MAX:
                self._busy_waits += 1
                return Next.WAIT
        return self._refused(command)

    def _refused(self, command: Command) -> Next:
        self._refusals += 1
        if self._refusals < REFUSALS_MAX:
            return Next.LOOK
        self.given_up_on = command
        return Next.GIVE_UP


def words_of(answer: CommandAnswered | CommandFailed) -> str:
    """Return an answer's status or failure as one word."""
    return answer.failure.value if isinstance(answer, CommandFailed) else answer.status.value

"""What the protocol of a device gives the host, as far as the service behaves differently without it. Values only.

A device of SDP/1 keeps its events until they are stored, numbers them, tells every error that moves a card by an event of its own, and
takes every command. Foreign devices give less; what is missing is never asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from firmware_bridge.reports import StatusReport

FRESH_EVENTS_MAX: Final = 32
"""A device with fewer events than this in its whole life cannot have dealt a round: its history is taken. Of any other
new device only what comes from now on is taken, since its history belongs to another table."""


UNTAKEN_MAX: Final = 256
"""Events on their way to the table. SDP/1 allows 8 (1.7); a device that waits for nobody fills no more memory than this."""


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """The defaults are a device of SDP/1."""

    takes: frozenset[str] | None = None
    """Commands that can be carried to it, by class name; None: all."""
    listens: bool = False
    """It is only listened to, in shadow mode: nothing is ever asked of it."""
    keeps_events: bool = True
    """What happens while nobody listens is told later."""
    notices_gaps: bool = True
    """Events that got lost between two that were heard are noticed."""
    own_events: bool = True
    """A jam, a lid, an unread or foreign card come as events of their own beside the error."""
    tells_serial: bool = True
    """Its serial number can be compared with the configured one."""

    checks_frames: bool = True
    """A damaged message is noticed as such."""
    tells_repeats: bool = True
    """A message that comes again is told from a new one."""

    def may(self, command: str) -> bool:
        """Return whether this command can be carried to it."""
        return self.takes is None or command in self.takes


SDP1: Final = Habits()


class Post(msgspec.Struct, frozen=True):
    """Where a device works. One that does not `deals` is a shuffler: it works at its own button."""

    table: str
    device: str
    deals: bool = True
    habits: Habits = SDP1
    owners: Mapping[str, str] = {}
    """Whose device has which serial number, in words, so that two that are exchanged are told as such."""


def is_fresh(status: StatusReport) -> bool:
    """Return whether the device has hardly any history, so that all of it can be taken."""
    return status.last_eseq <= FRESH_EVENTS_MAX and status.oldest_eseq <= 1 and status.drawn == 0 and status.shoe_id is None

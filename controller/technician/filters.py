"""Which lines of a monitor are shown."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from controller.technician.errors import TechnicianError
from controller.technician.lines import DAMAGED, SEALED, UNKNOWN, Seen
from controller.technician.reach import AnyCodec
from device_profiles.loader import nearest_of
from device_profiles.plain.frames import Way
from firmware_bridge.link.frames import FrameKind
from firmware_bridge.plain.codec import PlainCodec


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Shows what fits all that is given."""

    way: Way | None = None
    messages: frozenset[str] = frozenset()
    faults_only: bool = False

    def shows(self, seen: Seen) -> bool:
        """Whether this line is shown."""
        if self.faults_only and not seen.is_fault:
            return False
        return (self.way is None or seen.way is self.way) and (not self.messages or seen.message in self.messages)


def message_names(codec: AnyCodec) -> tuple[str, ...]:
    """Return every name that a line can have."""
    if isinstance(codec, PlainCodec):
        return (*codec.messages, DAMAGED, UNKNOWN)
    link = [kind.name.lower() for kind in FrameKind if kind is not FrameKind.DATA]
    return (*codec.profile.commands, *codec.profile.events, "event_ack", *link, SEALED, DAMAGED, UNKNOWN)


def filter_of(codec: AnyCodec, way: Way | None, messages: Iterable[str], *, faults_only: bool) -> Filter:
    """Return the filter.

    Raises:
        TechnicianError: a message's name is none of the profile.
    """
    names, wanted = message_names(codec), frozenset(messages)
    for name in sorted(wanted):
        if name not in names:
            raise no_such_message(name, names)
    return Filter(way=way, messages=wanted, faults_only=faults_only)


def no_such_message(name: str, names: tuple[str, ...]) -> TechnicianError:
    """Return what to tell of a name that no message has."""
    near = nearest_of(name, names)
    return TechnicianError(
        "no-such-message",
        f"The profile has no message `{name[:40]}`.",
        f"Did you mean `{near}`?" if near else "`shoed profile show NAME` lists its messages.",
    )

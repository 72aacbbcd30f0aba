"""What a device's driver puts into its table's inbox, and where a device stands for people.

Events are the device's own; notices are what the driver saw of the connection. Devices are named by their name at the
table, since the two sides hold each other only through these values.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from firmware_bridge.events import DeviceEvent


class Standing(Enum):
    """Where a device stands, for people."""

    CONNECTING = "connecting"
    RUNNING = "running"
    LOST = "lost"
    REFUSED = "refused"
    STOPPED = "stopped"


class Heard(msgspec.Struct, frozen=True):
    """A device's event on its way to the table."""

    device: str
    event: DeviceEvent
    link: int
    """Which link of the driver it came over: the count of what is on its way belongs to one link."""


class Noticed(msgspec.Struct, frozen=True):
    """Something about a device that is no event of its own: `lost`, `back`, `wrong-identity`, ..."""

    device: str
    event: str
    detail: str


class Joined(msgspec.Struct, frozen=True):
    """A device that the table does not know yet has a history up to `eseq` that is not this table's."""

    device: str
    eseq: int


ToTable = Heard | Noticed | Joined

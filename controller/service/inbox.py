"""What a device's driver and people put into a table's inbox, and where a device stands for people.

Events are the device's own; notices are what the driver saw of the connection. Devices are named by their name at the
table, since the two sides hold each other only through these values.
"""

from __future__ import annotations

import asyncio
from enum import Enum

import msgspec

from controller.service.errors import ServiceError
from controller.table.acts import AnyAct
from controller.table.outcome import Outcome
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


class Answer(msgspec.Struct, frozen=True):
    """What a person's act came to; `entry` is None when it was refused."""

    entry: int | None
    outcome: Outcome


class Asked(msgspec.Struct, frozen=True):
    """A person's act and the way to answer it."""

    act: AnyAct
    answer: asyncio.Future[Answer]


def answer_with(item: Asked | ToTable, error: ServiceError) -> None:
    """Tell whoever asked that nothing came of it."""
    if isinstance(item, Asked) and not item.answer.done():
        item.answer.set_exception(error)

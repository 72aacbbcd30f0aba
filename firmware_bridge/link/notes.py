"""What a frame or a deadline did to the link, as values for the link's owner."""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.events import StartReason
from firmware_bridge.link.faults import FaultKind, LossCause


class Up(NamedTuple):
    """The link is up; everything before it is history."""

    boot_count: int


class Lost(NamedTuple):
    """The link is lost."""

    cause: LossCause
    detail: str
    reason: StartReason | None = None


class Reset(NamedTuple):
    """The device's side: the host sent RST."""


class NoCommonVersion(NamedTuple):
    """The device speaks none of the offered versions."""


class Bad(NamedTuple):
    """A frame that was counted and otherwise not taken."""

    kind: FaultKind


LinkNote = Up | Lost | Reset | NoCommonVersion | Bad

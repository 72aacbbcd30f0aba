"""What a device's owner is told of its port: values, beside what the session tells."""

from __future__ import annotations

import msgspec

from firmware_bridge.transport.base import TransportError


class PortOpened(msgspec.Struct, frozen=True):
    """The port is ours; the session begins."""

    url: str


class PortFailed(msgspec.Struct, frozen=True):
    """The port could not be opened; it is tried again after `retry_in_s`."""

    error: TransportError
    retry_in_s: float


class PortLost(msgspec.Struct, frozen=True):
    """The port broke while it was open; it is closed now and opened again."""

    error: TransportError


class PortFlooded(msgspec.Struct, frozen=True):
    """So many bytes a second come that say nothing. They are read in turns, so nothing else is held up; told once for each flood."""

    bytes_s: int


class LineFound(msgspec.Struct, frozen=True):
    """The device speaks with other settings of its line than its profile or its address says."""

    setting: str
    expected: str


PortNews = PortOpened | PortFailed | PortLost | PortFlooded | LineFound

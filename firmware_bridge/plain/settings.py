"""What the host knows of a plain device before it listens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from firmware_bridge.link.line import Line

TID_MAX: Final = 0xFFFF
RETRY_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""After a failed connection: as long as a device of SDP/1 is left alone (1.8)."""


class PlainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the host knows of a plain device before it listens."""

    line: Line
    expected_serial: str | None = None
    first_wanted: int = 1
    """The last durable event number + 1."""
    may_write: bool = False
    """The configuration grants writing to a device whose profile is read-only."""
    listens_only: bool = False
    """Another host speaks on this line: nothing is written whatever profile and configuration say."""
    cards: Mapping[str, str] = {}
    """Tag to card, for readers of tagged cards."""

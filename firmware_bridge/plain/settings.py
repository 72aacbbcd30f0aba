"""What the host knows of a plain device before it listens."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from firmware_bridge.link.line import Line


class PlainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the host knows of a plain device before it listens."""

    line: Line
    expected_serial: str | None = None
    first_wanted: int = 1
    """The last durable event number + 1."""
    may_write: bool = False
    """The configuration grants writing to a device whose profile is read-only."""
    cards: Mapping[str, str] = {}
    """Tag to card, for readers of tagged cards."""

"""A message of a plain device as it was understood."""

from __future__ import annotations

import msgspec

from device_profiles.plain.messages import Means
from firmware_bridge.cards import Sealed
from firmware_bridge.plain.fields import Value


class PlainHeard(msgspec.Struct, frozen=True):
    """A message as it was understood. Fields that tell a card are left out; `card` holds it sealed."""

    name: str
    fields: dict[str, Value]
    means: Means | None
    card: Sealed | None
    ring: tuple[PlainHeard, ...] = ()
    """Newest first, for a message that carries a ring of events; in order, for a group. An entry of no known kind tells nothing."""

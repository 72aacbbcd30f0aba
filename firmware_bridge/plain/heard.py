"""A message of a plain device as it was understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from device_profiles.plain.messages import Means
from firmware_bridge.cards import Sealed
from firmware_bridge.plain.fields import Values
from firmware_bridge.plain.mapping import EventMaker


class PlainHeard(msgspec.Struct, frozen=True, gc=False):
    """A message as it was understood. Fields that tell a card are left out; `card` holds it sealed."""

    name: str
    fields: Values
    means: Means | None
    card: Sealed | None
    ring: tuple[PlainHeard, ...] = ()
    """Newest first, for a message that carries a ring of events; in order, for a group. An entry of no known kind tells nothing."""
    make: EventMaker | None = None
    """Makes the canonical event that it means."""

    @property
    def told(self) -> tuple[object, ...] | None:
        """What of it makes its event; None where it means none. Marks and times that change with each repetition are no part of it."""
        if self.means is None:
            return None
        mapped = (self.fields.get(field) for field in self.means.map.values())
        return (self.name, self.card, *mapped, *(entry.told for entry in self.ring))


Hear = Callable[[bytes, Mapping[str, str]], "PlainHeard | None"]
"""What a frame says by one message, with the table's own map of tags to cards; None when it is another message.

Raises FieldError where it is this one and a field of it cannot be read.
"""

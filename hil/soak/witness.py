"""A simulated device that remembers what really happened to it, beside what it told.

Its own journal forgets what the host has acknowledged, as SDP/1 1.7 allows. An account of a long run needs every event
since the beginning, and for each card the paper itself, whatever the reader said of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from device_profiles.values import FieldValue
from firmware_bridge.cards import Card
from hil.simulated.device import SimulatedDevice

CARD_EVENTS: Final = frozenset({"card_read", "burn_ejected", "card_out_of_flow"})


@dataclasses.dataclass(frozen=True, slots=True)
class Told:
    """One event that the device wrote down. `card` is the card that really left, for events of one card."""

    eseq: int
    name: str
    card: Card | None = None
    count: int | None = None


class WitnessedDevice(SimulatedDevice):
    """See the module's text. `told[n]` is the event with the number n + 1."""

    told: list[Told]

    def _record(self, name: str, fields: Mapping[str, FieldValue], now_s: float) -> None:
        before = self.journal.newest
        super()._record(name, fields, now_s)
        if self.journal.newest == before:
            return  # without power nobody notices, and nothing was written down
        if not hasattr(self, "told"):
            self.told = []
        count = fields.get("counted")
        card = self.machine.tray[-1].face if name in CARD_EVENTS else None
        self.told.append(Told(self.journal.newest, name, card, count if isinstance(count, int) else None))

    @property
    def cards_told(self) -> int:
        """How many cards have left and were told one by one."""
        return sum(1 for told in self.told if told.name in CARD_EVENTS)

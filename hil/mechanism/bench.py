"""A mechanism on the bench: no session and no cable, what it tells is kept in a list. For tests and for trying things."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from device_profiles.values import FieldValue
from firmware_bridge.events import StartReason, Status
from hil.faults import DeviceFaults, parse_fault
from hil.mechanism.cards import PhysicalCard
from hil.mechanism.machine import Mechanism
from hil.mechanism.options import MechanismOptions, Timing
from hil.mechanism.orders import Orders
from hil.mechanism.script import Script

SHOE_ID = b"shoe-number-0001"


class Bench:
    """A mechanism that has just been switched on, at second 0."""

    def __init__(self, options: MechanismOptions | None = None, faults: Sequence[str] = (), seed: int = 1) -> None:
        self.told: list[tuple[str, Mapping[str, FieldValue], float]] = []
        chosen = DeviceFaults(tuple(parse_fault(text) for text in faults), random.Random(seed))
        settings = options or MechanismOptions(timing=Timing.instant())
        self.machine = Mechanism(settings, random.Random(seed), chosen, self._emit)
        self.orders = Orders(self.machine)
        self.script = Script(self.machine)
        self.machine.power_on(StartReason.POWER_ON, 0.0)

    def names(self) -> list[str]:
        """Return the names of everything told, in order."""
        return [name for name, _, _ in self.told]

    def last(self, name: str) -> Mapping[str, FieldValue]:
        """Return the fields of the last event of this name.

        Raises:
            LookupError: there was none.
        """
        return self.all_of(name)[-1]

    def all_of(self, name: str) -> list[Mapping[str, FieldValue]]:
        return [fields for told, fields, _ in self.told if told == name]

    def open_with(self, cards: Sequence[PhysicalCard], decks: int = 1, back: int = 0) -> Bench:
        """Load cards and open a shoe; forget what was told of it."""
        self.machine.load(cards, 0.0)
        status = self.orders.open_shoe(SHOE_ID, decks, back)
        if status is not Status.OK:
            raise ValueError(f"the shoe does not open: {status.value}")
        self.told.clear()
        return self

    def _emit(self, name: str, fields: Mapping[str, FieldValue], now_s: float) -> None:
        self.told.append((name, dict(fields), now_s))

"""How fast a demonstration goes: a table's own pace, multiplied."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from hil.mechanism.options import Timing

CARD_S: Final = 0.25
"""A quick dealer gives four cards a second."""
PERSON_S: Final = 0.4
"""Long enough to read one line."""
INSTANT_SPEED: Final = 50.0
"""From here on nobody reads along: people and machines wait for nothing."""


class Pace:
    """Waits between what people do. `pause` is passed in, so that a test waits for nothing."""

    def __init__(self, speed: float, pause: Callable[[float], None] = time.sleep) -> None:
        self._speed = speed
        self._pause = pause

    @property
    def is_instant(self) -> bool:
        """Whether nobody waits for anything."""
        return self._speed >= INSTANT_SPEED

    def card(self) -> None:
        """Wait as long as it takes to pull a card."""
        self._wait(CARD_S)

    def person(self) -> None:
        """Wait as long as it takes to say or do something."""
        self._wait(PERSON_S)

    def timing(self) -> Timing:
        """Return how fast the devices move."""
        if self.is_instant:
            return Timing.instant()
        usual = Timing()
        return Timing(
            card_s=min(usual.card_s, usual.card_s / self._speed),
            gate_s=min(usual.gate_s, usual.gate_s / self._speed),
            shuffle_s=usual.shuffle_s / self._speed,
            stub_card_s=usual.stub_card_s / self._speed,
        )

    def _wait(self, seconds: float) -> None:
        if not self.is_instant:
            self._pause(seconds / self._speed)

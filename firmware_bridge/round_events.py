"""What is heard of a round: by devices that follow it themselves, and on a line between a device and another host.

SDP/1 knows none of these: its devices know cards and no game.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.events import CardRead, DeviceEvent


class CardReadAt(CardRead, frozen=True):
    """A card, told by a device that follows the round itself: `place` is where it takes the card to go, `index` its number there."""

    place: str
    index: int


class RoundTold(DeviceEvent, frozen=True):
    """A device that follows the round itself, or the host through it, says how it ended: `player`, `banker`, `tie`, `forced-end`."""

    result: str


class BetweenRounds(DeviceEvent, frozen=True):
    """A device that follows the round itself says that none is on."""


class HostAsked(DeviceEvent, frozen=True):
    """Heard on a tapped line: another host has ordered something of the device. No profile maps to it."""

    order: str


ROUND_EVENTS: Final[tuple[type[DeviceEvent], ...]] = (CardReadAt, RoundTold, BetweenRounds)
"""Those that a profile can map a message to, by class name."""

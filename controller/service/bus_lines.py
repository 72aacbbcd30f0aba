"""The lines of a configuration that several devices share: each is made once, whoever asks first.

A device's own transport on such a line is a tap; see `firmware_bridge.transport.bus`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from controller.service.config import DeviceConfig, Place, Setup
from controller.service.usb_config import allowed_devices
from device_profiles.schema import Framing
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import Transport
from firmware_bridge.transport.bus import BusLine, BusTap
from firmware_bridge.transport.serial import DEFAULTS
from firmware_bridge.transport.settings import SerialSettings
from firmware_bridge.transport.usb_settings import UsbSettings

Opener = Callable[[SerialSettings], Transport]
"""Makes the closed transport to one device; the settings are those that its address leaves open."""

_TUNED: Final = ("serial://", "adapter://", "rfc2217://")


def choices_at(place: Place, choices: Sequence[SerialSettings]) -> tuple[SerialSettings, ...]:
    """Return the settings that the line at a place may have: one where it has none, or is shared, or its address names its rate."""
    tuned = "://" not in place.port or place.port.startswith(_TUNED)
    return tuple(choices) if tuned and not place.bus and "baud=" not in place.port else tuple(choices[:1])


class BusLines:
    """The lines by name."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lines: dict[str, BusLine] = {}

    def opener_of(
        self, device: DeviceConfig, framing: Framing | None, usual: SerialSettings = DEFAULTS, usb: UsbSettings | None = None
    ) -> Opener:
        """Return what makes transports to a device; `framing`: how frames stand on a bus, None for devices that can be on none.

        `usual` and `usb` say how a serial line is set and how a USB interface is used. Of USB devices only those on the list are used.

        Raises:
            ConfigError: its port names no bus, or no address of one.
            TransportError: its port's address is none.
        """
        place = self._setup.place_of(device)
        if not place.bus or framing is None:
            allowed = allowed_devices(self._setup.config.usb)
            open_transport(place.port, usual)  # an address that is none shall be told now, not at the first connection
            return lambda settings: open_transport(place.port, settings, usb, allowed)
        if place.bus not in self._lines:
            others = (self._setup.place_of(other) for table in self._setup.config.table for other in table.device)
            addresses = tuple(sorted(other.address for other in others if other.bus == place.bus))
            self._lines[place.bus] = BusLine(lambda: open_transport(place.port, usual), framing, addresses)
        tap = self._lines[place.bus].taps[place.address]
        return lambda _settings: tap

    def place_of(self, device: DeviceConfig) -> BusTap | None:
        """Return a device's place on a shared line, once `opener_of` was asked for it; None where it has its line alone."""
        place = self._setup.place_of(device)
        return self._lines[place.bus].taps[place.address] if place.bus else None

"""The list of USB devices that this machine may have, as it is configured (EQ-53)."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from controller.service.strict import needs
from firmware_bridge.transport.usb_rules import UsbAllow

ALLOWED_MAX: Final = 256
"""A bus has 127 devices; nobody has two full ones at his tables."""

_NUMBER_WORDS: Final = "a number from 0 to 0xFFFF, such as 0x1209"


class UsbAllowConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One USB device that may be plugged in, with all that it may be."""

    vendor: Annotated[int, needs(_NUMBER_WORDS, "The vendor's number.", ge=0, le=0xFFFF)]
    product: Annotated[int, needs(_NUMBER_WORDS, "The product's number.", ge=0, le=0xFFFF)]
    serial: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=126)] | None,
        needs("the serial number that its plug tells, in quotes", "The one device that is meant; without it any of this kind."),
    ] = None
    classes: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=0, le=0xFF)], ...],
        needs("a list of numbers from 0 to 255, such as [3]", "Every class that its interfaces may have: 3 is HID, 255 the vendor's own."),
    ]


class UsbConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which USB devices this machine may have. Another one is not used, and where there is a list it raises an alarm at every table."""

    allow: Annotated[
        tuple[UsbAllowConfig, ...],
        needs("a list of tables", "The devices, one `[[usb.allow]]` each: all that are plugged in, adapters and hubs too."),
    ] = ()
    watch: Annotated[
        bool,
        needs("true or false", "Looks at what is plugged in all the time. Without it a device is judged only when a table uses it."),
    ] = True


def allowed_devices(config: UsbConfig) -> tuple[UsbAllow, ...]:
    """Return the list; empty where none is configured, so nothing is allowed."""
    return tuple(UsbAllow(vendor=line.vendor, product=line.product, serial=line.serial, classes=line.classes) for line in config.allow)

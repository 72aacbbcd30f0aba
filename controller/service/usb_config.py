"""The list of USB devices that this machine may have, as it is configured, and its check against the tables' ports (EQ-53)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from controller.service.errors import ConfigError
from controller.service.strict import needs
from firmware_bridge.transport.base import BadAddressError
from firmware_bridge.transport.usb_address import SCHEMES, UsbAddress, parse_usb_address
from firmware_bridge.transport.usb_rules import UsbAllow

if TYPE_CHECKING:
    from controller.service.config import Setup

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


def check_usb(setup: Setup) -> None:
    """Check that the list can be kept, and that it has every device that a table names.

    Raises:
        ConfigError: it cannot, or it has not, or a port that begins as a USB address is none.
    """
    allowed = allowed_devices(setup.config.usb)
    if len(allowed) > ALLOWED_MAX:
        what = f"there are {len(allowed)} devices on the list"
        raise ConfigError("bad-value", setup.file, "usb.allow", what, f"list at most {ALLOWED_MAX}")
    for key, address in usb_ports(setup):
        if not any(_may_be(line, address) for line in allowed):
            serial = "" if address.serial is None else f', serial = "{address.serial}"'
            raise ConfigError(
                "usb-not-listed",
                setup.file,
                key,
                f"names the USB device {address.vendor:04x}:{address.product:04x}, which no [[usb.allow]] lists",
                f"write [[usb.allow]] with vendor = {address.vendor:#06x}, product = {address.product:#06x}{serial} and its classes",
            )


def usb_ports(setup: Setup) -> Iterator[tuple[str, UsbAddress]]:
    """Yield the USB devices that tables name, with the key of each.

    Raises:
        ConfigError: one of them begins as a USB address and is none.
    """
    for table in setup.config.table:
        for device in table.device:
            port = setup.place_of(device).port
            if not is_usb(port):
                continue
            key = f"table.{table.id}.device.{device.name}.port"
            try:
                yield key, parse_usb_address(port)
            except BadAddressError as error:
                raise ConfigError(error.code, setup.file, key, error.what, error.do) from error


def is_usb(port: str) -> bool:
    """Return whether a port is a USB device, here or elsewhere."""
    return port.partition("://")[0] in SCHEMES


def _may_be(line: UsbAllow, address: UsbAddress) -> bool:
    return (line.vendor, line.product) == (address.vendor, address.product) and (
        line.serial is None or address.serial is None or line.serial == address.serial
    )

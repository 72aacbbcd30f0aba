"""The USB devices that tables name as their ports, and whether the list of allowed ones has them (EQ-53)."""

from __future__ import annotations

from collections.abc import Iterator

from controller.service.config import Setup
from controller.service.errors import ConfigError
from controller.service.usb_config import ALLOWED_MAX, allowed_devices
from firmware_bridge.transport.base import BadAddressError
from firmware_bridge.transport.usb_address import SCHEMES, UsbAddress, parse_usb_address
from firmware_bridge.transport.usb_rules import UsbAllow


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

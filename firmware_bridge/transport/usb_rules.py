"""Which USB devices may be used: a list by vendor, product, serial number and interface class. Pure.

What is not on the list is not touched. A device that is on it with one interface more than the list grants is not on it:
an implant may well bring the vendor and product of a shoe, and a network adapter beside it (EQ-53).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

CLASS_WORDS: Final = {
    0x01: "audio", 0x02: "communications", 0x03: "keyboard, mouse or other HID", 0x05: "physical", 0x06: "image", 0x07: "printer",
    0x08: "storage", 0x09: "hub", 0x0A: "communications data", 0x0B: "smart card", 0x0E: "video", 0x10: "audio and video",
    0xDC: "diagnostic", 0xE0: "wireless", 0xEF: "miscellaneous", 0xFE: "application specific", 0xFF: "vendor specific",
}  # fmt: skip
"""Interface classes as the USB Implementers Forum names them."""


class UsbInterface(msgspec.Struct, frozen=True, kw_only=True):
    """One interface of a device, in its first alternate setting."""

    number: int
    class_code: int
    subclass: int = 0
    protocol: int = 0
    driver: str | None = None
    """The kernel's driver that has it, where that can be seen."""


class UsbSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One USB device that is plugged in."""

    vendor: int
    product: int
    serial: str | None
    """None: it has none, or this account may not ask."""
    name: str
    """What it calls itself."""
    path: str
    """Bus and sockets, such as `1-1.4`: the same after plugging in again at the same place."""
    address_now: str
    """Bus and number, such as `1-7`: another one after each plugging in."""
    is_root_hub: bool
    """Part of the machine itself; nobody can plug it in."""
    port: str
    """What to write in the configuration."""
    node: str | None
    """The file that access is granted by; None for devices of a USB/IP server."""
    permitted: bool
    interfaces: tuple[UsbInterface, ...]

    @property
    def id(self) -> str:
        """Vendor and product as everybody writes them."""
        return f"{self.vendor:04x}:{self.product:04x}"


class UsbAllow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list."""

    vendor: int
    product: int
    serial: str | None = None
    """None: any serial number."""
    classes: tuple[int, ...]
    """Every class that an interface of it may have."""


def objection_to(seen: UsbSeen, allowed: Sequence[UsbAllow]) -> str | None:
    """Return why a device may not be used, in words that follow its name; None when it may."""
    kind = [line for line in allowed if (line.vendor, line.product) == (seen.vendor, seen.product)]
    if not kind:
        return "is not on the list of USB devices"
    serials = [line for line in kind if line.serial is None or line.serial == seen.serial]
    if not serials:
        return f"has the serial number {seen.serial or '(none)'}, which is not on the list of USB devices"
    if not seen.interfaces:
        return "does not tell its interfaces"
    classes = {interface.class_code for interface in seen.interfaces}
    excess = min((sorted(classes - set(line.classes)) for line in serials), key=len)
    if not excess:
        return None
    words = ", ".join(class_word(code) for code in excess)
    return f"has an interface that is not on the list: {words}"


def class_word(code: int) -> str:
    """Return a class as people and configurations write it."""
    return f"class {code} ({CLASS_WORDS.get(code, 'unknown')})"

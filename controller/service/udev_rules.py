"""Rules for udev, one pair for each configured device: a name that stays, a group that may use it, and no modem manager.

Pure: what is plugged in comes in as values. A device is told by its adapter's own numbers; where nothing but the socket tells it from a
twin, by the socket. Values are patterns for udev, so signs that mean something there are written as "any sign".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

RULES_FILE: Final = "/etc/udev/rules.d/70-shoed.rules"
"""After 60-serial.rules, which finds out the interface's number, and before 73, where access for people at the screen is settled."""

LINKS: Final = "/dev/shoed"
"""Where the rules put their names: a directory that `[ports] links` can name."""

USUAL_GROUP: Final = "dialout"
"""Debian's group of serial ports."""


class Ruled(msgspec.Struct, frozen=True, kw_only=True):
    """A device that gets rules. `why_not` says in words why it gets none."""

    name: str
    """Of its link: table and device."""
    vendor: int | None = None
    product: int | None = None
    serial: str | None = None
    interface: int | None = None
    socket: str | None = None
    """The kernel's name of the place where it is plugged in; None: any place."""
    is_serial_port: bool = True
    """Else a USB device that the host speaks to directly."""
    why_not: str = ""


def udev_rules(devices: Iterable[Ruled], group: str = USUAL_GROUP) -> Iterator[str]:
    """Return the lines of the rules' file."""
    yield f"# {RULES_FILE}"
    yield "# In force after: udevadm control --reload && udevadm trigger --action=add"
    yield f'# In the configuration: [ports] links = "{LINKS}", and port = "NAME" with the name after {LINKS.removeprefix("/dev/")}/'
    for device in devices:
        yield ""
        if device.why_not:
            yield f"# {device.name}: {device.why_not}"
            continue
        yield f"# {device.name}"
        if device.is_serial_port:
            yield _rule(
                'ACTION!="remove"',
                'SUBSYSTEM=="tty"',
                *_matches(device, "ATTRS", "KERNELS"),
                *([] if device.interface is None else [f'ENV{{ID_USB_INTERFACE_NUM}}=="{device.interface:02x}"']),
                f'SYMLINK+="{LINKS.removeprefix("/dev/")}/{device.name}"',
                f'GROUP="{group}"',
                'MODE="0660"',
                'ENV{ID_MM_PORT_IGNORE}="1"',
            )
        grants = [] if device.is_serial_port else [f'GROUP="{group}"', 'MODE="0660"']
        yield _rule(
            'ACTION!="remove"',
            'SUBSYSTEM=="usb"',
            'ENV{DEVTYPE}=="usb_device"',
            *_matches(device, "ATTR", "KERNEL"),
            *grants,
            'ENV{ID_MM_DEVICE_IGNORE}="1"',
        )


def _matches(device: Ruled, attribute: str, kernel: str) -> Iterator[str]:
    if device.socket is not None:
        yield f'{kernel}=="{device.socket}"'
    if device.vendor is not None and device.product is not None:
        yield f'{attribute}{{idVendor}}=="{device.vendor:04x}"'
        yield f'{attribute}{{idProduct}}=="{device.product:04x}"'
    if device.serial is not None:
        yield f'{attribute}{{serial}}=="{_pattern(device.serial)}"'


def _rule(*words: str) -> str:
    return ", ".join(words)


def _pattern(text: str) -> str:
    return re.sub(r'[^\x20-\x7e]|["*?\[\]|\\$%]', "?", text)

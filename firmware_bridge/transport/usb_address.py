"""Addresses of USB devices: which device, on which machine, and which of its interfaces. Values only.

    usb://1209:5d01                              vendor and product, in hexadecimal digits as `shoed ports` shows them
    usb://1209:5d01/SN-0001?interface=1          the one with this serial number, and one of its interfaces
    usb://1209:5d01?path=1-1.4                   the one behind this socket, where devices have no serial number
    usbip://10.0.0.5:3240/1209:5d01/SN-0001      the same behind a USB/IP server

A device's number on the bus is no address: it gets another one each time it is plugged in.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

import msgspec

from firmware_bridge.transport.base import BadAddressError

SCHEMES: Final = ("usb", "usbip")
USBIP_PORT: Final = 3240
"""The port that is registered for USB/IP."""
SERIAL_MAX: Final = 126
"""Letters that one string descriptor holds."""

_DEVICE: Final = r"(?P<vendor>[0-9a-fA-F]{4}):(?P<product>[0-9a-fA-F]{4})(?:/(?P<serial>[^/?]+))?(?:\?(?P<query>.*))?"
_LOCAL: Final = re.compile(rf"usb://{_DEVICE}", re.DOTALL)
_REMOTE: Final = re.compile(rf"usbip://(?P<host>\[[0-9a-fA-F:.]+\]|[^/:\[\]?]+)(?::(?P<port>[0-9]{{1,5}}))?/{_DEVICE}", re.DOTALL)
_PATH: Final = re.compile(r"[0-9]{1,3}-[0-9]{1,3}(\.[0-9]{1,3}){0,6}")
"""Bus and sockets as Linux writes them; USB allows six hubs in a row."""
_HOW_TO_WRITE: Final = (
    "write usb://VVVV:PPPP/SERIAL?interface=N&path=BUS-PORT, or usbip://HOST:PORT/VVVV:PPPP; what follows VVVV:PPPP may be left out"
)


class UsbAddress(msgspec.Struct, frozen=True, kw_only=True):
    """One USB device; what is None is left open."""

    vendor: int
    product: int
    serial: str | None = None
    path: str | None = None
    interface: int | None = None
    server: tuple[str, int] | None = None
    """Host and port of a USB/IP server; None: this machine."""

    @property
    def url(self) -> str:
        """The address as it is written in a configuration."""
        host, port = self.server or ("", 0)
        place = f"usbip://{f'[{host}]' if ':' in host else host}:{port}/" if self.server is not None else "usb://"
        serial = "" if self.serial is None else "/" + quote(self.serial, safe="")
        told = {"interface": self.interface, "path": self.path}
        query = "&".join(f"{key}={value}" for key, value in told.items() if value is not None)
        return f"{place}{self.vendor:04x}:{self.product:04x}{serial}{'?' + query if query else ''}"


def parse_usb_address(url: str) -> UsbAddress:
    """Return the device that an address names.

    Raises:
        BadAddressError: the text is no such address, with what to write instead.
    """
    found = _LOCAL.fullmatch(url) or _REMOTE.fullmatch(url)
    if found is None:
        raise BadAddressError(f"'{url}' is no USB address", _HOW_TO_WRITE)
    parts = found.groupdict()
    serial = None if parts["serial"] is None else unquote(parts["serial"])
    if serial is not None and (len(serial) > SERIAL_MAX or not serial.isprintable()):
        raise BadAddressError(f"'{url}' names a serial number that no device can have", _HOW_TO_WRITE)
    interface, path = _told(url, parts["query"] or "")
    return UsbAddress(
        vendor=int(parts["vendor"], 16),
        product=int(parts["product"], 16),
        serial=serial,
        path=path,
        interface=interface,
        server=_server(url, parts.get("host"), parts.get("port")),
    )


def _told(url: str, query: str) -> tuple[int | None, str | None]:
    interface, path = None, None
    for key, word in parse_qsl(query, keep_blank_values=True):
        if key == "interface" and word.isascii() and word.isdigit() and len(word) <= 3 and int(word) <= 0xFF:
            interface = int(word)
        elif key == "path" and _PATH.fullmatch(word):
            path = word
        else:
            raise BadAddressError(f"'{key}={word}' in '{url}' says nothing of a USB device", _HOW_TO_WRITE)
    return interface, path


def _server(url: str, host: str | None, port: str | None) -> tuple[str, int] | None:
    if host is None:
        return None
    number = USBIP_PORT if port is None else int(port)
    if not 1 <= number <= 0xFFFF:
        raise BadAddressError(f"'{url}' names a port that cannot be", _HOW_TO_WRITE)
    return host.strip("[]"), number

"""Ways to reach a device. `open_transport` turns an address from the configuration into a closed transport.

| address | reaches |
|---|---|
| a path, `serial:///dev/ttyS0?baud=9600&parity=E&bits=7&dtr=off` | a serial port |
| `adapter://A50285BI?interface=0` | the serial port of the adapter with this serial number, whatever its name is now |
| `tcp://host:port` | a device, or a serial device server that carries bytes only |
| `rfc2217://host:port?baud=9600` | a serial device server whose line is set from here |
| `usb://1209:5d01/SERIAL`, `usbip://host:port/1209:5d01` | a USB device, here or behind a USB/IP server (`usb_address`) |

What a serial line's address does not say is as the device's profile has it, else 115200 8N1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

import msgspec

from firmware_bridge.transport.adapters import DEFAULT_LINKS
from firmware_bridge.transport.base import BadAddressError, Transport, TransportError
from firmware_bridge.transport.rfc2217 import Rfc2217Transport
from firmware_bridge.transport.serial import DEFAULTS, AdapterTransport, SerialTransport
from firmware_bridge.transport.settings import Parity, SerialSettings
from firmware_bridge.transport.tcp import TcpTransport
from firmware_bridge.transport.usb import UsbTransport
from firmware_bridge.transport.usb_address import SCHEMES, parse_usb_address
from firmware_bridge.transport.usb_rules import UsbAllow
from firmware_bridge.transport.usb_settings import UsbSettings

BAUD_RATES: Final = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
"""Rates that an address may name: those of SDP/1 1.1, of older shoes and of fast adapters. A profile may name any."""

_KINDS = "a path, serial:///path?baud=115200, adapter://SERIAL?interface=0, tcp://host:port, rfc2217://host:port?baud=115200"
_HOW_TO_WRITE = f"write {_KINDS} or usb://1209:5d01"
_SETTINGS = "use baud=NUMBER, bits=5..8, parity=N|E|O|M|S, stop=1|2, rs485=on|off, dtr=on|off, rts=on|off"
_SWITCH: Final[Mapping[str, object]] = {"on": True, "off": False}
_WORDS: Final[Mapping[str, tuple[str, Mapping[str, object]]]] = {
    "bits": ("data_bits", {"5": 5, "6": 6, "7": 7, "8": 8}),
    "parity": ("parity", {parity.value: parity for parity in Parity}),
    "stop": ("stop_bits", {"1": 1, "2": 2}),
    "rs485": ("rs485", _SWITCH),
    "dtr": ("dtr", _SWITCH),
    "rts": ("rts", _SWITCH),
}
"""Key of an address: the setting that it is, and its words."""


def open_transport(
    url: str, usual: SerialSettings = DEFAULTS, usb: UsbSettings | None = None, allowed: Sequence[UsbAllow] | None = None
) -> Transport:
    """Return the closed transport that `url` names; `open()` on it opens the port.

    `usual`: what a serial address leaves open. `usb`: how the interface of a USB device is used. `allowed`: the USB devices that may be.

    Raises:
        BadAddressError: when the text names no transport, with what to write instead.
    """
    if "://" not in url:
        if not url or "\0" in url:
            raise BadAddressError("the port's address is empty", _HOW_TO_WRITE)
        return SerialTransport(url, usual)
    if url.partition("://")[0] in SCHEMES:
        return UsbTransport(parse_usb_address(url), usb, allowed)
    try:
        parts = urlsplit(url)
        if parts.scheme != "adapter":  # whose serial numbers are no hosts
            _ = parts.port  # raises where it is no number
    except ValueError as error:
        raise BadAddressError(f"'{url}' is no address", _HOW_TO_WRITE) from error
    maker = _MAKERS.get(parts.scheme)
    if maker is None:
        raise BadAddressError(f"'{parts.scheme}' is no kind of port", _HOW_TO_WRITE)
    return maker(parts, usual)


def with_baud(url: str, baud: int) -> str:
    """Return the address with this rate in place of its own; one of a port without a rate is returned as it is."""
    full = url if "://" in url else f"serial://{Path(url).absolute()}"
    if not full.startswith(_HAS_RATE):
        return url
    address, _, query = full.partition("?")
    told = [word for word in query.split("&") if word and not word.startswith("baud=")]
    return f"{address}?{'&'.join([*told, f'baud={baud}'])}"


def path_of(url: str) -> str | None:
    """Return the node that a serial port's address leads to now; None for other ports, and where none or several fit."""
    transport = open_transport(url)
    if not isinstance(transport, SerialTransport):
        return None
    try:
        return os.path.realpath(transport.locate())
    except TransportError:
        return None


def _make_serial(parts: SplitResult, usual: SerialSettings) -> Transport:
    if parts.netloc or not parts.path or "\0" in parts.path:
        raise BadAddressError(f"'{parts.geturl()}' needs three slashes and a path", _HOW_TO_WRITE)
    return SerialTransport(parts.path, read_settings(parts.query, usual))


def _make_adapter(parts: SplitResult, usual: SerialSettings) -> Transport:
    serial_number, told = unquote(parts.netloc), parse_qsl(parts.query, keep_blank_values=True)
    if not serial_number or parts.path or "\0" in serial_number:
        raise BadAddressError(f"'{parts.geturl()}' needs the serial number of an adapter", _HOW_TO_WRITE)
    own = dict(told)
    interface = own.get("interface")
    if interface is not None and not (interface.isascii() and interface.isdigit() and len(interface) < 4):
        raise BadAddressError(f"'interface={interface}' is no number of an interface", "use a number such as interface=0")
    links = Path(own.get("links") or DEFAULT_LINKS)
    settings = read_settings(urlencode([(key, word) for key, word in told if key not in ("interface", "links")]), usual)
    return AdapterTransport(serial_number, None if interface is None else int(interface), links, settings)


def _make_tcp(parts: SplitResult, _usual: SerialSettings) -> Transport:
    if parts.query:
        raise BadAddressError(f"'{parts.geturl()}': a plain connection has no settings", _HOW_TO_WRITE)
    return TcpTransport(*_host_of(parts))


def _make_rfc2217(parts: SplitResult, usual: SerialSettings) -> Transport:
    return Rfc2217Transport(*_host_of(parts), read_settings(parts.query, usual))


def _host_of(parts: SplitResult) -> tuple[str, int]:
    if not parts.hostname or parts.port is None or parts.path:
        raise BadAddressError(f"'{parts.geturl()}' needs a host and a port number", _HOW_TO_WRITE)
    return parts.hostname, parts.port


def read_settings(query: str, usual: SerialSettings) -> SerialSettings:
    """Return the line settings that an address names, the others as usual.

    Raises:
        BadAddressError: a word that is none of them.
    """
    told: dict[str, object] = {}
    for key, word in parse_qsl(query, keep_blank_values=True):
        setting, words = _WORDS.get(key, ("", {}))
        if key == "baud" and word.isascii() and word.isdigit() and len(word) < 9:
            told["baud"] = _usual_rate(int(word))
        elif word in words:
            told[setting] = words[word]
        else:
            raise BadAddressError(f"'{key}={word}' is no setting of a serial port", _SETTINGS)
    return msgspec.structs.replace(usual, **told)


def _usual_rate(baud: int) -> int:
    if baud not in BAUD_RATES:
        raise BadAddressError(f"{baud} baud is no usual rate", f"use one of {', '.join(map(str, BAUD_RATES))}")
    return baud


_MAKERS: Final[Mapping[str, Callable[[SplitResult, SerialSettings], Transport]]] = {
    "serial": _make_serial,
    "adapter": _make_adapter,
    "tcp": _make_tcp,
    "rfc2217": _make_rfc2217,
}
_HAS_RATE: Final = ("serial://", "adapter://", "rfc2217://")

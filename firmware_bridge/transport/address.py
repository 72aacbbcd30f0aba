"""Ways to reach a device: serial ports and TCP. `open_transport` turns an address from the configuration into one.

Addresses: a plain path (`/dev/serial/by-id/...`), `serial:///dev/ttyS0?baud=9600&parity=E&bits=7&dtr=off`, `tcp://host:port`. What a
serial address does not say is as the device's profile has it, else 115200 8N1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from firmware_bridge.transport.base import BadAddressError, Transport
from firmware_bridge.transport.serial import DEFAULTS, SerialTransport
from firmware_bridge.transport.settings import Parity, SerialSettings
from firmware_bridge.transport.tcp import TcpTransport

BAUD_RATES: Final = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
"""Rates that an address may name: those of SDP/1 1.1, of older shoes and of fast adapters. A profile may name any."""

_HOW_TO_WRITE = "write a path, serial:///path?baud=115200 or tcp://host:port"
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


def open_transport(url: str, usual: SerialSettings = DEFAULTS) -> Transport:
    """Return the closed transport that `url` names; `open()` on it opens the port. `usual`: what a serial address leaves open.

    Raises:
        BadAddressError: when the text names no transport, with what to write instead.
    """
    if "://" not in url:
        if not url or "\0" in url:
            raise BadAddressError("the port's address is empty", _HOW_TO_WRITE)
        return SerialTransport(url, usual)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAddressError(f"'{url}' is no address", _HOW_TO_WRITE) from error
    if parts.scheme == "tcp":
        if not parts.hostname or port is None or parts.path or parts.query:
            raise BadAddressError(f"'{url}' needs a host and a port number", _HOW_TO_WRITE)
        return TcpTransport(parts.hostname, port)
    if parts.scheme == "serial":
        return _serial_from(url, parts.netloc, parts.path, parts.query, usual)
    raise BadAddressError(f"'{parts.scheme}' is no kind of port", _HOW_TO_WRITE)


def _serial_from(url: str, host: str, path: str, query: str, usual: SerialSettings) -> SerialTransport:
    if host or not path or "\0" in path:
        raise BadAddressError(f"'{url}' needs three slashes and a path", _HOW_TO_WRITE)
    told: dict[str, object] = {}
    for key, word in parse_qsl(query, keep_blank_values=True):
        setting, words = _WORDS.get(key, ("", {}))
        if key == "baud" and word.isascii() and word.isdigit() and len(word) < 9:
            told["baud"] = _usual_rate(int(word))
        elif word in words:
            told[setting] = words[word]
        else:
            raise BadAddressError(f"'{key}={word}' is no setting of a serial port", _SETTINGS)
    return SerialTransport(path, msgspec.structs.replace(usual, **told))


def _usual_rate(baud: int) -> int:
    if baud not in BAUD_RATES:
        raise BadAddressError(f"{baud} baud is no usual rate", f"use one of {', '.join(map(str, BAUD_RATES))}")
    return baud

"""Ways to reach a device: serial ports and TCP. `open_transport` turns an address from the configuration into one.

Addresses: a plain path (`/dev/serial/by-id/...`), `serial:///dev/ttyS0?baud=9600&dtr=off`, `tcp://host:port`.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from firmware_bridge.transport.base import (
    BadAddressError,
    Transport,
)
from firmware_bridge.transport.serial import DEFAULT_BAUD, SerialTransport
from firmware_bridge.transport.tcp import TcpTransport

_HOW_TO_WRITE = "write a path, serial:///path?baud=115200 or tcp://host:port"
_SWITCH_WORDS = {"on": True, "off": False}


def open_transport(url: str) -> Transport:
    """Return the closed transport that `url` names; `open()` on it opens the port.

    Raises:
        BadAddressError: when the text names no transport, with what to write instead.
    """
    if "://" not in url:
        if not url or "\0" in url:
            raise BadAddressError("the port's address is empty", _HOW_TO_WRITE)
        return SerialTransport(url)
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
        return _serial_from(url, parts.netloc, parts.path, parts.query)
    raise BadAddressError(f"'{parts.scheme}' is no kind of port", _HOW_TO_WRITE)


def _serial_from(url: str, host: str, path: str, query: str) -> SerialTransport:
    if host or not path or "\0" in path:
        raise BadAddressError(f"'{url}' needs three slashes and a path", _HOW_TO_WRITE)
    baud, lines = DEFAULT_BAUD, {"dtr": True, "rts": True}
    for key, word in parse_qsl(query, keep_blank_values=True):
        if key == "baud" and word.isascii() and word.isdigit() and len(word) < 9:
            baud = int(word)
        elif key in lines and word in _SWITCH_WORDS:
            lines[key] = _SWITCH_WORDS[word]
        else:
            what = f"'{key}={word}' is no setting of a serial port"
            raise BadAddressError(what, "use baud=NUMBER, dtr=on|off, rts=on|off")
    return SerialTransport(path, baud, dtr=lines["dtr"], rts=lines["rts"])

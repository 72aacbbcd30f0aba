"""The messages of USB/IP, both ways, as bytes. Pure.

Layouts are those of the Linux kernel (Documentation/usb/usbip_protocol.rst): headers are big-endian, the eight bytes of a
control request are as on the bus. Isochronous transfers are left out: no shoe has them.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

VERSION: Final = 0x0111
ASK_LIST: Final = 0x8005
TELL_LIST: Final = 0x0005
ASK_IMPORT: Final = 0x8003
TELL_IMPORT: Final = 0x0003

SUBMIT: Final = 1
UNLINK: Final = 2
SUBMITTED: Final = 3
UNLINKED: Final = 4

OUT: Final = 0
IN: Final = 1

OPERATION: Final = struct.Struct(">HHI")
DEVICE: Final = struct.Struct(">256s32sIIIHHHBBBBBB")
HEADER: Final = struct.Struct(">IIIII28x")
"""What the headers of all four messages have in common, and their whole size."""
BUSID_BYTES: Final = 32

_SUBMIT: Final = struct.Struct(">IIIIIIiiii8s")
_RESULT: Final = struct.Struct(">IIIIIiiiii8x")
_UNLINK: Final = struct.Struct(">IIIIII24x")
_UNLINKED: Final = struct.Struct(">IIIIIi24x")


class Exported(NamedTuple):
    """A device that a server offers."""

    busid: str
    bus: int
    address: int
    speed: int
    vendor: int
    product: int
    configurations: int
    interfaces: int

    @property
    def id(self) -> int:
        """How the device is named in the messages of a transfer."""
        return self.bus << 16 | self.address


class Request(NamedTuple):
    """A transfer that the host asks for."""

    number: int
    device: int
    direction: int
    endpoint: int
    length: int
    interval: int
    setup: bytes


class Result(NamedTuple):
    """How a transfer, or taking one back, ended; `status` is 0 or a negative errno."""

    command: int
    number: int
    status: int
    length: int


def parse_device(raw: bytes) -> Exported:
    """Read the description of a device."""
    _path, busid, bus, address, speed, vendor, product, _bcd, _c, _s, _p, _value, configurations, interfaces = DEVICE.unpack(raw)
    return Exported(busid.split(b"\0")[0].decode(errors="replace"), bus, address, speed, vendor, product, configurations, interfaces)


def operation(code: int, payload: bytes = b"", status: int = 0) -> bytes:
    """Write a message of the time before a device is imported."""
    return OPERATION.pack(VERSION, code, status) + payload


def submit(request: Request, payload: bytes) -> bytes:
    """Write a transfer; `payload` is what goes out."""
    return (
        _SUBMIT.pack(
            SUBMIT, request.number, request.device, request.direction, request.endpoint, 0, request.length, 0, 0, request.interval,
            request.setup,
        )
        + payload
    )  # fmt: skip


def unlink(number: int, device: int, direction: int, endpoint: int, unwanted: int) -> bytes:
    """Write that a transfer is taken back."""
    return _UNLINK.pack(UNLINK, number, device, direction, endpoint, unwanted)


def parse_request(header: bytes) -> tuple[int, Request, int]:
    """Read a header of the host: the command, the transfer, and for `UNLINK` the number that is taken back."""
    command, number, device, direction, endpoint, flags, length, _start, _packets, interval, setup = _SUBMIT.unpack(header)
    return command, Request(number, device, direction, endpoint, length, interval, setup), flags


def result(request: Request, status: int, payload: bytes, sent: int = 0) -> bytes:
    """Write how a transfer ended; `payload` is what came in, `sent` how much went out."""
    actual = len(payload) if request.direction == IN else sent
    return _RESULT.pack(SUBMITTED, request.number, request.device, request.direction, request.endpoint, status, actual, 0, 0, 0) + payload


def unlinked(number: int, status: int) -> bytes:
    """Write what became of taking a transfer back."""
    return _UNLINKED.pack(UNLINKED, number, 0, 0, 0, status)


def parse_result(header: bytes) -> Result:
    """Read a header of the server."""
    command, number, _device, _direction, _endpoint, status, length, _start, _packets, _errors = _RESULT.unpack(header)
    return Result(command, number, status, length)

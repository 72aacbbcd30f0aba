"""USB descriptors as bytes: configurations with their interfaces and endpoints, and the usage pages of HID reports. Pure.

libusb reads descriptors by itself; this is for devices behind USB/IP, and for the one descriptor that libusb leaves alone.
Bytes of a device are not trusted: lengths that do not fit end the reading.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator
from typing import Final

DEVICE: Final = 1
CONFIGURATION: Final = 2
INTERFACE: Final = 4
ENDPOINT: Final = 5
HID_REPORT: Final = 0x22
DEVICE_BYTES: Final = 18
CONFIGURATION_BYTES: Final = 9


@dataclasses.dataclass(slots=True)
class EndpointDescriptor:
    """Named as in USB 2.0, table 9-13, since pyusb asks for these names."""

    bLength: int  # noqa: N815
    bDescriptorType: int  # noqa: N815
    bEndpointAddress: int  # noqa: N815
    bmAttributes: int  # noqa: N815
    wMaxPacketSize: int  # noqa: N815
    bInterval: int  # noqa: N815
    bRefresh: int = 0  # noqa: N815
    bSynchAddress: int = 0  # noqa: N815
    extra_descriptors: bytes = b""


@dataclasses.dataclass(slots=True)
class InterfaceDescriptor:
    """Table 9-12."""

    bLength: int  # noqa: N815
    bDescriptorType: int  # noqa: N815
    bInterfaceNumber: int  # noqa: N815
    bAlternateSetting: int  # noqa: N815
    bNumEndpoints: int  # noqa: N815
    bInterfaceClass: int  # noqa: N815
    bInterfaceSubClass: int  # noqa: N815
    bInterfaceProtocol: int  # noqa: N815
    iInterface: int  # noqa: N815
    extra_descriptors: bytes = b""
    endpoints: list[EndpointDescriptor] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class ConfigurationDescriptor:
    """Table 9-10."""

    bLength: int  # noqa: N815
    bDescriptorType: int  # noqa: N815
    wTotalLength: int  # noqa: N815
    bNumInterfaces: int  # noqa: N815
    bConfigurationValue: int  # noqa: N815
    iConfiguration: int  # noqa: N815
    bmAttributes: int  # noqa: N815
    bMaxPower: int  # noqa: N815
    extra_descriptors: bytes = b""
    interfaces: list[list[InterfaceDescriptor]] = dataclasses.field(default_factory=list)
    """By interface, then by alternate setting, in the order of the bytes."""


@dataclasses.dataclass(slots=True)
class DeviceDescriptor:
    """Table 9-8, and where the device is plugged in."""

    bLength: int  # noqa: N815
    bDescriptorType: int  # noqa: N815
    bcdUSB: int  # noqa: N815
    bDeviceClass: int  # noqa: N815
    bDeviceSubClass: int  # noqa: N815
    bDeviceProtocol: int  # noqa: N815
    bMaxPacketSize0: int  # noqa: N815
    idVendor: int  # noqa: N815
    idProduct: int  # noqa: N815
    bcdDevice: int  # noqa: N815
    iManufacturer: int  # noqa: N815
    iProduct: int  # noqa: N815
    iSerialNumber: int  # noqa: N815
    bNumConfigurations: int  # noqa: N815
    bus: int = 0
    address: int = 0
    port_number: int = 0
    port_numbers: tuple[int, ...] = ()
    speed: int = 0


def parse_device(blob: bytes) -> DeviceDescriptor | None:
    """Return a device descriptor, None when the bytes are none."""
    if len(blob) < DEVICE_BYTES or blob[1] != DEVICE:
        return None
    return DeviceDescriptor(*struct.unpack("<BBHBBBBHHHBBBB", blob[:DEVICE_BYTES]))


def parse_configuration(blob: bytes) -> ConfigurationDescriptor | None:
    """Return a configuration with everything in it, None when the bytes are none."""
    if len(blob) < CONFIGURATION_BYTES or blob[1] != CONFIGURATION:
        return None
    found = ConfigurationDescriptor(*struct.unpack("<BBHBBBBB", blob[:CONFIGURATION_BYTES]))
    by_number: dict[int, list[InterfaceDescriptor]] = {}
    present: InterfaceDescriptor | None = None
    for part in cut_descriptors(blob[CONFIGURATION_BYTES:]):
        if part[1] == INTERFACE and len(part) >= 9:
            present = InterfaceDescriptor(*part[:9])
            by_number.setdefault(present.bInterfaceNumber, []).append(present)
        elif part[1] == ENDPOINT and len(part) >= 7 and present is not None:
            present.endpoints.append(EndpointDescriptor(*struct.unpack("<BBBBHB", part[:7])))
        elif present is not None:
            present.extra_descriptors += part
    for settings in by_number.values():
        for setting in settings:
            setting.bNumEndpoints = len(setting.endpoints)  # what is there, not what it says
    found.interfaces = list(by_number.values())
    found.bNumInterfaces = len(found.interfaces)
    return found


def cut_descriptors(blob: bytes) -> Iterator[bytes]:
    """Yield descriptors that stand one behind the other, up to the first that cannot be one."""
    at = 0
    while at + 2 <= len(blob) and 2 <= blob[at] <= len(blob) - at:
        yield blob[at : at + blob[at]]
        at += blob[at]


def usage_pages(blob: bytes) -> frozenset[int]:
    """Return the usage pages of the top-level collections in a HID report descriptor (HID 1.11, 6.2.2)."""
    found: set[int] = set()
    at, depth, page = 0, 0, 0
    while at < len(blob):
        prefix = blob[at]
        if prefix == 0xFE:  # a long item: its size follows, nothing in it is wanted
            at += 3 + (blob[at + 1] if at + 1 < len(blob) else 0)
            continue
        size = (0, 1, 2, 4)[prefix & 3]
        value = int.from_bytes(blob[at + 1 : at + 1 + size], "little")
        match prefix & 0xFC:
            case 0x04:
                page = value & 0xFFFF
            case 0xA0:
                if depth == 0:
                    found.add(page)
                depth += 1
            case 0xC0:
                depth = max(0, depth - 1)
            case _:
                pass
        at += 1 + size
    return frozenset(found)

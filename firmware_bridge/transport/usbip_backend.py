"""A pyusb backend for devices behind a USB/IP server: real pyusb calls, no kernel module, no right to anything.

A server is a single-board computer under the table that exports its sockets, or a simulated device. Descriptors are read once
for each plugging in. There is no kernel driver on this side, so none is detached; claiming is the server's business, which
gives a device to one host.
"""

from __future__ import annotations

import array
import errno
import struct
from collections.abc import Iterator
from typing import Final

import usb.backend

from firmware_bridge.transport import usb_descriptors as described
from firmware_bridge.transport import usbip_wire as wire
from firmware_bridge.transport.usbip_handle import UsbipHandle, connect, import_device, receive_exactly, usb_error

CONTROL_MS: Final = 1_000
"""USB 2.0 allows a device five seconds for a request; one that takes a second is not fit for a table."""
DEVICES_MAX: Final = 256
"""A bus has 127 devices; a server that lists more than two buses of them is none."""
GET_DESCRIPTOR: Final = 6
SET_CONFIGURATION: Final = 9
GET_CONFIGURATION: Final = 8
SET_INTERFACE: Final = 11
CLEAR_FEATURE: Final = 1


class RemoteDevice:
    """A device of the server's list, with its descriptors."""

    def __init__(
        self, exported: wire.Exported, device: described.DeviceDescriptor, configurations: list[described.ConfigurationDescriptor]
    ) -> None:
        self.exported = exported
        self.device = device
        self.configurations = configurations


class UsbipBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb ships no types
    """See the module's text. May be used by several threads."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self.server = (host, port)
        self._known: dict[tuple[str, int, int], RemoteDevice] = {}

    def enumerate_devices(self) -> Iterator[RemoteDevice]:
        """Yield what the server offers; one that another host has is left out.

        Raises:
            USBError: nobody answers there.
        """
        listed = list_exported(self.server)
        seen: dict[tuple[str, int, int], RemoteDevice] = {}
        for exported in listed:
            key = (exported.busid, exported.bus, exported.address)
            known = self._known.get(key) or self._describe(exported)
            if known is not None:
                seen[key] = known
        self._known = seen
        return iter(seen.values())

    def get_parent(self, dev: RemoteDevice) -> None:
        """Hubs are the server's."""

    def get_device_descriptor(self, dev: RemoteDevice) -> described.DeviceDescriptor:
        return dev.device

    def get_configuration_descriptor(self, dev: RemoteDevice, config: int) -> described.ConfigurationDescriptor:
        return dev.configurations[config]

    def get_interface_descriptor(self, dev: RemoteDevice, intf: int, alt: int, config: int) -> described.InterfaceDescriptor:
        return dev.configurations[config].interfaces[intf][alt]

    def get_endpoint_descriptor(self, dev: RemoteDevice, ep: int, intf: int, alt: int, config: int) -> described.EndpointDescriptor:
        return dev.configurations[config].interfaces[intf][alt].endpoints[ep]

    def open_device(self, dev: RemoteDevice) -> UsbipHandle:
        return import_device(self.server, dev.exported)

    def close_device(self, dev_handle: UsbipHandle) -> None:
        dev_handle.close()

    def set_configuration(self, dev_handle: UsbipHandle, config_value: int) -> None:
        _order(dev_handle, 0x00, SET_CONFIGURATION, config_value, 0)

    def get_configuration(self, dev_handle: UsbipHandle) -> int:
        return _ask(dev_handle, 0x80, GET_CONFIGURATION, 0, 0, 1)[0]

    def set_interface_altsetting(self, dev_handle: UsbipHandle, intf: int, altsetting: int) -> None:
        _order(dev_handle, 0x01, SET_INTERFACE, altsetting, intf)

    def claim_interface(self, dev_handle: UsbipHandle, intf: int) -> None:
        """The whole device is ours since it was imported."""

    def release_interface(self, dev_handle: UsbipHandle, intf: int) -> None:
        """See `claim_interface`."""

    def is_kernel_driver_active(self, dev_handle: UsbipHandle, intf: int) -> bool:
        return False

    def bulk_write(self, dev_handle: UsbipHandle, ep: int, intf: int, data: array.array[int], timeout: int) -> int:
        content = data.tobytes()
        dev_handle.transfer(ep, content, len(content), timeout)
        return len(content)

    def bulk_read(self, dev_handle: UsbipHandle, ep: int, intf: int, buff: array.array[int], timeout: int) -> int:
        return _fill(buff, dev_handle.transfer(ep, b"", len(buff), timeout))

    def intr_write(self, dev_handle: UsbipHandle, ep: int, intf: int, data: array.array[int], timeout: int) -> int:
        content = data.tobytes()
        dev_handle.transfer(ep, content, len(content), timeout, interval=1)
        return len(content)

    def intr_read(self, dev_handle: UsbipHandle, ep: int, intf: int, buff: array.array[int], timeout: int) -> int:
        return _fill(buff, dev_handle.transfer(ep, b"", len(buff), timeout, interval=1))

    def ctrl_transfer(  # pyusb's signature, with USB's own names
        self,
        dev_handle: UsbipHandle,
        bmRequestType: int,  # noqa: N803
        bRequest: int,  # noqa: N803
        wValue: int,  # noqa: N803
        wIndex: int,  # noqa: N803
        data: array.array[int],
        timeout: int,
    ) -> int:
        if bmRequestType & 0x80:
            return _fill(data, _ask(dev_handle, bmRequestType, bRequest, wValue, wIndex, len(data), timeout))
        content = data.tobytes()
        _order(dev_handle, bmRequestType, bRequest, wValue, wIndex, content, timeout)
        return len(content)

    def clear_halt(self, dev_handle: UsbipHandle, ep: int) -> None:
        _order(dev_handle, 0x02, CLEAR_FEATURE, 0, ep)

    def _describe(self, exported: wire.Exported) -> RemoteDevice | None:
        """Read the descriptors of a device; None when it cannot be had or says nonsense."""
        try:
            handle = import_device(self.server, exported)
        except usb.core.USBError:
            return None  # another host has it, or it was unplugged in this moment
        try:
            device = described.parse_device(_descriptor(handle, described.DEVICE, 0, described.DEVICE_BYTES))
            if device is None:
                return None
            device.bus, device.address, device.speed = exported.bus, exported.address, exported.speed
            device.port_numbers = _ports(exported.busid)
            device.port_number = device.port_numbers[-1] if device.port_numbers else 0
            configurations = [_configuration(handle, index) for index in range(device.bNumConfigurations)]
        except usb.core.USBError:
            return None
        finally:
            handle.close()
        found = [configuration for configuration in configurations if configuration is not None]
        return RemoteDevice(exported, device, found) if len(found) == device.bNumConfigurations else None


def list_exported(server: tuple[str, int]) -> list[wire.Exported]:
    """Return what a server offers.

    Raises:
        USBError: nobody answers there (ENODEV).
    """
    try:
        with connect(server) as connection:
            connection.sendall(wire.operation(wire.ASK_LIST))
            receive_exactly(connection, wire.OPERATION.size)
            (count,) = struct.unpack(">I", receive_exactly(connection, 4))
            listed: list[wire.Exported] = []
            for _ in range(min(count, DEVICES_MAX)):
                listed.append(wire.parse_device(receive_exactly(connection, wire.DEVICE.size)))
                receive_exactly(connection, 4 * listed[-1].interfaces)  # their classes, which the descriptors tell too
            return listed
    except OSError as error:
        raise usb_error(errno.ENODEV, f"the USB/IP server does not answer: {error.strerror or error}") from error


def _configuration(handle: UsbipHandle, index: int) -> described.ConfigurationDescriptor | None:
    head = described.parse_configuration(_descriptor(handle, described.CONFIGURATION, index, described.CONFIGURATION_BYTES))
    if head is None:
        return None
    return described.parse_configuration(_descriptor(handle, described.CONFIGURATION, index, head.wTotalLength))


def _descriptor(handle: UsbipHandle, kind: int, index: int, size: int) -> bytes:
    return _ask(handle, 0x80, GET_DESCRIPTOR, kind << 8 | index, 0, size)


def _ask(handle: UsbipHandle, kind: int, request: int, value: int, index: int, size: int, timeout_ms: int = CONTROL_MS) -> bytes:
    return handle.transfer(0x80, b"", size, timeout_ms, setup=struct.pack("<BBHHH", kind, request, value, index, size))


def _order(
    handle: UsbipHandle, kind: int, request: int, value: int, index: int, content: bytes = b"", timeout_ms: int = CONTROL_MS
) -> None:
    setup = struct.pack("<BBHHH", kind, request, value, index, len(content))
    handle.transfer(0x00, content, len(content), timeout_ms, setup=setup)


def _fill(buffer: array.array[int], content: bytes) -> int:
    if len(content) > len(buffer):
        raise usb_error(errno.EOVERFLOW)
    buffer[: len(content)] = array.array("B", content)
    return len(content)


def _ports(busid: str) -> tuple[int, ...]:
    """The sockets in a name such as `1-1.4`."""
    places = busid.partition("-")[2].split(".")
    return tuple(int(place) for place in places) if all(place.isascii() and place.isdigit() for place in places) else ()

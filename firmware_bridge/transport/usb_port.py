"""One interface of one USB device, opened: found, judged by the list, freed from the kernel's driver, claimed, read, written, given back.

Every call here may wait in libusb, so all of it runs in threads. At most one thread reads and one writes at a time; `free` comes after
both. Errors of pyusb become the transport's own here and in `usb_find`, by their numbers.

A device that refuses a transfer (a stall) has its endpoint put in order and is asked again, a few times in a row. A transfer that is not
done in time is nothing unusual: what had come until then is kept.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from typing import Final

import usb.core
import usb.util

from firmware_bridge.transport.base import PortAmbiguousError, PortBrokenError, PortMissingError, PortNotAllowedError, TransportError
from firmware_bridge.transport.usb_address import UsbAddress
from firmware_bridge.transport.usb_descriptors import HID_REPORT, usage_pages
from firmware_bridge.transport.usb_find import find_usb, usb_failure
from firmware_bridge.transport.usb_rules import UsbAllow, UsbSeen, objection_to
from firmware_bridge.transport.usb_settings import UsbForm, UsbSettings

STALLS_MAX: Final = 3
"""In a row: a device that refuses again after its endpoint was put in order three times will not take the fourth."""
CONTROL_MS: Final = 500
REPORT_DESCRIPTOR_MAX: Final = 4096
"""The largest that Linux takes."""
READ_BYTES_MAX: Final = 16_384
"""A block of 4096 bytes is the largest that a profile can have; a packet has at most 1024."""

HID: Final = 3
BOOT: Final = 1
GET_DESCRIPTOR: Final = 6
SET_REPORT: Final = 9
SET_IDLE: Final = 10
SET_PROTOCOL: Final = 11
_TO_INTERFACE: Final = 0x21
_FROM_INTERFACE: Final = 0x81


class UsbPort:
    """See the module's text. Made by `open_usb_port`."""

    def __init__(self, url: str, device: usb.core.Device, seen: UsbSeen, interface: usb.core.Interface, settings: UsbSettings) -> None:
        self.url = url
        self.seen = seen
        self.halts = 0
        """Stalls so far."""
        self._device = device
        self._interface = interface
        self._number: int = interface.bInterfaceNumber
        self._in, self._out = _endpoints(url, interface, settings)
        self._transfer_bytes = _transfer_bytes(self._in.wMaxPacketSize & 0x7FF, settings)
        self._detached = False
        self._stalls_in = self._stalls_out = 0

    def claim(self, settings: UsbSettings) -> None:
        """Take the interface, and make a keyboard speak as this program reads it.

        Raises:
            TransportError: somebody has it, it may not be had, or it is another kind of HID device.
        """
        try:
            self._detach_driver()
            usb.util.claim_interface(self._device, self._number)
            if self._interface.bInterfaceClass == HID:
                self._verify_pages(settings)
            if settings.form is UsbForm.KEYBOARD:
                self._set_up_keyboard()
        except usb.core.USBError as error:
            raise usb_failure(self.url, error, self.seen.node) from error

    def read(self, timeout_ms: int) -> bytes:
        """Return what comes in one transfer; empty when nothing came in time.

        Raises:
            PortBrokenError: the device has gone, or refuses for good.
        """
        try:
            found = self._device.read(self._in.bEndpointAddress, self._transfer_bytes, timeout_ms)
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as error:
            self._stalls_in = self._after_refusal(error, self._in.bEndpointAddress, self._stalls_in)
            return b""
        self._stalls_in = 0
        return bytes(found)

    def write(self, chunk: bytes, timeout_ms: int) -> int:
        """Return how many bytes the device took in time.

        Raises:
            PortBrokenError: the device has gone, or refuses for good.
        """
        try:
            taken = self._write_out(chunk, timeout_ms)
        except usb.core.USBTimeoutError:
            return 0
        except usb.core.USBError as error:
            self._stalls_out = self._after_refusal(error, 0 if self._out is None else self._out.bEndpointAddress, self._stalls_out)
            return 0
        self._stalls_out = 0
        return taken

    def free(self) -> None:
        """Give the interface back, to the kernel's driver too where it had one."""
        try:
            usb.util.release_interface(self._device, self._number)
            if self._detached:
                self._device.attach_kernel_driver(self._number)
        except (usb.core.USBError, NotImplementedError):
            return  # the device has gone: there is nothing left to give back
        finally:
            usb.util.dispose_resources(self._device)

    def _write_out(self, chunk: bytes, timeout_ms: int) -> int:
        if self._out is not None:
            return int(self._device.write(self._out.bEndpointAddress, chunk, timeout_ms))
        return int(self._device.ctrl_transfer(_TO_INTERFACE, SET_REPORT, 0x0200 | chunk[0], self._number, chunk, timeout_ms))

    def _after_refusal(self, error: usb.core.USBError, endpoint: int, stalls: int) -> int:
        """Put the endpoint in order after a stall, and return how many there were in a row."""
        if error.errno != errno.EPIPE:
            raise usb_failure(self.url, error, self.seen.node) from error
        self.halts += 1
        if stalls >= STALLS_MAX:
            raise PortBrokenError(f"{self.url}: the device refuses every transfer", "switch it off and on") from error
        if endpoint:
            try:
                self._device.clear_halt(endpoint)
            except usb.core.USBError as second:
                raise usb_failure(self.url, second, self.seen.node) from second
        return stalls + 1

    def _detach_driver(self) -> None:
        try:
            if self._device.is_kernel_driver_active(self._number):
                self._device.detach_kernel_driver(self._number)
                self._detached = True
        except NotImplementedError:
            return  # no kernel drivers on this system: claiming tells whether the interface is free

    def _verify_pages(self, settings: UsbSettings) -> None:
        if settings.usage_page is None:
            return
        raw = self._device.ctrl_transfer(_FROM_INTERFACE, GET_DESCRIPTOR, HID_REPORT << 8, self._number, REPORT_DESCRIPTOR_MAX, CONTROL_MS)
        pages = usage_pages(bytes(raw))
        if settings.usage_page not in pages:
            found = ", ".join(f"{page:#04x}" for page in sorted(pages)) or "none"
            raise PortMissingError(
                f"{self.url} is a HID device of usage page {found}, not {settings.usage_page:#04x}",
                "plug in the device that the profile describes, or name another profile",
            )

    def _set_up_keyboard(self) -> None:
        """Boot reports, and each of them once: a keyboard that does not know these requests is one already."""
        for request, value in ((SET_PROTOCOL, 0), (SET_IDLE, 0)):
            if request == SET_PROTOCOL and self._interface.bInterfaceSubClass != BOOT:
                continue
            try:
                self._device.ctrl_transfer(_TO_INTERFACE, request, value, self._number, None, CONTROL_MS)
            except usb.core.USBError as error:
                if error.errno != errno.EPIPE:
                    raise


def open_usb_port(address: UsbAddress, settings: UsbSettings, allowed: Sequence[UsbAllow] | None, bus: usb.backend.IBackend) -> UsbPort:
    """Find a device, judge it, and take its interface; `allowed`: the list, None where there is none.

    Raises:
        PortNotAllowedError: it is not on the list; nothing of it was used.
        TransportError: it cannot be had.
    """
    device, seen = find_usb(address, bus)
    objection = None if allowed is None else objection_to(seen, allowed)
    if objection is not None:
        raise PortNotAllowedError(
            f"the USB device {seen.id} at {seen.path} {objection}", "take it out and look at it; if it belongs here, put it on the list"
        )
    try:
        port = UsbPort(address.url, device, seen, _choose_interface(address, _active(device), settings), settings)
    except usb.core.USBError as error:
        usb.util.dispose_resources(device)
        raise usb_failure(address.url, error, seen.node) from error
    except TransportError:
        usb.util.dispose_resources(device)
        raise
    try:
        port.claim(settings)
    except TransportError:
        port.free()
        raise
    return port


def _active(device: usb.core.Device) -> usb.core.Configuration:
    """The configuration in use; the first one, where none is yet. Setting one that is set already would disturb the other interfaces."""
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:
            raise
        device.set_configuration()
        return device.get_active_configuration()


def _choose_interface(address: UsbAddress, configuration: usb.core.Configuration, settings: UsbSettings) -> usb.core.Interface:
    fitting = [interface for interface in configuration if _fits(interface, address.interface, settings)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        wanted = "" if settings.interface_class is None else f" of class {settings.interface_class}"
        numbered = "" if address.interface is None else f" with the number {address.interface}"
        raise PortMissingError(
            f"{address.url} has no interface{wanted}{numbered} with the profile's endpoints", "name the device's own profile"
        )
    numbers = [interface.bInterfaceNumber for interface in fitting]
    places = tuple(_with_interface(address, number).url for number in numbers)
    raise PortAmbiguousError(
        f"{address.url} has {len(fitting)} interfaces that fit: {', '.join(map(str, numbers))}", f"write which, such as {places[0]}", places
    )


def _with_interface(address: UsbAddress, number: int) -> UsbAddress:
    return UsbAddress(
        vendor=address.vendor, product=address.product, serial=address.serial, path=address.path, interface=number, server=address.server
    )


def _fits(interface: usb.core.Interface, number: int | None, settings: UsbSettings) -> bool:
    addresses = {endpoint.bEndpointAddress for endpoint in interface}
    named = {end for end in (settings.endpoint_in, settings.endpoint_out) if end is not None}
    return (
        interface.bAlternateSetting == 0
        and number in (None, interface.bInterfaceNumber)
        and settings.interface_class in (None, interface.bInterfaceClass)
        and named <= addresses
        and any(address & 0x80 for address in addresses)
    )


def _endpoints(url: str, interface: usb.core.Interface, settings: UsbSettings) -> tuple[usb.core.Endpoint, usb.core.Endpoint | None]:
    """The two that are used: those that are named, else the first of each way that carries bytes or reports."""
    incoming = next(_carrying(interface, settings.endpoint_in, 0x80), None)
    if incoming is None:
        raise PortMissingError(f"{url}: the interface has no endpoint to read from", "name the device's own profile")
    return incoming, next(_carrying(interface, settings.endpoint_out, 0), None)


def _carrying(interface: usb.core.Interface, named: int | None, way: int) -> Iterator[usb.core.Endpoint]:
    carry = (usb.util.ENDPOINT_TYPE_BULK, usb.util.ENDPOINT_TYPE_INTR)
    for endpoint in interface:
        address = endpoint.bEndpointAddress
        if address & 0x80 == way and named in (None, address) and usb.util.endpoint_type(endpoint.bmAttributes) in carry:
            yield endpoint


def _transfer_bytes(packet: int, settings: UsbSettings) -> int:
    """How much is asked for at once: a whole number of packets, since a packet that does not fit is lost.

    A transfer ends with a short packet or when it is full. So it has the size of the device's blocks where that is known: a block that
    is a whole number of packets ends it without an empty packet after it. Where it is not known, each packet is taken as it comes.
    """
    packet = max(1, packet)
    packets = -(-settings.transfer_bytes // packet)
    return max(1, min(packets, READ_BYTES_MAX // packet)) * packet

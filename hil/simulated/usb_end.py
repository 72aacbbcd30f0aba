"""The device's end of a USB cable, made from its profile: descriptors, endpoints, and what its bytes are there.

What the profile says of the interface is taken from it; what it leaves open is as such devices usually have it: full speed, packets of 64
bytes, one interface. A report goes out as a report, a block as a block, a line of a scanner as the keys that type it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from usbip.classes.device import hid
from usbip.device import Endpoint, In, Out, USBDevice
from usbip.function import Interface

from device_profiles.plain.frames import Way
from device_profiles.plain.profile import PlainProfile, TransportKind, UsbMatch
from firmware_bridge.transport.keyboard import reports_typing
from firmware_bridge.transport.usb_address import UsbAddress
from firmware_bridge.transport.usb_profile import reports_of, usb_form
from firmware_bridge.transport.usb_settings import UsbForm, cut_reports
from hil.simulated.ends import EndListener
from hil.simulated.usb_bus import UsbBus

PACKET_BYTES: Final = 64
"""The most that a full-speed endpoint carries at once."""
KEYBOARD_PACKET_BYTES: Final = 8
POLL_MS: Final = 1
VENDOR_CLASS: Final = 0xFF
WAITING_MAX: Final = 1_000
"""Transfers that nobody fetches; a shoe of twelve decks has fewer cards."""


class UsbEnd:
    """A simulated device's USB plug; it goes into the same socket each time."""

    is_uart = False

    def __init__(self, bus: UsbBus, profile: PlainProfile, serial: str) -> None:
        self.lost_bytes = 0
        self.device, self.incoming, self.outgoing = _device_of(profile, serial, self._bytes_came)
        self._bus = bus
        self._form = usb_form(profile)
        self._sizes = reports_of(profile, Way.IN)
        self._listener: EndListener | None = None
        self._busid: str | None = None
        self.is_used = False
        self.url = UsbAddress(vendor=self.device.vid, product=self.device.pid, serial=serial, server=bus.server).url

    async def open(self, listener: EndListener) -> None:
        self._listener = listener
        self._plug_in()

    def send(self, chunk: bytes) -> None:
        for transfer in self._transfers(chunk):
            if not self.is_used or len(self.incoming._q) >= WAITING_MAX:  # noqa: SLF001  # the package does not tell it otherwise
                self.lost_bytes += len(transfer)
                continue
            self.incoming.write(transfer)

    async def close(self) -> None:
        if self._busid is not None and self._listener is not None:
            self._pull_out(self._busid)
            self._listener = None

    def reset(self) -> None:
        """The device resets itself: it leaves the bus and comes back with another number, its power never gone."""
        if self._busid is not None and self._listener is not None:
            self._pull_out(self._busid)
            self._plug_in()

    def stall(self) -> None:
        """Refuse every transfer until the host has put the endpoint in order."""
        self.incoming.stall()

    def _plug_in(self) -> None:
        self.device.config = 0  # no host has chosen a configuration of a device that was just plugged in
        self._busid = self._bus.plug_in(self.device, self._host_came, self._host_went, self._busid)

    def _pull_out(self, busid: str) -> None:
        self._bus.unplug(busid)
        if self.is_used:
            self._host_went()

    def _host_came(self) -> None:
        self.is_used = True
        if self._listener is not None:
            self._listener.host_came()

    def _host_went(self) -> None:
        self.is_used = False
        if self._listener is not None:
            self._listener.host_went()

    def _transfers(self, chunk: bytes) -> list[bytes]:
        match self._form:
            case UsbForm.REPORTS:
                return cut_reports(chunk, self._sizes)
            case UsbForm.KEYBOARD:
                return reports_typing(chunk)
            case UsbForm.STREAM:
                return [chunk]

    def _bytes_came(self, content: bytes) -> None:
        if self._listener is not None and content:
            asyncio.get_running_loop().call_soon(self._listener.bytes_came, content)


class _Plug(Interface):  # type: ignore[misc]  # the package ships no types
    """One interface with an endpoint for each way. `reports`: its HID report descriptor, where it is a HID device."""

    def __init__(self, told: UsbMatch, bytes_came: Callable[[bytes], None], kind: str, packet: int, reports: bytes, *, boot: bool) -> None:
        super().__init__()
        self.bInterfaceClass = told.interface_class if told.interface_class is not None else VENDOR_CLASS
        self.bInterfaceSubClass = int(hid.SUBCLASS_BOOT if boot else 0)
        self.bInterfaceProtocol = int(hid.PROTOCOL_KEYBOARD if boot else 0)
        self.reports = reports
        self.bytes_came = bytes_came
        self.incoming: Endpoint = self._add_endpoint(In(told.endpoint_in or 0x81, kind, packet, POLL_MS))
        self.outgoing: Endpoint | None = None
        if told.endpoint_out is not None:
            self.outgoing = self._add_endpoint(Out(told.endpoint_out, kind, packet, POLL_MS))

    def extra_descriptors(self) -> bytes:
        return bytes(hid.hid_descriptor(len(self.reports))) if self.reports else b""

    def on_out(self, ep: Endpoint, data: bytes) -> None:
        self.bytes_came(data)

    def on_control(self, setup: object, data: bytes = b"") -> bytes:
        request, value = getattr(setup, "bRequest", 0), getattr(setup, "wValue", 0)
        if self.reports and request == 0x06 and value >> 8 == hid.HID_DT_REPORT:
            return self.reports
        if self.reports and request == hid.SET_REPORT:
            self.bytes_came(data)
            return b""
        if self.reports and request in (hid.SET_IDLE, hid.SET_PROTOCOL):
            return b""
        raise hid.Stall


def _device_of(profile: PlainProfile, serial: str, bytes_came: Callable[[bytes], None]) -> tuple[USBDevice, Endpoint, Endpoint | None]:
    told = profile.line.usb
    if told is None:
        raise ValueError(f"devices of {profile.name} have no USB plug")
    device = USBDevice(told.vendor, told.product, product=profile.about.title, manufacturer=profile.about.vendor, serial=serial)
    is_hid, form = TransportKind.USB_HID in profile.line.kinds, usb_form(profile)
    keyboard = form is UsbForm.KEYBOARD
    reports = b"" if not is_hid else hid.keyboard_report_descriptor() if keyboard else report_descriptor(profile, told.usage_page or 0xFF00)
    packet = KEYBOARD_PACKET_BYTES if keyboard else PACKET_BYTES
    plug = _Plug(told, bytes_came, "interrupt" if is_hid else "bulk", packet, reports, boot=keyboard)
    device.add(plug)
    return device, plug.incoming, plug.outgoing


def report_descriptor(profile: PlainProfile, page: int) -> bytes:
    """Return what a HID device says of its reports: each is a number and so many bytes of this usage page."""
    items = hid.usage_page(page) + hid.usage(1) + hid.collection(1)
    items += hid.logical_min(0) + hid.ri(0x2, hid.GLOBAL, 0xFF, 0x00) + hid.report_size(8)
    for way, main in ((Way.IN, hid.input_), (Way.OUT, hid.output)):
        for number, size in reports_of(profile, way).items():
            items += hid.report_id(number) + hid.usage(number) + hid.report_count(size - 1) + main(0x02)
    return bytes(items + hid.end_collection())

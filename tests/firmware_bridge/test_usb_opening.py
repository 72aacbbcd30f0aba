"""Which USB device and which interface is opened, and every way to be told no."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import AsyncIterator

import pytest
from usbip.device import In, Out, USBDevice
from usbip.function import Interface

from device_profiles.plain.loader import load_plain
from firmware_bridge.transport import usb as usb_module
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import (
    PortAmbiguousError,
    PortBrokenError,
    PortBusyError,
    PortMissingError,
    PortNotAllowedError,
    PortNotPermittedError,
    PortStalledError,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.usb import UsbTransport
from firmware_bridge.transport.usb_address import UsbAddress, parse_usb_address
from firmware_bridge.transport.usb_find import list_usb
from firmware_bridge.transport.usb_profile import usb_settings
from firmware_bridge.transport.usb_rules import UsbAllow
from firmware_bridge.transport.usb_settings import UsbSettings
from firmware_bridge.transport.usbip_backend import UsbipBackend
from firmware_bridge.transport.usbip_handle import UsbipHandle, usb_error
from hil.simulated.usb_bus import UsbBus
from tests.firmware_bridge.usb_gadgets import LIMIT_S, Near, joined, plugged


@pytest.fixture
async def bus() -> AsyncIterator[UsbBus]:
    made = UsbBus()
    await made.open()
    yield made
    await made.close()


async def test_two_devices_alike_are_ambiguous_until_one_is_named(bus: UsbBus) -> None:
    _one, _ = await plugged(bus, "bulk-shoe", "SN-1")
    two, far = await plugged(bus, "bulk-shoe", "SN-2")
    address, settings = UsbAddress(vendor=0x1209, product=0x5D02, server=bus.server), usb_settings(load_plain("bulk-shoe"))
    with pytest.raises(PortAmbiguousError) as refusal:
        await Near(UsbTransport(address, settings)).open()
    assert refusal.value.candidates[1] == two.url
    for url in (two.url, f"usbip://{bus.server[0]}:{bus.server[1]}/1209:5d02?path=1-2"):
        near = Near(UsbTransport(parse_usb_address(url), settings))
        await near.open()
        await far.until(lambda: far.hosts == 1)
        await near.transport.close()
        await far.until(lambda: far.hosts == 0)
    with pytest.raises(PortMissingError, match="SN-3"):
        await Near(UsbTransport(parse_usb_address(two.url.replace("SN-2", "SN-3")), settings)).open()


async def test_a_hid_device_of_another_usage_page_and_an_interface_of_another_class_are_refused(bus: UsbBus) -> None:
    end, _far = await plugged(bus, "hid-shoe")
    address = parse_usb_address(end.url)
    with pytest.raises(PortMissingError, match="0x92"):
        await Near(UsbTransport(address, UsbSettings(interface_class=3, usage_page=0x01))).open()
    with pytest.raises(PortMissingError, match="class 255"):
        await Near(UsbTransport(address, UsbSettings(interface_class=255))).open()


class Plain(Interface):  # type: ignore[misc]
    bulk_in = In(0x81, "bulk", 64)
    bulk_out = Out(0x01, "bulk", 64)


async def test_two_interfaces_that_fit_are_ambiguous_until_one_is_named(bus: UsbBus) -> None:
    device = USBDevice(0x1209, 0x5D03, serial="SN-1")
    device.add(Plain())
    device.add(Plain())
    bus.plug_in(device, lambda: None, lambda: None)
    address = UsbAddress(vendor=0x1209, product=0x5D03, server=bus.server)
    with pytest.raises(PortAmbiguousError) as refusal:
        await Near(UsbTransport(address)).open()
    assert "interface=0" in refusal.value.do
    near = Near(UsbTransport(parse_usb_address(refusal.value.candidates[1])))
    await near.open()
    device[1].bulk_in.write(b"second")
    await near.until(lambda: near.chunks == [b"second"])
    await near.transport.close()


@pytest.mark.requirement("EQ-53")
async def test_a_device_that_is_not_on_the_list_is_not_touched(bus: UsbBus) -> None:
    class Storage(Plain):
        bInterfaceClass = 8  # noqa: N815  # USB's own name

    device = USBDevice(0x1209, 0x5D02, serial="SN-1")
    device.add(Plain())
    device.add(Storage())
    bus.plug_in(device, lambda: None, lambda: None)
    address = UsbAddress(vendor=0x1209, product=0x5D02, server=bus.server)
    line = UsbAllow(vendor=0x1209, product=0x5D02, classes=(255,))
    with pytest.raises(PortNotAllowedError, match="storage"):
        await Near(UsbTransport(address, allowed=[line])).open()
    assert device.config == 0  # nobody has chosen a configuration, so no interface of it is alive
    (seen,) = await asyncio.to_thread(list_usb, bus.server)
    assert [interface.class_code for interface in seen.interfaces] == [255, 8]


async def test_a_bus_that_nobody_serves_is_missing_and_says_where() -> None:
    listener = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    listener.close()
    await listener.wait_closed()
    with pytest.raises(PortMissingError, match=str(port)):
        await Near(open_transport(f"usbip://127.0.0.1:{port}/1209:5d01")).open()  # type: ignore[arg-type]


# ---- what a real machine does and a server does not


class KernelBackend(UsbipBackend):
    """A bus whose devices have drivers of the kernel, with the errors that libusb tells."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.deeds: list[str] = []
        self.fails: dict[str, int] = {}

    def _do(self, deed: str) -> None:
        self.deeds.append(deed)
        if deed in self.fails:
            raise usb_error(self.fails[deed])

    def is_kernel_driver_active(self, dev_handle: UsbipHandle, intf: int) -> bool:
        return True

    def detach_kernel_driver(self, dev_handle: UsbipHandle, intf: int) -> None:
        self._do("detach")

    def attach_kernel_driver(self, dev_handle: UsbipHandle, intf: int) -> None:
        self._do("attach")

    def claim_interface(self, dev_handle: UsbipHandle, intf: int) -> None:
        self._do("claim")

    def release_interface(self, dev_handle: UsbipHandle, intf: int) -> None:
        self._do("release")


async def test_the_kernels_driver_is_sent_away_and_gets_its_device_back(bus: UsbBus) -> None:
    kernel = KernelBackend(*bus.server)
    _end, _far, near = await joined(bus, "barcode-wedge", kernel)
    assert kernel.deeds == ["detach", "claim"]
    await near.transport.close()
    assert kernel.deeds[2:] == ["release", "attach"]


@pytest.mark.parametrize(
    ("deed", "number", "kind"),
    [
        ("claim", errno.EBUSY, PortBusyError),
        ("claim", errno.EACCES, PortNotPermittedError),
        ("detach", errno.EPERM, PortNotPermittedError),
        ("claim", errno.ENODEV, PortBrokenError),
        ("claim", errno.EIO, PortBrokenError),
    ],
)
async def test_an_interface_that_cannot_be_had_says_why(bus: UsbBus, deed: str, number: int, kind: type[TransportError]) -> None:
    kernel = KernelBackend(*bus.server)
    kernel.fails[deed] = number
    end, _far = await plugged(bus, "bulk-shoe")
    near = Near(UsbTransport(parse_usb_address(end.url), bus=lambda _server: kernel))
    with pytest.raises(kind) as refusal:
        await near.open()
    assert refusal.value.do
    kernel.fails.clear()
    await near.open()
    await near.transport.close()


async def test_a_driver_that_hangs_holds_nobody_up(bus: UsbBus, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs, held = threading.Event(), threading.Event()

    class Hanging(UsbipBackend):
        def bulk_read(self, *_arguments: object) -> int:
            held.set()
            hangs.wait(LIMIT_S)
            raise usb_error(errno.ENODEV)

    monkeypatch.setattr(usb_module, "CLOSE_DEADLINE_S", 0.05)
    end, _far = await plugged(bus, "bulk-shoe")
    near = Near(UsbTransport(parse_usb_address(end.url), bus=lambda server: Hanging(*(server or ("", 0)))))
    await near.open()
    await asyncio.to_thread(held.wait, LIMIT_S)
    await near.transport.close()
    assert near.transport.state is TransportState.CLOSING
    with pytest.raises(PortStalledError):
        await near.open()
    hangs.set()
    await near.until_closed()
    assert not near.lost

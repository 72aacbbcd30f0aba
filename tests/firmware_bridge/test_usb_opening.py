"""Which USB device and which interface is opened, and every way to be told no."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import usb.core
from hypothesis import given, settings
from hypothesis import strategies as st
from usbip.device import In, Out, USBDevice
from usbip.function import Interface

from device_profiles.plain.loader import load_plain
from firmware_bridge.transport import usb as usb_module
from firmware_bridge.transport import usb_opening
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
from firmware_bridge.transport.usb_find import UsbLister, list_usb, plugged_now
from firmware_bridge.transport.usb_profile import usb_settings
from firmware_bridge.transport.usb_rules import UsbAllow
from firmware_bridge.transport.usb_settings import UsbSettings
from firmware_bridge.transport.usbip_backend import UsbipBackend, list_exported
from firmware_bridge.transport.usbip_handle import UsbipHandle, usb_error
from hil.simulated.usb_bus import UsbBus
from tests.firmware_bridge.usb_gadgets import LIMIT_S, QUICK_READ_MS, Near, joined, plugged


@pytest.fixture
async def bus(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[UsbBus]:
    monkeypatch.setattr(usb_opening, "READ_MS", QUICK_READ_MS)
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


# ---- what the system's files tell


async def test_the_systems_files_tell_who_a_device_is_without_asking_it(bus: UsbBus, tmp_path: Path) -> None:
    await plugged(bus, "hid-shoe", "ASKED")
    folder = tmp_path / "1-1"
    driver = folder / "1-1:1.0"
    driver.mkdir(parents=True)
    for name, text in (("serial", "TOLD"), ("product", "A shoe"), ("idVendor", "1209"), ("idProduct", "5d01"), ("devnum", "2")):
        (folder / name).write_text(f"{text}\n")
    (driver / "driver").symlink_to("../../usbhid")
    lister = UsbLister(None, tmp_path)
    lister._bus = KernelBackend(*bus.server)
    (seen,) = await asyncio.to_thread(lister.list)
    assert (seen.serial, seen.name, seen.port, seen.interfaces[0].driver) == ("TOLD", "A shoe", "usb://1209:5d01/TOLD", "usbhid")
    assert seen.node == "/dev/bus/usb/001/002"
    assert not seen.permitted
    (again,) = await asyncio.to_thread(lister.list)
    assert again is seen  # it was asked once for this plugging in


def test_a_plug_that_was_out_and_in_again_is_another_one(tmp_path: Path) -> None:
    address = UsbAddress(vendor=0x1209, product=0x5D01)
    assert plugged_now(address, tmp_path / "none") == ()
    folder = tmp_path / "1-1"
    folder.mkdir()
    (folder / "idVendor").write_text("1209\n")
    (folder / "idProduct").write_text("5d01\n")
    (tmp_path / "1-1:1.0").mkdir()
    (folder / "devnum").write_text("2\n")
    before = plugged_now(address, tmp_path)
    assert before == (("1-1", "2"),)
    (folder / "devnum").write_text("3\n")
    assert plugged_now(address, tmp_path) not in ((), before)
    assert plugged_now(UsbAddress(vendor=0x1209, product=0x5D02), tmp_path) == ()
    assert UsbTransport(UsbAddress(vendor=0x1209, product=0x5D01, server=("127.0.0.1", 1))).plug_mark() is None


@given(st.binary(max_size=700), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_server_that_talks_rubbish_is_an_error_of_its_own(rubbish: bytes, keeps_open: bool) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(64)
            connection.sendall(rubbish)
            if keeps_open:
                connection.shutdown(socket.SHUT_WR)
                connection.recv(64)

    server = threading.Thread(target=serve)
    server.start()
    told: list[object] = []
    try:
        told += list_exported(listener.getsockname()[:2])
    except usb.core.USBError as error:
        told.append(error.errno)
    server.join()
    listener.close()
    assert told in ([], [errno.ENODEV]) or len(rubbish) >= 12

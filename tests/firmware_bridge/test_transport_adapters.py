"""Adapters by serial number and interface: found under any name, refused in words where several fit."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from serial.tools.list_ports_common import ListPortInfo

from firmware_bridge.transport import adapters
from firmware_bridge.transport.adapters import find_adapter, list_adapters
from firmware_bridge.transport.address import open_transport, path_of, with_baud
from firmware_bridge.transport.base import BadAddressError, PortAmbiguousError, PortMissingError, TransportState
from firmware_bridge.transport.serial import AdapterTransport
from firmware_bridge.transport.settings import Parity

Plug = Callable[..., str]


def told(path: str, serial: str | None, interface: int = 0, vendor: int = 0x0403) -> ListPortInfo:
    info = ListPortInfo(path)
    info.vid, info.pid, info.serial_number, info.location = vendor, 0x6001, serial, f"1-1.2:1.{interface}"
    return info


class Machine:
    """A machine with pseudo-terminals in the place of adapters, and a directory of links."""

    def __init__(self, links: Path) -> None:
        self.links = links
        self.infos: list[ListPortInfo] = []
        self._open: list[int] = []
        links.mkdir()

    def plug(self, serial: str | None, link: str | None = None, interface: int = 0, *, is_told: bool = True) -> str:
        master, slave = pty.openpty()
        tty.setraw(slave)
        self._open += [master, slave]
        path = os.ttyname(slave)
        if is_told:
            self.infos.append(told(path, serial, interface))
        if link is not None:
            self.lead(link, path)
        return path

    def lead(self, link: str, path: str) -> None:
        (self.links / link).unlink(missing_ok=True)
        (self.links / link).symlink_to(path)

    def address(self, serial: str, *words: str) -> str:
        return f"adapter://{serial}?{'&'.join([*words, f'links={self.links}'])}"

    def close(self) -> None:
        for fd in self._open:
            os.close(fd)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(tmp_path / "by-id")
    monkeypatch.setattr(adapters.list_ports, "comports", lambda: list(made.infos))
    yield made
    made.close()


FTDI = "usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0"


def test_an_adapter_is_found_by_its_number_with_a_link_and_without(machine: Machine) -> None:
    linked, bare = machine.plug("A50285BI", FTDI), machine.plug("A50285BJ")
    assert find_adapter("A50285BI", None, machine.links).path == linked
    assert find_adapter("A50285BI", 0, machine.links).link == FTDI
    assert find_adapter("A50285BJ", None, machine.links).path == bare
    assert path_of(machine.address("A50285BI")) == linked
    assert [adapter.link for adapter in list_adapters(machine.links)] == [FTDI, None]


def test_a_link_alone_tells_number_and_interface(machine: Machine) -> None:
    first = machine.plug("?", "usb-ACME_SX-8_SN_000_123-if00", is_told=False)
    second = machine.plug("?", "usb-ACME_SX-8_SN_000_123-if0b", is_told=False)
    assert find_adapter("SN 000 123", 0, machine.links).path == first
    assert find_adapter("SN_000_123", 11, machine.links).path == second
    with pytest.raises(PortMissingError):
        find_adapter("00_123_", None, machine.links)


def test_a_missing_adapter_and_a_missing_interface_are_told_apart(machine: Machine) -> None:
    machine.plug("A50285BI", FTDI)
    with pytest.raises(PortMissingError, match="no adapter with the serial number A5 is"):
        find_adapter("A5", None, machine.links)
    with pytest.raises(PortMissingError, match=f"no interface 3; there are {FTDI}"):
        find_adapter("A50285BI", 3, machine.links)


def test_several_interfaces_want_one_named(machine: Machine) -> None:
    for interface in (0, 1):
        machine.plug("FT7", f"usb-FTDI_Dual_FT7-if0{interface}-port0", interface)
    with pytest.raises(PortAmbiguousError) as refusal:
        find_adapter("FT7", None, machine.links)
    assert refusal.value.candidates == ("usb-FTDI_Dual_FT7-if00-port0", "usb-FTDI_Dual_FT7-if01-port0")
    assert all(name in refusal.value.what for name in refusal.value.candidates)
    assert "interface=0" in refusal.value.do
    assert find_adapter("FT7", 1, machine.links).interface == 1


@pytest.mark.parametrize("serial", ["0001", None])
async def test_a_link_that_leads_to_either_of_two_twins_is_refused(machine: Machine, serial: str | None) -> None:
    link = f"usb-1a86_USB_Serial{'' if serial is None else '_0001'}-if00-port0"
    paths = {machine.plug(serial, link), machine.plug(serial, link)}
    transport = open_transport(str(machine.links / link))
    with pytest.raises(PortAmbiguousError) as refusal:
        await transport.open(lambda _: None, lambda _: None)
    assert set(refusal.value.candidates) == paths
    assert "by-path" in refusal.value.do
    assert transport.state is TransportState.CLOSED
    if serial is not None:
        with pytest.raises(PortAmbiguousError):
            await open_transport(machine.address(serial)).open(lambda _: None, lambda _: None)
    plain = open_transport(paths.pop())
    await plain.open(lambda _: None, lambda _: None)
    await plain.close()


async def test_an_adapter_that_comes_back_under_another_name_is_opened_there(machine: Machine) -> None:
    transport = open_transport(machine.address("A50285BI", "baud=9600", "parity=E"))
    assert isinstance(transport, AdapterTransport)
    assert (transport.settings.baud, transport.settings.parity, transport.interface) == (9600, Parity.EVEN, None)
    for _ in range(2):
        machine.infos.clear()
        path = machine.plug("A50285BI", FTDI)
        await transport.open(lambda _: None, lambda _: None)
        assert transport.path == path
        await transport.close()


def test_what_is_plugged_in_and_out_changes_the_mark(machine: Machine) -> None:
    transport = open_transport(machine.address("A50285BI"))
    assert transport.plug_mark() is None
    machine.plug("A50285BI", FTDI)
    first = transport.plug_mark()
    assert first is not None
    assert transport.plug_mark() == first
    machine.plug("A50285BI", FTDI)
    assert transport.plug_mark() not in (first, None)
    (machine.links / FTDI).unlink()
    machine.plug("other", "usb-FTDI_FT232R_USB_UART_B-if00-port0")
    assert transport.plug_mark() is None


@pytest.mark.parametrize(
    "text", ["adapter://", "adapter://A/path", "adapter://A?interface=x", "adapter://A?interface=", "adapter://A?speed=1"]
)
def test_a_bad_address_of_an_adapter_is_refused(text: str) -> None:
    with pytest.raises(BadAddressError):
        open_transport(text)


def test_an_address_keeps_its_words() -> None:
    told = open_transport("adapter://SN%20A:B?interface=1&baud=9600")
    assert isinstance(told, AdapterTransport)
    assert (told.serial_number, told.url) == ("SN A:B", "adapter://SN%20A%3AB?interface=1&baud=9600")
    assert with_baud("adapter://A?interface=1&baud=9600", 4800) == "adapter://A?interface=1&baud=4800"
    assert with_baud("tcp://h:1", 4800) == "tcp://h:1"
    assert with_baud("rfc2217://h:1", 4800) == "rfc2217://h:1?baud=4800"
    assert path_of("tcp://127.0.0.1:1") is None
    assert path_of("adapter://no-such-number") is None


def test_looking_does_not_open(machine: Machine) -> None:
    path = machine.plug("A50285BI", FTDI)
    before = list(Path("/proc/self/fd").iterdir())
    list_adapters(machine.links)
    assert path_of(machine.address("A50285BI")) == path
    assert len(list(Path("/proc/self/fd").iterdir())) == len(before)

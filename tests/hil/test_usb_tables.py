"""USB shoes at the real daemon: rounds over USB/IP, a plug that is pulled between them, and an intruder on the bus."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from usbip.device import USBDevice
from usbip.function import Interface

from controller.table.enforcement import Detection
from device_profiles.plain.loader import load_plain
from hil.endtoend.bench import Bench, open_bench
from hil.endtoend.daemon import DeviceEntry, TableEntry, run_daemon, working_folder
from hil.endtoend.plain_table import PlainTable
from hil.people.people import People
from hil.people.session import play_rounds
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.usb_bus import UsbBus
from tests.hil.plain_rounds import GAME, PROCEDURE, TABLE, Played

SERIAL = "SIM-HID-0001"
WAIT_S = 30.0
LIST = {
    "hid-shoe": f'vendor = 0x1209\nproduct = 0x5D01\nserial = "{SERIAL}"\nclasses = [3]\n',
    "bulk-shoe": "vendor = 0x1209\nproduct = 0x5D02\nclasses = [255]\n",
}


class UsbTable:
    """A table at a daemon whose shoe is on a bus."""

    def __init__(self, bench: Bench, bus: UsbBus, shoe: PlainDevice, table: PlainTable, site: Path) -> None:
        self.bench, self.bus, self.shoe, self.table, self.site = bench, bus, shoe, table, site
        self.people = People(PROCEDURE, random.Random(3), most_seats=3)

    def play(self, rounds: int) -> None:
        play_rounds(self.people, self.table, rounds)

    def until(self, holds: Callable[[], bool]) -> float:
        """Wait for something that the daemon tells; returns how long it took."""
        begun_s = time.monotonic()
        while not holds():
            assert time.monotonic() - begun_s < WAIT_S
            self.table._catch_up()
        return time.monotonic() - begun_s

    def alarms(self) -> set[str]:
        return set(self.table.view().alarms)


@contextmanager
def usb_table(folder: Path, profile: str) -> Iterator[UsbTable]:
    with open_bench() as bench, working_folder(folder) as site:
        bus = UsbBus()
        bench.run(bus.open())
        shoe = bench.call(lambda: PlainDevice(PlainSettings(profile=load_plain(profile), usb=bus, factor=20.0, name=SERIAL)))
        bench.run(shoe.start())
        serial = SERIAL if profile == "hid-shoe" else None
        entry = TableEntry(TABLE, GAME, "manual-shoe", {}, (DeviceEntry("shoe", "shoe", serial, shoe.url, profile=profile),))
        with run_daemon(site, [entry], f"[[usb.allow]]\n{LIST[profile]}") as daemon:
            client = daemon.client()
            yield UsbTable(bench, bus, shoe, PlainTable(PROCEDURE, client, bench, shoe, random.Random(3)), site)
            client.close()
        bench.run(shoe.stop())
        bench.run(bus.close())


@pytest.mark.requirement("EQ-53")
def test_rounds_from_a_hid_shoe_and_an_intruder_that_holds_the_table(tmp_path: Path) -> None:
    with usb_table(tmp_path, "hid-shoe") as at:
        at.play(1)
        at.bench.run(at.shoe.unplug())
        lost_s = at.until(lambda: "device-lost" in at.alarms())
        at.bench.run(at.shoe.plug_in())
        at.until(lambda: not at.alarms())
        at.play(1)
        at.bench.call(lambda: at.bus.plug_in(_network(), lambda: None, lambda: None))
        told_s = at.until(lambda: "foreign-usb" in at.alarms())
        assert at.shoe.locked
        assert at.table.view().gate != "open"
    played = Played(tmp_path, at.table, at.shoe)
    played.verify(misread=False)
    (sheet,) = played.sheets
    assert sheet is not None
    found = {line.mishap: line.detection for line in sheet.lines}
    assert found["a card leaves although none is due"] is Detection.PREVENTED
    assert found["a message is damaged on the line"] is not Detection.NOT_DETECTABLE
    assert "class 224 (wireless)" not in (tmp_path / "daemon.log").read_text()  # what is not listed is not looked into
    assert "is not on the list" in (tmp_path / "daemon.log").read_text()
    logging.getLogger(__name__).info("unplugging was told after %.2f s, the intruder after %.2f s", lost_s, told_s)


@pytest.mark.requirement("EQ-53")
def test_a_bulk_shoe_that_comes_back_with_a_network_is_not_used(tmp_path: Path) -> None:
    with usb_table(tmp_path, "bulk-shoe") as at:
        at.play(1)
        end = at.shoe._usb
        assert end is not None
        at.bench.call(lambda: end.device.add(_Network()))
        at.bench.call(end.reset)
        at.until(lambda: "foreign-usb" in at.alarms())
        assert end.device.config == 0
    Played(tmp_path, at.table, at.shoe).verify(misread=False)
    assert "class 224 (wireless)" in (tmp_path / "daemon.log").read_text()


class _Network(Interface):  # type: ignore[misc]
    bInterfaceClass = 0xE0  # noqa: N815  # USB's own name


def _network() -> USBDevice:
    device = USBDevice(0x0525, 0xA4A2, product="Ethernet gadget")
    device.add(_Network())
    return device

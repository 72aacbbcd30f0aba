"""The list of USB devices: how it is configured, who is compared with it, and what the tables hear of a stranger."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from controller.service.config_file import load_config
from controller.service.errors import ConfigError
from controller.service.finding import Grade
from controller.service.inbox import Noticed
from controller.service.logs import LogFile, make_logger
from controller.service.loss import loss_event
from controller.service.metrics import Metrics
from controller.service.usb_checks import check_sockets
from controller.service.usb_config import UsbAllowConfig, allowed_devices
from controller.service.usb_ports import usb_ports
from controller.service.usb_watch import UsbWatch, look_everywhere
from controller.table import acts
from firmware_bridge.device import PortFailed
from firmware_bridge.transport.base import PortMissingError, PortNotAllowedError
from firmware_bridge.transport.usb_rules import UsbAllow, UsbInterface, UsbSeen
from hil.simulated.usb_bus import UsbBus
from tests.firmware_bridge.usb_gadgets import plugged

HEAD = """
config = 1
journal = { path = "journal.db", key_file = "keys.json" }
[[table]]
id = "T1"
game = "minibaccarat"
method = "manual-shoe"
[[table.device]]
name = "shoe"
kind = "shoe"
profile = "hid-shoe"
"""
SHOE = "[[usb.allow]]\nvendor = 0x1209\nproduct = 0x5D01\nclasses = [3]\n"
ALLOWED = (UsbAllow(vendor=0x1209, product=0x5D01, serial="SN-1", classes=(3,)),)


def load(folder: Path, port: str, more: str = "") -> Any:
    file = folder / "table.toml"
    file.write_text(f'{HEAD}port = "{port}"\n{more}')
    return load_config(file)


def test_a_listed_device_may_stand_in_the_configuration(tmp_path: Path) -> None:
    setup = load(tmp_path, "usb://1209:5d01/SN-1", SHOE)
    assert setup.port_of(setup.config.table[0].device[0]) == "usb://1209:5d01/SN-1"
    assert setup.config.usb.allow == (UsbAllowConfig(vendor=0x1209, product=0x5D01, classes=(3,)),)
    assert allowed_devices(setup.config.usb) == (UsbAllow(vendor=0x1209, product=0x5D01, classes=(3,)),)
    assert [key for key, _address in usb_ports(setup)] == ["table.T1.device.shoe.port"]


@pytest.mark.requirement("EQ-53")
@pytest.mark.parametrize(
    ("port", "more", "code", "words"),
    [
        ("usb://1209:5d01/SN-1", "", "usb-not-listed", "vendor = 0x1209, product = 0x5d01, serial"),
        ("usb://1209:5d02", SHOE, "usb-not-listed", "1209:5d02"),
        ("usbip://127.0.0.1:7000/1209:5d01/SN-2", SHOE + 'serial = "SN-1"\n', "usb-not-listed", "1209:5d01"),
        ("usb://1209", SHOE, "port-address", "usb://VVVV:PPPP"),
        ("usb://1209:5d01", SHOE.replace("[3]", "[300]"), "bad-value", "0 to 255"),
        ("usb://1209:5d01", SHOE.replace("0x1209", "70000"), "bad-value", "0xFFFF"),
        ("usb://1209:5d01", SHOE.replace("classes", "class"), "unknown-key", "classes"),
        ("usb://1209:5d01", SHOE.replace("classes = [3]\n", ""), "missing-key", "classes"),
    ],
)
def test_a_list_that_cannot_be_kept_says_what_to_write(tmp_path: Path, port: str, more: str, code: str, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, port, more)
    assert refusal.value.code == code
    assert words in f"{refusal.value.what} {refusal.value.do}"


def device(serial: str = "SN-1", number: int = 2, classes: tuple[int, ...] = (3,), product: int = 0x5D01) -> UsbSeen:
    return UsbSeen(
        vendor=0x1209, product=product, serial=serial, name="Shoe", path="1-1", address_now=f"1-{number}", is_root_hub=False,
        port="usb://1209:5d01", node=None, permitted=True,
        interfaces=tuple(UsbInterface(number=at, class_code=code) for at, code in enumerate(classes)),
    )  # fmt: skip


class Bench:
    def __init__(self, folder: Path, look: Any = list) -> None:
        self.log = LogFile(folder / "log")
        self.folder = folder
        self.metrics = Metrics()
        self.told: list[Noticed] = []
        tables: Any = {name: SimpleNamespace(tell=self.told.append) for name in ("T1", "T2")}
        self.watch = UsbWatch(look, ALLOWED, tables, self.metrics, make_logger(self.log, "info", pretty=False))

    def events(self) -> list[str]:
        return [json.loads(line)["event"] for line in (self.folder / "log").read_text().splitlines()]


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    made = Bench(tmp_path)
    yield made
    made.log.close()


@pytest.mark.requirement("EQ-53")
def test_a_stranger_is_told_to_every_table_once_for_each_plugging_in(bench: Bench) -> None:
    bench.watch.judge([device()])
    assert bench.told == []
    stranger = device(number=3, product=0xA4A2)
    for _ in range(3):
        bench.watch.judge([device(), stranger])
    assert [notice.event for notice in bench.told] == ["foreign-usb"] * 2
    assert "1209:a4a2 at 1-1 is not on the list" in bench.told[0].detail
    bench.watch.judge([device()])
    bench.watch.judge([device(), device(number=4, product=0xA4A2)])
    assert len(bench.told) == 4
    assert "shoed_foreign_usb_total 2" in bench.metrics.render()
    assert bench.events() == ["foreign-usb", "foreign-usb-gone", "foreign-usb"]


def test_a_shoe_that_comes_back_with_more_is_a_stranger_and_a_root_hub_is_none(bench: Bench) -> None:
    bench.watch.judge([msgspec.structs.replace(device(product=0x0002, classes=(9,)), is_root_hub=True)])
    assert bench.told == []
    bench.watch.judge([device(number=5, classes=(3, 0x02))])
    assert "class 2 (communications)" in bench.told[0].detail
    bench.watch.judge([device("SN-2", number=6)])
    assert "serial number SN-2" in bench.told[2].detail


def test_a_bus_that_cannot_be_looked_at_is_told_once_and_raises_no_alarm(bench: Bench) -> None:
    for _ in range(3):
        bench.watch.judge(PortMissingError("no USB library", "install it"))
    bench.watch.judge([device()])
    bench.watch.judge(PortMissingError("no USB library", "install it"))
    assert bench.told == []
    assert bench.events() == ["usb-watch-blind", "usb-watch-blind"]


async def test_the_watch_looks_by_itself_and_sees_a_device_that_is_plugged_in(tmp_path: Path) -> None:
    bus = UsbBus()
    await bus.open()
    bench = Bench(tmp_path, look_everywhere([bus.server]))
    watching = asyncio.create_task(bench.watch.run())
    await plugged(bus, "hid-shoe")
    await plugged(bus, "bulk-shoe")
    async with asyncio.timeout(20):
        while not bench.told:  # noqa: ASYNC110  # the watch has a pace of its own
            await asyncio.sleep(0.01)
    assert ["1209:5d02" in notice.detail for notice in bench.told] == [True, True]
    watching.cancel()
    await asyncio.wait([watching])
    await bus.close()
    bench.log.close()


def test_a_device_that_is_refused_by_the_list_is_more_than_a_lost_one() -> None:
    assert loss_event(PortFailed(PortNotAllowedError("a", "b"), 1.0)) == "foreign-usb"
    assert loss_event(PortFailed(PortMissingError("a", "b"), 1.0)) == "lost"
    assert "foreign-usb" in acts.DEVICE_EVENTS


async def test_the_doctor_names_every_stranger_and_what_to_write(tmp_path: Path) -> None:
    bus = UsbBus()
    await bus.open()
    await plugged(bus, "hid-shoe")
    port = f"usbip://{bus.server[0]}:{bus.server[1]}/1209:5d01"
    setup = load(tmp_path, port, f"[usb]\nwatch = false\n{SHOE}")
    good, blind = await asyncio.to_thread(lambda: list(check_sockets(setup)))
    assert (good.grade, blind.grade) == (Grade.GOOD, Grade.LOOK)
    await plugged(bus, "bulk-shoe")
    wrong = (await asyncio.to_thread(lambda: list(check_sockets(setup))))[0]
    assert wrong.grade is Grade.WRONG
    assert 'product = 0x5D02, serial = "SN-1", classes = [255]' in wrong.do
    await bus.close()
    blind_now = (await asyncio.to_thread(lambda: list(check_sockets(setup))))[0]
    assert blind_now.grade is Grade.WRONG
    assert str(bus.server[1]) in blind_now.what
    assert list(check_sockets(load(tmp_path, "tcp://127.0.0.1:1"))) == []

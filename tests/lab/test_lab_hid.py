"""A HID shoe that the kernel's `hid-generic` has taken: our transport sends it away, uses the device, and gives it back."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import pytest

from device_profiles.plain.loader import load_plain
from hil.endtoend.bench import Bench, open_bench
from hil.lab.machine import Machine
from hil.mechanism.cards import fresh_deck
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.usb_bus import UsbBus
from tests.lab.plugs import attach, await_path, disconnected_at_s

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800)]

SERIAL, PROFILE = "LAB-HID", "hid-shoe"
LOG = "/run/heard"
LIMIT_S = 300.0
"""The guest may be emulated, and its host busy."""


def heard(machine: Machine) -> list[dict[str, object]]:
    return [json.loads(line) for line in machine.guest.read(LOG).decode().splitlines() if line.startswith("{")]


def await_heard(machine: Machine, holds: Callable[[list[dict[str, object]]], bool]) -> list[dict[str, object]]:
    deadline = time.monotonic() + LIMIT_S
    while not holds(told := heard(machine)):
        assert time.monotonic() < deadline, machine.guest.read(LOG).decode()[-3000:]
    return told


def cards(told: list[dict[str, object]]) -> list[object]:
    return [line["card"] for line in told if "card" in line]


def driver_of(machine: Machine) -> str:
    """Who has the interface of the device with our serial number."""
    script = f"for f in /sys/bus/usb/devices/*/serial; do grep -qx {SERIAL} $f && basename $(readlink -f $(dirname $f)/*:1.0/driver); done"
    return machine.guest.run(["sh", "-c", script]).out.strip()


def await_driver(machine: Machine, name: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while (found := driver_of(machine)) != name:
        assert time.monotonic() < deadline, found


def deal(machine: Machine, bench: Bench, shoe: PlainDevice, number: int) -> None:
    """Draw so many cards, each when the one before was heard."""
    for _ in range(number):
        before = bench.call(lambda: shoe.drawn)
        deadline = time.monotonic() + LIMIT_S
        while not bench.call(shoe.draw):
            assert time.monotonic() < deadline, "the shoe gives no card"
        await_heard(machine, lambda told, before=before: len(cards(told)) > before)


@pytest.mark.requirement("EQ-57")
def test_hid_generic_is_sent_away_and_a_pulled_plug_costs_no_card(machine: Machine) -> None:
    with open_bench() as bench:
        bus = UsbBus()
        bench.run(bus.open())
        shoe = bench.call(lambda: PlainDevice(PlainSettings(profile=load_plain(PROFILE), name=SERIAL, usb=bus, factor=10.0)))
        bench.run(shoe.start())
        bench.call(lambda: shoe.load(fresh_deck()[:6]))
        attach(machine, bus, next(iter(bus.plugged)))
        await_path(machine, "/dev/hidraw0")
        assert machine.guest.run(["sh", "-c", "ls /sys/bus/hid/drivers/hid-generic | grep 1209:5D01"], 30).code == 0
        await_driver(machine, "usbhid")
        machine.guest.run(["ldconfig"])
        pid = machine.guest.start([sys.executable, "-m", "hil.lab.hear", f"usb://1209:5d01/{SERIAL}", PROFILE], LOG)
        await_heard(machine, lambda told: any(line["what"] == "Running" for line in told))
        assert driver_of(machine) == "usbfs"
        deal(machine, bench, shoe, 3)
        bench.run(shoe.unplug())
        told = await_heard(machine, lambda told: told[-1]["what"] in ("PortLost", "LinkLost", "PortFailed"))
        lost_s = next(float(str(line["s"])) for line in told if line["what"] == "PortLost") - disconnected_at_s(machine)
        sys.stdout.write(f"\nlab: hid-generic: the pulled plug was told after {lost_s:.3f} s of the guest's time\n")
        assert lost_s < 1.0
        bench.run(shoe.plug_in())
        attach(machine, bus, next(iter(bus.plugged)))
        await_heard(machine, lambda told: sum(line["what"] == "Running" for line in told) == 2)
        deal(machine, bench, shoe, 3)
        assert cards(heard(machine)) == [card.face.name for card in shoe.tray if card.face is not None]
        assert machine.guest.stop(pid) == 0
        await_driver(machine, "usbhid")
        bench.run(shoe.stop())
        bench.run(bus.close())

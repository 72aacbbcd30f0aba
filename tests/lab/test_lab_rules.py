"""The rules that `shoed doctor --udev` prints, put in force in a real udev: a name that stays, a group, and no modem manager."""

from __future__ import annotations

import sys

import pytest

from controller.service.udev_rules import LINKS, RULES_FILE
from hil.endtoend.daemon import DeviceEntry, TableEntry, config_text
from hil.lab.machine import Machine
from tests.lab.plugs import Ftdi, await_link, await_no_link, await_path

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800)]

FOLDER = "/run/shoed/rules"
DOCTOR = [sys.executable, "-c", "from controller.cli.main import main; main()", "doctor", "--config", f"{FOLDER}/shoed.toml", "--udev"]


def answer(machine: Machine, *command: str) -> str:
    done = machine.guest.run(command)
    assert done.code == 0, done.err
    return done.out


def properties(machine: Machine, path: str) -> set[str]:
    return set(answer(machine, "udevadm", "info", "--query=property", path).splitlines())


def plugged_in(machine: Machine, port: str) -> str:
    """The USB device of a port: the folder that holds its interface, such as `1-1` of `1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0`."""
    interface, _, _ = answer(machine, "udevadm", "info", "--query=path", port).rpartition(":")
    return interface.rpartition("/")[0]


@pytest.mark.requirement("EQ-57")
def test_the_printed_rules_name_a_port_let_its_group_in_and_keep_modem_managers_off(machine: Machine) -> None:
    plug, twin = Ftdi(machine, "RULED", None), Ftdi(machine, "TWIN", None)
    devices = (DeviceEntry("shoe", "shoe", "RULED", "adapter://RULED"),)
    table = TableEntry("T1", "colorado-hold-em-poker", "manual-shoe", {}, devices)
    machine.guest.write(f"{FOLDER}/shoed.toml", config_text([table]).encode())
    plug.put_in()
    await_link(machine, plug)
    rules = answer(machine, *DOCTOR)
    machine.guest.write(RULES_FILE, rules.encode())
    answer(machine, "udevadm", "control", "--reload")
    try:
        plug.pull()
        await_no_link(machine, plug)
        twin.put_in()
        await_link(machine, twin)
        plug.put_in()
        port = await_path(machine, f"{LINKS}/T1-shoe")
        assert port == await_link(machine, plug)
        assert answer(machine, "stat", "-c", "%G %a", port).split() == ["dialout", "660"]
        assert "ID_MM_PORT_IGNORE=1" in properties(machine, port)
        assert "ID_MM_DEVICE_IGNORE=1" in properties(machine, f"/sys{plugged_in(machine, port)}")
        other = await_link(machine, twin)
        assert not {"ID_MM_PORT_IGNORE=1"} & properties(machine, other)
        assert answer(machine, "ls", LINKS).split() == ["T1-shoe"]
        plug.pull()
        await_no_link(machine, plug)
        assert machine.guest.run(["test", "-e", f"{LINKS}/T1-shoe"]).code == 1
    finally:
        answer(machine, "rm", RULES_FILE)
        answer(machine, "udevadm", "control", "--reload")
    twin.pull()

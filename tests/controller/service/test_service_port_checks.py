"""What the doctor sees of ports from outside: modem managers, moving names, permissions; and the rules that it prints."""

from __future__ import annotations

import json
import os
import pty
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from serial.tools.list_ports_common import ListPortInfo

from controller.cli.main import run
from controller.journal.keys import create_keys
from controller.service import discovery, port_checks
from controller.service.config import Setup
from controller.service.config_file import load_config
from controller.service.finding import Finding, Grade
from controller.service.port_checks import busy_words, check_name, check_programs, check_shared, rules_for
from controller.service.udev_rules import Ruled, udev_rules
from firmware_bridge.transport import adapters
from firmware_bridge.transport.base import PortMissingError
from firmware_bridge.transport.permission import Access, advice_for, judge
from firmware_bridge.transport.usb_rules import UsbInterface, UsbSeen

RULE = re.compile(r'[A-Z]+(\{\w+\})?(==|!=|\+=|=)"[^"]*"(, [A-Z]+(\{\w+\})?(==|!=|\+=|=)"[^"]*")*')
FTDI = "usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0"


class Machine:
    """Pseudo-terminals in the place of adapters, and udev's directories."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.links = folder / "links"
        self.records = folder / "udev"
        self.infos: list[ListPortInfo] = []
        self._open: list[int] = []
        for made in (self.links, self.records):
            made.mkdir()
        create_keys(folder / "keys.json")

    def plug(self, serial: str | None, link: str | None = None, interface: int = 0, socket: str = "1-1.2") -> str:
        master, slave = pty.openpty()
        self._open += [master, slave]
        path = os.ttyname(slave)
        info = ListPortInfo(path)
        info.vid, info.pid, info.serial_number, info.location = 0x0403, 0x6001, serial, f"{socket}:1.{interface}"
        self.infos.append(info)
        if link is not None:
            (self.links / link).unlink(missing_ok=True)
            (self.links / link).symlink_to(path)
        return path

    def record(self, path: str, line: str) -> None:
        number = Path(path).stat().st_rdev
        (self.records / f"c{os.major(number)}:{os.minor(number)}").write_text(f"S:serial/by-id/x\n{line}\n")

    def setup(self, *ports: str, extra: str = "") -> Setup:
        file = self.folder / "table.toml"
        tables = "".join(
            f'[[table]]\nid = "T{i}"\ngame = "colorado-hold-em-poker"\nmethod = "manual-shoe"\n'
            f'[[table.device]]\nname = "shoe"\nkind = "shoe"\nport = "{port}"\nserial = "SN{i}"\n'
            for i, port in enumerate(ports, 1)
        )
        head = 'config = 1\njournal = { path = "journal.db", key_file = "keys.json" }\n[ports]\nlinks = "links"\n'
        file.write_text(head + extra + tables)
        return load_config(file)

    def close(self) -> None:
        for fd in self._open:
            os.close(fd)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(tmp_path)
    monkeypatch.setattr(adapters.list_ports, "comports", lambda: list(made.infos))
    monkeypatch.setattr(port_checks, "UDEV_RECORDS", made.records)
    monkeypatch.setattr(port_checks, "process_names", lambda: ["init", "ModemManager", "brltty"])
    yield made
    made.close()


def of(findings: Iterator[Finding], check: str) -> Finding:
    return next(finding for finding in findings if finding.check == check)


def test_a_modem_manager_that_takes_a_port_is_wrong_until_a_rule_keeps_it_off(machine: Machine) -> None:
    path = machine.plug("A50285BI", FTDI)
    for port in ("adapter://A50285BI", FTDI, path):
        setup = machine.setup(port)
        machine.record(path, "E:ID_VENDOR=FTDI")
        finding = of(check_programs(setup), "modem manager")
        assert finding.grade is Grade.WRONG
        assert path in finding.what
        assert "--udev" in finding.do
        machine.record(path, "E:ID_MM_PORT_IGNORE=1")
        assert of(check_programs(setup), "modem manager").grade is Grade.GOOD


def test_a_usb_device_that_is_to_be_left_alone_counts_too(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.plug("A50285BI", FTDI)
    number = Path(path).stat().st_rdev
    device = machine.folder / "devices" / "1-1.2"
    (device / "1-1.2:1.0" / "tty").mkdir(parents=True)
    (device / "idVendor").write_text("0403\n")
    (device / "dev").write_text("189:7\n")
    (machine.folder / "char").mkdir()
    (machine.folder / "char" / f"{os.major(number)}:{os.minor(number)}").symlink_to(device / "1-1.2:1.0" / "tty")
    monkeypatch.setattr(port_checks, "CHARACTER_DEVICES", machine.folder / "char")
    setup = machine.setup(FTDI)
    assert of(check_programs(setup), "modem manager").grade is Grade.WRONG
    (machine.records / "c189:7").write_text("E:ID_MM_DEVICE_IGNORE=1\n")
    assert of(check_programs(setup), "modem manager").grade is Grade.GOOD


def test_programs_that_take_ports_concern_nobody_whose_devices_are_on_the_network(machine: Machine) -> None:
    assert list(check_programs(machine.setup("tcp://127.0.0.1:1", "rfc2217://127.0.0.1:2"))) == []


def test_a_port_that_vanishes_beside_a_braille_service_is_told(machine: Machine) -> None:
    finding = of(check_programs(machine.setup("adapter://A50285BI")), "braille displays")
    assert finding.grade is Grade.LOOK
    assert finding.do
    machine.plug("A50285BI", FTDI)
    assert "braille displays" not in {found.check for found in check_programs(machine.setup("adapter://A50285BI"))}


def test_a_modem_manager_in_the_port_is_wrong_and_another_program_may_be_the_daemon() -> None:
    assert busy_words("ModemManager (process 17)")[0] is Grade.WRONG
    assert busy_words("shoed (process 17)")[0] is Grade.LOOK
    assert busy_words(None)[0] is Grade.LOOK


def test_two_names_of_one_port_are_told(machine: Machine) -> None:
    path = machine.plug("A50285BI", FTDI)
    machine.plug("B", "usb-FTDI_FT232R_USB_UART_B-if00-port0")
    setup = machine.setup("adapter://A50285BI", FTDI, "adapter://B", "tcp://127.0.0.1:1")
    [finding] = check_shared(setup)
    assert finding.what == f"T1 shoe (adapter://A50285BI) and T2 shoe ({FTDI}) are the same port: {path}."


def test_a_moving_name_is_told_with_the_one_to_write_instead(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.plug("A50285BI", FTDI)
    monkeypatch.setattr(port_checks, "MOVING_PREFIXES", ("/dev/pts",))
    setup = machine.setup(path)
    [finding] = check_name(setup, setup.config.table[0].device[0], "T1 shoe")
    assert f'port = "{FTDI}"' in finding.do
    (machine.links / FTDI).unlink()
    [finding] = check_name(setup, setup.config.table[0].device[0], "T1 shoe")
    assert 'port = "adapter://A50285BI?interface=0"' in finding.do


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "usermod -aG dialout shoed"),
        ({"is_member": True}, "sign in again"),
        ({"is_member": True, "has_joined": True}, "DeviceAllow="),
        ({"group_may": False}, "doctor --udev"),
        ({"group": "root"}, "doctor --udev"),
    ],
)
def test_advice_on_permissions_fits_the_case(changes: dict[str, object], words: str) -> None:
    told = {"group": "dialout", "group_may": True, "account": "shoed", "is_member": False, "has_joined": False}
    assert words in judge(Access(**{**told, **changes}))  # type: ignore[arg-type]


def test_advice_looks_at_the_port_itself(tmp_path: Path) -> None:
    port = tmp_path / "port"
    port.touch(mode=0o600)
    assert "--udev" in advice_for(str(port))
    assert "--udev" in advice_for(str(tmp_path / "nothing"))


def test_rules_are_printed_for_every_kind_of_device(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.plug("A50285BI", FTDI.replace("if00", "if01"), interface=1)
    twin = machine.plug("0001", socket="1-1.3")
    machine.plug("0001", socket="1-1.4")
    nameless = machine.plug(None, socket="1-2")
    machine.setup("adapter://A50285BI", twin, nameless, "tcp://127.0.0.1:1", "adapter://none", "/dev/ttyUSB77", "adapter://0001")
    assert run(["doctor", "--config", str(machine.folder / "table.toml"), "--udev"]) == 0
    told = capsys.readouterr().out
    rules = [line for line in told.splitlines() if line and not line.startswith("#")]
    assert len(rules) == 6
    assert all(RULE.fullmatch(rule) for rule in rules)
    assert rules[0].endswith('SYMLINK+="shoed/T1-shoe", GROUP="dialout", MODE="0660", ENV{ID_MM_PORT_IGNORE}="1"')
    assert 'ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001", ATTRS{serial}=="A50285BI", ENV{ID_USB_INTERFACE_NUM}=="01"' in rules[0]
    assert 'ATTR{serial}=="A50285BI", ENV{ID_MM_DEVICE_IGNORE}="1"' in rules[1]
    assert 'KERNELS=="1-1.3", ATTRS{idVendor}' in rules[2]
    assert "serial" not in rules[2]
    assert 'KERNELS=="1-2", ' in rules[4]
    for words in (
        "T4-shoe: it is reached over",
        "T5-shoe: no adapter",
        "T6-shoe: /dev/ttyUSB77 is not plugged in",
        "T7-shoe: 2 ports",
    ):
        assert f"# {words}" in told


def test_usb_devices_are_listed_unless_they_carry_a_port_that_is(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def usb(path: str, class_code: int, *, is_root_hub: bool = False) -> UsbSeen:
        return UsbSeen(
            vendor=0x1209, product=0x5D01, serial="SN-1", name="SX-9", path=path, is_root_hub=is_root_hub, node=None, permitted=True,
            address_now="1-4", port="usb://1209:5d01/SN-1", interfaces=(UsbInterface(number=0, class_code=class_code),),
        )  # fmt: skip

    plugged = [usb("usb1", 9, is_root_hub=True), usb("1-1", 9), usb("1-1.2", 255), usb("1-1.3", 255)]
    monkeypatch.setattr(discovery, "list_usb", lambda: plugged)
    machine.plug("A50285BI", FTDI, socket="1-1.2")
    machine.setup("usb://1209:5d01/SN-1", extra="[[usb.allow]]\nvendor = 0x1209\nproduct = 0x5d01\nclasses = [0xff]\n")
    file = str(machine.folder / "table.toml")
    assert run(["ports", "--config", file, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["port"], row["device"]) for row in rows] == [(FTDI, None), ("usb://1209:5d01/SN-1", "T1 shoe")]
    assert run(["doctor", "--config", file, "--udev"]) == 0
    wanted = (
        'ATTR{idVendor}=="1209", ATTR{idProduct}=="5d01", ATTR{serial}=="SN-1", GROUP="dialout", MODE="0660", ENV{ID_MM_DEVICE_IGNORE}="1"'
    )
    assert wanted in capsys.readouterr().out

    def no_library() -> list[UsbSeen]:
        raise PortMissingError("this machine has no USB library", "install libusb 1.0")

    monkeypatch.setattr(discovery, "list_usb", no_library)
    assert run(["ports", "--config", file]) == 0
    assert "USB devices are not listed: this machine has no USB library" in capsys.readouterr().out


def test_signs_that_mean_something_to_udev_stand_for_any_sign() -> None:
    ruled = Ruled(name="T1-shoe", vendor=1, product=2, serial='A"*[$x')
    assert all('{serial}=="A????x"' in line for line in udev_rules([ruled]) if "serial" in line)


def test_rules_for_a_machine_without_its_devices_are_words_only(machine: Machine) -> None:
    assert [ruled.why_not != "" for ruled in rules_for(machine.setup("adapter://A", "nowhere"))] == [True, True]

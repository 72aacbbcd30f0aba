"""`shoed doctor` and `shoed ports`: what is plugged in, what is wrong, and what to do, as sentences and as JSON."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import shutil
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import run
from controller.journal.clock import SystemClock
from controller.journal.journal import open_journal
from controller.journal.keys import create_keys, load_keys
from controller.journal.schema import PAGE_BYTES
from controller.service import checkup, port_checks
from controller.service.checkup import examine
from controller.service.config_file import load_config
from controller.service.finding import Finding, Grade
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings


def configure(folder: Path, port: str, serial: str = "SIM-SHOE-1") -> Path:
    if not (folder / "keys.json").exists():
        create_keys(folder / "keys.json")
    file = folder / "table.toml"
    file.write_text(
        'config = 1\njournal = { path = "journal.db", key_file = "keys.json" }\n[ports]\nlinks = "links"\n'
        '[[table]]\nid = "T1"\ngame = "colorado-hold-em-poker"\nmethod = "manual-shoe"\n'
        f'[[table.device]]\nname = "shoe"\nkind = "shoe"\nport = "{port}"\nserial = "{serial}"\n'
    )
    return file


@pytest.fixture
def silent_port() -> Iterator[str]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield os.ttyname(slave)
    os.close(slave)
    os.close(master)


@pytest.fixture(autouse=True)
def quick_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.service.preflight.PROBE_S", 0.5)


def names_in(folder: Path) -> list[str]:
    """SQLite's two helper files come and go whenever somebody reads a journal."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(("-shm", "-wal")))


def of(findings: list[Finding], check: str) -> Finding:
    found = [finding for finding in findings if finding.check == check]
    assert found, [finding.check for finding in findings]
    return found[-1]


async def test_a_device_that_answers_is_told_by_name(tmp_path: Path) -> None:
    async with SimulatedDevice(SimulatedSettings(kind="shoe")) as shoe:
        findings = await examine(load_config(configure(tmp_path, shoe.url)))
        device = of(findings, "T1 shoe")
        assert device.grade is Grade.GOOD
        assert "SIM-SHOE-1" in device.what
        other = await examine(load_config(configure(tmp_path, shoe.url, serial="SN9")))
        assert of(other, "T1 shoe").grade is Grade.WRONG
        assert "SIM-SHOE-1" in of(other, "T1 shoe").what
    assert names_in(tmp_path) == ["keys.json", "table.toml"]


def test_a_silent_device_is_not_in_order_and_the_command_says_so(
    tmp_path: Path, silent_port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = configure(tmp_path, silent_port)
    assert run(["doctor", "--config", str(file)]) == 1
    told = capsys.readouterr().out
    assert f"wrong T1 shoe: Nobody answers at {silent_port}" in told
    assert "not in order" in told
    assert run(["doctor", "--config", str(file), "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["check"] for row in rows} >= {"configuration", "journal keys", "journal", "disk", "program", "clock"}
    assert all(row["do"] for row in rows if row["grade"] != "good")


async def test_a_device_that_speaks_another_protocol_is_not_called_silent(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    loop = asyncio.get_running_loop()
    loop.add_reader(master, lambda: (os.read(master, 4096), os.write(master, b"\0[Game]<Card:4S> [Game]\0")))
    try:
        findings = await examine(load_config(configure(tmp_path, os.ttyname(slave))))
    finally:
        loop.remove_reader(master)
        os.close(master)
        os.close(slave)
    assert of(findings, "T1 shoe").grade is Grade.WRONG
    assert "does not speak sdp1" in of(findings, "T1 shoe").what
    assert "shoed device identify" in of(findings, "T1 shoe").do


async def test_a_port_held_by_another_program_is_named_and_left_alone(tmp_path: Path, silent_port: str) -> None:
    fd = os.open(silent_port, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        findings = await examine(load_config(configure(tmp_path, silent_port)))
    finally:
        os.close(fd)
    assert of(findings, "T1 shoe").grade is Grade.LOOK
    assert "in use by" in of(findings, "T1 shoe").what


async def test_everything_that_can_be_wrong_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = configure(tmp_path, "/dev/ttyUSB99")
    keys = load_keys(tmp_path / "keys.json")
    open_journal(
        tmp_path / "journal.db",
        tables=["T9"],
        seal_key=keys.seal_key,
        signing_key=keys.signing_key,
        clock=SystemClock(),
    ).close()
    (tmp_path / "keys.json").chmod(0o644)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1 << 20))
    monkeypatch.setattr(port_checks, "process_names", lambda: ["init", "ModemManager"])
    monkeypatch.setattr(checkup, "CLOCK_MARKS", ())
    findings = await examine(load_config(file))
    wrong = {finding.check for finding in findings if finding.grade is Grade.WRONG}
    assert wrong >= {"journal keys", "files", "disk", "modem manager", "T1 shoe"}
    assert of(findings, "clock").grade is Grade.LOOK
    assert any("order of plugging in" in finding.what for finding in findings)
    assert all(finding.do for finding in findings if finding.grade is not Grade.GOOD)


async def test_a_damaged_journal_is_named(tmp_path: Path, silent_port: str) -> None:
    file = configure(tmp_path, silent_port)
    keys = load_keys(tmp_path / "keys.json")
    path = tmp_path / "journal.db"
    open_journal(path, tables=["T1"], seal_key=keys.seal_key, signing_key=keys.signing_key, clock=SystemClock()).close()
    before = names_in(tmp_path)
    assert of(await examine(load_config(file)), "journal").grade is Grade.GOOD
    assert names_in(tmp_path) == before
    raw = bytearray(path.read_bytes())
    raw[PAGE_BYTES : 2 * PAGE_BYTES] = bytes(PAGE_BYTES)  # the page after the first: the header's
    path.write_bytes(raw)
    assert of(await examine(load_config(file)), "journal").grade is Grade.WRONG


def test_ports_are_listed_by_names_that_stay(tmp_path: Path, silent_port: str, capsys: pytest.CaptureFixture[str]) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / "usb-ACME_SX-8_SN1-if00").symlink_to(silent_port)
    (links / "no-link").write_text("")
    assert run(["ports", "--links", str(links), "--json"]) == 0
    rows = {row["port"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    row = rows["usb-ACME_SX-8_SN1-if00"]
    assert row["path"] == silent_port
    assert row["stable"] is True
    assert row["permitted"] is True
    assert "no-link" not in rows
    assert run(["ports", "--links", str(links)]) == 0
    assert "usb-ACME_SX-8_SN1-if00" in capsys.readouterr().out
    setup = load_config(configure(tmp_path, "usb-ACME_SX-8_SN1-if00"))
    assert Path(setup.port_of(setup.config.table[0].device[0])).resolve() == Path(silent_port)


def test_ports_of_a_configuration_say_whose_they_are_and_what_is_missing(
    tmp_path: Path, silent_port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / "usb-ACME_SX-8_A50-if00").symlink_to(silent_port)
    (links / "usb-ACME_SX-8_B-if00").symlink_to(silent_port)
    file = configure(tmp_path, "adapter://A50")
    for port, wanted in [
        ("adapter://A50", {"path": silent_port, "device": "T1 shoe", "note": ""}),
        ("usb-ACME_SX-8_A50-if00", {"path": silent_port, "device": "T1 shoe", "note": ""}),
        ("adapter://A51", {"port": "adapter://A51", "path": "", "device": "T1 shoe"}),
        ("/dev/ttyUSB77", {"path": "", "device": "T1 shoe", "note": "not plugged in"}),
        ("tcp://127.0.0.1:1", {"port": "tcp://127.0.0.1:1", "device": "T1 shoe", "note": ""}),
    ]:
        configure(tmp_path, port)
        assert run(["ports", "--config", str(file), "--json"]) == 0
        rows = [row for row in map(json.loads, capsys.readouterr().out.splitlines()) if row["device"]]
        assert wanted.items() <= rows[0].items()
    configure(tmp_path, "adapter://A51")
    assert run(["ports", "--config", str(file), "--links", str(tmp_path)]) == 0
    assert "no adapter with the serial number A51" in capsys.readouterr().out


def test_a_missing_directory_of_links_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ports", "--links", str(tmp_path / "nowhere")]) == 0
    assert capsys.readouterr().out


def test_the_doctor_of_a_bad_configuration_ends_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    file.write_text("config = 1\n")
    assert run(["doctor", "--config", str(file)]) == 2
    assert "journal" in capsys.readouterr().err


def test_the_loop_of_the_doctor_ends_by_itself(tmp_path: Path, silent_port: str) -> None:
    findings = asyncio.run(examine(load_config(configure(tmp_path, silent_port))))
    assert findings[0] == Finding("configuration", Grade.GOOD, f"{tmp_path / 'table.toml'} can be used.")

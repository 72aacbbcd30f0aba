"""A daemon that cannot start tells why in one sentence with the next step, ends with code 2, and leaves no trace."""

from __future__ import annotations

import hashlib
import os
import pty
import socket
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import run
from controller.journal.clock import SystemClock
from controller.journal.journal import open_journal
from controller.journal.keys import create_keys
from controller.service import program
from controller.service.config_file import load_config
from controller.service.preflight import bind_api
from controller.service.program import digest_program

GAME = "colorado-hold-em-poker"


class Site:
    """A folder with everything that a configuration needs; `write` makes the configuration from parts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "table.toml"
        self.keys = create_keys(folder / "keys.json")
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        os.close(slave)
        self.write()

    def write(self, extra: str = "", game: str = GAME, method: str = "manual-shoe", **device: str) -> None:
        keys = {"name": "shoe", "kind": "shoe", "port": self.port, "serial": "SN1", **device}
        lines = "\n".join(f'{key} = "{value}"' for key, value in keys.items())
        self.file.write_text(
            f'config = 1\njournal = {{ path = "journal.db", key_file = "keys.json" }}\n{extra}\n'
            f'[[table]]\nid = "T1"\ngame = "{game}"\nmethod = "{method}"\n[[table.device]]\n{lines}\n'
        )

    def snapshot(self) -> dict[str, str]:
        found = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def refused(self, capsys: pytest.CaptureFixture[str]) -> str:
        before = self.snapshot()
        assert run(["run", "--config", str(self.file)]) == 2
        assert self.snapshot() == before
        told = capsys.readouterr().err
        assert str(self.file) in told or "journal" in told or "program" in told or "token" in told
        return told


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    yield made
    os.close(made.master)


@pytest.fixture(autouse=True)
def quick_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.service.preflight.PROBE_S", 0.3)


def test_a_silent_device_does_not_keep_the_daemon_from_starting(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    before = site.snapshot()
    assert run(["run", "--config", str(site.file), "--check"]) == 0
    assert "in order" in capsys.readouterr().out
    assert site.snapshot() == before


@pytest.mark.parametrize(
    ("change", "key", "code"),
    [
        ({"game": "colorado-holdem-poker"}, "table.T1.game", "unknown-game"),
        ({"method": "by-hand"}, "table.T1.method", "unknown-method"),
        ({"profile": "sdp2"}, "table.T1.device.shoe.profile", "unknown-profile"),
        ({"port": "usb://1"}, "table.T1.device.shoe.port", "port-address"),
        ({"port": "/dev/nowhere0"}, "table.T1.device.shoe.port", "port-missing"),
        ({"port": "no-such-link"}, "table.T1.device.shoe.port", "port-missing"),
        ({"port": "/dev/null"}, "table.T1.device.shoe.port", "port-missing"),
        ({"port": "tcp://127.0.0.1:1"}, "table.T1.device.shoe.port", "port-missing"),
    ],
)
def test_what_the_configuration_names_must_exist(
    site: Site, capsys: pytest.CaptureFixture[str], change: dict[str, str], key: str, code: str
) -> None:
    site.write(**change)
    told = site.refused(capsys)
    assert f": {key}: " in told
    assert f"({code})" in told


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("", "stub_count_evry"),
        ("", "stub_count_every"),
    ],
)
def test_wrong_house_settings_are_told_with_their_place(site: Site, capsys: pytest.CaptureFixture[str], extra: str, words: str) -> None:
    text = site.file.read_text()
    site.file.write_text(text.replace("[[table.device]]", f"house = {{ {words} = 99 }}\n[[table.device]]"))
    told = site.refused(capsys)
    assert ": table.T1.house: " in told
    assert words in told


def test_a_setting_of_an_impossible_kind(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    text = site.file.read_text()
    site.file.write_text(text.replace("[[table.device]]", "house = { seats = 1.5 }\n[[table.device]]"))
    assert "table.T1.house.seats" in site.refused(capsys)


def test_a_busy_port_names_who_has_it(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    import fcntl

    fd = os.open(site.port, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        told = site.refused(capsys)
    finally:
        os.close(fd)
    assert "(port-busy)" in told
    assert str(os.getpid()) in told


def test_a_journal_of_another_table(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    keys = site.keys
    open_journal(
        site.folder / "journal.db",
        tables=["T9"],
        seal_key=keys.seal_key,
        signing_key=keys.signing_key,
        clock=SystemClock(),
    ).close()
    told = site.refused(capsys)
    assert "(journal-foreign)" in told
    assert "T9" in told


def test_keys_that_are_missing(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    (site.folder / "keys.json").unlink()
    assert "(journal-key)" in site.refused(capsys)


def test_device_keys(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    text = site.file.read_text()
    site.file.write_text(text.replace('serial = "SN1"', 'serial = "SN1"\nsecurity = 1\nkey_file = "shoe.key"'))
    assert "(device-key-unreadable)" in site.refused(capsys)
    for content in ("abc", "0" * 32, "x" * 32, "é" * 32):
        (site.folder / "shoe.key").write_text(content)
        told = site.refused(capsys)
        assert "(device-key-unreadable)" in told
        assert content not in told


def test_a_taken_api_port(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        site.write(f"api = {{ port = {other.getsockname()[1]} }}")
        assert "(api-port-taken)" in site.refused(capsys)


def test_places_that_cannot_be_written(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.write('log = { file = "nowhere/log" }')
    assert "(folder-missing)" in site.refused(capsys)
    site.write('api = { port_file = "nowhere/port" }')
    assert "(folder-missing)" in site.refused(capsys)
    (site.folder / "folder").mkdir()
    site.write('api = { port_file = "folder" }')
    assert "(path-is-folder)" in site.refused(capsys)
    site.write('api = { token_file = "nowhere/token" }')
    assert "(token-not-writable)" in site.refused(capsys)


@pytest.mark.requirement("EQ-98", "T-35")
def test_a_program_that_is_not_the_pinned_one(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.write(f'service = {{ program_sha256 = "{"0" * 64}" }}')
    assert "(program-changed)" in site.refused(capsys)
    site.write(f'service = {{ program_sha256 = "{digest_program()}" }}')
    assert run(["run", "--config", str(site.file), "--check"]) == 0


@pytest.mark.requirement("T-35")
def test_a_file_that_differs_from_the_installers_record(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_files_against_record", lambda: iter(["controller/table/table.py"]))
    assert "controller/table/table.py" in site.refused(capsys)


def test_the_api_listens_on_the_port_it_was_given(site: Site) -> None:
    listener = bind_api(load_config(site.file))
    assert listener.getsockname()[0] == "127.0.0.1"
    assert listener.getsockname()[1] > 0
    listener.close()

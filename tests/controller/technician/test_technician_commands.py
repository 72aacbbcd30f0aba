"""`shoed device` against simulated devices: each command, what it tells, its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.cli.main import run
from hil.mechanism.cards import fresh_deck

Beside = Callable[..., Any]


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_who_answers_is_told_and_judged(beside: Beside, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside(serial="SN-1", firmware="2.0.1")
    assert run(["device", "identify", "--port", shoe.url, "--json"]) == 0
    told = {row["what"]: row["told"] for row in rows(capsys)}
    assert (told["serial"], told["firmware"], told["error"]) == ("SN-1", "2.0.1", "none")
    assert run(["device", "identify", "--port", shoe.url, "--firmware", "2.0.2"]) == 1
    assert "2.0.2 is expected" in capsys.readouterr().out
    assert run(["device", "identify", "--port", shoe.url, "--serial", "SN-2"]) == 1
    assert "SN-1 instead of SN-2" in capsys.readouterr().err
    shoe.do(lambda device: device.fail("camera"))
    assert run(["device", "identify", "--port", shoe.url]) == 1
    assert "its reader has failed" in capsys.readouterr().out


@pytest.mark.requirement("SDP/1 1.1")
def test_a_device_on_a_shared_line_is_named_by_its_address(beside: Beside, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside(serial="SN-7", address=7)
    assert run(["device", "identify", "--port", shoe.url, "--address", "7", "--json"]) == 0
    assert {row["what"]: row["told"] for row in rows(capsys)}["serial"] == "SN-7"
    assert run(["device", "identify", "--port", shoe.url, "--address", "200"]) == 2
    capsys.readouterr()
    assert run(["device", "identify", "--port", shoe.url, "--address", "7", "--profile", "bee-tek"]) == 2
    assert "have no address" in capsys.readouterr().err


@pytest.mark.requirement("EQ-78", "EQ-83", "EQ-84")
def test_parts_are_tried_in_diagnostic_mode_and_written_down(
    beside: Beside, diagnostic: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(serial="SN-1", sticky=(2,))
    for words in (["selftest"], ["sensors"], ["actuate", "2"]):
        assert run(["device", *words, "--port", shoe.url]) == 2
        assert "(wants-diagnosis)" in capsys.readouterr().err
    assert run(["device", "selftest", "--port", shoe.url, *diagnostic]) == 0
    assert "All 4 steps are good." in capsys.readouterr().out
    assert run(["device", "sensors", "--mask", "3", "--port", shoe.url, *diagnostic, "--json"]) == 0
    assert [row["sensor"] for row in rows(capsys)] == [1, 2]
    assert run(["device", "actuate", "2", "--most", "120", "--port", shoe.url, *diagnostic]) == 1
    shoe.do(lambda device: device.fail("motor"))
    assert run(["device", "actuate", "2", "--port", shoe.url, *diagnostic]) == 1
    assert "hardware-fault" in capsys.readouterr().err
    lines = [json.loads(line) for line in (tmp_path / "work.jsonl").read_text().splitlines()]
    assert [line["what"] for line in lines] == ["diagnosis-entered", "command", "result", "diagnosis-left"] * 4
    assert {(line["ticket"], line["by"], line["second"], line["serial"]) for line in lines} == {
        ("WO-77", "technician:T3", "supervisor:S1", "SN-1")
    }
    assert lines[-2]["result"] == "hardware-fault"
    assert (tmp_path / "work.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("EQ-79", "EQ-84")
def test_diagnostic_mode_needs_a_closed_shoe_and_a_log(
    beside: Beside, diagnostic: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside()
    shoe.do(lambda device: (device.load(fresh_deck()), device.adapter.orders.open_shoe(b"\7" * 16, 1, 0)))
    assert run(["device", "selftest", "--port", shoe.url, *diagnostic]) == 1
    assert "not-idle" in capsys.readouterr().err
    assert run(["device", "send", "signal", "lamp=1", "pattern=1", "--port", shoe.url]) == 1
    assert "its cards belong to a table" in capsys.readouterr().err
    assert run(["device", "send", "status", "--port", shoe.url]) == 0
    (tmp_path / "file").write_text("")
    assert run(["device", "selftest", "--port", shoe.url, *diagnostic[:-1], str(tmp_path / "file" / "work.jsonl")]) == 2
    assert "(work-log-not-writable)" in capsys.readouterr().err


def test_a_device_without_the_switch_denies_and_says_what_to_do(
    beside: Beside, diagnostic: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(key=bytes(range(16)))
    (key := Path(diagnostic[-1]).with_name("key")).write_text(bytes(range(16)).hex())
    words = ["--port", shoe.url, "--serial", "SIM-SHOE-1", "--key-file", str(key)]
    assert run(["device", "identify", *words]) == 0
    capsys.readouterr()
    assert run(["device", "selftest", *words, *diagnostic]) == 2
    assert "--role technician" in capsys.readouterr().err
    assert run(["device", "identify", "--port", shoe.url, "--key-file", str(key)]) == 2
    assert "(wants-serial)" in capsys.readouterr().err


def test_a_technicians_own_key_opens_a_technicians_session(beside: Beside, diagnostic: list[str]) -> None:
    shoe = beside(technician_key=bytes(range(1, 17)))
    (key := Path(diagnostic[-1]).with_name("key")).write_text(bytes(range(1, 17)).hex())
    words = ["--port", shoe.url, "--serial", "SIM-SHOE-1", "--key-file", str(key), "--role", "technician"]
    assert run(["device", "selftest", *words, *diagnostic]) == 0


@pytest.mark.requirement("EQ-82")
def test_the_card_under_the_reader_is_shown_in_diagnostic_mode_only(
    beside: Beside, diagnostic: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside()
    shoe.do(lambda device: device.load(fresh_deck()))
    code = f"{fresh_deck()[0].face.code:02X}"  # type: ignore[union-attr]
    words = ["device", "send", "read_raw", "position=0", "--port", shoe.url]
    assert run([*words, "--show-cards"]) == 2
    assert run([*words, *diagnostic, "--json"]) == 0
    assert [row["code_raw"] for row in rows(capsys)] == ["(hidden)"]
    assert run([*words, *diagnostic, "--show-cards", "--json"]) == 0
    assert [row["code_raw"] for row in rows(capsys)] == [code]
    written = [json.loads(line) for line in Path(diagnostic[-1]).read_text().splitlines()]
    assert [line["fields"]["code_raw"] for line in written if line["what"] == "result"] == ["(hidden)"] * 2


def test_counters_judge_the_reader(beside: Beside, capsys: pytest.CaptureFixture[str]) -> None:
    weak = beside(serial="A", past={"cards": 1000, "misreads": 6})
    assert run(["device", "counters", "--port", weak.url]) == 1
    assert "6 of 1000 cards were not read" in capsys.readouterr().out
    good = beside(serial="B", past={"cards": 1000, "misreads": 5})
    assert run(["device", "counters", "--port", good.url]) == 0
    young = beside(serial="C", past={"cards": 100, "misreads": 3})
    assert run(["device", "counters", "--port", young.url]) == 0


def test_the_log_is_fetched_whole_into_a_new_file(beside: Beside, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside()
    shoe.do(lambda device: [device.adapter.note(f"line {number}", 1.0) for number in range(60)])
    file = tmp_path / "device.log"
    assert run(["device", "log", str(file), "--port", shoe.url]) == 0
    assert "every piece proved" in capsys.readouterr().out
    assert "line 59\n" in file.read_text()
    assert run(["device", "log", str(file), "--port", shoe.url]) == 2
    assert "(file-not-writable)" in capsys.readouterr().err


def test_a_good_line_is_good_and_a_spoiled_one_is_not(beside: Beside, capsys: pytest.CaptureFixture[str]) -> None:
    good = beside(serial="A")
    assert run(["device", "linetest", "--tries", "20", "--port", good.url, "--json"]) == 0
    [told] = rows(capsys)
    assert (told["answered"], told["verdict"], told["damaged_here"], told["losses"]) == (20, "good", 0, 0)
    assert told["p50_ms"] <= told["p99_ms"] <= told["max_ms"]
    spoiled = beside(serial="B", faults=("flip:0.1",), seed=3)
    assert run(["device", "linetest", "--tries", "20", "--port", spoiled.url, "--json"]) == 1
    [told] = rows(capsys)
    assert told["verdict"] == "bad"
    assert told["damaged_here"] + told["damaged_there"] + told["retries"] > 0


def test_another_rate_is_found(beside: Beside, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.technician.identity.CONNECT_S", 0.3)  # nobody answers at the usual rate, however long one waits
    slow = beside(baud=9600)
    assert run(["device", "identify", "--port", slow.url, "--find-baud", "--json"]) == 0
    assert rows(capsys)[-1] == {"baud": 9600, "setting": "9600 8N1", "answer": "answers"}
    assert run(["device", "identify", "--port", slow.url, "--baud", "9600"]) == 0
    capsys.readouterr()
    assert run(["device", "identify", "--port", slow.url]) == 1
    assert "It speaks at 9600 8N1, not at 115200 8N1." in capsys.readouterr().out
    assert run(["device", "linetest", "--tries", "3", "--port", slow.url, "--search"]) == 0
    told = capsys.readouterr()
    assert "The line is good: 3 of 3 answers" in told.out
    assert "The device speaks at 9600 8N1, which is not usual for its profile." in told.err


def test_a_line_that_is_set_otherwise_is_searched_by_the_monitor(
    beside: Beside, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.technician.identity.CONNECT_S", 0.3)
    monkeypatch.setattr("controller.cli.device.LINE_CONNECT_S", 0.3)
    slow = beside(baud=9600)
    assert run(["device", "linetest", "--port", slow.url]) == 1
    assert "`shoed device identify --find-baud` tries other rates" in capsys.readouterr().err
    assert run(["device", "monitor", "--port", slow.url, "--seconds", "0.2"]) == 0
    told = capsys.readouterr().err
    assert "Nothing came at all." in told
    assert "crosses its two wires" in told
    assert run(["device", "monitor", "--port", slow.url, "--seconds", "2", "--search"]) == 0
    told = capsys.readouterr()
    assert "RSTACK" in told.out.upper()
    assert "Nothing came" not in told.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["identify"], "wants-port"),
        (["identify", "--at", "T1/shoe"], "wants-port"),
        (["identify", "--port", "tcp://127.0.0.1:1", "--profile", "sdp2"], "no-such-profile"),
        (["monitor", "--port", "tcp://127.0.0.1:1", "--events"], "wants-capture"),
        (["monitor", "--port", "tcp://127.0.0.1:1", "--message", "card_red"], "no-such-message"),
        (["monitor", "--port", "tcp://127.0.0.1:1", "--show-cards"], "wants-diagnosis"),
        (["identify", "--port", "tcp://127.0.0.1:1"], "port-missing"),
    ],
)
def test_what_cannot_be_done_is_told(words: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["device", *words]) == 2
    assert f"({code})" in capsys.readouterr().err


def test_the_shell_completes_commands_and_fields() -> None:
    from click.shell_completion import ShellComplete

    from controller.cli.device import command

    complete = ShellComplete(command, {}, "shoed device", "_SHOED_COMPLETE")
    assert [item.value for item in complete.get_completions(["send"], "gat")] == ["gate"]
    assert [item.value for item in complete.get_completions(["send", "gate"], "ord")] == ["order=unlock", "order=lock"]
    assert [item.value for item in complete.get_completions(["send", "--profile"], "angel")] == ["angel-eye-ii-ex"]
    assert "card_read" in [item.value for item in complete.get_completions(["monitor", "--message"], "card")]


def test_a_device_that_only_speaks_is_listened_to(capsys: pytest.CaptureFixture[str]) -> None:
    import os
    import threading
    import tty

    from device_profiles.plain.loader import load_plain

    master, slave = os.openpty()
    tty.setraw(slave)
    words = ["--port", os.ttyname(slave), "--profile", "bee-tek"]
    vector = next(vector for vector in load_plain("bee-tek").vectors if vector.card not in (None, "?"))
    over = threading.Event()

    def speak() -> None:
        while not over.wait(0.1):
            os.write(master, vector.wire_bytes())

    speaker = threading.Thread(target=speak)
    try:
        assert run(["device", "identify", *words]) == 0
        assert "Such a device cannot be asked" in capsys.readouterr().out
        speaker.start()
        assert run(["device", "monitor", *words, "--seconds", "0.6", "--json"]) == 0
        seen = [line for line in rows(capsys) if "message" in line]
        assert {(line["message"], line["hex"], line["fields"]["card"]) for line in seen} == {(vector.message, "··", "(hidden card)")}
    finally:
        over.set()
        speaker.join()
        os.close(master)
        os.close(slave)
    assert run(["device", "counters", "--port", "tcp://127.0.0.1:1", "--profile", "bee-tek"]) == 2

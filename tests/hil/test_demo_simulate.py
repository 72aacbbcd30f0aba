"""`shoed simulate`: a device on a port for anyone, which ends with its parent."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.main import run

COMMAND = [sys.executable, "-c", "from controller.cli.main import main; main()", "simulate", "--json"]


def test_it_prints_its_port_and_ends_when_its_input_ends(tmp_path: Path) -> None:
    arguments = [*COMMAND, "--serial", "SIM-7", "--link", str(tmp_path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        row = json.loads(process.stdout.readline())
        assert (row["kind"], row["serial"], row["profile"]) == ("shoe", "SIM-7", "sdp1")
        assert Path(row["port"]) == tmp_path / "SIM-7"
        assert (tmp_path / "SIM-7").exists()
        process.stdin.write("jam\n")
        process.stdin.flush()
        states = [json.loads(process.stdout.readline())["state"]]
        while states[-1] != "error":
            states.append(json.loads(process.stdout.readline())["state"])
        process.stdin.close()
        assert process.wait(10) == 0
    assert not (tmp_path / "SIM-7").exists()


def test_it_listens_on_tcp() -> None:
    arguments = [*COMMAND, "--tcp", "127.0.0.1:0", "--kind", "shuffler"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        host, port = json.loads(process.stdout.readline())["port"].removeprefix("tcp://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as line:
            line.sendall(bytes.fromhex("00 02 60 01 07 01 01 04 F0 DF 74 00"))  # F01 of SDP/1 1.11: RST
            assert b"\x80" in line.recv(64)  # an RSTACK, COBS-coded: its control byte is no zero
        process.stdin.close()
        assert process.wait(10) == 0


@pytest.mark.parametrize(
    "arguments",
    [["--profile", "sdp2"], ["--fault", "jamm"], ["--key", "xy"], ["--tcp", "here"], ["--tcp", "127.0.0.1:99999"]],
)
def test_bad_input_is_a_sentence(arguments: list[str]) -> None:
    assert run(["simulate", *arguments]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--speed", "nan"],
        ["demo", "--slips", "nan"],
        ["simulate", "--draw-every", "nan"],
        ["device", "monitor", "--port", "x", "--seconds", "nan"],
        ["demo", "--keep", "{file}"],
        ["demo", "--keep", "{file}/below"],
        ["demo", "--fault", "dropp"],
    ],
)
def test_odd_options_are_told_in_whole_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    (tmp_path / "file").touch()
    assert run([word.format(file=tmp_path / "file") for word in arguments]) == 2
    told = capsys.readouterr().err
    assert ".." not in told.replace("0.1<=x<=", "")
    assert "?." not in told

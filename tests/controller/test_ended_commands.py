"""A command that is ended from outside puts away what it had made, and its end tells by which signal."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

COMMAND = """
import signal
from controller.cli import main

def run():
    try:
        print("on", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        print("away", flush=True)
    return 130

main.run = run
main.main()
"""
PATIENCE_S = 60.0


def ended_by(number: signal.Signals, prefix: str = "") -> tuple[int, str]:
    """How the command ends, and what it says, when this signal comes."""
    words = [sys.executable, "-c", prefix + COMMAND]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "on\n"
            process.send_signal(number)
            if prefix:
                process.terminate()
            said = process.stdout.read()
            return process.wait(PATIENCE_S), said
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_sigterm_and_a_closed_terminal_put_everything_away(number: signal.Signals) -> None:
    assert ended_by(number) == (-number, "away\n")


def test_a_command_that_shall_survive_its_terminal_does() -> None:
    ignoring = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    assert ended_by(signal.SIGHUP, ignoring) == (-signal.SIGTERM, "away\n")

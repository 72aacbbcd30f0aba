"""A demonstration that is ended leaves nothing behind: neither a folder nor a daemon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

DEMO = [sys.executable, "-c", "from controller.cli.main import main; main()", "demo", "--rounds", "1000", "--speed", "1"]
PATIENCE_S = 60.0
"""A daemon looks every second whether its starter is there, and ends in less; this is a machine that a whole suite keeps busy."""


@contextmanager
def demonstration(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """One that has begun to deal; its folders are made below `folder`."""
    with subprocess.Popen(DEMO, env={**os.environ, "TMPDIR": str(folder)}, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            while "wager" not in process.stdout.readline():
                assert process.poll() is None
            assert daemons(folder)
            yield process
        finally:
            process.kill()


def daemons(folder: Path) -> list[str]:
    """The processes whose configuration lies below `folder`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue  # it has ended meanwhile
        if any(word.startswith(f"{folder}/") for word in words):
            found.append(entry.name)
    return found


def until(there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_sigterm_puts_everything_away(tmp_path: Path) -> None:
    with demonstration(tmp_path) as process:
        process.terminate()
        assert process.wait(PATIENCE_S) == -signal.SIGTERM
        assert not daemons(tmp_path)
    assert not list(tmp_path.glob("shoed-*"))


def test_a_daemon_ends_by_itself_when_its_demonstration_was_killed(tmp_path: Path) -> None:
    with demonstration(tmp_path) as process:
        process.kill()
        until(lambda: not daemons(tmp_path))

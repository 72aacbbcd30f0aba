"""Runs `shoed` without starting it anew: one process that has imported the whole program forks a process for each command.

A command has everything that it has from a shell: a process, a directory, an environment, an output of its own, no input, an exit code.
What it does not have is the half second of importing, which for a hundred commands is most of what they cost. Not for what is found by its
command line (a running daemon is), and not for an environment that changes what is imported.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from multiprocessing.context import ForkServerContext
from pathlib import Path

from controller.cli import main as cli

WHEN_CALLED = (
    "controller.games",
    "controller.scenario.direct",
    "controller.service.checkup",
    "controller.service.daemon",
    "hil.demo.demo",
    "hil.demo.simulate",
    "hil.demo.simulate_plain",
)
"""What commands import only when they are called."""


@cache
def _warm() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    commands = {entry.module for entry in entry_points(group=cli.ENTRY_POINT_GROUP)}
    context.set_forkserver_preload([__name__, *sorted(commands), *WHEN_CALLED])
    return context


class WarmCommand:
    """A running command; the caller waits for its end, or kills it."""

    def __init__(self, words: list[str], folder: Path, environment: Mapping[str, str], output: Path) -> None:
        """Start `shoed` with these words; what it tells goes to `output`, a file or a named pipe."""
        self._process = _warm().Process(target=_run, args=(words, folder, dict(environment), output))
        self._process.start()

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, that of a signal below zero. Raises TimeoutError."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise TimeoutError("the command did not end")
        return self._process.exitcode


def _run(words: list[str], folder: Path, environment: Mapping[str, str], output: Path) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for opened, descriptor in ((os.open(os.devnull, os.O_RDONLY), 0), (os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)):
        os.dup2(opened, descriptor)
        os.close(opened)
    os.dup2(1, 2)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")  # multiprocessing has given it another
    sys.exit(cli.run(words))

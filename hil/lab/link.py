"""The host's end of the line into the guest: one question at a time, answered by `hil.lab.guest`."""

from __future__ import annotations

import base64
import json
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hil.lab.packages import LabError

ANSWER_S: Final = 60.0
"""Beside the time that the guest itself is given: an emulated machine on a loaded host is slow."""
RUN_S: Final = 120.0


class Done(msgspec.Struct, frozen=True):
    """How a program ended."""

    code: int
    out: str
    err: str


class GuestLink:
    """One guest; for one thread."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waiting = b""
        self._last = 0

    def run(self, command: Sequence[str], timeout_s: float = RUN_S) -> Done:
        """Run a program in the guest to its end."""
        told = self._ask({"do": "run", "command": list(command), "timeout_s": timeout_s}, timeout_s)
        return msgspec.convert({key: told[key] for key in ("code", "out", "err")}, Done)

    def python(self, script: str, *arguments: str, timeout_s: float = RUN_S) -> str:
        """Run a script with our own Python in the guest and return what it printed.

        Raises:
            LabError: it failed.
        """
        done = self.run([sys.executable, "-c", script, *arguments], timeout_s)
        if done.code != 0:
            raise LabError("lab-script-failed", f"A script in the guest failed: {done.err.strip()[-1500:]}", "Look at what it says.")
        return done.out

    def start(self, command: Sequence[str], log: str) -> int:
        """Start a program in the guest and return its number."""
        return int(str(self._ask({"do": "start", "command": list(command), "log": log})["pid"]))

    def stop(self, pid: int, by: signal.Signals = signal.SIGTERM) -> int | None:
        """End a program that was started; return its code, None when it had to be killed."""
        code = self._ask({"do": "stop", "pid": pid, "signal": int(by)})["code"]
        return code if isinstance(code, int) else None

    def read(self, path: str) -> bytes:
        """Return what a file of the guest holds.

        Raises:
            LabError: it cannot be read.
        """
        return base64.b64decode(str(self._ask({"do": "read", "path": path})["content"]))

    def write(self, path: str, content: bytes) -> None:
        """Write a file of the guest, its folders too."""
        self._ask({"do": "write", "path": path, "content": base64.b64encode(content).decode()})

    def relay(self, outside: int, inside: int) -> None:
        """Lead a port of the guest to one of its loopback; what led there before does no more."""
        self._ask({"do": "relay", "outside": outside, "inside": inside})

    def close(self) -> None:
        """Let the guest go: it switches itself off."""
        self._line.close()

    def _ask(self, asked: Mapping[str, object], more_s: float = 0.0) -> Mapping[str, object]:
        self._last += 1
        self._line.settimeout(ANSWER_S + more_s)
        try:
            self._line.sendall(json.dumps({"id": self._last, **asked}).encode() + b"\n")
            while b"\n" not in self._waiting:
                chunk = self._line.recv(1 << 20)
                if not chunk:
                    raise LabError("lab-gone", "The guest is gone.", "Look at its console.")
                self._waiting += chunk
        except OSError as error:
            raise LabError("lab-silent", f"The guest does not answer: {error}.", "Look at its console.") from error
        line, self._waiting = self._waiting.split(b"\n", 1)
        told = json.loads(line)
        if told.get("id") != self._last or "failed" in told:
            raise LabError("lab-failed", f"The guest could not {asked['do']}: {told.get('failed', 'it mixed up its answers')}.", "See why.")
        return told if isinstance(told, dict) else {}

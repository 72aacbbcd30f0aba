"""QEMU's machine protocol: one JSON object a line, a greeting first, then commands with numbers, answers and events in between.

Only what the lab needs: one caller, one command at a time, events kept until somebody asks for them.
"""

from __future__ import annotations

import json
import socket
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hil.lab.packages import LabError

ANSWER_S: Final = 30.0
"""QEMU answers at once; an emulated machine on a loaded host may take a second."""
EVENTS_MAX: Final = 1_000
"""A machine that is left alone says a few events in its life."""


class Monitor:
    """One connection to a machine's monitor."""

    def __init__(self, path: Path) -> None:
        """Connect to the monitor's socket and leave the negotiation.

        Raises:
            LabError: nobody answers there.
        """
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._line.settimeout(ANSWER_S)
        self._waiting = b""
        self._events: deque[Mapping[str, object]] = deque(maxlen=EVENTS_MAX)
        try:
            self._line.connect(str(path))
        except OSError as error:
            self._line.close()
            raise LabError("lab-no-monitor", f"QEMU's monitor cannot be reached: {error}.", "Look at the machine's log.") from error
        self._read()
        self.command("qmp_capabilities")

    def command(self, name: str, **arguments: object) -> object:
        """Let the machine do something and return its answer. Underscores of an argument's name stand for dashes.

        Raises:
            LabError: it refused or did not answer.
        """
        asked = {"execute": name, "arguments": {key.replace("_", "-"): value for key, value in arguments.items()}}
        try:
            self._line.sendall(json.dumps(asked).encode() + b"\n")
        except OSError as error:
            raise LabError("lab-monitor-silent", f"QEMU takes no command: {error}.", "Look at the machine's log.") from error
        while True:
            told = self._read()
            if "event" in told:
                self._events.append(told)
            elif "error" in told:
                raise LabError("lab-refused", f"QEMU refused {name}: {told['error']}.", "Look at the machine's log.")
            else:
                return told.get("return")

    def wait_event(self, name: str, device: str, within_s: float = ANSWER_S) -> None:
        """Wait until this event of this device came.

        Raises:
            LabError: it did not come in time.
        """
        deadline = time.monotonic() + within_s
        while True:
            for told in list(self._events):
                if told.get("event") == name and _device_of(told) == device:
                    self._events.remove(told)
                    return
            if time.monotonic() > deadline:
                raise LabError("lab-no-event", f"QEMU told no {name} of {device}.", "Look at the machine's log.")
            told = self._read()
            if "event" in told:
                self._events.append(told)

    def close(self) -> None:
        self._line.close()

    def _read(self) -> Mapping[str, object]:
        while b"\n" not in self._waiting:
            try:
                chunk = self._line.recv(65536)
            except OSError as error:
                raise LabError("lab-monitor-silent", f"QEMU does not answer: {error}.", "Look at the machine's log.") from error
            if not chunk:
                raise LabError("lab-ended", "QEMU has ended.", "Look at the machine's log.")
            self._waiting += chunk
        line, self._waiting = self._waiting.split(b"\n", 1)
        told = json.loads(line)
        if not isinstance(told, dict):
            raise LabError("lab-monitor-odd", "QEMU said something that is no object.", "Look at the machine's log.")
        return told


def _device_of(told: Mapping[str, object]) -> object:
    data = told.get("data")
    return data.get("device") if isinstance(data, dict) else None

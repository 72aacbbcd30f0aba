"""The technicians' own log: who did what to which device, for which work order, and what came of it (EQ-84).

One JSON object a line, appended and on disk before the command goes out; the result follows in a line of its own. It holds no card.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from controller.technician.errors import TechnicianError
from controller.technician.values import plain_value


def usual_path() -> Path:
    """Return where the log is kept when nobody says otherwise."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "shoed" / "work.jsonl"


class WorkLog:
    """One file; every line is durable when `write` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, happening: str, **details: object) -> None:
        """Append one line.

        Raises:
            TechnicianError: it cannot be written, so nothing may be done.
        """
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "what": happening, **_plain(details)}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            number = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(number, msgspec.json.encode(line) + b"\n")
                os.fsync(number)
            finally:
                os.close(number)
        except OSError as error:
            raise TechnicianError(
                "work-log-not-writable",
                f"The log of the technicians' work, {self._path}, cannot be written: {error.strerror}.",
                "Name another file with --work-log.",
            ) from error


def _plain(details: Mapping[str, object]) -> dict[str, object]:
    return {name: plain_value(value) for name, value in details.items()}

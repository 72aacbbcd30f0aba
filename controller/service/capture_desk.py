"""The captures of all lines of a daemon: begun with it where the configuration says so, switched by technicians, ended with it.

Who switches is in the journal before it is done (EQ-84). A line that is not sealed tells cards, so a second person of the house is named
for it. A capture that cannot be written is told in the log once, and the lines never wait for one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from controller.journal.journal import Journal
from controller.service.capturing import GOODBYE_S, CaptureState, LineCapture
from controller.service.errors import RequestError
from controller.service.lifecycle import draft_capture
from controller.service.logs import Logger
from controller.service.table_task import TableTask
from controller.table.acts import By
from controller.table.parse import parse_by

HOUSE: Final = ("supervisor", "dealer")
_KEYS: Final = frozenset({"on", "by", "second"})


class CapturedLine(msgspec.Struct, frozen=True):
    """One device's capture, and whether its line is sealed."""

    capture: LineCapture
    is_sealed: bool


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """What a technician wants, and who is with him."""

    on: bool
    by: By
    second: By | None = None


class CaptureDesk:
    """All captures by table and device; lives on the daemon's loop."""

    def __init__(self, lines: Mapping[tuple[str, str], CapturedLine], journal: Journal, logger: Logger) -> None:
        self._lines, self._journal, self._logger = lines, journal, logger
        self._told: dict[tuple[str, str], str] = {}

    def begin(self) -> None:
        """Switch those on that the configuration wants on."""
        for line in self._lines.values():
            if line.capture.starts_on:
                line.capture.switch_on()

    def state(self, table: str, device: str) -> CaptureState:
        """Return how a device's capture stands."""
        return self._lines[table, device].capture.state()

    def states(self) -> Iterator[tuple[str, str, CaptureState]]:
        """Return all of them, with table and device."""
        for (table, device), line in self._lines.items():
            yield table, device, line.capture.state()

    async def switch(self, task: TableTask, device: str, wanted: Switch) -> CaptureState:
        """Note it in the journal, then switch; switched on again, a new file is begun.

        Raises:
            RequestError: the persons do not suffice.
            JournalError: it cannot be noted, so nothing is switched.
        """
        line = self._lines[task.id, device]
        if not line.is_sealed and wanted.on:
            verify_second(wanted)
        second = "" if wanted.second is None else str(wanted.second)
        await self._journal.append(draft_capture(task.engine, task.state, device, on=wanted.on, by=str(wanted.by), second=second))
        self._logger.warning("capture-switched", table=task.id, device=device, on=wanted.on, by=str(wanted.by), second=second)
        if wanted.on:
            line.capture.switch_on()
        else:
            line.capture.switch_off()
        return line.capture.state()

    def look(self) -> None:
        """Tell in the log what keeps a capture from being written, once for each trouble."""
        for key, line in self._lines.items():
            trouble = line.capture.state().trouble
            if trouble != self._told.get(key, ""):
                self._told[key] = trouble
                table, device = key
                self._logger.warning("capture-trouble", table=table, device=device, trouble=trouble or "none: it is written again")

    def close(self) -> None:
        """End all; what waits to be written gets a moment, all together."""
        runs = [run for line in self._lines.values() if (run := line.capture.switch_off()) is not None]
        until_s = time.monotonic() + GOODBYE_S
        for run in runs:
            run.wait(max(0.0, until_s - time.monotonic()))


def read_switch(body: object) -> Switch:
    """Return what a request's body wants.

    Raises:
        RequestError: it wants nothing that can be done.
    """
    if not isinstance(body, dict) or not {"on", "by"} <= body.keys() <= _KEYS or not isinstance(body["on"], bool):
        do = 'Send {"on": true, "by": "technician:T3", "second": "supervisor:S1"}.'
        raise RequestError("bad-switch", "This switches no capture.", do)
    by = parse_by(body["by"])
    if by.role != "technician" or not by.name:
        raise RequestError("wants-technician", f"{by} is no technician with a name.", "Name who works: technician:NAME.", "by")
    return Switch(on=body["on"], by=by, second=parse_by(body["second"], "second") if "second" in body else None)


def verify_second(wanted: Switch) -> None:
    """Check that a second person of the house is named: an open line tells cards.

    Raises:
        RequestError: nobody is, or the same person.
    """
    second = wanted.second
    if second is None or second.role not in HOUSE or not second.name or second.name == wanted.by.name:
        what = "This line is not sealed, so its capture tells cards; a second person of the house is wanted for it."
        raise RequestError("wants-second-person", what, "Name another person: supervisor:NAME.", "second")

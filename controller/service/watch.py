"""Looks at the daemon once a second: does the wall clock run with the machine's, and does every table live?

A sign of life goes to the service manager only while no table holds one act for too long, so that a daemon that hangs
is started anew. Times are passed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.service.inbox import Noticed
from controller.service.logs import Logger
from controller.service.metrics import Metrics
from controller.service.notify import Notifier
from controller.service.table_task import TableTask

TABLE_HANG_S: Final = 5.0
"""One act takes milliseconds; a table that holds one for this long does not live, and the watchdog may end us."""

CLOCK_STEP_MS: Final = 1_000
"""EQ-93: within a second of the surveillance clock."""

HOST: Final = "host"
"""Who tells of the clock: this machine, as if it were a device of the table."""

WATCH_S: Final = 1.0
"""How often is looked when the service manager asks for no quicker pace."""


class Watch:
    """Remembers how far the wall clock was from the monotonic one. `offset_ms` is wall minus monotonic time."""

    def __init__(self, tables: Mapping[str, TableTask], notifier: Notifier, metrics: Metrics, logger: Logger) -> None:
        self._tables = tables
        self._notifier = notifier
        self._metrics = metrics
        self._logger = logger
        self._offset_ms: int | None = None

    @property
    def pace_s(self) -> float:
        """Seconds between two looks."""
        return min(WATCH_S, self._notifier.interval_s or WATCH_S)

    def look(self, now_s: float, offset_ms: int) -> None:
        """Look once, and tell what is not well."""
        self._look_at_clock(offset_ms)
        hanging = [name for name, table in self._tables.items() if table.busy_since is not None and now_s - table.busy_since > TABLE_HANG_S]
        if hanging:
            self._logger.error("table-hangs", tables=hanging)
        else:
            self._notifier.alive()

    def _look_at_clock(self, offset_ms: int) -> None:
        before, self._offset_ms = self._offset_ms, offset_ms
        if before is None:
            return
        if abs(offset_ms - before) <= CLOCK_STEP_MS:
            self._offset_ms = before  # so that many small steps in one direction are told too
            return
        self._metrics.add("shoed_clock_steps_total")
        self._logger.warning("clock-stepped", by_ms=offset_ms - before)
        for table in self._tables.values():
            table.tell(Noticed(HOST, "clock-stepped", f"by {offset_ms - before} ms"))

"""The watch: steps of the clock are told, and a table that hangs ends the signs of life."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.service.inbox import Noticed
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.notify import Notifier
from controller.service.watch import Watch


class Bench:
    def __init__(self, folder: Path) -> None:
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(folder / "notify"))
        self.manager.setblocking(False)
        self.log = LogFile(folder / "log")
        self.folder = folder
        self.metrics = Metrics()
        self.told: list[Noticed] = []
        self.table = SimpleNamespace(busy_since=None, tell=self.told.append)
        tables: Any = {"T1": self.table}
        notifier = Notifier({"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "1500000"})
        self.watch = Watch(tables, notifier, self.metrics, make_logger(self.log, "info", pretty=False))

    def signs(self) -> int:
        count = 0
        while True:
            try:
                count += self.manager.recv(100) == b"WATCHDOG=1"
            except BlockingIOError:
                return count

    def events(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def close(self) -> None:
        self.manager.close()
        self.log.close()


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    made = Bench(tmp_path)
    yield made
    made.close()


@pytest.mark.requirement("EQ-93")
def test_steps_of_the_wall_clock_are_told_and_drift_too(bench: Bench) -> None:
    for offset_ms in (0, 400, 900, 1100, 1200, -5000):
        bench.watch.look(0.0, offset_ms)
    assert [event["by_ms"] for event in bench.events()] == [1100, -6100]
    assert "shoed_clock_steps_total 2" in bench.metrics.render()
    assert bench.told == [Noticed("host", "clock-stepped", "by 1100 ms"), Noticed("host", "clock-stepped", "by -6100 ms")]


def test_a_table_that_hangs_ends_the_signs_of_life(bench: Bench) -> None:
    assert bench.watch.pace_s == 0.5
    bench.watch.look(100.0, 0)
    bench.table.busy_since = 100.0
    bench.watch.look(104.0, 0)
    assert bench.signs() == 2
    bench.watch.look(106.0, 0)
    assert bench.signs() == 0
    assert [event["event"] for event in bench.events()] == ["table-hangs"]
    bench.table.busy_since = None
    bench.watch.look(107.0, 0)
    assert bench.signs() == 1

"""P11: a debug line that the level filters out against one that is written."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.service.logs import LogFile, make_logger
from hil.bench.measure import Goal, at_most, in_turn

REPEATS = 2_000


def measure_filtered_line() -> Goal:
    """Seconds per filtered-out line and per written line, with the fields that a card's line would have."""
    with TemporaryDirectory() as folder:
        file = LogFile(Path(folder) / "log")
        quiet, loud = make_logger(file, "info", pretty=False), make_logger(file, "debug", pretty=False)

        def filtered_out() -> float:
            started = time.perf_counter()
            for number in range(REPEATS):
                quiet.debug("entry", table="t1", entry=number, act="card")
            return (time.perf_counter() - started) / REPEATS

        def written() -> float:
            started = time.perf_counter()
            for number in range(REPEATS):
                loud.debug("entry", table="t1", entry=number, act="card")
            return (time.perf_counter() - started) / REPEATS

        return at_most("P11", "filtered-out debug line / written line", *in_turn(filtered_out, written), limit=0.1)

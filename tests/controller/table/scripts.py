"""Short scripts that several tests of the deck share: a ready table, a round up to its first card, and its end by a void."""

from __future__ import annotations

import random

from controller.dealing.settings import Plain
from controller.table import acts as a
from controller.table.outcome import Outcome
from tests.controller.table.bench import Bench, procedure_of

COLORADO, FAST = "colorado-hold-em-poker", "fast-action-hold-em"


def table(game: str = COLORADO, method: str = "hand", **house: Plain) -> Bench:
    bench = Bench(procedure_of(game, method, house), random.Random(9))
    bench.ready()
    return bench


def begin(bench: Bench, seats: tuple[int, ...] = (1, 2)) -> Outcome:
    """Up to the first card."""
    outcome = bench.wagered(*seats)
    return bench.put(a.Start(seat=1)) if "start" in outcome.next else outcome


def end_round(bench: Bench) -> Outcome:
    """Void and collect what is on the table."""
    bench.put(a.Report(what="device-malfunction"))
    if bench.view().state == "suspended":
        bench.resolve("void")
    return bench.put(a.Collect())

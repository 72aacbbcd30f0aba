"""`make bench`: measures every goal, prints one line of JSON each, and writes the table of docs/reference/performance.md.

Words on the command line choose goals (`P1 P9`); without any, all are measured. Only a run of all goals writes the table.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from controller.cli.output import write_json
from hil.bench.capacity_bench import measure_capacity
from hil.bench.flood_bench import measure_absence, measure_isolation
from hil.bench.frame_bench import measure_decode
from hil.bench.games_bench import measure_games
from hil.bench.growth_bench import measure_tables
from hil.bench.hands_bench import measure_evaluation
from hil.bench.journal_bench import (
    measure_acknowledgement,
    measure_group_commit,
    measure_grown_journal,
    measure_slow_disk,
    measure_start_up,
)
from hil.bench.line_bench import measure_journaled_round_trip, measure_round_trips
from hil.bench.log_bench import measure_filtered_line
from hil.bench.measure import Goal
from hil.bench.table_bench import measure_rounds, measure_verdict

PAGE: Final = Path("docs/reference/performance.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

MEASURES: Final[tuple[tuple[str, Callable[[], Goal | list[Goal]]], ...]] = (
    ("P1", measure_verdict),
    ("P2", measure_round_trips),
    ("P3", measure_acknowledgement),
    ("P4", measure_journaled_round_trip),
    ("P5", measure_group_commit),
    ("P6", measure_slow_disk),
    ("P7", measure_start_up),
    ("P8", measure_decode),
    ("P9", measure_rounds),
    ("P10", measure_capacity),
    ("round", measure_games),
    ("P11", measure_filtered_line),
    ("P13", measure_evaluation),
    ("P14", measure_tables),
    ("P14", measure_grown_journal),
    ("flood", measure_isolation),
    ("CPU", measure_absence),
)


def measure(chosen: frozenset[str]) -> Iterator[Goal]:
    """Measure the chosen goals (all when none is named), one after the other.

    What an earlier one has left is set aside for the garbage collector, as the daemon sets its program aside: neither side of a later one
    pays for looking through it.
    """
    for name, run in MEASURES:
        if not chosen or name in chosen:
            gc.collect()
            gc.freeze()
            found = run()
            yield from found if isinstance(found, list) else [found]


def write_table(goals: list[Goal], page: Path) -> None:
    """Put the measured goals into the page, between its two marks."""
    rows = ["| goal | measured | ratio | wanted | met |", "|---|---|---|---|---|"]
    rows += [f"| {g['goal']} | {g['what']} | {g['ratio']:.2f} | {g['limit']:g} | {'yes' if g['ok'] else 'no'} |" for g in goals]
    text = page.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(f"{head}{BEGIN}\n\n" + "\n".join(rows) + f"\n\n{END}{tail}", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Print each goal as it is measured; 0 whatever they say, since a ratio is a finding and no verdict."""
    chosen = frozenset(arguments)
    unknown = chosen - {name for name, _ in MEASURES}
    if unknown:
        sys.stderr.write(f"There is no goal {', '.join(sorted(unknown))}.\n")
        return 2
    goals = []
    for goal in measure(chosen):
        write_json(goal)
        goals.append(goal)
    if not chosen and PAGE.exists():
        write_table(goals, PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

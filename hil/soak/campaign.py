"""Runs of trouble over several games, dealing methods and kinds of session in turn, each with its account at the end.

Trouble that strikes the daemon strikes two tables at once, in different moments of their rounds. Everything random comes
from the run's seed, which every failure tells.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from hil.mechanism.options import Timing
from hil.soak.audit import Account, verify_site
from hil.soak.figures import add_counts
from hil.soak.play import SoakTable
from hil.soak.site import Site, SoakError, TableSpec
from hil.soak.trouble import DiskFiller, Killer, PowerCutter, Stopper, Trouble, Unplugger

FAST: Final = "fast-action-hold-em"
COLORADO: Final = "colorado-hold-em-poker"
WINNERS: Final = "winners-pot-poker"
SUPREME: Final = "supreme-pai-gow"
MANUAL: Final = "manual-shoe"
HAND: Final = "hand"
AUTOMATED: Final = "automated-shoe"

LINEUPS: Final = (
    ((COLORADO, MANUAL), (SUPREME, AUTOMATED)),
    ((FAST, MANUAL), (WINNERS, AUTOMATED)),
    ((COLORADO, AUTOMATED), (SUPREME, MANUAL)),
    ((WINNERS, HAND), (FAST, MANUAL)),
    ((COLORADO, HAND), (WINNERS, MANUAL)),
)
"""Two tables each. The first has a sealed session in every other turn, the second in the turns between."""
MOVING: Final = Timing(card_s=0.01, gate_s=0.008, shuffle_s=0.04, stub_card_s=0.0)
"""Quick, but every movement takes a time in which it can be struck."""
LINE_FAULTS: Final = (
    "drop:0.02",
    "flip:0.02",
    "duplicate:0.02",
    "delay:0.02",
    "split:0.1",
    "merge:0.1",
    "junk:0.02",
    "cut:0.001",
)
"""Something happens to every fourth chunk of bytes, and a round in three has a dead line of 4 s."""
PLAY_ALARMS: Final = frozenset({"stub-count-due"})
"""A reminder that belongs to the game."""
LINE_ALARMS: Final = frozenset({"device-lost", "device-warning"})
"""What a bad line may raise. Anything else would be a wrong verdict."""
ALARMS: Final[dict[type[Trouble], frozenset[str]]] = {
    Killer: frozenset(),
    Stopper: frozenset(),
    Unplugger: LINE_ALARMS,
    DiskFiller: frozenset(),
    PowerCutter: LINE_ALARMS | {"device-restarted", "not-shuffled", "wrong-stack-size", "card-drawn-in-error"},
}
"""What each kind of trouble may raise. Killed or stopped in a round, a daemon that comes back raises nothing at all."""


class Report(msgspec.Struct):
    """What was reached; reports of several runs are added up."""

    strikes: int = 0
    strikes_at_start: int = 0
    starts: int = 0
    longest_stop_s: float = 0.0
    rounds: int = 0
    void: int = 0
    acts: int = 0
    uncertain: int = 0
    refused: dict[str, int] = {}
    cards_unattended: int = 0
    account: Account = msgspec.field(default_factory=Account)
    alarms: dict[str, int] = {}
    irregularities: dict[str, int] = {}
    line_faults: dict[str, int] = {}

    def add(self, other: Report) -> None:
        """Add another run's numbers."""
        for name in self.__struct_fields__:
            mine, more = getattr(self, name), getattr(other, name)
            if isinstance(mine, dict):
                add_counts(mine, more)
            elif isinstance(mine, Account):
                for field in mine.__struct_fields__:
                    setattr(mine, field, getattr(mine, field) + getattr(more, field))
            elif isinstance(mine, float):
                setattr(self, name, max(mine, more))
            else:
                setattr(self, name, mine + more)


def lineup(turn: int, *, timing: Timing | None = None) -> list[TableSpec]:
    """Return the two tables of a turn; sealed and open sessions take turns."""
    return _tables(turn, LINEUPS[turn % len(LINEUPS)], (), timing or Timing.instant())


def full_house(turn: int, faults: Sequence[str]) -> list[TableSpec]:
    """Return a table of each kind, on lines with these faults: most of their time is waiting, which they do together."""
    return _tables(turn, [table for pair in LINEUPS for table in pair], tuple(faults), Timing.instant())


def _tables(turn: int, tables: Sequence[tuple[str, str]], faults: tuple[str, ...], timing: Timing) -> list[TableSpec]:
    return [
        TableSpec(id=f"T{number}", game=game, method=method, sealed=(turn + number) % 2 == 0, faults=faults, timing=timing)
        for number, (game, method) in enumerate(tables, start=1)
    ]


async def run_trouble(folder: Path, seed: int, kind: type[Trouble], times: int, disk: Path | None = None) -> Report:
    """Let one kind of trouble strike so often while two tables play; nothing but what it must lead to may show.

    Raises:
        SoakError: something that must hold did not.
    """
    loses_power = kind is PowerCutter
    site = Site(folder, lineup(seed, timing=MOVING if loses_power else None), seed, disk)
    trouble = kind(site, random.Random(f"{seed}:{kind.__name__}"), times)
    tables = [SoakTable(site, spec, _rng_of(site, spec), trouble.moment) for spec in site.tables]
    report = await _run(site, tables, None, trouble)
    report.strikes, report.strikes_at_start, report.longest_stop_s = trouble.struck, trouble.at_start, trouble.longest_s
    return _checked(site, report, ALARMS[kind], rounds_go_on=not loses_power)


async def run_bad_line(folder: Path, seed: int, rounds: int, faults: Sequence[str] = LINE_FAULTS) -> Report:
    """Play so many rounds at each of ten tables on lines with these faults."""
    site = Site(folder, full_house(seed, faults), seed)
    report = await _run(site, [SoakTable(site, spec, _rng_of(site, spec)) for spec in site.tables], rounds)
    return _checked(site, report, LINE_ALARMS, rounds_go_on=True)


async def _run(site: Site, tables: list[SoakTable], rounds: int | None, trouble: Trouble | None = None) -> Report:
    await site.open()
    try:
        await site.start()
        async with asyncio.TaskGroup() as group:
            if trouble is not None:
                group.create_task(trouble.over())
            for table in tables:
                group.create_task(_play(table, rounds, trouble))
        for table in tables:
            await table.settle()
            table.close()
        await site.stop()
        account = verify_site(site, tables)
        return _report_of(site, tables, account)
    except ExceptionGroup as group_of:
        raise group_of.exceptions[0] from group_of
    finally:
        await site.close()


async def _play(table: SoakTable, rounds: int | None, trouble: Trouble | None) -> None:
    if rounds is not None:
        await table.play(rounds)
        return
    assert trouble is not None
    while not trouble.done.is_set():
        await table.play(1)


def _rng_of(site: Site, spec: TableSpec) -> random.Random:
    return random.Random(f"{site.seed}:{spec.id}:people")


def _report_of(site: Site, tables: list[SoakTable], account: Account) -> Report:
    report = Report(starts=site.starts, account=account)
    for table in tables:
        figures = table.figures
        report.rounds += figures.rounds
        report.void += figures.void
        report.acts += figures.acts
        report.uncertain += figures.uncertain
        report.cards_unattended += figures.cards_unattended
        add_counts(report.refused, figures.refused)
        add_counts(report.alarms, figures.alarms)
        add_counts(report.irregularities, figures.irregularities)
        for device in (table.shoe, table.shuffler):
            add_counts(report.line_faults, device.to_host.struck)
            add_counts(report.line_faults, device.to_device.struck)
    return report


def _checked(site: Site, report: Report, alarms: frozenset[str], *, rounds_go_on: bool) -> Report:
    """People who make no mistake and cards that are in order: nothing but the trouble itself may show."""
    strange = set(report.alarms) - alarms - PLAY_ALARMS
    if strange or (rounds_go_on and (report.irregularities or report.void)):
        raise SoakError("soak-verdict", f"Seed {site.seed}: the trouble led to verdicts that it must not: {report}", "Look at the journal.")
    return report

"""Runs of trouble over several games, dealing methods and kinds of session in turn, each with its account at the end.

A run is one site with two tables, so that trouble that strikes the daemon strikes both in different moments of their
rounds. Everything random comes from the run's seed, which every failure tells.
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
from hil.soak.play import SoakTable
from hil.soak.site import Site, SoakError, TableSpec
from hil.soak.trouble import Killer, PowerCutter, Trouble

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
LINE_ALARMS: Final = frozenset({"device-lost", "device-warning"})
"""What a bad line may raise. Anything else would be a wrong verdict."""
POWER_ALARMS: Final = LINE_ALARMS | {"device-restarted", "not-shuffled", "device-malfunction"}


class Report(msgspec.Struct):
    """What was reached; reports of several runs are added up."""

    strikes: int = 0
    strikes_at_start: int = 0
    starts: int = 0
    rounds: int = 0
    void: int = 0
    acts: int = 0
    uncertain: int = 0
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
                _add_counts(mine, more)
            elif isinstance(mine, Account):
                for field in mine.__struct_fields__:
                    setattr(mine, field, getattr(mine, field) + getattr(more, field))
            else:
                setattr(self, name, mine + more)


def lineup(turn: int, *, faults: tuple[str, ...] = (), timing: Timing | None = None) -> list[TableSpec]:
    """Return the two tables of a turn."""
    tables = LINEUPS[turn % len(LINEUPS)]
    return [
        TableSpec(
            id=f"T{number}",
            game=game,
            method=method,
            sealed=(turn + number) % 2 == 0,
            faults=faults,
            timing=timing or Timing.instant(),
        )
        for number, (game, method) in enumerate(tables, start=1)
    ]


async def run_kills(folder: Path, seed: int, kills: int) -> Report:
    """Kill the daemon so often while its tables play; nothing but the play may show it.

    Raises:
        SoakError: something that must hold did not.
    """
    site = Site(folder, lineup(seed), seed)
    killer = Killer(site, random.Random(f"{seed}:kills"), kills)
    report = await _run_until_done(site, killer)
    report.strikes_at_start = killer.at_start
    return _checked(site, report, frozenset(), rounds_go_on=True)


async def run_power_losses(folder: Path, seed: int, losses: int) -> Report:
    """Take the power of devices so often; a supervisor lets each round go on or voids it."""
    site = Site(folder, lineup(seed, timing=MOVING), seed)
    cutter = PowerCutter(random.Random(f"{seed}:power"), losses)
    report = await _run_until_done(site, cutter)
    return _checked(site, report, POWER_ALARMS, rounds_go_on=False)


async def run_bad_line(folder: Path, seed: int, rounds: int, faults: Sequence[str]) -> Report:
    """Play so many rounds at each table on lines with these faults."""
    site = Site(folder, lineup(seed, faults=tuple(faults)), seed)
    report = await _run(site, [SoakTable(site, spec, _rng_of(site, spec)) for spec in site.tables], rounds)
    return _checked(site, report, LINE_ALARMS, rounds_go_on=True)


async def _run_until_done(site: Site, trouble: Trouble) -> Report:
    tables = [SoakTable(site, spec, _rng_of(site, spec), trouble.moment) for spec in site.tables]
    report = await _run(site, tables, None, trouble)
    report.strikes = trouble.struck
    return report


async def _run(site: Site, tables: list[SoakTable], rounds: int | None, trouble: Trouble | None = None) -> Report:
    await site.open()
    try:
        await site.start()
        if isinstance(trouble, PowerCutter):
            trouble.devices = [device for pair in site.devices.values() for device in pair.values()]
        async with asyncio.TaskGroup() as group:
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
    if trouble.failure is not None:
        raise trouble.failure


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
        _add_counts(report.alarms, figures.alarms)
        _add_counts(report.irregularities, figures.irregularities)
        for device in (table.shoe, table.shuffler):
            _add_counts(report.line_faults, device.to_host.struck)
            _add_counts(report.line_faults, device.to_device.struck)
    return report


def _checked(site: Site, report: Report, alarms: frozenset[str], *, rounds_go_on: bool) -> Report:
    """People who make no mistake and cards that are in order: nothing but the trouble itself may show."""
    strange = set(report.alarms) - alarms
    if strange or (rounds_go_on and (report.irregularities or report.void)):
        raise SoakError("soak-verdict", f"Seed {site.seed}: the trouble led to verdicts that it must not: {report}", "Look at the journal.")
    return report


def _add_counts(mine: dict[str, int], more: dict[str, int]) -> None:
    for name, count in more.items():
        mine[name] = mine.get(name, 0) + count

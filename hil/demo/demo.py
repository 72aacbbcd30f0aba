"""The demonstration: a real daemon, simulated devices, simulated people, and lines about everything that happens.

Everything lives in a folder of its own: configuration, journal, keys, token, ports. At the end the daemon is stopped as
an operator stops it, and its journal is verified and counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from controller.dealing.procedure import Procedure, build_procedure
from controller.dealing.settings import Plain
from controller.errors import ShoedError
from controller.games import find_game
from controller.journal.keys import load_keys
from controller.journal.verify import VerifyReport, verify_journal
from controller.table.outcome import Outcome
from hil.demo.daemon_table import TABLE, DaemonTable
from hil.demo.lines import Teller
from hil.demo.pace import Pace
from hil.endtoend.bench import Bench, Pair, open_bench
from hil.endtoend.daemon import DeviceEntry, Entry, TableEntry, links_of, run_daemon, working_folder
from hil.faults import FaultError, parse_fault
from hil.people.moves import Move
from hil.people.people import People
from hil.people.session import play_rounds
from hil.people.slips import Slips
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings

MOST_SEATS = 4
"""Players at the table: a round fits on a screen."""


HOUSE: Final[dict[str, dict[str, Plain]]] = {
    "colorado-hold-em-poker": {
        "lowest_paid_pair": "T",
        "pay_table": {
            "pair": 1,
            "two-pair": 2,
            "three-of-a-kind": 3,
            "straight": 5,
            "flush": 8,
            "full-house": 10,
            "four-of-a-kind": 50,
            "straight-flush": 100,
            "royal-flush": 500,
        },
    }
}
"""Odds so that there is money to see; no casino's, since the chapter's were not reachable."""


class Told(msgspec.Struct, frozen=True):
    """One journalled act as `--json` writes it: without the time of day, so that the same seed writes the same."""

    entry: int
    act: str
    by: str
    outcome: Outcome


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to demonstrate."""

    game: str
    method: str | None = None
    house: Mapping[str, Plain] = {}
    """Settings of the house instead of the game's defaults."""
    rounds: int = 3
    speed: float = 1.0
    seed: int = 0
    faults: tuple[str, ...] = ()
    slips: float = 0.0
    folder: Path | None = None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How it ended."""

    rounds: int
    entries: int
    journal: str
    journal_ok: bool


def _house(plan: Plan) -> dict[str, Plain]:
    return {**HOUSE.get(plan.game, {}), **plan.house}


def procedure_of(plan: Plan) -> Procedure:
    """Return the procedure to demonstrate: by the method named, else by the first that the house permits.

    Raises:
        ShoedError: the game, the method or a fault does not exist.
    """
    for fault in plan.faults:
        try:
            parse_fault(fault)
        except FaultError as error:
            raise ShoedError("unknown-fault", str(error), "`shoed demo --help` lists the faults.") from error
    game = find_game(plan.game)
    house = _house(plan)
    if plan.method is not None:
        return build_procedure(game, plan.method, house)
    refused: ShoedError | None = None
    for method in game.deals:
        try:
            return build_procedure(game, method.value, house)
        except ShoedError as error:
            refused = refused or error
    raise refused or ShoedError("unknown-method", f"{plan.game} has no dealing method.", "Choose another game.")


def run_demo(plan: Plan, on_line: Callable[[str], None], on_entry: Callable[[Told], None] | None = None) -> Summary:
    """Run it; every line and every entry is told as it comes."""
    procedure = procedure_of(plan)
    pace = Pace(plan.speed)
    rng = random.Random(plan.seed)
    people = People(procedure, rng, most_seats=MOST_SEATS)
    teller = Teller(people.turned_up)

    def tell(entry: Entry, move: Move | None) -> None:
        if on_entry is not None:
            on_entry(Told(entry=entry.entry, act=entry.act, by=entry.by, outcome=entry.outcome))
        for line in teller.lines(entry, move):
            on_line(line)

    with open_bench() as bench, working_folder(plan.folder) as folder:
        pair = _start_devices(bench, folder, plan, pace, procedure.deck.per_deck)
        house = _house(plan)
        table = TableEntry(TABLE, plan.game, procedure.method.value, house, _device_entries(pair))
        with run_daemon(folder, [table]) as daemon:
            client = daemon.client()
            on_line(f"{procedure.game.title}, {procedure.method.value}, seed {plan.seed}")
            slips = Slips(rng, plan.slips) if plan.slips else None
            for device in (pair.shoe, pair.shuffler):
                bench.run(device.host_running())
            play_rounds(people, DaemonTable(procedure, client, bench, pair, pace, tell), plan.rounds, slips=slips)
            client.close()
        keys = load_keys(daemon.key_file)
        report = verify_journal(daemon.journal, seal_key=keys.seal_key, public_key_hex=keys.public_key_hex)
        return _summary(plan.rounds, report)


def _start_devices(bench: Bench, folder: Path, plan: Plan, pace: Pace, deck_size: int) -> Pair:
    def start(kind: str, serial: str) -> SimulatedDevice:
        settings = SimulatedSettings(
            kind=kind,
            serial=serial,
            seed=plan.seed,
            faults=plan.faults,
            timing=pace.timing(),
            deck_size=deck_size,
            link_dir=links_of(folder),
        )
        return bench.start(settings)

    return Pair(start("shoe", "DEMO-SHOE"), start("shuffler", "DEMO-SHUFFLER"))


def _device_entries(pair: Pair) -> tuple[DeviceEntry, ...]:
    devices = (("shoe", pair.shoe), ("shuffler", pair.shuffler))
    return tuple(DeviceEntry(name=kind, kind=kind, serial=device.settings.serial, port=device.settings.serial) for kind, device in devices)


def _summary(rounds: int, report: VerifyReport) -> Summary:
    good = f"The journal is in order: {report.entries} records without a gap, chained and signed."
    return Summary(rounds=rounds, entries=report.entries, journal=good if report.ok else report.sentence, journal_ok=report.ok)

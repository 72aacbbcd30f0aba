"""`shoed demo` and `shoed simulate`: a table that plays by itself, and a device for anyone to connect to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from controller.cli.house import house_option
from controller.cli.numbers import FiniteRange
from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, json_option, write_json, write_line
from controller.cli.shelves import PROFILES_OPTION, shelf_of
from controller.dealing.settings import Plain
from hil.faults import help_text

FAULTS_EPILOG = "\b\nFaults (NAME, NAME:RATE, or NAME@N for the n-th card or chunk):\n" + help_text()


@click.command("demo", epilog=FAULTS_EPILOG)
@click.option("--game", default="colorado-hold-em-poker", show_default=True, help="The game's key.")
@click.option("--method", help="manual-shoe, hand or automated-shoe; the game's first if not given.")
@house_option
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(1, 100_000), help="Rounds to deal.")
@click.option("--speed", default=1.0, show_default=True, type=FiniteRange(0.1, 1000.0), help="50 and more: no waits.")
@click.option("--seed", default=1, show_default=True, type=int, help="The same seed, the same cards and choices.")
@click.option("--fault", "faults", multiple=True, help="A fault from the list below; may be given several times.")
@click.option("--slips", default=0.0, type=FiniteRange(0.0, 0.9), help="How often people make a mistake.")
@click.option("--keep", "folder", type=click.Path(path_type=Path, file_okay=False), help="Keep journal and log here.")
@json_option
def demo(  # noqa: PLR0913, PLR0917  # one parameter for each option
    game: str,
    method: str | None,
    house: Mapping[str, Plain],
    rounds: int,
    speed: float,
    seed: int,
    faults: tuple[str, ...],
    slips: float,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Deal rounds from simulated devices through the real daemon."""
    from hil.demo.demo import Plan, run_demo

    plan = Plan(game=game, method=method, house=house, rounds=rounds, speed=speed, seed=seed, faults=faults, slips=slips, folder=folder)
    if as_json:
        summary = run_demo(plan, lambda _line: None, write_json)
        write_json(summary)
    else:
        summary = run_demo(plan, write_line)
        write_line(f"{summary.rounds} round{'s' if summary.rounds > 1 else ''} dealt. {summary.journal}")
    return EXIT_GOOD if summary.journal_ok else EXIT_NOT_IN_ORDER


@click.command("simulate", epilog=FAULTS_EPILOG)
@click.option("--profile", default="sdp1", show_default=True, help="The device profile that it speaks.")
@click.option("--kind", default="shoe", show_default=True, type=click.Choice(["shoe", "shuffler"]))
@click.option("--serial", default="SIM-1", show_default=True, help="Its serial number.")
@click.option("--tcp", metavar="HOST:PORT", help="Listen there instead of on a pseudo-terminal; port 0 takes a free one.")
@click.option("--rfc2217", metavar="HOST:PORT", help="Put a serial device server in front that listens there.")
@click.option("--usb", metavar="HOST:PORT", help="Be a USB device behind a USB/IP server that listens there.")
@click.option("--link", "link_dir", type=click.Path(path_type=Path, file_okay=False), help="Put a link to the port here.")
@click.option("--address", default=0, type=click.IntRange(0, 126), help="Its address, as on a line that several devices share.")
@click.option("--key", help="32 hexadecimal digits: the operator's key; sealed sessions only.")
@click.option("--decks", default=1, show_default=True, type=click.IntRange(0, 12), help="Shuffled decks inside at first.")
@click.option("--draw-every", "draw_every_s", type=FiniteRange(0.01, 3600), help="Pull a card so many seconds while the gate is open.")
@click.option("--seed", default=1, show_default=True, type=int, help="The same seed, the same cards and faults.")
@click.option("--speed", default=1.0, show_default=True, type=FiniteRange(0.1, 1000.0), help="Foreign devices: so many times faster.")
@PROFILES_OPTION
@click.option("--cards", type=click.Path(path_type=Path, dir_okay=False), help="Readers of tags: the card map; made if it is not there.")
@click.option("--fault", "faults", multiple=True, help="A fault from the list below; may be given several times.")
@click.option("--technician-switch", is_flag=True, help="The switch on the device that lets a technician's commands through.")
@click.option("--technician-key", help="32 hexadecimal digits: the technician's key; sealed sessions only.")
@click.option("--firmware", default="1.0.0", show_default=True, help="The version that it tells.")
@click.option(
    "--baud",
    type=click.Choice(["9600", "19200", "38400", "57600", "115200"]),
    callback=lambda _context, _option, rate: None if rate is None else int(rate),
    help="Its rate; any will do if not given.",
)
@click.option("--broken", multiple=True, type=click.Choice(["motor", "camera", "sensor", "memory", "clock"]), help="A part that failed.")
@click.option("--sticky", multiple=True, type=click.IntRange(1, 3), help="A motor that moves heavily: 1 feed, 2 gate, 3 elevator.")
@click.option(
    "--past",
    multiple=True,
    type=(click.Choice(["cards", "misreads", "jams", "shuffles", "events"]), click.IntRange(0, 1_000_000)),
    help="A hard counter from its life before, such as `misreads 40`; `events` are events that no host has stored (up to 1000).",
)
@click.option("--test-deck", type=click.Path(path_type=Path, dir_okay=False), help="Cards in this order, laid in again when all have left.")
@click.option("--weak-card", "weak", multiple=True, metavar="CARD[:RATE]", help="A card that the reader makes out badly, such as 7d:0.5.")
@json_option
def simulate(*, as_json: bool, **wished: Any) -> None:  # each option has the name of what it wishes for
    """Run a simulated device and print its port; it ends with Ctrl-C, or when its parent closes its input.

    Words on standard input are done to the device: `help` lists them.
    """
    from hil.demo.simulate import Wish, run_simulator
    from hil.demo.simulate_plain import run_plain

    wish = Wish(**wished)
    shelf = shelf_of(wish.profiles)
    if shelf.is_plain(wish.profile):
        run_plain(wish, shelf, write_json if as_json else None, write_line)
        return
    run_simulator(wish, write_json if as_json else None, write_line)

"""`shoed device capture`: what goes over a line into a file, by ourselves on a free port, by the daemon on one that a table has."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from pathlib import Path
from typing import Final

import click

from controller.cli.device_monitor import record_device
from controller.cli.device_options import Place, ask_code, reaching
from controller.cli.numbers import FiniteRange
from controller.cli.output import json_option, write_json, write_line
from controller.table.acts import By
from controller.table.parse import parse_by
from controller.technician.errors import TechnicianError
from controller.technician.holder import Held, RecordedLine, gather_codes, holder_of, recorded_line, switch_capture
from controller.technician.recording import open_capture
from firmware_bridge.transport.base import PortBusyError

LOOK_S: Final = 0.2
"""How often the daemon is asked how much it has; nothing hangs on it."""
WRITTEN_S: Final = 5.0
"""What the daemon has heard is on the disk long before."""


@click.command("capture")
@reaching
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--seconds", type=FiniteRange(0.1, 86_400), help="End after so long; without it, with Ctrl-C.")
@click.option("--most-mb", default=100, show_default=True, type=click.IntRange(1, 10_000), help="End at this size.")
@click.option("--events", is_flag=True, help="Ask for the device's events, which are acknowledged when they are in the file.")
@click.option("--by", metavar="technician:NAME", help="Where a daemon has the port: who has it recorded.")
@click.option("--second", metavar="supervisor:NAME", help="The same, on a line that is not sealed: the second person, of the house.")
@json_option
def capture_command(  # one parameter for each option
    place: Place,
    file: Path,
    seconds: float | None,
    most_mb: int,
    events: bool,
    by: str | None,
    second: str | None,
    as_json: bool,
) -> None:
    """Write what goes over the line to a new pcapng FILE, which Wireshark opens (`shoed profile dissector` explains it).

    Where a daemon has the port, it records while the table goes on.
    """
    most_bytes = most_mb << 20
    try:
        asyncio.run(record_device(place.reach, file, seconds=seconds, most_bytes=most_bytes, events=events, as_json=as_json))
        return
    except PortBusyError:
        held = holder_of(place.reach.port, place.config_file, place.reach.address)
        if held is None:
            raise
    if by is None:
        do = "Add --by technician:NAME: the daemon then records it, and the table goes on."
        raise TechnicianError("port-held-by-table", held.sentence, do)
    persons = parse_by(by, "--by"), None if second is None else parse_by(second, "--second")
    recorded = _record_through(held, file, persons, None if seconds is None else time.monotonic() + seconds, most_bytes)
    if as_json:
        write_json({"file": str(file), "records": recorded.records, "lost": recorded.lost, "table": held.table, "device": held.device})
    else:
        lost = f" {recorded.lost} pieces could not be recorded." if recorded.lost else ""
        write_line(f"{file}: {recorded.records} records of table {held.table}, device {held.device}.{lost}")


def _record_through(held: Held, file: Path, persons: tuple[By, By | None], until_s: float | None, most_bytes: int) -> RecordedLine:
    """Have the daemon record until the time is over, the size is reached or Ctrl-C, and copy what it has."""
    by, second = persons
    codes = gather_codes(held, ask_code, by=by, second=second)
    was_on = recorded_line(held).on
    with open_capture(file) as stream:
        try:
            switch_capture(held, on=True, by=by, second=second, codes=codes)
            with contextlib.suppress(KeyboardInterrupt):
                while _goes_on(recorded_line(held), until_s, most_bytes):
                    time.sleep(LOOK_S)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        recorded = _written(held, switch_capture(held, on=False, by=by, second=second, codes=codes))
        if was_on:
            switch_capture(held, on=True, by=by, second=second, codes=codes)
        try:
            for name in recorded.files:
                with Path(name).open("rb") as part:
                    shutil.copyfileobj(part, stream)  # a pcapng file may have any number of sections
        except OSError as error:
            what = f"The daemon's capture cannot be copied: {error.strerror}."
            raise TechnicianError("capture-not-copied", what, f"Its files are: {', '.join(recorded.files)}.") from error
    return recorded


def _goes_on(recorded: RecordedLine, until_s: float | None, most_bytes: int) -> bool:
    if recorded.trouble:
        raise TechnicianError("not-captured", f"The daemon cannot write its capture: {recorded.trouble}.", "Make room on its disk.")
    if until_s is not None and time.monotonic() >= until_s:
        return False
    sizes = [Path(name).stat().st_size for name in recorded.files if Path(name).exists()]
    return recorded.on and sum(sizes) < most_bytes


def _written(held: Held, recorded: RecordedLine) -> RecordedLine:
    """Wait until all that was heard is on the disk."""
    end_s = time.monotonic() + WRITTEN_S
    while recorded.writing and time.monotonic() < end_s:
        time.sleep(LOOK_S / 10)
        recorded = recorded_line(held)
    return recorded

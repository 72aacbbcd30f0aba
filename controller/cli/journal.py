"""`shoed journal`: check the durable record, show a round, judge it again by today's rules, write it as plain text.

Every command only reads; the daemon may run meanwhile. Hidden cards are opened with the key file, and only in rounds
that are over. What is shown of a journal that is not as it was written is shown with a warning, since it may be all that is left.
Exit codes: 0 in order, 1 damaged or a verdict differs, 2 usage, a missing file or a wrong key.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

import click
import msgspec

from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, json_option, write_json, write_line, write_note

if TYPE_CHECKING:
    from controller.journal.chain import Damage
    from controller.journal.entry import OpenedEntry
    from controller.journal.keys import JournalKeys
    from controller.journal.replay import Rejudge
    from controller.journal.rounds import ShownRound
    from controller.journal.verify import VerifyReport

P = ParamSpec("P")
R = TypeVar("R")

ANCHOR_BYTES_MAX: Final = 1 << 16
"""An anchor is one line that names up to 256 tables."""

LATEST_MS: Final = 253_402_300_800_000
"""The year 10000: a clock that tells more is shown as a number."""

_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_TIME: Final = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


def _journal_argument(command: Callable[P, R]) -> Callable[P, R]:
    return click.argument("path", metavar="JOURNAL", type=_FILE)(command)


def _keys_option(command: Callable[P, R]) -> Callable[P, R]:
    return click.option("--keys", "keys_path", metavar="FILE", type=_FILE, help="The key file of this journal.")(command)


@click.group(name="journal")
def command() -> None:
    """Check, show, replay or export a table's durable record."""


@command.command()
@_journal_argument
@_keys_option
@click.option("--public-key", metavar="HEX", help="The signing key that is trusted, when no key file is at hand.")
@click.option("--anchor", "anchor_path", metavar="FILE", type=_FILE, help="A head of this journal kept elsewhere.")
@json_option
def verify(path: Path, keys_path: Path | None, public_key: str | None, anchor_path: Path | None, as_json: bool) -> int:
    """Check every record; name the first that was edited, removed, moved or cut off."""
    from controller.journal.verify import verify_journal

    keys = _maybe_keys(keys_path)
    trusted = public_key if public_key is not None else (keys.public_key_hex if keys is not None else None)
    report = verify_journal(
        path,
        seal_key=keys.seal_key if keys is not None else None,
        public_key_hex=trusted,
        anchor=_read_anchor(anchor_path) if anchor_path is not None else None,
    )
    if as_json:
        write_json(_report_object(report))
    else:
        write_line(report.sentence)
        for notice in report.notices:
            write_line(notice)
    return EXIT_GOOD if report.ok else EXIT_NOT_IN_ORDER


@command.command(name="round")
@_journal_argument
@click.argument("table")
@click.argument("number", type=click.IntRange(min=0))
@click.option("--shoe", type=click.IntRange(min=0), help="Which shoe, where several have a round of this number.")
@_keys_option
@json_option
def show(path: Path, table: str, number: int, shoe: int | None, keys_path: Path | None, as_json: bool) -> int:
    """Show every record of round NUMBER of TABLE, its hidden cards too once it is over."""
    from controller.journal.reader import open_reader
    from controller.journal.rounds import show_round

    keys = _maybe_keys(keys_path)
    with open_reader(path, seal_key=keys.seal_key if keys is not None else None) as reader:
        shown = show_round(reader, table, number, shoe)
        damage = reader.damage_among(opened.entry for opened in shown.entries)
    code = _warned(path, damage)
    if as_json:
        for opened in shown.entries:
            write_json(_entry_object(opened) | ({"rules_hash": shown.rules.rules_hash} if shown.rules is not None else {}))
        return code
    write_line(f"Table {shown.table}, shoe {shown.shoe}, round {shown.round}: {_standing(shown)}.")
    if shown.rules is not None:
        write_line(f"Rules in force: rules hash {shown.rules.rules_hash} (record {shown.rules.number}).")
    for opened in shown.entries:
        entry = opened.entry
        write_line(f"{entry.number:>8}  {_time(entry.wall_ms)}  {entry.kind:<12} {opened.body_shown().decode()}")
    return code


@command.command()
@_journal_argument
@click.option("--table", "only", metavar="TABLE", help="This table only; otherwise all tables of the journal.")
@_keys_option
@json_option
def replay(path: Path, only: str | None, keys_path: Path | None, as_json: bool) -> int:
    """Judge every recorded act again by today's rules and name each verdict that differs."""
    from controller.journal.reader import open_reader
    from controller.journal.replay import replay_table
    from controller.journal.verify import verify_journal
    from controller.service.replay import rejudge

    judge: Rejudge = rejudge
    keys = _maybe_keys(keys_path)
    differs = False
    with open_reader(path, seal_key=keys.seal_key if keys is not None else None) as reader:
        if only is not None and only not in reader.tables:
            raise click.UsageError(f"The journal has no table {only}: it has {', '.join(reader.tables)}.")
        code = _warned(path, verify_journal(path).damage)
        for table in [only] if only is not None else reader.tables:
            found = replay_table(reader, table, judge)
            differs = differs or bool(found.differences)
            if as_json:
                write_json(found)
                continue
            write_line(f"Table {table}: {found.entries} records judged again, {len(found.differences)} verdicts differ.")
            for difference in found.differences:
                write_line(f"  {difference}")
    return EXIT_NOT_IN_ORDER if differs else code


@command.command()
@_journal_argument
@click.option("--out", "out_path", metavar="FILE", type=_FILE, help="Write to this new file; otherwise to standard output.")
@click.option("--table", help="This table only.")
@click.option("--round", "number", type=click.IntRange(min=0), help="Rounds of this number only.")
@click.option("--from", "begin", type=_TIME, help="From this time on, in UTC.")
@click.option("--until", type=_TIME, help="Before this time, in UTC.")
def export(
    path: Path,
    out_path: Path | None,
    table: str | None,
    number: int | None,
    begin: datetime | None,
    until: datetime | None,
) -> int:
    """Write the journal as JSON lines with all hashes, for a reader without this program."""
    from controller.journal.export import Selection, export_lines
    from controller.journal.reader import open_reader
    from controller.journal.verify import verify_journal

    selection = Selection(table, number, _milliseconds(begin), _milliseconds(until))
    with open_reader(path) as reader:
        code = _warned(path, verify_journal(path).damage)
        if out_path is None:
            for line in export_lines(reader, selection):
                sys.stdout.buffer.write(line + b"\n")
            sys.stdout.buffer.flush()
            return code
        try:
            with out_path.open("xb") as file:
                file.writelines(line + b"\n" for line in export_lines(reader, selection))
        except OSError as error:
            raise click.UsageError(f"{out_path} cannot be written as a new file: {error.strerror}.") from error
    return code


@command.command()
@_journal_argument
@click.option("--table", help="This table only.")
@json_option
def compared(path: Path, table: str | None, as_json: bool) -> int:
    """List what devices and other hosts told of rounds, where it differs from the cards, and count where it agrees."""
    from controller.journal.compared import read_compared
    from controller.journal.reader import open_reader

    agreed = differed = unjudged = 0
    with open_reader(path) as reader:
        for found in read_compared(reader, table):
            agreed += found.agrees and bool(found.found)
            unjudged += not found.found
            differed += not found.agrees
            if as_json:
                write_json(found)
            elif not found.agrees:
                where = f"table {found.table}, shoe {found.shoe}, round {found.round}, entry {found.entry}"
                write_line(f"{_time(found.wall_ms)}  {where}: {found.what}: told {found.told}, here {found.found}.")
    if not as_json:
        write_line(f"{agreed} agree, {differed} differ, {unjudged} could not be judged.")
    return EXIT_NOT_IN_ORDER if differed else EXIT_GOOD


@command.command(name="keys")
@click.argument("path", metavar="FILE", type=_FILE)
@json_option
def make_keys(path: Path, as_json: bool) -> int:
    """Make the key file of a new journal; keep it on another disk than the journal."""
    from controller.journal.keys import create_keys

    keys = create_keys(path)
    if as_json:
        write_json({"keys": str(path), "public_key": keys.public_key_hex})
    else:
        write_line(f"The keys are in {path}. Give this public key to whoever checks the journal: {keys.public_key_hex}")
    return EXIT_GOOD


def _warned(path: Path, damage: Damage | None) -> int:
    """Say that what is shown is not what was written, and return the exit code that says so too."""
    if damage is None:
        return EXIT_GOOD
    write_note(f"The journal {path} is damaged: {damage.detail}")
    write_note("What is shown is what the file holds now, not what was recorded.")
    return EXIT_NOT_IN_ORDER


def _maybe_keys(path: Path | None) -> JournalKeys | None:
    from controller.journal.keys import load_keys

    return load_keys(path) if path is not None else None


def _read_anchor(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(ANCHOR_BYTES_MAX).strip()
    except OSError as error:
        raise click.UsageError(f"The anchor {path} cannot be read: {error.strerror}.") from error


def _report_object(report: VerifyReport) -> dict[str, object]:
    damage = report.damage
    return {
        "ok": report.ok,
        "sentence": report.sentence,
        "path": report.path,
        "file_id": report.file_id,
        "tables": report.tables,
        "entries": report.entries,
        "checkpoints": report.checkpoints,
        "signed_to": report.signed_to,
        "cards_checked": report.cards_checked,
        "notices": report.notices,
        "damage": None
        if damage is None
        else {"kind": damage.kind.value, "number": damage.number, "table": damage.table, "detail": damage.detail},
    }


def _entry_object(opened: OpenedEntry) -> dict[str, object]:
    entry = opened.entry
    return {
        "number": entry.number,
        "table": entry.table,
        "time": _time(entry.wall_ms),
        "wall_ms": entry.wall_ms,
        "mono_ns": entry.mono_ns,
        "shoe": entry.shoe,
        "round": entry.round,
        "kind": entry.kind,
        "body": msgspec.Raw(opened.body_shown()),
        "cards_open": bool(opened.cards) or not entry.sealed,
        "hash": entry.hash.hex(),
    }


def _standing(shown: ShownRound) -> str:
    if not shown.is_over:
        return "not over, hidden cards stay closed"
    return "over" if shown.cards_shown else "over, hidden cards stay closed without the key (--keys)"


def _time(wall_ms: int) -> str:
    if not 0 <= wall_ms < LATEST_MS:
        return f"{wall_ms} ms"
    return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _milliseconds(time: datetime | None) -> int | None:
    return None if time is None else int(time.replace(tzinfo=UTC).timestamp() * 1000)

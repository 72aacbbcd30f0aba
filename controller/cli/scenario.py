"""`shoed scenario`: plays scenario files and says which step does not hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from controller.cli.output import (
    EXIT_GOOD,
    EXIT_NOT_IN_ORDER,
    EXIT_USAGE,
    json_option,
    printable,
    write_json,
    write_line,
)
from controller.errors import NotInOrderError, ShoedError

if TYPE_CHECKING:
    from controller.scenario.runner import PlayerPool, Report
    from controller.scenario.script import Scenario

SUFFIX: Final = ".scenario.toml"
JSON_KEYS: Final = ("file", "passed", "steps", "failed_step", "expected", "actual")


@click.group("scenario")
def command() -> None:
    """Play scenario files: readable scripts of rounds with expected outcomes."""


@command.command("run")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--end-to-end", is_flag=True, help="Play on a real daemon with simulated devices.")
@json_option
def run_files(files: tuple[Path, ...], end_to_end: bool, as_json: bool) -> int:
    """Play each FILE (of a folder: all its scenarios) and compare every step with what it expects."""
    from controller.scenario.direct import open_pool
    from controller.scenario.runner import find_pool
    from controller.scenario.script import Scenario

    read = [(path, _read(path)) for path in _scenario_files(files)]
    good = [script for _, script in read if isinstance(script, Scenario)]
    with (find_pool("end-to-end") if end_to_end else open_pool)(good) as pool:
        results = [_run_file(path, script, pool, as_json=as_json) for path, script in read]
    if not as_json:
        write_line(f"{results.count(EXIT_GOOD)} of {len(results)} scenarios hold.")
    return max(results)


def _scenario_files(files: Iterable[Path]) -> Iterable[Path]:
    for path in files:
        if path.is_dir():
            found = sorted(path.rglob(f"*{SUFFIX}"))
            if not found:
                raise ShoedError("no-scenarios", f"The folder {path} holds no file ending in {SUFFIX}.", "Check the path.")
            yield from found
        else:
            yield path


def _read(path: Path) -> Scenario | ShoedError:
    from controller.scenario.script import load_scenario

    try:
        return load_scenario(path)
    except ShoedError as error:
        return error


def _run_file(path: Path, script: Scenario | ShoedError, pool: PlayerPool, *, as_json: bool) -> int:
    from controller.scenario.runner import run_scenario

    try:
        if isinstance(script, ShoedError):
            raise script
        with pool.table_for(script) as player:
            report = run_scenario(script, player)
    except ShoedError as error:
        _tell_error(path, error, as_json=as_json)
        return EXIT_NOT_IN_ORDER if isinstance(error, NotInOrderError) else EXIT_USAGE
    if as_json:
        whole = msgspec.to_builtins(report, enc_hook=str)
        write_json({key: whole[key] for key in JSON_KEYS})
    else:
        _tell(report)
    return EXIT_GOOD if report.passed else EXIT_NOT_IN_ORDER


def _tell(report: Report) -> None:
    if report.passed:
        write_line(f"holds    {report.file}: {report.title} ({report.steps} steps)")
        return
    write_line(f"FAILED   {report.file}: {report.title}")
    write_line(f"  step {report.failed_step} of {report.steps}: {report.act}")
    for key, expected in (report.expected or {}).items():
        write_line(f"    expected {key} = {_word(expected)}")
        write_line(f"    actual   {key} = {_word((report.actual or {}).get(key))}")
    if report.message:
        write_line(f"    the table said: {report.message}")


def _word(value: object) -> str:
    return "nothing" if value is None else repr(value)


def _tell_error(path: Path, error: ShoedError, *, as_json: bool) -> None:
    if as_json:
        told = {"code": error.code, "what": error.what, "do": error.do}
        step = getattr(error, "step", None)
        row = {"file": str(path), "passed": False, "steps": 0, "failed_step": step, "expected": None, "actual": None}
        write_json({**row, "error": told})
        return
    write_line(f"ERROR    {path}")
    click.echo(f"  {printable(error.what)}\n  {printable(error.do)}\n  ({error.code})", err=True)

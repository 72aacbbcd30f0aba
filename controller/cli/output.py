"""How every command speaks: tables for people, JSON lines for programs.

With `--json` a command writes one JSON object per line to standard output and nothing else there; without it, sentences
and aligned tables. Errors go to standard error in the same two forms. Text that came from a device or a file is shown
with its control characters escaped, so that nothing plugged in can rewrite the operator's screen.

A sealed card has no JSON form: trying to write one raises TypeError, which is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, ParamSpec, TypeVar

import click
import msgspec

from firmware_bridge.cards import Card

EXIT_GOOD: Final = 0
EXIT_NOT_IN_ORDER: Final = 1
"""The thing checked is not in order."""
EXIT_USAGE: Final = 2
"""Usage or configuration."""

P = ParamSpec("P")
R = TypeVar("R")


class OutputStyle:
    """What the running command was asked for; `main` makes one and reads it when an error ends the command."""

    __slots__ = ("as_json",)

    def __init__(self) -> None:
        self.as_json = False


def _note_json(context: click.Context, _parameter: click.Parameter, value: bool) -> bool:
    style = context.find_object(OutputStyle)
    if style is not None and value:
        style.as_json = True
    return value


def json_option(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command the flag `--json`, passed on as the argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, callback=_note_json, help="Write one JSON object per line instead of text.")(
        command
    )


def _encode_other(value: object) -> object:
    if isinstance(value, Card):
        return value.name
    raise TypeError(f"a {type(value).__name__} has no public form")


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_encode_other)


def encode_json(value: object) -> str:
    """Return the one-line JSON form of a mapping, Struct or dataclass."""
    return _ENCODER.encode(value).decode()


def write_json(value: object) -> None:
    """Write one object as one line of JSON."""
    click.echo(encode_json(value))


def write_line(text: str) -> None:
    """Write one line for a person, control characters escaped."""
    click.echo(printable(text))


def write_note(text: str) -> None:
    """Write one line for a person beside the output, where it disturbs no program that reads that."""
    click.echo(printable(text), err=True)


def write_listing(rows: Iterable[Mapping[str, object]], columns: Sequence[str], *, as_json: bool) -> None:
    """Write rows as JSON lines, or as a table of these columns with their names as headings."""
    if as_json:
        for row in rows:
            write_json(row)
        return
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    for line in format_table([column.replace("_", " ") for column in columns], cells):
        click.echo(line)


def format_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of an aligned table; columns holding only numbers are right-aligned."""
    if not rows:
        return ["(none)"]
    widths = [max(len(headings[i]), *(len(row[i]) for row in rows)) for i in range(len(headings))]
    numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(headings))]

    def line(cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if n else c.ljust(w) for c, w, n in zip(cells, widths, numeric, strict=True))
        return "  ".join(padded).rstrip()

    return [line(headings), "  ".join("-" * width for width in widths), *map(line, rows)]


def printable(text: str) -> str:
    """Return the text with control and other unprintable characters escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple, set, frozenset)):
        return printable(", ".join(map(str, value))) or "-"
    return printable(str(value))


def _is_number(text: str) -> bool:
    return text == "-" or text.removeprefix("-").replace(".", "", 1).isdecimal()

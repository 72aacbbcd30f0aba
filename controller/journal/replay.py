"""Runs a journal's entries through today's rules; the rules themselves live elsewhere.

Whoever knows the rules supplies a `Rejudge`: it gets all opened entries of one table in order and tells each verdict
that differs. Hidden cards are opened for it: its answers must name none that the procedure has not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from controller.journal.entry import OpenedEntry
from controller.journal.reader import JournalReader


class Rejudge(Protocol):
    """Judges recorded inputs again."""

    def __call__(self, table_entries: Iterable[OpenedEntry]) -> list[str]:
        """Return one sentence for each verdict that differs from the recorded one; an empty list when none does."""


class TableReplay(msgspec.Struct, frozen=True):
    """What the replay of one table found."""

    table: str
    entries: int
    differences: tuple[str, ...]


def replay_table(reader: JournalReader, table: str, rejudge: Rejudge) -> TableReplay:
    """Judge every entry of a table again.

    Raises:
        JournalKeyError: when entries have hidden cards and the reader has no key.
        JournalDamagedError: when an entry cannot be read.
    """
    count = 0

    def opened() -> Iterator[OpenedEntry]:
        nonlocal count
        for entry in reader.read_entries(table):
            count += 1
            yield reader.open_entry(entry)

    differences = tuple(rejudge(opened()))
    return TableReplay(table, count, differences)

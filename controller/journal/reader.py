"""Reading a journal: any process, any time, without holding the writer up.

Each question is one short read transaction; long listings are fetched in portions. A table's entries are found by
following `back` from its last one, which the last checkpoint and the few entries after it tell: the cost follows the
answer, never the length of the journal. Rounds that ended are found in `spans`, the present one at the table's end.

Reads what is stored; whether it is what was written is told by `verify`. A reader is used by one thread at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from controller.journal.chain import Damage, Row, damage_of_file, edited
from controller.journal.checkpoint import SignedCheckpoint, decode_checkpoint
from controller.journal.entry import Entry, HeadLine, OpenedEntry, chain_hash, decode_entry, decode_head
from controller.journal.errors import DamageKind, JournalKeyError, JournalUnavailableError
from controller.journal.keys import seal_key_id
from controller.journal.schema import Header, connect_reader
from controller.journal.seal import EntrySeal, SealBrokenError
from controller.journal.startup import DamageFoundError, StoredHeader, damaged, read_header

PORTION: Final = 1000
"""Rows of one read transaction: about 2 ms, so that the writer's log can be moved in between."""


class JournalReader:
    """A read-only view of a journal file; get it from `open_reader` and close it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, stored: StoredHeader, seal_key: bytes | None) -> None:
        """Take over an open connection."""
        self.path = path
        self.header: Header = stored.header
        self.header_body = stored.body
        self.header_hash = stored.hash
        self._connection = connection
        self._seal = EntrySeal(seal_key, stored.header.file_id) if seal_key is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def tables(self) -> tuple[str, ...]:
        return self.header.tables

    @property
    def can_open(self) -> bool:
        """Whether this reader has the seal key."""
        return self._seal is not None

    @property
    def last_number(self) -> int:
        """The number of the last entry, 0 for none."""
        return self._one("SELECT coalesce(max(number), 0) FROM entries", ())

    def read_entries(self, table: str | None, *, after: int = 0) -> Iterator[Entry]:
        """Give the entries after number `after` in order, of one table or (None) of all."""
        for number, record, sealed, stored in self.raw_entries(after):
            entry = self._entry(number, record, sealed, stored)
            if table is None or entry.table == table:
                yield entry

    def raw_entries(self, after: int = 0) -> Iterator[Row]:
        """Give number, record, sealed and hash of the entries after a number, exactly as stored."""
        while True:
            rows = self._rows(
                "SELECT number, record, sealed, hash FROM entries WHERE number > ? ORDER BY number LIMIT ?",
                (after, PORTION),
            )
            yield from rows
            if len(rows) < PORTION:
                return
            after = rows[-1][0]

    def raw_checkpoints(self) -> Iterator[SignedCheckpoint]:
        """Give the checkpoints in order, exactly as stored and not verified."""
        for message, signature in self._rows("SELECT message, signature FROM checkpoints ORDER BY seq", ()):
            yield SignedCheckpoint(message, signature)

    def last_entries(self, table: str, count: int) -> list[Entry]:
        """Return the last `count` entries of a table, oldest first."""
        found: list[Entry] = []
        for entry in self.walk_back(self.tail(table)):
            if len(found) == count:
                break
            found.append(entry)
        found.reverse()
        return found

    def fold_start(self, table: str) -> int:
        """Return the number of the table's last boundary entry, of its first where it has none, 0 without entries."""
        entries = self.fold_entries(table)
        return entries[0].number if entries else 0

    def fold_entries(self, table: str) -> list[Entry]:
        """Return the entries that recovery folds, oldest first: from the last boundary on, that entry included."""
        found: list[Entry] = []
        for entry in self.walk_back(self.tail(table)):
            found.append(entry)
            if entry.boundary:
                break
        found.reverse()
        return found

    def round_entries(self, table: str, number: int, shoe: int | None = None) -> list[Entry]:
        """Return every entry of a round in order; of the round of this number in each shoe when no shoe is named."""
        rows = self._rows("SELECT last FROM spans WHERE table_id = ? AND round = ?", (table, number))
        if not all(isinstance(row[0], int) for row in rows):
            detail = "the index of rounds holds a value of the wrong kind."
            raise damaged(self.path, Damage(DamageKind.INDEX, 0, table, detail))
        ends = {row[0] for row in rows}
        tail = self.tail(table)
        found: dict[int, Entry] = {}
        for end in sorted(ends | {tail}):
            for entry in self.walk_back(end):
                if entry.table != table or entry.round != number or entry.number in found:
                    break
                found[entry.number] = entry
        return [found[at] for at in sorted(found) if shoe is None or found[at].shoe == shoe]

    def damage_among(self, entries: Iterable[Entry]) -> Damage | None:
        """Return the first of these entries that is not what its hash was made of; the rest of the journal is not asked."""
        for entry in entries:
            number, before = entry.number, self.header_hash
            if number > 1:
                found = self._rows("SELECT hash FROM entries WHERE number = ?", (number - 1,))
                if not found or not isinstance(found[0][0], bytes):
                    detail = f"record {number - 1}, which record {number} of table {entry.table} rests on, is missing."
                    return Damage(DamageKind.REMOVED, number - 1, entry.table, detail)
                before = found[0][0]
            (record,) = self._rows("SELECT record FROM entries WHERE number = ?", (number,))[0]
            if chain_hash(before, record, entry.sealed) != entry.hash:
                return edited(number, entry.table)
        return None

    def tail(self, table: str) -> int:
        """Return the number of the table's last entry, 0 for none."""
        rows = self._rows("SELECT message, signature FROM checkpoints ORDER BY seq DESC LIMIT 1", ())
        signed_to = last = 0
        if rows:
            try:
                checkpoint = decode_checkpoint(SignedCheckpoint(*rows[0]))
            except (ValueError, TypeError) as error:
                raise damaged(self.path, Damage(DamageKind.CHECKPOINT, 0, "", "the last checkpoint cannot be read.")) from error
            signed_to, last = checkpoint.number, checkpoint.tails.get(table, 0)
        for number, record in self._rows("SELECT number, record FROM entries WHERE number > ?", (signed_to,)):
            if self.decode_head(number, record).table == table:
                last = max(last, number)
        return last

    def open_entry(self, entry: Entry) -> OpenedEntry:
        """Return the entry with its hidden cards; whoever calls this keeps them sealed until the procedure shows them.

        Raises:
            JournalKeyError: when the reader has no seal key.
            JournalDamagedError: when the sealed bytes do not open.
        """
        if not entry.sealed:
            return OpenedEntry(entry)
        if self._seal is None:
            raise JournalKeyError(f"Record {entry.number} has hidden cards and no key was given.", "Name the key file with `--keys`.")
        try:
            return OpenedEntry(entry, self._seal.open_cards(entry.sealed, entry.number, entry.table))
        except SealBrokenError as error:
            raise damaged(self.path, Damage(DamageKind.SEALED, entry.number, entry.table, f"{error}.")) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def walk_back(self, number: int) -> Iterator[Entry]:
        """Give a table's entries from this number back to its first."""
        while number > 0:
            rows = self._rows("SELECT number, record, sealed, hash FROM entries WHERE number = ?", (number,))
            if not rows:
                raise damaged(self.path, Damage(DamageKind.REMOVED, number, "", f"record {number} is missing."))
            entry = self._entry(*rows[0])
            yield entry
            if entry.back >= number:
                raise damaged(self.path, Damage(DamageKind.EDITED, number, entry.table, f"record {number} points forward."))
            number = entry.back

    def decode_head(self, number: int, record: bytes) -> HeadLine:
        """Return the head of a record.

        Raises:
            JournalDamagedError: when it has none.
        """
        try:
            return decode_head(record)
        except ValueError as error:
            raise damaged(self.path, _unreadable(number)) from error

    def _entry(self, number: int, record: bytes, sealed: bytes, stored: bytes) -> Entry:
        try:
            entry = decode_entry(record, sealed, stored)
        except ValueError as error:
            raise damaged(self.path, _unreadable(number)) from error
        if entry.number != number:
            detail = f"record {entry.number} of table {entry.table} stands in the place of record {number}."
            raise damaged(self.path, Damage(DamageKind.REORDERED, number, entry.table, detail))
        return entry

    def _rows(self, query: str, values: tuple[int | str, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, damage_of_file(error, 0)) from error

    def _one(self, query: str, values: tuple[int | str, ...]) -> int:
        found: int = self._rows(query, values)[0][0]
        return found


def open_reader(path: Path, *, seal_key: bytes | None = None) -> JournalReader:
    """Open a journal for reading; with the seal key its hidden cards can be opened.

    Raises:
        JournalUnavailableError: when the file is missing, not permitted or of an unknown version.
        JournalKeyError: when the key is not this journal's.
        JournalDamagedError: when it is no journal.
    """
    if not path.is_file():
        raise JournalUnavailableError(f"There is no journal {path}.", "Name the journal file of the table.")
    connection = connect_reader(path)
    try:
        stored = read_header(connection, path)
    except DamageFoundError as error:
        connection.close()
        raise damaged(path, error.damage) from error
    except JournalUnavailableError:
        connection.close()
        raise
    if seal_key is not None and seal_key_id(seal_key) != stored.header.seal_key_id:
        connection.close()
        raise JournalKeyError(f"The journal {path} was made with another seal key.", "Name the key file that was made for this journal.")
    return JournalReader(path, connection, stored, seal_key)


def _unreadable(number: int) -> Damage:
    return Damage(DamageKind.EDITED, number, "", f"record {number} has no readable head.")

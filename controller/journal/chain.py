"""Walks the hash chain over the stored bytes and tells what broke it.

The walk compares one hash a record: a record that was edited, taken out, put in or moved breaks the chain at its
place, since the chain runs over the records in the order of their numbers. Only when it breaks is the cause looked
for, among the numbers that the records give themselves and the links to their neighbours.

Works on a read-only connection whose text comes as bytes; changes nothing.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Final

import msgspec

from controller.journal.entry import SEALED_LENGTHS, Head, HeadLine, chain_hash, decode_head
from controller.journal.errors import DamageKind

_AHEAD_MAX: Final = 10_000
"""How many records are searched for the table of a missing one: some minutes of a busy hall."""


class Damage(msgspec.Struct, frozen=True):
    """The first thing wrong: a sentence without the file's name, and the record it is about (0: the header)."""

    kind: DamageKind
    number: int
    table: str
    detail: str


Row = tuple[int, bytes, bytes, bytes]


def walk_chain(connection: sqlite3.Connection, start: Head) -> tuple[Head, Damage | None]:
    """Check every entry after `start` and return the last sound one, with the first damage."""
    begin, lengths = hashlib.sha256().copy, SEALED_LENGTHS  # copying a fresh digest costs less than making one
    count, before = start.number, start.hash
    sound = True
    try:
        rows = connection.execute("SELECT record, sealed, hash FROM entries WHERE number > ? ORDER BY number", (start.number,))
        try:
            for record, sealed, stored in rows:
                digest = begin()
                digest.update(before + lengths[len(sealed)] + sealed + record)
                computed = digest.digest()
                if computed != stored:
                    sound = False
                    break
                before = computed
                count += 1
        except (TypeError, IndexError):  # a damaged file can give another kind of value, or an impossible length
            sound = False
        head = Head(count, before)
        return head, _damage_of_numbers(connection, head) if sound else _diagnose(connection, head)
    except sqlite3.DatabaseError as error:
        return Head(count, before), damage_of_file(error, count + 1)


def damage_of_file(error: sqlite3.DatabaseError, number: int) -> Damage:
    """Return the damage of a file that SQLite itself cannot read at or after record `number`."""
    name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
    if name == "SQLITE_NOTADB":
        return Damage(DamageKind.FILE, number, "", "the file is another kind of file, or a journal whose first bytes were changed or lost.")
    detail = f"the file cannot be read from record {number} on ({name}): bytes of it were changed or lost."
    return Damage(DamageKind.FILE, number, "", detail)


def _damage_of_numbers(connection: sqlite3.Connection, head: Head) -> Damage | None:
    """A sound chain over wrongly numbered rows: all of them moved by the same step."""
    lowest, highest = connection.execute("SELECT min(number), max(number) FROM entries").fetchone()
    if head.number == 0 and lowest is None:
        return None
    if lowest != 1 or highest != head.number:
        detail = f"{head.number} records are numbered {lowest} to {highest}, not 1 to {head.number}."
        return Damage(DamageKind.REORDERED, min(1, lowest or 0), "", detail)
    return None


def _diagnose(connection: sqlite3.Connection, head: Head) -> Damage:
    expected = head.number + 1
    number, record, sealed, stored = _row_at(connection, expected)
    if not _is_sound(record, sealed, stored):
        detail = f"record {number} holds a value of the wrong kind: bytes of the file were changed or lost."
        return Damage(DamageKind.FILE, number, "", detail)
    said = _maybe_head(record)
    if number > expected:
        return _removed(connection, expected, number - 1)
    if said is not None and said.number != expected:
        elsewhere = connection.execute("SELECT number FROM entries WHERE substr(record, 1, ?) = ? LIMIT 1", _prefix(expected)).fetchone()
        if elsewhere is None:
            return _removed(connection, expected, expected)
        detail = f"record {said.number} of table {said.table} stands in the place of record {expected}, which stands at {elsewhere[0]}."
        return Damage(DamageKind.REORDERED, expected, said.table, detail)
    table = said.table if said is not None else ""
    whose = f"record {expected}" + (f" of table {table}" if table else "")
    computed = chain_hash(head.hash, record, sealed)
    following = connection.execute("SELECT record, sealed, hash FROM entries WHERE number = ?", (expected + 1,)).fetchone()
    if following is not None and _is_sound(*following) and chain_hash(computed, following[0], following[1]) == following[2]:
        return Damage(DamageKind.EDITED, expected, table, f"the stored hash of {whose} was altered; its content is as written.")
    if len(stored) != len(computed):
        return Damage(DamageKind.EDITED, expected, table, f"the stored hash of {whose} was cut.")
    return edited(expected, table)


def edited(number: int, table: str) -> Damage:
    """Return the damage of a record that does not fit its hash."""
    whose = f"record {number}" + (f" of table {table}" if table else "")
    return Damage(DamageKind.EDITED, number, table, f"{whose} was edited: its bytes are not those its hash was made of.")


def _is_sound(record: object, sealed: object, stored: object) -> bool:
    """Tell whether values have the kinds and lengths of a record; a damaged file can give any."""
    return isinstance(record, bytes) and isinstance(sealed, bytes) and isinstance(stored, bytes) and len(sealed) < len(SEALED_LENGTHS)


def _row_at(connection: sqlite3.Connection, number: int) -> Row:
    row: Row = connection.execute(
        "SELECT number, record, sealed, hash FROM entries WHERE number >= ? ORDER BY number LIMIT 1", (number,)
    ).fetchone()
    return row


def _removed(connection: sqlite3.Connection, first: int, last: int) -> Damage:
    table = ""
    rows = connection.execute("SELECT record FROM entries WHERE number >= ? ORDER BY number LIMIT ?", (first, _AHEAD_MAX))
    for (record,) in rows:
        said = _maybe_head(record)
        if said is not None and said.back == first:
            table = said.table
            break
    whose = f" of table {table}" if table else ""
    what = f"record {first}{whose} was" if first == last else f"records {first} to {last} were"
    return Damage(DamageKind.REMOVED, first, table, f"{what} taken out.")


def _prefix(number: int) -> tuple[int, str]:
    text = f'{{"number":{number},'
    return len(text), text


def _maybe_head(record: bytes) -> HeadLine | None:
    try:
        return decode_head(record)
    except ValueError:
        return None

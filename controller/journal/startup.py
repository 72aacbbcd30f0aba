"""What is checked before a journal is opened, in a fixed order, and what its writer and readers start from.

Order: the file is a journal of a known version - its header is the one that was signed - the chain (whole, or from
the last signed checkpoint on) - the checkpoints. The first thing wrong raises; nothing is changed on disk. Sealed
cards and projections are left to `verify`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from controller.journal.chain import Damage, damage_of_file, walk_chain
from controller.journal.checkpoint import (
    NO_CHECKPOINT,
    Checkpoint,
    SignedCheckpoint,
    decode_checkpoint,
    open_checkpoint,
    public_key_of,
)
from controller.journal.entry import Head, HeadLine, decode_head
from controller.journal.errors import DamageKind, JournalDamagedError, JournalUnavailableError
from controller.journal.schema import APPLICATION_ID, SCHEMA_VERSION, Header, decode_header, header_hash

Extent = Literal["all", "tail"]
"""How much of the chain is walked: all of it, or what follows the last signed checkpoint."""


class StoredHeader(msgspec.Struct, frozen=True):
    """The header with its exact bytes."""

    header: Header
    body: bytes

    @property
    def hash(self) -> bytes:
        return header_hash(self.body)


class StartState(msgspec.Struct, frozen=True):
    """A sound journal: where it stands."""

    header: Header
    head: Head
    checkpoint: Checkpoint
    link: str
    """What the next checkpoint names as `before`."""
    tails: dict[str, HeadLine]
    """The head of each table's last entry."""


class DamageFoundError(Exception):
    """Carries the first damage out of a check; converted by the doors of this package."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.detail)
        self.damage = damage


def damaged(path: Path, damage: Damage) -> JournalDamagedError:
    """Return the error that tells this damage of this file."""
    return JournalDamagedError(path, damage.kind, damage.number, damage.table, damage.detail)


def read_header(connection: sqlite3.Connection, path: Path) -> StoredHeader:
    """Return the header.

    Raises:
        DamageFoundError: when the file is no journal or has no readable header.
        JournalUnavailableError: when its version is newer than this program.
    """
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION_ID:
            raise DamageFoundError(Damage(DamageKind.HEADER, 0, "", "the file is not a journal of shoed."))
        if not 1 <= version <= SCHEMA_VERSION:
            raise JournalUnavailableError(
                f"The journal {path} has schema version {version}; this program knows 1 to {SCHEMA_VERSION}.",
                "Open it with the newer program that wrote it.",
            )
        rows = connection.execute("SELECT body FROM header").fetchall()
    except sqlite3.DatabaseError as error:
        raise DamageFoundError(damage_of_file(error, 0)) from error
    if len(rows) != 1:
        raise DamageFoundError(Damage(DamageKind.HEADER, 0, "", "the header is missing."))
    try:
        return StoredHeader(decode_header(rows[0][0]), rows[0][0])
    except (ValueError, TypeError) as error:
        raise DamageFoundError(Damage(DamageKind.HEADER, 0, "", "the header cannot be read.")) from error


def read_checkpoints(
    connection: sqlite3.Connection, stored: StoredHeader, after: int = 0, *, signatures: bool = True
) -> Iterator[tuple[Checkpoint, SignedCheckpoint]]:
    """Give the checkpoints with a seq above `after` in order, each with its place and, if wanted, its signature verified.

    Raises:
        DamageFoundError: at the first that is missing, altered or misplaced.
    """
    key = public_key_of(stored.header.public_key)
    expected, link = after + 1, NO_CHECKPOINT if after == 0 else None
    rows = connection.execute("SELECT seq, message, signature FROM checkpoints WHERE seq > ? ORDER BY seq", (after,))
    for seq, message, signature in rows:
        if not (isinstance(message, bytes) and isinstance(signature, bytes)):
            raise DamageFoundError(_checkpoint_damage(seq, "was altered: it holds a value of the wrong kind"))
        signed = SignedCheckpoint(message, signature)
        if seq != expected:
            raise DamageFoundError(_checkpoint_damage(expected, "was taken out"))
        try:
            checkpoint = open_checkpoint(signed, key) if signatures else decode_checkpoint(signed)
        except ValueError as error:
            if seq == 1:
                raise DamageFoundError(_header_damage()) from error
            raise DamageFoundError(_checkpoint_damage(seq, "was altered: its signature is wrong")) from error
        if checkpoint.checkpoint != seq or checkpoint.file != stored.header.file_id:
            raise DamageFoundError(_checkpoint_damage(seq, "belongs elsewhere"))
        if link is not None and checkpoint.before != link:
            raise DamageFoundError(_checkpoint_damage(seq, "does not follow the one before it"))
        if seq == 1 and (checkpoint.number != 0 or checkpoint.hash != stored.hash.hex()):
            raise DamageFoundError(_header_damage())
        expected, link = seq + 1, signed.link()
        yield checkpoint, signed


def inspect_journal(connection: sqlite3.Connection, path: Path, extent: Extent) -> StartState:
    """Check a journal and return where it stands.

    Raises:
        JournalDamagedError: names the first damage.
        JournalUnavailableError: when the file's version is unknown.
    """
    try:
        stored = read_header(connection, path)
        return _inspect(connection, stored, extent)
    except DamageFoundError as error:
        raise damaged(path, error.damage) from error
    except sqlite3.DatabaseError as error:
        raise damaged(path, damage_of_file(error, 1)) from error


def _inspect(connection: sqlite3.Connection, stored: StoredHeader, extent: Extent) -> StartState:
    last_seq = connection.execute("SELECT max(seq) FROM checkpoints").fetchone()[0]
    if last_seq is None:
        raise DamageFoundError(_no_checkpoints())
    _first_checkpoint(read_checkpoints(connection, stored))  # proves the header before anything is believed
    if extent == "all":
        head = _walk(connection, Head(0, stored.hash))
        checkpoint, signed = _verify_linked(connection, stored, head)
    else:
        checkpoint, signed = _first_checkpoint(read_checkpoints(connection, stored, last_seq - 1))
        verify_anchored(connection, checkpoint, checkpoint.number, checkpoint.number)
        head = _walk(connection, Head(checkpoint.number, bytes.fromhex(checkpoint.hash)))
    return StartState(stored.header, head, checkpoint, signed.link(), read_tails(connection, checkpoint))


def verify_checkpoints(
    connection: sqlite3.Connection, stored: StoredHeader, head: Head, *, signatures: bool = True
) -> tuple[Checkpoint, SignedCheckpoint]:
    """Compare every checkpoint with the walked chain and return the last.

    Raises:
        DamageFoundError: when a checkpoint is not in order or tells another chain.
    """
    last: tuple[Checkpoint, SignedCheckpoint] | None = None
    signed_to = 0
    for checkpoint, signed in read_checkpoints(connection, stored, signatures=signatures):
        if checkpoint.number > head.number:
            raise DamageFoundError(truncated(connection, head.number, checkpoint.number, "a signed checkpoint"))
        if checkpoint.number > 0:
            verify_anchored(connection, checkpoint, signed_to + 1, checkpoint.number)
        signed_to = checkpoint.number
        last = checkpoint, signed
    if last is None:
        raise DamageFoundError(_no_checkpoints())
    return last


def verify_anchored(connection: sqlite3.Connection, checkpoint: Checkpoint, first: int, last: int) -> None:
    """Check that the record a checkpoint names has the hash it names; `first` to `last` is what it newly vouches for.

    Raises:
        DamageFoundError: when the record is missing or another.
    """
    if checkpoint.number == 0:
        return
    row = connection.execute("SELECT hash FROM entries WHERE number = ?", (checkpoint.number,)).fetchone()
    if row is None:
        highest = connection.execute("SELECT max(number) FROM entries").fetchone()[0] or 0
        raise DamageFoundError(truncated(connection, highest, checkpoint.number, "a signed checkpoint"))
    if row[0].hex() != checkpoint.hash:
        span = f"record {last}" if first >= last else f"one of the records {first} to {last}"
        detail = f"{span} was rewritten: checkpoint {checkpoint.checkpoint} signed another hash for record {checkpoint.number}."
        raise DamageFoundError(Damage(DamageKind.REWRITTEN, first, table_of(connection, first), detail))


def truncated(connection: sqlite3.Connection, highest: int, signed_to: int, witness: str) -> Damage:
    """Return the damage of a journal that ends at `highest` although `witness` vouches for `signed_to`."""
    first = highest + 1
    what = f"record {first} is" if first == signed_to else f"records {first} to {signed_to} are"
    if highest < signed_to and connection.execute("SELECT max(number) FROM entries").fetchone()[0] not in (
        None,
        highest,
    ):
        return Damage(DamageKind.REMOVED, first, "", f"{what} missing.")
    detail = f"the end was cut off: {what} missing, {witness} vouches for {signed_to}."
    return Damage(DamageKind.TRUNCATED, first, "", detail)


def read_tails(connection: sqlite3.Connection, checkpoint: Checkpoint) -> dict[str, HeadLine]:
    """Return the head of each table's last entry, from the last checkpoint and what follows it."""
    tails: dict[str, HeadLine] = {}
    for table, number in checkpoint.tails.items():
        row = connection.execute("SELECT record FROM entries WHERE number = ?", (number,)).fetchone()
        if row is not None:
            tails[table] = _head_at(number, row[0])
    rows = connection.execute("SELECT number, record FROM entries WHERE number > ? ORDER BY number", (checkpoint.number,))
    for number, record in rows:
        head = _head_at(number, record)
        tails[head.table] = head
    return tails


def _head_at(number: int, record: bytes) -> HeadLine:
    try:
        head = decode_head(record)
    except ValueError as error:
        raise DamageFoundError(Damage(DamageKind.EDITED, number, "", f"record {number} has no readable head.")) from error
    if head.number != number:
        detail = f"record {head.number} of table {head.table} stands in the place of record {number}."
        raise DamageFoundError(Damage(DamageKind.REORDERED, number, head.table, detail))
    return head


def table_of(connection: sqlite3.Connection, number: int) -> str:
    """Return the table that record `number` names, or "" where it names none."""
    row = connection.execute("SELECT record FROM entries WHERE number = ?", (number,)).fetchone()
    try:
        return decode_head(row[0]).table if row is not None else ""
    except ValueError:
        return ""


def _verify_linked(connection: sqlite3.Connection, stored: StoredHeader, head: Head) -> tuple[Checkpoint, SignedCheckpoint]:
    """Do as `verify_checkpoints` with the last signature only: it covers those before it through `before`."""
    try:
        checkpoint, signed = verify_checkpoints(connection, stored, head, signatures=False)
        open_checkpoint(signed, public_key_of(stored.header.public_key))
        return checkpoint, signed
    except (DamageFoundError, ValueError):
        return verify_checkpoints(connection, stored, head)  # names the one that is wrong


def _first_checkpoint(
    checkpoints: Iterator[tuple[Checkpoint, SignedCheckpoint]],
) -> tuple[Checkpoint, SignedCheckpoint]:
    for first in checkpoints:
        return first
    raise DamageFoundError(_no_checkpoints())


def _no_checkpoints() -> Damage:
    return Damage(DamageKind.CHECKPOINT, 0, "", "its signed checkpoints are missing.")


def _walk(connection: sqlite3.Connection, start: Head) -> Head:
    head, damage = walk_chain(connection, start)
    if damage is not None:
        raise DamageFoundError(damage)
    return head


def _header_damage() -> Damage:
    return Damage(DamageKind.HEADER, 0, "", "the header was altered: it is not the one that was signed.")


def _checkpoint_damage(seq: int, what: str) -> Damage:
    return Damage(DamageKind.CHECKPOINT, 0, "", f"checkpoint {seq} {what}.")

"""The one writing connection: turns offered entries into committed ones, and nothing else writes the file.

`commit` writes a batch in one transaction and one sync. Numbers, hashes and the tails of the tables move on only
after the commit succeeded; a failed one leaves the store where it was, and the next batch gets the same numbers under
a new seal attempt. A due checkpoint travels in the same transaction. A batch without one, and without the end of a
round, is a single statement: SQLite releases the interpreter once for it, so that a busy loop cannot delay it row by
row.

Not thread-safe: one thread owns it (see `committer`). Foreign exceptions are turned into `WriteRefusedError` here.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.ballast import Ballast
from controller.journal.checkpoint import (
    Checkpoint,
    CheckpointReason,
    SignedCheckpoint,
    encode_anchor,
    sign_checkpoint,
)
from controller.journal.clock import JournalClock
from controller.journal.entry import EntryDraft, Head, HeadLine, chain_hash, encode_record
from controller.journal.schema import PAGE_BYTES, WAL_PAGES_MAX, connect_reader, connect_writer, grow_log
from controller.journal.seal import EntrySeal
from controller.journal.startup import StartState, inspect_journal

ROWS_PER_STATEMENT: Final = 64
"""As many as the writers of one busy loop bring at once; each size up to it is prepared once and kept."""
_ROW: Final = "(?,?,?,?)"
_INSERTS: Final = tuple(
    "INSERT INTO entries VALUES " + ",".join([_ROW] * rows)  # noqa: S608  # only question marks are joined
    for rows in range(ROWS_PER_STATEMENT + 1)
)


class JournalOptions(msgspec.Struct, frozen=True):
    """Limits of a journal that a configuration may change."""

    checkpoint_entries: int = 1000
    """A start-up that walks only the tail, and a reader looking for a table's last entry, read at most this many."""
    checkpoint_ms: int = 60_000
    """Nobody without the key can rewrite more than the last minute."""
    ballast_bytes: int = 1 << 20
    """Room for the closing records of some 80 tables."""
    pending_max: int = 10_000
    """Entries that may wait: about a second at the rate of a healthy disk."""
    page_max: int | None = None
    """A limit of the file's size in pages of 4 KB; None: the disk's."""


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A verified draft on its way to the disk."""

    draft: EntryDraft
    wall_ms: int
    mono_ns: int


class WriteRefusedError(Exception):
    """A transaction did not commit.

    Attributes:
        is_full: there was no room; otherwise the disk or the file failed.
        reason: what the system said.
    """

    def __init__(self, *, is_full: bool, reason: str) -> None:
        super().__init__(reason)
        self.is_full = is_full
        self.reason = reason


class Store:
    """The committed state of a journal file and the connection that moves it on."""

    def __init__(
        self,
        path: Path,
        start: StartState,
        keys: tuple[bytes, Ed25519PrivateKey],
        clock: JournalClock,
        options: JournalOptions,
        stall: Callable[[], None] | None,
    ) -> None:
        """Open the writing connection; `keys` are the seal key and the signing key, `stall` runs before each sync."""
        self._path = path
        self._header = start.header
        self._signing_key = keys[1]
        self._seal = EntrySeal(keys[0], start.header.file_id)
        self._clock = clock
        self._options = options
        self._stall = stall
        self._connection = connect_writer(path, options.page_max)
        self.ballast = Ballast(path, options.ballast_bytes)
        self.head = start.head
        self._tails = start.tails
        self._checkpoint = start.checkpoint
        self._link = start.link
        self._checkpoint_mono_ns = clock.mono_ns()
        self._wal_pages = 0
        self.syncs = 0

    def commit(self, offers: Sequence[Offer]) -> int:
        """Write the offers in order in one transaction and return the number of the first.

        Raises:
            WriteRefusedError: when nothing of them was committed.
        """
        first = self.head.number + 1
        tails = dict(self._tails)
        spans: list[tuple[str, int, int, int]] = []
        before = self.head.hash
        values: list[int | str | bytearray] = []  # `sqlite3` looks for adapters of bytes each time, of a bytearray never
        size = 0
        for number, offer in enumerate(offers, first):
            draft = offer.draft
            tail = tails.get(draft.table)
            if tail is not None and (tail.round != draft.round or tail.shoe != draft.shoe):
                spans.append((draft.table, tail.round, tail.shoe, tail.number))
            sealed = self._seal.seal_cards(draft.cards, number, draft.table) if draft.cards else b""
            head_line = HeadLine(
                number,
                draft.table,
                tail.number if tail is not None else 0,
                offer.wall_ms,
                offer.mono_ns,
                draft.shoe,
                draft.round,
                int(draft.boundary),
                draft.kind,
                len(draft.body),
                len(sealed),
            )
            record = encode_record(head_line, draft.body)
            before = chain_hash(before, record, sealed)
            values += (number, record.decode(), bytearray(sealed), bytearray(before))
            size += len(record)
            tails[draft.table] = head_line
        head = Head(first + len(offers) - 1, before)
        due = self._is_checkpoint_due(head.number)
        signed = self._next_checkpoint(head, tails, CheckpointReason.PERIODIC) if due else None
        self._transact(values, spans, signed)
        self._tails = tails
        self._advance(head, signed, size)
        return first

    def write_checkpoint(self, reason: CheckpointReason) -> None:
        """Sign where the chain stands, in a transaction of its own.

        Raises:
            WriteRefusedError: when it was not committed.
        """
        signed = self._next_checkpoint(self.head, self._tails, reason)
        self._transact([], [], signed)
        self._advance(self.head, signed, 0)

    def has_unsigned(self) -> bool:
        """Tell whether entries follow the last checkpoint, or it was not one of closing."""
        return self._checkpoint.number != self.head.number or self._checkpoint.reason is not CheckpointReason.CLOSED

    def is_checkpoint_due(self) -> bool:
        """Tell whether entries wait for a checkpoint longer than they should."""
        return self._is_checkpoint_due(self.head.number)

    def export_head(self) -> bytes:
        """Return the signed line that tells where the chain stands, for keeping outside; writes nothing."""
        signed, _ = self._next_checkpoint(self.head, self._tails, CheckpointReason.ASKED)
        return encode_anchor(signed, self._header.public_key)

    def is_log_due(self) -> bool:
        """Tell whether the write-ahead log has grown enough to be moved."""
        return self._wal_pages >= WAL_PAGES_MAX

    def move_log_if_due(self) -> None:
        """Move the write-ahead log into the file once it has grown; called when nobody waits for a commit.

        Raises:
            WriteRefusedError: when the file cannot take it; what was committed stays in the log.
        """
        if not self.is_log_due():
            return
        self._wal_pages = 0
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            raise refused_write(error) from error

    def probe(self) -> None:
        """Find out whether entries can be written again: take the reserve, open anew, compare, commit a checkpoint.

        The connection that met the failure is not trusted with its memory of the file: a new one reads the tail back,
        and it must end where this process was told that it ends.

        Raises:
            WriteRefusedError: when they cannot.
            JournalDamagedError: when the file is not where this process left it.
        """
        try:
            self._connection.close()
            self._connection = connect_writer(self._path, self._options.page_max)
        except sqlite3.Error as error:
            raise refused_write(error) from error
        self.take_reserves()
        self._verify_tail()
        self._seal.begin_attempt()
        self.write_checkpoint(CheckpointReason.PROBE)

    def take_reserves(self) -> None:
        """Take the room that the journal keeps: the reserve for closing records and the write-ahead log at full size.

        Raises:
            WriteRefusedError: when there is no room.
        """
        try:
            self.ballast.restore()
            grow_log(self._path)
        except OSError as error:
            raise refused_write(error) from error

    def close(self) -> None:
        """Close the connection; the last one moves the write-ahead log into the file."""
        self._connection.close()

    def _verify_tail(self) -> None:
        reader = connect_reader(self._path)
        try:
            found = inspect_journal(reader, self._path, "tail").head
        finally:
            reader.close()
        if found != self.head:
            raise WriteRefusedError(
                is_full=False, reason=f"it ends at record {found.number} and record {self.head.number} was acknowledged"
            )

    def _is_checkpoint_due(self, number: int) -> bool:
        behind = number - self._checkpoint.number
        if behind <= 0:
            return False
        age_ms = (self._clock.mono_ns() - self._checkpoint_mono_ns) // 1_000_000
        return behind >= self._options.checkpoint_entries or age_ms >= self._options.checkpoint_ms

    def _next_checkpoint(self, head: Head, tails: dict[str, HeadLine], reason: CheckpointReason) -> tuple[SignedCheckpoint, Checkpoint]:
        checkpoint = Checkpoint(
            self._checkpoint.checkpoint + 1,
            self._header.file_id,
            head.number,
            head.hash.hex(),
            self._clock.wall_ms(),
            reason,
            {table: tail.number for table, tail in tails.items()},
            self._link,
        )
        return sign_checkpoint(checkpoint, self._signing_key), checkpoint

    def _transact(
        self,
        values: list[int | str | bytearray],
        spans: list[tuple[str, int, int, int]],
        signed: tuple[SignedCheckpoint, Checkpoint] | None,
    ) -> None:
        connection = self._connection
        step = ROWS_PER_STATEMENT * 4
        try:
            if self._stall is not None:
                self._stall()
            if not spans and signed is None and len(values) <= step:
                connection.execute(_INSERTS[len(values) // 4], values)
            else:
                connection.execute("BEGIN IMMEDIATE")
                for at in range(0, len(values), step):
                    part = values[at : at + step]
                    connection.execute(_INSERTS[len(part) // 4], part)
                if spans:
                    connection.executemany("INSERT INTO spans VALUES (?,?,?,?)", spans)
                if signed is not None:
                    row = (signed[1].checkpoint, signed[0].message.decode(), signed[0].signature)
                    connection.execute("INSERT INTO checkpoints VALUES (?,?,?)", row)
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._take_back()
            raise refused_write(error) from error
        self.syncs += 1

    def _take_back(self) -> None:
        self._seal.begin_attempt()
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                # The connection is beyond use; closing it rolls back, and a probe opens another.
                self._connection.close()

    def _advance(self, head: Head, signed: tuple[SignedCheckpoint, Checkpoint] | None, size: int) -> None:
        self.head = head
        self._wal_pages += 2 + size // PAGE_BYTES
        if signed is not None:
            self._checkpoint, self._link = signed[1], signed[0].link()
            self._checkpoint_mono_ns = self._clock.mono_ns()


def refused_write(error: OSError | sqlite3.Error) -> WriteRefusedError:
    """Return what a failed write means; decides by code, never by text."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        return WriteRefusedError(is_full=code & 0xFF == sqlite3.SQLITE_FULL, reason=name)
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return WriteRefusedError(is_full=is_full, reason=errno.errorcode.get(error.errno or 0, "OSError"))

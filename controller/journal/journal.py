"""The door to a table's durable record: open it, append to it, ask it for its state, close it.

Opening checks before it changes anything: the lock, the header, the hash chain, the checkpoints, the tables and the
keys; a refusal leaves the disk as it was. An entry's number is given when it is on the disk, so whoever awaits it may
acknowledge the device (EQ-96, T-28). Numbers follow the order of the calls. `committer` does the work; this file
knows no SQL.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.batch import BatchWriter, JournalState, JournalStats
from controller.journal.checkpoint import NO_CHECKPOINT, Checkpoint, CheckpointReason, sign_checkpoint
from controller.journal.clock import JournalClock
from controller.journal.committer import Committer
from controller.journal.entry import Entry, EntryDraft, Head, OpenedEntry, verify_draft, verify_name
from controller.journal.errors import (
    DamageKind,
    EntryRefusedError,
    JournalDamagedError,
    JournalError,
    JournalFailedError,
    JournalForeignError,
    JournalKeyError,
)
from controller.journal.keys import KEY_BYTES, public_key_hex, seal_key_id
from controller.journal.lock import JournalLock
from controller.journal.reader import JournalReader, open_reader
from controller.journal.schema import (
    FORMAT,
    SCHEMA_VERSION,
    Header,
    bytes_cut_off,
    connect_still,
    connect_writer,
    create_tables,
    encode_header,
    header_hash,
    log_of,
)
from controller.journal.startup import Extent, StartState, inspect_journal
from controller.journal.store import JournalOptions, Offer, Store, WriteRefusedError, refused_write

Keys = tuple[bytes, Ed25519PrivateKey]
"""The seal key and the signing key."""

TABLES_MAX: Final = 256
"""Tables that share one file; a checkpoint names each of them."""
KINDS_MAX: Final = 256
"""Names of kinds that are remembered as checked; there are some forty acts."""


class Journal:
    """An open journal; get it from `open_journal`, close it with `close` or `aclose`."""

    def __init__(
        self,
        path: Path,
        header: Header,
        works: tuple[BatchWriter, Committer],
        lock: JournalLock,
        seal_key: bytes,
        clock: JournalClock,
    ) -> None:
        """Take over what `open_journal` prepared."""
        self.path = path
        self.header = header
        self._writer, self._committer = works
        self._lock = lock
        self._seal_key = seal_key
        self._clock = clock
        self._tables = frozenset(header.tables)
        self._kinds: set[str] = set()
        self._reader: JournalReader | None = None
        self._closed = False

    @property
    def tables(self) -> tuple[str, ...]:
        return self.header.tables

    @property
    def state(self) -> JournalState:
        """READY, FULL or FAILED (no entry is taken, `probe` tries again), or CLOSED."""
        return self._writer.state

    @property
    def state_reason(self) -> str:
        """What the system said when the state left READY."""
        return self._writer.state_reason

    @property
    def head(self) -> Head:
        """The last committed entry's number and hash."""
        return self._writer.head

    @property
    def stats(self) -> JournalStats:
        return self._writer.stats

    def append(self, draft: EntryDraft, *, closing: bool = False) -> asyncio.Future[int]:
        """Offer an entry on the running loop; the future gives its number once it is on the disk.

        The order of calls is the order of numbers. Cancelling the wait does not take the entry back. `closing` marks
            the records that
        close a table: on a full disk they may use the reserve.

        Raises:
            JournalError: here or when awaited: EntryRefused, Full, Failed, Closed, Overloaded.
        """
        self._verify(draft)
        wall_ms, mono_ns = draft.wall_ms, draft.mono_ns
        if wall_ms is None:
            wall_ms = self._clock.wall_ms()
        if mono_ns is None:
            mono_ns = self._clock.mono_ns()
        return self._committer.offer_from_loop(draft, wall_ms, mono_ns, closing=closing)

    def append_now(self, draft: EntryDraft, *, closing: bool = False) -> int:
        """Write an entry and return its number; blocks, so never on a loop.

        Raises:
            JournalError: as `append`.
        """
        return self._committer.offer_blocking([self._offer(draft)], closing)[0]

    def append_all_now(self, drafts: Sequence[EntryDraft]) -> list[int]:
        """Write entries in as few transactions as possible and return their numbers; blocks.

        Raises:
            JournalError: as `append`; entries before the refused one are written.
        """
        return self._committer.offer_blocking([self._offer(draft) for draft in drafts], False)

    def probe(self) -> JournalState:
        """Try whether a full or failed journal takes entries again and return the state; blocks."""
        return self._committer.probe()

    async def probe_async(self) -> JournalState:
        """Do as `probe` in a worker thread."""
        return await asyncio.to_thread(self.probe)

    def checkpoint(self) -> None:
        """Sign where the chain stands now; blocks.

        Raises:
            JournalFailedError: when it could not be written.
        """
        self._ask(lambda store: store.write_checkpoint(CheckpointReason.ASKED))

    def export_head(self) -> bytes:
        """Return the anchor: one signed line that tells where the chain stands, to be kept elsewhere (EQ-87)."""
        return self._committer.call(lambda store: store.export_head())

    def read_entries(self, table: str | None, *, after: int = 0) -> Iterator[Entry]:
        """Give the entries after number `after` in order, of one table or of all."""
        return self._own_reader().read_entries(table, after=after)

    def last_entries(self, table: str, count: int) -> list[Entry]:
        """Return the last entries of a table, oldest first."""
        return self._own_reader().last_entries(table, count)

    def fold_start(self, table: str) -> int:
        """Return the number of the entry that recovery folds from, 0 for a table without entries."""
        return self._own_reader().fold_start(table)

    def fold_entries(self, table: str) -> list[Entry]:
        """Return what recovery folds: from the last boundary on, that entry included."""
        return self._own_reader().fold_entries(table)

    def open_entry(self, entry: Entry) -> OpenedEntry:
        """Return the entry with its hidden cards; whoever calls this keeps them sealed."""
        return self._own_reader().open_entry(entry)

    def close(self) -> None:
        """Write what waits and a last checkpoint and give the file back; blocks; harmless when closed already."""
        if self._closed:
            return
        self._closed = True
        if self._reader is not None:
            self._reader.close()  # before the writer: the last connection moves the write-ahead log into the file
        self._committer.close()
        self._lock.release()

    async def aclose(self) -> None:
        """Do as `close` in a worker thread."""
        await asyncio.to_thread(self.close)

    def _verify(self, draft: EntryDraft) -> None:
        verify_draft(draft)
        if draft.table not in self._tables:
            raise EntryRefusedError(f"table {draft.table!r} is none of this journal's")
        if draft.kind not in self._kinds:
            verify_name(draft.kind)
            if len(self._kinds) < KINDS_MAX:
                self._kinds.add(draft.kind)

    def _offer(self, draft: EntryDraft) -> Offer:
        self._verify(draft)
        wall_ms = draft.wall_ms if draft.wall_ms is not None else self._clock.wall_ms()
        mono_ns = draft.mono_ns if draft.mono_ns is not None else self._clock.mono_ns()
        return Offer(draft, wall_ms, mono_ns)

    def _ask(self, job: Callable[[Store], None]) -> None:
        try:
            self._committer.call(job)
        except WriteRefusedError as error:
            raise JournalFailedError(self.path, error.reason) from error

    def _own_reader(self) -> JournalReader:
        if self._reader is None:
            self._reader = open_reader(self.path, seal_key=self._seal_key)
        return self._reader


def open_journal(
    path: Path,
    *,
    tables: Sequence[str],
    seal_key: bytes,
    signing_key: Ed25519PrivateKey,
    clock: JournalClock,
    verify: Extent = "all",
    options: JournalOptions | None = None,
    stall: Callable[[], None] | None = None,
) -> Journal:
    """Open the journal of these tables for writing, or make it; one process at a time.

    Args:
        path: the file; its folder must exist.
        tables: names of all tables that share the file, in any order.
        seal_key: 32 bytes, encrypts hidden cards.
        signing_key: signs checkpoints.
        clock: stamps entries.
        verify: how much of the chain is walked before anything is written: all of it, or what follows the last
            checkpoint.
        options: limits.
        stall: called by the committer before each sync: lets a test or a measurement make the disk slow.

    Raises:
        JournalBusyError: another process writes it.
        JournalForeignError: it belongs to other tables.
        JournalKeyError: it was made with other keys.
        JournalDamagedError: it is not what was written; names the first damaged record.
        JournalUnavailableError: folder, permission, or version.
        JournalFailedError: the disk refused to make or open it.
    """
    limits = options or JournalOptions()
    keys = (seal_key, signing_key)
    wanted = _verify_arguments(tables, seal_key)
    lock = JournalLock(path)
    try:
        if not path.exists():
            _create(path, wanted, keys, clock)
        start = _inspect(path, wanted, keys, verify)
        store = Store(path, start, keys, clock, limits, stall)
    except (sqlite3.Error, OSError) as error:
        lock.release(unused=True)
        raise JournalFailedError(path, refused_write(error).reason) from error
    except JournalError:
        lock.release(unused=True)
        raise
    lock.sign()
    try:
        store.take_reserves()
        refused = None
    except WriteRefusedError as error:
        refused = error
    writer = BatchWriter(path, store, clock, refused)
    return Journal(path, start.header, (writer, Committer(path, writer, limits.pending_max)), lock, seal_key, clock)


def _verify_arguments(tables: Sequence[str], seal_key: bytes) -> tuple[str, ...]:
    wanted = tuple(sorted(set(tables)))
    if not 1 <= len(wanted) <= TABLES_MAX:
        raise EntryRefusedError(f"a journal has 1 to {TABLES_MAX} tables")
    for table in wanted:
        verify_name(table)
    if len(seal_key) != KEY_BYTES:
        raise JournalKeyError(f"A seal key has {KEY_BYTES} bytes.", "Load the keys with `load_keys`.")
    return wanted


def _create(path: Path, tables: tuple[str, ...], keys: Keys, clock: JournalClock) -> None:
    """Make the file beside its place and move it there whole: a crash in between leaves no half journal."""
    log = log_of(path)
    if log.exists() and log.stat().st_size > 0:
        detail = f"the file is missing although its write-ahead log {log.name} is there."
        raise JournalDamagedError(path, DamageKind.FILE, 0, "", detail)
    draft = path.with_name(path.name + ".new")
    for leftover in (draft, log_of(draft), path.with_name(draft.name + "-shm")):
        leftover.unlink(missing_ok=True)
    header = Header(
        FORMAT,
        SCHEMA_VERSION,
        secrets.token_hex(16),
        clock.wall_ms(),
        tables,
        f"shoed {version('shoed')}",
        seal_key_id(keys[0]),
        public_key_hex(keys[1]),
    )
    body = encode_header(header)
    first = Checkpoint(1, header.file_id, 0, header_hash(body).hex(), clock.wall_ms(), CheckpointReason.CREATED, {}, NO_CHECKPOINT)
    signed = sign_checkpoint(first, keys[1])
    connection = connect_writer(draft)
    try:
        create_tables(connection)
        connection.execute("INSERT INTO header VALUES (1, ?)", (body.decode(),))
        row = (1, signed.message.decode(), signed.signature)
        connection.execute("INSERT INTO checkpoints VALUES (?,?,?)", row)
    finally:
        connection.close()
    draft.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _inspect(path: Path, tables: tuple[str, ...], keys: Keys, extent: Extent) -> StartState:
    missing = bytes_cut_off(path)
    if missing:
        raise JournalDamagedError(path, DamageKind.FILE, 0, "", f"the last {missing} bytes of the file were cut off.")
    connection = connect_still(path)
    try:
        start = inspect_journal(connection, path, extent)
    finally:
        connection.close()
    if start.header.tables != tables:
        raise JournalForeignError(path, start.header.tables, tables)
    if start.header.seal_key_id != seal_key_id(keys[0]) or start.header.public_key != public_key_hex(keys[1]):
        raise JournalKeyError(f"The journal {path} was made with other keys.", "Name the key file that was made for this journal.")
    return start

"""The file: SQLite tables of schema version 1, the header, and how connections are set.

    header        one row: `body`, the exact JSON text of the header
    entries       number, record, sealed, hash (see `entry`): append-only, gap-free from 1
    checkpoints   seq, message, signature (see `checkpoint`)
    spans         table_id, round, shoe, last: where each finished stretch of a round ends (it can be rebuilt)
    readable      a view that shows the entries' fields as columns, for people with any SQLite tool

The header's hash, SHA-256("shoed journal header 1" | line feed | body), begins the hash chain, so that nobody can
give the entries another header. Versions stand side by side: a reader knows all older ones, and nobody rewrites an
old file.

Settings: write-ahead log, synchronous=FULL (a commit returns when it is on the disk), no memory map, and the
write-ahead log is moved into the file by the writer alone, between transactions. Exactly one connection writes;
SQLite before 3.51.3 can corrupt a WAL database when two connections write or checkpoint at the same moment.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

SCHEMA_VERSION: Final = 1
FORMAT: Final = "shoed-journal"
APPLICATION_ID: Final = 0x5348_4F45
"""`SHOE`: tells file(1) and us that the database is a journal."""
PAGE_BYTES: Final = 16_384
"""A batch of fifty records fills two of these pages and seven of SQLite's usual ones: a fifth less time a batch, while
the sync of a single record stays as quick. A file keeps the size it was made with."""
WAL_PAGES_MAX: Final = (4 << 20) // PAGE_BYTES
"""With 4 MB of write-ahead log, SQLite's own default, it is time to move it into the file, which takes milliseconds."""
WAL_GROWN_BYTES: Final = 6 << 20
"""Room for `WAL_PAGES_MAX` and the transactions until the log is really moved."""
WAL_SIZE_LIMIT_BYTES: Final = 8 << 20
"""What the write-ahead log keeps on disk after it was moved: more than it is grown to."""
SQLITE_HEADER_BYTES: Final = 100
"""SQLite file format, section 1.3: page size at 16, number of pages at 28."""
WAL_HEADER_BYTES: Final = 32
"""SQLite file format, section 4.1."""
BUSY_TIMEOUT_S: Final = 2.0
"""A reader meets a lock only while the writer recovers or closes, which takes milliseconds."""

_TABLES: Final = """
CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT;
CREATE TABLE entries (number INTEGER PRIMARY KEY, record TEXT NOT NULL, sealed BLOB NOT NULL, hash BLOB NOT NULL)
    STRICT;
CREATE TABLE checkpoints (seq INTEGER PRIMARY KEY, message TEXT NOT NULL, signature BLOB NOT NULL) STRICT;
CREATE TABLE spans (
    table_id TEXT NOT NULL, round INTEGER NOT NULL, shoe INTEGER NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY (table_id, round, shoe, last)
) STRICT, WITHOUT ROWID;
CREATE VIEW readable AS
    SELECT number, head ->> 'table' AS table_id, head ->> 'wall_ms' AS wall_ms, head ->> 'mono_ns' AS mono_ns,
        head ->> 'shoe' AS shoe, head ->> 'round' AS round, head ->> 'kind' AS kind, head ->> 'boundary' AS boundary,
        body, hex(sealed) AS sealed, hex(hash) AS hash
    FROM (SELECT number, substr(record, 1, instr(record, char(10)) - 1) AS head,
        substr(record, instr(record, char(10)) + 1) AS body, sealed, hash FROM entries);
"""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says of itself."""

    format: str
    schema: int
    file_id: str
    """32 random hex digits: no two journals share them."""
    created_ms: int
    tables: tuple[str, ...]
    software: str
    seal_key_id: str
    public_key: str
    """The Ed25519 key that its checkpoints verify with, 64 hex digits."""


_HEADER_DECODER: Final = msgspec.json.Decoder(Header)


def encode_header(header: Header) -> bytes:
    """Return the exact bytes that are stored."""
    return msgspec.json.encode(header)


def decode_header(body: bytes) -> Header:
    """Return the header of stored bytes.

    Raises:
        ValueError: when they are none.
    """
    header = _HEADER_DECODER.decode(body)
    if header.format != FORMAT or len(header.file_id) != 32 or len(header.public_key) != 64:
        raise ValueError("not the header of a journal")
    bytes.fromhex(header.file_id + header.public_key)
    return header


def header_hash(body: bytes) -> bytes:
    """Return the hash that the chain begins with."""
    return hashlib.sha256(b"shoed journal header 1\n" + body).digest()


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of the present version in an empty database."""
    connection.executescript(_TABLES)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def connect_writer(path: Path, page_max: int | None = None) -> sqlite3.Connection:
    """Open the one writing connection; the caller holds the journal's lock and closes it.

    Each statement outside BEGIN is its own transaction. The connection may be handed to one other thread.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("PRAGMA journal_mode = WAL")
    for setting in (
        "synchronous = FULL",
        "fullfsync = ON",
        "mmap_size = 0",
        "wal_autocheckpoint = 0",
        f"journal_size_limit = {WAL_SIZE_LIMIT_BYTES}",
        "trusted_schema = OFF",
    ):
        connection.execute(f"PRAGMA {setting}")
    if page_max is not None:
        connection.execute(f"PRAGMA max_page_count = {page_max}")
    return connection


def log_of(path: Path) -> Path:
    """Return where SQLite keeps the write-ahead log of a database."""
    return path.with_name(path.name + "-wal")


def grow_log(path: Path) -> None:
    """Fill the write-ahead log's file up with zeros, which SQLite takes for its end.

    A sync of a file that grows also writes the file system's own records and takes twice as long as one that
    overwrites. To be called by the lock's holder between opening the connection and its first write.

    Raises:
        OSError: when there is no room.
    """
    log = log_of(path)
    with log.open("ab") as file:
        missing = WAL_GROWN_BYTES - file.tell()
        if missing > 0:
            file.write(bytes(missing))
            file.flush()
            os.fsync(file.fileno())


def bytes_cut_off(path: Path) -> int:
    """Return how many bytes are missing at the end of a file that has no write-ahead log, by what its header says.

    SQLite notices a missing page when it is read, and start-up does not read all pages. With a log nothing can be said: the
    file may be in the middle of taking it in.
    """
    log = log_of(path)
    if log.exists() and log.stat().st_size > 0:
        return 0
    with path.open("rb") as file:
        head = file.read(SQLITE_HEADER_BYTES)
    if len(head) < SQLITE_HEADER_BYTES:
        return SQLITE_HEADER_BYTES - len(head)
    page_bytes, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    return max(0, page_bytes * pages - path.stat().st_size)


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open a connection that cannot write; text comes as the stored bytes.

    A file without a write-ahead log is opened as immutable only where nobody can be writing: that is the lock
    holder's business, see `connect_still`. The connection may be used by one thread at a time.
    """
    if not log_of(path).exists() and not os.access(path.parent, os.W_OK):
        return _connect(path, "mode=ro&immutable=1")  # a copy on a medium where SQLite cannot make its index file
    return _connect(path, "mode=ro")


def connect_still(path: Path) -> sqlite3.Connection:
    """Open for reading a file that nobody writes now (the caller holds the lock), leaving no trace if it can."""
    log = log_of(path)
    still = not log.exists() or _is_empty(log)
    return _connect(path, "mode=ro&immutable=1" if still else "mode=ro")


def _is_empty(log: Path) -> bool:
    """Tell whether a write-ahead log was never written: no bytes, or only the zeros it was grown with."""
    with log.open("rb") as file:
        return not any(file.read(WAL_HEADER_BYTES))


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_S)
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA mmap_size = 0")
    return connection

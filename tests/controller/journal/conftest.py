"""A journal workshop: fixed keys, clocks that only move when told, and an SQL door for damaging a closed journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.entry import EntryDraft
from controller.journal.journal import Journal, open_journal
from controller.journal.keys import JournalKeys
from controller.journal.store import JournalOptions

START_MS = 1_767_225_600_000


class HandClock:
    """Both clocks, moved by hand; each reading of the wall clock moves it by a millisecond."""

    def __init__(self) -> None:
        self.wall = START_MS
        self.mono = 1_000_000_000

    def wall_ms(self) -> int:
        self.wall += 1
        return self.wall

    def mono_ns(self) -> int:
        return self.mono


class Workshop:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "table.journal"
        self.keys = JournalKeys(bytes(range(32)), Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))
        self.other_keys = JournalKeys(bytes(32), Ed25519PrivateKey.from_private_bytes(bytes(range(2, 34))))
        self.clock = HandClock()
        self.opened: list[Journal] = []

    def open(
        self,
        tables: Sequence[str] = ("T1", "T2"),
        *,
        verify: Any = "all",
        stall: Callable[[], None] | None = None,
        keys: JournalKeys | None = None,
        **limits: Any,
    ) -> Journal:
        used = keys or self.keys
        journal = open_journal(
            self.path,
            tables=tables,
            seal_key=used.seal_key,
            signing_key=used.signing_key,
            clock=self.clock,
            verify=verify,
            options=JournalOptions(**{"ballast_bytes": 65536, **limits}),
            stall=stall,
        )
        self.opened.append(journal)
        return journal

    def draft(self, at: int, table: str = "T1", *, cards: bytes = b"", **fields: Any) -> EntryDraft:
        """Entry `at` of a table: ten to a round, the last of a round completes it."""
        last = at % 10 == 9
        placeholders = ",".join(f'{{"sealed":{index}}}' for index in range(len(cards)))
        body = f'{{"act":{{"at":{at},"hidden":[{placeholders}]}},"facts":[{{"fact":"CardDealt","seat":1}}'
        body += ',{"fact":"RoundCompleted"}]}' if last else "]}"
        given = {"shoe": 1, "round": at // 10, "kind": "card", "boundary": at == 0} | fields
        return EntryDraft(table=table, body=body.encode(), cards=cards, **given)

    def write(self, count: int, **limits: Any) -> None:
        """Make a journal of `count` entries, every third with a hidden card, alternating between the tables, and close it."""
        journal = self.open(**limits)
        drafts = [self.draft(at // 2, f"T{at % 2 + 1}", cards=bytes([0x19, 0x2D][: at % 3])) for at in range(count)]
        for at in range(0, count, 5):  # five to a transaction: checkpoints fall due between them
            journal.append_all_now(drafts[at : at + 5])
        journal.close()

    def sql(self, *statements: str) -> None:
        """Do what somebody with write access to a closed file can do."""
        connection = sqlite3.connect(self.path, isolation_level=None)
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def query(self, statement: str) -> list[Any]:
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()

    def contents(self) -> dict[str, bytes]:
        """Everything in the folder but SQLite's shared index, which is a cache."""
        return {f.name: f.read_bytes() for f in sorted(self.folder.iterdir()) if not f.name.endswith("-shm")}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    workshop = Workshop(tmp_path)
    yield workshop
    for journal in workshop.opened:
        journal.close()

"""Checks a whole journal in a fixed order and names the first damaged record.

    1. the header: readable, of a known version, the one that the first checkpoint signed, with the key that the
    caller trusts 2. the chain: every record from 1 to the last, none missing, none moved, each hash made of the
    stored bytes 3. the checkpoints: signatures, their own order, each telling the hash that the chain has 4. the
    anchor, if one is given: a checkpoint that was kept elsewhere 5. the sealed cards open, if the key is given, and
    each stands in its record's body 6. the links between a table's entries, the index of rounds, and SQLite's own
    check of the file

Found are: a record edited, taken out, put in or moved; an end cut off before the last checkpoint or the anchor; a
past recomputed by somebody without the signing key. Not found without an anchor: an end cut off together with its
checkpoints. Records after the last checkpoint are bound by the chain alone; how many there are is told as a notice,
and so is a wall clock that went back.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

import msgspec

from controller.journal.chain import Damage, damage_of_file, walk_chain
from controller.journal.checkpoint import Checkpoint, CheckpointReason, open_anchor, public_key_of
from controller.journal.entry import PLACEHOLDER, Head, HeadLine, decode_head
from controller.journal.errors import DamageKind, JournalKeyError, JournalUnavailableError
from controller.journal.keys import seal_key_id
from controller.journal.schema import connect_reader
from controller.journal.seal import EntrySeal, SealBrokenError
from controller.journal.startup import (
    DamageFoundError,
    StoredHeader,
    read_header,
    table_of,
    truncated,
    verify_checkpoints,
)

NOTICES_MAX: Final = 20
"""Notices that are written out; a clock that goes back at every entry is told often enough by these."""


class VerifyReport(msgspec.Struct, frozen=True):
    """What a check found; `damage` None means that the journal is in order."""

    path: str
    file_id: str
    tables: tuple[str, ...]
    entries: int
    checkpoints: int
    signed_to: int
    cards_checked: bool
    damage: Damage | None
    notices: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return self.damage is None

    @property
    def sentence(self) -> str:
        """The result as one sentence."""
        if self.damage is not None:
            return f"The journal {self.path} is damaged: {self.damage.detail}"
        cards = "the hidden cards open" if self.cards_checked else "the hidden cards were not opened"
        return f"The journal {self.path} is in order: {self.entries} records without a gap, signed up to record {self.signed_to}; {cards}."


class _Check:
    """One run over one file; collects what the report tells."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path
        self.stored: StoredHeader | None = None
        self.head = Head(0, b"")
        self.last: Checkpoint | None = None
        self.notices: list[str] = []

    def run(self, seal_key: bytes | None, public_key_hex: str | None, anchor: bytes | None) -> None:
        """Raise DamageFoundError at the first damage."""
        stored = self.stored = read_header(self.connection, self.path)
        if public_key_hex is not None and public_key_hex != stored.header.public_key:
            detail = (
                "it was signed with another signing key than the one given: that is another journal's, or somebody wrote this one anew."
            )
            raise DamageFoundError(Damage(DamageKind.HEADER, 0, "", detail))
        seal = self._open_seal(stored, seal_key)
        self.head, damage = walk_chain(self.connection, Head(0, stored.hash))
        if damage is not None:
            raise DamageFoundError(damage)
        self.last, _ = verify_checkpoints(self.connection, stored, self.head)
        if anchor is not None:
            self._verify_anchor(anchor)
        self._verify_contents(seal)
        self._verify_file()
        self._note_end()

    def _open_seal(self, stored: StoredHeader, seal_key: bytes | None) -> EntrySeal | None:
        if seal_key is None:
            return None
        if seal_key_id(seal_key) != stored.header.seal_key_id:
            raise JournalKeyError(
                f"The journal {self.path} was made with another seal key.",
                "Name the key file that was made for this journal.",
            )
        return EntrySeal(seal_key, stored.header.file_id)

    def _verify_anchor(self, line: bytes) -> None:
        assert self.stored is not None
        header = self.stored.header
        try:
            anchor = open_anchor(line, public_key_of(header.public_key))
        except ValueError as error:
            raise DamageFoundError(Damage(DamageKind.ANCHOR, 0, "", f"the anchor does not belong to it: {error}.")) from error
        if anchor.file != header.file_id:
            raise DamageFoundError(Damage(DamageKind.ANCHOR, 0, "", "the anchor was taken from another journal."))
        if anchor.number > self.head.number:
            raise DamageFoundError(truncated(self.connection, self.head.number, anchor.number, "the anchor"))
        row = self.connection.execute("SELECT hash FROM entries WHERE number = ?", (anchor.number,)).fetchone()
        found = row[0].hex() if row is not None else self.stored.hash.hex()
        if found != anchor.hash:
            detail = f"record {anchor.number} or one before it was rewritten: the anchor tells another hash."
            raise DamageFoundError(Damage(DamageKind.REWRITTEN, anchor.number, table_of(self.connection, anchor.number), detail))

    def _verify_contents(self, seal: EntrySeal | None) -> None:
        tails: dict[str, HeadLine] = {}
        spans: set[tuple[str, int, int, int]] = set()
        wall_ms = 0
        for number, record, sealed in self.connection.execute("SELECT number, record, sealed FROM entries ORDER BY number"):
            head = _verify_head(number, record, sealed)
            before = tails.get(head.table)
            if head.back != (before.number if before is not None else 0):
                detail = f"record {number} of table {head.table} does not follow that table's entry before it."
                raise DamageFoundError(Damage(DamageKind.INDEX, number, head.table, detail))
            if before is not None and (before.round, before.shoe) != (head.round, head.shoe):
                spans.add((head.table, before.round, before.shoe, before.number))
            tails[head.table] = head
            if head.wall_ms < wall_ms:
                self._note(f"The wall clock went back {wall_ms - head.wall_ms} ms at record {number}.")
            wall_ms = head.wall_ms
            if seal is not None and sealed:
                _verify_cards(seal, head, record, sealed)
        self._verify_spans(spans)

    def _verify_spans(self, spans: set[tuple[str, int, int, int]]) -> None:
        stored: set[tuple[str, int, int, int]] = set()
        for table, number, shoe, last in self.connection.execute("SELECT table_id, round, shoe, last FROM spans"):
            if not (isinstance(table, bytes) and all(isinstance(value, int) for value in (number, shoe, last))):
                detail = "the index of rounds holds a value of the wrong kind."
                raise DamageFoundError(Damage(DamageKind.INDEX, 0, "", detail))
            stored.add((table.decode("utf-8", "replace"), number, shoe, last))
        wrong = sorted(spans ^ stored, key=lambda span: span[3])
        if wrong:
            table, number, _, last = wrong[0]
            detail = f"the index of rounds is wrong about round {number} of table {table} at record {last}."
            raise DamageFoundError(Damage(DamageKind.INDEX, last, table, detail))

    def _verify_file(self) -> None:
        found = self.connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != b"ok":
            detail = f"SQLite finds fault with the file: {found.decode('utf-8', 'replace')}."
            raise DamageFoundError(Damage(DamageKind.FILE, 0, "", detail))

    def _note_end(self) -> None:
        assert self.last is not None
        unsigned = self.head.number - self.last.number
        if unsigned:
            self._note(f"The last {unsigned} records follow the last checkpoint and are bound by the chain alone.")
        elif self.last.reason is not CheckpointReason.CLOSED:
            self._note("The journal was not closed, or is in use.")

    def _note(self, notice: str) -> None:
        if len(self.notices) < NOTICES_MAX:
            self.notices.append(notice)


def verify_journal(
    path: Path, *, seal_key: bytes | None = None, public_key_hex: str | None = None, anchor: bytes | None = None
) -> VerifyReport:
    """Check a whole journal, in use or not, in one read transaction.

    Args:
        path: the file.
        seal_key: opens the hidden cards, which are then checked too.
        public_key_hex: the signing key that the caller trusts; None: the one the header names.
        anchor: a line of `export_head` that was kept elsewhere.

    Raises:
        JournalUnavailableError: when there is no such file or its version is unknown.
        JournalKeyError: when the seal key is not this journal's.
    """
    if not path.is_file():
        raise JournalUnavailableError(f"There is no journal {path}.", "Name the journal file of the table.")
    connection = connect_reader(path)
    check = _Check(connection, path)
    damage: Damage | None = None
    try:
        connection.execute("BEGIN")
        check.run(seal_key, public_key_hex, anchor)
    except DamageFoundError as error:
        damage = error.damage
    except sqlite3.DatabaseError as error:
        damage = damage_of_file(error, check.head.number)
    finally:
        connection.close()
    header = check.stored.header if check.stored is not None else None
    return VerifyReport(
        path=str(path),
        file_id=header.file_id if header is not None else "",
        tables=header.tables if header is not None else (),
        entries=check.head.number,
        checkpoints=check.last.checkpoint if check.last is not None else 0,
        signed_to=check.last.number if check.last is not None else 0,
        cards_checked=seal_key is not None,
        damage=damage,
        notices=tuple(check.notices),
    )


def _verify_head(number: int, record: bytes, sealed: bytes) -> HeadLine:
    try:
        head = decode_head(record)
    except ValueError as error:
        raise DamageFoundError(Damage(DamageKind.EDITED, number, "", f"record {number} has no readable head.")) from error
    body_bytes = len(record) - record.index(b"\n") - 1
    if head.number != number or head.body != body_bytes or head.sealed != len(sealed):
        detail = f"the head of record {number} of table {head.table} does not fit the record."
        raise DamageFoundError(Damage(DamageKind.EDITED, number, head.table, detail))
    return head


def _verify_cards(seal: EntrySeal, head: HeadLine, record: bytes, sealed: bytes) -> None:
    try:
        cards = seal.open_cards(sealed, head.number, head.table)
    except SealBrokenError as error:
        raise DamageFoundError(Damage(DamageKind.SEALED, head.number, head.table, f"{error}.")) from error
    if {int(index) for index in PLACEHOLDER.findall(record)} != set(range(len(cards))):
        detail = f"record {head.number} of table {head.table} does not place each of its hidden cards."
        raise DamageFoundError(Damage(DamageKind.SEALED, head.number, head.table, detail))

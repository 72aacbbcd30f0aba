"""The journal as plain text that can be read and checked without this program (EQ-89).

One JSON object a line, UTF-8, in this order:

    {"line":"header","body":B,"hash":H}
    {"line":"entry","before":P,"record":R,"sealed":S,"hash":H}               one for each entry
    {"line":"checkpoint","message":M,"signature":G}                          one for each checkpoint, in order

B, R and M are the stored texts, S, H, P and G are hexadecimal. To check a file with any language's JSON and SHA-256:

    header      SHA-256("shoed journal header 1" | LF | B) is H
    entry       SHA-256(P as 32 bytes | length of S in 2 bytes, big-endian | S as bytes | R as UTF-8) is H, and P is the H of
                the entry before it; for the first, the header's
    checkpoint  Ed25519 over "shoed journal checkpoint 1" | LF | M, with the `public_key` of B, is G; in M, `hash` is the H of the
                entry `number` (0: the header's), and `before` is SHA-256(M | G) of the checkpoint before it (64
                zeros: none)

R is one line of JSON with the entry's number, table, times, shoe, round and kind, then a line feed, then the body:
the act and its facts. A selection (one table, one round, a span of time) has gaps in its numbers; each of its entries
can be checked alone. Hidden cards are in S, encrypted: see `seal` for how to open them with the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from controller.journal.chain import Damage
from controller.journal.checkpoint import NO_CHECKPOINT, SignedCheckpoint, decode_checkpoint, open_checkpoint, public_key_of
from controller.journal.entry import chain_hash, decode_head
from controller.journal.errors import DamageKind
from controller.journal.reader import JournalReader
from controller.journal.schema import decode_header, header_hash
from controller.journal.startup import damaged


class HeaderLine(msgspec.Struct, frozen=True, tag_field="line", tag="header"):
    """The first line."""

    body: str
    hash: str


class EntryLine(msgspec.Struct, frozen=True, tag_field="line", tag="entry"):
    """One entry."""

    before: str
    record: str
    sealed: str
    hash: str


class CheckpointLine(msgspec.Struct, frozen=True, tag_field="line", tag="checkpoint"):
    """One checkpoint."""

    message: str
    signature: str


class Selection(msgspec.Struct, frozen=True):
    """Which entries are wanted; None: all."""

    table: str | None = None
    round: int | None = None
    from_ms: int | None = None
    until_ms: int | None = None

    def has(self, table: str, number: int, wall_ms: int) -> bool:
        return (
            (self.table is None or table == self.table)
            and (self.round is None or number == self.round)
            and (self.from_ms is None or wall_ms >= self.from_ms)
            and (self.until_ms is None or wall_ms < self.until_ms)
        )


def export_lines(reader: JournalReader, selection: Selection | None = None) -> Iterator[bytes]:
    """Give the lines of an export, without line feeds.

    Raises:
        JournalDamagedError: when an entry or a checkpoint cannot be read.
    """
    wanted = selection or Selection()
    encode = msgspec.json.encode
    before, last = reader.header_hash, 0
    yield encode(HeaderLine(reader.header_body.decode(), before.hex()))
    for number, record, sealed, stored in reader.raw_entries():
        head = reader.decode_head(number, record)
        if wanted.has(head.table, head.round, head.wall_ms):
            yield encode(EntryLine(before.hex(), record.decode(), sealed.hex(), stored.hex()))
        before, last = stored, number
    for signed in reader.raw_checkpoints():
        if _number_signed(reader, signed) > last:
            break  # signed while the entries were being read: of entries that this export does not hold
        yield encode(CheckpointLine(signed.message.decode(), signed.signature.hex()))


class ExportFault(msgspec.Struct, frozen=True):
    """What is wrong in an export: the line, counted from 1, and a sentence."""

    line: int
    detail: str


_Line = HeaderLine | EntryLine | CheckpointLine


def verify_export(lines: Iterable[bytes]) -> ExportFault | None:
    """Check a whole export (no selection) as the description above says; None when it is in order.

    Text after the last line, such as a blank one, is a fault like any other that is no line of an export.
    """
    decoder = msgspec.json.Decoder(_Line)
    hashes: list[str] = []
    public_key = None
    link = NO_CHECKPOINT
    at = 0
    try:
        for line in lines:
            at += 1
            decoded = decoder.decode(line)
            match decoded:
                case HeaderLine(body=body, hash=told):
                    public_key = public_key_of(decode_header(body.encode()).public_key)
                    _same(header_hash(body.encode()).hex(), told, "the header")
                    hashes.append(told)
                case EntryLine(before=before, record=record, sealed=sealed, hash=told):
                    number = decode_head(record.encode()).number
                    if number != len(hashes):
                        raise ValueError(f"record {number} stands in the place of record {len(hashes)}")
                    _same(hashes[-1], before, f"what record {number} follows")
                    computed = chain_hash(bytes.fromhex(before), record.encode(), bytes.fromhex(sealed))
                    _same(computed.hex(), told, f"record {number}")
                    hashes.append(told)
                case CheckpointLine(message=message, signature=signature):
                    if public_key is None:
                        raise ValueError("a checkpoint stands before the header")
                    signed = SignedCheckpoint(message.encode(), bytes.fromhex(signature))
                    checkpoint = open_checkpoint(signed, public_key)
                    _same(link, checkpoint.before, f"what checkpoint {checkpoint.checkpoint} follows")
                    if checkpoint.number >= len(hashes):
                        raise ValueError(f"the end is missing from record {len(hashes)} to {checkpoint.number}")
                    _same(hashes[checkpoint.number], checkpoint.hash, f"record {checkpoint.number}")
                    link = signed.link()
    except IndexError:
        return ExportFault(at, "it has more sealed bytes than any entry")
    except ValueError as error:
        return ExportFault(at, f"{error}")
    if link == NO_CHECKPOINT:
        return ExportFault(at, "its checkpoints are missing")
    return None


def _number_signed(reader: JournalReader, signed: SignedCheckpoint) -> int:
    try:
        return decode_checkpoint(signed).number
    except ValueError as error:
        raise damaged(reader.path, Damage(DamageKind.CHECKPOINT, 0, "", "a checkpoint cannot be read.")) from error


def _same(computed: str, told: str, what: str) -> None:
    if computed != told:
        raise ValueError(f"{what} is not what the hashes tell")

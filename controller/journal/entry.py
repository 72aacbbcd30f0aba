"""One entry of the journal: what is offered, what is stored, and the exact bytes that are hashed.

An entry is one decided input of one table with all its facts. It is stored as

    record   one line of JSON, the head, then a line feed, then the body: UTF-8 text, the caller's own bytes
    sealed   the hidden cards, encrypted (see `seal`), or nothing
    hash     SHA-256( hash of the entry before | length of sealed in 2 bytes, big-endian | sealed | record ), 32 bytes

The head holds these keys in this order, without blanks:

    {"number":7,"table":"T1","back":5,"wall_ms":1767225600000,"mono_ns":81000,"shoe":1,"round":3,"boundary":0,
     "kind":"card","body":212,"sealed":21}

`number` counts from 1 over the whole file; `back` is the number of the entry before it of the same table (0: none), so
that a table's entries are found from its last one without an index that every entry would have to update. `body` and
`sealed` are lengths in bytes. The entry before the first is the file's header, whose hash begins the chain.

What is hashed is what is stored: nobody re-serialises an entry to check it. This file does no I/O and holds no key.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

import msgspec

from controller.journal.errors import EntryRefusedError
from firmware_bridge.cards import card_from_code

BODY_BYTES_MAX: Final = 1 << 20
"""One act and its facts are some hundred bytes; a thousand times as much is a defect, not an entry."""
CARDS_MAX: Final = 1024
"""More than eight decks with jokers, the largest set that any device holds."""
SEALED_LENGTHS: Final = tuple(length.to_bytes(2, "big") for length in range(CARDS_MAX + 64))
"""The length of the sealed bytes as it is hashed: without it bytes could move between the two parts under the same hash."""
INTEGER_MAX: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

NAME: Final = re.compile(r"[ !#-\[\]-~]{1,64}")
"""Table and kind: printable ASCII without quotation mark and backslash, so that the head needs no escaping."""
PLACEHOLDER: Final = re.compile(rb'\{"sealed":\s?(0|[1-9][0-9]{0,4})\}')
"""Where a hidden card stands in a body: an object with this key only, the value an index into the sealed cards."""


class EntryDraft(msgspec.Struct, frozen=True, gc=False):
    """What is offered to the journal: everything of an entry but its number, seal and hash.

    Attributes:
        body: UTF-8 JSON object; each hidden card stands in it as {"sealed": i}.
        cards: the codes of the hidden cards, one byte a card; index i of the placeholders.
        boundary: recovery may start folding at this very entry (a shoe opens).
        wall_ms, mono_ns: when the input was decided; None: stamped when the entry is offered.
    """

    table: str
    shoe: int
    round: int
    kind: str
    body: bytes
    cards: bytes = b""
    boundary: bool = False
    wall_ms: int | None = None
    mono_ns: int | None = None


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One stored entry, hidden cards still sealed."""

    number: int
    table: str
    back: int
    wall_ms: int
    mono_ns: int
    shoe: int
    round: int
    boundary: bool
    kind: str
    body: bytes
    sealed: bytes
    hash: bytes


class OpenedEntry(msgspec.Struct, frozen=True, gc=False):
    """An entry with its hidden cards; `cards` is empty where there are none or they stay closed."""

    entry: Entry
    cards: bytes = b""

    def __repr__(self) -> str:
        return f"OpenedEntry(number={self.entry.number}, table={self.entry.table!r}, kind={self.entry.kind!r})"

    def body_shown(self) -> bytes:
        """Return the body with each placeholder replaced by the card's name; as stored while the cards stay closed."""
        if not self.cards:
            return self.entry.body
        names = [f'"{_card_name(code)}"'.encode() for code in self.cards]
        return PLACEHOLDER.sub(lambda found: names[int(found[1])], self.entry.body)


class Head(msgspec.Struct, frozen=True, gc=False):
    """The last entry of a chain: its number (0: only the header) and hash."""

    number: int
    hash: bytes


class HeadLine(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The head of a record, decoded; `body` and `sealed` are lengths."""

    number: int
    table: str
    back: int
    wall_ms: int
    mono_ns: int
    shoe: int
    round: int
    boundary: int
    kind: str
    body: int
    sealed: int


_HEAD_ENCODER: Final = msgspec.json.Encoder()
_ONE_PLACE: Final = [b"0"]
"""What is found in the body of one hidden card, the usual case."""
_HEAD_DECODER: Final = msgspec.json.Decoder(HeadLine)


def verify_draft(draft: EntryDraft) -> None:
    """Check what may change from entry to entry; the names are checked by `verify_name`, once each.

    Raises:
        EntryRefusedError: when numbers, lengths, body, or cards and placeholders make it no entry.
    """
    body, cards = draft.body, len(draft.cards)
    if not 0 <= draft.shoe | draft.round <= INTEGER_MAX:  # all bits of the largest are set, so both fit if their bits together do
        raise EntryRefusedError(f"shoe {draft.shoe} or round {draft.round} is out of range")
    if len(body) > BODY_BYTES_MAX or cards > CARDS_MAX:
        raise EntryRefusedError(f"{len(body)} bytes of body or {cards} cards are too many")
    if not body.startswith(b"{") or not body.endswith(b"}") or 0 in body:
        raise EntryRefusedError("its body is not a JSON object")
    if not body.isascii():
        _verify_utf8(body)
    if cards or body.find(b'{"sealed":') >= 0:  # `in` would first try it as a number, by way of an exception
        _verify_placeholders(body, cards)


def verify_name(name: str) -> None:
    """Check the name of a table or a kind.

    Raises:
        EntryRefusedError: when it is not 1 to 64 plain ASCII characters.
    """
    if NAME.fullmatch(name) is None:
        raise EntryRefusedError(f"the name {name!r} is not 1 to 64 plain ASCII characters")


def _verify_utf8(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise EntryRefusedError("its body is not UTF-8") from error


def _verify_placeholders(body: bytes, cards: int) -> None:
    found = PLACEHOLDER.findall(body)
    if cards == 1 and found == _ONE_PLACE:
        return
    if {int(index) for index in found} != set(range(cards)):
        raise EntryRefusedError(f"it brings {cards} hidden cards and its body does not place each of them")


def encode_record(head: HeadLine, body: bytes) -> bytes:
    """Return the bytes that are stored and hashed; the head's names were verified."""
    return b"%b\n%b" % (_HEAD_ENCODER.encode(head), body)


def chain_hash(before: bytes, record: bytes, sealed: bytes) -> bytes:
    """Return the hash of an entry from the hash before it and its stored bytes.

    Raises:
        IndexError: when there are more sealed bytes than any entry has.
    """
    return hashlib.sha256(before + SEALED_LENGTHS[len(sealed)] + sealed + record).digest()


def decode_head(record: object) -> HeadLine:
    """Return the head of a record.

    Raises:
        ValueError: when it is not bytes that begin with a head: a damaged file can give any kind of value.
    """
    if not isinstance(record, bytes):
        raise ValueError("a record is bytes")  # noqa: TRY004  # a fault of the file, not of the caller
    line, _, _ = record.partition(b"\n")
    return _HEAD_DECODER.decode(line)


def decode_entry(record: object, sealed: object, hash_: object) -> Entry:
    """Return the entry of stored bytes.

    Raises:
        ValueError: when the values are not bytes or not an entry.
    """
    if not (isinstance(record, bytes) and isinstance(sealed, bytes) and isinstance(hash_, bytes)):
        raise ValueError("an entry is bytes")  # noqa: TRY004  # a fault of the file, not of the caller
    line, _, body = record.partition(b"\n")
    head = _HEAD_DECODER.decode(line)
    return Entry(
        head.number,
        head.table,
        head.back,
        head.wall_ms,
        head.mono_ns,
        head.shoe,
        head.round,
        head.boundary == 1,
        head.kind,
        body,
        sealed,
        hash_,
    )


def _card_name(code: int) -> str:
    card = card_from_code(code)
    return card.name if card is not None else f"code {code}"

"""What the frames of a plain device say: fields, names of values, cards, and the canonical event or command they are.

The operators are few and closed: a field takes bytes or bits of the frame, a named group of a pattern, or a path of a JSON
object; a table gives it a name; a message is known by the values of its fields; and the canonical event takes constants and
fields. Nothing here can compute, loop or refer to anything outside of the file.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

from device_profiles.plain.frames import Offset, Way
from device_profiles.schema import Name, Role, Seconds, Table, Text

Bit = Annotated[int, msgspec.Meta(ge=0, le=63)]
Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
"""A regular expression that is matched in linear time."""
Path = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+){0,7}$")]
Plain = str | int | bool
ValueName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")]


When = Annotated[dict[Name, Plain | tuple[Plain, ...]], msgspec.Meta(max_length=4)]


class Shape(Enum):
    """How bytes become a value."""

    UINT = "uint"
    TEXT = "text"
    """ASCII; other bytes make the frame unreadable."""
    DECIMAL = "decimal"
    """ASCII digits, as a number."""
    HEX = "hex"
    """ASCII hexadecimal digits, as a number."""
    BCD = "bcd"
    BYTES = "bytes"


class PlainField(Table, frozen=True, kw_only=True):
    """One value of a message. Binary frames give `at` or `after`; patterns the group of the same name; JSON objects `path`."""

    name: Name
    at: Offset | None = None
    size: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 1
    after: Name | None = None
    """Instead of `at`: where this earlier field ends; where that is missing, where it would have begun."""
    to: Offset | None = None
    """Up to and without this offset, instead of `size`."""
    path: Path | None = None
    tag: Annotated[int, msgspec.Meta(ge=0, le=0xFFFFFFFF)] | None = None
    """Its tag in the part that `tlv` of the message describes, instead of `at`."""
    shape: Shape = Shape.UINT
    little: bool = False
    signed: bool = False
    bits: tuple[Bit, Bit] | None = None
    """Of the number: from this bit down to that one."""
    mask: int | None = None
    """Only these bits of the number, in their place."""
    scale: int = 1
    """The number is multiplied by this."""
    names: Name | None = None
    """Table of `names`: the value by its name."""
    value: Plain | None = None
    """Sent as this where nobody says otherwise."""
    when: When = {}
    """It is there only when these earlier fields have these values; otherwise it is neither read nor said."""
    optional: bool = False
    """May be missing: a tail that is not there, a group that took no part, a path without a value."""
    secret: bool = False
    """Tells a card, or what a card can be told from: never shown."""
    doc: Text = ""


class NameTable(Table, frozen=True, kw_only=True):
    """Names of values. Several values may have one name; `other` names all that are not listed."""

    values: Annotated[dict[ValueName, tuple[Plain, ...]], msgspec.Meta(max_length=512)]
    other: Name | None = None


class CardRule(Table, frozen=True, kw_only=True):
    """Which card a message names: rank and suit from two fields, or the whole card from one.

    Names of ranks are `A 2 ... 9 T J Q K`, of suits `c d h s`, of whole cards `Ah`, `Td`, `Jk`. A value without a name is a card that
    was not read.
    """

    rank: Name | None = None
    suit: Name | None = None
    card: Name | None = None
    from_map: bool = False
    """The field `card` holds a tag that the table's own card map (tag to card) names."""


class Means(Table, frozen=True, kw_only=True):
    """The canonical event that a message is: constants, and which of its attributes comes from which field."""

    event: str
    set: dict[Name, Plain] = {}
    map: dict[Name, Name] = {}
    card: CardRule | None = None
    flags: tuple[Name, ...] = ()
    """Card flags that hold, such as `unreadable`."""
    begins_numbering: bool = False
    """The device counts anew from here, because it started."""


class Answer(Table, frozen=True, kw_only=True):
    """What follows a message of the host."""

    messages: tuple[Name, ...]
    """One of these answers it."""
    refusals: tuple[Name, ...] = ()
    """One of these refuses it."""
    within_s: Seconds
    tries: Annotated[int, msgspec.Meta(ge=1, le=10)] = 1
    """Sent again so often, when it may be repeated."""


class Tlv(Table, frozen=True, kw_only=True):
    """A part of a binary message that holds tag, length and value, over and over; fields name their `tag`. Unknown tags are passed over."""

    at: Annotated[int, msgspec.Meta(ge=0, le=4096)]
    to: Annotated[int, msgspec.Meta(ge=-64, le=0)] = 0
    """Where the part ends, counted from the frame's end: before a checksum, an end byte."""
    tag_size: Annotated[int, msgspec.Meta(ge=1, le=4)] = 1
    length_size: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    little: bool = False


class Group(Table, frozen=True, kw_only=True):
    """Entries of one size, one after another, each an event of its own: all are new, the first one happened first."""

    at: Offset
    size: Annotated[int, msgspec.Meta(ge=1, le=64)]
    count: Name | None = None
    """The field that says how many there are; without it they reach up to `to`."""
    to: Annotated[int, msgspec.Meta(ge=-64, le=0)] = 0
    entries: Annotated[tuple[RingEntry, ...], msgspec.Meta(min_length=1, max_length=32)]


class StatusRule(Table, frozen=True, kw_only=True):
    """Why a message refuses a command: the status that the daemon understands, by the value of a field."""

    field: Name
    values: Annotated[dict[Name, Name], msgspec.Meta(min_length=1, max_length=64)]
    """Value by its name: status, such as `busy`, `wrong-state`, `unknown-code`, `out-of-range`, `denied`, `hardware-fault`."""


class Ring(Table, frozen=True, kw_only=True):
    """The newest events of a polled device, newest first, with a running number of the newest (ccTalk style)."""

    counter: Name
    """The field that holds the number; 0 after a start, then `first` to `last` over and over."""
    first: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 1
    last: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 255
    at: Offset
    size: Annotated[int, msgspec.Meta(ge=1, le=64)]
    count: Annotated[int, msgspec.Meta(ge=1, le=64)]
    entries: Annotated[tuple[RingEntry, ...], msgspec.Meta(min_length=1, max_length=32)]


class RingEntry(Table, frozen=True, kw_only=True):
    """One kind of event in a ring; offsets of its fields count from the entry's first byte."""

    name: Name
    fields: Annotated[tuple[PlainField, ...], msgspec.Meta(max_length=16)] = ()
    where: Annotated[dict[Name, Plain | tuple[Plain, ...]], msgspec.Meta(max_length=8)] = {}
    means: Means | None = None


class PlainMessage(Table, frozen=True, kw_only=True):
    name: Name
    grammar: Name
    way: Way = Way.IN
    fields: Annotated[tuple[PlainField, ...], msgspec.Meta(max_length=64)] = ()
    where: Annotated[dict[Name, Plain | tuple[Plain, ...]], msgspec.Meta(max_length=16)] = {}
    """It is this message when these fields have these values."""
    pattern: Pattern | None = None
    """Text frames: the whole line, or for `tokens` what is looked for; its named groups are fields."""
    json: bool = False
    """The frame is one JSON object."""
    template: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """How it is written, with `{field}` for values, without the line end; for text frames only. Numbers have `size` digits at least, with
    zeros before them. Places of a checksum take any characters, such as `00`, which it overwrites."""
    means: Means | None = None
    """None: it is heard and counted, and tells nothing."""
    carries: str | None = None
    """Canonical command that it carries to the device."""
    carries_map: dict[Name, Name] = {}
    """Field of this message: attribute of that command."""
    role: Role = Role.TECHNICIAN
    needs_diagnostic: bool = False
    answer: Answer | None = None
    asks_only: bool = False
    """The device does nothing on it but answer, so a check may say it at any time; so it may what is said on connecting and polling."""
    reply_with: Name | None = None
    """What the host says at once when it hears this."""
    reply_copies: tuple[Name, ...] = ()
    """Fields that the reply has from this message, such as a transaction's number."""
    ring: Ring | None = None
    group: Group | None = None
    tlv: Tlv | None = None
    status: StatusRule | None = None
    """For a message that refuses: with which status; without it, `denied`."""
    doc: Text = ""

"""The profile language: what a TOML file may say about a device family, as types.

Data only: a profile cannot compute, open files or reach a network, and every key not named here is an error. Tables,
sizes and nesting have limits, so that a hostile file costs little. What each kind of field does on the wire is told in
`device_profiles.fields`; which names an event or a command may carry is checked by `firmware_bridge.codec`, which owns
that vocabulary.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

import msgspec

SPEC_VERSION: Final = 1

NAME_PATTERN: Final = r"^[a-z][a-z0-9_-]{0,39}$"
Name = Annotated[str, msgspec.Meta(pattern=NAME_PATTERN)]
Text = Annotated[str, msgspec.Meta(max_length=2000)]
Code = Annotated[int, msgspec.Meta(ge=0, le=0xFF)]
Size = Annotated[int, msgspec.Meta(ge=1, le=4096)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
HexBytes = Annotated[str, msgspec.Meta(pattern=r"^([0-9A-F]{2})( [0-9A-F]{2})*$", max_length=4096)]


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; unknown keys are errors."""


class FieldType(Enum):
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    CARD = "card"
    """One byte that names a card; decoded by whoever knows cards, and always secret."""
    BYTES = "bytes"
    """With `size` that many, without it everything up to the fixed fields after it."""
    TEXT = "text"
    """As bytes, holding UTF-8."""
    VERSION = "version"
    """`size` bytes, shown as numbers with dots."""
    LIST = "list"
    """The group of `items`, repeated to the end."""
    TLVS = "tlvs"
    """Tag byte, length byte, value, repeated to the end; one of `items` for each known tag, unknown tags ignored."""
    GROUP = "group"
    """The fields of the named group in its place."""


class Field(Table, frozen=True, kw_only=True):
    """One field of a message, in wire order."""

    name: Name
    type: FieldType
    use: Name | None = None
    """With `group`: which of `groups`."""
    enum: str | None = None
    """Name of a table of `enums`, or `@commands`: shown by name instead of number."""
    raw: Name | None = None
    """Also give the number itself, under this name."""
    flags: Name | None = None
    """Name of a table of `flags`."""
    registry: Name | None = None
    """Name of a table of `registries`: only its numbers are written and, by a device, taken; a name may be written for its number."""
    shaped_by: Name | None = None
    """With bytes: the field before it whose registry says how long they are and which numbers they may be."""
    none: Number | None = None
    """This number (for bytes: this byte all through) means that there is no value."""
    min: Number | None = None
    max: Number | None = None
    size: Size | None = None
    optional: bool = False
    """May be missing at the end of the payload."""
    boolean: bool = False
    """0 is no, anything else yes."""
    secret: bool = False
    """Never shown: decoded into a value without text form."""
    tag: Code | None = None
    """In `items` of `tlvs`: the tag."""
    items: Annotated[tuple[Field, ...], msgspec.Meta(max_length=64)] = ()
    doc: Text = ""


Fields = Annotated[tuple[Field, ...], msgspec.Meta(max_length=64)]


class EnumTable(Table, frozen=True, kw_only=True):
    """Names of numbers; `ranges` names all numbers from one to another."""

    values: Annotated[dict[Name, Number], msgspec.Meta(max_length=256)]
    ranges: Annotated[dict[Name, tuple[Number, Number]], msgspec.Meta(max_length=16)] = {}


class FlagTable(Table, frozen=True, kw_only=True):
    bits: Annotated[dict[Name, Number], msgspec.Meta(max_length=64)]
    replayed: Number = 0
    """The bit that says: sent before."""


class Entry(Table, frozen=True, kw_only=True):
    """One number of a registry. `size`, `min` and `max` are of the value that goes with it, where one does."""

    number: Number
    doc: Text = ""
    size: Annotated[int, msgspec.Meta(ge=1, le=8)] | None = None
    min: Number = 0
    max: Number | None = None


class Registry(Table, frozen=True, kw_only=True):
    """Numbers that everybody agrees on, each with a name; `ranges` are left to who is named, such as the maker."""

    doc: Text = ""
    entries: Annotated[dict[Name, Entry], msgspec.Meta(min_length=1, max_length=256)]
    ranges: Annotated[dict[Name, tuple[Number, Number]], msgspec.Meta(max_length=16)] = {}

    def entry_of(self, number: int) -> Entry | None:
        """Return the entry of a number; None where it has none."""
        return next((entry for entry in self.entries.values() if entry.number == number), None)

    def name_of(self, number: int) -> str | None:
        """Return the name of a number, or of the range that it lies in; None where it is not registered."""
        named = next((name for name, entry in self.entries.items() if entry.number == number), None)
        return named or next((name for name, (low, high) in self.ranges.items() if low <= number <= high), None)

    def words(self) -> str:
        """Say what is registered."""
        ranges = [f"{name} ({low} to {high})" for name, (low, high) in self.ranges.items()]
        return ", ".join([*(f"{name} ({entry.number})" for name, entry in self.entries.items()), *ranges])


class Role(Enum):
    """Who may send a command; each includes those before it."""

    ANY = "any"
    OPERATOR = "operator"
    TECHNICIAN = "technician"
    VENDOR = "vendor"


class Form(Table, frozen=True, kw_only=True):
    """A canonical command that this message carries: constants to set, and which canonical field fills which field."""

    command: str
    set: dict[Name, int | str] = {}
    map: dict[Name, Name] = {}


class CommandMessage(Table, frozen=True, kw_only=True):
    code: Code
    role: Role
    max_s: Seconds
    """Time to the final response."""
    fields: Fields = ()
    response: Fields = ()
    forms: Annotated[tuple[Form, ...], msgspec.Meta(max_length=8)] = ()
    report: str | None = None
    """The canonical report that its response becomes."""
    changes: bool = False
    """Changes something in the device: its response is kept, and a repetition does not act twice."""
    act: bool = False
    """A mechanical act: an accepted one ends with one completion event."""
    needs_idle: bool = False
    """Refused while a shoe is open."""
    needs_diagnostic: bool = False
    session: bool = False
    """Part of the session handshake: allowed with and without a session."""
    sealed: bool = False
    """Only inside a sealed session."""
    never_busy: bool = False
    function: Name | None = None
    """The capability it belongs to."""
    then: tuple[Name, ...] = ()
    """Events that follow an accepted one."""
    doc: Text = ""


class EventMessage(Table, frozen=True, kw_only=True):
    code: Code
    event: str
    """The canonical event that it becomes."""
    fields: Fields = ()
    function: Name | None = None
    doc: Text = ""


class FramingKind(Enum):
    COBS = "cobs"


class Framing(Table, frozen=True, kw_only=True):
    kind: FramingKind
    frame_min: Size
    frame_max: Size
    run_max: Size
    """A longer run without delimiter is discarded up to the next delimiter."""
    silence_s: Seconds
    """A longer pause inside a frame discards it, on lines that do not pause by themselves."""
    header: Size
    """Bytes of the link header before the message."""
    crc: str
    """Name of the checksum in the catalogue; it stands last, high byte first."""


class LinkKind(Enum):
    SDP1 = "sdp1"


class SecurityKind(Enum):
    NONE = "none"
    SDP1 = "sdp1"


class Classes(Table, frozen=True, kw_only=True):
    """The class byte of each kind of message, and the code of an event acknowledgement."""

    command: Code
    response: Code
    event: Code
    event_ack: Code
    event_ack_code: Code


class Messages(Table, frozen=True, kw_only=True):
    """What every message begins with."""

    header: Fields
    classes: Classes
    response_prefix: Fields
    event_prefix: Fields
    event_ack: Fields


class SerialLine(Table, frozen=True, kw_only=True):
    baud: Number
    baud_alternatives: tuple[Number, ...] = ()
    data_bits: Annotated[int, msgspec.Meta(ge=5, le=8)] = 8
    parity: Annotated[str, msgspec.Meta(pattern="^[NEO]$")] = "N"
    stop_bits: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1


class Trust(Enum):
    VENDOR_CERTIFIED = "vendor-certified"
    RECONSTRUCTED = "reconstructed"
    EXPERIMENTAL = "experimental"
    REFERENCE = "reference"


Version = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,5}(\.[0-9]{1,5}){0,3}$")]


class FirmwareRange(Table, frozen=True, kw_only=True):
    """The firmware that a profile is for; an end that is not named is open."""

    first: Version | None = None
    last: Version | None = None
    """With all that begins so: `1.4` holds 1.4.9 too."""

    def holds(self, version: str) -> bool:
        """Return whether a version of numbers and dots lies in it; one of other words does not."""
        parts = version.split(".")
        if not all(part.isascii() and part.isdecimal() for part in parts):
            return False
        numbers = [int(part) for part in parts]
        first = [int(part) for part in self.first.split(".")] if self.first is not None else []
        last = [int(part) for part in self.last.split(".")] if self.last is not None else numbers
        return numbers >= first and numbers[: len(last)] <= last

    def words(self) -> str:
        """Say which it is."""
        return " ".join(word for word in (f"from {self.first}" if self.first else "", f"to {self.last}" if self.last else "") if word)


class About(Table, frozen=True, kw_only=True):
    """Whose protocol this is and how it is known."""

    title: Text
    vendor: Text
    model: Text = ""
    revision: Number
    author: Text
    source: Text
    trust: Trust
    doubts: tuple[Text, ...] = ()
    """What the source leaves open, and how this profile reads it."""
    deprecated: Text = ""
    """Why it should not be used any more; it still works."""
    replaced_by: Name | None = None
    """The profile that should be used instead."""
    firmware: FirmwareRange | None = None
    """The firmware that it was made for; a device with another is told."""


class Vector(Table, frozen=True, kw_only=True):
    """Bytes and their meaning. `frame` is the link frame, `wire` what stands on the line, `message` what it says."""

    id: str
    frame: HexBytes
    wire: HexBytes | None = None
    message: str | None = None
    """`commands.NAME`, `responses.NAME`, `events.NAME` or `event_ack`; None: a frame of the link itself."""
    tid: Number = 0
    fields: dict[str, object] = {}


class Profile(Table, frozen=True, kw_only=True):
    spec: int
    name: Name
    extends: Name | None = None
    """The profile that lies under this one: what is not said here is as there."""
    about: About
    serial: SerialLine
    framing: Framing
    link: LinkKind
    security: SecurityKind
    messages: Messages
    enums: Annotated[dict[Name, EnumTable], msgspec.Meta(max_length=64)] = {}
    flags: Annotated[dict[Name, FlagTable], msgspec.Meta(max_length=16)] = {}
    registries: Annotated[dict[Name, Registry], msgspec.Meta(max_length=32)] = {}
    groups: Annotated[dict[Name, Fields], msgspec.Meta(max_length=32)] = {}
    commands: Annotated[dict[Name, CommandMessage], msgspec.Meta(max_length=256)]
    events: Annotated[dict[Name, EventMessage], msgspec.Meta(max_length=256)]
    vectors: Annotated[tuple[Vector, ...], msgspec.Meta(min_length=1, max_length=256)]

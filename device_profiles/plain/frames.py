"""How the bytes of a plain device become frames: grammars and what proves a frame.

A plain device is one that speaks no SDP/1: it talks in lines, tokens, blocks or small binary frames, often without a
number, an answer or a checksum. Each grammar describes one kind of frame by where it begins and ends; a profile may
have several, told apart by their first bytes. Offsets count bytes of the whole frame from 0; negative ones from its end.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

from device_profiles.schema import Code, HexBytes, Name, Seconds, Table

FrameSize = Annotated[int, msgspec.Meta(ge=1, le=4096)]
Offset = Annotated[int, msgspec.Meta(ge=-4096, le=4096)]
Start = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-F]{2}( [0-9A-F]{2}){0,7}$")]


class Way(Enum):
    """Who says it, seen from the host."""

    IN = "in"
    OUT = "out"
    BOTH = "both"


class SumKind(Enum):
    SUM = "sum"
    """Bytes added, as many low bits kept as `width` says."""
    SUM_ZERO = "sum-zero"
    """The number that makes all bytes add up to 0 (two's complement of the sum)."""
    XOR = "xor"
    CRC = "crc"


class Spelling(Enum):
    BINARY = "binary"
    HEX_UPPER = "hex-upper"
    HEX_LOWER = "hex-lower"


class Crc(Table, frozen=True, kw_only=True):
    """A checksum by its parameters, as the standard catalogue writes them."""

    width: Annotated[int, msgspec.Meta(ge=8, le=64)]
    polynomial: int
    start: int
    reflected: bool
    final: int = 0


class Counted(Table, frozen=True, kw_only=True):
    """A number inside a frame."""

    at: Annotated[int, msgspec.Meta(ge=0, le=64)]
    width: Annotated[int, msgspec.Meta(ge=1, le=4)] = 2
    little: bool = False


class Integrity(Table, frozen=True, kw_only=True):
    """What a frame's checksum is, what it covers and where it stands."""

    kind: SumKind
    crc: str | Crc | None = None
    """Name in the catalogue, such as `crc-16-kermit`, or its parameters."""
    covers: Annotated[tuple[Offset, ...], msgspec.Meta(min_length=1, max_length=2)]
    """From this offset up to and without the second one, or to the end; its own places are left out."""
    counted: Counted | None = None
    """How many bytes it covers stands in the frame, instead of a second offset."""
    places: Annotated[tuple[Offset, ...], msgspec.Meta(min_length=1, max_length=16)]
    """Offsets of its bytes (or hex digits), most significant first."""
    spelling: Spelling = Spelling.BINARY
    width: Annotated[int, msgspec.Meta(ge=8, le=32, multiple_of=8)] = 8
    """Bits of a sum; a CRC has its own."""


class _Grammar(Table, frozen=True, kw_only=True, tag_field="kind"):
    name: Name
    way: Way = Way.BOTH
    integrity: Integrity | None = None
    max: FrameSize = 256
    """A longer frame is given up."""


class Delimited(_Grammar, frozen=True, kw_only=True, tag="delimited"):
    """From `start` to `end`, and `trailer` bytes after it."""

    start: Start
    end: HexBytes
    trailer: Annotated[int, msgspec.Meta(ge=0, le=16)] = 0


class LengthPrefixed(_Grammar, frozen=True, kw_only=True, tag="length"):
    """A number in the frame tells how long it is: whole size = number + `adds`."""

    start: Start | None = None
    at: Annotated[int, msgspec.Meta(ge=0, le=32)]
    width: Annotated[int, msgspec.Meta(ge=1, le=4)] = 1
    little: bool = False
    adds: Annotated[int, msgspec.Meta(ge=-32, le=64)]
    least: FrameSize = 1
    """A shorter frame is none."""
    doubled: Code | None = None
    """This byte stands twice wherever it occurs after the first byte of the frame; lengths and checksums count it once."""


class Fixed(_Grammar, frozen=True, kw_only=True, tag="fixed"):
    """So many bytes, beginning with `start` where one is given."""

    start: Start | None = None
    size: FrameSize


class Line(_Grammar, frozen=True, kw_only=True, tag="line"):
    """Up to a line end; a carriage return before it belongs to it. `start`: other lines are unframed text.

    The end is no part of the frame: offsets, those of a checksum too, are counted without it, and so is `pattern`.
    """

    end: HexBytes = "0A"
    start: Start | None = None
    comment: Start | None = None
    """Lines that begin so say nothing."""


class Stuffed(_Grammar, frozen=True, kw_only=True, tag="stuffed"):
    """Between two bytes `end`, which occur nowhere inside: they and `escape` are sent as `escape` and another byte (SLIP, HDLC)."""

    end: Code
    escape: Code
    xor: Code | None = None
    """The other byte is the real one XOR this (HDLC: 0x20); instead of `pairs`."""
    pairs: Annotated[tuple[tuple[Code, Code], ...], msgspec.Meta(max_length=8)] = ()
    """The other byte and the real one, for `end` and `escape` at least (SLIP: `[[0xDC, 0xC0], [0xDD, 0xDB]]`)."""


class Cobs(_Grammar, frozen=True, kw_only=True, tag="cobs"):
    """Between two zeros, which COBS keeps out of the frame."""


class Tokens(_Grammar, frozen=True, kw_only=True, tag="tokens"):
    """No line ends: the patterns of the messages are looked for in the stream, the leftmost and then the first named first."""


class Reports(_Grammar, frozen=True, kw_only=True, tag="report"):
    """The transport delivers whole frames (HID reports, datagrams); `id`: the first byte."""

    id: Code | None = None
    size: FrameSize | None = None
    """Reports are filled up with zeros to this size."""


Grammar = Delimited | LengthPrefixed | Fixed | Line | Stuffed | Cobs | Tokens | Reports


class Unframed(Enum):
    """What bytes mean that belong to no frame."""

    IGNORE = "ignore"
    LOG = "log"
    ALARM = "alarm"


class PlainFraming(Table, frozen=True, kw_only=True):
    grammars: Annotated[tuple[Grammar, ...], msgspec.Meta(min_length=1, max_length=16)]
    gap_s: Seconds | None = None
    """A longer pause inside a frame gives it up, on lines that do not pause by themselves."""
    unframed: Unframed = Unframed.LOG
    echo: bool = False
    """The line gives back what the host sends (one wire for both ways); it is taken out."""

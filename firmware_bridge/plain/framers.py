"""Frames of plain devices out of a byte stream, by the grammars of a profile. Sans-I/O: bytes and time in, frames and faults out.

Which rubbish can occur and how the framer gets back in step:

- Bytes that begin no frame are collected as unframed text and told as one piece before the next frame.
- A frame that proves wrong costs its first byte; the search goes on at the next place where one may begin, so that a true frame that
  begins inside of it is found. The damaged frame alone is lost.
- A begun frame that does not end is given up when it is longer than its grammar allows, or when the line was silent for `gap_s`.

What a grammar is stands in `FramingAtWork`, compiled once and shared by all connections of a profile; a `PlainFramer` has the bytes of one.
Memory is bounded by the largest grammar; each byte is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

import msgspec

from device_profiles.errors import FieldRangeError
from device_profiles.plain.frames import Delimited, Fixed, Grammar, LengthPrefixed, Line, PlainFraming, Reports, Tokens, Way
from firmware_bridge.plain.cuts import UNFINISHED, WRONG, cut_of
from firmware_bridge.plain.integrity import Prover
from firmware_bridge.plain.stuffing import Between, delimiter_of, stuffed

UNFRAMED_MAX: Final = 256
"""Of text that belongs to no frame, so much is kept to be told."""


class PlainFault(Enum):
    """Why bytes were not a frame."""

    CHECKSUM = "checksum"
    OVERSIZE = "oversize"
    SILENCE = "silence"
    UNFRAMED = "unframed"


class PlainFrame(msgspec.Struct, frozen=True, gc=False):
    """One whole frame, without doubled bytes and line end."""

    grammar: str
    content: bytes


class Trouble(msgspec.Struct, frozen=True, gc=False):
    """Bytes that were no frame. `content` may tell a card: it goes to counters and captures, never to a log."""

    fault: PlainFault
    content: bytes


Searcher = Callable[[bytes], "tuple[int, int, str] | None"]
"""Finds the first token: (begin, end, grammar)."""


class GrammarReader:
    """One grammar at work. It keeps nothing of a connection."""

    def __init__(self, grammar: Grammar, file: str) -> None:
        self.grammar, self.name = grammar, grammar.name
        self.start = (
            bytes.fromhex(grammar.start) if isinstance(grammar, Delimited | LengthPrefixed | Fixed | Line) and grammar.start else b""
        )
        self.prover = Prover(grammar.integrity, file) if grammar.integrity is not None else None
        self.cut = cut_of(grammar, self.start, self.prover)
        self.comment = bytes.fromhex(grammar.comment) if isinstance(grammar, Line) and grammar.comment is not None else None
        """Frames that begin so say nothing, as do empty ones."""
        self._end = bytes.fromhex(grammar.end) if isinstance(grammar, Line) else b""

    def is_begun(self, waiting: bytes, at: int) -> bool:
        """Whether the beginning that such frames have stands at this place, as far as the bytes go."""
        return bool(self.start) and (waiting.startswith(self.start, at) or self.start.startswith(waiting[at:]))

    def next_begin(self, waiting: bytes, at: int, *, over: bool = False) -> int:
        """When no frame begins at this place: none of this grammar begins before that one either. `over`: nothing more comes."""
        size = len(waiting)
        if isinstance(self.grammar, Between):
            end_at = waiting.find(delimiter_of(self.grammar), at)
            return end_at if end_at > at else size
        if self.start:
            start_at = waiting.find(self.start, at + 1)
            return start_at if start_at >= 0 else self._cut_short(waiting, at)
        if isinstance(self.grammar, Line):
            end_at = waiting.find(self._end, at + 1)
            if end_at < 0 and over:
                return size
            return max(at + 1, (end_at if end_at >= 0 else size) - self.grammar.max)
        return at + 1

    def _cut_short(self, waiting: bytes, at: int) -> int:
        """Where the first bytes of the beginning stand at the very end, after this place."""
        size = len(waiting)
        longest = min(len(self.start), size - at) - 1
        return next((size - part for part in range(longest, 0, -1) if waiting.endswith(self.start[:part])), size)


class FramingAtWork:
    """The grammars of one direction, or of both on one wire."""

    def __init__(self, framing: PlainFraming, way: Way, readers: Mapping[str, GrammarReader], search: Searcher | None) -> None:
        """`readers` by grammar; `search` finds tokens."""
        heard = [readers[grammar.name] for grammar in framing.grammars if way is Way.BOTH or grammar.way in (way, Way.BOTH)]
        self.readers = tuple(reader for reader in heard if not isinstance(reader.grammar, Tokens | Reports))
        self.beginning = tuple(
            tuple(reader for reader in self.readers if not reader.start or reader.start[0] == byte) for byte in range(256)
        )
        """By the first byte of what waits: the grammars of which a frame may begin there, in their order."""
        self.tokens = next((reader.grammar for reader in heard if isinstance(reader.grammar, Tokens)), None)
        self.reports = tuple((reader.grammar, reader) for reader in heard if isinstance(reader.grammar, Reports))
        self.search = search
        self.is_cut = not self.reports and self.tokens is None
        """Whether frames are cut out of a stream, as nearly always."""
        self.gap_s = framing.gap_s


class PlainFramer:
    """Collects bytes of one direction of one connection."""

    __slots__ = ("_framing", "_gap_s", "_unframed", "_waiting", "last_byte_s")

    def __init__(self, framing: FramingAtWork, *, pauses: bool = False) -> None:
        """`pauses`: the transport may pause inside a frame (TCP, USB), so silence means nothing."""
        self._framing = framing
        self._gap_s = None if pauses else framing.gap_s
        self._waiting = self._unframed = b""
        self.last_byte_s = 0.0
        """When the last bytes came."""

    @property
    def held(self) -> int:
        """Bytes held of a begun frame."""
        return len(self._waiting)

    def reset(self) -> None:
        """Forget a begun frame: the connection is a new one."""
        self._waiting = self._unframed = b""

    def feed(self, content: bytes, now_s: float) -> list[PlainFrame | Trouble]:
        """Return the frames and troubles that `content` completes, in order."""
        found = self.expire(now_s) if self._waiting else []
        if not content:
            return found
        self.last_byte_s = now_s
        waiting = self._waiting + content if self._waiting else content
        framing = self._framing
        if framing.is_cut:
            self._find_frames(waiting, found)
        elif framing.reports:
            found += self._take_report(content)
        elif framing.tokens is not None:
            self._find_tokens(framing.tokens, waiting, found)
        return found

    def expire(self, now_s: float) -> list[PlainFrame | Trouble]:
        """Give up a begun frame after which the line was silent too long."""
        found: list[PlainFrame | Trouble] = []
        if self._gap_s is None or not self._waiting or now_s - self.last_byte_s <= self._gap_s or self._framing.tokens is not None:
            return found
        self._tell_unframed(found)
        while self._waiting and now_s - self.last_byte_s > self._gap_s:
            waiting = self._waiting
            begin = min((reader.next_begin(waiting, 0, over=True) for reader in self._framing.readers), default=len(waiting))
            found.append(Trouble(PlainFault.SILENCE, waiting[: min(begin, UNFRAMED_MAX)]))
            self._find_frames(waiting[begin:], found)
        return found

    def _find_frames(self, waiting: bytes, found: list[PlainFrame | Trouble]) -> None:
        """Cut what waits into frames; what may become one goes on waiting."""
        at, size, beginning = 0, len(waiting), self._framing.beginning
        while at < size:
            unfinished = False
            for reader in beginning[waiting[at]]:
                cut = reader.cut(waiting, at)
                if cut is UNFINISHED:
                    unfinished = True
                elif cut is not WRONG:
                    break
            else:
                if unfinished:
                    self._waiting = waiting[at:]
                    return
                at = self._pass_on(waiting, at, found)
                continue
            if self._unframed:
                self._tell_unframed(found)
            content, at = cut
            if content and (reader.comment is None or not content.startswith(reader.comment)):
                found.append(PlainFrame(reader.name, content))
        self._waiting = b""
        if self._unframed:
            self._tell_unframed(found)

    def _pass_on(self, waiting: bytes, at: int, found: list[PlainFrame | Trouble]) -> int:
        """The byte here belongs to no frame: it began a damaged one, or it is rubbish, as is all up to where one may begin."""
        rubbish_at = at
        if any(reader.is_begun(waiting, at) for reader in self._framing.beginning[waiting[at]]):
            self._tell_unframed(found)
            found.append(Trouble(PlainFault.CHECKSUM, waiting[at : at + 1]))
            rubbish_at = at + 1
        begin = min((reader.next_begin(waiting, at) for reader in self._framing.readers), default=len(waiting))
        self._note_unframed(waiting[rubbish_at:begin])
        return begin

    def _find_tokens(self, grammar: Tokens, waiting: bytes, found: list[PlainFrame | Trouble]) -> None:
        self._waiting, search = waiting, self._framing.search
        if search is None:
            return
        while (token := search(self._waiting)) is not None:
            begin, end, name = token
            self._note_unframed(self._waiting[:begin].strip())
            self._tell_unframed(found)
            found.append(PlainFrame(name, self._waiting[begin:end]))
            self._waiting = self._waiting[end:]
        if len(self._waiting) > grammar.max:
            self._note_unframed(self._waiting[: -grammar.max])
            self._waiting = self._waiting[-grammar.max :]
            self._tell_unframed(found)

    def _take_report(self, content: bytes) -> list[PlainFrame | Trouble]:
        for grammar, reader in self._framing.reports:
            if grammar.id is not None and content[:1] != bytes((grammar.id,)):
                continue
            if (grammar.size is not None and len(content) != grammar.size) or len(content) > grammar.max:
                return [Trouble(PlainFault.OVERSIZE, content)]
            if reader.prover is not None and not reader.prover.proves(content):
                return [Trouble(PlainFault.CHECKSUM, content)]
            return [PlainFrame(grammar.name, content)]
        return [Trouble(PlainFault.UNFRAMED, content[:UNFRAMED_MAX])]

    def _note_unframed(self, content: bytes) -> None:
        self._unframed += content[: UNFRAMED_MAX - len(self._unframed)]

    def _tell_unframed(self, found: list[PlainFrame | Trouble]) -> None:
        if self._unframed:
            found.append(Trouble(PlainFault.UNFRAMED, self._unframed))
            self._unframed = b""


def write_frame(reader: GrammarReader, content: bytearray) -> bytes:
    """Return the bytes on the wire of a frame whose fields are in place: length, end and checksum are filled in.

    Raises:
        FieldRangeError: its length does not fit into the place that tells it.
    """
    grammar = reader.grammar
    content[: len(reader.start)] = reader.start
    match grammar:
        case Delimited(trailer=trailer):
            end = bytes.fromhex(grammar.end)
            at = len(content) - trailer - len(end)
            content[at : at + len(end)] = end
        case LengthPrefixed(at=at, width=width, adds=adds, little=little):
            content[at : at + width] = _length_bytes(len(content) - adds, width, little=little)
        case _:
            pass
    if reader.prover is not None:
        reader.prover.complete(content)
    if isinstance(grammar, Between):
        return stuffed(grammar, bytes(content))
    if isinstance(grammar, LengthPrefixed) and grammar.doubled is not None:
        doubled = bytes((grammar.doubled,))
        return bytes(content[:1]) + bytes(content[1:]).replace(doubled, doubled * 2)
    return bytes(content) + (bytes.fromhex(grammar.end) if isinstance(grammar, Line) else b"")


def _length_bytes(length: int, width: int, *, little: bool) -> bytes:
    try:
        return length.to_bytes(width, "little" if little else "big")
    except OverflowError as error:
        raise FieldRangeError(f"the length {length} cannot be said in {width} bytes") from error


def smallest_tail(grammar: Grammar, prover: Prover | None) -> int:
    """Bytes that stand after the fields of a written frame: its end, its trailer, its checksum."""
    if isinstance(grammar, Delimited):
        return len(bytes.fromhex(grammar.end)) + grammar.trailer
    if prover is None or grammar.integrity is None:
        return 0
    return max((-place for place in grammar.integrity.places if place < 0), default=0)

"""Frames of plain devices out of a byte stream, by the grammars of a profile. Sans-I/O: bytes and time in, frames and faults out.

Which rubbish can occur and how the framer gets back in step:

- Bytes that begin no frame are collected as unframed text and told as one piece before the next frame.
- A frame that proves wrong costs its first byte; the search goes on at the next place where one may begin, so that a true frame that
  begins inside of it is found. The damaged frame alone is lost.
- A begun frame that does not end is given up when it is longer than its grammar allows, or when the line was silent for `gap_s`.

Memory is bounded by the largest grammar; each byte is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final, NamedTuple

from device_profiles.errors import FieldRangeError
from device_profiles.plain.frames import Delimited, Fixed, Grammar, LengthPrefixed, Line, PlainFraming, Reports, Tokens, Way
from firmware_bridge.plain.integrity import Prover
from firmware_bridge.plain.stuffing import Between, delimiter_of, maybe_unstuffed, stuffed

UNFRAMED_MAX: Final = 256
"""Of text that belongs to no frame, so much is kept to be told; the rest is counted."""


class PlainFault(Enum):
    """Why bytes were not a frame."""

    CHECKSUM = "checksum"
    OVERSIZE = "oversize"
    SILENCE = "silence"
    UNFRAMED = "unframed"


class PlainFrame(NamedTuple):
    """One whole frame, without doubled bytes and line end."""

    grammar: str
    content: bytes


class Trouble(NamedTuple):
    """Bytes that were no frame. `content` may tell a card: it goes to counters and captures, never to a log."""

    fault: PlainFault
    content: bytes


class Whole(NamedTuple):
    """A frame at the beginning of the buffer, and how many bytes of the wire it took."""

    content: bytes
    took: int


class _Wrong:
    """No frame of this grammar begins here."""


class _Unfinished:
    """It may become one."""


WRONG: Final = _Wrong()
UNFINISHED: Final = _Unfinished()
Attempt = Whole | _Wrong | _Unfinished
Searcher = Callable[[bytes], "tuple[int, int, str] | None"]
"""Finds the first token: (begin, end, grammar)."""


class GrammarReader:
    """One grammar at work."""

    def __init__(self, grammar: Grammar, file: str) -> None:
        self.grammar = grammar
        self.start = (
            bytes.fromhex(grammar.start) if isinstance(grammar, Delimited | LengthPrefixed | Fixed | Line) and grammar.start else b""
        )
        self.prover = Prover(grammar.integrity, file) if grammar.integrity is not None else None
        self._end = bytes.fromhex(grammar.end) if isinstance(grammar, Delimited | Line) else b""

    def may_begin(self, waiting: bytes) -> bool:
        """Whether the bytes that wait may be the beginning of such a frame."""
        length = min(len(self.start), len(waiting))
        return waiting[:length] == self.start[:length]

    def attempt(self, waiting: bytes) -> Attempt:
        """Read a frame at the beginning of the bytes that wait."""
        if isinstance(self.grammar, Between):
            return self._between(self.grammar, waiting)
        if self.start and not waiting.startswith(self.start):
            return UNFINISHED if self.may_begin(waiting) else WRONG
        found = self._cut(waiting)
        if isinstance(found, Whole):
            if len(found.content) > self.grammar.max or (self.prover is not None and not self.prover.proves(found.content)):
                return WRONG
            return found
        return WRONG if found is UNFINISHED and len(waiting) > 2 * self.grammar.max else found

    def _between(self, grammar: Between, waiting: bytes) -> Attempt:
        """The run up to the next delimiter; delimiters that stand before it say nothing."""
        delimiter = delimiter_of(grammar)
        if waiting[0] == delimiter:
            return Whole(b"", 1)
        at = waiting.find(delimiter)
        if at < 0:
            return UNFINISHED if len(waiting) <= 2 * grammar.max + 2 else WRONG
        content = maybe_unstuffed(grammar, waiting[:at])
        if not content or len(content) > grammar.max or (self.prover is not None and not self.prover.proves(content)):
            return WRONG
        return Whole(content, at + 1)

    def _cut(self, waiting: bytes) -> Attempt:
        match self.grammar:
            case Delimited(trailer=trailer):
                at = waiting.find(self._end, len(self.start), self.grammar.max)
                size = at + len(self._end) + trailer
                if at < 0:
                    return UNFINISHED if len(waiting) < self.grammar.max else WRONG
                return Whole(waiting[:size], size) if len(waiting) >= size else UNFINISHED
            case LengthPrefixed():
                return self._cut_by_length(self.grammar, waiting)
            case Fixed(size=size):
                return Whole(waiting[:size], size) if len(waiting) >= size else UNFINISHED
            case Line():
                return self._cut_line(waiting)
            case _:
                return WRONG

    def _cut_by_length(self, grammar: LengthPrefixed, waiting: bytes) -> Attempt:
        wanted = grammar.at + grammar.width
        head = self._undoubled(grammar, waiting, wanted)
        if not isinstance(head, Whole):
            return head
        number = int.from_bytes(head.content[grammar.at :], "little" if grammar.little else "big")
        size = number + grammar.adds
        if not max(grammar.least, wanted) <= size <= grammar.max:
            return WRONG
        return self._undoubled(grammar, waiting, size)

    @staticmethod
    def _undoubled(grammar: LengthPrefixed, waiting: bytes, size: int) -> Attempt:
        """The first `size` bytes of the frame, each doubled byte counted once."""
        if grammar.doubled is None:
            return Whole(waiting[:size], size) if len(waiting) >= size else UNFINISHED
        content, at = bytearray(waiting[:1]), 1
        while len(content) < size:
            if at >= len(waiting):
                return UNFINISHED
            byte = waiting[at]
            if byte == grammar.doubled:
                if at + 1 >= len(waiting):
                    return UNFINISHED
                if waiting[at + 1] != byte:
                    return WRONG
                at += 1
            content.append(byte)
            at += 1
        return Whole(bytes(content), at)

    def _cut_line(self, waiting: bytes) -> Attempt:
        at = waiting.find(self._end, 0, self.grammar.max + len(self._end))
        if at < 0:
            return UNFINISHED if len(waiting) <= self.grammar.max else WRONG
        return Whole(waiting[:at].removesuffix(b"\r"), at + len(self._end))

    def next_begin(self, waiting: bytes, *, over: bool = False) -> int:
        """When no frame begins at the first byte: no frame of this grammar begins before this place either. `over`: nothing more comes."""
        size = len(waiting)
        if isinstance(self.grammar, Between):
            at = waiting.find(delimiter_of(self.grammar))
            return at if at > 0 else size
        if self.start:
            at = waiting.find(self.start, 1)
            if at >= 0:
                return at
            return next((size - part for part in range(min(len(self.start), size) - 1, 0, -1) if waiting.endswith(self.start[:part])), size)
        if isinstance(self.grammar, Line):
            at = waiting.find(self._end, 1)
            if at < 0 and over:
                return size
            return max(1, (at if at >= 0 else size) - self.grammar.max)
        return 1

    def is_comment(self, content: bytes) -> bool:
        """Whether this line, or what stands between two delimiters, says nothing."""
        grammar = self.grammar
        if isinstance(grammar, Between):
            return not content
        if not isinstance(grammar, Line):
            return False
        return not content or (grammar.comment is not None and content.startswith(bytes.fromhex(grammar.comment)))


class PlainFramer:
    """Collects bytes of one direction of one connection."""

    def __init__(self, framing: PlainFraming, way: Way, file: str, *, search: Searcher | None = None, pauses: bool = False) -> None:
        """`search` finds tokens; `pauses`: the transport may pause inside a frame (TCP, USB), so silence means nothing."""
        grammars = [g for g in framing.grammars if way is Way.BOTH or g.way in (way, Way.BOTH)]
        self._readers = [GrammarReader(g, file) for g in grammars if not isinstance(g, Tokens | Reports)]
        self._tokens = next((g for g in grammars if isinstance(g, Tokens)), None)
        self._reports = [(g, GrammarReader(g, file)) for g in grammars if isinstance(g, Reports)]
        self._search = search
        self._gap_s = None if pauses else framing.gap_s
        self._waiting = b""
        self._unframed = bytearray()
        self.last_byte_s = 0.0
        """When the last bytes came."""
        self.unframed_bytes = 0

    @property
    def held(self) -> int:
        """Bytes held of a begun frame."""
        return len(self._waiting)

    def reset(self) -> None:
        """Forget a begun frame: the connection is a new one."""
        self._waiting = b""
        self._unframed.clear()

    def feed(self, content: bytes, now_s: float) -> list[PlainFrame | Trouble]:
        """Return the frames and troubles that `content` completes, in order."""
        found = self.expire(now_s)
        if not content:
            return found
        self.last_byte_s = now_s
        if self._reports:
            return found + self._take_report(content)
        self._waiting += content
        if self._tokens is not None:
            self._find_tokens(self._tokens, found)
        else:
            self._find_frames(found)
        return found

    def expire(self, now_s: float) -> list[PlainFrame | Trouble]:
        """Give up a begun frame after which the line was silent too long."""
        found: list[PlainFrame | Trouble] = []
        if self._gap_s is None or not self._waiting or now_s - self.last_byte_s <= self._gap_s or self._tokens is not None:
            return found
        self._tell_unframed(found)
        while self._waiting and now_s - self.last_byte_s > self._gap_s:
            begin = min((reader.next_begin(self._waiting, over=True) for reader in self._readers), default=len(self._waiting))
            found.append(Trouble(PlainFault.SILENCE, self._waiting[: min(begin, UNFRAMED_MAX)]))
            self._waiting = self._waiting[begin:]
            self._find_frames(found)
        return found

    def _find_frames(self, found: list[PlainFrame | Trouble]) -> None:
        while self._waiting:
            outcome = self._first_frame()
            if outcome is UNFINISHED:
                return
            if isinstance(outcome, tuple):
                self._tell_unframed(found)
                reader, whole = outcome
                self._waiting = self._waiting[whole.took :]
                if not reader.is_comment(whole.content):
                    found.append(PlainFrame(reader.grammar.name, whole.content))
            else:
                self._pass_on(found)
        self._tell_unframed(found)

    def _first_frame(self) -> tuple[GrammarReader, Whole] | _Wrong | _Unfinished:
        unfinished = False
        for reader in self._readers:
            attempt = reader.attempt(self._waiting)
            if isinstance(attempt, Whole):
                return reader, attempt
            unfinished = unfinished or attempt is UNFINISHED
        return UNFINISHED if unfinished else WRONG

    def _pass_on(self, found: list[PlainFrame | Trouble]) -> None:
        """The first byte belongs to no frame: it began a damaged one, or it is rubbish, as is all up to where one may begin."""
        waiting, rubbish_at = self._waiting, 0
        if any(reader.start and reader.may_begin(waiting) for reader in self._readers):
            self._tell_unframed(found)
            found.append(Trouble(PlainFault.CHECKSUM, waiting[:1]))
            rubbish_at = 1
        begin = min((reader.next_begin(waiting) for reader in self._readers), default=len(waiting))
        self._note_unframed(waiting[rubbish_at:begin])
        self._waiting = waiting[begin:]

    def _find_tokens(self, grammar: Tokens, found: list[PlainFrame | Trouble]) -> None:
        if self._search is None:
            return
        while (token := self._search(self._waiting)) is not None:
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
        for grammar, reader in self._reports:
            if grammar.id is not None and content[:1] != bytes((grammar.id,)):
                continue
            if (grammar.size is not None and len(content) != grammar.size) or len(content) > grammar.max:
                return [Trouble(PlainFault.OVERSIZE, content)]
            if reader.prover is not None and not reader.prover.proves(content):
                return [Trouble(PlainFault.CHECKSUM, content)]
            return [PlainFrame(grammar.name, content)]
        return [Trouble(PlainFault.UNFRAMED, content[:UNFRAMED_MAX])]

    def _note_unframed(self, content: bytes) -> None:
        self.unframed_bytes += len(content)
        self._unframed += content[: UNFRAMED_MAX - len(self._unframed)]

    def _tell_unframed(self, found: list[PlainFrame | Trouble]) -> None:
        if self._unframed:
            found.append(Trouble(PlainFault.UNFRAMED, bytes(self._unframed)))
            self._unframed.clear()


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


__all__: Sequence[str] = [
    "GrammarReader", "PlainFault", "PlainFrame", "PlainFramer", "Trouble", "Whole", "smallest_tail", "write_frame",
]  # fmt: skip

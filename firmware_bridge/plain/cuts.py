"""Where a frame ends: each grammar of a profile, compiled once into a function that cuts one frame out of the bytes that wait.

A cut is asked at a place where a frame may begin. It answers with the frame and the place after it, or says that none begins there, or
that more bytes are needed to tell. It keeps nothing, so one serves all connections; it knows no time and no other grammar.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, Literal

from device_profiles.plain.frames import Cobs, Delimited, Fixed, Grammar, LengthPrefixed, Line, Stuffed
from firmware_bridge.plain.integrity import Prover
from firmware_bridge.plain.stuffing import Between, delimiter_of, unstuffing


class NoFrame(Enum):
    """Why there is no frame at a place."""

    WRONG = "wrong"
    """None of this grammar begins here."""
    UNFINISHED = "unfinished"
    """It may become one."""


Found = tuple[bytes, int] | NoFrame
"""A frame, without doubled bytes and line end, and the place after its last byte on the wire."""
Cut = Callable[[bytes, int], Found]
"""The bytes that wait and the place in them where the frame begins; where it has a beginning, the first byte of that stands there."""
Proof = Callable[[bytes], bool]
WRONG: Final = NoFrame.WRONG
UNFINISHED: Final = NoFrame.UNFINISHED


def cut_of(grammar: Grammar, start: bytes, prover: Prover | None) -> Cut:
    """Compile a grammar; tokens and reports are not cut, so none of them begins anywhere."""
    proves = prover.proves if prover is not None else _takes_all
    match grammar:
        case Delimited():
            cut = _delimited(grammar, len(start), proves)
        case LengthPrefixed(doubled=None):
            cut = _by_length(grammar, proves)
        case LengthPrefixed():
            cut = _by_length_undoubled(grammar, proves)
        case Fixed():
            cut = _fixed(grammar, proves)
        case Line():
            cut = _line(grammar, proves)
        case Cobs() | Stuffed():
            cut = _between(grammar, proves)
        case _:
            cut = _none
    return cut if len(start) < 2 else _begun(start, cut)


def _takes_all(_content: bytes) -> bool:
    return True


def _none(_waiting: bytes, _at: int) -> Found:
    return WRONG


def _begun(start: bytes, cut: Cut) -> Cut:
    """The whole of a longer beginning must stand there."""

    def begun(waiting: bytes, at: int) -> Found:
        if waiting.startswith(start, at):
            return cut(waiting, at)
        return UNFINISHED if start.startswith(waiting[at:]) else WRONG

    return begun


def _delimited(grammar: Delimited, head: int, proves: Proof) -> Cut:
    end, most = bytes.fromhex(grammar.end), grammar.max
    tail, give_up = len(end) + grammar.trailer, 2 * grammar.max

    def cut(waiting: bytes, at: int) -> Found:
        end_at = waiting.find(end, at + head, at + most)
        if end_at < 0:
            return UNFINISHED if len(waiting) - at < most else WRONG
        after = end_at + tail
        if after > len(waiting):
            return UNFINISHED if len(waiting) - at <= give_up else WRONG
        content = waiting[at:after]
        return (content, after) if after - at <= most and proves(content) else WRONG

    return cut


def _by_length(grammar: LengthPrefixed, proves: Proof) -> Cut:
    number_at, head, adds, order = grammar.at, grammar.at + grammar.width, grammar.adds, _order(grammar)
    least, most, give_up = max(grammar.least, head), grammar.max, 2 * grammar.max

    def cut(waiting: bytes, at: int) -> Found:
        held = len(waiting) - at
        if held < head:
            return UNFINISHED if held <= give_up else WRONG
        size = int.from_bytes(waiting[at + number_at : at + head], order) + adds
        if not least <= size <= most:
            return WRONG
        if size > held:
            return UNFINISHED
        content = waiting[at : at + size]
        return (content, at + size) if proves(content) else WRONG

    return cut


def _by_length_undoubled(grammar: LengthPrefixed, proves: Proof) -> Cut:
    number_at, head, adds, order = grammar.at, grammar.at + grammar.width, grammar.adds, _order(grammar)
    least, most, give_up = max(grammar.least, head), grammar.max, 2 * grammar.max
    doubled = bytes((grammar.doubled or 0,))

    def cut(waiting: bytes, at: int) -> Found:
        begun = _undoubled(waiting, at, head, doubled)
        if not isinstance(begun, tuple):
            return begun if len(waiting) - at <= give_up else WRONG
        size = int.from_bytes(begun[0][number_at:], order) + adds
        if not least <= size <= most:
            return WRONG
        whole = _undoubled(waiting, at, size, doubled)
        return WRONG if isinstance(whole, tuple) and not proves(whole[0]) else whole

    return cut


def _order(grammar: LengthPrefixed) -> Literal["little", "big"]:
    return "little" if grammar.little else "big"


def _undoubled(waiting: bytes, at: int, size: int, doubled: bytes) -> Found:
    """The first `size` bytes of the frame, each doubled byte counted once; its first byte is never doubled."""
    content, begin, after = b"", at, at + size
    while (found_at := waiting.find(doubled, max(begin, at + 1), after)) >= 0:
        if found_at + 1 >= len(waiting):
            return UNFINISHED
        if waiting[found_at + 1] != doubled[0]:
            return WRONG
        content += waiting[begin : found_at + 1]
        begin = found_at + 2
        after += 1
    content += waiting[begin:after]
    return (content, after) if len(content) == size else UNFINISHED


def _fixed(grammar: Fixed, proves: Proof) -> Cut:
    size, most, give_up = grammar.size, grammar.max, 2 * grammar.max

    def cut(waiting: bytes, at: int) -> Found:
        after = at + size
        if after > len(waiting):
            return UNFINISHED if len(waiting) - at <= give_up else WRONG
        content = waiting[at:after]
        return (content, after) if size <= most and proves(content) else WRONG

    return cut


def _line(grammar: Line, proves: Proof) -> Cut:
    end, most = bytes.fromhex(grammar.end), grammar.max
    size, reach = len(end), most + len(end)

    def cut(waiting: bytes, at: int) -> Found:
        end_at = waiting.find(end, at, at + reach)
        if end_at < 0:
            return UNFINISHED if len(waiting) - at <= most else WRONG
        content = waiting[at:end_at].removesuffix(b"\r")
        return (content, end_at + size) if proves(content) else WRONG

    return cut


def _between(grammar: Between, proves: Proof) -> Cut:
    """The run up to the next delimiter; delimiters that stand before it say nothing."""
    delimiter, most, give_up = delimiter_of(grammar), grammar.max, 2 * grammar.max + 2
    unstuffed = unstuffing(grammar)

    def cut(waiting: bytes, at: int) -> Found:
        end_at = waiting.find(delimiter, at)
        if end_at == at:
            return b"", at + 1
        if end_at < 0:
            return UNFINISHED if len(waiting) - at <= give_up else WRONG
        content = unstuffed(waiting[at:end_at])
        return (content, end_at + 1) if content and len(content) <= most and proves(content) else WRONG

    return cut

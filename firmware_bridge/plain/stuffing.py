"""Frames between two bytes that occur nowhere inside: byte stuffing as SLIP and HDLC do it, and COBS. Pure.

The delimiter is a sure place to begin anew, so a run between two of them either is a frame or is lost as a whole.
"""

from __future__ import annotations

from collections.abc import Callable

from cobs import cobs

from device_profiles.plain.frames import Cobs, Stuffed

Between = Cobs | Stuffed
Unstuffing = Callable[[bytes], "bytes | None"]


def delimiter_of(grammar: Between) -> int:
    """Return the byte between two frames."""
    return grammar.end if isinstance(grammar, Stuffed) else 0


def unstuffing(grammar: Between) -> Unstuffing:
    """Compile what takes the frame out of a run between two delimiters; it returns None for a run that is none."""
    if isinstance(grammar, Cobs):
        return _cobs_decoded
    escape = bytes((grammar.escape,))
    pairs = grammar.pairs if grammar.xor is None else tuple((byte, byte ^ grammar.xor) for byte in range(256))
    meant = {bytes((byte,)): bytes((real,)) for byte, real in pairs}

    def unstuffed(run: bytes) -> bytes | None:
        at = run.find(escape)
        if at < 0:
            return run
        parts: list[bytes] = []
        begin = 0
        while at >= 0:
            real = meant.get(run[at + 1 : at + 2])
            if real is None:
                return None
            parts += (run[begin:at], real)
            begin = at + 2
            at = run.find(escape, begin)
        parts.append(run[begin:])
        return b"".join(parts)

    return unstuffed


def _cobs_decoded(run: bytes) -> bytes | None:
    try:
        frame: bytes = cobs.decode(run)
    except cobs.DecodeError:
        return None
    return frame


def stuffed(grammar: Between, content: bytes) -> bytes:
    """Return the bytes on the wire of a frame, with its delimiters."""
    delimiter = bytes((delimiter_of(grammar),))
    if isinstance(grammar, Cobs):
        coded: bytes = cobs.encode(content)
        return delimiter + coded + delimiter
    sent = {real: byte for byte, real in grammar.pairs}
    coded_bytes = bytearray()
    for byte in content:
        if byte in (grammar.end, grammar.escape):
            coded_bytes += bytes((grammar.escape, byte ^ grammar.xor if grammar.xor is not None else sent[byte]))
        else:
            coded_bytes.append(byte)
    return delimiter + bytes(coded_bytes) + delimiter

"""Frames between two bytes that occur nowhere inside: byte stuffing as SLIP and HDLC do it, and COBS. Pure.

The delimiter is a sure place to begin anew, so a run between two of them either is a frame or is lost as a whole.
"""

from __future__ import annotations

from cobs import cobs

from device_profiles.plain.frames import Cobs, Stuffed

Between = Cobs | Stuffed


def delimiter_of(grammar: Between) -> int:
    """Return the byte between two frames."""
    return grammar.end if isinstance(grammar, Stuffed) else 0


def maybe_unstuffed(grammar: Between, run: bytes) -> bytes | None:
    """Return the frame in a run between two delimiters; None: it is none."""
    if isinstance(grammar, Cobs):
        try:
            frame: bytes = cobs.decode(run)
        except cobs.DecodeError:
            return None
        return frame
    meant = dict(grammar.pairs)
    content, escaped = bytearray(), False
    for byte in run:
        if escaped:
            real = meant.get(byte) if grammar.xor is None else byte ^ grammar.xor
            if real is None:
                return None
            content.append(real)
            escaped = False
        elif byte == grammar.escape:
            escaped = True
        else:
            content.append(byte)
    return None if escaped else bytes(content)


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

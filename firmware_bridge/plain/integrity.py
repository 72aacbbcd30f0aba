"""Proves frames and completes them: sums, XOR and CRC as a profile describes them, computed by well-kept libraries.

A checksum is found in the catalogue by its name or by its parameters; one that is in no catalogue is refused when the profile is read.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Final

import fastcrc

from device_profiles.errors import FieldRangeError, InvalidProfileError
from device_profiles.plain.frames import Crc, Integrity, Spelling, SumKind

Sum = Callable[[bytes], int]

CATALOGUE: Final[dict[str, tuple[Crc, Sum]]] = {
    "crc-8-smbus": (Crc(width=8, polynomial=0x07, start=0, reflected=False), fastcrc.crc8.smbus),
    "crc-16-kermit": (Crc(width=16, polynomial=0x1021, start=0, reflected=True), fastcrc.crc16.kermit),
    "crc-16-xmodem": (Crc(width=16, polynomial=0x1021, start=0, reflected=False), fastcrc.crc16.xmodem),
    "crc-16-ibm-3740": (Crc(width=16, polynomial=0x1021, start=0xFFFF, reflected=False), fastcrc.crc16.ibm_3740),
    "crc-16-genibus": (Crc(width=16, polynomial=0x1021, start=0xFFFF, reflected=False, final=0xFFFF), fastcrc.crc16.genibus),
    "crc-16-spi-fujitsu": (Crc(width=16, polynomial=0x1021, start=0x1D0F, reflected=False), fastcrc.crc16.spi_fujitsu),
    "crc-16-cms": (Crc(width=16, polynomial=0x8005, start=0xFFFF, reflected=False), fastcrc.crc16.cms),
    "crc-16-modbus": (Crc(width=16, polynomial=0x8005, start=0xFFFF, reflected=True), fastcrc.crc16.modbus),
    "crc-16-arc": (Crc(width=16, polynomial=0x8005, start=0, reflected=True), fastcrc.crc16.arc),
    "crc-16-ibm-sdlc": (Crc(width=16, polynomial=0x1021, start=0xFFFF, reflected=True, final=0xFFFF), fastcrc.crc16.ibm_sdlc),
    "crc-32-iso-hdlc": (
        Crc(width=32, polynomial=0x04C11DB7, start=0xFFFFFFFF, reflected=True, final=0xFFFFFFFF), fastcrc.crc32.iso_hdlc,
    ),
    "crc-32-iscsi": (Crc(width=32, polynomial=0x1EDC6F41, start=0xFFFFFFFF, reflected=True, final=0xFFFFFFFF), fastcrc.crc32.iscsi),
}  # fmt: skip
"""Checksums by catalogue name, each with its parameters and who computes it."""


class Prover:
    """One integrity rule, compiled."""

    def __init__(self, rule: Integrity, file: str) -> None:
        """Find the sum that `rule` names.

        Raises:
            InvalidProfileError: no such checksum, or its places do not hold it.
        """
        self._rule = rule
        self._sum, bits = _find_sum(rule, file)
        self._digit_bits = 8 if rule.spelling is Spelling.BINARY else 4
        if len(rule.places) * self._digit_bits != bits:
            raise InvalidProfileError(file, f"a checksum of {bits} bits needs {bits // self._digit_bits} places, not {len(rule.places)}")
        self.least = max(*(place + 1 if place >= 0 else -place for place in rule.places), 0)
        """Bytes that a frame has at least."""
        self._spans: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        """By the size of a frame: what is covered, and which places in it are left out, the last first."""

    def proves(self, frame: bytes) -> bool:
        """Whether the frame carries the checksum of what it covers."""
        if len(frame) < self.least:
            return False
        return bytes([frame[place] for place in self._rule.places]) == self._spelled(frame)

    def complete(self, frame: bytearray) -> None:
        """Write the checksum into its places.

        Raises:
            FieldRangeError: the frame is too short to have them.
        """
        if len(frame) < self.least:
            raise FieldRangeError(f"a frame of {len(frame)} bytes has no room for its checksum")
        for place, byte in zip(self._rule.places, self._spelled(frame), strict=True):
            frame[place] = byte

    def _spelled(self, frame: bytes | bytearray) -> bytes:
        value = self._sum(self._covered(frame))
        if self._rule.spelling is Spelling.BINARY:
            return value.to_bytes(len(self._rule.places), "big")
        text = f"{value:0{len(self._rule.places)}X}"
        return (text if self._rule.spelling is Spelling.HEX_UPPER else text.lower()).encode("ascii")

    def _covered(self, frame: bytes | bytearray) -> bytes:
        size, rule = len(frame), self._rule
        span = self._spans.get(size)
        if span is None:
            span = self._spans[size] = self._span(size)
        begin, end, cuts = span
        if rule.counted is not None:
            number = frame[rule.counted.at : rule.counted.at + rule.counted.width]
            end = min(begin + int.from_bytes(number, "little" if rule.counted.little else "big"), size)
        if not cuts:
            return bytes(frame[begin:end])
        covered = bytearray(frame[begin:end])
        for place in cuts:
            if place < end:
                del covered[place - begin]
        return bytes(covered)

    def _span(self, size: int) -> tuple[int, int, tuple[int, ...]]:
        rule = self._rule
        begin, end, _ = slice(rule.covers[0], rule.covers[1] if len(rule.covers) == 2 else None).indices(size)
        last = size if rule.counted is not None else end
        places = sorted({place % size for place in rule.places}, reverse=True)
        return begin, end, tuple(place for place in places if begin <= place < last)


def _find_sum(rule: Integrity, file: str) -> tuple[Sum, int]:
    mask = (1 << rule.width) - 1
    match rule.kind:
        case SumKind.SUM:
            return lambda content: sum(content) & mask, rule.width
        case SumKind.SUM_ZERO:
            return lambda content: -sum(content) & mask, rule.width
        case SumKind.XOR:
            return lambda content: functools.reduce(operator.xor, content, 0), 8
        case SumKind.CRC:
            return _find_crc(rule.crc, file)


def _find_crc(wanted: str | Crc | None, file: str) -> tuple[Sum, int]:
    if isinstance(wanted, str):
        if wanted not in CATALOGUE:
            raise InvalidProfileError(file, f"'{wanted[:40]}' is none of the known checksums: {', '.join(CATALOGUE)}")
        parameters, computed = CATALOGUE[wanted]
        return computed, parameters.width
    for parameters, computed in CATALOGUE.values():
        if parameters == wanted:
            return computed, parameters.width
    raise InvalidProfileError(file, "a checksum with these parameters is in no catalogue that is known here")

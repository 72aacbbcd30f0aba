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
    """One integrity rule, compiled. It keeps nothing of a frame, so one serves all connections."""

    def __init__(self, rule: Integrity, file: str) -> None:
        """Find the sum that `rule` names.

        Raises:
            InvalidProfileError: no such checksum, or its places do not hold it.
        """
        self._rule = rule
        self._sum, bits = _find_sum(rule, file)
        digit_bits = 8 if rule.spelling is Spelling.BINARY else 4
        if len(rule.places) * digit_bits != bits:
            raise InvalidProfileError(file, f"a checksum of {bits} bits needs {bits // digit_bits} places, not {len(rule.places)}")
        self._spelled = _spelling(rule.spelling, len(rule.places))
        self.least = max(*(place + 1 if place >= 0 else -place for place in rule.places), 0)
        """Bytes that a frame has at least."""
        self._spans: dict[int, tuple[slice, tuple[int, ...]]] = {}
        """By the size of a frame: what is covered, and which places in it are left out, the last first."""
        self.proves = self._proof()
        """Whether a frame carries the checksum of what it covers."""

    def _proof(self) -> Callable[[bytes], bool]:
        least, summed, spelled, covered, said = self.least, self._sum, self._spelled, self._covered, _picking(self._rule.places)
        if said is None:
            places = self._rule.places

            def proves_scattered(frame: bytes) -> bool:
                return len(frame) >= least and bytes([frame[place] for place in places]) == spelled(summed(covered(frame)))

            return proves_scattered
        whole = self._always_covered()
        if whole is not None and self._rule.kind is SumKind.XOR:
            words = tuple(spelled(value) for value in range(256))

            def proves_xor(frame: bytes) -> bool:
                if len(frame) < least:
                    return False
                value = 0
                for byte in frame[whole]:  # a call a byte, or one for the sum, costs more than all the rest of a short frame
                    value ^= byte
                return frame[said] == words[value]

            return proves_xor
        if whole is None:
            return lambda frame: len(frame) >= least and frame[said] == spelled(summed(covered(frame)))
        return lambda frame: len(frame) >= least and frame[said] == spelled(summed(frame[whole]))

    def _always_covered(self) -> slice | None:
        """What is covered in frames of all sizes, where that ends before the first of the checksum's places; None where that is not so."""
        rule = self._rule
        if rule.counted is not None or len(rule.covers) != 2 or rule.covers[1] >= 0:
            return None
        return slice(*rule.covers) if all(rule.covers[1] <= place < 0 for place in rule.places) else None

    def complete(self, frame: bytearray) -> None:
        """Write the checksum into its places.

        Raises:
            FieldRangeError: the frame is too short to have them.
        """
        if len(frame) < self.least:
            raise FieldRangeError(f"a frame of {len(frame)} bytes has no room for its checksum")
        for place, byte in zip(self._rule.places, self._spelled(self._sum(self._covered(bytes(frame)))), strict=True):
            frame[place] = byte

    def _covered(self, frame: bytes) -> bytes:
        size, rule = len(frame), self._rule
        span = self._spans.get(size)
        if span is None:
            span = self._spans[size] = self._span(size)
        part, cuts = span
        if rule.counted is None and not cuts:
            return frame[part]
        begin, end = part.start, part.stop
        if rule.counted is not None:
            number = frame[rule.counted.at : rule.counted.at + rule.counted.width]
            end = min(begin + int.from_bytes(number, "little" if rule.counted.little else "big"), size)
        covered = bytearray(frame[begin:end])
        for place in cuts:
            if place < end:
                del covered[place - begin]
        return bytes(covered)

    def _span(self, size: int) -> tuple[slice, tuple[int, ...]]:
        rule = self._rule
        begin, end, _ = slice(rule.covers[0], rule.covers[1] if len(rule.covers) == 2 else None).indices(size)
        last = size if rule.counted is not None else end
        places = sorted({place % size for place in rule.places}, reverse=True)
        return slice(begin, end), tuple(place for place in places if begin <= place < last)


def _spelling(spelling: Spelling, size: int) -> Callable[[int], bytes]:
    """Return what writes a sum into its places; the words of a short one are made beforehand."""
    if spelling is Spelling.BINARY:
        return lambda value: value.to_bytes(size, "big")
    form = f"%0{size}X" if spelling is Spelling.HEX_UPPER else f"%0{size}x"
    if size > 2:
        return lambda value: (form % value).encode("ascii")
    return tuple((form % value).encode("ascii") for value in range(256)).__getitem__


def _picking(places: tuple[int, ...]) -> slice | None:
    """Return the slice that these places are, in this order; None where they are none."""
    first, last = places[0], places[-1]
    if places == tuple(range(first, last + 1)) and (first >= 0 or last < 0):
        return slice(first, last + 1 or None)
    return None


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

"""What is compiled for speed says what the plain way of saying it says: cuts, checksums, lines."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Fixed, Integrity, LengthPrefixed, Line, PlainFraming, Spelling, SumKind, Way
from firmware_bridge.plain.cuts import UNFINISHED, WRONG, Found
from firmware_bridge.plain.framers import FramingAtWork, GrammarReader, PlainFrame, PlainFramer, Trouble
from firmware_bridge.plain.integrity import Prover
from firmware_bridge.plain.reading import read_line

DOUBLED = LengthPrefixed(name="d", start="01", at=1, adds=2, least=3, max=12, doubled=2)
FEW = st.binary(max_size=30).map(lambda content: bytes(byte % 4 for byte in content))
"""Few different bytes: beginnings, doubled bytes and ends meet often."""


def undoubled_byte_by_byte(waiting: bytes) -> Found:
    """The grammar `DOUBLED`, as its description says it."""
    content, at = waiting[:1], 1
    while len(content) < 2 or len(content) < content[1] + DOUBLED.adds:
        if len(content) == 2 and not DOUBLED.least <= content[1] + DOUBLED.adds <= DOUBLED.max:
            return WRONG
        step = 2 if waiting[at : at + 1] == b"\x02" else 1
        part = waiting[at : at + step]
        if len(part) < step:
            return UNFINISHED
        if part not in (b"\x02\x02", part[:1]):
            return WRONG
        content, at = content + part[:1], at + step
    return (content, at) if DOUBLED.least <= len(content) <= DOUBLED.max else WRONG


@given(FEW)
def test_doubled_bytes_are_counted_once(rest: bytes) -> None:
    cut = GrammarReader(DOUBLED, "x").cut
    waiting = b"\x01" + rest
    found = undoubled_byte_by_byte(waiting)
    assert cut(waiting, 0) == found
    assert cut(b"\x02\x02" + waiting, 2) == ((found[0], found[1] + 2) if isinstance(found, tuple) else found)


SHORT = (
    LengthPrefixed(name="a", start="01", at=1, adds=3, max=6, integrity=Integrity(kind=SumKind.XOR, covers=(0, -1), places=(-1,))),
    Fixed(name="b", start="02 03", size=4),
    Line(name="c", end="00", start="03", max=8),
)


@given(st.lists(FEW, max_size=8), st.randoms(use_true_random=False))
def test_frames_do_not_depend_on_how_the_bytes_come(parts: list[bytes], rng: random.Random) -> None:
    framing = FramingAtWork(PlainFraming(grammars=SHORT), Way.IN, {g.name: GrammarReader(g, "x") for g in SHORT}, None)
    content = b"".join(parts)
    at_once, in_pieces = PlainFramer(framing), PlainFramer(framing)
    expected = at_once.feed(content, 0.0)
    found: list[PlainFrame | Trouble] = []
    at = 0
    while at < len(content):
        size = rng.randrange(1, 5)
        found += in_pieces.feed(content[at : at + size], 0.0)
        at += size
    assert [item for item in found if isinstance(item, PlainFrame)] == [item for item in expected if isinstance(item, PlainFrame)]
    assert in_pieces.held == at_once.held


@pytest.mark.parametrize("places", [(-2, -1), (-1, -2), (0, 1), (1, 3)])
@pytest.mark.parametrize("covers", [(0, -2), (0,), (1, -2), (2, -1)])
@pytest.mark.parametrize("spelling", list(Spelling))
def test_what_a_prover_completes_it_proves_and_nothing_else(places: tuple[int, ...], covers: tuple[int, ...], spelling: Spelling) -> None:
    width = 16 if spelling is Spelling.BINARY else 8
    prover = Prover(Integrity(kind=SumKind.SUM, covers=covers, places=places, spelling=spelling, width=width), "x")
    rng = random.Random(4)
    for _ in range(30):
        frame = bytearray(rng.randbytes(rng.randrange(4, 20)))
        prover.complete(frame)
        assert prover.proves(bytes(frame))
        frame[places[0]] ^= 1
        assert not prover.proves(bytes(frame))
    assert not prover.proves(b"\x00" * (prover.least - 1))


@pytest.mark.parametrize("spelling", list(Spelling))
def test_an_xor_of_always_the_same_places_is_that_of_all_places(spelling: Spelling) -> None:
    places = (-1,) if spelling is Spelling.BINARY else (-2, -1)
    rule = Integrity(kind=SumKind.XOR, covers=(1, places[0]), places=places, spelling=spelling)
    prover, rng = Prover(rule, "x"), random.Random(4)
    for size in range(24):
        frame = bytearray(rng.randbytes(size))
        if size < prover.least:
            assert not prover.proves(bytes(frame))
            continue
        prover.complete(frame)
        assert prover.proves(bytes(frame))
        frame[-1] ^= 1
        assert not prover.proves(bytes(frame))


LINES = (
    *(b'{"a": 1}', b'{"a": 1} ', b'{"a": 1}x', b' {"a": 1}', b"[1]", b"7", b"", b"{", b'{"a": NaN}', b'{"a": 1, "a": 2}'),
    *(b'{"a": "\xed\xa0\x80"}', b'{"a": "\xff"}', b'\xef\xbb\xbf{"a": 1}', '{"a": 1}'.encode("utf-16-le")),
    *(b'{"a": ' * 5000, b'{"a": 123456789012345678901234567890}'),
)


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_read_as_json_reads_it(line: bytes) -> None:
    try:
        expected = repr(json.loads(line))
    except (ValueError, RecursionError):
        expected = "none"
    try:
        found = repr(read_line(line))
    except FieldError:
        found = "none"
    assert found == expected

"""COBS frames out of any stream: whole, split anywhere, between rubbish, spoiled in every byte."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.loader import load_profile
from firmware_bridge.checksum import CHECKSUMS_16, crc32c
from firmware_bridge.framing import CobsFramer, FrameFault, encode_frame

PROFILE = load_profile("sdp1")
FRAMING = PROFILE.framing
GENIBUS = CHECKSUMS_16["crc-16-genibus"]
VECTORS = [(vector.id, bytes.fromhex(vector.frame), bytes.fromhex(vector.wire)) for vector in PROFILE.vectors]
WIRES = [wire for _, _, wire in VECTORS]
FRAMES = [frame[:-2] for _, frame, _ in VECTORS]
bodies = st.binary(min_size=3, max_size=243)


def framer(*, pauses=False):
    return CobsFramer(FRAMING, pauses=pauses)


def good(found):
    return [entry for entry in found if isinstance(entry, bytes)]


@pytest.mark.requirement("SDP/1 1.11")
@pytest.mark.parametrize(("frame", "wire"), [vector[1:] for vector in VECTORS], ids=[vector[0] for vector in VECTORS])
def test_every_example_frame_both_ways_whole_and_byte_by_byte(frame, wire):
    assert encode_frame(frame[:-2], GENIBUS) == wire
    assert framer().feed(wire, 0.0) == [frame[:-2]]
    one = framer()
    assert [found for at in range(len(wire)) for found in one.feed(wire[at : at + 1], 0.0)] == [frame[:-2]]


@pytest.mark.requirement("SDP/1 1.3")
def test_checksums_have_the_check_values_of_the_catalogue():
    check = b"123456789"
    assert GENIBUS(check) == 0xD64E
    assert crc32c(check) == 0xE3069283
    wanted = {
        "crc-16-genibus": 0xD64E,
        "crc-16-modbus": 0x4B37,
        "crc-16-xmodem": 0x31C3,
        "crc-16-kermit": 0x2189,
        "crc-16-ibm-3740": 0x29B1,
    }
    assert {name: checksum(check) for name, checksum in CHECKSUMS_16.items()} == wanted


@given(st.lists(bodies, max_size=8), st.data())
def test_any_split_of_a_stream_gives_the_same_frames(frames, data):
    stream = b"".join(encode_frame(frame, GENIBUS) for frame in frames)
    one, found, at = framer(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        found += one.feed(stream[at : at + size], 0.0)
        at += size
    assert found == frames


@pytest.mark.requirement("SDP/1 1.2")
def test_adjacent_frames_may_share_a_zero_and_empty_frames_are_nothing():
    shared = b"\0\0\0" + b"\0".join(wire.strip(b"\0") for wire in WIRES) + b"\0\0"
    assert framer().feed(shared, 0.0) == FRAMES


@pytest.mark.requirement("SDP/1 1.2")
@given(st.binary(max_size=300), st.lists(st.binary(max_size=80), min_size=1, max_size=5))
def test_rubbish_before_and_between_costs_no_frame(before, between):
    one, found = framer(), []
    found += one.feed(before + b"\0", 0.0)
    for rubbish in between:
        found += good(one.feed(WIRES[5] + rubbish + b"\0", 0.0))
    assert good(found).count(FRAMES[5]) == len(between)


@pytest.mark.requirement("SDP/1 1.2", "SDP/1 1.12")
@pytest.mark.parametrize("hurt", ["flip", "drop", "insert", "double"])
def test_every_spoiled_byte_costs_at_most_the_frames_it_touches(hurt):
    stream = b"".join(WIRES)
    bounds, at = [], 0
    for wire in WIRES:
        bounds.append((at, at + len(wire)))
        at += len(wire)
    rng = random.Random(7)
    for position in range(len(stream)):
        byte = stream[position]
        change = {
            "flip": bytes((byte ^ (1 << rng.randrange(8)),)),
            "drop": b"",
            "insert": bytes((byte, rng.randrange(256))),
            "double": bytes((byte, byte)),
        }[hurt]
        one = framer()
        found = one.feed(stream[:position] + change + stream[position + 1 :], 0.0)
        hit = next(i for i, (start, end) in enumerate(bounds) if start <= position < end)
        untouched = FRAMES[:hit] + FRAMES[hit + 1 :]
        kept = good(found)
        assert kept in (untouched, FRAMES), f"byte {position}: more than the damaged frame was lost, or one invented"
        assert one.feed(WIRES[3], 0.0)[-1] == FRAMES[3], "not back in step"


@pytest.mark.requirement("SDP/1 1.2")
def test_a_spoiled_frame_is_counted_by_its_kind():
    assert framer().feed(b"\0\x05\x01\x02\0", 0.0) == [FrameFault.COBS]
    assert framer().feed(WIRES[5][:-3] + b"\xff" + WIRES[5][-2:], 0.0) == [FrameFault.CRC]
    assert framer().feed(b"\0\x04\x01\x02\x03\0", 0.0) == [FrameFault.SHORT]
    assert framer().feed(encode_frame(bytes(244), GENIBUS), 0.0) == [FrameFault.OVERSIZE]
    assert good(framer().feed(encode_frame(bytes(243), GENIBUS), 0.0)) == [bytes(243)]
    assert good(framer().feed(encode_frame(bytes(3), GENIBUS), 0.0)) == [bytes(3)]


@pytest.mark.requirement("SDP/1 1.2")
def test_a_run_longer_than_260_bytes_is_discarded_up_to_the_next_zero_and_never_held():
    one = framer()
    found = []
    for _ in range(100):
        found += one.feed(b"\x55" * 1000, 0.0)
        assert one.held <= FRAMING.run_max
    assert found == [FrameFault.OVERSIZE]
    assert one.feed(b"\x55\0" + WIRES[2], 0.0) == [FRAMES[2]]
    exact = framer()
    assert exact.feed(b"\x55" * 260, 0.0) == []
    assert exact.feed(b"\x55", 0.0) == [FrameFault.OVERSIZE]


@pytest.mark.requirement("SDP/1 1.2")
def test_silence_inside_a_frame_discards_it_on_a_uart_only():
    half = len(WIRES[5]) // 2
    first, rest = WIRES[5][:half], WIRES[5][half:]
    uart = framer()
    assert uart.feed(first, 0.0) == []
    assert uart.feed(rest, 0.1) == [FRAMES[5]], "100 ms are not more than 100 ms"
    assert uart.feed(first, 1.0) == []
    assert uart.feed(rest, 1.1001) == [FrameFault.SILENCE]
    assert uart.feed(WIRES[5], 1.2) == [FRAMES[5]]
    tcp = framer(pauses=True)
    assert tcp.feed(first, 0.0) == []
    assert tcp.feed(rest, 60.0) == [FRAMES[5]]


def test_a_pause_between_frames_is_no_silence():
    one = framer()
    assert one.feed(WIRES[0], 0.0) == [FRAMES[0]]
    assert one.feed(WIRES[1], 500.0) == [FRAMES[1]]


def test_a_new_connection_forgets_the_begun_frame():
    one = framer()
    one.feed(WIRES[5][:9], 0.0)
    one.reset()
    assert one.held == 0
    assert one.feed(WIRES[5], 0.0) == [FRAMES[5]]


@given(st.lists(st.binary(max_size=700), max_size=8))
def test_no_bytes_raise_and_memory_stays_bounded(chunks):
    one = framer()
    for number, chunk in enumerate(chunks):
        found = one.feed(chunk, number * 0.05)
        assert one.held <= FRAMING.run_max
        assert len(found) <= len(chunk) + 1
    assert one.feed(b"\0" + WIRES[2], 0.5)[-1] == FRAMES[2]

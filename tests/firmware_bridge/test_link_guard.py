"""What a link does not take: silence, bad seals, frames that may not occur, other addresses, too much of anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.codec import load_codec
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.link.faults import FaultKind, LinkCounters, LossCause
from firmware_bridge.link.frames import FaultReason
from firmware_bridge.link.limits import QUEUE_MAX
from firmware_bridge.link.notes import Bad, Lost
from firmware_bridge.link.quality import LineGrade, QualityWatch
from firmware_bridge.seal import DeviceKey, Side

CODEC = load_codec("sdp1")
FRAMING = CODEC.profile.framing

KEYS = DeviceKey(bytes(range(16))).derive(bytes(16), bytes(16))


def data(seq, ack=0, message=b"hello", ctl=0):
    return bytes((ctl, 0, seq << 4 | ack)) + message


@pytest.mark.requirement("SDP/1 1.8")
def test_whoever_has_sent_nothing_for_a_second_sends_ping_and_gets_its_token_back(bench, end):
    bench.sent(end)
    end.tick(1.0)
    (ping,) = bench.sent(end)
    assert ping[0] == 0xA0
    assert ping[3] < 0x80
    end.receive(bytes((0xA0, 0, 0, 0x07)), 1.1)
    (answer,) = bench.sent(end)
    assert answer[3] == 0x87
    end.receive(bytes((0xA0, 0, 0, 0x87)), 1.2)
    assert bench.sent(end) == [], "an answer is not answered"


@pytest.mark.requirement("SDP/1 1.8")
def test_three_seconds_of_silence_are_a_lost_link(end):
    assert end.tick(2.999) is None
    note = end.tick(3.0)
    assert isinstance(note, Lost)
    assert note.cause is LossCause.SILENCE
    assert not end.is_up


@pytest.mark.requirement("SDP/1 1.8")
def test_in_a_session_only_sealed_data_breaks_the_silence(bench):
    host = bench.host_up()
    device_seal = KEYS.sealer(Side.DEVICE)
    host.use_seal(KEYS.sealer(Side.HOST), 10.0)
    assert host.receive(bytes((0xA0, 0, 0, 0x81)), 12.0) is None
    sealed = device_seal.seal(0x08, 0, b"alive")
    assert host.receive(bytes((0x08, 0, 0x00)) + sealed, 12.9) == b"alive"
    assert host.tick(13.1) is None
    host.receive(bytes((0xA0, 0, 0, 0x81)), 15.8)
    note = host.tick(15.9)
    assert isinstance(note, Lost)
    assert note.cause is LossCause.SILENCE


@pytest.mark.requirement("SDP/1 1.4", "SDP/1 1.10")
def test_a_frame_with_a_bad_seal_uses_up_no_number_and_is_not_answered(bench):
    host = bench.host_up()
    device_seal = KEYS.sealer(Side.DEVICE)
    host.use_seal(KEYS.sealer(Side.HOST), 0.0)
    good = bytes((0x08, 0, 0x00)) + device_seal.seal(0x08, 0, b"real")
    bench.sent(host)
    forged = good[:-1] + bytes((good[-1] ^ 1,))
    assert host.receive(forged, 0.1) == Bad(FaultKind.BAD_TAG)
    assert bench.sent(host) == []
    assert host.next_deadline() > 0.5
    assert host.receive(good, 0.2) == b"real"


@pytest.mark.requirement("SDP/1 1.10")
def test_three_bad_seals_in_ten_seconds_drop_the_link_and_fewer_do_not(bench):
    for host_side in (True, False):
        end = bench.host_up() if host_side else bench.device_up()
        other = KEYS.sealer(Side.DEVICE if host_side else Side.HOST)
        end.use_seal(KEYS.sealer(Side.HOST if host_side else Side.DEVICE), 0.0)
        notes = []
        for now in (0.0, 6.0, 12.0, 13.0, 14.0):
            bench.sent(end)
            notes.append(end.receive(bytes((0x08, 0, end._expected << 4)) + bytes(20), now))
            good = bytes((0x08, 0, end._expected << 4)) + other.seal(0x08, 0, b"ok")
            if end.is_up:
                assert end.receive(good, now) == b"ok"
        assert [isinstance(note, Lost) for note in notes] == [False, False, False, True, False]
        assert notes[3].cause is LossCause.BAD_SEALS


@pytest.mark.requirement("SDP/1 1.10", "T-05")
def test_wrong_seal_in_new_data_is_a_fault_at_the_device_and_a_lost_link_at_the_host(bench):
    device = bench.device_up()
    bench.sent(device)
    note = device.receive(data(0, ctl=0x08, message=bytes(20)), 0.1)
    assert isinstance(note, Lost)
    assert bench.sent(device)[0] == bytes((0xC0, 0, 0x00, FaultReason.SEALED_WITHOUT_SESSION))
    device = bench.device_up()
    device.use_seal(KEYS.sealer(Side.DEVICE), 0.0)
    bench.sent(device)
    assert isinstance(device.receive(data(0), 0.1), Lost)
    assert bench.sent(device)[0][3] == FaultReason.UNSEALED_IN_SESSION
    host = bench.host_up()
    host.use_seal(KEYS.sealer(Side.HOST), 0.0)
    note = host.receive(data(0), 0.1)
    assert isinstance(note, Lost)
    assert note.cause is LossCause.WRONG_SEAL


@pytest.mark.requirement("SDP/1 1.3")
@pytest.mark.parametrize("reason", [1, 2, 3, 4, 5, 77])
def test_fault_of_the_device_is_a_lost_link(bench, reason):
    note = bench.host_up().receive(bytes((0xC0, 0, 0, reason)), 0.1)
    assert isinstance(note, Lost)
    assert note.cause is LossCause.DEVICE_FAULT


@pytest.mark.requirement("SDP/1 1.3")
@pytest.mark.parametrize(
    "frame",
    [
        bytes((0xE0, 0, 0)),  # reserved kind
        *(bytes((bit, 0, 0)) + b"x" for bit in (1, 2, 4)),  # reserved bits
        *(bytes((kind << 5 | bit, 0, 0, 1)) for kind in range(1, 7) for bit in (0x08, 0x10)),  # RTX, SEC outside DATA
        bytes((0x20, 0, 0x10)),  # a SEQ outside DATA
        bytes((0xA0, 0, 0)),  # PING without a token
        bytes((0x40, 0, 0)),  # NAK without a reason
    ],
)
def test_frames_that_may_not_occur_are_counted_and_never_answered(bench, end, frame):
    bench.sent(end)
    before = end.counters.bad_frame
    assert end.receive(frame, 0.1) == Bad(FaultKind.BAD_FRAME)
    assert end.counters.bad_frame == before + 1
    assert bench.sent(end) == []
    assert end.is_up


@pytest.mark.requirement("SDP/1 1.1")
def test_another_address_is_not_ours(end):
    assert end.receive(bytes((0x00, 5, 0)) + b"x", 0.1) == Bad(FaultKind.ADDRESS)
    assert end.receive(data(0), 0.1) == b"hello"


def test_messages_have_a_limit_and_a_queue_has_an_end(end):
    with pytest.raises(MisuseError):
        end.send(bytes(241), 0.0)
    end.send(bytes(240), 0.0)
    for _ in range(6 + QUEUE_MAX):
        end.send(b"x", 0.0)
    with pytest.raises(NotReadyError):
        end.send(b"x", 0.0)


def test_a_sealed_message_leaves_room_for_its_seal(bench):
    host = bench.host_up()
    host.use_seal(KEYS.sealer(Side.HOST), 0.0)
    assert host.message_limit == 228
    with pytest.raises(MisuseError):
        host.send(bytes(229), 0.0)


def test_nothing_is_sent_over_a_link_that_is_down(bench):
    with pytest.raises(NotReadyError):
        bench.new_host().send(b"x", 0.0)


@pytest.mark.requirement("SDP/1 1.12")
def test_the_line_is_graded_by_its_damaged_frames_of_the_last_minute():
    counters, watch = LinkCounters(), QualityWatch()
    grades = []
    for second in range(300):
        counters.frames_in += 10
        counters.crc += {1: 1, 2: 4}.get(second // 60, 0)
        if watch.watch(counters, float(second)):
            grades.append((second // 60, watch.grade))
    assert [grade for _, grade in grades] == [LineGrade.WARNING, LineGrade.DEGRADED, LineGrade.WARNING, LineGrade.GOOD]
    assert [minute for minute, _ in grades] == [1, 2, 3, 3]


@given(st.lists(st.tuples(st.binary(min_size=3, max_size=40), st.floats(0, 1.5)), max_size=40), st.booleans())
def test_no_frames_raise_or_fill_memory(bench, frames, host_side):
    end = bench.host_up() if host_side else bench.device_up()
    now = 0.0
    for frame, pause in frames:
        now += pause
        end.receive(frame, now)
        end.tick(now)
        assert len(end.bytes_to_send()) < 8000
    assert end.next_deadline() is None or end.next_deadline() >= 0

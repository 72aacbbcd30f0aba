"""Numbered DATA at both ends of a link: what is taken, acknowledged, refused, repeated, and when it is given up."""

from __future__ import annotations

import itertools

import pytest

from firmware_bridge.codec import load_codec
from firmware_bridge.framing import FrameFault, encode_frame
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.host import HostLink
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Lost

CODEC = load_codec("sdp1")
FRAMING = CODEC.profile.framing


def rstack(token, *, version=1, window=7, body_limit=240, reason=0, boots=42):
    return bytes((0x80, 0, token, version, window, body_limit, reason)) + boots.to_bytes(4, "big")


def rst(token, *, lowest=1, highest=1, window=7, body_limit=240):
    return bytes((0x60, 0, token, lowest, highest, window, body_limit))


def data(seq, ack=0, message=b"hello", ctl=0):
    return bytes((ctl, 0, seq << 4 | ack)) + message


@pytest.mark.requirement("SDP/1 1.4")
def test_only_the_expected_number_is_taken(end):
    assert end.receive(data(0, message=b"a"), 0.1) == b"a"
    assert end.receive(data(0, message=b"a"), 0.1) is None
    assert end.counters.duplicates == 1
    assert end.receive(data(2, message=b"c"), 0.1) is None
    assert end.counters.gaps == 1
    assert end.receive(data(1, message=b"b"), 0.1) == b"b"
    assert end.receive(data(2, message=b"c"), 0.1) == b"c"


@pytest.mark.requirement("SDP/1 1.4")
def test_the_eight_numbers_before_are_duplicates_and_the_seven_after_are_gaps(end):
    for number in range(20):
        end.receive(data(number % 16), 0.1)
    expected = 20 % 16
    for back in range(1, 9):
        end.receive(data((expected - back) % 16), 0.1)
    assert (end.counters.duplicates, end.counters.gaps) == (8, 0)
    for ahead in range(1, 8):
        end.receive(data((expected + ahead) % 16), 0.1)
    assert (end.counters.duplicates, end.counters.gaps) == (8, 7)


@pytest.mark.requirement("SDP/1 1.4")
def test_a_gap_gets_one_nak_and_no_other_until_the_expected_frame_comes(bench, end):
    bench.sent(end)
    for number in (1, 2, 3, 5):
        end.receive(data(number), 0.1)
    end.damaged(FrameFault.CRC, 0.1)
    assert bench.sent(end) == [bytes((0x40, 0, 0x00, 2))]
    assert end.receive(data(0), 0.2) == b"hello"
    end.damaged(FrameFault.CRC, 0.2)
    end.damaged(FrameFault.CRC, 0.2)
    assert bench.sent(end) == [bytes((0x40, 0, 0x01, 1))]
    end.receive(data(1), 0.3)
    end.damaged(FrameFault.OVERSIZE, 0.3)
    assert bench.sent(end) == [bytes((0x40, 0, 0x02, 4))]


@pytest.mark.requirement("SDP/1 1.4")
def test_an_acknowledgement_leaves_within_50_ms_and_rides_where_it_can(bench, end):
    bench.sent(end)
    end.receive(data(0), 0.5)
    deadline = end.next_deadline()
    assert 0.5 < deadline <= 0.55
    end.tick(deadline)
    assert bench.sent(end) == [bytes((0x20, 0, 0x01))]
    end.receive(data(1), 1.0)
    end.send(b"answer", 1.0)
    assert bench.sent(end) == [bytes((0x00, 0, 0x02)) + b"answer"]
    assert end.next_deadline() > 1.05, "the acknowledgement has gone with the answer"


@pytest.mark.requirement("SDP/1 1.4")
def test_half_a_window_is_acknowledged_without_delay(bench, end):
    for number in range(4):
        end.receive(data(number), 1.0)
    assert end.next_deadline() == 1.0
    end.tick(1.0)
    assert bench.sent(end)[-1] == bytes((0x20, 0, 0x04))


@pytest.mark.requirement("SDP/1 1.4")
def test_the_window_holds_seven_and_acknowledgement_is_cumulative(bench, end):
    bench.sent(end)
    for number in range(10):
        end.send(bytes((number,)), 0.0)
    assert [frame[2] >> 4 for frame in bench.sent(end)] == list(range(7))
    end.receive(bytes((0x20, 0, 0x03)), 0.1)
    assert [frame[2] >> 4 for frame in bench.sent(end)] == [7, 8, 9]
    end.receive(bytes((0x20, 0, 0x0B)), 0.2)
    assert not end.is_idle, "an acknowledgement outside the window is ignored"
    end.receive(bytes((0x20, 0, 0x0A)), 0.3)
    assert end.is_idle


@pytest.mark.requirement("SDP/1 1.4")
@pytest.mark.parametrize("baud", [9600, 115_200])
def test_t1_grows_with_the_transmission_time_of_a_full_frame(baud):
    full_frame_s = 249 * 10 / baud
    assert Line.serial(baud).retry_s == pytest.approx(0.150 + 3 * full_frame_s)
    assert Line.stream().retry_s == Line.serial(115_200).retry_s


@pytest.mark.requirement("SDP/1 1.4")
def test_t1_counts_from_the_end_of_transmission(bench):
    host = HostLink(FRAMING, CODEC.checksum, Line.serial(9600), 4)
    host.open(0.0)
    host.receive(rstack(bench.sent(host)[0][2]), 0.0)
    size = len(encode_frame(bytes(203), CODEC.checksum))
    host.send(bytes(200), 10.0)
    end_of_transmission = 10.0 + size * 10 / 9600
    deadlines = []
    for tick in range(400):
        host.receive(bytes((0xA0, 0, 0, 0x81)), 10.0 + tick / 100)
        host.tick(10.0 + tick / 100)
        if host.counters.retries:
            deadlines.append(10.0 + tick / 100)
            break
    assert deadlines[0] == pytest.approx(end_of_transmission + Line.serial(9600).retry_s, abs=0.011)


@pytest.mark.requirement("SDP/1 1.4")
def test_nak_repeats_the_window_at_once_but_at_most_once_per_t1(bench, end):
    bench.sent(end)
    for number in range(3):
        end.send(bytes((number,)), 1.0)
    bench.sent(end)
    end.receive(bytes((0x40, 0, 0x01, 2)), 1.05)
    repeated = bench.sent(end)
    assert [(frame[0], frame[2] >> 4) for frame in repeated] == [(0x10, 1), (0x10, 2)], "NAK acknowledges as ACK does"
    end.receive(bytes((0x40, 0, 0x01, 2)), 1.10)
    assert bench.sent(end) == []
    end.receive(bytes((0x40, 0, 0x01, 2)), 1.05 + Line.stream().retry_s)
    assert len(bench.sent(end)) == 2


@pytest.mark.requirement("SDP/1 1.4")
def test_nak_for_lack_of_a_buffer_repeats_only_after_t1(bench, end):
    bench.sent(end)
    end.send(b"x", 1.0)
    bench.sent(end)
    end.receive(bytes((0x40, 0, 0x00, 3)), 1.1)
    assert bench.sent(end) == []
    end.tick(1.1 + Line.stream().retry_s)
    assert bench.sent(end)[0][0] == 0x10


def test_a_side_that_only_says_nak_is_as_good_as_gone(end):
    end.send(b"x", 0.0)
    note, now = None, 0.0
    for _ in range(40):
        now += 0.01
        note = note or end.receive(bytes((0x40, 0, 0x00, 2)), now)
    assert isinstance(note, Lost)


def test_a_side_that_asks_but_lets_nothing_out_is_told_that_there_is_no_buffer(bench, end):
    bench.sent(end)
    taken = 0
    for number in range(100):
        if end.receive(data(number % 16), 0.1) is not None:
            taken += 1
            end.send(b"answer", 0.1)
    assert taken < 64
    assert bytes((0x40, 0, taken % 16, 3)) in bench.sent(end)


@pytest.mark.requirement("SDP/1 1.4")
def test_retries_double_up_to_1_2_seconds_and_after_four_the_link_is_lost(bench, end):
    bench.sent(end)
    end.send(b"one", 0.0)
    end.send(b"two", 0.0)
    original = bench.sent(end)
    moments, now = [0.0], 0.0
    note = None
    while note is None:
        # The other side stays alive, so that only the retries can end this.
        end.receive(bytes((0xA0, 0, 0, 0x81)), now)
        now = end.next_deadline()
        before = end.counters.retries
        note = end.tick(now)
        if end.counters.retries > before or note is not None:
            moments.append(now)
        frames = [frame for frame in bench.sent(end) if frame[0] & 0xE0 == 0]
        assert frames in ([], [bytes((frame[0] | 0x10,)) + frame[1:] for frame in original])
    assert isinstance(note, Lost)
    assert note.cause is LossCause.RETRIES_SPENT
    waits = [later - before for before, later in itertools.pairwise(moments)]
    assert waits == pytest.approx([Line.stream().retry_s, 2 * Line.stream().retry_s, 4 * Line.stream().retry_s, 1.2, 1.2])

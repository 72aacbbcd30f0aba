"""How a link comes up, at both ends: RST and RSTACK, tokens, versions, who may speak when."""

from __future__ import annotations

import itertools

import pytest

from firmware_bridge.codec import load_codec
from firmware_bridge.events import StartReason
from firmware_bridge.link.device import DeviceLink
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Bad, Lost, NoCommonVersion, Reset, Up

CODEC = load_codec("sdp1")
FRAMING = CODEC.profile.framing


def rstack(token, *, version=1, window=7, body_limit=240, reason=0, boots=42):
    return bytes((0x80, 0, token, version, window, body_limit, reason)) + boots.to_bytes(4, "big")


def rst(token, *, lowest=1, highest=1, window=7, body_limit=240):
    return bytes((0x60, 0, token, lowest, highest, window, body_limit))


def data(seq, ack=0, message=b"hello", ctl=0):
    return bytes((ctl, 0, seq << 4 | ack)) + message


@pytest.mark.requirement("SDP/1 1.4")
def test_only_the_answer_to_the_latest_rst_brings_the_link_up(bench):
    host = bench.new_host()
    host.open(0.0)
    first = bench.sent(host)[0][2]
    host.tick(1.0)
    second = bench.sent(host)[0][2]
    assert host.receive(rstack(first), 1.1) is None
    assert host.receive(data(0), 1.1) is None
    assert host.receive(rstack(second + 1), 1.1) is None
    assert not host.is_up
    assert host.receive(rstack(second), 1.2) == Up(42)
    assert host.receive(rstack(second), 1.3) is None, "the same answer twice changes nothing"
    assert host.is_up
    assert host.epoch == 1


@pytest.mark.requirement("SDP/1 1.4")
def test_rstack_that_nobody_asked_for_is_a_lost_link_with_its_reason(bench):
    host = bench.host_up()
    lost = host.receive(rstack(0, reason=5), 5.0)
    assert isinstance(lost, Lost)
    assert (lost.cause, lost.reason) == (LossCause.DEVICE_STARTED, StartReason.BROWN_OUT)


@pytest.mark.requirement("SDP/1 1.4")
def test_a_device_that_starts_while_rst_is_out_is_asked_again_soon_but_not_at_once(bench):
    host = bench.new_host()
    host.open(0.0)
    for _ in range(3):
        host.tick(host.next_deadline())
    late = host.next_deadline()
    assert late == 15.0
    bench.sent(host)
    host.receive(rstack(0, reason=1), 8.0)
    assert host.next_deadline() == 8.0
    host.tick(8.0)
    assert len(bench.sent(host)) == 1
    host.receive(rstack(0, reason=1), 8.01)
    assert host.next_deadline() == pytest.approx(8.0 + Line.stream().retry_s)


@pytest.mark.requirement("SDP/1 1.9")
def test_no_common_version_is_told_and_nothing_more_is_sent(bench):
    host = bench.new_host()
    host.open(0.0)
    token = bench.sent(host)[0][2]
    assert host.receive(rstack(token, version=0), 0.1) == NoCommonVersion()
    assert host.next_deadline() is None
    device = DeviceLink(FRAMING, CODEC.checksum, Line.stream())
    device.start(StartReason.POWER_ON, 1, 0.0)
    bench.sent(device)
    assert device.receive(rst(7, lowest=2, highest=9), 0.1) is None
    assert bench.sent(device)[0][:4] == bytes((0x80, 0, 7, 0))
    assert not device.is_up
    assert isinstance(device.receive(rst(8, lowest=1, highest=9), 0.2), Reset)
    assert bench.sent(device)[0][:4] == bytes((0x80, 0, 8, 1))


@pytest.mark.requirement("SDP/1 1.4")
@pytest.mark.parametrize(
    "frame",
    [
        rst(1, window=0),
        rst(1, window=8),
        rst(1, body_limit=127),
        rst(1, body_limit=241),
        rst(1, lowest=2, highest=1),
        rst(1, lowest=0),
        rst(1)[:6],
    ],
)
def test_an_impossible_offer_is_counted_and_not_answered(bench, frame):
    device = bench.device_up()
    before = device.counters.bad_frame
    assert device.receive(frame, 0.5) == Bad(FaultKind.BAD_FRAME)
    assert device.counters.bad_frame == before + 1
    assert device.is_up
    assert bench.sent(device) == []


@pytest.mark.requirement("SDP/1 1.4")
def test_a_device_sends_no_data_before_the_host_spoke(bench):
    device = DeviceLink(FRAMING, CODEC.checksum, Line.stream())
    device.start(StartReason.POWER_ON, 42, 0.0)
    device.receive(rst(9), 0.0)
    bench.sent(device)
    device.send(b"event", 0.1)
    assert bench.sent(device) == []
    device.receive(bytes((0x20, 0, 0)), 0.2)
    assert bench.sent(device) == [], "an ACK is not enough"
    device.receive(bytes((0xA0, 0, 0, 7)), 0.3)
    assert [frame[0] for frame in bench.sent(device)] == [0x00, 0xA0]


@pytest.mark.requirement("SDP/1 1.4")
def test_a_repeated_rst_begins_the_numbering_again(bench):
    device = bench.device_up()
    device.receive(data(0), 0.1)
    device.send(b"one", 0.1)
    assert bench.sent(device)[-1][2] == 0x01
    device.receive(rst(10), 0.2)
    device.receive(data(0), 0.3)
    bench.sent(device)
    device.send(b"two", 0.3)
    assert bench.sent(device)[-1] == bytes((0, 0, 0x01)) + b"two"


@pytest.mark.requirement("SDP/1 1.8")
def test_a_host_that_settled_tries_at_once_and_one_that_did_not_waits(bench):
    host = bench.host_up()
    host.settle()
    host.fail(LossCause.SILENCE, "test", 50.0)
    assert len(bench.sent(host)) == 1
    host = bench.host_up()
    host.fail(LossCause.SILENCE, "test", 50.0)
    assert bench.sent(host) == []
    assert host.next_deadline() == 51.0


@pytest.mark.requirement("SDP/1 1.4")
def test_the_host_offers_versions_window_and_limit_with_a_new_token_each_time(bench):
    host = bench.new_host(first_token=0x5B)
    host.open(0.0)
    (frame,) = bench.sent(host)
    assert frame == bytes.fromhex("60 00 5C 01 01 07 F0")
    tokens = {frame[2]}
    now = 0.0
    for _ in range(100):
        now = host.next_deadline()
        host.tick(now)
        tokens.add(bench.sent(host)[0][2])
    assert len(tokens) == 101
    assert 0 not in tokens


@pytest.mark.requirement("SDP/1 1.8")
def test_rst_goes_at_once_and_then_after_1_2_4_8_and_every_15_seconds(bench):
    host = bench.new_host()
    host.open(100.0)
    moments = [100.0]
    for _ in range(7):
        moments.append(host.next_deadline())
        host.tick(moments[-1])
    assert [later - before for before, later in itertools.pairwise(moments)] == [1, 2, 4, 8, 15, 15, 15]


@pytest.mark.requirement("SDP/1 1.4")
def test_window_and_limit_are_the_lower_of_both(bench):
    device = DeviceLink(FRAMING, CODEC.checksum, Line.stream(), window=4)
    device.start(StartReason.POWER_ON, 42, 0.0)
    bench.sent(device)
    device.receive(rst(0x5C, window=7, body_limit=240), 0.0)
    assert bench.sent(device) == [bytes.fromhex("80 00 5C 01 04 F0 00 00 00 00 2A")]
    device.receive(rst(0x5D, window=2, body_limit=128), 0.0)
    assert bench.sent(device)[0][4:6] == bytes((2, 128))
    host = bench.host_up(window=3)
    for _ in range(5):
        host.send(b"x", 0.0)
    assert len(bench.sent(host)) == 3


@pytest.mark.requirement("SDP/1 1.4")
def test_a_device_calls_every_two_seconds_five_times_or_until_rst(bench):
    device = DeviceLink(FRAMING, CODEC.checksum, Line.stream())
    device.start(StartReason.POWER_ON, 42, 0.0)
    calls = [0.0]
    while device.next_deadline() is not None:
        calls.append(device.next_deadline())
        device.tick(calls[-1])
    assert calls == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert bench.sent(device) == [bytes.fromhex("80 00 00 01 07 F0 01 00 00 00 2A")] * 5
    device.start(StartReason.WATCHDOG, 43, 100.0)
    device.receive(rst(3), 101.0)
    assert [frame[6] for frame in bench.sent(device)] == [2, 0]
    assert device.next_deadline() > 101.0, "only the heartbeat is due"


@pytest.mark.requirement("SDP/1 1.4")
def test_a_device_without_a_link_answers_any_frame_with_rstack_at_most_once_a_second(bench):
    device = DeviceLink(FRAMING, CODEC.checksum, Line.stream())
    device.start(StartReason.POWER_ON, 42, 0.0)
    for number in range(5):
        device.tick(2.0 * number)
    bench.sent(device)
    answers = 0
    for tenth in range(40):
        assert device.receive(bytes((0xA0, 0, 0, 7)), 20.0 + tenth / 10) is None
        answers += len(bench.sent(device))
    assert answers == 4

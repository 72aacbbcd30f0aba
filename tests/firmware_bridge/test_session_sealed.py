"""Sealed sessions from outside: forged frames, wrong proofs, roles, renewal, attestation, key setting."""

from __future__ import annotations

import pytest

from device_profiles.values import Hidden
from firmware_bridge.commands import Lock, Request
from firmware_bridge.errors import NotReadyError
from firmware_bridge.events import Status, Tamper, TamperKind
from firmware_bridge.framing import encode_frame
from firmware_bridge.link.faults import LossCause
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.outputs import (
    CommandAnswered,
    EventArrived,
    Fault,
    HostState,
    LinkLost,
    LinkUp,
    Running,
)

KEY = DeviceKey(bytes(range(16)))
VENDOR_KEY = DeviceKey(bytes(range(16, 32)))


@pytest.fixture
def sealed(make_pair):
    pair = make_pair(key=KEY)
    pair.connect()
    pair.run(4.0)
    return pair


def tampers(pair):
    return [output.event.kind for output in pair.told(EventArrived) if isinstance(output.event, Tamper)]


def forge(pair, frame):
    """Put a frame with a good checksum on the wire to the device."""
    pair.device.receive(encode_frame(frame, pair.codec.checksum), pair.now)


@pytest.mark.requirement("SDP/1 1.10", "EQ-50", "T-05")
def test_an_unsealed_command_in_a_session_drops_the_link_and_is_not_carried_out(sealed):
    expected = sealed.device._link._expected
    forge(sealed, bytes((0, 0, expected << 4)) + sealed.codec.write_command(sealed.codec.command("gate"), 9, {"order": 0}))
    assert sealed.mechanism.received == []
    assert sealed.mechanism.lost[-1] is LossCause.WRONG_SEAL
    sealed.run(1.0)
    assert sealed.told(LinkLost)[-1].cause is LossCause.DEVICE_FAULT
    assert sealed.host.state is HostState.RUNNING


@pytest.mark.requirement("SDP/1 1.10", "T-05")
def test_a_forged_seal_changes_nothing_and_three_drop_the_link_and_are_told_as_tamper(sealed):
    expected = sealed.device._link._expected
    for _ in range(2):
        forge(sealed, bytes((8, 0, expected << 4)) + bytes(24))
    tid = sealed.request(Lock())
    sealed.run(0.2)
    assert sealed.told(CommandAnswered)[-1].tid == tid
    expected = sealed.device._link._expected
    forge(sealed, bytes((8, 0, expected << 4)) + bytes(24))
    assert sealed.mechanism.lost[-1] is LossCause.BAD_SEALS
    sealed.run(2.0)
    assert sealed.host.state is HostState.RUNNING
    assert tampers(sealed) == [TamperKind.BAD_TAGS]
    assert len(sealed.mechanism.received) == 1


@pytest.mark.requirement("SDP/1 1.10", "T-05")
def test_a_recorded_session_replayed_moves_nothing(sealed):
    tap = list(sealed.to_device.tap)
    sealed.request(Lock())
    sealed.run(0.2)
    acted = len(sealed.mechanism.received)
    for content in [*tap, *sealed.to_device.tap[len(tap) :]]:
        sealed.device.receive(content, sealed.now)
    sealed.run(20.0)
    assert len(sealed.mechanism.received) == acted
    assert sealed.host.state is HostState.RUNNING


@pytest.mark.requirement("SDP/1 1.10")
def test_three_failed_proofs_lock_the_door_for_ten_seconds_and_are_told(make_pair, make_puppet, codec):
    pair = make_pair(key=KEY)
    pair.power_on()
    link = pair.host._link
    link.open(pair.now)
    statuses = []

    def send(name, tid, **fields):
        pair.to_host.tap.clear()
        link.send(codec.write_command(codec.command(name), tid, fields), pair.now)
        for _ in range(3):
            pair.device.receive(link.bytes_to_send(), pair.now)
            for frame in bench_frames(codec, pair.device.bytes_to_send()):
                message = link.receive(frame, pair.now)
                if isinstance(message, bytes) and message[0] == 2:
                    statuses.append(message[4])

    pair.device.receive(link.bytes_to_send(), pair.now)
    for frame in bench_frames(codec, pair.device.bytes_to_send()):
        link.receive(frame, pair.now)
    for attempt in range(3):
        send("session_open", 10 + attempt, role=1, host_nonce=bytes(16))
        send("session_auth", 20 + attempt, host_proof=bytes(16))
    assert statuses == [0, 0x0D] * 3
    send("session_open", 30, role=1, host_nonce=bytes(16))
    send("session_auth", 31, host_proof=bytes(16))
    assert statuses[-2:] == [4, 4]
    assert pair.journal.events[-1].name == "tamper"
    pair.now += 10.1
    pair.device._link._last_valid_in = link._last_valid_in = pair.now
    send("session_open", 32, role=1, host_nonce=bytes(16))
    assert statuses[-1] == 0


def bench_frames(codec, content):
    from firmware_bridge.framing import CobsFramer

    return [f for f in CobsFramer(codec.profile.framing, pauses=True).feed(content, 0.0) if isinstance(f, bytes)]


@pytest.mark.requirement("SDP/1 1.6")
def test_the_operators_session_may_not_do_the_technicians_work(sealed):
    for command in (
        Request("diag_enter", {"ticket": bytes(8)}),
        Request("fw_abort"),
        Request("key_set", {"role": 1, "new_key": bytes(16)}),
    ):
        sealed.request(command)
    sealed.run(0.3)
    assert [output.status for output in sealed.told(CommandAnswered)] == [Status.DENIED] * 3
    assert sealed.mechanism.received == []


@pytest.mark.requirement("SDP/1 1.7", "SDP/1 1.10")
def test_a_new_session_is_made_in_time_and_the_stream_goes_on(sealed):
    for position in range(3):
        sealed.record(position=position)
    sealed.run(0.2)
    before = sealed.host.session_keys
    lost = len(sealed.mechanism.lost)
    sealed.host.renew(sealed.now)
    sealed.record(position=3)
    sealed.run(0.5)
    assert sealed.host.state is HostState.RUNNING
    assert sealed.host.session_keys is not before
    assert len(sealed.told(Running)) == 2
    assert not sealed.told(LinkLost)
    assert sealed.mechanism.lost[lost:] == [LossCause.SESSION_ENDED], "the end of a session locks the gate"
    assert sealed.events() == [1, 2, 3, 4, 5]
    assert sealed.host.epoch == 1
    assert not sealed.told(Fault)


@pytest.mark.requirement("SDP/1 1.10")
def test_the_session_renews_itself_by_age_and_by_frames(sealed):
    sealed.host._lifetime.renew_at = sealed.now + 2.0
    sealed.run(3.0)
    assert len(sealed.told(Running)) == 2
    sealed.host._lifetime._frames_max = sealed.host._lifetime.sealer.frames + 5
    sealed.run(10.0)
    assert len(sealed.told(Running)) == 3
    assert not sealed.told(LinkLost)


def test_a_session_is_not_renewed_under_a_waiting_command(sealed):
    sealed.mechanism.answers["burn"] = None
    tid = sealed.request(Request("burn", {"count": 1, "face_up": False}))
    with pytest.raises(NotReadyError):
        sealed.host.renew(sealed.now)
    sealed.host._lifetime.renew_at = sealed.now
    sealed.run(0.3)
    assert len(sealed.told(Running)) == 1
    sealed.device.respond(tid, Status.OK, {}, sealed.now)
    sealed.run(2.0)
    assert len(sealed.told(Running)) == 2
    assert sealed.told(CommandAnswered)[-1].tid == tid


@pytest.mark.requirement("SDP/1 1.10")
def test_a_device_drops_a_session_that_is_too_old(sealed):
    sealed.device._sealed_since = sealed.now - 12 * 3600
    sealed.run(2.0)
    assert LossCause.SESSION_EXPIRED in sealed.mechanism.lost
    assert sealed.told(LinkLost)[-1].cause is LossCause.DEVICE_FAULT
    assert sealed.host.state is HostState.RUNNING
    assert len(sealed.told(LinkUp)) == 2


@pytest.mark.requirement("EQ-62", "T-03")
def test_both_sides_reckon_the_same_attestation(sealed):
    salt, image = bytes(range(16)), b"\x5a" * 1024
    assert sealed.host.session_keys.attestation(salt, 0, image) == sealed.device.session_keys.attestation(salt, 0, image)


@pytest.mark.requirement("SDP/1 1.10", "EQ-68")
def test_a_new_key_travels_sealed_and_hidden(make_pair):
    pair = make_pair(key=VENDOR_KEY)
    pair.device_settings = type(pair.device_settings)(
        line=pair.line,
        identity=pair.device_settings.identity,
        capabilities=pair.device_settings.capabilities,
        keys={1: VENDOR_KEY},
    )
    pair.device = pair.new_device()
    pair.connect()
    pair.device._guard._role = 3  # the daemon holds no vendor's key; the device is told otherwise
    pair.request(Request("key_set", {"role": 1, "new_key": Hidden(bytes(range(16)))}))
    pair.run(0.2)
    (received,) = pair.mechanism.received
    assert received.needs_idle
    assert "hidden" in repr(received.fields)
    new_key = received.fields["new_key"].reveal("the test checks it")
    assert new_key == bytes(range(16))
    assert bytes(range(16)) not in b"".join(pair.to_device.tap)
    pair.device.set_key(1, DeviceKey(new_key))
    assert pair.device._guard.device_keys[1] == KEY

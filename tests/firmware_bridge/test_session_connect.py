"""How a session comes up, whom it refuses, and what a lost link means to whoever waits."""

from __future__ import annotations

import pytest

from firmware_bridge.commands import Lock, Request, Unlock
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import StartReason, Status
from firmware_bridge.framing import CobsFramer
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.line import Line
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.host import HostSession, HostSettings
from firmware_bridge.session.outputs import (
    CommandFailed,
    CommandFailure,
    Fault,
    HostState,
    Identified,
    IdentityMismatch,
    LinkLost,
    LinkUp,
    RefusalKind,
    Refused,
    Running,
)

SERIAL = "SN000123"
KEY = DeviceKey(bytes(range(16)))
OTHER_KEY = DeviceKey(bytes(range(1, 17)))


@pytest.mark.requirement("SDP/1 1.9")
def test_the_connect_sequence_on_the_open_link(make_puppet):
    puppet = make_puppet(first_wanted=5)
    steps = []
    for step in ("identify", "capabilities", "status", "event_resume"):
        puppet.up_to(step)
        steps.append(puppet.asked[-1][0])
        puppet = make_puppet(first_wanted=5)
    assert steps == ["identify", "capabilities", "status", "event_resume"]
    puppet.up_to("event_resume")
    assert puppet.asked[-1][2] == {"first_wanted": 5}


@pytest.mark.requirement("SDP/1 1.9", "SDP/1 1.10")
def test_with_a_key_the_device_is_asked_again_inside_the_session(make_pair):
    pair = make_pair(key=KEY)
    pair.connect()
    assert [type(output) for output in pair.outputs[:3]] == [LinkUp, Identified, Running]
    assert pair.outputs[1].sealed
    assert pair.outputs[1].identity.serial == SERIAL
    assert [capability.function for capability in pair.host.capabilities][:2] == ["read-cards", "gate"]
    pair.to_device.tap.clear()
    pair.to_host.tap.clear()
    pair.record(position=1)
    pair.request(Lock())
    pair.run(5.0)
    for way in (pair.to_device, pair.to_host):
        frames = CobsFramer(pair.codec.profile.framing, pauses=True).feed(b"".join(way.tap), 0.0)
        data = [frame for frame in frames if frame[0] & 0xE0 == 0]
        assert data
        assert all(frame[0] & 0x08 for frame in data), "no DATA of either side is unsealed"


@pytest.mark.requirement("EQ-71", "SDP/1 1.10")
def test_no_card_of_a_sealed_session_stands_readable_on_the_wire(make_pair):
    def traffic(key):
        pair = make_pair(key=key)
        pair.connect()
        pair.to_host.tap.clear()
        for position in range(5):
            pair.record(card=0x41, position=0x1234 + position)
        pair.run(1.0)
        assert len(pair.events()) == 6
        return b"".join(pair.to_host.tap)

    assert traffic(None).count(b"\x62\x12") == 5, "confidence and position, readable on the open link"
    sealed = traffic(KEY)
    assert b"\x62\x12" not in sealed


@pytest.mark.requirement("EQ-51", "EQ-57", "T-04")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
def test_a_device_with_another_serial_number_is_refused_and_nothing_of_it_is_taken(make_pair, key):
    pair = make_pair(key=key, expected_serial="SN000124")
    pair.power_on()
    pair.take(pair.host.connection_made(pair.now))
    pair.run(30.0)
    (refusal,) = pair.told(Refused)
    assert isinstance(refusal, IdentityMismatch)
    assert (refusal.expected, refusal.actual) == ("SN000124", SERIAL)
    assert pair.host.state is HostState.REFUSED
    assert not pair.told(Running)
    assert not pair.events()
    assert pair.host.next_deadline() is None
    with pytest.raises(NotReadyError):
        pair.request(Lock())
    pair.take(pair.host.connection_made(pair.now))
    pair.run(1.0)
    assert len(pair.told(IdentityMismatch)) == 2, "asked anew, it is looked at anew"


@pytest.mark.requirement("EQ-51", "T-04")
def test_a_device_without_the_registered_key_is_refused(make_pair):
    pair = make_pair(key=KEY, device_key=OTHER_KEY)
    pair.power_on()
    pair.take(pair.host.connection_made(pair.now))
    pair.run(30.0)
    (refusal,) = pair.told(Refused)
    assert refusal.kind is RefusalKind.KEY
    assert not pair.told(Running)


@pytest.mark.requirement("SDP/1 1.9", "T-04")
def test_the_security_level_comes_from_the_register_not_from_the_device(make_puppet):
    puppet = make_puppet(device_key=KEY)
    puppet.up_to("session_open")
    name, tid, fields = puppet.asked[-1]
    assert (name, fields["role"]) == ("session_open", 1)
    told = puppet.answer("session_open", tid, Status.NOT_SUPPORTED)
    assert [output.kind for output in told if isinstance(output, Refused)] == [RefusalKind.KEY]


def test_a_device_that_wants_a_session_gets_none_from_a_host_without_a_key(make_pair):
    pair = make_pair(device_key=KEY)
    pair.power_on()
    pair.take(pair.host.connection_made(pair.now))
    pair.run(30.0)
    assert not pair.told(Running)
    assert {output.cause for output in pair.told(LinkLost)} == {LossCause.COMMAND_UNANSWERED}
    assert pair.host.counters.resets < 10, "tried with growing pauses, not in a storm"


@pytest.mark.requirement("SDP/1 1.7", "SDP/1 1.12", "T-29")
@pytest.mark.parametrize("honest", [True, False], ids=["device-says-05", "device-says-ok"])
def test_a_device_that_knows_fewer_events_than_are_stored_is_refused(make_puppet, honest):
    puppet = make_puppet(first_wanted=10)
    puppet.up_to("event_resume")
    _, tid, _ = puppet.asked[-1]
    status, fields = (Status.OUT_OF_RANGE, {}) if honest else (Status.OK, {"oldest": 1, "newest": 3})
    told = puppet.answer("event_resume", tid, status, **fields)
    assert [output.kind for output in told if isinstance(output, Refused)] == [RefusalKind.HISTORY]
    assert puppet.host.state is HostState.REFUSED


def test_a_refused_step_gives_the_link_up_and_tries_again(make_puppet):
    puppet = make_puppet()
    puppet.up_to("status")
    told = puppet.answer("status", puppet.asked[-1][1], Status.HARDWARE_FAULT)
    assert [output.cause for output in told if isinstance(output, LinkLost)] == [LossCause.COMMAND_UNANSWERED]
    assert FaultKind.REFUSED_STEP in [output.kind for output in told if isinstance(output, Fault)]
    assert puppet.host.state is HostState.RESETTING


def test_a_step_without_an_answer_gives_the_link_up(make_puppet):
    puppet = make_puppet()
    puppet.up_to("capabilities")
    told = puppet.wait(2.6)
    assert [output.cause for output in told if isinstance(output, LinkLost)] == [LossCause.COMMAND_UNANSWERED]


@pytest.mark.requirement("SDP/1 1.12")
def test_the_boot_count_tells_of_a_restart_and_must_not_fall(make_puppet):
    for last, restarted, faults in ((None, False, []), (7, False, []), (6, True, []), (8, True, [FaultKind.BOOT_COUNT_BACK])):
        puppet = make_puppet(last_boot_count=last)
        told = puppet.up_to("")
        (up,) = [output for output in told if isinstance(output, LinkUp)]
        assert (up.boot_count, up.restarted) == (7, restarted)
        assert [output.kind for output in told if isinstance(output, Fault)] == faults


@pytest.mark.requirement("SDP/1 1.8", "EQ-96")
def test_a_device_that_loses_power_is_lost_and_comes_back_with_its_events(either_pair):
    pair = either_pair
    pair.record(position=1)
    pair.run(0.5)
    pair.device.power_off()
    pair.record(position=2)
    pair.run(3.2)
    assert [output.cause for output in pair.told(LinkLost)] == [LossCause.SILENCE]
    pair.power_on()
    pair.run(3.0)
    assert pair.host.state is HostState.RUNNING
    assert pair.told(LinkUp)[-1].restarted
    pair.record(position=3)
    pair.run(0.5)
    assert pair.events() == [1, 2, 3, 4, 5]


@pytest.mark.requirement("SDP/1 1.4")
def test_a_device_that_restarts_quickly_says_so_and_the_link_is_lost_at_once(pair):
    pair.run(5.0)
    pair.device.power_off()
    pair.power_on()
    before = pair.now
    pair.run(0.1)
    (lost,) = pair.told(LinkLost)
    assert (lost.cause, lost.reason) == (LossCause.DEVICE_STARTED, StartReason.POWER_ON)
    assert pair.host.state is HostState.RUNNING
    assert pair.now - before < 0.2, "a connection that had settled is made anew at once"


@pytest.mark.requirement("SDP/1 1.8")
def test_a_cut_line_is_lost_within_three_seconds_and_found_again(either_pair):
    pair = either_pair
    pair.run(10.0)
    pair.to_host.cut = pair.to_device.cut = True
    cut_at = pair.now
    while not pair.told(LinkLost):
        pair.step(pair.now + 10)
    assert 2.0 <= pair.now - cut_at <= 3.1
    pair.record(position=1)
    pair.run(20.0)
    assert pair.mechanism.lost.count(LossCause.SILENCE) == 1
    pair.to_host.cut = pair.to_device.cut = False
    pair.run(16.0)
    assert pair.host.state is HostState.RUNNING
    assert pair.events() == [1, 2]


def test_commands_that_wait_when_the_link_is_lost_fail_by_name(pair):
    pair.mechanism.answers["burn"] = None
    tid = pair.request(Request("burn", {"count": 1, "face_up": False}))
    pair.run(0.1)
    pair.take(pair.host.connection_lost(pair.now))
    assert [type(output) for output in pair.outputs[-2:]] == [LinkLost, CommandFailed]
    failed = pair.outputs[-1]
    assert (failed.tid, failed.name, failed.failure) == (tid, "burn", CommandFailure.LINK_LOST)
    assert pair.host.state is HostState.CLOSED
    assert pair.host.bytes_to_send() == b""
    assert pair.host.next_deadline() is None
    assert pair.host.receive(b"\0\0", pair.now) == []
    assert pair.host.tick(pair.now) == []


@pytest.mark.requirement("SDP/1 1.10")
def test_leaving_closes_the_session_and_the_device_locks(make_pair):
    pair = make_pair(key=KEY)
    pair.connect()
    pair.mechanism.lost.clear()
    pair.take(pair.host.close(pair.now))
    pair.run(0.1)
    assert pair.mechanism.lost == [LossCause.SESSION_ENDED]
    assert pair.device.session_keys is None
    assert pair.host.state is HostState.CLOSED


def test_opening_the_connection_again_begins_anew(pair):
    pair.take(pair.host.connection_made(pair.now))
    pair.run(1.0)
    assert pair.told(LinkLost)[0].cause is LossCause.CLOSED
    assert pair.host.state is HostState.RUNNING
    assert pair.host.epoch == 2


def test_settings_that_contradict_themselves_are_refused(codec):
    for wrong in (
        {"device_key": KEY},
        {"device_key": DeviceKey(bytes(16)), "expected_serial": "SN1"},
        {"first_wanted": 0},
    ):
        with pytest.raises(MisuseError):
            HostSettings(line=Line.serial(), **wrong)


def test_no_text_of_a_session_tells_a_key(make_pair):
    pair = make_pair(key=KEY)
    pair.connect()
    texts = repr(pair.host_settings) + repr(pair.device_settings) + repr(pair.host) + repr(pair.outputs)
    assert "\\x00\\x01\\x02\\x03" not in texts
    assert "00010203" not in texts


def test_commands_are_taken_only_while_running(codec):
    session = HostSession(codec, HostSettings(line=Line.serial()), bytes)
    with pytest.raises(NotReadyError):
        session.request(Unlock(1), 0.0)
    session.connection_made(0.0)
    with pytest.raises(NotReadyError):
        session.request(Unlock(1), 0.0)

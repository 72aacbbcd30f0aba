"""Commands at both sides: which answer belongs to which, time limits, repetition without a second act, who may ask."""

from __future__ import annotations

import pytest

from firmware_bridge.commands import Burn, CloseShoe, Lock, Request, StartShuffle, Unlock
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import Status
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.device import Answer
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    CommandFailure,
    Fault,
    HostState,
    LinkLost,
    StatusReported,
)

KEY = DeviceKey(bytes(range(16)))
STATUS = {
    "state": "armed",
    "error": 0,
    "gate": "locked",
    "lid_open": False,
    "drawn": 0,
    "remaining": None,
    "last_eseq": 0,
    "oldest_eseq": 1,
    "cobs_errors": 0,
    "crc_errors": 0,
    "oversize_errors": 0,
    "other_errors": 0,
    "shoe_id": None,
}


def faults(outputs):
    return [output.kind for output in outputs if isinstance(output, Fault)]


def ask(puppet, command):
    tid = puppet.host.request(command, puppet.now)
    puppet.flow()
    return tid


@pytest.mark.requirement("SDP/1 1.5")
def test_an_answer_belongs_to_the_command_of_its_tid(puppet):
    first, second = ask(puppet, Burn(1)), ask(puppet, Lock())
    told = puppet.answer("gate", second)
    told += puppet.answer("burn", first, Status.WRONG_STATE)
    assert told == [
        CommandAnswered(1, second, "gate", Status.OK, {}),
        CommandAnswered(1, first, "burn", Status.WRONG_STATE, {}),
    ]


@pytest.mark.requirement("SDP/1 1.5")
def test_a_late_answer_and_the_wanted_one_in_one_read(puppet):
    first = ask(puppet, Unlock(3))
    puppet.wait(0.6)
    status = puppet.asked[-1]
    assert status[0] == "status"
    puppet.answer("status", status[1], **STATUS)
    assert puppet.asked[-1][:2] == ("gate", first), "the same tid again"
    second = ask(puppet, Lock())
    gate = puppet.codec.command("gate")
    # The late answer, the stored one to the repetition, and the answer to the next command, in one piece.
    for message in (
        puppet.codec.write_response(gate, first, Status.OK),
        puppet.codec.write_response(gate, first, Status.OK),
        puppet.codec.write_response(gate, second, Status.OK),
    ):
        puppet.link.send(message, puppet.now)
    told = puppet.host.receive(puppet.link.bytes_to_send(), puppet.now)
    assert [output.tid for output in told if isinstance(output, CommandAnswered)] == [first, second]
    assert faults(told) == [FaultKind.STALE_ANSWER]


@pytest.mark.requirement("SDP/1 1.5")
def test_answers_to_nobody_and_of_another_command_are_faults(puppet):
    tid = ask(puppet, Burn(1))
    assert faults(puppet.answer("burn", 999)) == [FaultKind.STALE_ANSWER]
    assert faults(puppet.answer("gate", tid)) == [FaultKind.WRONG_ANSWER]
    assert [type(output) for output in puppet.answer("burn", tid)] == [CommandAnswered]


@pytest.mark.requirement("SDP/1 1.5", "SDP/1 1.12")
def test_pending_without_a_final_answer_asks_status_then_the_same_tid_and_then_says_timed_out(puppet):
    tid = ask(puppet, Burn(1))
    start = puppet.now
    puppet.answer("burn", tid, Status.PENDING)
    told, asked = [], []
    while not [output for output in told if isinstance(output, CommandFailed)]:
        told += puppet.wait(0.05)
        while puppet.asked:
            name, number, _ = puppet.asked.pop(0)
            asked.append((name, number == tid))
            if name == "status":
                told += puppet.answer("status", number, **STATUS)
    assert asked == [("burn", True), ("status", False), ("burn", True), ("status", False), ("burn", True)]
    assert told[-1] == CommandFailed(1, tid, "burn", CommandFailure.TIMED_OUT)
    assert sum(isinstance(output, StatusReported) for output in told) == 2
    assert puppet.now - start == pytest.approx(1.5, abs=0.2)
    assert puppet.host.state is HostState.RUNNING


def test_a_probe_that_is_not_answered_either_is_followed_by_the_same_tid(puppet):
    tid = ask(puppet, Burn(1))
    told = puppet.wait(12.0)
    assert [name for name, _, _ in puppet.asked] == ["burn", "status", "burn", "status", "burn"]
    assert [output for output in told if isinstance(output, CommandFailed)] == [CommandFailed(1, tid, "burn", CommandFailure.TIMED_OUT)]


def test_an_unreadable_answer_fails_the_command(puppet):
    tid = ask(puppet, Request("counters"))
    told = puppet.say(bytes((2, 0x21)) + tid.to_bytes(2, "big"))
    assert CommandFailed(1, tid, "counters", CommandFailure.UNREADABLE) in told
    assert faults(told) == [FaultKind.BAD_MESSAGE]


@pytest.mark.requirement("SDP/1 1.5")
def test_tids_are_not_zero_and_not_used_again_within_64_commands(make_puppet):
    puppet = make_puppet(first_tid=65_500)
    puppet.up_to("")
    used = []
    for _ in range(80):
        tid = ask(puppet, Lock())
        used.append(tid)
        puppet.answer("gate", tid)
    assert 0 not in used
    assert len(set(used)) == 80
    assert {1, 65_535} < set(used)


def test_eight_commands_may_wait_and_no_more(puppet):
    for _ in range(8):
        ask(puppet, Lock())
        puppet.wait(0.05)
    with pytest.raises(NotReadyError):
        ask(puppet, Lock())


@pytest.mark.parametrize("command", [Request("session_open"), Request("event_resume", {"first_wanted": 1}), Request("session_close")])
def test_what_is_the_sessions_own_business_is_not_the_owners(puppet, command):
    with pytest.raises(MisuseError):
        ask(puppet, command)


@pytest.mark.parametrize(
    "command",
    [Burn(0), Burn(300), Request("dance"), Request("burn", {"speed": 1}), Request("key_set", {"role": 1, "new_key": bytes(16)})],
)
def test_a_command_that_does_not_fit_is_refused_before_it_is_sent(puppet, command):
    with pytest.raises(MisuseError):
        ask(puppet, command)
    assert puppet.asked == []


@pytest.mark.requirement("SDP/1 1.5")
def test_the_device_answers_the_same_tid_from_its_store_and_acts_once(pair):
    gate = pair.codec.command("gate")
    message = pair.codec.write_command(gate, 77, {"order": "unlock", "cards": 3})
    for _ in range(3):
        pair.host._link.send(message, pair.now)
        pair.run(0.1)
    assert [received.tid for received in pair.mechanism.received] == [77]
    other = pair.codec.write_command(pair.codec.command("burn"), 77, {"count": 1, "face_up": False})
    pair.to_host.tap.clear()
    pair.host._link.send(other, pair.now)
    pair.run(0.1)
    assert len(pair.mechanism.received) == 1
    assert bytes((2, 0x33, 0, 77, 1)) in answers(pair)


def answers(pair):
    """The responses that the device has put on the wire, unsealed."""
    from firmware_bridge.framing import CobsFramer

    frames = CobsFramer(pair.codec.profile.framing, pauses=True).feed(b"".join(pair.to_host.tap), 0.0)
    return [frame[3:] for frame in frames if frame[0] & 0xE0 == 0 and frame[3:4] == b"\2"]


@pytest.mark.requirement("SDP/1 1.5")
def test_the_device_keeps_sixteen_answers_and_forgets_them_with_rst(pair):
    gate = pair.codec.command("gate")
    messages = {tid: pair.codec.write_command(gate, tid, {"order": "lock"}) for tid in range(100, 117)}
    for message in messages.values():
        pair.host._link.send(message, pair.now)
        pair.run(0.1)
    assert len(pair.mechanism.received) == 17
    pair.host._link.send(messages[116], pair.now)
    pair.host._link.send(messages[101], pair.now)
    pair.run(0.1)
    assert len(pair.mechanism.received) == 17
    pair.host._link.send(messages[100], pair.now)
    pair.run(0.1)
    assert len(pair.mechanism.received) == 18, "the seventeenth oldest is forgotten"
    pair.take(pair.host.connection_made(pair.now))
    pair.run(0.5)
    pair.host._link.send(messages[116], pair.now)
    pair.run(0.1)
    assert len(pair.mechanism.received) == 19


@pytest.mark.requirement("SDP/1 1.5")
def test_a_slow_mechanism_makes_the_device_say_pending_within_half_a_second(pair):
    pair.mechanism.answers["shuffle_start"] = None
    start = pair.now
    pair.to_host.tap.clear()
    tid = pair.request(StartShuffle(1))
    pair.run(0.45)
    assert bytes((2, 0x36)) + tid.to_bytes(2, "big") + b"\x7f" in answers(pair)
    pair.device.respond(tid, Status.OK, {}, pair.now)
    pair.run(0.04)
    assert pair.now - start < 0.5
    assert pair.told(CommandAnswered)[-1].status is Status.OK
    pair.device.respond(tid, Status.OK, {}, pair.now)
    pair.run(0.2)
    assert len(pair.told(CommandAnswered)) == 1, "an answer is given once"


def test_a_repetition_while_the_answer_is_owed_is_pending_and_does_not_act(pair):
    pair.mechanism.answers["shuffle_start"] = None
    tid = pair.request(StartShuffle(1))
    pair.run(3.0)
    assert len(pair.mechanism.received) == 1
    assert pair.told(CommandFailed)[-1].failure is CommandFailure.TIMED_OUT
    pair.device.respond(tid, Status.OK, {}, pair.now)
    pair.run(0.2)
    assert FaultKind.STALE_ANSWER in faults(pair.outputs)


@pytest.mark.requirement("SDP/1 1.5", "SDP/1 1.6")
@pytest.mark.parametrize(
    ("wire", "status"),
    [
        ("01 7D 00 09", 0x02),
        ("01 31 00 09", 0x01),
        ("01 31 00 00 01", 0x01),
        ("01 31 00 09 05", 0x05),
        ("01 33 00 09 00 00", 0x05),
        ("01 42 00 09 00 01", 0x06),
        ("01 60 00 09", 0x06),
        ("01 13 00 09 01" + " 00" * 16, 0x06),
        ("01 50 00 09", 0x06),
        ("01 10 00 09 01" + " 00" * 16, 0x07),
        ("01 11 00 09" + " 00" * 16, 0x03),
        ("01 12 00 09", 0x03),
        ("01 20 00 09 00 00 FF FF", 0x05),
        ("01 20 00 09 00 00 00 00", 0x05),
    ],
)
def test_the_device_refuses_with_the_status_of_the_protocol(pair, wire, status):
    message = bytes.fromhex(wire)
    pair.to_host.tap.clear()
    pair.host._link.send(message, pair.now)
    pair.run(0.1)
    assert b"\2" + message[1:4] + bytes((status,)) in answers(pair)
    assert pair.mechanism.received == []


def test_a_command_of_a_function_the_device_has_not_is_not_supported(make_pair):
    pair = make_pair()
    pair.device_settings = type(pair.device_settings)(
        line=pair.line, identity=pair.device_settings.identity, capabilities=({"function": "gate", "level": 1, "count": 0},)
    )
    pair.device = pair.new_device()
    pair.connect()
    pair.request(Burn(1))
    pair.request(Lock())
    pair.run(0.2)
    assert [output.status for output in pair.told(CommandAnswered)] == [Status.NOT_SUPPORTED, Status.OK]
    assert pair.host.identity.capability_bits == 1 << 3


@pytest.mark.requirement("SDP/1 1.6")
def test_echo_and_status_are_answered_without_the_mechanism(either_pair):
    pair = either_pair
    pair.request(Request("echo", {"content": bytes(range(200))}))
    pair.request(Request("status"))
    pair.run(0.2)
    echo, status = pair.told(CommandAnswered)
    assert echo.fields == {"content": bytes(range(200))}
    assert status.fields["last_eseq"] == 1
    assert pair.mechanism.received == []


def test_an_answer_longer_than_agreed_is_out_of_range_and_breaks_nothing(pair):
    pair.device._link.body_limit = 128
    pair.request(Request("echo", {"content": bytes(150)}))
    pair.run(0.2)
    assert pair.told(CommandAnswered)[-1].status is Status.OUT_OF_RANGE
    assert pair.host.state is HostState.RUNNING


@pytest.mark.requirement("SDP/1 1.8")
def test_in_a_session_status_goes_when_nothing_sealed_went_for_a_second(make_pair):
    sealed, open_pair = make_pair(key=KEY), make_pair()
    for pair in (sealed, open_pair):
        pair.connect()
        pair.run(30.0)
    assert 25 <= len(sealed.told(StatusReported)) <= 30
    assert not open_pair.told(StatusReported), "on the open link PING is enough"
    for pair in (sealed, open_pair):
        assert not pair.told(LinkLost)
        assert pair.mechanism.lost == [LossCause.RESET]


def test_a_mechanism_that_loses_power_in_the_middle_of_a_command(pair):
    def die(received, now):
        pair.device.power_off()

    pair.mechanism.during = die
    pair.request(CloseShoe())
    pair.run(5.0)
    assert [output.failure for output in pair.told(CommandFailed)] == [CommandFailure.LINK_LOST]
    pair.mechanism.during = None
    pair.power_on()
    pair.run(20.0)
    assert pair.host.state is HostState.RUNNING


def test_a_mechanism_may_answer_from_within(pair):
    pair.mechanism.answers["gate"] = None
    pair.mechanism.during = lambda received, now: pair.device.respond(received.tid, Status.JAM, {}, now)
    pair.request(Lock())
    pair.run(0.2)
    assert [output.status for output in pair.told(CommandAnswered)] == [Status.JAM]
    pair.mechanism.answers["gate"] = Answer(Status.EMPTY)
    pair.request(Lock())
    pair.run(0.2)
    assert [output.status for output in pair.told(CommandAnswered)] == [Status.JAM, Status.JAM]

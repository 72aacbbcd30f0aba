"""The connection as a small machine: every branch, every time limit, the bound on its states, and what is refused before it can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from device_profiles.errors import InvalidProfileError, UnknownKeyError
from device_profiles.loader import read_tables
from device_profiles.plain.checks import checks_of
from device_profiles.plain.connecting import CONNECTED, FAILED
from device_profiles.plain.describe import page_lines
from device_profiles.plain.loader import plain_profile
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.connecting import TOO_LONG, Connecting
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import HostOutput, HostState, LinkLost, Running
from tests.firmware_bridge.plain_samples import PLAIN
from tests.firmware_bridge.plain_samples import codec_of as codec_by_name

TEXT = (Path(__file__).parents[1] / "device_profiles" / "sisters" / "branching-start.toml").read_text(encoding="utf-8")


def codec_of(text: str = TEXT) -> PlainCodec:
    return PlainCodec(plain_profile(read_tables(text.encode(), "test.toml"), "test.toml"))


class Talk:
    """A session and what it says; time goes by as the session asks for it."""

    def __init__(self, text: str = TEXT, *, may_write: bool = True) -> None:
        self.session = PlainSession(codec_of(text), PlainSettings(line=Line.serial(), may_write=may_write))
        self.now_s = 10.0
        self.outputs: list[HostOutput] = self.session.connection_made(self.now_s)

    def said(self) -> str:
        return self.session.bytes_to_send().decode()

    def hear(self, text: str) -> None:
        self.now_s += 0.01
        self.outputs += self.session.receive(f"{text}\n".encode(), self.now_s)

    def wait(self) -> float:
        """Let the next limit run out; return how long that took."""
        due_s = self.session.next_deadline()
        assert due_s is not None
        waited_s, self.now_s = due_s - self.now_s, due_s
        self.outputs += self.session.tick(due_s)
        return waited_s

    def lost(self) -> list[str]:
        return [output.detail for output in self.outputs if isinstance(output, LinkLost)]


def test_a_device_at_rest_is_greeted_and_looked_at() -> None:
    talk = Talk()
    assert talk.said() == "HELLO 2\n"
    talk.hear("I AM S17 V1")
    assert talk.said() == "STATE\n"
    talk.hear("AT rest")
    assert talk.said() == ""
    assert talk.session.state is HostState.RUNNING
    assert talk.session.identity is not None
    assert talk.session.identity.serial == "S17"
    assert [type(output) for output in talk.outputs].count(Running) == 1


def test_each_answer_has_its_own_way_and_what_is_heard_meanwhile_changes_nothing() -> None:
    talk = Talk()
    talk.said()
    talk.hear("BUSY")
    assert talk.said() == ""
    talk.hear("AT rest")  # no branch of this state
    assert talk.said() == ""
    talk.hear("READY")
    assert talk.said() == "HELLO 2\n"
    talk.hear("BUSY")
    assert talk.wait() == pytest.approx(2.0)
    assert talk.said() == "HELLO 2\n"  # the time is over: it goes on by itself
    talk.hear("I AM S17 V2")
    assert talk.said() == "STATE\n"
    talk.hear("AT work")
    assert talk.said() == "STOP\n"
    talk.hear("STOPPED")
    assert talk.said() == "STATE\n"
    talk.hear("AT rest")
    assert talk.session.state is HostState.RUNNING


@pytest.mark.parametrize(
    ("heard", "why"),
    [
        (["I AM S17 V3"], "identity in state greet"),
        (["NO"], "no in state greet"),
        (["BUSY", "READY"] * 4, TOO_LONG),
        (["I AM S17 V2", *["AT work", "STOPPED"] * 4], TOO_LONG),
    ],
)
def test_it_fails_where_the_profile_says_so_or_after_too_many_states_and_begins_anew(heard: list[str], why: str) -> None:
    talk = Talk()
    for line in heard:
        talk.hear(line)
    assert talk.lost() == [why]
    assert talk.session.state is HostState.RESETTING
    talk.said()
    assert talk.wait() >= 0.9
    assert talk.said() == "HELLO 2\n"
    talk.hear("I AM S17 V1")
    talk.hear("AT rest")
    assert talk.session.state is HostState.RUNNING


def test_silence_is_noticed_in_every_state() -> None:
    talk = Talk()
    talk.said()
    talk.wait()
    assert talk.said() == "HELLO 2\n"  # said as often as its answer says
    talk.wait()
    assert talk.lost() == ["no answer to hello"]
    halted = Talk()
    for line in ("I AM S17 V2", "AT work"):
        halted.hear(line)
    assert halted.wait() == pytest.approx(1.0)
    assert halted.lost() == ["no answer to stop"]


def test_a_line_that_is_lost_meanwhile_ends_the_wait_and_the_next_one_begins_at_the_beginning() -> None:
    talk = Talk()
    talk.hear("BUSY")
    talk.session.connection_lost(11.0)
    assert talk.session.next_deadline() is None
    talk.said()
    talk.session.connection_made(12.0)
    assert talk.said() == "HELLO 2\n"


def test_nothing_is_said_where_nothing_may_be_written() -> None:
    talk = Talk(TEXT.replace("read_only = false", "read_only = true"), may_write=False)
    assert talk.said() == ""
    assert talk.session.state is HostState.RUNNING


@pytest.mark.parametrize("name", [*PLAIN, ""])
def test_every_state_leads_somewhere_whatever_is_heard(name: str) -> None:
    codec = codec_by_name(name) if name else codec_of()
    messages = {m.name: m for m in codec.profile.messages}
    known = {CONNECTED, FAILED, *codec.connect_states}
    for state in codec.connect_states.values():
        for heard in messages:
            machine = Connecting(codec.profile.connect, codec.connect_states, is_silent=False)
            machine.begin()
            machine._name = state.name
            moved = machine.hear(PlainHeard(heard, {}, None, None))
            assert moved == (heard in {branch.message for branch in state.on if not branch.where})
            assert machine._name in known
            machine.go_on()
            assert machine._name in known


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('next = "look"', 'next = "lock"', "did you mean 'look'"),
        ('say = "stop"', 'say = "stopp"', "did you mean 'stop'"),
        ('say = "stop"', 'say = "stopped"', "said by the device"),
        ('message = "ready", next', 'message = "redy", next', "did you mean 'ready'"),
        ("where = { place", "where = { plaze", "did you mean 'place'"),
        ("values = { version = 2 }", "values = { versio = 2 }", "did you mean 'version'"),
        ("values = { version = 2 }", "", "cannot be said: hello needs version"),
        ('    { message = "no", next = "failed" },\n', "", "'no' may answer 'hello'"),
        (
            '{ message = "identity", next = "failed" }',
            '{ message = "identity", where = { speaks = 3 }, next = "failed" }',
            "no branch without",
        ),
        ("within_s = 2.0\n", "", "how long a branch is waited for"),
        ('say = "state"', 'say = "state"\nwithin_s = 1.0', "has its `answer`"),
        ('name = "patience"', 'name = "greet"', "no state but one"),
        ('name = "patience"', 'name = "failed"', "none connected or failed"),
        ("steps_max = 8", 'steps_max = 8\nmessages = ["hello"]', "not both"),
        ('message = "stopped", next = "look"', 'message = "stopped", next = "halt"', "state 'halt': no way leads"),
        ('{ message = "at", next = "halt" }', '{ message = "at", next = "failed" }', "state 'halt': nothing leads to it"),
        ('hello = ["busy", "identity"]', 'hello = ["busy", "at"]', "answers to 'hello'"),
        ('stop = "stopped"', 'stop = "stoped"', "did you mean 'stopped'"),
    ],
)
def test_a_machine_that_refers_to_nothing_or_has_no_way_out_is_refused(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(InvalidProfileError, match=says):
        codec_of(TEXT.replace(old, new, 1))


def test_a_key_that_is_nearly_one_is_told() -> None:
    with pytest.raises(UnknownKeyError, match="did you mean 'otherwise'"):
        codec_of(TEXT.replace('otherwise = "greet"', 'otherwize = "greet"', 1))


def test_a_page_shows_the_states_and_each_branch_is_a_check() -> None:
    profile = codec_of().profile
    text = "\n".join(page_lines(profile))
    assert (
        "| greet | hello | identity when speaks is 1 or 2: look; identity: failed; busy: patience; no: failed | 0.5 s, 2 times | failed |"
        in text
    )
    assert "| patience | - | ready: greet | 2 s | greet |" in text
    names = [check.name for check in checks_of(profile)]
    assert {"connect/sequence", "connect/greet/3-busy", "connect/look/2-at"} <= set(names)

"""Questions with a running number, as OSDP has them: repeated under their number, answered under it, begun anew when nobody knows it."""

from __future__ import annotations

import pytest

from device_profiles.errors import InvalidProfileError
from device_profiles.loader import read_tables
from device_profiles.plain.loader import plain_profile
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.events import CardRead
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import EventArrived, Fault, HostOutput, HostState, LinkLost
from hil.simulated.speaker import Speaker

READER = """
spec = 1
name = "turning-reader"
link = "plain"
turns = { field = "number", first = 1, last = 3, restart = 0 }
poll = { message = "poll", every_s = 0.1 }
[about]
title = "Reader that is asked by numbers"
vendor = "none"
revision = 1
author = "shoed"
source = "this test"
trust = "experimental"
[line]
kinds = ["serial"]
read_only = false
serial = { baud = 9600 }
[framing]
grammars = [{ kind = "fixed", name = "frame", start = "AA", size = 4 }]
[names.cards.values]
Ah = [1]
Kd = [2]
[[messages]]
name = "poll"
grammar = "frame"
way = "out"
where = { code = 1 }
fields = [{ name = "number", at = 1 }, { name = "code", at = 2 }]
answer = { messages = ["nothing", "card"], refusals = ["refused"], within_s = 0.2, tries = 2 }
[[messages]]
name = "nothing"
grammar = "frame"
where = { code = 2 }
fields = [{ name = "number", at = 1 }, { name = "code", at = 2 }]
[[messages]]
name = "refused"
grammar = "frame"
where = { code = 3 }
fields = [{ name = "number", at = 1 }, { name = "code", at = 2 }]
[[messages]]
name = "card"
grammar = "frame"
where = { code = 4 }
fields = [{ name = "number", at = 1 }, { name = "code", at = 2 }, { name = "card", at = 3, names = "cards", secret = true }]
means = { event = "CardRead", card = { card = "card" } }
[simulation]
card = "card"
[[vectors]]
id = "poll"
wire = "AA 02 01 00"
message = "poll"
fields = { number = 2 }
"""


def profile_of(text: str) -> PlainProfile:
    return plain_profile(read_tables(text.encode(), "turning-reader.toml"), "turning-reader.toml")


CODEC = PlainCodec(profile_of(READER))


def running(now_s: float = 0.0) -> PlainSession:
    session = PlainSession(CODEC, PlainSettings(line=Line.serial()))
    session.connection_made(now_s)
    assert session.state is HostState.RUNNING
    return session


def asked(session: PlainSession, now_s: float) -> bytes:
    session.tick(now_s)
    return session.bytes_to_send()


def cards(outputs: list[HostOutput]) -> int:
    return sum(isinstance(o, EventArrived) and isinstance(o.event, CardRead) for o in outputs)


def faults(outputs: list[HostOutput]) -> list[FaultKind]:
    return [o.kind for o in outputs if isinstance(o, Fault)]


@pytest.mark.requirement("EQ-49")
def test_numbers_begin_with_the_restart_and_go_round() -> None:
    session, numbers = running(), []
    for step in range(6):
        poll = asked(session, step * 1.0)
        numbers.append(poll[1])
        session.receive(bytes([0xAA, poll[1], 2, 0]), step + 0.05)
    assert numbers == [0, 1, 2, 3, 1, 2]


def test_a_question_is_repeated_under_its_number_and_answered_once() -> None:
    session = running()
    first = asked(session, 0.0)
    assert asked(session, 0.25) == first
    answer = bytes([0xAA, first[1], 4, 1])
    assert cards(session.receive(answer, 0.3)) == 1
    late = session.receive(answer, 0.35)
    assert cards(late) == 0
    assert faults(late) == [FaultKind.STALE_ANSWER]


def test_a_late_answer_and_the_wanted_one_in_one_read() -> None:
    session = running()
    asked(session, 0.0)
    session.receive(bytes.fromhex("AA 00 02 00"), 0.1)
    assert asked(session, 0.3)[1] == 1
    outputs = session.receive(bytes.fromhex("AA 00 04 01  AA 01 04 02"), 0.4)
    assert faults(outputs) == [FaultKind.STALE_ANSWER]
    assert cards(outputs) == 1


@pytest.mark.parametrize("refusal", ["AA 00 03 00", ""])
def test_a_refused_and_an_unanswered_poll_end_the_link_and_begin_anew(refusal: str) -> None:
    session = running()
    asked(session, 0.0)
    session.receive(bytes.fromhex("AA 00 02 00"), 0.1)
    assert asked(session, 0.3)[1] == 1
    outputs = session.receive(bytes.fromhex(refusal), 0.4) + session.tick(0.6) + session.tick(0.9)
    assert [type(o) for o in outputs if isinstance(o, LinkLost)] == [LinkLost]
    session.bytes_to_send()
    assert asked(session, 2.0)[1] == 0


def test_the_simulated_end_says_its_last_answer_again() -> None:
    speaker = Speaker(CODEC)
    framer = CODEC.framer(next(iter(CODEC.messages.values())).message.way)
    assert speaker.say("card", {"card": "Ah"}) == b""

    def answer(wire: str) -> bytes:
        (frame,) = framer.feed(bytes.fromhex(wire), 0.0)
        heard = CODEC.read(frame, way=CODEC.messages["poll"].message.way)  # type: ignore[arg-type]
        assert heard is not None
        return speaker.answer(heard)

    assert answer("AA 01 01 00") == bytes.fromhex("AA 01 04 01")
    assert answer("AA 01 01 00") == bytes.fromhex("AA 01 04 01")
    assert answer("AA 02 01 00") == bytes.fromhex("AA 02 02 00")


def test_an_answer_without_the_number_is_refused_when_the_profile_is_read() -> None:
    without = READER.replace('where = { code = 2 }\nfields = [{ name = "number", at = 1 }, ', "where = { code = 2 }\nfields = [", 1)
    with pytest.raises(InvalidProfileError, match="message 'nothing' has no field 'number'"):
        profile_of(without)

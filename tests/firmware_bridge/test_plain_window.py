"""Several numbered questions under way at once: each is answered, repeated and given up for itself."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from controller.technician.checks.outcome import Verdict
from controller.technician.checks.run import Wish, run_checks
from controller.technician.reach import Reach
from device_profiles.errors import InvalidProfileError
from device_profiles.loader import read_tables
from device_profiles.plain.describe import page_lines
from device_profiles.plain.loader import plain_profile
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.commands import Request
from firmware_bridge.events import Status
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed, Fault, HostOutput, HostState
from hil.simulated.plain import PlainDevice
from hil.simulated.plain import PlainSettings as FarSettings
from hil.simulated.virtual_time import run_in_virtual_time
from tests.hil.memory_cable import MemoryCable

SISTERS = Path(__file__).parents[1] / "device_profiles" / "sisters"
TEXT = (SISTERS / "windowed-questions.toml").read_text(encoding="utf-8")


def profile_of(text: str = TEXT) -> PlainProfile:
    return plain_profile(read_tables(text.encode(), "test.toml"), "test.toml")


CODEC = PlainCodec(profile_of())


def running() -> PlainSession:
    session = PlainSession(CODEC, PlainSettings(line=Line.serial()))
    session.connection_made(0.0)
    assert numbers(session.bytes_to_send()) == [0]
    session.receive(CODEC.write("value", {"number": 0, "value": 1}), 0.01)
    assert session.state is HostState.RUNNING
    return session


def numbers(wire: bytes) -> list[int]:
    return list(wire[1::5])


def value(number: int) -> bytes:
    return CODEC.write("value", {"number": number, "value": number})


def told(outputs: list[HostOutput]) -> list[tuple[int, object]]:
    return [(o.tid, o.fields.get("value")) for o in outputs if isinstance(o, CommandAnswered)]


def test_as_many_are_said_as_the_window_says_and_each_answer_finds_its_question() -> None:
    session = running()
    tids = [session.request(Request("read", {"part": part}), 1.0) for part in range(6)]
    assert numbers(session.bytes_to_send()) == [1, 2, 3, 4]
    assert told(session.receive(value(3) + value(1), 1.1)) == [(tids[2], 3), (tids[0], 1)]
    assert numbers(session.bytes_to_send()) == [5]  # the window begins with number 2
    assert told(session.receive(value(2) + value(4), 1.2)) == [(tids[1], 2), (tids[3], 4)]
    assert numbers(session.bytes_to_send()) == [6]
    assert told(session.receive(value(6) + value(5), 1.25)) == [(tids[5], 6), (tids[4], 5)]
    again = session.receive(value(5), 1.3)
    assert [o.kind for o in again if isinstance(o, Fault)] == [FaultKind.STALE_ANSWER]


def test_each_is_repeated_alone_under_its_number_and_given_up_alone() -> None:
    session = running()
    tids = [session.request(Request("read"), 1.0 + at / 10) for at in range(3)]
    session.bytes_to_send()
    session.receive(value(2), 1.3)
    outputs: list[HostOutput] = []
    said: list[int] = []
    while (due_s := session.next_deadline()) is not None and due_s < 5.0:
        outputs += session.tick(due_s)
        said += numbers(session.bytes_to_send())
        if said[-1:] == [3]:
            outputs += session.receive(value(3), due_s + 0.01)
            said.append(-3)
    assert said == [1, 3, -3]
    assert [o.tid for o in outputs if isinstance(o, CommandFailed)] == [tids[0]]
    session.request(Request("read"), 6.0)
    session.request(Request("read"), 6.0)
    assert numbers(session.bytes_to_send()) == [0]  # nobody knows which number is due: the question with which both begin is alone
    session.receive(value(0), 6.1)
    assert numbers(session.bytes_to_send()) == [1]


def test_a_refusal_belongs_to_the_question_of_its_number() -> None:
    session = running()
    tids = [session.request(Request("read"), 1.0) for _ in range(3)]
    session.bytes_to_send()
    outputs = session.receive(CODEC.write("refused", {"number": 2}), 1.1)
    assert [(o.tid, o.status) for o in outputs if isinstance(o, CommandAnswered)] == [(tids[1], Status.DENIED)]
    assert told(session.receive(value(3) + value(1), 1.2)) == [(tids[2], 3), (tids[0], 1)]


@pytest.mark.parametrize("seed", range(30))
def test_on_a_line_that_loses_and_mixes_answers_none_is_taken_for_another(seed: int) -> None:
    rng, session, now_s = random.Random(seed), running(), 1.0
    asked: dict[int, int] = {}
    answered: dict[int, object] = {}
    failed: set[int] = set()
    under_way: list[tuple[float, bytes]] = []
    for step in range(200):
        now_s += 0.05
        if len(asked) < 40 and step % 3 == 0:
            part = rng.randrange(256)
            asked[session.request(Request("read", {"part": part}), now_s)] = part
        outputs = session.tick(now_s)
        wire = session.bytes_to_send()
        heard = [wire[at : at + 5] for at in range(0, len(wire), 5) if rng.random() > 0.1]
        said = [CODEC.write("value", {"number": frame[1], "value": frame[3]}) for frame in heard]
        under_way += [(now_s + rng.uniform(0.0, 0.4), frame) for frame in said if rng.random() > 0.1]
        for due in sorted(one for one in under_way if one[0] <= now_s):
            under_way.remove(due)
            outputs += session.receive(due[1], now_s)
        answered |= dict(told(outputs))
        failed |= {o.tid for o in outputs if isinstance(o, CommandFailed)}
    assert answered
    assert {tid: asked[tid] for tid in answered} == answered
    assert not failed & set(answered)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("window = 4", "window = 5", "with 8 numbers at most 4 questions"),
        ("last = 8", "last = 1", "at most 1 questions"),
        (
            'where = { code = 3 }\nfields = [{ name = "number", at = 1 }, ',
            "where = { code = 3 }\nfields = [",
            "'refused' has no field 'number'",
        ),
    ],
)
def test_a_window_with_which_answers_could_be_mixed_up_is_refused(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(InvalidProfileError, match=says):
        profile_of(TEXT.replace(old, new, 1))


def test_a_simulated_device_takes_the_whole_window_and_a_check_tries_it() -> None:
    async def main() -> Verdict:
        loop, cable = asyncio.get_running_loop(), MemoryCable()
        device = PlainDevice(FarSettings(profile=profile_of(), end=cable), clock=loop.time)
        await device.start()
        reach = Reach(port=cable.url, profile="windowed-questions", profiles=SISTERS)
        report = await run_checks(reach, Wish(listen_s=0), lambda _: None, clock=loop.time, line=lambda *_: cable.host_end())
        await device.stop()
        assert not [(o.name, o.why) for o in report.outcomes if o.verdict is Verdict.FAIL]
        return next(o.verdict for o in report.outcomes if o.name == "limit/window")

    assert run_in_virtual_time(main(), has_wires=False) is Verdict.PASS
    assert "Up to 4 may be under way." in "\n".join(page_lines(profile_of()))

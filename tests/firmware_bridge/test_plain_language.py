"""What the profile language says of groups, values by tags, stuffed bytes, refusals, pauses and restarts, at work in a session."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.errors import FieldError, InvalidProfileError, ProfileError, ShortPayloadError
from device_profiles.loader import read_tables
from device_profiles.plain.frames import Cobs, Stuffed, Way
from device_profiles.plain.loader import plain_profile
from device_profiles.plain.messages import Tlv
from firmware_bridge.commands import Lock
from firmware_bridge.events import CardRead, Started, Status
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.plain.stuffing import delimiter_of, stuffed, unstuffing
from firmware_bridge.plain.tlv import TAGS_MAX, read_tlv, write_tlv
from firmware_bridge.session.outputs import CommandAnswered, EventArrived, Fault, HostOutput, HostState, Running

SISTERS = Path(__file__).parents[1] / "device_profiles" / "sisters"
SLIP = (SISTERS / "slip-sum16.toml").read_text()
DONE = bytes.fromhex("C0 06 00 06 C0")


def codec_of(text: str) -> PlainCodec:
    return PlainCodec(plain_profile(read_tables(text.encode(), "test.toml"), "test.toml"))


def running(text: str = SLIP) -> PlainSession:
    session = PlainSession(codec_of(text), PlainSettings(line=Line.serial()))
    session.connection_made(0.0)
    assert session.bytes_to_send() == bytes.fromhex("C0 20 00 20 C0")
    assert any(isinstance(output, Running) for output in session.receive(DONE, 0.1))
    return session


def cards(outputs: list[HostOutput]) -> list[str]:
    return [repr(o.event.card) for o in outputs if isinstance(o, EventArrived) and isinstance(o.event, CardRead)]


@pytest.mark.requirement("EQ-49")
def test_each_entry_of_a_group_is_an_event_in_its_order() -> None:
    session = running()
    outputs = session.receive(bytes.fromhex("C0 10 02 01 03 0D 00 00 23 C0"), 1.0)
    told = [output.event for output in outputs if isinstance(output, EventArrived)]
    assert [type(event) for event in told] == [CardRead, CardRead]
    assert [event.position for event in told if isinstance(event, CardRead)] == [1, 2]
    assert len(cards(outputs)) == 2
    assert "01" not in "".join(cards(outputs)), "a card has no text form"


@pytest.mark.parametrize("count", [3, 200])
def test_a_group_that_says_more_than_it_holds_is_a_fault(count: int) -> None:
    content = bytes((0x10, count, 1, 3, 13, 0))
    outputs = running().receive(b"\xc0" + content + (sum(content) & 0xFFFF).to_bytes(2, "big") + b"\xc0", 1.0)
    assert [type(output) for output in outputs] == [Fault]


@pytest.mark.parametrize(("why", "status"), [(1, Status.BUSY), (2, Status.UNKNOWN_CODE), (0xDB, Status.JAM), (9, Status.DENIED)])
def test_a_refusal_says_why(why: int, status: Status) -> None:
    session = running()
    session.tick(0.2)
    tid = session.request(Lock(), 0.2)
    assert session.bytes_to_send() == bytes.fromhex("C0 DB DC 00 DB DC C0")
    refused = session._codec.write("refused", {"why": {1: "moving", 2: "no-such", 0xDB: "jammed"}.get(why, why)})  # its own codec
    (answer,) = [output for output in session.receive(refused, 0.3) if isinstance(output, CommandAnswered)]
    assert (answer.tid, answer.status) == (tid, status)


def test_the_host_waits_for_the_pause_that_the_device_needs() -> None:
    session = running()
    session.request(Lock(), 0.12)
    assert session.bytes_to_send() == b"", "something was heard at 0.1"
    due_s = session.next_deadline()
    assert due_s == pytest.approx(0.15)
    session.tick(due_s or 0.0)
    assert session.bytes_to_send() != b""


def test_what_is_said_at_the_beginning_is_said_again_after_a_restart() -> None:
    session = running()
    outputs = session.receive(bytes.fromhex("C0 11 00 11 C0"), 5.0)
    assert any(isinstance(output, EventArrived) and isinstance(output.event, Started) for output in outputs)
    assert session.state is HostState.CONNECTING
    session.tick(5.1)
    assert session.bytes_to_send() == bytes.fromhex("C0 20 00 20 C0")
    assert any(isinstance(output, Running) for output in session.receive(DONE, 5.2))


SLIP_RULE = Stuffed(name="s", end=0xC0, escape=0xDB, pairs=((0xDC, 0xC0), (0xDD, 0xDB)))
HDLC_RULE = Stuffed(name="h", end=0x7E, escape=0x7D, xor=0x20)


@pytest.mark.parametrize("rule", [SLIP_RULE, HDLC_RULE, Cobs(name="c")])
@given(content=st.binary(min_size=1, max_size=300))
def test_stuffing_comes_out_and_keeps_the_delimiter_outside(rule: Stuffed | Cobs, content: bytes) -> None:
    wire = stuffed(rule, content)
    delimiter = bytes((delimiter_of(rule),))
    assert wire.startswith(delimiter)
    assert wire.endswith(delimiter)
    assert delimiter not in wire[1:-1]
    assert unstuffing(rule)(wire[1:-1]) == content


@pytest.mark.parametrize(("rule", "run"), [(SLIP_RULE, "01 DB"), (SLIP_RULE, "DB 01"), (HDLC_RULE, "7D"), (Cobs(name="c"), "05 01")])
def test_what_no_stuffing_makes_is_no_frame(rule: Stuffed | Cobs, run: str) -> None:
    assert unstuffing(rule)(bytes.fromhex(run)) is None


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=20)), max_size=12, unique_by=lambda pair: pair[0]))
def test_values_by_tags_come_out(values: list[tuple[int, bytes]]) -> None:
    rule = Tlv(at=2, to=-1)
    assert read_tlv(rule, b"xx" + write_tlv(rule, values) + b"y") == dict(values)


@pytest.mark.parametrize("part", ["01", "01 02 41", "01 FF", "01 00 " * (TAGS_MAX + 1)])
def test_values_by_tags_that_do_not_fit_are_an_error_of_the_frame(part: str) -> None:
    with pytest.raises(ShortPayloadError):
        read_tlv(Tlv(at=0), bytes.fromhex(part))


@given(st.binary(max_size=60))
def test_no_part_of_a_frame_raises_past_the_field_error(content: bytes) -> None:
    codec = codec_of((SISTERS / "cobs-tlv.toml").read_text())
    with contextlib.suppress(FieldError):
        codec.read(PlainFrame("frame", content), way=Way.IN)


@pytest.mark.parametrize(
    ("replace", "by", "problem"),
    [
        ("escape = 0xDB\n", "escape = 0xC0\n", "differ"),
        ("pairs = [[0xDC, 0xC0], [0xDD, 0xDB]]\n", "", "either"),
        ("pairs = [[0xDC, 0xC0], [0xDD, 0xDB]]\n", "pairs = [[0xDC, 0xC0]]\n", "names `end` and `escape`"),
        ("pairs = [[0xDC, 0xC0], [0xDD, 0xDB]]\n", "xor = 0x1B\n", "inside a frame"),
        ('count = "cards"', 'count = "hands"', "group.count"),
        ('field = "why"', 'field = "reason"', "status.field"),
        ('moving = "busy"', 'moving = "bussy"', "is none of"),
        ('{ event = "CardRead", card', '{ event = "CardRed", card', "message '.*', entry '.*': there is no event 'CardRed'"),
        ('card = { rank = "rank", suit = "suit" }', 'card = { rank = "rank", suit = "suits" }', "entry '.*' has no field suits"),
        ("width = 16", "width = 12", "width"),
        ("places = [-2, -1]", "places = [-1]", "needs 2 places"),
        ("pause_s = 0.05", "pause_s = 0", "pause_s"),
        (
            'fields = [{ name = "kind", at = 0 }, { name = "why", at = 1,',
            'fields = [{ name = "kind", at = 0 }, { name = "why", tag = 1,',
            "no `tlv`",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_place(replace: str, by: str, problem: str) -> None:
    assert replace in SLIP
    with pytest.raises(ProfileError, match=problem) as refused:
        codec_of(SLIP.replace(replace, by, 1))
    assert isinstance(refused.value, InvalidProfileError)

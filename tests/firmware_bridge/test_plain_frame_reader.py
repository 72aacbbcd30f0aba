"""A frame that is said again is not read again, and says the same; what cannot be read is told each time."""

from __future__ import annotations

import pytest

from device_profiles.errors import FieldError
from firmware_bridge.events import CardRead
from firmware_bridge.link.line import Line
from firmware_bridge.plain.frame_reader import FrameReader
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import EventArrived
from tests.firmware_bridge.plain_samples import codec_of

LINE = b'{"type":"card","seq":%d,"card_uid":"04AABBCC"}'


def line(number: int) -> PlainFrame:
    return PlainFrame("line", LINE % number)


def test_the_same_frame_is_read_once_until_another_comes() -> None:
    reader = FrameReader(codec_of("json-lines-reader"), {"04AABBCC": "As"})
    first = reader.read(line(7))
    assert first is not None
    assert first.card is not None
    assert reader.read(line(7)) is first
    assert reader.maybe_read(line(7)) is first
    other = reader.read(line(8))
    assert other is not None
    assert other.fields["seq"] == 8
    assert reader.read(line(7)) == first


def test_a_frame_of_another_grammar_is_another_though_its_bytes_are_the_same() -> None:
    reader = FrameReader(codec_of("json-lines-reader"), {})
    assert reader.read(line(7)) is not None
    assert reader.read(PlainFrame("elsewhere", LINE % 7)) is None


def test_what_cannot_be_read_is_told_each_time_and_hides_nothing() -> None:
    reader = FrameReader(codec_of("json-lines-reader"), {})
    whole = reader.read(line(7))
    for _ in range(2):
        with pytest.raises(FieldError):
            reader.read(PlainFrame("line", b"{"))
        assert reader.maybe_read(PlainFrame("line", b"{")) is None
    assert reader.read(line(7)) == whole


@pytest.mark.requirement("T-27")
def test_one_numbered_card_again_and_again_is_one_card_and_every_copy_is_counted() -> None:
    session = PlainSession(codec_of("json-lines-reader"), PlainSettings(line=Line.serial(), cards={"04AABBCC": "As"}))
    session.connection_made(0.0)
    outputs = [output for turn in range(50) for output in session.receive((LINE % 7 + b"\n") * 3, turn * 0.02)]
    assert [type(output.event) for output in outputs if isinstance(output, EventArrived)] == [CardRead]
    assert session.frames_heard == 150
    session.receive(LINE % 8 + b"\n", 2.0)
    assert session.status().drawn == 2

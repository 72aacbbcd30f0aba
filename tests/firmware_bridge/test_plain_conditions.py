"""Fields that are there only sometimes, and fields that follow one another: read, said, shown, and refused where they refer to nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.errors import FieldError, FieldRangeError, InvalidProfileError, ShortPayloadError, UnknownKeyError
from device_profiles.loader import read_tables
from device_profiles.plain.describe import page_lines
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import plain_profile
from device_profiles.plain.messages import Plain
from firmware_bridge.capture.dissector import lua_of
from firmware_bridge.capture.frames import frames_of
from firmware_bridge.capture.pcapng_file import Captured, CaptureWriter
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame

TEXT = (Path(__file__).parents[1] / "device_profiles" / "sisters" / "flagged-fields.toml").read_text(encoding="utf-8")
JSON = """
spec = 1
name = "json-sometimes"
link = "plain"
about = { title = "t", vendor = "v", revision = 1, author = "a", source = "s", trust = "experimental" }
line = { kinds = ["tcp"] }
framing = { grammars = [{ kind = "line", name = "line" }] }

[[messages]]
name = "state"
grammar = "line"
json = true
where = { type = "state" }
fields = [{ name = "type" }, { name = "open" }, { name = "since", when = { open = true } }]

[[vectors]]
id = "shut"
wire = "7B 22 74 79 70 65 22 3A 22 73 74 61 74 65 22 2C 22 6F 70 65 6E 22 3A 66 61 6C 73 65 7D 0A"
message = "state"
fields = { open = false }
"""


def codec_of(text: str = TEXT) -> PlainCodec:
    return PlainCodec(plain_profile(read_tables(text.encode(), "test.toml"), "test.toml"))


def told(codec: PlainCodec, wire: bytes) -> dict[str, object]:
    (frame,) = codec.framer(Way.IN).feed(wire, 0.0)
    assert isinstance(frame, PlainFrame)
    heard = codec.read(frame)
    assert heard is not None
    return dict(heard.fields)


CODEC = codec_of()
FLAGS = st.fixed_dictionaries({"has-seat": st.integers(0, 1), "has-note": st.integers(0, 1)})


@given(FLAGS, st.integers(0, 255), st.integers(0, 0xFFFF), st.text("abc 09", min_size=1, max_size=20))
def test_what_is_said_is_what_is_heard_whatever_is_there(flags: dict[str, int], seat: int, weight: int, note: str) -> None:
    values: dict[str, Plain | bytes] = {**flags, "rank": "K", "suit": "s"}
    values |= {"seat": seat} if flags["has-seat"] else {}
    values |= {"weight": weight} if flags["has-seat"] and flags["has-note"] else {}
    values |= {"note": note} if flags["has-note"] else {}
    heard = told(CODEC, CODEC.write("card", values))
    assert heard == {"kind": 1, **{name: value for name, value in values.items() if name not in ("rank", "suit")}}


@given(st.binary(max_size=30))
def test_no_bytes_raise_past_the_field_error(content: bytes) -> None:
    for message in CODEC.messages.values():
        try:
            message.read(b"\xa5\x00" + content)
        except FieldError:
            continue


def test_a_field_that_has_to_be_there_and_is_not_makes_the_frame_unreadable() -> None:
    codec = codec_of()
    whole = codec.write("card", {"has-seat": 1, "has-note": 0, "seat": 9, "rank": "A", "suit": "c"})
    short = bytearray(codec.messages["card"].reader.start + bytes((4,)) + whole[2:6])
    short.append(0)
    prover = codec.messages["card"].reader.prover
    assert prover is not None
    prover.complete(short)
    (frame,) = codec.framer(Way.IN).feed(bytes(short), 0.0)
    assert isinstance(frame, PlainFrame)
    with pytest.raises(ShortPayloadError, match="suit"):  # it would begin where the checksum stands
        codec.read(frame)


def test_what_is_not_said_cannot_be_given_and_what_is_said_has_to_be() -> None:
    codec = codec_of()
    with pytest.raises(FieldRangeError, match="index is said only when part is sensor or motor"):
        codec.write("ask", {"part": "all", "index": 3})
    with pytest.raises(FieldRangeError, match="needs seat"):
        codec.write("card", {"has-seat": 1, "has-note": 0, "rank": "A", "suit": "c"})
    assert codec.write("ask", {"part": 9})[:4] == b"\xa5\x02\x03\x09"  # a number without a name is none of those with the field
    assert codec.write("ask")[4:5] == b"\x07"  # its own value goes with the other's


def test_what_is_longer_than_a_frame_can_say_is_an_error_of_the_value() -> None:
    with pytest.raises(FieldRangeError, match="cannot be said in 1 bytes"):
        CODEC.write("card", {"has-seat": 0, "has-note": 1, "rank": "A", "suit": "c", "note": "x" * 300})


def test_a_value_of_a_json_object_may_depend_on_another() -> None:
    codec = codec_of(JSON)
    assert told(codec, b'{"type":"state","open":false,"since":4}\n') == {"type": "state", "open": False}
    assert told(codec, b'{"type":"state","open":true,"since":4}\n')["since"] == 4
    assert codec.write("state", {"open": True, "since": 4}) == b'{"type":"state","open":true,"since":4}\n'
    with pytest.raises(FieldRangeError, match="since is said only when open is True"):
        codec.write("state", {"open": False, "since": 4})
    with pytest.raises(ShortPayloadError, match="since"):
        codec.read(PlainFrame("line", b'{"type":"state","open":true}'))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("when = { has-seat = 1 } },\n    { name", "when = { has-seats = 1 } },\n    { name", "did you mean 'has-seat'"),
        ('when = { error = "jam" }', 'when = { error = "jamm" }', "'error' is never 'jamm'; did you mean 'jam'"),
        ('when = { error = "jam" }', "when = { error = [] }", "no value"),
        ('when = { error = "jam" }', "when = { axis = 1 }", "none of the fields before it"),
        ('after = "rank"', 'after = "rang"', "did you mean 'rank'"),
        ('after = "rank"', 'after = "weight"', "none of the fields before it"),
        ('after = "rank"', 'after = "rank", at = 5', "not both"),
        ('after = "suit", size = 2', 'after = "suit", to = 9', "0 or less"),
        ('{ name = "axis", at = 4', '{ name = "rest", at = 4, to = -1 }, { name = "axis", after = "rest"', "no end that is known"),
        ('where = { kind = 2 }', "where = { kind = 2, axis = 1 }", "where needs it always"),
        ("when = { has-seat = 1, has-note = 1 }", 'when = { rank = "A" }', "has to be secret too"),
        ('{ name = "axis", at = 4', '{ name = "axis", tag = 4', "told by its tag"),
    ],
)  # fmt: skip
def test_what_refers_to_nothing_is_refused_with_its_place_and_the_nearest_name(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(InvalidProfileError, match=says) as refused:
        codec_of(TEXT.replace(old, new, 1))
    assert "message '" in str(refused.value)


def test_a_key_that_is_nearly_one_is_told() -> None:
    with pytest.raises(UnknownKeyError, match="did you mean 'when'"):
        codec_of(TEXT.replace("when =", "wen =", 1))


def test_a_page_says_when_a_field_is_there() -> None:
    text = "\n".join(page_lines(codec_of().profile))
    assert "seat at 4 when has-seat is 1" in text
    assert "index at 4 when part is sensor or motor" in text
    assert "weight after suit, 2 bytes when has-seat is 1 and has-note is 1" in text


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed: apt-get install tshark")
def test_an_analyser_shows_the_fields_that_are_there(tmp_path: Path) -> None:
    codec = codec_of()
    wires = [(Way.IN if v.message != "ask" else Way.OUT, v.wire_bytes()) for v in codec.profile.vectors]
    frames = frames_of([Captured("shoe", way, 1_700_000_000.0 + at, wire) for at, (way, wire) in enumerate(wires)], codec)
    with (tmp_path / "f.pcapng").open("wb") as stream:
        writer = CaptureWriter(stream, "shoe", profile="flagged-fields", most_bytes=1 << 20)
        for record in frames:
            writer.write(record.way, record.content, record.at_s)
    (tmp_path / "p.lua").write_text(lua_of(codec.profile), encoding="utf-8")
    names = ("message", "field.seat", "field.weight", "field.axis", "field.index")
    asked = [word for name in names for word in ("-e", f"flagged_fields.{name}")]
    command = ["tshark", "-X", f"lua_script:{tmp_path / 'p.lua'}", "-r", str(tmp_path / "f.pcapng"), "-T", "fields", *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    shown = [line.split("\t") for line in done.stdout.splitlines()]
    assert shown == [
        ["card", "", "", "", ""],
        ["card", "5", "", "", ""],
        ["card", "", "", "", ""],
        ["card", "6", "300", "", ""],
        ["error", "", "", "2", ""],
        ["error", "", "", "", ""],
        ["error", "", "", "", ""],
        ["ask", "", "", "", ""],
        ["ask", "", "", "", "1"],
    ]

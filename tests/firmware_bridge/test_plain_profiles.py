"""Every profile of a plain device: each message is heard however its bytes come, and whatever comes with them."""

from __future__ import annotations

import random

import pytest

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Reports, Way
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame, PlainFramer, Trouble
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples

JUNK = b"\x00\xff<:Zz7 "
LATER_S = 60.0
"""Longer than any pause inside a frame."""
STREAMS = [name for name in PLAIN if not any(isinstance(g, Reports) for g in codec_of(name).profile.framing.grammars)]


def heard(codec: PlainCodec, framer: PlainFramer, chunk: bytes, now_s: float) -> list[str]:
    """The names of the messages that these bytes complete."""
    names = []
    for item in framer.feed(chunk, now_s):
        if isinstance(item, PlainFrame):
            try:
                message = codec.read(item)
            except FieldError:
                names.append("unreadable")
            else:
                names.append(message.name if message is not None else "unknown")
    return names


def test_there_are_nine_of_them() -> None:
    assert len(PLAIN) == 9


@pytest.mark.requirement("EQ-49")
@pytest.mark.parametrize("name", PLAIN)
def test_what_is_written_is_read_as_the_same_message(name: str) -> None:
    codec = codec_of(name)
    for way in (Way.IN, Way.OUT):
        for message, wire in samples(codec, way).items():
            frames = codec.framer(way).feed(wire, 0.0)
            assert [type(item) for item in frames] == [PlainFrame], message
            frame = frames[0]
            assert isinstance(frame, PlainFrame)
            read = codec.read(frame, way=way)
            assert read is not None
            assert read.name == message


@pytest.mark.requirement("EQ-49")
@pytest.mark.parametrize("name", STREAMS)
def test_frames_come_in_any_pieces(name: str) -> None:
    codec, rng = codec_of(name), random.Random(name)
    wires = samples(codec)
    whole = b"".join(wires.values())
    cuts = [list(range(1, len(whole)))] + [sorted(rng.sample(range(1, len(whole)), min(5, len(whole) - 1))) for _ in range(10)]
    for cut in cuts:
        framer, names = codec.framer(Way.IN), []
        for begin, end in zip([0, *cut], [*cut, len(whole)], strict=True):
            names += heard(codec, framer, whole[begin:end], 0.0)
        assert names == list(wires)


@pytest.mark.requirement("EQ-49")
@pytest.mark.parametrize("name", STREAMS)
def test_junk_before_between_and_after_costs_no_frame_once_the_line_was_silent(name: str) -> None:
    codec = codec_of(name)
    for message, wire in samples(codec).items():
        framer = codec.framer(Way.IN)
        heard(codec, framer, JUNK + b"\n", 0.0)
        assert message in heard(codec, framer, wire, LATER_S)
        heard(codec, framer, JUNK + b"\n", LATER_S)
        assert message in heard(codec, framer, wire, 2 * LATER_S)


@pytest.mark.requirement("EQ-49", "EQ-58")
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("damage", ["dropped", "doubled", "flipped"])
def test_a_damaged_byte_costs_at_most_its_frame(name: str, damage: str) -> None:
    codec, rng = codec_of(name), random.Random(damage)
    for message, wire in samples(codec).items():
        places = range(len(wire)) if len(wire) < 64 else rng.sample(range(len(wire)), 24)
        for at in places:
            match damage:
                case "dropped":
                    spoiled = wire[:at] + wire[at + 1 :]
                case "doubled":
                    spoiled = wire[: at + 1] + wire[at:]
                case _:
                    spoiled = wire[:at] + bytes((wire[at] ^ 1 << rng.randrange(8),)) + wire[at + 1 :]
            framer = codec.framer(Way.IN)
            heard(codec, framer, spoiled, 0.0)
            after = heard(codec, framer, wire, LATER_S) + heard(codec, framer, wire, LATER_S)
            assert message in after, f"{message}: {damage} at {at}"


@pytest.mark.parametrize("name", PLAIN)
def test_rubbish_is_bounded_and_raises_nothing(name: str) -> None:
    codec, rng = codec_of(name), random.Random(f"rubbish {name}")
    framer = codec.framer(Way.IN)
    most = max(grammar.max for grammar in codec.profile.framing.grammars)
    for number in range(300):
        chunk = rng.randbytes(rng.randrange(1, 120))
        for item in framer.feed(chunk, number * 0.01):
            if isinstance(item, Trouble):
                assert len(item.content) <= max(256, len(chunk))
        assert framer.held <= 2 * most + 256

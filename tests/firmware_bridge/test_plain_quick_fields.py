"""A message and its fields that are looked up say what fields say that are worked out, for every profile."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Fixed
from device_profiles.plain.messages import NameTable, PlainMessage
from firmware_bridge.plain.fields import FieldAtWork, Names, Reader
from firmware_bridge.plain.framers import GrammarReader
from firmware_bridge.plain.heard import Hear, PlainHeard
from firmware_bridge.plain.messages import MessageAtWork
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples

CODE = {"name": "code", "at": 1}
TEXT = {"name": "text", "at": 2, "shape": "text"}
SPLIT = [{"name": "high", "at": 3, "bits": (7, 4)}, {"name": "suit", "at": 3, "bits": (3, 0), "names": "suits", "secret": True}]
RANK = {"name": "rank", "at": 4, "names": "ranks", "secret": True}
TAG = {"name": "tag", "at": 4, "shape": "bytes", "secret": True}
PAIR = {"event": "CardRead", "map": {"remaining": "high"}, "card": {"rank": "rank", "suit": "suit"}}
TAGGED = {"event": "CardRead", "card": {"card": "tag", "from_map": True}}
MESSAGES = {
    "told by one place, card from two": {"fields": [TEXT, *SPLIT, CODE, RANK], "where": {"code": 1}, "means": PAIR},
    "told by two places": {"fields": [*SPLIT, RANK, TEXT, CODE], "where": {"high": [1, 2], "code": [1, 2]}, "means": PAIR},
    "told by what is no value for another field": {"fields": [{**TEXT, "at": 1}, CODE], "where": {"code": [0xC8, 0x31]}},
    "told by nothing": {"fields": [CODE, *SPLIT, RANK], "means": PAIR},
    "card by the table's own map": {"fields": [CODE, TEXT, TAG], "where": {"code": 1}, "means": TAGGED},
    "card from a field that is shown": {"fields": [CODE, {**TAG, "secret": False}], "where": {"code": 1}, "means": TAGGED},
    "hidden without a card": {"fields": [CODE, TEXT, *SPLIT], "where": {"code": 1}},
    "optional at the end": {"fields": [CODE, {"name": "more", "at": 6, "optional": True}], "where": {"code": 1}},
}
TABLES = {"suits": {"d": [1], "c": [2]}, "ranks": {"A": [1], "K": [13, 14]}}


def outcome(read: Reader, frame: bytes) -> object:
    try:
        return read(frame)
    except FieldError as error:
        return f"{type(error).__name__}: {error}"


def heard(hear: Hear, frame: bytes) -> tuple[PlainHeard | str | None, list[str]]:
    """What is heard, and the names of its fields in their order."""
    try:
        found = hear(frame, {"0D": "As"})
    except FieldError as error:
        return f"{type(error).__name__}: {error}", []
    return found, list(found.fields) if found is not None else []


@pytest.mark.parametrize("name", PLAIN)
def test_the_quick_way_reads_as_the_slow_way(name: str) -> None:
    codec, rng = codec_of(name), random.Random(name)
    frames = [*samples(codec).values(), *(rng.randbytes(rng.randrange(24)) for _ in range(200)), b""]
    fields: list[FieldAtWork] = [field for message in codec.messages.values() for field in message._at_work]
    for field in fields:
        for frame in frames:
            assert outcome(field.quick, frame) == outcome(field.read, frame), field.field.name


def verify_looked_up(message: MessageAtWork, frames: list[bytes]) -> int:
    """Check that the message is heard as it is field by field, whichever place frames are sorted by; return how often it was heard."""
    times = 0
    for at in (0, *message.accepted):
        looked_up = message.hearing(at)
        for frame in frames:
            if at < len(frame) and frame[at] in message.accepted.get(at, range(256)):
                found = heard(looked_up, frame)
                assert found == heard(message.hear, frame), (message.message.name, at, frame.hex())
                times += isinstance(found[0], PlainHeard)
    return times


def varied(frame: bytes, rng: random.Random) -> Iterator[bytes]:
    """The frame with other bytes in places, and cut short."""
    for _ in range(30):
        other = bytearray(frame)
        for _ in range(rng.randrange(1, 3)):
            other[rng.randrange(len(other))] = rng.choice((rng.randrange(256), rng.randrange(16)))
        yield bytes(other)
    yield from (frame[:size] for size in range(len(frame) + 1))


@pytest.mark.parametrize("name", PLAIN)
def test_a_message_that_is_looked_up_is_heard_as_field_by_field(name: str) -> None:
    codec, rng = codec_of(name), random.Random(name)
    frames = [other for wire in samples(codec).values() for other in varied(wire[:24], rng)]
    assert sum(verify_looked_up(m, frames) for m in codec.messages.values() if m.pattern is None and not m.message.json) or not any(
        m.accepted for m in codec.messages.values()
    )


@pytest.mark.parametrize("kind", MESSAGES)
def test_any_message_of_single_bytes_is_looked_up(kind: str) -> None:
    message = msgspec.convert({"name": "m", "grammar": "f", **MESSAGES[kind]}, PlainMessage)
    tables = {name: Names(NameTable(values={n: tuple(v) for n, v in values.items()})) for name, values in TABLES.items()}
    at_work, rng = MessageAtWork(message, GrammarReader(Fixed(name="f", size=6), "x"), tables, "x"), random.Random(kind)
    assert at_work.hearing(0) != at_work.hear, "it is looked up"
    frames = [other for code in (1, 0x31) for other in varied(bytes((0, code, 0x41, 0x11, 13, 0, 0)), rng)]
    frames += [rng.randbytes(rng.randrange(9)) for _ in range(200)]
    assert verify_looked_up(at_work, frames)

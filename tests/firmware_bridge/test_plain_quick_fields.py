"""A field that is looked up says what a field that is worked out says, for every profile."""

from __future__ import annotations

import random

import pytest

from device_profiles.errors import FieldError
from firmware_bridge.plain.fields import FieldAtWork, Reader
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples


def outcome(read: Reader, frame: bytes) -> object:
    try:
        return read(frame)
    except FieldError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", PLAIN)
def test_the_quick_way_reads_as_the_slow_way(name: str) -> None:
    codec, rng = codec_of(name), random.Random(name)
    frames = [*samples(codec).values(), *(rng.randbytes(rng.randrange(24)) for _ in range(200)), b""]
    fields: list[FieldAtWork] = [field for message in codec.messages.values() for field in message._at_work]
    for field in fields:
        for frame in frames:
            assert outcome(field.quick, frame) == outcome(field.read, frame), field.field.name

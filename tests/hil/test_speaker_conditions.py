"""A simulated device says a field exactly when its profile says that it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from device_profiles.errors import FieldError
from device_profiles.loader import read_tables
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import plain_profile
from firmware_bridge.cards import parse_card
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from hil.simulated.speaker import Speaker

FILE = Path(__file__).parents[1] / "device_profiles" / "sisters" / "flagged-fields.toml"


def test_a_card_is_told_with_its_seat_only_where_the_flag_says_so() -> None:
    codec = PlainCodec(plain_profile(read_tables(FILE.read_bytes(), FILE.name), FILE.name))
    speaker = Speaker(codec)
    alone = speaker.card(parse_card("Ks"))
    seated = speaker.card(parse_card("Ks"), {"has-seat": 1})
    assert len(seated) == len(alone) + 1
    for wire, seat in ((alone, None), (seated, 5)):
        (frame,) = codec.framer(Way.IN).feed(wire, 0.0)
        assert isinstance(frame, PlainFrame)
        heard = codec.read(frame)
        assert heard is not None
        assert heard.card is not None
        assert heard.fields.get("seat") == seat
    with pytest.raises(FieldError, match="seat is said only"):
        speaker.say("card", {"seat": 3, "rank": "K", "suit": "s"})

"""What a monitor shows, and above all what it does not: a card that nobody may see."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from controller.technician.lines import DAMAGED, SEALED, Seen, reader_of
from controller.technician.reach import codec_of
from controller.technician.secrets_in import HIDDEN, tells_secret
from device_profiles.loader import load_profile, profile_names
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import is_plain, load_plain
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card
from firmware_bridge.codec import Codec, load_codec
from firmware_bridge.framing import encode_frame

CODEC: Codec = load_codec("sdp1")
CARDS = (*FRENCH_CARDS, JOKER, UNREADABLE)
PLAIN = [name for name in profile_names() if is_plain(name)]


def wire(body: bytes, ctl: int = 0) -> bytes:
    return encode_frame(bytes((ctl, 0, 0x11)) + body, CODEC.checksum)


def card_event(name: str, card: Card) -> bytes:
    fields = {"card": card, "flags": 0, "confidence": 98, "position": 7, "remaining": 45}
    if name == "card_out_of_flow":
        fields["state"] = "locked"
    return CODEC.write_event(name, 9, 1234, CODEC.write_event_body(name, fields), replayed=False)


def read(content: bytes, *, show_cards: bool = False, way: Way = Way.IN) -> list[Seen]:
    return reader_of(CODEC, pauses=True, show_cards=show_cards).read(way, content, 1.0)


@pytest.mark.requirement("EQ-72", "EQ-82")
@pytest.mark.parametrize("name", ["card_read", "burn_ejected", "card_out_of_flow"])
def test_lines_of_two_worlds_that_differ_in_a_card_are_the_same(name: str) -> None:
    lines = {msgspec.json.encode(read(wire(card_event(name, card)))) for card in CARDS}
    assert len(lines) == 1
    [seen] = read(wire(card_event(name, CARDS[5])))
    assert seen.hex.split().count(HIDDEN) == 1
    assert "(hidden card)" in seen.meaning


def test_cards_are_named_for_who_may_see_them() -> None:
    [seen] = read(wire(card_event("card_read", FRENCH_CARDS[8])), show_cards=True)
    assert f"card={FRENCH_CARDS[8].name}" in seen.meaning
    assert HIDDEN not in seen.hex


@pytest.mark.requirement("EQ-72")
def test_a_raw_code_and_a_key_are_hidden() -> None:
    raw = CODEC.command("read_raw")
    answers = {
        msgspec.json.encode(read(wire(CODEC.write_response(raw, 3, "ok", {"symbology": 1, "code_raw": bytes([code])}))))  # type: ignore[arg-type]
        for code in (0x11, 0x4D)
    }
    assert len(answers) == 1
    key = CODEC.write_command(CODEC.command("key_set"), 4, {"role": 1, "new_key": b"\x5a" * 16})
    for show_cards in (False, True):
        [seen] = read(wire(key), way=Way.OUT, show_cards=show_cards)
        assert show_cards or "5A" not in seen.hex + seen.meaning


def test_every_vector_of_the_profile_has_its_name() -> None:
    for vector in load_profile("sdp1").vectors:
        name = "event_ack" if vector.message == "event_ack" else (vector.message or "").partition(".")[2]
        seen = read(bytes.fromhex(vector.wire or ""))
        assert [one.is_fault for one in seen] == [False]
        assert name in ("", seen[0].message) or seen[0].message == SEALED


def test_a_sealed_frame_stays_sealed_and_a_damaged_one_shows_no_bytes() -> None:
    [sealed] = read(wire(bytes(30), ctl=0x08), show_cards=True)
    assert (sealed.message, sealed.meaning, sealed.fields) == (SEALED, "30 sealed bytes", {})
    content = wire(card_event("card_read", CARDS[0]))
    for at in range(1, len(content) - 1):
        damaged = content[:at] + bytes([content[at] ^ 0x40]) + content[at + 1 :]
        for seen in read(damaged):
            assert seen.message == DAMAGED
            assert seen.hex == ""


@pytest.mark.requirement("EQ-72")
@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_frame_that_tells_a_card_is_hidden_whole(name: str) -> None:
    codec, profile = codec_of(name), load_plain(name)
    secret = {message.name for message in profile.messages if tells_secret(message)}
    for vector in profile.vectors:
        reader = reader_of(codec, pauses=True)
        way = next(message.way for message in profile.messages if message.name == vector.message)
        seen = list(_all(reader.read(Way.OUT if way is Way.OUT else Way.IN, vector.wire_bytes(), 1.0), vector.message))
        for one in seen:
            hidden = set(one.hex.split()) == {HIDDEN}
            assert hidden == (vector.message in secret), one
            assert vector.card in (None, "?") or "(hidden card)" in one.meaning


def _all(seen: list[Seen], name: str) -> Iterator[Seen]:
    yield from (one for one in seen if one.message == name)


@pytest.mark.parametrize("name", PLAIN)
def test_a_profile_that_tells_cards_marks_them(name: str) -> None:
    profile = load_plain(name)
    tells = {message.name for message in profile.messages if tells_secret(message)}
    assert {vector.message for vector in profile.vectors if vector.card} <= tells

"""Every message of the profile both ways; what must not be shown is not; what does not fit is refused by type."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.errors import FieldError, FieldRangeError, ShortPayloadError
from device_profiles.schema import Field, FieldType
from device_profiles.values import Hidden
from firmware_bridge import commands, events
from firmware_bridge.cards import FRENCH_CARDS, UNREADABLE, Sealed, parse_card, unseal
from firmware_bridge.codec import load_codec
from firmware_bridge.errors import MisuseError
from firmware_bridge.events import CardFlag, CardRead, Status, UnknownEvent

CODEC = load_codec("sdp1")
PROFILE = CODEC.profile
RNG_SEED = 11


def sample(field: Field, rng: random.Random) -> object:
    """A value that fits the field."""
    if field.enum is not None:
        table = PROFILE.enums.get(field.enum)
        return rng.choice(list(table.values if table else PROFILE.commands))
    if field.flags is not None:
        return frozenset(rng.sample(sorted(PROFILE.flags[field.flags].bits), rng.randint(0, 3)))
    if field.registry is not None:
        registry = PROFILE.registries[field.registry]
        return rng.choice([*(entry.number for entry in registry.entries.values()), *(low for low, _ in registry.ranges.values())])
    match field.type:
        case FieldType.CARD:
            return rng.choice(FRENCH_CARDS)
        case FieldType.BYTES:
            raw = rng.randbytes(field.size or rng.randint(1, min(field.max or 40, 40)))
            return Hidden(raw) if field.secret else raw
        case FieldType.TEXT:
            return "".join(rng.choices("ACME-18 é", k=rng.randint(1, 12)))
        case FieldType.VERSION:
            return ".".join(str(rng.randrange(256)) for _ in range(field.size or 3))
        case FieldType.LIST:
            return tuple(filled(field.items, rng) for _ in range(rng.randint(0, 4)))
        case _:
            if field.boolean:
                return rng.random() < 0.5
            width = {FieldType.U8: 8, FieldType.U16: 16, FieldType.U32: 32, FieldType.U64: 63}[field.type]
            high = field.max if field.max is not None else 2**width - 2
            return rng.randint(field.min or 0, high)


def filled(fields: Iterable[Field], rng: random.Random) -> dict[str, object]:
    values: dict[str, Any] = {}
    for field in fields:
        if field.type is FieldType.TLVS:
            values |= filled(field.items, rng)
        elif field.shaped_by is not None:
            values[field.name] = shaped(values[field.shaped_by], rng)
        else:
            values[field.name] = sample(field, rng)
    return values


def shaped(key: int, rng: random.Random) -> bytes:
    """A value that fits the entry of a setting's key."""
    entry = PROFILE.registries["config_key"].entry_of(key)
    if entry is None or entry.size is None:
        return rng.randbytes(rng.randint(1, 40))
    return rng.randint(entry.min, entry.max or 0).to_bytes(entry.size, "big")


def same(told, wanted):
    """Compare what was read with what was written; reading adds raw numbers."""
    for name, value in wanted.items():
        if isinstance(value, tuple):
            assert len(told[name]) == len(value)
            for one, other in zip(told[name], value, strict=True):
                same(one, other)
        else:
            assert told[name] == value, name


@pytest.mark.requirement("SDP/1 1.6")
@pytest.mark.parametrize("name", sorted(PROFILE.commands))
def test_every_command_and_its_response_both_ways(name):
    rng = random.Random(RNG_SEED)
    spec = CODEC.command(name)
    for _ in range(20):
        fields = filled(spec.message.fields, rng)
        message = CODEC.write_command(spec, 513, fields)
        assert CODEC.read_header(message) == (1, spec.message.code, 513)
        assert CODEC.command_by_code(spec.message.code) is spec
        same(CODEC.read_command(spec, message), fields)
        answer = filled(spec.message.response, rng)
        response = CODEC.write_response(spec, 513, Status.OK, answer)
        assert CODEC.read_header(response) == (2, spec.message.code, 513)
        status, told = CODEC.read_response(spec, response)
        assert status is Status.OK
        same(told, answer)


@pytest.mark.requirement("SDP/1 1.7")
@pytest.mark.parametrize("name", sorted(PROFILE.events))
def test_every_event_both_ways_as_its_canonical_class(name):
    rng = random.Random(RNG_SEED)
    message = PROFILE.events[name]
    wanted_type = getattr(events, message.event)
    for number in range(1, 21):
        fields = filled(message.fields, rng)
        body = CODEC.write_event_body(name, fields)
        wire = CODEC.write_event(name, number, 70_000 + number, body, replayed=False)
        assert CODEC.read_header(wire) == (3, message.code, 0)
        event = CODEC.read_event(message.code, wire, replayed=False)
        assert type(event) is wanted_type
        assert (event.eseq, event.t_ms, event.replayed) == (number, 70_000 + number, False)
        assert CODEC.read_event_numbers(wire) == (number, 70_000 + number)
        # What was read is written again to the same bytes.
        told = {field: getattr(event, field) for field in wanted_type.__struct_fields__[3:]}
        told.pop("code", None)
        assert CODEC.write_event_body(name, told) == body


@pytest.mark.requirement("SDP/1 1.7")
def test_the_replay_flag_changes_nothing_else_and_is_no_content():
    body = CODEC.write_event_body("card_read", {"card": 0x41, "flags": ["face-up"], "confidence": 98, "position": 105, "remaining": 311})
    first = CODEC.write_event("card_read", 7, 123456, body, replayed=False)
    again = CODEC.write_event("card_read", 7, 123456, body, replayed=True)
    assert [i for i in range(len(first)) if first[i] != again[i]] == [13]
    assert again[13] == first[13] | 0x80
    assert CODEC.event_content(first) == CODEC.event_content(again)
    event = CODEC.read_event(0x20, again, replayed=False)
    assert event.replayed
    assert event.flags == CardFlag.FACE_UP
    assert CODEC.read_event(0x20, first, replayed=True).replayed


@pytest.mark.requirement("SDP/1 1.7", "EQ-71")
@pytest.mark.parametrize("code", range(256))
def test_any_card_byte_is_a_sealed_card_and_a_meaningless_one_is_unreadable(code):
    body = CODEC.write_event_body("card_read", {"card": code, "flags": 0, "confidence": 98, "position": 1, "remaining": None})
    event = CODEC.read_event(0x20, CODEC.write_event("card_read", 1, 0, body, replayed=False), replayed=False)
    assert isinstance(event, CardRead)
    assert isinstance(event.card, Sealed)
    assert event.remaining is None
    card = unseal(event.card, "test")
    assert card.code == code or card is UNREADABLE


@pytest.mark.requirement("EQ-71", "T-11")
def test_no_text_of_an_event_tells_its_card():
    texts = set()
    for card in FRENCH_CARDS:
        fields = {"card": Sealed(card), "flags": 0, "confidence": 98, "position": 105, "remaining": 311}
        body = CODEC.write_event_body("card_read", fields)
        event = CODEC.read_event(0x20, CODEC.write_event("card_read", 7, 5, body, replayed=False), replayed=False)
        texts.add((repr(event), str(event), f"{event}"))
    assert len(texts) == 1
    with pytest.raises((TypeError, NotImplementedError)):
        msgspec.json.encode(event)


@pytest.mark.requirement("SDP/1 1.9")
def test_an_unknown_event_is_known_by_number_and_size_only():
    wire = bytes((3, 0x7E, 0, 0)) + (9).to_bytes(4, "big") + (55).to_bytes(4, "big") + bytes((0x41, 1, 2))
    assert CODEC.read_event(0x7E, wire, replayed=False) == UnknownEvent(9, 55, False, 0x7E, 3)


@pytest.mark.requirement("SDP/1 1.9")
def test_trailing_bytes_and_unknown_tagged_values_are_ignored():
    body = CODEC.write_event_body("lid", {"is_open": True})
    wire = CODEC.write_event("lid", 4, 5, body, replayed=False) + b"more"
    assert CODEC.read_event(0x2B, wire, replayed=False) == events.Lid(4, 5, False, True)
    spec = CODEC.command("identify")
    response = CODEC.write_response(spec, 1, Status.OK, {"serial": "SN1"}) + bytes((0x63, 2, 1, 2))
    identity = CODEC.identity_of(CODEC.read_response(spec, response)[1])
    assert identity.serial == "SN1"
    assert identity.vendor is None


@pytest.mark.requirement("SDP/1 1.9")
def test_numbers_this_version_does_not_know_become_unknown_and_vendor_errors_keep_their_number():
    gate = CODEC.write_event("gate_changed", 1, 0, bytes((9, 77)), replayed=False)
    event = CODEC.read_event(0x22, gate, replayed=False)
    assert (event.state, event.cause) == (events.GateState.UNKNOWN, events.Cause.UNKNOWN)
    error = CODEC.write_event("error_raised", 1, 0, bytes((0x93, 0, 5)), replayed=False)
    event = CODEC.read_event(0x2C, error, replayed=False)
    assert (event.error, event.code, event.detail) == (events.DeviceError.VENDOR, 0x93, 5)
    spec = CODEC.command("signal")
    assert CODEC.read_response(spec, bytes((2, 0x39, 0, 1, 0x55)))[0] is Status.UNKNOWN


@pytest.mark.requirement("SDP/1 1.5")
def test_only_ok_carries_fields():
    spec = CODEC.command("status")
    refusal = CODEC.write_response(spec, 9, Status.BUSY, {"state": "idle"})
    assert refusal == bytes((2, 3, 0, 9, 4))
    assert CODEC.read_response(spec, refusal) == (Status.BUSY, {})


@pytest.mark.requirement("SDP/1 1.6")
@pytest.mark.parametrize(
    ("command", "wire"),
    [
        (commands.Lock(), "01 31 00 05 01"),
        (commands.Unlock(), "01 31 00 05 00"),
        (commands.Unlock(3), "01 31 00 05 00 03"),
        (commands.Dispense(5, 2), "01 32 00 05 05 02"),
        (commands.Burn(1), "01 33 00 05 01 00"),
        (commands.Burn(3, face_up=True), "01 33 00 05 03 01"),
        (commands.BurnByValue(), "01 33 00 05 FF 01"),
        (commands.EjectAll(), "01 34 00 05"),
        (commands.CountStub(), "01 35 00 05"),
        (commands.StartShuffle(8), "01 36 00 05 08 01"),
        (commands.StartShuffle(1, events.ShuffleMode.COUNT_ONLY), "01 36 00 05 01 03"),
        (commands.AbortShuffle(), "01 37 00 05"),
        (commands.ClearError(8), "01 38 00 05 08"),
        (commands.Signal(1, 2), "01 39 00 05 01 02"),
        (commands.CloseShoe(), "01 3A 00 05"),
        (commands.SetTime(1_700_000_000_000), "01 04 00 05 00 00 01 8B CF E5 68 00"),
        (commands.OpenShoe(bytes(range(16)), 8, 2), f"01 30 00 05 {bytes(range(16)).hex(' ')} 08 02 00"),
        (commands.Request("echo", {"content": b"hi"}), "01 46 00 05 68 69"),
        (commands.Request("self_test", {"test": 3}), "01 44 00 05 03"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_every_typed_command_is_carried_by_its_message(command, wire):
    spec, fields = CODEC.message_of(command)
    assert CODEC.write_command(spec, 5, fields) == bytes.fromhex(wire)


def test_every_canonical_command_has_a_message():
    for command_type in commands.COMMAND_TYPES:
        assert command_type in CODEC._forms


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("burn", {"count": 1}),
        ("burn", {"count": 0, "face_up": 0}),
        ("burn", {"count": 256, "face_up": 0}),
        ("burn", {"count": "one", "face_up": 0}),
        ("burn", {"count": 1, "face_up": 0, "speed": 3}),
        ("gate", {"order": "ajar"}),
        ("gate", {"order": -1}),
        ("shoe_open", {"shoe_id": b"short", "decks": 1, "back": 0, "options": 0}),
        ("echo", {"content": bytes(201)}),
        ("echo", {"content": 7}),
        ("actuate", {"actuator": 1, "direction": 0, "duration_ms": 2001}),
    ],
)
def test_a_command_that_does_not_fit_is_refused_before_it_is_sent(name, fields):
    with pytest.raises(FieldError):
        CODEC.write_command(CODEC.command(name), 5, fields)


def test_what_the_profile_does_not_have_is_the_callers_mistake():
    with pytest.raises(MisuseError):
        CODEC.message_of(commands.Request("dance"))
    with pytest.raises(MisuseError):
        CODEC.write_event_body("dance", {})


@pytest.mark.requirement("SDP/1 1.5")
@pytest.mark.parametrize(
    ("wire", "error"),
    [
        ("01 33 00 05 00 00", FieldRangeError),
        ("01 33 00 05 01", ShortPayloadError),
        ("01 31 00 05 07", FieldRangeError),
        ("01 31 00 05 00 00", FieldRangeError),
        ("01 43 00 05 01 01 07 D1", FieldRangeError),
        ("01 36 00 05 01 09", FieldRangeError),
    ],
)
def test_a_device_reads_commands_strictly(wire, error):
    message = bytes.fromhex(wire)
    spec = CODEC.command_by_code(message[1])
    with pytest.raises(error):
        CODEC.read_command(spec, message)


@pytest.mark.requirement("EQ-68", "EQ-71")
def test_secret_fields_have_no_text():
    spec = CODEC.command("key_set")
    fields = CODEC.read_command(spec, CODEC.write_command(spec, 5, {"role": 1, "new_key": bytes(range(16))}))
    assert repr(fields["new_key"]) == "<hidden bytes>"
    assert fields["new_key"].reveal("test") == bytes(range(16))
    with pytest.raises(ValueError, match="reason"):
        fields["new_key"].reveal("")
    raw = CODEC.command("read_raw")
    answer = CODEC.write_response(raw, 5, Status.OK, {"symbology": 1, "code_raw": b"QUEEN"})
    assert "QUEEN" not in repr(CODEC.read_response(raw, answer))


def test_cards_are_given_as_cards_sealed_cards_or_bytes():
    bodies = {
        CODEC.write_event_body("card_read", {"card": card, "flags": 0, "confidence": 0, "position": 0, "remaining": 0})
        for card in (parse_card("As"), Sealed(parse_card("As")), 0x41)
    }
    assert len(bodies) == 1
    with pytest.raises(FieldError):
        CODEC.write_event_body("card_read", {"card": "As", "flags": 0, "confidence": 0, "position": 0, "remaining": 0})


@given(st.integers(0, 255), st.binary(max_size=60))
def test_no_message_raises_past_the_field_error(code, payload):
    message = bytes((3, code, 0, 0)) + payload
    try:
        event = CODEC.read_event(code, message, replayed=False)
    except ShortPayloadError:
        assert len(payload) < 8 or code in {event.code for event in PROFILE.events.values()}
    else:
        assert event.eseq == int.from_bytes(payload[:4], "big")
    CODEC.event_content(message)
    spec = CODEC.command_by_code(code)
    if spec is not None:
        for read in (CODEC.read_command, CODEC.read_response):
            with contextlib.suppress(FieldError):
                read(spec, message)

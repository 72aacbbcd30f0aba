"""Numbers that host and device agree on: what is not registered is refused by name on either side, the maker's own are let through."""

from __future__ import annotations

import pytest

from device_profiles.errors import FieldError, FieldRangeError, InvalidProfileError
from device_profiles.loader import load_profile, parse_profile
from device_profiles.schema import Profile
from firmware_bridge.codec import load_codec
from firmware_bridge.events import Status
from tests.device_profiles.profile_texts import SDP1

CODEC = load_codec("sdp1")

REGISTERED = [
    ("config_get", {}, "key", "config_key", 2),
    ("attest", {"salt": bytes(16), "offset": 0, "length": 1024}, "region", "region", 1),
    ("dispense", {"count": 1}, "destination", "destination", 1),
    ("shoe_open", {"shoe_id": bytes(range(16)), "decks": 1, "options": 0}, "back", "back", 1),
    ("signal", {"pattern": 1}, "lamp", "lamp", 1),
    ("signal", {"lamp": 1}, "pattern", "lamp_pattern", 1),
    ("actuate", {"direction": 0, "duration_ms": 1}, "actuator", "actuator", 1),
    ("actuate", {"actuator": 1, "duration_ms": 1}, "direction", "direction", 1),
    ("self_test", {}, "test", "self_test", 1),
    ("session_open", {"host_nonce": bytes(16)}, "role", "role", 1),
]


@pytest.mark.requirement("SDP/1 1.6")
@pytest.mark.parametrize(("name", "others", "field", "registry", "width"), REGISTERED, ids=[f"{row[0]}.{row[2]}" for row in REGISTERED])
def test_exactly_the_registered_numbers_go_out_and_come_in(
    name: str, others: dict[str, object], field: str, registry: str, width: int
) -> None:
    spec, known = CODEC.command(name), load_profile("sdp1").registries[registry]
    wanted = {entry.number for entry in known.entries.values()}
    for low, high in known.ranges.values():
        wanted |= set(range(low, min(high, 0xFF if width == 1 else low + 3) + 1))
    for number in sorted(wanted | set(range(256))):
        fields = {**others, field: number}
        if number in wanted:
            assert CODEC.read_command(spec, CODEC.write_command(spec, 5, fields))[field] == number
        else:
            with pytest.raises(FieldRangeError, match=f"field '{field}' has no value {number}: it takes .*{next(iter(known.entries))}"):
                CODEC.write_command(spec, 5, fields)
    for word, entry in known.entries.items():
        assert CODEC.write_command(spec, 5, {**others, field: word}) == CODEC.write_command(spec, 5, {**others, field: entry.number})
    with pytest.raises(FieldError, match="not 'nonsense'"):
        CODEC.write_command(spec, 5, {**others, field: "nonsense"})


def test_a_device_refuses_a_number_that_a_foreign_host_sends() -> None:
    signal = CODEC.command("signal")
    good = CODEC.write_command(signal, 5, {"lamp": "ready", "pattern": "steady"})
    with pytest.raises(FieldRangeError, match="lamp"):
        CODEC.read_command(signal, good[:-2] + b"\x70\x01")
    setting = CODEC.command("config_set")
    good = CODEC.write_command(setting, 5, {"key": "deck-size", "value": b"\0\x34"})
    for value in (b"\x34", b"\0\0\x34", b"\0\0", b"\0\x6d"):
        with pytest.raises(FieldRangeError, match="deck-size"):
            CODEC.read_command(setting, good[:-2] + value)


def test_what_a_newer_device_tells_is_read_all_the_same() -> None:
    """A host that refused the number of a sensor that it does not know would lose the others too."""
    spec = CODEC.command("sensor_read")
    told = CODEC.write_response(spec, 1, Status.OK, {"sensors": ({"id": "lid", "reading": 1, "flag": 0},)})
    status, fields = CODEC.read_response(spec, told + b"\x70\x00\x09\x00")
    assert (status, [row["id"] for row in fields["sensors"]]) == (Status.OK, [2, 0x70])  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [b"", b"\x34", b"\0\0\x34", b"\0\0", b"\0\x6d"])
def test_a_setting_has_the_size_and_the_range_of_its_key(value: bytes) -> None:
    spec = CODEC.command("config_set")
    with pytest.raises(FieldRangeError, match="of deck-size takes"):
        CODEC.write_command(spec, 5, {"key": "deck-size", "value": value})
    assert CODEC.write_command(spec, 5, {"key": 0x9000, "value": b"whatever"}).endswith(b"whatever"), "the maker's own have no shape here"


@pytest.mark.parametrize(
    ("replace", "by", "problem"),
    [
        ('registry = "lamp"', 'registry = "lamps"', "no registry 'lamps'"),
        ('shaped_by = "key"', 'shaped_by = "kee"', "shaped by 'kee'"),
        ("stop = { number = 2,", "stop = { number = 1,", "two entries have the number 1"),
        ("maker = [0x8000, 0xFFFF]", "maker = [0x0002, 0xFFFF]", "holds an entry"),
        ("size = 2, min = 1, max = 108", "size = 2, min = 200, max = 108", "limits"),
        ("size = 1, max = 126", "size = 1, max = 256", "limits"),
        ("number = 0x0001, size", "number = 0x10001, size", "larger than"),
        ('doc = "What SIGNAL switches."', 'dok = "What SIGNAL switches."', "did you mean 'doc'"),
    ],
)
def test_a_registry_that_contradicts_itself_is_refused(replace: str, by: str, problem: str) -> None:
    assert replace in SDP1
    with pytest.raises(Exception, match=problem) as caught:
        parse_profile(SDP1.replace(replace, by, 1).encode(), "house.toml")
    assert isinstance(caught.value, InvalidProfileError) or "house.toml" in str(caught.value)


def test_the_numbers_that_the_simulated_device_and_the_daemon_use_are_those_of_the_profile() -> None:
    from controller.service.drive import BACK_COLOURS
    from hil.mechanism.cards import BACKS
    from hil.simulated.workshop import MOTOR_CURRENT_MA, Key

    registries = load_profile("sdp1").registries
    assert {name: number for number, name in enumerate(BACKS)} == BACK_COLOURS
    assert {key.name.lower().replace("_", "-"): key.value for key in Key} == numbers(load_profile("sdp1"), "config_key")
    assert set(MOTOR_CURRENT_MA) == set(numbers(load_profile("sdp1"), "actuator").values())
    assert registries["destination"].name_of(32) == "seat"
    assert registries["destination"].name_of(33) is None


def numbers(profile: Profile, registry: str) -> dict[str, int]:
    return {name: entry.number for name, entry in profile.registries[registry].entries.items()}

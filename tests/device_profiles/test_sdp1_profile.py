"""The profile of SDP/1 says what the protocol says, and a profile that is wrong is refused with the place and the word."""

from __future__ import annotations

import contextlib
import random
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.errors import (
    FailedVectorError,
    InvalidProfileError,
    ProfileError,
    UnknownKeyError,
    UnknownProfileError,
)
from device_profiles.loader import load_profile, parse_profile, profile_names
from device_profiles.schema import Role
from firmware_bridge.codec import Codec

SOURCE = resources.files("device_profiles").joinpath("sdp1.toml").read_bytes()

COMMANDS = {
    0x01: "identify",
    0x02: "capabilities",
    0x03: "status",
    0x04: "time_set",
    0x05: "config_get",
    0x06: "config_set",
    0x07: "reboot",
    0x10: "session_open",
    0x11: "session_auth",
    0x12: "session_close",
    0x13: "key_set",
    0x14: "attest",
    0x20: "event_resume",
    0x21: "counters",
    0x30: "shoe_open",
    0x31: "gate",
    0x32: "dispense",
    0x33: "burn",
    0x34: "eject_all",
    0x35: "stub_count",
    0x36: "shuffle_start",
    0x37: "shuffle_abort",
    0x38: "error_clear",
    0x39: "signal",
    0x3A: "shoe_close",
    0x40: "diag_enter",
    0x41: "diag_exit",
    0x42: "sensor_read",
    0x43: "actuate",
    0x44: "self_test",
    0x45: "read_raw",
    0x46: "echo",
    0x50: "log_info",
    0x51: "log_read",
    0x60: "fw_begin",
    0x61: "fw_block",
    0x62: "fw_commit",
    0x63: "fw_abort",
}
EVENTS = {
    0x20: "CardRead",
    0x21: "StackDispensed",
    0x22: "GateChanged",
    0x23: "ShoeLoaded",
    0x24: "ShoeEmpty",
    0x25: "CutCardSeen",
    0x26: "BurnEjected",
    0x27: "StubCounted",
    0x28: "ShuffleStarted",
    0x29: "ShuffleDone",
    0x2A: "Jam",
    0x2B: "Lid",
    0x2C: "ErrorRaised",
    0x2D: "ErrorCleared",
    0x2E: "CardOutOfFlow",
    0x2F: "CardReturned",
    0x30: "Button",
    0x31: "ModeChanged",
    0x32: "Power",
    0x33: "Tamper",
    0x34: "JournalLost",
    0x35: "Started",
    0x36: "CommandDone",
}


@pytest.mark.requirement("SDP/1 1.6")
def test_the_profile_has_every_command_with_its_code():
    assert {command.code: name for name, command in load_profile("sdp1").commands.items()} == COMMANDS


@pytest.mark.requirement("SDP/1 1.7")
def test_the_profile_has_every_event_with_its_code_and_canonical_class():
    assert {event.code: event.event for event in load_profile("sdp1").events.values()} == EVENTS


@pytest.mark.requirement("SDP/1 1.6")
@pytest.mark.parametrize(
    ("name", "role", "max_s"),
    [
        ("identify", Role.ANY, 0.5),
        ("time_set", Role.OPERATOR, 0.5),
        ("config_set", Role.TECHNICIAN, 0.5),
        ("session_open", Role.ANY, 1.0),
        ("key_set", Role.VENDOR, 2.0),
        ("attest", Role.OPERATOR, 10.0),
        ("event_resume", Role.OPERATOR, 1.0),
        ("shoe_open", Role.OPERATOR, 1.0),
        ("gate", Role.OPERATOR, 0.5),
        ("diag_enter", Role.TECHNICIAN, 1.0),
        ("actuate", Role.TECHNICIAN, 3.0),
        ("self_test", Role.TECHNICIAN, 60.0),
        ("read_raw", Role.TECHNICIAN, 2.0),
        ("echo", Role.ANY, 0.5),
        ("fw_begin", Role.VENDOR, 5.0),
    ],
)
def test_roles_and_time_limits_are_those_of_the_protocol(name, role, max_s):
    command = load_profile("sdp1").commands[name]
    assert (command.role, command.max_s) == (role, max_s)


@pytest.mark.requirement("SDP/1 1.6")
def test_acts_and_what_needs_an_idle_or_diagnosed_device():
    commands = load_profile("sdp1").commands.values()
    assert {command.code for command in commands if command.act} == set(range(0x31, 0x37))
    assert {command.code for command in commands if command.needs_idle} == {0x07, 0x13, 0x40, 0x60}
    assert {command.code for command in commands if command.needs_diagnostic} == {0x42, 0x43, 0x44, 0x45}


def test_an_act_is_always_something_that_is_not_done_twice():
    assert all(command.changes for command in load_profile("sdp1").commands.values() if command.act)


@pytest.mark.requirement("SDP/1 1.11")
def test_every_example_frame_is_a_vector_of_the_profile():
    ids = {vector.id.split("-")[0] for vector in load_profile("sdp1").vectors}
    on_bus = {"B01", "B02"}
    assert ids - on_bus == {f"F{number:02}" for number in range(1, 18)}
    assert on_bus < ids


def test_profiles_are_listed_and_an_unknown_one_is_refused_with_the_nearest_name():
    assert "sdp1" in profile_names()
    with pytest.raises(UnknownProfileError) as caught:
        load_profile("spd1")
    assert caught.value.nearest == "sdp1"
    assert "did you mean 'sdp1'?" in str(caught.value)


@pytest.mark.parametrize("name", ["../sdp1", "/etc/passwd", "", "schema.py", "x" * 1000])
def test_a_profile_name_never_becomes_a_path(name):
    with pytest.raises(UnknownProfileError):
        load_profile(name)


@pytest.mark.parametrize(
    ("good", "bad", "path", "nearest"),
    [
        (b"max_s = 0.5", b"max_seconds = 0.5", "commands.identify.max_seconds", "max_s"),
        (b'{ name = "vendor"', b'{ nam = "vendor"', "commands.identify.response[0].items[0].nam", "name"),
        (b"frame_max", b"frame_maxi", "framing.frame_maxi", "frame_max"),
        (b"[serial]", b"[seriall]", "seriall", "serial"),
        (b'event = "CardRead"', b'evnt = "CardRead"', "events.card_read.evnt", "event"),
    ],
)
def test_an_unknown_key_is_refused_with_file_path_and_nearest_key(good, bad, path, nearest):
    with pytest.raises(UnknownKeyError) as caught:
        parse_profile(SOURCE.replace(good, bad, 1), "shoe.toml")
    assert (caught.value.file, caught.value.path, caught.value.nearest) == ("shoe.toml", path, nearest)
    assert str(caught.value) == f"shoe.toml: unknown key '{path}'; did you mean '{nearest}'?"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (b"00 62 00 69 01 37 E1 F7", b"00 63 00 69 01 37 E1 F7"),
        (b"position = 105", b"position = 106"),
        (b'vendor = "ACME"', b'vendor = "ACNE"'),
        (b'name = "confidence", type = "u8"', b'name = "confidence", type = "u16"'),
        (b"card_read]\ncode = 0x20", b"card_read]\ncode = 0x70"),
        (b"tid = 2\nfields = { role = 1", b"tid = 3\nfields = { role = 1"),
        (b'host_nonce = "10', b'host_nonce = "zz'),
    ],
)
def test_a_profile_whose_vector_fails_is_refused(good, bad):
    assert good in SOURCE
    with pytest.raises(FailedVectorError):
        parse_profile(SOURCE.replace(good, bad, 1), "shoe.toml")


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (b"01 37 E1 F7", b"01 37 E1 F8"),
        (b'wire = "00 02 20 04 01 A5 84 00"', b'wire = "00 02 20 04 01 A5 85 00"'),
        (b'wire = "00 02 20 04 01 A5 84 00"', b'wire = "02 20 04 01 A5 84 00"'),
        (b'crc = "crc-16-genibus"', b'crc = "crc-16-xmodem"'),
    ],
)
def test_a_vector_that_fails_on_the_wire_refuses_the_profile_too(good, bad):
    profile = parse_profile(SOURCE.replace(good, bad, 1), "shoe.toml")
    with pytest.raises(FailedVectorError):
        Codec(profile)


@pytest.mark.parametrize(
    ("good", "bad", "told"),
    [
        (b'enum = "cause"', b'enum = "causes"', "no enum 'causes'"),
        (b'flags = "card" }', b'flags = "cards" }', "no flags 'cards'"),
        (b"code = 0x02\nrole", b"code = 0x01\nrole", "two commands have the code"),
        (b'use = "card"', b'use = "cart"', "no plain group"),
        (b"spec = 1", b"spec = 2", "this version reads spec 1"),
        (b'then = ["gate_changed"]', b'then = ["gate_change"]', "no event 'gate_change'"),
        (b"hardware-fault = 0x08", b"hardware-fault = 0x108", "larger than 255"),
        (b"code = 0x01", b'code = "one"', "Expected `int`"),
        (b'role = "any"', b'role = "anyone"', "anyone"),
        (b"spec = 1", b"spec = = 1", "not valid TOML"),
        (b"spec = 1", b"spec = 1 # \xff", "not valid TOML"),
        (b'"u16", registry = "config_key" }, { name = "value"', b'"bytes" }, { name = "value"', "second field of free length"),
    ],
)
def test_a_profile_that_contradicts_itself_is_refused_with_the_place(good, bad, told):
    assert good in SOURCE
    with pytest.raises(InvalidProfileError) as caught:
        parse_profile(SOURCE.replace(good, bad, 1), "shoe.toml")
    assert told in str(caught.value)
    assert str(caught.value).startswith("shoe.toml")


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (b'event = "CardRead"', b'event = "CardRed"'),
        (b'command = "Lock"', b'command = "Lick"'),
        (b'report = "StatusReport"', b'report = "StatusRaport"'),
        (b'name = "is_open"', b'name = "open"'),
        (b'name = "card_present"', b'name = "card_there"'),
        (b"feed = 1", b"fed = 1"),
        (b'crc = "crc-16-genibus"', b'crc = "crc-17"'),
        (b'{ name = "lid_open", type = "u8", boolean = true },\n', b""),
    ],
)
def test_names_that_the_canonical_vocabulary_does_not_have_refuse_the_profile(good, bad):
    assert good in SOURCE
    with pytest.raises(ProfileError):
        Codec(parse_profile(SOURCE.replace(good, bad, 1), "shoe.toml"))


def test_a_file_that_is_too_large_or_nests_too_deep_is_refused():
    with pytest.raises(InvalidProfileError, match="larger than"):
        parse_profile(b"#" * 300_000, "shoe.toml")
    with pytest.raises(InvalidProfileError):
        parse_profile(b"a = " + b"[" * 20 + b"]" * 20, "shoe.toml")
    with pytest.raises(InvalidProfileError):
        parse_profile(b"a = " + b"[" * 50_000, "shoe.toml")


@given(st.binary(max_size=400))
def test_no_bytes_raise_past_the_profile_error(content):
    with pytest.raises(ProfileError):
        parse_profile(content, "shoe.toml")


@pytest.mark.parametrize("seed", range(6))
def test_a_mutated_profile_loads_or_raises_the_profile_error(seed):
    rng = random.Random(seed)
    lines = SOURCE.split(b"\n")
    for _ in range(25):
        mutated = list(lines)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(mutated))
            match rng.randrange(4):
                case 0:
                    del mutated[at]
                case 1:
                    mutated[at] = mutated[rng.randrange(len(mutated))]
                case 2:
                    line = bytearray(mutated[at] or b"x")
                    line[rng.randrange(len(line))] = rng.randrange(256)
                    mutated[at] = bytes(line)
                case _:
                    mutated[at] = mutated[at].replace(b"u8", b"tlvs").replace(b"u16", b"list").replace(b"0x", b"99")
        with contextlib.suppress(ProfileError):
            Codec(parse_profile(b"\n".join(mutated), "shoe.toml"))

"""Bad input from a device or in its profile: typed errors, counters, and the link is kept."""

from __future__ import annotations

import random

import pytest

from device_profiles.errors import FieldError, ProfileError
from device_profiles.plain.frames import Reports, Way
from device_profiles.plain.loader import load_plain, plain_profile
from device_profiles.toml_text import parse_toml
from firmware_bridge.codec import load_codec
from firmware_bridge.events import Status
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import Fault, HostOutput, HostState, LinkLost
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples

BYTES = bytes(range(256))
QUIET_S = 60.0


class Heard:
    """A session of a plain profile that is fed whatever may come, each time after a silence."""

    def __init__(self, name: str) -> None:
        self.session = PlainSession(codec_of(name), PlainSettings(line=Line(9600, pauses=False), first_wanted=1))
        self.session.connection_made(0.0)
        self.began = self.session.state
        self.now_s = 0.0

    def feed(self, content: bytes) -> list[HostOutput]:
        """Everything that comes of these bytes, and of the silence after them."""
        self.now_s += QUIET_S
        outputs = self.session.receive(content, self.now_s)
        outputs += self.session.tick(self.now_s + QUIET_S / 2)
        return outputs


def faults(outputs: list[HostOutput]) -> int:
    return sum(output.count for output in outputs if isinstance(output, Fault))


def listening(name: str) -> bool:
    """Profiles that ask nothing: their sessions run as soon as the port is open."""
    profile = load_plain(name)
    return not profile.connect.said and profile.quiet.lost_after_s is None


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize("name", PLAIN)
def test_any_byte_at_any_place_of_any_message_raises_nothing(name: str) -> None:
    rng, heard = random.Random(name), Heard(name)
    for wire in samples(codec_of(name)).values():
        places = range(len(wire)) if len(wire) <= 24 else rng.sample(range(len(wire)), 12)
        for at in places:
            for byte in rng.sample(BYTES, 48 if len(wire) <= 24 else 12):
                outputs = heard.feed(wire[:at] + bytes((byte,)) + wire[at + 1 :])
                assert not any(isinstance(output, LinkLost) for output in outputs) or not listening(name)
    assert heard.session.state is heard.began or not listening(name)


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize("name", [name for name in PLAIN if listening(name)])
def test_too_long_a_frame_is_a_counted_fault_and_the_next_one_is_heard(name: str) -> None:
    codec, heard = codec_of(name), Heard(name)
    framing = codec.profile.framing
    longest = max(grammar.max for grammar in framing.grammars)
    is_report = any(isinstance(grammar, Reports) for grammar in framing.grammars)
    for wire in samples(codec).values():
        before = heard.session.status()
        swollen = wire[:1] + b"A" * (3 * longest) + wire[1:]
        told = faults(heard.feed(swollen))
        counted = heard.session.status()
        if is_report or framing.unframed.value != "ignore":
            assert told
            assert counted.other_errors + counted.crc_errors + counted.oversize_errors > (
                before.other_errors + before.crc_errors + before.oversize_errors
            )
        assert heard.session.state is HostState.RUNNING
        after = {output.kind for output in heard.feed(wire) if isinstance(output, Fault)}
        assert after <= {FaultKind.UNFRAMED, FaultKind.COPIES_MISSING}, "the next frame is as good as ever"


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize("name", PLAIN)
def test_a_wrong_checksum_is_a_counted_fault_and_no_message(name: str) -> None:
    codec = codec_of(name)
    for message, wire in samples(codec).items():
        reader = codec.messages[message].reader
        integrity = reader.grammar.integrity
        if integrity is None:
            continue
        framer = codec.framer(Way.IN)
        found = framer.feed(wire, 0.0)
        assert len(found) == 1
        frame = bytearray(found[0].content)
        place = integrity.places[-1] % len(frame)
        at = wire.rindex(frame[place : place + 1])
        spoiled = wire[:at] + bytes((wire[at] ^ 0x11,)) + wire[at + 1 :]
        heard = Heard(name)
        assert faults(heard.feed(spoiled))
        assert heard.session.status().last_eseq == 0, "nothing came of it"


@pytest.mark.requirement("EQ-58")
def test_any_byte_in_a_text_of_sdp1_is_text_or_a_typed_error() -> None:
    codec = load_codec("sdp1")
    spec = codec.command("identify")
    wire = codec.write_response(
        spec, 1, Status.OK, {"vendor": "XXXXXXXX", "model": "m", "serial": "s", "firmware": "1.0.0", "capability_bits": 1}
    )
    at = wire.index(b"XXXXXXXX")
    for byte in BYTES:
        spoiled = wire[:at] + bytes((byte,)) * 8 + wire[at + 8 :]
        try:
            _, fields = codec.read_response(spec, spoiled)
        except FieldError:
            continue
        assert isinstance(fields["vendor"], str)
        assert fields["model"] == "m", "the fields beside it are as they were"


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("baud = 115200", 'baud = "115200 baud"'),
        ("baud = 115200", "baud = 115200.5"),
        ("baud = 115200", "baud = -9600"),
        ("baud = 115200", "baud = 0"),
        ("max = 512", 'max = "512 bytes"'),
        ("max = 512", "max = 0"),
        ("max = 512", "max = 1000000"),
        ("max = 512", "max = 512\ngap_ms = 50"),
        ('unframed = "log"', 'unframed = "log"\ngap_s = "50 ms"'),
        ('unframed = "log"', 'unframed = "log"\ngap_s = -1.0'),
        ('unframed = "log"', 'unframed = "log"\ngap_s = nan'),
        ('unframed = "log"', 'unframed = "log"\ngap_s = inf'),
        ("last = 4294967295", 'last = "4 GiB"'),
    ],
)
def test_a_wrong_unit_in_a_profile_is_told_with_its_file_and_place(right: str, wrong: str) -> None:
    text = PROFILE_TEXT.replace(right, wrong, 1)
    assert text != PROFILE_TEXT
    with pytest.raises(ProfileError, match=r"reader\.toml"):
        plain_profile(parse_toml(text.encode()), "reader.toml")


PROFILE_TEXT = """
spec = 1
name = "reader"
link = "plain"

[about]
title = "a reader"
vendor = "open"
revision = 1
author = "shoed"
source = "this test"
trust = "reconstructed"

[line]
kinds = ["serial"]
[line.serial]
baud = 115200

[framing]
unframed = "log"
[[framing.grammars]]
kind = "line"
name = "line"
max = 512

[numbers]
field = "seq"
first = 0
last = 4294967295

[[messages]]
name = "card"
grammar = "line"
json = true
fields = [{ name = "seq", path = "seq" }]

[[vectors]]
id = "seven"
wire = "7B 22 73 65 71 22 3A 37 7D 0A"
message = "card"
fields = { seq = 7 }
"""


def test_the_profile_without_a_wrong_unit_is_taken() -> None:
    assert plain_profile(parse_toml(PROFILE_TEXT.encode()), "reader.toml").name == "reader"

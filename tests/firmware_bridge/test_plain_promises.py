"""A profile that refers to nothing, promises what no message tells, or has a wrong value is refused in words that help."""

from __future__ import annotations

import pytest

from device_profiles.errors import InvalidProfileError, ProfileError
from device_profiles.loader import parse_profile, read_tables
from device_profiles.plain.loader import plain_profile
from firmware_bridge.plain.codec import PlainCodec

TEXT = r"""
spec = 1
name = "twin-slide"
link = "plain"
can = ["cards", "numbers", "gate", "acknowledges"]
[about]
title = "Twin slide shoe"
vendor = "none"
revision = 1
author = "a test"
source = "a test"
trust = "experimental"
[line]
kinds = ["serial"]
read_only = false
serial = { baud = 19200 }
[framing.grammars]
[[framing.grammars]]
kind = "line"
name = "line"
start = "24"
end = "0D 0A"
integrity = { kind = "xor", covers = [1, -3], places = [-2, -1], spelling = "hex-upper" }
[numbers]
field = "seq"
first = 0
last = 99
[connect]
messages = ["who"]
identity = { serial = "plate" }
[names.ranks.values]
A = ["A"]
[[messages]]
name = "card"
grammar = "line"
pattern = '\$C,(?P<seq>[0-9]{2}),(?P<rank>[A-M])(?P<suit>[cdhs])\*[0-9A-F]{2}'
template = "$C,{seq},{rank}{suit}*00"
fields = [
    { name = "seq", shape = "decimal", size = 2 }, { name = "rank", shape = "text", names = "ranks" }, { name = "suit", shape = "text" },
]
means = { event = "CardRead", card = { rank = "rank", suit = "suit" } }
reply_with = "got"
reply_copies = ["seq"]
[[messages]]
name = "got"
grammar = "line"
way = "out"
pattern = '\$R,(?P<seq>[0-9]{2})\*[0-9A-F]{2}'
template = "$R,{seq}*00"
fields = [{ name = "seq", shape = "decimal", size = 2 }]
[[messages]]
name = "who"
grammar = "line"
way = "out"
pattern = '\$W\*[0-9A-F]{2}'
template = "$W*00"
asks_only = true
answer = { messages = ["this"], within_s = 0.5 }
[[messages]]
name = "this"
grammar = "line"
pattern = '\$T,(?P<plate>[0-9A-F]{4}),(?P<tenths>[0-9]{3})\*[0-9A-F]{2}'
template = "$T,{plate},{tenths}*00"
fields = [{ name = "plate", shape = "hex", size = 4 }, { name = "tenths", shape = "decimal", size = 3, scale = 10 }]
[[messages]]
name = "lock"
grammar = "line"
way = "out"
pattern = '\$L\*[0-9A-F]{2}'
template = "$L*00"
carries = "Lock"
[[messages]]
name = "unlock"
grammar = "line"
way = "out"
pattern = '\$U,(?P<cards>[0-9]{2})\*[0-9A-F]{2}'
template = "$U,{cards}*00"
fields = [{ name = "cards", shape = "decimal", size = 2 }]
carries = "Unlock"
carries_map = { cards = "cards" }
[simulation]
values = { this = { plate = 17, tenths = 120 } }
[[vectors]]
id = "ace"
wire = "24 43 2C 30 37 2C 41 63 2A 36 36 0D 0A"
message = "card"
fields = { seq = 7, rank = "A", suit = "c" }
""".replace("[framing.grammars]\n[[", "[[")


def codec_of(text: str) -> PlainCodec:
    return PlainCodec(plain_profile(read_tables(text.encode(), "test.toml"), "test.toml"))


def test_the_profile_itself_is_in_order_and_writes_numbers_as_it_reads_them() -> None:
    codec = codec_of(TEXT)
    wire = codec.write("this", {"plate": 0xAB, "tenths": 120})
    assert wire.startswith(b"$T,00AB,012*")
    (frame,) = codec.framer(codec.messages["this"].message.way).feed(wire, 0.0)
    heard = codec.read(frame)  # type: ignore[arg-type]
    assert heard is not None
    assert heard.fields == {"plate": 0xAB, "tenths": 120}


@pytest.mark.requirement("EQ-56")
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('field = "seq"', 'field = "sq"', "numbers: field 'sq' is not there; did you mean 'seq'"),
        ("last = 99", "last = 0", "numbers: `last` is 0"),
        ('"numbers", "gate"', '"nubmers", "gate"', "can: 'nubmers' is no ability that the daemon knows; did you mean 'numbers'"),
        ('"numbers", "gate"', '"numbers", "lid"', "promises 'lid', and no message means Lid"),
        (
            'event = "CardRead", card = { rank = "rank", suit = "suit" }',
            'event = "CardRead"',
            "promises 'cards', and no message tells a card",
        ),
        ('reply_with = "got"\nreply_copies = ["seq"]\n', "", "promises 'acknowledges'"),
        ('carries = "Unlock"', 'carries = "Unlok"', "no command 'Unlok'; did you mean 'Unlock'|promises 'gate'"),
        ('carries = "Lock"', "", "promises 'gate', and its messages do not carry both Lock and Unlock"),
        ('cards = "cards"', 'cards = "crads"', "Unlock has no 'crads'; it has cards"),
        ("carries_map = { cards =", "carries_map = { crads =", "carries_map 'crads' is not there; did you mean 'cards'"),
        ('reply_copies = ["seq"]', 'reply_copies = ["rank"]', "`got`, reply_copies 'rank' is not there"),
        ('serial = "plate"', 'serial = "plaet"', "no answer on connecting has a field 'plaet'; did you mean 'plate'"),
        ('identity = { serial = "plate" }', 'identity = { plate = "plate" }', "connect.identity: 'plate' is not there"),
        ("$C,{seq},{rank}", "$C,{seq},{rnk}", "template 'rnk' is not there; did you mean 'rank'"),
        ('template = "$L*00"\n', "", "no `template` tells how it is written"),
        ('answer = { messages = ["this"], within_s = 0.5 }\n', "", "it only asks, and no `answer`"),
        ('messages = ["this"]', 'messages = ["lock"]', "'lock' is said by the host"),
        ("this = { plate = 17,", "this = { paint = 17,", "simulation.values.this: 'paint' is not there"),
        (
            '{ name = "suit", shape = "text" },',
            '{ name = "suit", shape = "text" }, { name = "suit" },',
            "two of its fields are called 'suit'",
        ),
        ("(?P<rank>[A-M])", "(?P<rank>[A-M]", r"cannot be used: missing \)"),
        ('kind = "xor"', 'kind = "xorr"', r"framing.grammars\[0\].integrity.kind: .* write one of sum, sum-zero, xor, crc"),
        ('trust = "experimental"', 'trust = "certified"', "about.trust: .* write one of vendor-certified, reconstructed"),
        ('start = "24"', 'start = "$"', r"framing.grammars\[0\].start: .* two capital hexadecimal digits"),
        ("2A 36 36 0D", "2A 30 30 0D", r"with the checksum that the profile describes it is 24 43 .* 36 36 0D 0A \(\$C,07,Ac\*66\)"),
        ("{rank}{suit}*00", "{rank}{suit}*", r"it is written as 24 .* \(\$C,07,A44\)"),
    ],
)
def test_what_is_not_there_or_not_told_is_refused_with_its_place(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(ProfileError, match=says):
        codec_of(TEXT.replace(old, new, 1))


def test_a_file_without_a_link_is_told_so_and_not_taken_for_one_of_sdp1() -> None:
    tables = read_tables(TEXT.replace('link = "plain"\n', "").encode(), "test.toml")
    with pytest.raises(InvalidProfileError, match='link = "plain"'):
        parse_profile(tables, "test.toml")

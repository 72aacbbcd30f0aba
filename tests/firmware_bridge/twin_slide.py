"""A made-up shoe of two-letter cards in checksummed lines that are numbered, for what the profile language says of such devices."""

from __future__ import annotations

from device_profiles.loader import read_tables
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

"""Profiles that extend another, that are deprecated, that are for some firmware only; and a vendor's file beside the product's."""

from __future__ import annotations

from pathlib import Path

import pytest

from device_profiles.errors import InvalidProfileError, ProfileError, UnknownKeyError
from device_profiles.extending import DEPTH_MAX, extended
from device_profiles.plain.describe import firmware_problem
from device_profiles.schema import About, FirmwareRange, Trust
from device_profiles.shelf import ProfileShelf
from firmware_bridge.codec import Codec
from firmware_bridge.plain.codec import PlainCodec

HEAD = """
spec = 1
name = "{name}"
extends = "{base}"

[about]
title = "A house's own"
vendor = "House"
revision = 1
author = "House"
source = "its manual"
trust = "experimental"
"""


def shelf(folder: Path, **files: str) -> ProfileShelf:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return ProfileShelf(folder)


def head(name: str, base: str, rest: str = "") -> str:
    return HEAD.format(name=name, base=base) + rest


def test_what_is_not_said_is_as_in_the_base(tmp_path: Path) -> None:
    house = shelf(tmp_path, quick=head("quick", "bee-tek", "[line.serial]\nbaud = 19200\n[simulation]\ncycle_s = 0.1\n"))
    quick, base = house.plain("quick"), house.plain("bee-tek")
    assert house.is_plain("quick")
    assert (quick.name, quick.about.vendor, quick.extends) == ("quick", "House", "bee-tek")
    assert quick.line.serial is not None
    assert (quick.line.serial.baud, quick.simulation.cycle_s) == (19200, 0.1)
    assert (quick.messages, quick.names, quick.vectors, quick.line.kinds) == (base.messages, base.names, base.vectors, base.line.kinds)
    assert PlainCodec(quick).messages.keys() == PlainCodec(base).messages.keys()


def test_entries_of_one_name_are_changed_in_their_place_and_new_ones_come_last(tmp_path: Path) -> None:
    more = """
[[messages]]
name = "card"
doc = "as our shoe says it"
[[messages]]
name = "hello"
grammar = "token"
pattern = "<Hello>"
template = "<Hello>"
[[vectors]]
id = "hello"
wire = "3C 48 65 6C 6C 6F 3E"
message = "hello"
"""
    house = shelf(tmp_path, quick=head("quick", "bee-tek", more))
    base, quick = house.plain("bee-tek"), house.plain("quick")
    names = [message.name for message in base.messages]
    assert [message.name for message in quick.messages] == [*names, "hello"]
    card = next(message for message in quick.messages if message.name == "card")
    assert (card.doc, card.pattern) == ("as our shoe says it", next(m for m in base.messages if m.name == "card").pattern)
    assert len(quick.vectors) == len(base.vectors) + 1
    PlainCodec(quick)


def test_a_vector_of_the_base_must_still_come_out(tmp_path: Path) -> None:
    house = shelf(tmp_path, quick=head("quick", "bee-tek", '[[messages]]\nname = "card"\npattern = "<Kard:(?P<rank>.)(?P<suit>.)>"\n'))
    with pytest.raises(ProfileError):
        PlainCodec(house.plain("quick"))


def test_a_vendor_adds_a_register_entry_to_sdp1(tmp_path: Path) -> None:
    house = shelf(tmp_path, acme=head("acme", "sdp1", "[registries.lamp.entries]\nrainbow = { number = 9 }\n"))
    codec = Codec(house.sdp1("acme"))
    assert not house.is_plain("acme")
    assert codec.write_command(codec.command("signal"), 5, {"lamp": "rainbow", "pattern": "steady"})[-2:] == b"\x09\x01"
    with pytest.raises(InvalidProfileError, match="no profile of a plain device"):
        house.plain("acme")


def test_bases_may_have_bases_and_end(tmp_path: Path) -> None:
    rows = {f"b{number}": head(f"b{number}", f"b{number - 1}" if number else "bee-tek") for number in range(DEPTH_MAX + 1)}
    house = shelf(tmp_path, **rows, loop=head("loop", "pool"), pool=head("pool", "loop"), self=head("self", "self"))
    assert house.plain(f"b{DEPTH_MAX - 1}").name == f"b{DEPTH_MAX - 1}"
    for name in (f"b{DEPTH_MAX}", "loop", "self"):
        with pytest.raises(ProfileError, match=r"more than|spec|link"):
            house.get(name)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (head("x", "bee-tok"), "did you mean 'bee-tek'"),
        (head("x", "../bee-tek"), "there is no device profile"),
        (head("x", "bee-tek", "[line.serail]\nbaud = 1\n"), "did you mean 'serial'"),
        (head("x", "bee-tek").replace("[about]", "[abuot]"), "did you mean 'about'"),
        ('spec = 1\nname = "x"\nextends = "bee-tek"\n', "'about' is missing"),
        ('spec = 1\nname = "x"\nextends = 5\n', "name of one profile"),
        (head("x", "sdp1", "[line.serial]\nbaud = 9600\n"), "unknown key"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ProfileError, match=problem):
        shelf(tmp_path, x=text).get("x")


def test_an_unknown_key_is_found_in_the_own_file_not_in_the_base(tmp_path: Path) -> None:
    with pytest.raises(UnknownKeyError, match=r"^x\.toml: unknown key 'quiett'"):
        shelf(tmp_path, x=head("x", "bee-tek", "[quiett]\nlost_after_s = 1.0\n")).get("x")


def test_lists_without_names_take_the_place_of_the_bases() -> None:
    base = {"name": "a", "about": {}, "can": ["gate"], "mixed": [{"name": "x"}, {"id": "y"}], "twice": [{"name": "x"}, {"name": "x"}]}
    own = {"name": "b", "about": {"t": 1}, "extends": "a", "can": ["lid"], "mixed": [{"name": "z"}], "twice": [{"name": "x", "v": 1}]}
    assert extended(own, "b.toml", lambda _name, _file: base) == own


@pytest.mark.parametrize(
    ("first", "last", "holds", "not_held"),
    [
        ("1.2", None, ("1.2", "1.2.0", "1.10", "2"), ("1.1.9", "1", "0.9", "", "beta", "1.2-rc")),
        (None, "1.4", ("1.4", "1.4.9", "0.1"), ("1.5", "2.0")),
        ("1.2", "1.4", ("1.3",), ("1.1", "1.5")),
        (None, None, ("7",), ("x",)),
    ],
)
def test_a_firmware_range(first: str | None, last: str | None, holds: tuple[str, ...], not_held: tuple[str, ...]) -> None:
    known = FirmwareRange(first=first, last=last)
    assert all(known.holds(version) for version in holds)
    assert not any(known.holds(version) for version in not_held)
    about = About(title="", vendor="", revision=1, author="", source="", trust=Trust.EXPERIMENTAL, firmware=known)
    assert firmware_problem(about, holds[0]) is None
    assert firmware_problem(about, None) is None
    assert str(firmware_problem(about, not_held[0])).startswith(f"Its firmware is {not_held[0]},")

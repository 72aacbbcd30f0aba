"""A profile that refers to nothing, promises what no message tells, or has a wrong value is refused in words that help."""

from __future__ import annotations

import pytest

from device_profiles.errors import InvalidProfileError, ProfileError
from device_profiles.loader import parse_profile, read_tables
from tests.firmware_bridge.twin_slide import TEXT, codec_of


def test_the_profile_itself_is_in_order_and_writes_numbers_as_it_reads_them() -> None:
    codec = codec_of(TEXT)
    wire = codec.write("this", {"plate": 0xAB, "tenths": 120})
    assert wire.startswith(b"$T,00AB,012*")
    (frame,) = codec.framer(codec.messages["this"].message.way).feed(wire, 0.0)
    heard = codec.read(frame)  # type: ignore[arg-type]
    assert heard is not None
    assert heard.fields == {"plate": 0xAB, "tenths": 120}


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

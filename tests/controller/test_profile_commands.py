"""`shoed profile`: listing, showing, checking, the page and the schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.main import run
from device_profiles.loader import profile_names
from device_profiles.plain.loader import is_plain

SISTERS = Path(__file__).parents[1] / "device_profiles" / "sisters"


def test_every_profile_is_listed_with_its_trust(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "list", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["profile"] for row in rows] == list(profile_names())
    assert {row["trust"] for row in rows} <= {"reference", "reconstructed", "experimental"}


@pytest.mark.parametrize("name", profile_names())
def test_each_says_what_it_cannot_do_and_what_is_in_doubt(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "show", name]) == 0
    text = capsys.readouterr().out
    assert "Doubt: " in text
    assert not is_plain(name) or "Not noticed or not possible: " in text


@pytest.mark.parametrize("name", [name for name in profile_names() if is_plain(name)])
def test_the_page_pictures_every_frame_and_names_every_message(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "doc", name]) == 0
    text = capsys.readouterr().out
    assert text.count("```text") >= 1
    assert "## Vectors" in text


def test_a_file_in_order_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "check", str(SISTERS / "ssp.toml")]) == 0
    assert "6 vectors come out both ways" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("polynomial = 0x8005", "polynomial = 0x8006", "in no catalogue"),
        ("doubled = 0x7F", "dubled = 0x7F", "did you mean 'doubled'"),
        ("21 94", "21 95", "the framer found: checksum"),
        ('"0607"', '"0608"', "it reads as"),
        ('kind = "length"', 'kind = "guess"', "guess"),
    ],
)
def test_a_file_out_of_order_is_refused_with_its_place(
    old: str, new: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ssp.toml"
    text = (SISTERS / "ssp.toml").read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert run(["profile", "check", str(file)]) == 1
    assert says in capsys.readouterr().err


def test_an_unknown_name_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "show", "bee-teck"]) == 2
    assert "did you mean 'bee-tek'" in capsys.readouterr().err


def test_the_schema_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert "PlainProfile" in json.dumps(schema)

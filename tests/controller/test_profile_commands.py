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


def test_a_file_of_another_name_is_told_with_what_to_mend_and_not_as_an_unknown_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.toml").write_text((SISTERS / "ssp.toml").read_text(encoding="utf-8"), encoding="utf-8")
    for command in (["profile", "list"], ["profile", "checks", "other"]):
        assert run([*command, "--profiles", str(tmp_path)]) == 2
        told = capsys.readouterr().err
        assert "file and name must agree" in told
        assert "(profile-not-in-order)" in told


def test_an_unknown_name_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "show", "bee-teck"]) == 2
    assert "did you mean 'bee-tek'" in capsys.readouterr().err


def test_the_schema_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert "PlainProfile" in json.dumps(schema)
    whole = schema["$defs"]["PlainProfile"]
    assert whole["required"] == ["name", "about"]
    assert {"required": ["extends"]} in whole["anyOf"]


HOUSE = """
name = "house-shoe"
extends = "bee-tek"

[about]
title = "The house's Bee-Tek"
vendor = "House"
revision = 1
author = "House"
source = "its manual"
trust = "experimental"
deprecated = "it was replaced."
replaced_by = "bee-tek"
firmware = { first = "2.0", last = "2.4" }

[line.serial]
baud = 19200
"""


@pytest.fixture(params=["option", "environment"])
def directory(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that name a directory with a house's profile."""
    (tmp_path / "house-shoe.toml").write_text(HOUSE, encoding="utf-8")
    if request.param == "option":
        return ["--profiles", str(tmp_path)]
    monkeypatch.setenv("SHOED_PROFILES", str(tmp_path))
    return []


def test_every_command_knows_the_profiles_of_a_directory(directory: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "list", "--json", *directory]) == 0
    rows = {row["profile"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (rows["house-shoe"]["from"], rows["house-shoe"]["lines"][:12]) == ("directory", "serial 19200")
    assert rows["bee-tek"]["from"] == "product"
    assert "deprecated" in rows["house-shoe"]["title"]
    assert run(["profile", "show", "house-shoe", *directory]) == 0
    text = capsys.readouterr().out
    assert "Deprecated: it was replaced. Use bee-tek instead." in text
    assert "For firmware from 2.0 to 2.4." in text
    for command in ("doc", "dissector"):
        assert run(["profile", command, "house-shoe", *directory]) == 0
        assert "house" in capsys.readouterr().out.lower()
    (tmp_path / "grandchild.toml").write_text(HOUSE.replace("house-shoe", "grandchild").replace('"bee-tek"', '"house-shoe"', 1))
    assert run(["profile", "check", str(tmp_path / "grandchild.toml"), *directory]) == 0
    assert "grandchild is in order" in capsys.readouterr().out


def test_a_name_of_the_product_is_not_taken_by_a_directory(
    directory: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bee-tek.toml").write_text(HOUSE.replace("house-shoe", "bee-tek"), encoding="utf-8")
    assert run(["profile", "list", *directory]) == 2
    assert "name of a profile that comes with the product" in capsys.readouterr().err

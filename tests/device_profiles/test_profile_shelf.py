"""The directory of profiles that a house fills: names are looked up in what was found and never become paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from device_profiles.errors import InvalidProfileError, ProfileError, UnknownProfileError
from device_profiles.loader import PROFILE_BYTES_MAX, profile_names
from device_profiles.shelf import ProfileShelf

BEE_TEK = (Path(__file__).parents[2] / "device_profiles" / "bee-tek.toml").read_text()


def own(name: str) -> str:
    return BEE_TEK.replace('name = "bee-tek"', f'name = "{name}"', 1)


def test_without_a_directory_it_holds_the_products_own() -> None:
    shelf = ProfileShelf()
    assert shelf.names() == profile_names()
    assert shelf.is_plain("bee-tek")
    assert not shelf.is_plain("sdp1")
    assert shelf.plain("bee-tek").name == "bee-tek"


def test_a_file_in_the_directory_is_a_profile(tmp_path: Path) -> None:
    (tmp_path / "house-shoe.toml").write_text(own("house-shoe"))
    (tmp_path / "read.me").write_text("not a profile")
    shelf = ProfileShelf(tmp_path)
    assert "house-shoe" in shelf.names()
    assert shelf.plain("house-shoe") is shelf.plain("house-shoe")
    assert shelf.is_plain("house-shoe")


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "house-shoe.toml", "a/b", "", ".", "HOUSE-SHOE", "house-shoe\0"])
def test_a_name_is_never_a_path(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "profiles"
    folder.mkdir()
    (tmp_path / "secret.toml").write_text(own("secret"))
    (folder / "house-shoe.toml").write_text(own("house-shoe"))
    shelf = ProfileShelf(folder)
    assert not shelf.is_plain(name)
    with pytest.raises(UnknownProfileError):
        shelf.plain(name)


@pytest.mark.parametrize("file", ["sdp1.toml", "bee-tek.toml", "Shoe.toml", "my shoe.toml", "-x.toml", "ä.toml"])
def test_a_file_with_a_name_that_is_taken_or_none_is_refused(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text(own("x"))
    with pytest.raises(InvalidProfileError):
        ProfileShelf(tmp_path)


@pytest.mark.parametrize("content", [b"", b"spec = 1", b"\xff\xfe", b"#" * (PROFILE_BYTES_MAX + 1), own("another").encode()])
def test_a_file_that_holds_something_else_is_refused_when_it_is_asked_for(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "house-shoe.toml").write_bytes(content)
    with pytest.raises(ProfileError):
        ProfileShelf(tmp_path).plain("house-shoe")


def test_a_directory_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidProfileError):
        ProfileShelf(tmp_path / "nothing")

"""Vectors of other families of devices decode and encode through the same profile language."""

from __future__ import annotations

from pathlib import Path

import pytest

from device_profiles.loader import read_tables
from device_profiles.plain.loader import plain_profile
from firmware_bridge.plain.codec import PlainCodec

FILES = sorted((Path(__file__).parent / "sisters").glob("*.toml"))


@pytest.mark.requirement("EQ-49")
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_vector_comes_out_both_ways(path: Path) -> None:
    profile = plain_profile(read_tables(path.read_bytes(), path.name), path.name)
    assert PlainCodec(profile).profile.vectors

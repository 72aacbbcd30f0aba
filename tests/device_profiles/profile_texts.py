"""The texts of profiles, to be changed by tests."""

from __future__ import annotations

from pathlib import Path

PROFILES = Path(__file__).parents[2] / "device_profiles"
SDP1 = (PROFILES / "sdp1.toml").read_text(encoding="utf-8")

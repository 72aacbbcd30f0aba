"""What a plain device can do for the host, and what of it the host may ask for: the profile's word, less what it may not write."""

from __future__ import annotations

from typing import Final

from device_profiles.plain.profile import PlainProfile
from firmware_bridge.reports import Capability

GATE: Final = "gate"
BOTH_WAYS: Final = frozenset({"Lock", "Unlock"})
"""A gate is one only when it can be locked and unlocked from here."""


def commands_of(profile: PlainProfile, *, may_write: bool) -> frozenset[str]:
    """Return the canonical commands that can be carried to the device, by class name."""
    return frozenset(m.carries for m in profile.messages if m.carries is not None) if may_write else frozenset()


def capabilities_of(profile: PlainProfile, *, may_write: bool) -> tuple[Capability, ...]:
    """Return what the device can do; `gate` stands there exactly when it can be moved from here."""
    has_gate = commands_of(profile, may_write=may_write) >= BOTH_WAYS
    functions = [*(name for name in profile.can if name != GATE), *([GATE] if has_gate else [])]
    return tuple(Capability(function, 1, 0) for function in functions)


def may_write(profile: PlainProfile, *, granted: bool) -> bool:
    """Return whether anything may be written to the device: its profile allows it, or the configuration grants it."""
    return granted or not profile.line.read_only


def tells_serial(profile: PlainProfile, *, granted: bool) -> bool:
    """Return whether the device names its own serial number when it is asked, and may be asked."""
    return "serial" in profile.connect.identity and may_write(profile, granted=granted)


def notices_gaps(profile: PlainProfile) -> bool:
    """Return whether events that were lost between two that were heard are noticed, by their numbers."""
    return profile.numbers is not None or any(message.ring is not None for message in profile.messages)


def checks_frames(profile: PlainProfile) -> bool:
    """Return whether every message that becomes an event comes in a frame with a checksum."""
    checked = {grammar.name for grammar in profile.framing.grammars if grammar.integrity is not None}
    return all(m.grammar in checked for m in profile.messages if m.means is not None or m.ring is not None)


def tells_repeats(profile: PlainProfile) -> bool:
    """Return whether a message that comes again is told from a new one: by its number, or because all are repeated by rule."""
    return profile.repeats is not None or notices_gaps(profile)

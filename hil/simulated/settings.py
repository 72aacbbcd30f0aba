"""How a simulated device is set up: kind, name, key, abilities, pace, faults and the cable it hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from device_profiles.values import FieldValue
from firmware_bridge.cards import parse_card
from firmware_bridge.seal import DeviceKey
from hil.faults import FaultOrder, parse_fault
from hil.mechanism.options import Kind, MechanismOptions, Timing

OPERATOR, TECHNICIAN, VENDOR = 1, 2, 3
"""Roles of SDP/1 1.6."""

SHOE_FUNCTIONS = (
    ("read-cards", 1, 0),
    ("face-detection", 1, 0),
    ("double-feed-detection", 1, 0),
    ("gate", 1, 0),
    ("burn", 1, 0),
    ("stub-count", 1, 0),
    ("dispense", 1, 0),
    ("lid", 1, 0),
    ("journal-size", 1, 10),
    ("log-fetch", 1, 0),
    ("battery-clock", 1, 0),
    ("counted-unlock", 1, 0),
)
"""Function, level and count of SDP/1 1.9."""

SHUFFLER_FUNCTIONS = (
    ("read-cards", 1, 0),
    ("shuffle", 1, 0),
    ("sort", 1, 0),
    ("deck-count", 1, 0),
    ("lid", 1, 0),
    ("journal-size", 1, 10),
    ("log-fetch", 1, 0),
    ("battery-clock", 1, 0),
)

_FUNCTION_BITS = (
    "read-cards",
    "face-detection",
    "double-feed-detection",
    "gate",
    "burn",
    "stub-count",
    "dispense",
    "shuffle",
    "sort",
    "deck-count",
    "lid",
    "security-level",
    "journal-size",
    "multi-drop",
    "log-fetch",
    "firmware-update",
    "minimum-card-gap",
    "battery-clock",
    "counted-unlock",
)
"""Functions of SDP/1 1.9 in the order of their bits, from bit 0."""


class SimulatedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a simulated device that stays while it lives."""

    kind: str = "shoe"
    serial: str = "SIM-SHOE-1"
    profile: str = "sdp1"
    profiles: Path | None = None
    """A directory of further profiles."""
    key: bytes | None = None
    """The operator's 16 bytes; with it the device speaks sealed sessions only (level 1)."""
    seed: int = 0
    scripted: bool = False
    faults: tuple[str, ...] = ()
    """As `hil.faults.parse_fault` reads them."""
    timing: Timing = Timing()
    deck_size: int = 52
    without: tuple[str, ...] = ()
    """Functions this device lacks, such as `counted-unlock`."""
    reads_stacks: bool = True
    link_dir: Path | None = None
    """A directory in which a link with the serial as name points at the pseudo-terminal."""
    tcp: tuple[str, int] | None = None
    """Listen there instead of on a pseudo-terminal; port 0 takes a free one."""
    rfc2217: tuple[str, int] | None = None
    """Be reached through a serial device server that listens there and takes settings for its line."""
    address: int = 0
    """On a bus, 1 to 126; 0: it is alone on its line."""
    technician_switch: bool = False
    technician_key: bytes | None = None
    """The technician's 16 bytes, beside the operator's `key`."""
    firmware: str = "1.0.0"
    baud: int | None = None
    """The rate of its pseudo-terminal; a host that set another one hears and sends nothing but rubbish. None: any rate will do."""
    weak: Mapping[str, float] = {}
    """Cards, by name, that its reader makes out badly, and how often it fails."""
    sticky: tuple[int, ...] = ()
    """Motors that move heavily: they draw more current."""
    past: Mapping[str, int] = {}
    """Hard counters that it has from its life before, such as `misreads`; `events` are events that no host has stored."""
    maker: bytes | None = None
    """The maker's public key, 32 bytes: with it the device takes updates that are signed for it."""
    image: bytes | None = None
    """The program that the device attests (level 2); needs a key."""

    def mechanism_options(self) -> MechanismOptions:
        return MechanismOptions(
            kind=Kind(self.kind),
            timing=self.timing,
            deck_size=self.deck_size,
            reads="read-cards" not in self.without,
            reads_stacks=self.reads_stacks,
            sure_of_doubles="double-feed-detection" not in self.without,
            counted_unlock="counted-unlock" not in self.without,
            weak={parse_card(name): rate for name, rate in self.weak.items()},
            scripted=self.scripted,
        )

    def fault_orders(self) -> tuple[FaultOrder, ...]:
        return tuple(parse_fault(text) for text in self.faults)

    def functions(self) -> tuple[tuple[str, int, int], ...]:
        """Return function, level and count of everything this device can do."""
        listed = SHOE_FUNCTIONS if Kind(self.kind) is Kind.SHOE else SHUFFLER_FUNCTIONS
        able = [entry for entry in listed if entry[0] not in self.without]
        able += [("multi-drop", 1, self.address)] if self.address else []
        able += [("firmware-update", 1, 0)] if self.maker is not None else []
        gap = round(self.timing.card_s * 100)
        if gap:
            able.append(("minimum-card-gap", 1, gap))
        level = 0 if self.key is None and self.technician_key is None else 1 if self.image is None else 2
        return (*able, ("security-level", level, 0))

    def capabilities(self) -> tuple[Mapping[str, FieldValue], ...]:
        return tuple({"function": name, "level": level, "count": count} for name, level, count in self.functions())

    def identity(self, serial: str, firmware: str) -> Mapping[str, FieldValue]:
        able = {name for name, level, count in self.functions() if level or count}
        bits = sum(1 << i for i, name in enumerate(_FUNCTION_BITS) if name in able)
        return {
            "vendor": "shoed",
            "model": f"simulated {self.kind}",
            "serial": serial,
            "firmware": firmware,
            "capability_bits": bits,
            "hardware": "pty",
            "build": f"seed-{self.seed}",
        } | ({"image_sha256": sha256(self.image).digest()} if self.image is not None else {})

    def keys(self) -> dict[int, DeviceKey]:
        given = {OPERATOR: self.key, TECHNICIAN: self.technician_key}
        return {role: DeviceKey(key) for role, key in given.items() if key is not None}

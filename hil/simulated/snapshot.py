"""Where a simulated device stands at one moment, in the words of scenario files."""

from __future__ import annotations

import msgspec

from firmware_bridge.session.device import DeviceSession
from hil.mechanism.journal import DeviceJournal
from hil.mechanism.machine import Mechanism


class Snapshot(msgspec.Struct, frozen=True):
    """One moment of one device. Tells no card."""

    powered: bool
    state: str
    gate: str
    gate_cards_left: int | None
    lid_open: bool
    errors: tuple[str, ...]
    act: str | None
    shoe_id: bytes | None
    position: int
    remaining: int | None
    inside: int
    """Cards in the feed, known to the device or not."""
    newest_eseq: int
    acknowledged_eseq: int
    boot_count: int
    host_running: bool
    """A host has asked for the events, and the link has not been lost since."""


def take_snapshot(machine: Mechanism, journal: DeviceJournal, session: DeviceSession | None) -> Snapshot:
    """Return where these three stand now."""
    return Snapshot(
        powered=machine.powered,
        state=machine.state().value,
        gate=machine.gate.state.value,
        gate_cards_left=machine.gate.cards_left,
        lid_open=machine.lid_open,
        errors=tuple(error.value for error in machine.errors),
        act=machine.act.name if machine.act is not None else None,
        shoe_id=machine.shoe.shoe_id if machine.shoe is not None else None,
        position=machine.position(),
        remaining=machine.remaining(),
        inside=len(machine.feed),
        newest_eseq=journal.newest,
        acknowledged_eseq=journal.acknowledged,
        boot_count=machine.boot_count,
        host_running=session is not None and session.is_resumed,
    )

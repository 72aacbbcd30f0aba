"""What the journal keeps of the daemon's own life: starts with what was in force, orderly stops (EQ-94, EQ-95), captures (EQ-84).

These entries are no acts of the table and change no state; recovery passes over them. A start without a stop before it
is a power loss or a kill. From the start's record old acts can be judged again later under the same game, method and
house settings.
"""

from __future__ import annotations

from typing import Final

import msgspec

from controller.journal.entry import EntryDraft
from controller.service.config import Mode, TableConfig
from controller.service.engine import Engine
from controller.table.state import TableState

STARTED: Final = "started"
STOPPED: Final = "stopped"
CAPTURE: Final = "capture"
LIFE_KINDS: Final = (STARTED, STOPPED, CAPTURE)


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a start's entry."""

    act: str = STARTED
    game: str
    method: str
    house: dict[str, object]
    rules_hash: str
    software: str
    program_sha256: str
    mode: str = Mode.ENFORCE.value
    devices: dict[str, str]
    """Serial numbers by name: the binding of units to the table. Empty: none was configured."""


class Stopped(msgspec.Struct, frozen=True, kw_only=True):
    """The body of an orderly stop's entry."""

    act: str = STOPPED


class CaptureSwitched(msgspec.Struct, frozen=True, kw_only=True):
    """The body of an entry about a capture: somebody has a device's line recorded, or ends it."""

    act: str = CAPTURE
    device: str
    on: bool
    by: str
    second: str


def draft_started(engine: Engine, config: TableConfig, state: TableState, software: str, program: str) -> EntryDraft:
    """Return the entry of a start."""
    procedure = engine.procedure
    body = Started(
        game=procedure.game.key,
        method=str(procedure.method),
        house=config.house,
        rules_hash=procedure.rules_hash,
        software=software,
        program_sha256=program,
        mode=config.mode.value,
        devices={device.name: device.serial or "" for device in config.device},
    )
    return _draft(engine, state, STARTED, body)


def draft_stopped(engine: Engine, state: TableState) -> EntryDraft:
    """Return the entry of an orderly stop."""
    return _draft(engine, state, STOPPED, Stopped())


def draft_capture(engine: Engine, state: TableState, device: str, *, on: bool, by: str, second: str) -> EntryDraft:
    """Return the entry of a capture that is switched."""
    return _draft(engine, state, CAPTURE, CaptureSwitched(device=device, on=on, by=by, second=second))


def _draft(engine: Engine, state: TableState, kind: str, body: Started | Stopped | CaptureSwitched) -> EntryDraft:
    return EntryDraft(table=engine.table, shoe=state.shoe, round=state.round_number, kind=kind, body=msgspec.json.encode(body))

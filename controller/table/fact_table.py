"""Facts of a table as a whole: its devices, its people, alarms, suspension, and what one shoe leaves to the next."""

from __future__ import annotations

import msgspec

from controller.table.fact_base import Fact
from firmware_bridge.cards import Sealed


class TableOpened(Fact, frozen=True, kw_only=True, tag=True):
    rules_hash: str
    """Hash of the procedure in force: steps, settings, irregularities, citations."""
    beside: bool = False
    """In shadow mode: another host deals, and nothing is enforced."""


class TableClosed(Fact, frozen=True, kw_only=True, tag=True):
    pass


class DeviceHeard(Fact, frozen=True, kw_only=True, tag=True):
    """The device's event number that this record accounts for."""

    device: str
    eseq: int


class DeviceModeTold(Fact, frozen=True, kw_only=True, tag=True):
    device: str
    mode: str


class CarriedAlarm(msgspec.Struct, frozen=True):
    """An open alarm inside `StateCarried`."""

    code: str
    where: str
    detail: str
    holds: bool
    ways: tuple[str, ...]


class StateCarried(Fact, frozen=True, kw_only=True, tag=True):
    """All that earlier records leave behind when a round begins with a freshly shuffled deck: a fold may begin with this fact."""

    phase: str
    shoe: int
    round_number: int
    rounds_since_count: int
    rules_hash: str
    cards: int
    decks: int
    mode: str
    evidence: str
    back: str | None
    short: tuple[int, ...]
    last_order: tuple[Sealed, ...]
    last_back: str | None
    button: int | None
    shuffler_out: int | None
    dealer: str
    device_seq: dict[str, int]
    device_modes: dict[str, str]
    devices_down: tuple[str, ...]
    alarms: tuple[CarriedAlarm, ...]
    spare: int | None = None
    dealer_is_new: bool = False
    beside: bool = False
    agreed: int = 0
    differed: int = 0


class DealerChanged(Fact, frozen=True, kw_only=True, tag=True):
    person: str
    on: bool


class AlarmRaised(Fact, frozen=True, kw_only=True, tag=True):
    code: str
    where: str = ""
    detail: str = ""
    holds: bool = True
    """True: the table waits until the alarm is settled."""
    ways: tuple[str, ...] = ()
    """The words of `resolve` that settle it."""


class AlarmSettled(Fact, frozen=True, kw_only=True, tag=True):
    """Settles the alarms of this code, at `where` alone when that is named."""

    code: str
    where: str | None = None
    by: str
    choose: str


class Suspended(Fact, frozen=True, kw_only=True, tag=True):
    from_phase: str


class Resumed(Fact, frozen=True, kw_only=True, tag=True):
    to_phase: str

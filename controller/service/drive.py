"""What to ask of a device next so that it comes to be as its table wants it. Pure: no port, no clock, no table.

`DeviceView` is what is known of one device as of the last event that its table has taken. `next_command` compares it
with `Wanted` and names at most one command; when both agree it names none, so a card that leaves within a counted
unlock costs no command. The same comparison brings a device back after every reconnect: nothing is remembered of
what was sent before, except the number of the last stack.

Rules kept here:

* The gate is locked first, before anything else and in any state; unlocking comes last.
* Nothing but a lock is asked for until the events of the time before the connection have been taken.
* A counted unlock is trusted to lock itself; its report is waited for before the gate is opened again, and after
  `SELF_LOCK_WAIT_S` without it the lock is sent.
* A stack is asked for again only when the act that was found under way has ended: it may have been that stack.
* Nothing is asked for that the device's protocol cannot carry: one that opens no shoes deals without, one without a gate is watched only.
* An error is cleared at the device only after a supervisor has settled the table's alarm.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Final

from controller.table.outcome import Wanted
from device_profiles.loader import load_profile
from firmware_bridge.commands import ClearError, CloseShoe, Command, Dispense, Lock, OpenShoe, Unlock
from firmware_bridge.events import (
    CardRead,
    Cause,
    CommandDone,
    DeviceEvent,
    ErrorCleared,
    ErrorRaised,
    GateChanged,
    GateState,
    Lid,
    Started,
    Status,
)
from firmware_bridge.reports import Capability, StatusReport

COUNTED_UNLOCK_MAX: Final = 255
"""One byte on the wire (SDP/1 1.6)."""

SELF_LOCK_WAIT_S: Final = 0.35
"""A gate is mechanically done and reported within 300 ms (SDP/1 1.8)."""

ACT_WAIT_S: Final = 10.0
"""Every act that was accepted ends with COMMAND_DONE (SDP/1 1.6); the longest stack takes a few seconds."""

BACK_COLOURS: Final = {name: entry.number for name, entry in load_profile("sdp1").registries["back"].entries.items()}
"""Back colours as SHOE_OPEN carries them; 0 is any. Other colours are checked by the table alone."""


@dataclasses.dataclass(slots=True)
class DeviceView:
    """What is known of a device. `allowance` counts the cards that may still leave; None: open without a count."""

    caught_up: bool = False
    takes: frozenset[str] | None = None
    """Commands that can be carried to it, by class name; None: all."""
    has_gate: bool = True
    counted_unlock: bool = False
    can_dispense: bool = False
    gate_open: bool = False
    allowance: int | None = 0
    shoe_id: bytes | None = None
    error_code: int = 0
    may_clear: bool = False
    lid_open: bool = False
    dispensed: tuple[int, int] | None = None
    """(shoe, running number) of the last stack that the device accepted."""
    dispense_tid: int = 0
    act_over_by: float | None = None
    """Until when the end of an act is waited for that was under way when a stack was asked for."""
    self_lock_by: float | None = None
    """Until when the report of a counted unlock's own lock is waited for."""

    def may(self, command: type[Command]) -> bool:
        """Return whether this command can be carried to it."""
        return self.takes is None or command.__name__ in self.takes

    def connected(self, status: StatusReport, capabilities: tuple[Capability, ...], takes: frozenset[str] | None = None) -> None:
        """A connection is complete: take the device's own word for where it stands now."""
        functions = {capability.function for capability in capabilities if capability.level > 0}
        self.takes = takes
        self.has_gate = "gate" in functions
        self.counted_unlock = "counted-unlock" in functions
        self.can_dispense = "dispense" in functions
        self.caught_up = False
        self.gate_open = status.gate is not GateState.LOCKED
        self.allowance = None if self.gate_open else 0
        self.shoe_id = status.shoe_id
        self.error_code = status.error_code
        self.lid_open = status.lid_open
        self.dispensed = None
        self.dispense_tid = 0
        self.act_over_by = None
        self.self_lock_by = None

    def corrected(self, status: StatusReport) -> None:
        """A command was refused: take the device's word again, without forgetting the stack under way."""
        self.shoe_id = status.shoe_id
        self.error_code = status.error_code
        self.lid_open = status.lid_open
        if status.gate is GateState.LOCKED:
            self._locked()
        elif not self.gate_open:
            self.gate_open, self.allowance = True, None

    def heard(self, event: DeviceEvent, now_s: float) -> None:
        """The table has taken an event of the device."""
        match event:
            case CardRead():
                self._card_left(now_s)
            case ErrorRaised():
                self.error_code, self.may_clear = event.code, False
                self._locked()
            case ErrorCleared():
                self.error_code, self.may_clear = 0, False
            case Lid():
                self.lid_open = event.is_open
            case Started():
                self.act_over_by = None
                self._locked()
            case CommandDone():
                self.act_over_by = None
                if event.tid == self.dispense_tid and event.status is not Status.OK:
                    self.dispensed = None
            case GateChanged() if self.caught_up and event.state is GateState.LOCKED:
                if event.cause is not Cause.COMMAND:  # our own lock was noted when it was answered
                    self._locked()
            case GateChanged() if self.caught_up and event.state is GateState.FORCED:
                self.gate_open, self.allowance = True, None
            case _:
                pass

    def accepted(self, command: Command, wanted: Wanted, tid: int) -> None:
        """The device has answered a command with OK."""
        match command:
            case Lock():
                self._locked()
            case Unlock():
                self.gate_open, self.allowance, self.self_lock_by = True, command.cards, None
            case OpenShoe():
                self.shoe_id = command.shoe_id
                self._locked()
            case CloseShoe():
                self.shoe_id, self.dispensed = None, None
                self._locked()
            case Dispense() if wanted.dispense is not None and wanted.shoe is not None:
                self.dispensed = (wanted.shoe, wanted.dispense[2])
                self.dispense_tid = tid
            case ClearError():
                self.may_clear = False
            case _:
                pass

    def found_busy(self, now_s: float) -> None:
        """A stack was asked for while an act was under way: it may be this very stack, asked for before a restart."""
        self.act_over_by = now_s + ACT_WAIT_S

    def _card_left(self, now_s: float) -> None:
        if self.allowance:
            self.allowance -= 1
            if self.allowance == 0:
                self.self_lock_by = now_s + SELF_LOCK_WAIT_S

    def _locked(self) -> None:
        self.gate_open, self.allowance, self.self_lock_by = False, 0, None


def shoe_id_of(table: str, shoe: int) -> bytes:
    """Return the 16 bytes by which a device knows a table's shoe: the same after every restart, never all zero."""
    return hashlib.sha256(f"shoed shoe {table}".encode()).digest()[:12] + (shoe + 1).to_bytes(4, "big")


def next_command(view: DeviceView, wanted: Wanted, table: str, now_s: float) -> Command | None:
    """Return the one command that brings the device nearer to what its table wants, None when nothing is to be done."""
    if _must_lock(view, wanted, now_s):
        return Lock()
    if not view.caught_up:
        return None
    shoe_id = None if wanted.shoe is None else shoe_id_of(table, wanted.shoe)
    if view.shoe_id is not None and view.shoe_id != shoe_id:
        if view.gate_open:
            return Lock() if view.self_lock_by is None else None
        return CloseShoe()
    if view.error_code and view.may(ClearError):
        return next_clear(view)
    if shoe_id is None:
        return None
    if view.shoe_id is None and view.may(OpenShoe):
        return OpenShoe(shoe_id, wanted.decks, BACK_COLOURS.get(wanted.back or "", 0))
    if view.lid_open:
        return None
    if wanted.dispense is not None and view.can_dispense:
        return _dispense(view, wanted, wanted.dispense, now_s)
    return _unlock(view, wanted)


def next_clear(view: DeviceView) -> Command | None:
    """Return the clearing of an error that a supervisor has settled: all that a device which deals no cards is asked."""
    asks = view.error_code and view.may_clear and view.caught_up and view.may(ClearError)
    return ClearError(view.error_code) if asks else None


def next_look(view: DeviceView, now_s: float) -> float | None:
    """Return the next moment at which to compare again although nothing has happened."""
    return min((due for due in (view.self_lock_by, view.act_over_by) if due is not None and due > now_s), default=None)


def _must_lock(view: DeviceView, wanted: Wanted, now_s: float) -> bool:
    if not (view.has_gate and view.gate_open):
        return False
    if view.self_lock_by is not None:
        return now_s >= view.self_lock_by
    if wanted.unlock == 0 or wanted.shoe is None or not view.caught_up:
        return True
    if not view.counted_unlock:
        return False
    return view.allowance is None or view.allowance > wanted.unlock


def _dispense(view: DeviceView, wanted: Wanted, stack: tuple[int, int, int], now_s: float) -> Command | None:
    count, destination, number = stack
    if view.dispensed == (wanted.shoe, number) or (view.act_over_by is not None and now_s < view.act_over_by):
        return None
    return Dispense(count, destination)


def _unlock(view: DeviceView, wanted: Wanted) -> Command | None:
    if wanted.unlock == 0 or not view.has_gate or view.self_lock_by is not None:
        return None
    if not view.counted_unlock:
        return None if view.gate_open else Unlock()
    if view.allowance == wanted.unlock or (view.allowance and wanted.unlock > COUNTED_UNLOCK_MAX):
        return None
    return Unlock(min(wanted.unlock, COUNTED_UNLOCK_MAX))

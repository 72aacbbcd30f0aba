"""What the host can order: every condition of SDP/1 1.6 is checked here, then the mechanism moves.

Each order returns the status of its response at once; what it led to is told by events. Unlock, dispense and burn need
an open shoe, no error and a shut lid; locking is never refused; one act runs at a time.
"""

from __future__ import annotations

from firmware_bridge.events import Cause, DeviceError, ShuffleMode, Status
from hil.mechanism.act import Act
from hil.mechanism.acts import BurnAct, DispenseAct, EjectAct, ShuffleAct, StubAct
from hil.mechanism.cards import BACKS
from hil.mechanism.machine import Mechanism
from hil.mechanism.options import Kind
from hil.mechanism.reader import Shoe

MOST_DECKS = 12
"""The largest shoe of the rules has eight decks; batches are counted in up to twelve."""

MOST_ACT_CARDS = 255
"""Counts of cards travel in one byte."""


class Orders:
    """The host's side of one mechanism."""

    def __init__(self, machine: Mechanism) -> None:
        self._machine = machine

    def open_shoe(self, shoe_id: bytes, decks: int, back: int) -> Status:
        machine = self._machine
        if machine.shoe is not None or machine.act is not None or machine.in_diagnosis:
            return Status.WRONG_STATE
        if not any(shoe_id) or not 1 <= decks <= MOST_DECKS or not 0 <= back < len(BACKS):
            return Status.OUT_OF_RANGE
        machine.shoe = Shoe(shoe_id, decks, back, len(machine.feed))
        return Status.OK

    def close_shoe(self, now_s: float) -> Status:
        machine = self._machine
        if machine.shoe is None:
            return Status.WRONG_STATE
        if machine.is_moving():
            return Status.BUSY
        machine.gate.lock_now(Cause.COMMAND, now_s)
        machine.shoe = None
        return Status.OK

    def unlock(self, cards: int | None, act_id: int, now_s: float) -> Status:
        """Open the gate, with `cards` for that many; told by `gate_changed`, then `command_done`."""
        machine = self._machine
        if machine.act is not None:
            return Status.BUSY
        if not machine.can_deal():
            return Status.WRONG_STATE
        if cards is not None and not machine.options.counted_unlock:
            return Status.NOT_SUPPORTED
        if cards is not None and not 1 <= cards <= MOST_ACT_CARDS:
            return Status.OUT_OF_RANGE
        machine.gate.unlock(cards, act_id, now_s)
        machine.advance(now_s)
        return Status.OK

    def lock(self, act_id: int, now_s: float) -> Status:
        """Lock the gate after the card in motion."""
        self._machine.lock_gate(act_id, Cause.COMMAND, now_s)
        return Status.OK

    def dispense(self, count: int, destination: int, act_id: int, now_s: float) -> Status:
        machine = self._machine
        if (refusal := self._why_not_deal()) is not None:
            return refusal
        if not 1 <= count <= MOST_ACT_CARDS:
            return Status.OUT_OF_RANGE
        if not machine.options.scripted and not len(machine.feed):
            return Status.EMPTY
        struck = machine.faults.struck("short-stack", "long-stack")
        fed = count - ("short-stack" in struck) + ("long-stack" in struck)
        return machine.begin_act(DispenseAct(act_id, self._first_due_s(now_s), count, destination, fed), now_s)

    def burn(self, count: int, act_id: int, now_s: float, *, by_value: bool) -> Status:
        machine = self._machine
        if (refusal := self._why_not_deal()) is not None:
            return refusal
        if not by_value and not 1 <= count < MOST_ACT_CARDS:
            return Status.OUT_OF_RANGE
        if not machine.options.scripted and not len(machine.feed):
            return Status.EMPTY
        return machine.begin_act(BurnAct(act_id, self._first_due_s(now_s), 1 if by_value else count, by_value), now_s)

    def eject_all(self, act_id: int, now_s: float) -> Status:
        return self._begin_inner(EjectAct(act_id, now_s), now_s)

    def count_stub(self, act_id: int, now_s: float) -> Status:
        machine = self._machine
        takes_s = machine.options.timing.stub_card_s * len(machine.feed)
        return self._begin_inner(StubAct(act_id, None if machine.options.scripted else now_s + takes_s), now_s)

    def start_shuffle(self, decks: int, mode: ShuffleMode, act_id: int | None, now_s: float) -> Status:
        machine = self._machine
        if machine.shoe is not None:
            return Status.WRONG_STATE
        if not 1 <= decks <= MOST_DECKS:
            return Status.OUT_OF_RANGE
        if not machine.options.scripted and not len(machine.feed):
            return Status.EMPTY
        due_s = None if machine.options.scripted else now_s + machine.options.timing.shuffle_s
        return self._begin_inner(ShuffleAct(act_id, due_s, decks, mode), now_s)

    def abort_shuffle(self, now_s: float) -> Status:
        act = self._machine.act
        if not isinstance(act, ShuffleAct):
            return Status.WRONG_STATE
        act.abort(self._machine, now_s)
        return Status.OK

    def clear_error(self, error: DeviceError, now_s: float) -> Status:
        """Clear an error; refused while its cause lasts, out of range when it is not there."""
        return self._machine.clear_error(error, now_s)

    def enter_diagnosis(self) -> Status:
        machine = self._machine
        if machine.shoe is not None or machine.is_moving():
            return Status.NOT_IDLE
        if machine.in_diagnosis:
            return Status.WRONG_STATE
        machine.in_diagnosis = True
        return Status.OK

    def leave_diagnosis(self) -> Status:
        if not self._machine.in_diagnosis:
            return Status.WRONG_STATE
        self._machine.in_diagnosis = False
        return Status.OK

    def _why_not_deal(self) -> Status | None:
        if self._machine.is_moving():
            return Status.BUSY
        return None if self._machine.can_deal() else Status.WRONG_STATE

    def _first_due_s(self, now_s: float) -> float | None:
        return None if self._machine.options.scripted else now_s

    def _begin_inner(self, act: Act[Mechanism], now_s: float) -> Status:
        """Acts that need no open shoe, but no error and a shut lid all the same."""
        machine = self._machine
        if machine.is_moving():
            return Status.BUSY
        if machine.errors or machine.lid_open or machine.in_diagnosis:
            return Status.WRONG_STATE
        if machine.options.kind is Kind.SHUFFLER and isinstance(act, EjectAct) and not len(machine.feed):
            return Status.EMPTY
        return machine.begin_act(act, now_s)

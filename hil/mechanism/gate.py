"""The gate: locked or open, open for a number of cards, moved by command, by count, by fault or by loss of the link.

Locking is never refused and waits only for a card in motion. A movement that was asked for by command ends with one
`command_done`, also when another movement replaces it. The device's own reasons (fault, count) lock without delay and
are told only when something changed; a command is answered by `gate_changed` even if nothing moved (SDP/1 1.6).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from device_profiles.values import FieldValue
from firmware_bridge.events import Cause, GateState, Status

Emit = Callable[[str, Mapping[str, FieldValue], float], None]
"""Called with an event's name, its fields without number and time, and the moment."""


@dataclasses.dataclass(slots=True)
class _Move:
    due_s: float
    opens: bool
    cards: int | None
    cause: Cause
    act_id: int | None


class Gate:
    """One gate; starts locked, as after every power-on."""

    def __init__(self, emit: Emit, move_s: float) -> None:
        self._emit = emit
        self._move_s = move_s
        self._move: _Move | None = None
        self.state = GateState.LOCKED
        self.cards_left: int | None = None
        """How many cards a counted unlock still lets through; None without a count."""

    @property
    def next_due_s(self) -> float | None:
        return self._move.due_s if self._move is not None else None

    def lets_through(self, in_motion: int) -> bool:
        """Say whether one more card may be pulled while `in_motion` are on their way."""
        if self.state is not GateState.OPEN or (self._move is not None and not self._move.opens):
            return False
        return self.cards_left is None or in_motion < self.cards_left

    def is_open_or_opening(self) -> bool:
        return self.state is GateState.OPEN or (self._move is not None and self._move.opens)

    def unlock(self, cards: int | None, act_id: int, now_s: float) -> None:
        self._replace(_Move(now_s + self._move_s, opens=True, cards=cards, cause=Cause.COMMAND, act_id=act_id), now_s)

    def lock(self, act_id: int | None, cause: Cause, now_s: float, not_before_s: float) -> None:
        """Lock after the usual time, or later when a card is in motion until `not_before_s`."""
        due_s = max(now_s + self._move_s, not_before_s)
        self._replace(_Move(due_s, opens=False, cards=None, cause=cause, act_id=act_id), now_s)

    def finish_move(self, now_s: float) -> None:
        """The movement under way has reached its end."""
        move, self._move = self._move, None
        if move is None:
            return
        self.state = GateState.OPEN if move.opens else GateState.LOCKED
        self.cards_left = move.cards if move.opens else None
        self._tell(move.cause, now_s)
        self._done(move, Status.OK, now_s)

    def lock_now(self, cause: Cause, now_s: float) -> None:
        """Lock for a reason of the device's own."""
        move, self._move = self._move, None
        if self.state is GateState.OPEN:
            self.state, self.cards_left = GateState.LOCKED, None
            self._tell(cause, now_s)
        elif move is not None and not move.opens:
            self._tell(move.cause, now_s)
        if move is not None:
            self._done(move, Status.WRONG_STATE if move.opens else Status.OK, now_s)

    def count(self, moved: int, now_s: float) -> None:
        """A card has gone through; a double feed that is sure counts two."""
        if self.cards_left is None:
            return
        self.cards_left -= max(moved, 1)
        if self.cards_left <= 0:
            self.lock_now(Cause.COUNT_REACHED, now_s)

    def power_off(self) -> None:
        """A spring locks it; nobody is left to tell."""
        self._move, self.state, self.cards_left = None, GateState.LOCKED, None

    def _replace(self, move: _Move, now_s: float) -> None:
        pending, self._move = self._move, move
        if pending is not None:
            self._done(pending, Status.WRONG_STATE, now_s)

    def _tell(self, cause: Cause, now_s: float) -> None:
        self._emit("gate_changed", {"state": self.state, "cause": cause}, now_s)

    def _done(self, move: _Move, status: Status, now_s: float) -> None:
        if move.act_id is not None:
            fields = {"tid": move.act_id, "command": "gate", "status": status, "count": 0}
            self._emit("command_done", fields, now_s)

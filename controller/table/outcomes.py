"""The closed table: what every kind of act leads to in every kind of state.

For each pair there is a `Handler` (the act is looked at, and may still be refused for its content), a refusal code, or a reason why it is
ignored. Nothing falls through: `OUTCOMES` is complete for all state kinds and all acts, and a test walks the whole product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from controller.dealing.steps import StateKind
from controller.table import acts as a
from controller.table import (
    beside_acts,
    betting_acts,
    card_acts,
    dealer_acts,
    deck_acts,
    device_acts,
    player_acts,
    repair_acts,
    report_acts,
    supervisor_acts,
    turn_acts,
)
from controller.table.desk import Desk


@dataclass(frozen=True, slots=True)
class Handler:
    """The act is judged by this function."""

    run: Callable[[Desk, a.AnyAct], None]


@dataclass(frozen=True, slots=True)
class Refused:
    """The act is refused with this code whatever it says."""

    code: str

    def run(self, desk: Desk, _act: a.AnyAct) -> None:
        """Refuse it."""
        desk.refuse(self.code)


@dataclass(frozen=True, slots=True)
class Ignored:
    """The act is recorded and changes nothing, for this reason."""

    reason: str

    def run(self, desk: Desk, _act: a.AnyAct) -> None:
        """Say why."""
        desk.notes.message = self.reason


Entry: TypeAlias = "Handler | Refused | Ignored"

K = StateKind
_ALL = tuple(StateKind)
_ROUND = (K.WAGERING, K.STARTING, K.DEALING, K.DECIDING, K.DRAWING, K.SETTING, K.SETTLING, K.COLLECTING)
_BETWEEN = (K.UNVERIFIED, K.READY, K.COMPLETE)

_NOT_NOW = Refused("not-expected-now")
_CLOSED = Refused("table-closed")
_WAITS = Refused("alarm-open")

# act: (handler, state kinds in which it is judged); elsewhere a person's act is refused
_JUDGED: dict[type, tuple[Callable[..., None], tuple[StateKind, ...]]] = {
    a.Load: (deck_acts.load, (K.CLOSED, *_BETWEEN, K.VOID, K.QUARANTINED, K.DEALING, K.DRAWING, K.DECIDING)),
    a.Shuffle: (deck_acts.shuffle, tuple(kind for kind in _ALL if kind is not K.SUSPENDED)),
    a.ShuffleAborted: (deck_acts.shuffle_aborted, tuple(kind for kind in _ALL if kind is not K.SUSPENDED)),
    a.CardOut: (card_acts.card_out, _ALL),
    a.StackOut: (card_acts.stack_out, _ALL),
    a.CutCardOut: (card_acts.cut_card_out, _ALL),
    a.ResultTold: (beside_acts.result_told, _ALL),
    a.DeviceNotice: (device_acts.device_notice, _ALL),
    a.DeviceRoutine: (device_acts.routine, _ALL),
    a.Wager: (betting_acts.wager, (K.READY, K.WAGERING, K.COMPLETE)),
    a.CloseBets: (betting_acts.close_bets, (K.WAGERING, K.DECIDING)),
    a.Start: (betting_acts.start, (K.READY, K.WAGERING, K.STARTING, K.DEALING, K.COMPLETE)),
    a.Decide: (player_acts.decide, (K.DECIDING, K.DRAWING, K.SETTING, K.SETTLING)),
    a.SetHand: (player_acts.set_hand, (K.SETTING, K.SETTLING)),
    a.Expose: (dealer_acts.expose, (K.SETTLING, K.SETTING, K.DECIDING, K.DRAWING, K.COLLECTING)),
    a.Report: (report_acts.report, (*_ROUND, K.VOID, K.SUSPENDED)),
    a.Declare: (dealer_acts.declare, (K.DECIDING, K.DRAWING, K.SETTING, K.SETTLING, K.COLLECTING)),
    a.Rescan: (repair_acts.rescan, (*_ROUND, K.SUSPENDED)),
    a.HoleCheck: (turn_acts.hole_check, (K.DECIDING, K.DRAWING, K.SETTLING)),
    a.SignOn: (deck_acts.sign_on, _ALL),
    a.SignOff: (deck_acts.sign_off, _ALL),
    a.StubCount: (dealer_acts.stub_count, (K.DECIDING, K.SETTING, K.SETTLING, K.COLLECTING)),
    a.RemoveCard: (deck_acts.remove_card, (*_BETWEEN, K.VOID, K.WAGERING)),
    a.ReplaceCard: (deck_acts.replace_card, (*_BETWEEN, K.VOID, K.WAGERING, K.SUSPENDED)),
    a.Resolve: (supervisor_acts.resolve, tuple(kind for kind in _ALL if kind is not K.CLOSED)),
    a.Collect: (dealer_acts.collect, (K.SETTING, K.SETTLING, K.COLLECTING, K.VOID)),
    a.Open: (deck_acts.open_table, (K.CLOSED,)),
    a.Close: (deck_acts.close_table, (*_BETWEEN, K.QUARANTINED)),
    a.Join: (beside_acts.join, tuple(kind for kind in _ALL if kind is not K.CLOSED)),
}

ACTS: tuple[type, ...] = tuple(_JUDGED)
DEVICE_ACTS = frozenset(
    {a.Load, a.Shuffle, a.ShuffleAborted, a.CardOut, a.StackOut, a.CutCardOut, a.ResultTold, a.DeviceNotice, a.DeviceRoutine}
)

_IGNORED: dict[tuple[StateKind, type], str] = {
    (
        K.SUSPENDED,
        a.Shuffle,
    ): "a shuffle that ends while the table is held concerns another deck; the deck in use is on the table",
    (K.SUSPENDED, a.ShuffleAborted): "a cycle that breaks off while the table is held concerns another deck",
}


def _entry(kind: StateKind, act: type) -> Entry:
    run, judged_in = _JUDGED[act]
    if kind in judged_in:
        return Handler(run)
    if (kind, act) in _IGNORED:
        return Ignored(_IGNORED[kind, act])
    if kind is K.CLOSED:
        return _CLOSED
    if act in (a.Expose, a.Collect) and kind in (K.STARTING, K.DEALING, K.DRAWING, K.COLLECTING, K.DECIDING):
        return Refused("not-your-turn")
    if kind is K.SUSPENDED and act not in DEVICE_ACTS and act is not a.Open:
        return _WAITS
    return _NOT_NOW


OUTCOMES: dict[tuple[StateKind, type], Entry] = {(kind, act): _entry(kind, act) for kind in StateKind for act in ACTS}
JUDGES: dict[StateKind, dict[type, Callable[[Desk, a.AnyAct], None]]] = {
    kind: {act: OUTCOMES[kind, act].run for act in ACTS} for kind in StateKind
}
"""What is run for them, by kind of state: two small tables are looked into faster than one large one with pairs."""

"""One table: `decide` says what an act leads to. Pure: no I/O, no clock, nothing is changed.

The shell appends the verdict's facts durably, then takes the verdict's state, then acknowledges the device, moves the gate and tells
the outcome. The state of a verdict is nothing but the fold of its facts over the state before (`controller.table.apply`), which is how a
table is rebuilt after a stop; tests check this for every decision.
"""

from __future__ import annotations

from typing import Final

import msgspec

from controller.dealing.procedure import DECIDING, Procedure
from controller.table import facts as f
from controller.table import view
from controller.table.acts import AnyAct, name_of
from controller.table.apply import copy_round, copy_state, fold
from controller.table.arriving import arrive
from controller.table.desk import Course, Desk, Notes, Refusal
from controller.table.outcome import Outcome, Wanted
from controller.table.outcomes import JUDGES
from controller.table.remedies import apply_remedy
from controller.table.state import TableState
from controller.table.state import new_state as state_of_deck

COURSE: Final = Course(arrive, apply_remedy)
"""How every round goes on by itself."""


class Verdict(msgspec.Struct, eq=False, gc=False):
    """What an act leads to. No facts: nothing happened, the state is the old one. `boundary`: a fold may begin with this record.

    The outcome is put into words when it is asked for, since a table needs its verdict before anybody reads it.
    """

    facts: tuple[f.AnyFact, ...]
    state: TableState
    refusal: Refusal | None
    _desk: Desk
    _outcome: Outcome | None = None

    @property
    def outcome(self) -> Outcome:
        """The answer to the act's sender, public."""
        if self._outcome is None:
            desk = self._desk
            self._outcome = view.outcome(desk.procedure, self.state, name_of(desk.act), desk.notes, self.refusal)
        return self._outcome

    @property
    def accepted(self) -> bool:
        """False when the act was refused."""
        return self.refusal is None

    @property
    def boundary(self) -> bool:
        """True when a fold may begin with this record (see `facts_from_boundary`)."""
        return any(isinstance(fact, f.StateCarried) for fact in self.facts)


def new_state(procedure: Procedure, table: str) -> TableState:
    """A table before its first record."""
    return state_of_deck(procedure.deck, table)


def decide(procedure: Procedure, state: TableState, act: AnyAct, now_ms: int) -> Verdict:
    """Judge one act. `now_ms` is wall time for display only; no rule of this table depends on it."""
    draft, round_ = copy_state(state), state.round
    if round_ is not None:
        draft.round = copy_round(round_)  # `draft_of` written out: this happens for every act
    desk, origin = Desk(COURSE, procedure, draft, act), act.origin
    if origin is not None and origin.eseq:
        desk.emit(f.DeviceHeard(device=origin.device, eseq=origin.eseq))
    kind, refusal = procedure.kinds[state.phase], None
    if kind is DECIDING and round_ is not None and round_.plan:  # it may wait for cards
        kind = procedure.kind_at(state.phase, round_)
    try:
        JUDGES[kind][type(act)](desk, act)
    except Refusal as refused:
        refusal = refused.with_traceback(None)  # its frames would hold the verdict that holds it: what `gc=False` hides is never freed
        desk = _only_heard(state, desk)
    facts = tuple(desk.facts)
    return Verdict(facts, desk.draft if facts else state, refusal, desk)


def _only_heard(state: TableState, desk: Desk) -> Desk:
    """A refused act leaves nothing behind but the device's event number."""
    facts: list[f.AnyFact] = [fact for fact in desk.facts if isinstance(fact, f.DeviceHeard)]
    return Desk(COURSE, desk.procedure, fold(state, facts), desk.act, facts)


def facts_from_boundary(facts: tuple[f.AnyFact, ...]) -> tuple[f.AnyFact, ...]:
    """The facts of a boundary record that a fold over a new state begins with; all facts of any other record."""
    for index, fact in enumerate(facts):
        if isinstance(fact, f.StateCarried):
            return facts[index:]
    return facts


def outcome_of(procedure: Procedure, state: TableState) -> Outcome:
    """The present state in the words of an outcome, without an act."""
    return view.outcome(procedure, state, "", Notes())


def wanted(procedure: Procedure, state: TableState) -> Wanted:
    """What the table wants of its devices now."""
    return view.wanted(procedure, state)

"""One table: `decide` says what an act leads to, `fold` rebuilds a state from facts. Pure: no I/O, no clock, nothing is changed.

The shell appends the verdict's facts durably, then takes the verdict's state, then acknowledges the device, moves the gate and tells
the outcome. The state of a verdict is nothing but the fold of its facts over the state before; tests check this for every decision.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.dealing.procedure import Procedure
from controller.table import facts as f
from controller.table import view
from controller.table.acts import AnyAct, name_of
from controller.table.apply import draft_of
from controller.table.apply import fold as fold_facts
from controller.table.desk import Desk, Notes, Refusal
from controller.table.outcome import Outcome, Wanted
from controller.table.outcomes import OUTCOMES, Handler, Ignored
from controller.table.state import TableState
from controller.table.state import new_state as state_of_deck


class Verdict:
    """What an act leads to. No facts: nothing happened, the state is the old one. `boundary`: a fold may begin with this record.

    The outcome is put into words when it is asked for, since a table needs its verdict before anybody reads it.
    """

    __slots__ = ("_act", "_notes", "_outcome", "_procedure", "facts", "refusal", "state")

    def __init__(
        self, procedure: Procedure, act: AnyAct, facts: tuple[f.AnyFact, ...], state: TableState, notes: Notes, refusal: Refusal | None
    ) -> None:
        self._procedure, self._act, self._notes = procedure, act, notes
        self._outcome: Outcome | None = None
        self.facts, self.state, self.refusal = facts, state, refusal

    @property
    def outcome(self) -> Outcome:
        """The answer to the act's sender, public."""
        if self._outcome is None:
            self._outcome = view.outcome(self._procedure, self.state, name_of(self._act), self._notes, self.refusal)
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
    kind = procedure.kind_at(state.phase, state.round)
    desk = Desk(procedure, draft_of(state), act.by, now_ms)
    origin = act.origin
    if origin is not None and origin.eseq:
        desk.emit(f.DeviceHeard(device=origin.device, eseq=origin.eseq))
    entry = OUTCOMES[kind, type(act)]
    heard = len(desk.facts)
    refusal = None
    try:
        if isinstance(entry, Handler):
            entry.run(desk, act)
        elif isinstance(entry, Ignored):
            desk.notes.message = entry.reason
        else:
            desk.refuse(entry.code)
    except Refusal as refused:
        refusal = refused
        desk = _only_heard(procedure, state, desk, heard)
    return Verdict(procedure, act, tuple(desk.facts), desk.draft if desk.facts else state, desk.notes, refusal)


def _only_heard(procedure: Procedure, state: TableState, desk: Desk, heard: int) -> Desk:
    """A refused act leaves nothing behind but the device's event number."""
    clean = Desk(procedure, draft_of(state), desk.who, desk.now_ms)
    for fact in desk.facts[:heard]:
        clean.emit(fact)
    return clean


def fold(procedure: Procedure, state: TableState, facts: Iterable[f.AnyFact]) -> TableState:
    """The state after recorded facts: how a table is rebuilt after a stop."""
    return fold_facts(procedure.deck, state, facts)


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

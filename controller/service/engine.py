"""The table's rules as the service sees them: decide, fold, encode, and nothing that looks inside a state.

One `Engine` per table binds the procedure, so that the task that owns the table, recovery and the re-judging of old
records use the very same calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.dealing.procedure import Procedure
from controller.dealing.steps import StateKind
from controller.table import table as rules
from controller.table.acts import AnyAct, name_of
from controller.table.apply import fold
from controller.table.facts import AnyFact
from controller.table.outcome import Outcome, Wanted
from controller.table.record import decode_entry, encode_entry
from controller.table.state import TableState
from controller.table.table import Verdict

BETWEEN_ROUNDS = frozenset({StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.READY, StateKind.COMPLETE, StateKind.QUARANTINED})


class Engine:
    """Decides for one table; holds the procedure and no state."""

    __slots__ = ("procedure", "table")

    def __init__(self, table: str, procedure: Procedure) -> None:
        self.table = table
        self.procedure = procedure

    def new_state(self) -> TableState:
        """Return the table before its first fact."""
        return rules.new_state(self.procedure, self.table)

    def decide(self, state: TableState, act: AnyAct, now_ms: int) -> Verdict:
        """Return what an act comes to; nothing is changed."""
        return rules.decide(self.procedure, state, act, now_ms)

    def fold(self, state: TableState, facts: Sequence[AnyFact]) -> TableState:
        """Return the state after recorded facts."""
        return fold(state, facts)

    def fold_boundary(self, facts: Sequence[AnyFact]) -> TableState:
        """Return the state after a boundary's facts, which carry what earlier ones told."""
        return self.fold(self.new_state(), rules.facts_from_boundary(tuple(facts)))

    def view(self, state: TableState) -> Outcome:
        """Return how the table stands."""
        return rules.outcome_of(self.procedure, state)

    def round_under_way(self, state: TableState) -> bool:
        """Return whether cards of a round lie on the table, a void one's until they are picked up."""
        return state.round is not None and self.procedure.kinds[state.phase] not in BETWEEN_ROUNDS

    def wanted(self, state: TableState) -> Wanted:
        """Return what the table wants of its devices."""
        return rules.wanted(self.procedure, state)

    def encode(self, act: AnyAct, facts: Sequence[AnyFact]) -> tuple[bytes, bytes]:
        """Return an entry's body and its hidden cards."""
        return encode_entry(act, tuple(facts))

    def decode(self, body: bytes, cards: bytes) -> tuple[AnyAct, tuple[AnyFact, ...]]:
        """Return what was recorded."""
        act, facts = decode_entry(body, cards)
        return act, tuple(facts)

    def name(self, act: AnyAct) -> str:
        """Return an act's key."""
        return name_of(act)

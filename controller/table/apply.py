"""Folds facts into a table's state.

A function of `APPLY` changes the state that it is given, always a private copy: `draft_of` makes one. Members that the copy shares with
its original are replaced, never changed. Every fact can be applied to the state that follows the facts before it, whatever today's
rules say; a fact that breaks the card ledger is a broken record and raises `FoldError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from controller.dealing.round import Round
from controller.table import apply_beside, apply_deck, apply_people, apply_rest, apply_round, apply_turn
from controller.table import facts as f
from controller.table.folding import Appliers
from controller.table.state import TableState

copy_state: Callable[[TableState], TableState] = TableState.__copy__  # type: ignore[attr-defined]  # straight to the method: this happens for every act
copy_round: Callable[[Round], Round] = Round.__copy__  # type: ignore[attr-defined]


def draft_of(state: TableState) -> TableState:
    """A copy that facts may be applied to; it shares no changeable member with the original."""
    draft = copy_state(state)
    if state.round is not None:
        draft.round = copy_round(state.round)
    return draft


def fold(state: TableState, facts: Iterable[f.AnyFact]) -> TableState:
    """The state after all facts; the given state stays as it is."""
    draft = draft_of(state)
    for fact in facts:
        APPLY[type(fact)](draft, fact)
    return draft


APPLY: Appliers = {
    **apply_deck.APPLY,
    **apply_round.APPLY,
    **apply_people.APPLY,
    **apply_turn.APPLY,
    **apply_rest.APPLY,
    **apply_beside.APPLY,
}

"""Folds facts into a table's state.

`apply` changes the state that it is given, which is always a private copy: `draft_of` makes one. Members that the copy shares with
its original are replaced, never changed. Every fact can be applied to the state that follows the facts before it, whatever today's
rules say; a fact that breaks the card ledger is a broken record and raises `FoldError`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

from controller.decks import DeckSpec
from controller.table import apply_deck, apply_people, apply_round
from controller.table import facts as f
from controller.table.folding import Appliers
from controller.table.state import TableState


def draft_of(state: TableState) -> TableState:
    """A copy that facts may be applied to; it shares no changeable member with the original."""
    draft = copy.copy(state)
    draft.deck = copy.copy(state.deck)
    if state.round is not None:
        draft.round = copy.copy(state.round)
    return draft


def apply(spec: DeckSpec, state: TableState, fact: f.AnyFact) -> None:
    """Apply one fact to a draft."""
    _APPLY[type(fact)](spec, state, fact)


def fold(spec: DeckSpec, state: TableState, facts: Iterable[f.AnyFact]) -> TableState:
    """The state after all facts; the given state stays as it is."""
    draft = draft_of(state)
    for fact in facts:
        _APPLY[type(fact)](spec, draft, fact)
    return draft


_APPLY: Appliers = {**apply_deck.APPLY, **apply_round.APPLY, **apply_people.APPLY}

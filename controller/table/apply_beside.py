"""Folds facts of a table beside another host."""

from __future__ import annotations

from msgspec.structs import replace

from controller.table import facts as f
from controller.table.folding import Appliers, round_of
from controller.table.state import TableState, new_deck


def _shoe_joined(state: TableState, fact: f.ShoeJoined) -> None:
    """The census of a whole set is an upper bound of what may still come, so that what it calls impossible is."""
    if not fact.keeps:
        before, spec = state.deck, state.deck.spec
        deck = new_deck(spec, before.watch.read or before.watch.reference.last)
        state.deck = replace(deck, ledger=deck.ledger.load(spec.cards), evidence="unknown")
    state.deck = replace(state.deck, loaded=True, shuffled=True, partial=True, fresh=False, empty=False, finding="")
    state.shoe, state.quarantine_why = fact.shoe, ""


def _round_left(state: TableState, fact: f.RoundLeft) -> None:
    round_ = round_of(state)
    round_.plan, round_.cursor, round_.turns, round_.returning = (), 0, (), 0
    round_.results, round_.pays = {}, {}
    state.resume_to = None


def _host_compared(state: TableState, fact: f.HostCompared) -> None:
    if not fact.agrees:
        state.differed += 1
    elif fact.what == "result" and fact.found:
        state.agreed += 1


APPLY: Appliers = {
    f.ShoeJoined: _shoe_joined,
    f.RoundLeft: _round_left,
    f.HostCompared: _host_compared,
}

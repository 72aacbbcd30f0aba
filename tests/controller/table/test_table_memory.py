"""A table that refuses all day holds no more than before."""

from __future__ import annotations

import gc

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.table import acts as a
from controller.table.state import TableState
from controller.table.table import Verdict, decide, new_state


def refused_once(state: TableState) -> Verdict:
    """As a service calls it: the caller holds the verdict while it answers."""
    procedure = build_procedure(find_game("colorado-hold-em-poker"), "hand", {})
    verdict = decide(procedure, state, a.CloseBets(), 0)
    assert verdict.outcome.refused is not None
    return verdict


def test_a_refused_act_leaves_nothing_alive() -> None:
    state = new_state(build_procedure(find_game("colorado-hold-em-poker"), "hand", {}), "T1")
    refused_once(state)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(200):
        refused_once(state)
    gc.collect()
    assert len(gc.get_objects()) - before < 100, "each refusal leaves something behind"

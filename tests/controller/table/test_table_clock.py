"""A step of the host's clock: told at the table, settled by a supervisor, and no reason to stop a round."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.table import acts as a
from controller.table.table import decide, new_state

HOST = a.By("device", "host")


@pytest.mark.requirement("EQ-93")
def test_a_clock_step_alarms_and_play_goes_on() -> None:
    procedure = build_procedure(find_game("colorado-hold-em-poker"), "hand", {})
    state = new_state(procedure, "T1")
    steps = (a.Open(), a.Load(decks=1, cards=52), a.Shuffle(counted=52), a.Wager(seat=1, amounts={"ante": 1000}))
    for act in steps:
        state = decide(procedure, state, act, 0).state
    stepped = decide(procedure, state, a.DeviceNotice(event="clock-stepped", name="host", detail="by 1100 ms", by=HOST), 0)
    assert (stepped.outcome.alarm, stepped.outcome.state) == ("clock", "wagering")
    assert decide(procedure, stepped.state, a.CloseBets(), 0).outcome.gate == "open"
    supervisor = a.By("supervisor", "S1")
    settled = decide(procedure, stepped.state, a.Resolve(choose="continue", by=supervisor), 0)
    assert settled.outcome.alarms == ()

"""Who numbers rounds and shoes where the device does not: the table alone, and nothing but a wager or a new shoe makes a new number."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.scenario.direct import DirectPlayer
from controller.scenario.script import load_scenario
from controller.table import acts as a
from controller.table import facts as f
from controller.table.outcome import Outcome
from controller.table.state import TableState
from controller.table.table import decide, new_state
from firmware_bridge.cards import Sealed, parse_card
from tests.controller.table.bench import procedure_of

FOLDER = Path(__file__).parents[2] / "scenarios" / "numbering"
ROUNDS = {
    "day-change-in-a-round": [1] * 8 + [2] * 3,
    "late-result-after-a-shoe-change": [1] * 12 + [2] * 9,
    "no-round-by-a-timer": [0, 0] + [1] * 10,
    "restart-in-a-round": [1] * 13 + [2],
    "unheard-for-a-while": [1] * 9,
}
"""Number of the round after each step."""


def test_every_file_of_the_folder_is_counted() -> None:
    assert sorted(ROUNDS) == sorted(path.name.removesuffix(".scenario.toml") for path in FOLDER.glob("*.scenario.toml"))


@pytest.mark.requirement("EQ-96")
@pytest.mark.parametrize("name", ROUNDS)
def test_a_round_has_one_number_from_its_first_wager_to_its_end(name: str) -> None:
    scenario = load_scenario(FOLDER / f"{name}.scenario.toml")
    player = DirectPlayer(scenario)
    assert [player.perform(step).round for step in scenario.steps] == ROUNDS[name]


def told_by_the_shoe(state: TableState, result: str) -> tuple[TableState, Outcome, list[f.HostCompared]]:
    procedure = procedure_of("minibaccarat", "manual-shoe", {"shoe_start_burn": False})
    by = a.By("device", "shoe")
    verdict = decide(procedure, state, a.ResultTold(result=result, by=by, origin=a.Origin("shoe", 9)), 0)
    return verdict.state, verdict.outcome, [fact for fact in verdict.facts if isinstance(fact, f.HostCompared)]


def test_a_result_that_a_shoe_tells_late_counts_for_no_round_and_one_in_time_is_a_witness_that_shows_nothing() -> None:
    procedure = procedure_of("minibaccarat", "manual-shoe", {"shoe_start_burn": False})
    state = new_state(procedure, "T1")

    def take(*acts: a.AnyAct) -> None:
        nonlocal state
        for act in acts:
            verdict = decide(procedure, state, act, 0)
            assert verdict.refusal is None, verdict.outcome
            state = verdict.state

    take(a.Open(by=a.By("supervisor", "S1")), a.Load(decks=8, cards=416), a.Shuffle(counted=416), a.Wager(seat=1), a.CloseBets())
    take(*(a.CardOut(read=Sealed(parse_card(name)), by=a.By("device", "shoe")) for name in ("2c", "9h", "Kd")))
    _, early, compared = told_by_the_shoe(state, "banker")
    assert (early.alarms, compared) == ((), []), "the cards come first"
    take(a.CardOut(read=Sealed(parse_card("Ts")), by=a.By("device", "shoe")))
    state, outcome, compared = told_by_the_shoe(state, "banker")
    assert [(fact.found, fact.agrees) for fact in compared] == [("banker", True)]
    assert (outcome.results, outcome.alarms) == ({}, ()), "nothing of the outcome shows before the dealer has declared"
    differing, outcome, compared = told_by_the_shoe(state, "player")
    assert outcome.alarm == "told-differs"
    assert differing.differed == 1
    take(a.Collect(), a.Load(decks=8, cards=416), a.Shuffle(counted=416))
    _, late, compared = told_by_the_shoe(state, "banker")
    assert (late.alarms, compared, late.state) == ((), [], "ready")
    assert "belongs to no round" in late.message

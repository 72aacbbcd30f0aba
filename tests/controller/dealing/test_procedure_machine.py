"""The machine that a procedure is compiled into: closed, without ways around it, and resuming where it was held."""

from __future__ import annotations

import itertools

import pytest
from transitions import MachineError

from controller.dealing.machine import FIXED, Model, Phases, compile_machine
from controller.dealing.procedure import Procedure
from controller.dealing.round import Held, PlayedHand, Round, Seat
from controller.dealing.rules import law
from controller.dealing.steps import Collect, Deal, Face, Start, Wagers, Who
from controller.dealing.turn_steps import HandCard, PlayHands
from firmware_bridge.cards import Sealed, parse_card
from tests.controller.table.bench import TABLES, procedure_of

IN_TURNS = {"draw", "drawn"}
"""Triggers of games whose players draw cards."""


def lying(*names: str) -> tuple[Held, ...]:
    """Cards that lie face down."""
    return tuple(Held(Sealed(parse_card(name)), "read") for name in names)


TRIGGERS = {"open", "close", "verify", "unverify", "quarantine", "begin", "advance", "void", "suspend", "resume"}
ROUNDS = [
    None,
    Round(number=1),
    Round(number=1, seats={1: Seat(1, {"ante": 5})}, fresh_shoe=False),
    Round(number=1, seats={1: Seat(1, {"ante": 5}, status="folded", lost={"ante": "pot"})}, dealer_natural=True),
    *(
        Round(
            number=1,
            seats={1: Seat(1, {"initial": 5})},
            played={"seat 1": PlayedHand({"initial": 5}, status="stood")},
            hands={"dealer": (Held(Sealed(parse_card("As")), "read", True), Held(Sealed(parse_card("5h")), "read", is_turned))},
        )
        for is_turned in (False, True)
    ),
    Round(number=1, hands={"player": lying("2c", "3d"), "banker": lying("9c", "Kd")}),
    Round(number=1, seats={1: Seat(1, {"initial": 5, "war": 5, "player_pair": 5})}),
    Round(number=1, hands={"community": tuple(Held(Sealed(parse_card(name)), "read", True) for name in ("4c", "9d"))}),
    *(
        Round(number=1, seats={n: Seat(n, {"ante": 5}) for n in (1, 2)}, burned=burned, out=out)
        for burned, out in ((0, 4), (1, 9), (2, 12), (3, 14), (3, 50), (4, 51), (5, 40))
    ),
]
"""The last ones have two seats still in, so many burns and cards out."""


@pytest.fixture(params=TABLES, ids=[f"{game}-{method}" for game, method in TABLES])
def procedure(request: pytest.FixtureRequest) -> Procedure:
    return procedure_of(*request.param)


def test_only_the_stated_triggers_exist_and_nobody_can_force_a_state(procedure: Procedure) -> None:
    machine = procedure.phases.machine
    in_turns = IN_TURNS if procedure.plays_hands is not None else set()
    rolled = {"shake"} if any(isinstance(step, Start) for step in procedure.steps) else set()
    assert set(machine.events) == TRIGGERS | in_turns | rolled
    assert machine.auto_transitions is False
    assert machine.send_event is True
    assert machine.models == [], "a model that is kept in the machine stays in memory"


def test_every_state_is_a_step_or_one_of_the_tables_own(procedure: Procedure) -> None:
    assert set(procedure.phases.machine.states) == {state.value for state in FIXED} | set(procedure.names)
    assert set(procedure.kinds) == set(procedure.phases.machine.states)
    assert len(set(procedure.names)) == len(procedure.names) == len(procedure.steps)


def test_every_condition_is_an_object_that_can_be_called(procedure: Procedure) -> None:
    for event in procedure.phases.machine.events.values():
        for transition in itertools.chain.from_iterable(event.transitions.values()):
            assert all(callable(condition.func) for condition in transition.conditions)
            assert not transition.before
            assert not transition.after


def test_every_state_and_trigger_has_an_answer_for_every_round(procedure: Procedure) -> None:
    states = list(procedure.phases.machine.states)
    for phase, trigger, round_ in itertools.product(states, sorted(TRIGGERS), ROUNDS):
        if trigger == "advance" and round_ is None:
            continue
        to = procedure.phases.after(phase, trigger, round_, resume_to="ready")
        assert to is None or to in states
        if phase in procedure.names and trigger in ("void", "quarantine", "suspend"):
            assert to == {"void": "void", "quarantine": "quarantined", "suspend": "suspended"}[trigger]


def fired(procedure: Procedure, phase: str, trigger: str, round_: Round | None, resume_to: str | None) -> str | None:
    """Where the machine itself goes when the trigger is fired."""
    model = Model()
    model.state, model.round, model.resume_to = phase, round_, resume_to
    try:
        return model.state if procedure.phases.machine.events[trigger].trigger(model) else None
    except MachineError:
        return None


def test_phases_answer_as_the_machine_does_when_it_is_fired(procedure: Procedure) -> None:
    phases = procedure.phases
    for phase, trigger, round_ in itertools.product(list(phases.machine.states), list(phases.machine.events), ROUNDS):
        if trigger == "advance" and round_ is None:
            continue
        for resume_to in (None, "ready", procedure.names[-1]) if trigger == "resume" else (None,):
            assert phases.after(phase, trigger, round_, resume_to) == fired(procedure, phase, trigger, round_, resume_to)


def test_a_suspended_table_resumes_in_the_very_phase_that_was_held(procedure: Procedure) -> None:
    phases = procedure.phases
    held = [phase for phase in phases.machine.states if phases.after(phase, "suspend") == "suspended"]
    assert set(procedure.names) <= set(held)
    for phase in held:
        assert phases.after("suspended", "resume", resume_to=phase) == phase
    assert phases.after("suspended", "resume", resume_to=None) is None
    assert phases.after("suspended", "resume", resume_to="closed") is None


def test_every_step_is_reached_by_some_round_and_advance_never_goes_back(procedure: Procedure) -> None:
    order = {name: index for index, name in enumerate(procedure.names)}
    asked_for = {name for name in procedure.names if isinstance(procedure.step(name), HandCard)}
    reached = {procedure.names[0]} | asked_for
    for name, round_ in itertools.product(set(procedure.names) - asked_for, ROUNDS[1:]):
        to = procedure.phases.after(name, "advance", round_)
        assert to is not None
        assert to == "complete" or order[to] > order[name]
        reached.add(to)
    assert set(procedure.names) <= reached


def test_a_card_that_a_hand_asked_for_leads_back_to_the_turns(procedure: Procedure) -> None:
    turns = [name for name in procedure.names if isinstance(procedure.step(name), PlayHands)]
    for name in turns:
        card = procedure.phases.after(name, "draw")
        assert card is not None
        assert isinstance(procedure.step(card), HandCard)
        assert procedure.phases.after(card, "drawn") == name
        assert procedure.phases.after(card, "advance", ROUNDS[2]) is None
    assert turns or "draw" not in procedure.phases.machine.events


def test_the_shuffle_gate_stands_before_the_first_wager(procedure: Procedure) -> None:
    begins = {phase for phase in procedure.phases.machine.states if procedure.phases.after(phase, "begin")}
    assert begins == ({"ready"} if procedure.shuffle_each_round else {"ready", "complete"})
    for phase in ("closed", "quarantined", "suspended"):
        assert procedure.phases.after(phase, "verify") is None


def test_a_condition_that_is_false_passes_the_step_over() -> None:
    rule = law("23.8(c)")
    steps = (
        Wagers(rule=rule),
        Deal(to=(Who.WAGERED,), facing=(Face.DOWN,), rule=rule, when=lambda round_: bool(round_.live_seats())),
        Collect(rule=rule),
    )
    phases = Phases(compile_machine(["wagers", "deal", "collect"], steps, shuffle_each_round=True))
    assert phases.after("wagers", "advance", ROUNDS[2]) == "deal"
    assert phases.after("wagers", "advance", ROUNDS[1]) == "collect"
    assert phases.after("collect", "advance", ROUNDS[1]) == "complete"
    assert phases.after("collect", "begin", ROUNDS[1]) is None

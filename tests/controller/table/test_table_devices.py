"""Canonical device events as acts of the table: nothing is judged, nothing is lost, no card is opened."""

from __future__ import annotations

import enum
import types
import typing

import msgspec
import pytest

from controller.table import acts as a
from controller.table.devices import act_of_event
from controller.table.state import TableState, new_state
from controller.table.table import decide
from firmware_bridge import events as e
from firmware_bridge import round_events as r
from firmware_bridge.cards import CUT_CARD, UNREADABLE, Sealed, parse_card
from tests.controller.table.bench import Bench, procedure_of

NINE = parse_card("9h")
ACTS = {
    e.CardRead: a.CardOut, e.BurnEjected: a.CardOut, e.CardOutOfFlow: a.CardOut, e.StackDispensed: a.StackOut, e.CutCardSeen: a.CutCardOut,
    e.ShoeLoaded: a.Load, e.ShuffleDone: a.Shuffle, e.ShuffleStarted: a.DeviceNotice, e.Jam: a.DeviceNotice, e.Lid: a.DeviceNotice,
    e.Started: a.DeviceNotice, e.ShoeEmpty: a.DeviceNotice, e.ErrorRaised: a.DeviceNotice, e.ErrorCleared: a.DeviceNotice,
    e.Tamper: a.DeviceNotice, e.JournalLost: a.DeviceNotice, e.Power: a.DeviceNotice, e.CardReturned: a.DeviceNotice,
    e.GateChanged: a.DeviceRoutine, e.StubCounted: a.DeviceRoutine, e.Button: a.DeviceRoutine, e.ModeChanged: a.DeviceRoutine,
    e.CommandDone: a.DeviceRoutine, e.UnknownEvent: a.DeviceRoutine,
    r.CardReadAt: a.CardOut, r.RoundTold: a.ResultTold, r.BetweenRounds: a.DeviceRoutine, r.HostAsked: a.DeviceRoutine,
}  # fmt: skip
ERROR_OF_ITS_OWN = next(error for error in e.DeviceError if error.value not in {"jam", "lid", "empty"} and "read" not in error.value)


def fresh() -> TableState:
    return new_state(procedure_of("colorado-hold-em-poker", "hand").deck, "T1")


def sample(kind: type[e.DeviceEvent], **values: object) -> e.DeviceEvent:
    """An event of this class with plain values of each field's type."""
    hints = typing.get_type_hints(kind)
    fields = {field.name: _value(hints[field.name]) for field in msgspec.structs.fields(kind)}
    return kind(**{**fields, "eseq": 7, "replayed": False, **values})


def _value(hint: object) -> object:
    if isinstance(hint, types.UnionType):
        return _value(typing.get_args(hint)[0])
    if isinstance(hint, type) and issubclass(hint, enum.Flag):
        return hint(0)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next(iter(hint))
    return {int: 3, bool: True, str: "x", Sealed: Sealed(NINE), bytes: b""}[hint]  # type: ignore[index]


def all_kinds() -> set[type[e.DeviceEvent]]:
    return {*e.DeviceEvent.__subclasses__(), *e.CardRead.__subclasses__()}


def test_every_kind_of_event_has_its_act() -> None:
    assert all_kinds() == set(ACTS)
    for kind, act in ACTS.items():
        values: dict[str, object] = {}
        if kind in (e.ErrorRaised, e.ErrorCleared):
            values["error"] = ERROR_OF_ITS_OWN
        elif kind is e.Power:
            values["change"] = e.PowerChange.LOST
        elif kind is e.CardOutOfFlow:
            values["state"] = next(state for state in e.OutOfFlow if state is not e.OutOfFlow.EJECTED)
        made = act_of_event(sample(kind, **values), "shoe", fresh())
        assert type(made) is act, kind
        assert made.by == a.By("device", "shoe")
        assert made.origin is not None
        assert (made.origin.device, made.origin.eseq) == ("shoe", 7)


@pytest.mark.parametrize("kind", sorted(ACTS, key=lambda kind: kind.__name__))
def test_every_event_is_taken_in_every_phase_of_a_round_and_its_number_is_kept(kind: type[e.DeviceEvent]) -> None:
    bench = Bench(procedure_of("colorado-hold-em-poker", "hand"))
    states = [bench.state]
    bench.ready()
    states.append(bench.state)
    bench.wagered(1, 2)
    states.append(bench.state)
    bench.deal()
    states.append(bench.state)
    bench.notice("tamper")
    states.append(bench.state)
    for state in states:
        for name in ("shoe", "shuffler"):
            verdict = decide(bench.procedure, state, act_of_event(sample(kind), name, state), 0)
            assert verdict.state.device_seq[name] == 7
            assert verdict.facts, "an event that is acknowledged stands in the record"


FLAGS = {
    "face_up": e.CardFlag.FACE_UP, "double": e.CardFlag.DOUBLE_FEED, "unreadable": e.CardFlag.UNREADABLE,
    "out_of_flow": e.CardFlag.OUT_OF_FLOW, "back_mismatch": e.CardFlag.BACK_MISMATCH, "beyond": e.CardFlag.BEYOND_SHOE,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FLAGS))
def test_each_flag_of_a_card_is_told_and_no_other(name: str) -> None:
    act = act_of_event(sample(e.CardRead, flags=FLAGS[name]), "shoe", fresh())
    assert isinstance(act, a.CardOut)
    assert {flag for flag in FLAGS if getattr(act, flag)} == {name}


@pytest.mark.requirement("T-11")
def test_a_card_stays_sealed_on_its_way() -> None:
    event = sample(e.CardRead)
    assert isinstance(event, e.CardRead)
    act = act_of_event(event, "shoe", fresh())
    assert isinstance(act, a.CardOut)
    assert act.read is event.card
    assert "9h" not in repr(act)


def test_the_cutting_card_and_an_unread_card_are_known_as_such() -> None:
    assert isinstance(act_of_event(sample(e.CardRead, card=Sealed(CUT_CARD)), "shoe", fresh()), a.CutCardOut)
    act = act_of_event(sample(e.CardRead, card=Sealed(UNREADABLE)), "shoe", fresh())
    assert isinstance(act, a.CardOut)
    assert act.unreadable


@pytest.mark.requirement("EQ-22")
@pytest.mark.parametrize("mode", list(e.ShuffleMode))
def test_a_cycle_is_of_the_mode_in_which_it_began(mode: e.ShuffleMode) -> None:
    procedure, state = procedure_of("colorado-hold-em-poker", "hand"), fresh()
    done = sample(e.ShuffleDone, result=e.ShuffleResult.GOOD, counted=52)
    unknown = act_of_event(done, "shuffler", state)
    assert isinstance(unknown, a.Shuffle)
    assert unknown.mode == "unknown", "a cycle whose beginning nobody told is no shuffle"
    state = decide(procedure, state, act_of_event(sample(e.ShuffleStarted, mode=mode), "shuffler", state), 0).state
    act = act_of_event(done, "shuffler", state)
    assert isinstance(act, a.Shuffle)
    assert act.mode == mode.value
    assert (act.counted, act.problem) == (52, "")
    other = act_of_event(done, "another shuffler", state)
    assert isinstance(other, a.Shuffle)
    assert other.mode == "unknown"


@pytest.mark.requirement("EQ-25")
def test_a_cycle_that_the_device_calls_bad_is_told_as_bad() -> None:
    for result in e.ShuffleResult:
        act = act_of_event(sample(e.ShuffleDone, result=result), "shuffler", fresh())
        if result is e.ShuffleResult.ABORTED:
            assert isinstance(act, a.ShuffleAborted)
        else:
            assert isinstance(act, a.Shuffle)
            assert (act.problem == "") == (result is e.ShuffleResult.GOOD)

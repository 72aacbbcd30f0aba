"""The full product: every kind of state by every kind of act, in every game and method, against the closed table of outcomes."""

from __future__ import annotations

import functools
import random

import msgspec
import pytest

from controller.dealing.machine import FIXED
from controller.dealing.side_steps import ExposeSide
from controller.dealing.steps import Settle, StateKind, Step, Stub
from controller.table import acts as a
from controller.table import facts as f
from controller.table.acts import AnyAct, name_of
from controller.table.codes import ALARMS, REFUSALS, REMEDIES
from controller.table.outcomes import ACTS, DEVICE_ACTS, OUTCOMES, Handler, Ignored, Refused
from controller.table.parse import ACT_KEYS
from controller.table.table import Verdict, decide
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Sealed
from tests.controller.table.bench import SHOE, SHUFFLER, TABLES, Bench, procedure_of
from tests.controller.table.right_acts import right_act
from tests.controller.table.wandering import SENSELESS, Wanderer, senseless

VALUES = 6
"""Values of each kind of act put to each state."""
FULL_ACTS = 160
"""A round of a full table in which nobody folds has so many acts, most of them cards."""
MOST_STATES = 2
"""Different moments of each phase."""


@functools.cache
def moments(game: str, method: str) -> dict[str, list[Bench]]:
    """Benches at rest in every phase that the procedure has, reached by play."""
    found: dict[str, list[Bench]] = {}
    for seed in range(40):
        for trouble in (0.0, 0.12):
            bench = Bench(procedure_of(game, method), random.Random(seed))
            full = seed % 4 == 3
            wanderer = Wanderer(bench, trouble=trouble, full=full)
            for _ in range(FULL_ACTS if full else 80):
                kept = found.get(bench.state.phase, [])
                if len(kept) < MOST_STATES and bench.rng.random() < 0.4:
                    found[bench.state.phase] = [*kept, still(bench)]
                wanderer.step()
        if seed > 3 and expected_phases(bench) <= set(found):
            break
    return found


def still(bench: Bench) -> Bench:
    """The bench as it stands: its state is a value, so only the cards need a copy."""
    copy = Bench(bench.procedure, random.Random(7))
    copy.laid = list(bench.laid)
    copy.state, copy.pack, copy.places = bench.state, list(bench.pack), {k: list(v) for k, v in bench.places.items()}
    return copy


def expected_phases(bench: Bench) -> set[str]:
    """All phases in which a table rests; the stub, and settling hands that lie face up, need no input and move on by themselves."""
    procedure = bench.procedure
    resting = {name for name in procedure.names if not _moves_on(procedure.step(name))}
    return resting | {state.value for state in FIXED}


def _moves_on(step: Step | None) -> bool:
    return isinstance(step, Stub) or (isinstance(step, Settle) and step.face_up) or _turns_up_at_once(step)


def _turns_up_at_once(step: Step | None) -> bool:
    """A table rests there only when a card was not read."""
    return isinstance(step, ExposeSide) and step.at_once


def device_acts(bench: Bench, rng: random.Random) -> list[AnyAct]:
    """Every kind of device act, with right and wrong values."""
    deck, card = bench.procedure.deck, Sealed(bench.pack[0] if bench.pack else FRENCH_CARDS[5])
    origin, by = a.Origin("shoe", 77), SHOE
    flags = ({}, {"face_up": True}, {"double": True}, {"out_of_flow": True}, {"back_mismatch": True}, {"beyond": True}, {"back": "green"})
    acts: list[AnyAct] = [a.CardOut(read=card, by=by, origin=origin, **flag) for flag in flags]  # type: ignore[arg-type]
    acts += [a.CardOut(read=Sealed(UNREADABLE), unreadable=True, by=by, origin=origin), a.CardOut(read=Sealed(JOKER), by=by, origin=origin)]
    acts += [a.StackOut(count=n, by=by, origin=origin) for n in (0, 1, 3, 4)]
    acts += [a.StackOut(count=3, cards=tuple(map(Sealed, FRENCH_CARDS[:n])), by=by, origin=origin) for n in (2, 3, 4)]
    acts += [a.Load(decks=n, cards=cards, by=by, origin=origin) for n in (1, deck.decks) for cards in (None, deck.cards, 51)]
    shuffles: list[dict[str, object]] = [
        {"counted": deck.cards}, {"counted": 51}, {"mode": "sort"}, {"mode": "unknown"}, {"missing": (JOKER,)}, {"extra": FRENCH_CARDS[:1]},
        {"problem": "count"}, {"problem": "duplicates"}, {"problem": "aborted"}, {"problem": "foreign-back"}, {},
    ]  # fmt: skip
    acts += [a.Shuffle(by=SHUFFLER, origin=a.Origin("shuffler", 78), **told) for told in shuffles]  # type: ignore[arg-type]
    acts += [a.ShuffleAborted(by=SHUFFLER, origin=a.Origin("shuffler", 79)), a.CutCardOut(by=by, origin=origin)]
    acts += [
        a.DeviceNotice(event=event, name=name, by=a.By("device", name), origin=a.Origin(name, 80))
        for event in a.DEVICE_EVENTS
        for name in ("shoe", "shuffler")
    ]
    acts.append(a.DeviceRoutine(event="joined", by=by, origin=origin))
    acts += [a.ResultTold(result=result, by=by, origin=origin) for result in ("banker", "forced-end")]
    without_device = [msgspec.structs.replace(act, origin=None) for act in acts if rng.random() < 0.3]
    return acts + without_device


def people_acts(bench: Bench, rng: random.Random) -> list[AnyAct]:
    """Every kind of act of people, with values sensible and not."""
    acts: list[AnyAct] = [senseless(bench, rng, kind) for kind in SENSELESS for _ in range(VALUES)]
    acts += [a.RemoveCard(card=FRENCH_CARDS[0]), a.Close(), a.Join()]
    right = [right_act(bench, name) for name in bench.view().next]
    return acts + [act for act in right if act is not None]


def check(bench: Bench, act: AnyAct, verdict: Verdict) -> None:
    """Check one verdict against the closed table."""
    kind = bench.procedure.kind_at(bench.state.phase, bench.state.round)
    entry = OUTCOMES[kind, type(act)]
    outcome = verdict.outcome

    def told() -> str:  # put together for a failure alone: an outcome is a long text
        return f"{name_of(act)} in {bench.state.phase}: {outcome}"

    heard_only = all(isinstance(fact, f.DeviceHeard) for fact in verdict.facts)
    assert (act.origin is not None) == any(isinstance(fact, f.DeviceHeard) for fact in verdict.facts), told()
    assert outcome.act == name_of(act)
    assert outcome.irregularity is None or outcome.irregularity in ALARMS, told()
    assert outcome.remedy is None or outcome.remedy in REMEDIES, told()
    assert all(code in ALARMS for code in outcome.alarms), told()
    assert set(outcome.next) <= ACT_KEYS, told()
    if outcome.refused is not None:
        assert outcome.refused in REFUSALS, told()
        assert outcome.message.endswith("."), told()
        assert heard_only, told()
    match entry:
        case Refused(code):
            assert outcome.refused == code, told()
        case Ignored(reason):
            assert outcome.refused is None, told()
            assert outcome.message == reason
            assert heard_only, told()
        case Handler():
            pass
    if not verdict.facts:
        assert verdict.state is bench.state, told()


@pytest.mark.requirement("EQ-11", "T-28")
@pytest.mark.parametrize(("game", "method"), TABLES)
def test_every_act_in_every_state_has_its_stated_outcome(game: str, method: str) -> None:
    rng = random.Random(11)
    found = moments(game, method)
    bench = next(iter(found.values()))[0]
    rare = {name for name, step in bench.procedure.by_name.items() if _turns_up_at_once(step)}
    assert expected_phases(bench) <= set(found) <= expected_phases(bench) | rare
    for benches in found.values():
        for bench in benches:
            acts = people_acts(bench, rng) + device_acts(bench, rng)
            assert {type(act) for act in acts} == set(ACTS)
            for act in acts:
                check(bench, act, decide(bench.procedure, bench.state, act, 0))


def test_the_table_of_outcomes_is_closed_and_names_only_known_codes() -> None:
    assert set(OUTCOMES) == {(kind, act) for kind in StateKind for act in ACTS}
    assert {str(act.__struct_config__.tag) for act in ACTS} == ACT_KEYS | {"routine", "result_told"}
    for (kind, act), entry in OUTCOMES.items():
        if isinstance(entry, Refused):
            assert entry.code in REFUSALS, (kind, act)
            assert act not in DEVICE_ACTS or act is a.Load, f"{kind} {act}: a device act is never turned away, except a load into a round"
        if isinstance(entry, Ignored):
            assert entry.reason

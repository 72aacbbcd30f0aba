"""Random rounds of every game and method: legal play is never refused, slips never break a table."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from controller.dealing.procedure import Procedure, build_procedure
from controller.dealing.steps import Deal, Stack, Who
from controller.games import GAMES
from controller.integrity.ledger import Place
from controller.table.acts import AnyAct, CardOut, StackOut
from controller.table.apply import fold
from controller.table.outcome import Outcome
from hil.people.core_table import CoreTable
from hil.people.moves import Move
from hil.people.people import People
from hil.people.session import StuckError, play_rounds
from hil.people.slips import Slips
from tests.controller.table.bench import METHOD_HOUSES, houses_of, share

WAYS_TO_DEAL = [(name, method.value) for key, game in sorted(GAMES.items()) for name in houses_of(key) for method in game.deals]
"""Every game by every method; `key/variant` where its house chooses among variants."""
HOUSES = {"fast-action-hold-em": {"natural": ["four-of-a-kind", "two-pair"]}}


def procedure(name: str, method: str) -> Procedure:
    key, _, variant = name.partition("/")
    house: dict[str, object] = dict(HOUSES.get(key, {}))
    house |= {"variant": variant} if variant else {}
    house |= METHOD_HOUSES.get((key, method), {})
    if "methods_permitted" in {setting.name for setting in GAMES[key].settings}:
        house["methods_permitted"] = [method]
    return build_procedure(GAMES[key], method, house)  # type: ignore[arg-type]


class CheckedTable(CoreTable):
    """Checks after every act what must be true whatever happened."""

    @property
    def deals_to_every(self) -> bool:
        """Positions get their cards whether anybody plays there or not, so a seat that is out of the round gets them too."""
        return any(isinstance(step, Deal | Stack) and Who.EVERY in step.to for step in self.procedure.steps)

    def decide(self, act: AnyAct) -> Outcome:
        before = self.state
        out_before = set() if before.round is None else {n for n, seat in before.round.seats.items() if not seat.live}
        outcome = super().decide(act)
        verdict = self.last
        assert verdict is not None
        ledger = self.state.deck.ledger
        assert ledger.loaded == sum(ledger.at(place) for place in Place)
        assert (outcome.gate == "open") == bool({"card", "stack"} & set(outcome.next))
        if outcome.refused is not None:
            assert verdict.facts == ()
            assert verdict.state is before
        assert fold(before, verdict.facts) == verdict.state
        if isinstance(act, CardOut | StackOut) and outcome.to is not None and outcome.to.startswith("seat") and not self.deals_to_every:
            assert int(outcome.to.split()[1]) not in out_before, "a card for a seat that is out of the round"
        return outcome


def play(key: str, method: str, seed: int, rounds: int, rate: float) -> Counter[str]:
    rng = random.Random(seed)
    rules = procedure(key, method)
    table, people = CheckedTable(rules, rng), People(rules, rng)
    seen: Counter[str] = Counter()

    def watch(move: Move | None, outcome: Outcome) -> None:
        if outcome.refused is not None and (move is None or not move.why):
            seen[f"legal act refused: {outcome.refused}"] += 1
        seen[outcome.state] += 1

    try:
        play_rounds(people, table, rounds, slips=Slips(rng, rate) if rate else None, watch=watch)
    except StuckError as error:
        pytest.fail(f"seed {seed}: {error}")
    return seen


@pytest.mark.parametrize(("key", "method"), WAYS_TO_DEAL)
def test_legal_play_is_never_refused(key: str, method: str) -> None:
    seen = play(key, method, seed=1, rounds=share(12), rate=0.0)
    assert not [words for words in seen if words.startswith("legal")]
    assert seen["complete"]


@pytest.mark.parametrize(("key", "method"), WAYS_TO_DEAL)
def test_slips_never_break_a_table(key: str, method: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(2, 12):  # a short game meets few slips that hold it
        seen += play(key, method, seed=seed, rounds=max(8, share(15)), rate=0.2)
        if seen["void"] or seen["suspended"]:
            break
    assert seen["complete"]
    assert seen["void"] or seen["suspended"], "no slip of ten sessions has led to anything"


def test_the_same_seed_plays_the_same() -> None:
    assert play("winners-pot-poker", "hand", 3, 5, 0.1) == play("winners-pot-poker", "hand", 3, 5, 0.1)
    assert play("winners-pot-poker", "hand", 3, 5, 0.1) != play("winners-pot-poker", "hand", 4, 5, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "method"), WAYS_TO_DEAL)
def test_many_rounds_legal_and_illegal(key: str, method: str) -> None:
    """20,000 rounds by each way to deal, fresh seeds; the seed is in the failure."""
    for seed in range(200):
        play(key, method, seed=1_000 + seed, rounds=100, rate=0.15)

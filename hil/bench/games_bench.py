"""What a round of each game costs: the verdicts on all its acts, per ten cards that leave the device.

People play random legal rounds on the core; only `decide` is timed, in CPU time, so that a busy machine does not count against a game.
"""

from __future__ import annotations

import random
import time
from typing import Final

from controller.dealing.game import Game
from controller.dealing.procedure import Procedure, ProcedureError, build_procedure
from controller.games import GAMES
from controller.table.acts import AnyAct, CardOut, StackOut
from controller.table.outcome import Outcome
from controller.table.state import TableState
from controller.table.table import decide
from hil.bench.measure import Goal, at_most
from hil.people.core_table import CoreTable
from hil.people.people import People
from hil.people.session import play_rounds

MOST_MS: Final = 2.0
"""CPU time that the verdicts of a round may take per ten cards."""
ROUNDS: Final = 25
"""Rounds of each game and method: enough for folds, splits and cards in error to weigh as they do in play."""
PASSES: Final = 9
"""The same acts are judged so many times, and the quickest pass counts: the first fills caches, others are disturbed."""


class RecordingTable(CoreTable):
    """A table on the core that keeps every act with the state in which it came."""

    def __init__(self, procedure: Procedure, rng: random.Random) -> None:
        super().__init__(procedure, rng)
        self.acts: list[tuple[TableState, AnyAct]] = []

    def decide(self, act: AnyAct) -> Outcome:
        """Keep the act, then judge it as any table does."""
        self.acts.append((self.state, act))
        return super().decide(act)


def cost_of(procedure: Procedure) -> float:
    """Milliseconds of CPU time per ten cards."""
    rng = random.Random(4)
    table = RecordingTable(procedure, rng)
    play_rounds(People(procedure, rng), table, ROUNDS)
    cards = sum(1 if isinstance(act, CardOut) else act.count for _, act in table.acts if isinstance(act, CardOut | StackOut))
    return 10_000 * min(_pass(procedure, table.acts) for _ in range(PASSES)) / cards


def _pass(procedure: Procedure, acts: list[tuple[TableState, AnyAct]]) -> float:
    started = time.process_time()
    for state, act in acts:
        decide(procedure, state, act, 0)
    return time.process_time() - started


def procedures_of(game: Game) -> list[Procedure]:
    """The game by each method that its default house permits."""
    found = []
    for method in game.deals:
        try:
            found.append(build_procedure(game, method.value, {}))
        except ProcedureError as error:
            if error.code != "method-not-permitted":
                raise
    return found


def measure_games() -> Goal:
    """The dearest of all games and methods, against the limit."""
    costs = {f"{p.game.key} ({p.method})": cost_of(p) for game in GAMES.values() for p in procedures_of(game)}
    dearest = max(costs, key=lambda name: costs[name])
    what = f"CPU ms per ten cards of the dearest of {len(GAMES)} games, {dearest} / {MOST_MS:g}"
    return at_most("round", what, costs[dearest], MOST_MS, limit=1.0)

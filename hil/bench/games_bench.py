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
from controller.table.table import decide
from hil.bench.measure import Goal, at_most
from hil.people.core_table import CoreTable
from hil.people.people import People
from hil.people.session import play_rounds

MOST_MS: Final = 2.0
"""CPU time that the verdicts of a round may take per ten cards."""
ROUNDS: Final = 60
"""Rounds of each game and method, played in batches of which the quickest counts: the first one fills caches, others are disturbed."""
BATCHES: Final = 4


class TimedTable(CoreTable):
    """A table on the core that keeps how long its verdicts took and how many cards left the device."""

    spent_s = 0.0
    cards = 0

    def decide(self, act: AnyAct) -> Outcome:
        """Time the verdict, then take it as any table does; a verdict is pure, so that giving it twice changes nothing."""
        started = time.process_time()
        decide(self.procedure, self.state, act, 0)
        self.spent_s += time.process_time() - started
        if isinstance(act, CardOut | StackOut):
            self.cards += 1 if isinstance(act, CardOut) else act.count
        return super().decide(act)


def cost_of(procedure: Procedure) -> float:
    """Milliseconds of CPU time per ten cards."""
    rng = random.Random(4)
    people, table = People(procedure, rng), TimedTable(procedure, rng)
    costs = []
    for _ in range(BATCHES):
        table.spent_s, table.cards = 0.0, 0
        play_rounds(people, table, ROUNDS // BATCHES)
        costs.append(1000 * table.spent_s / (table.cards / 10))
    return min(costs)


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

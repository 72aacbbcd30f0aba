"""Plays a script on the table core alone: acts in, outcomes out, time as the script tells it.

Time stands still between the times that steps name. A prepared table is reached by the acts that would prepare it at a
casino: the table opens, the right cards are loaded, a whole random cycle counts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from controller.dealing.procedure import Procedure, build_procedure
from controller.games import find_game
from controller.scenario.runner import PlayError
from controller.scenario.script import Scenario, Step
from controller.table.acts import AnyAct, By, Load, Open, Origin, Shuffle
from controller.table.outcome import Outcome
from controller.table.table import decide, new_state

TABLE = "scenario"
SUPERVISOR = By("supervisor", "S1")


class DirectPlayer:
    """A table core with a script's game, method and house settings."""

    def __init__(self, scenario: Scenario) -> None:
        self.procedure = build_procedure(find_game(scenario.game), scenario.method, scenario.house)
        self._state = new_state(self.procedure, TABLE)
        self._now_ms = 0
        if scenario.prepared:
            for act in preparing_acts(self.procedure):
                outcome = self._decide(act)
                if outcome.refused or outcome.alarms:
                    trouble = outcome.refused or outcome.alarms[0]
                    raise PlayError("not-prepared", f"The table cannot be prepared: {trouble}.", outcome.message)

    def perform(self, step: Step) -> Outcome:
        """Play one step."""
        if step.at_ms is not None:
            self._now_ms = step.at_ms
        return self._decide(step.act)

    def _decide(self, act: AnyAct) -> Outcome:
        verdict = decide(self.procedure, self._state, act, self._now_ms)
        self._state = verdict.state
        return verdict.outcome


def preparing_acts(procedure: Procedure) -> tuple[AnyAct, ...]:
    """Return the acts that bring a new table to where a prepared script begins."""
    deck = procedure.deck
    shoe, shuffler = By("device", "shoe"), By("device", "shuffler")
    return (
        Open(by=SUPERVISOR),
        Load(decks=deck.decks, cards=deck.cards, back=deck.back, by=shoe, origin=Origin("shoe")),
        Shuffle(counted=deck.cards, by=shuffler, origin=Origin("shuffler")),
    )


class DirectPool:
    """Hands out a new table core for every script."""

    @contextmanager
    def table_for(self, scenario: Scenario) -> Iterator[DirectPlayer]:
        """Return a table core in the state that the script begins in."""
        yield DirectPlayer(scenario)


@contextmanager
def open_pool(_scenarios: Sequence[Scenario]) -> Iterator[DirectPool]:
    """Return the pool of table cores; nothing runs behind it."""
    yield DirectPool()

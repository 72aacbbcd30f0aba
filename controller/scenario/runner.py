"""Plays a script step by step on a table and compares every outcome with what the step expects.

A `Player` is a table that can be played on: the table core itself with virtual time (`controller.scenario.direct`), or
a real daemon with simulated devices. Players of other packages are found through entry points of the group
`shoed.scenario_players`, so that nothing here knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from typing import Final, Protocol, cast

import msgspec

from controller.errors import NotInOrderError, ShoedError
from controller.scenario.expect import find_differences
from controller.scenario.script import Scenario, Step
from controller.table.outcome import Outcome

PLAYERS: Final = "shoed.scenario_players"


class PlayError(NotInOrderError):
    """A step could not be played: a device or the daemon did not answer as it must."""


class Player(Protocol):
    """A table that a script is played on; it is prepared when it is handed out."""

    def perform(self, step: Step) -> Outcome:
        """Play one step and return what the table answered.

        Raises:
            PlayError: when there was no answer.
        """
        ...


class PlayerPool(Protocol):
    """Hands out one prepared table after the other; what it keeps running between them is its own affair."""

    def table_for(self, scenario: Scenario) -> AbstractContextManager[Player]:
        """Return a table for this script, in the state that the script begins in."""
        ...


PoolOpener = Callable[[Sequence[Scenario]], AbstractContextManager[PlayerPool]]
"""Takes all scripts that are going to be played, in their order, so that a pool can start things together."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How one file went. `expected` and `actual` hold the keys that differ, by name."""

    file: str
    passed: bool
    steps: int
    failed_step: int | None = None
    expected: dict[str, object] | None = None
    actual: dict[str, object] | None = None
    title: str = ""
    act: str = ""
    """The failed step's act, as written."""
    message: str = ""
    """What the table said to it."""


def run_scenario(scenario: Scenario, player: Player) -> Report:
    """Play all steps until one does not hold."""
    for step in scenario.steps:
        try:
            outcome = player.perform(step)
        except PlayError as error:
            return _failed(scenario, step, {"outcome": "an answer"}, {"outcome": error.what}, error.do)
        different = find_differences(step.expect, outcome, by_device=step.is_device_act)
        if different:
            return _failed(scenario, step, different.expected, different.actual, outcome.message)
    return Report(file=scenario.file, passed=True, steps=len(scenario.steps), title=scenario.title)


def _failed(scenario: Scenario, step: Step, expected: dict[str, object], actual: dict[str, object], message: str) -> Report:
    return Report(
        file=scenario.file,
        passed=False,
        steps=len(scenario.steps),
        failed_step=step.number,
        expected=expected,
        actual=actual,
        title=scenario.title,
        act=f"{step.key} = {step.value!r} by {step.by}",
        message=message,
    )


def find_pool(name: str) -> PoolOpener:
    """Return the way to play that another package offers under this name.

    Raises:
        ShoedError: when no installed package offers it.
    """
    found = entry_points(group=PLAYERS, name=name)
    if not found:
        raise ShoedError(
            "no-such-player",
            f"Nothing installed here can play a scenario `{name}`.",
            "Install shoed with its simulator, or leave the option out.",
        )
    return cast("PoolOpener", next(iter(found)).load())

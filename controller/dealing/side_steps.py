"""Steps of games in which two common hands are dealt, the Player's and the Banker's, and seats only wager on them.

The sides are places like a seat or the dealer; nobody owns them. Here too a step holds no state and does nothing by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controller.dealing.steps import Condition, Option, StateKind, Step, Who

if TYPE_CHECKING:
    from firmware_bridge.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnByFirst(Step):
    """The first card is shown and burned, then as many further cards, unseen, as it says."""

    kind = StateKind.DEALING
    label = "burn"
    more: Callable[[Card], int]

    @property
    def words(self) -> str:
        """What the dealer reads."""
        return "Show the first card of the shoe and burn it, then burn as many further cards, unseen, as it counts."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposeSide(Step):
    """The hand of a side is turned up. `at_once`: by the procedure itself, as soon as its cards are known."""

    kind = StateKind.SETTLING
    label = "expose"
    side: Who
    at_once: bool = False

    @property
    def words(self) -> str:
        """What the dealer reads."""
        return f"Turn up the {self.side.value.capitalize()}'s cards{' at once' if self.at_once else ''}."


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideSide(Step):
    """Whoever acts for a side decides on its third card. `asks` tells whether there is a choice (None: always).

    A side may turn its hand up instead, which ends the choice where `asks` then says so.
    """

    kind = StateKind.DECIDING
    label = "decide"
    side: Who
    options: tuple[Option, ...]
    asks: Condition | None = None
    may_turn: Callable[[tuple[Card, ...]], bool] | None = None
    """Whether the other side may turn up these cards before this one has decided (a natural)."""

    @property
    def words(self) -> str:
        """What the dealer reads."""
        choices = ", ".join(option.choose for option in self.options)
        free = "" if self.asks is None else " where there is a choice"
        return f"Whoever acts for the {self.side.value.capitalize()} decides{free}: {choices}."

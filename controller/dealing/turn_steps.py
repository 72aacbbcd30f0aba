"""Steps of a player's turn at drawing cards: hit, stand, double, split, hand after hand.

`PlayHands` asks for decisions; the `HandCard` step behind it waits for the one card that a decision has asked for, and leads back. What a
hand's cards mean is the game's: `closes` says why a hand gets no more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from controller.dealing.steps import Condition, Option, StateKind, Step

if TYPE_CHECKING:
    from controller.dealing.round import Round
    from controller.dealing.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Why a hand gets no more cards. `cleared`: it is settled now, and its cards go to the rack."""

    status: str
    rule: Rule
    cleared: bool = False


Closes: TypeAlias = "Callable[[Round, str], Closing | None]"
"""Looks at the hand at a place; None while its player may go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOption(Option):
    """One word of `choose` in a player's turn, about one hand. `status` closes the hand."""

    draws: bool = False
    """One card follows."""
    doubles: bool = False
    """One card follows, and the hand is closed."""
    splits: bool = False
    """Two hands of the two cards, the second with wagers equal to those of the first."""
    redeems: bool = False
    """May still be chosen for the hand that was just doubled, until anything follows; `needs` is asked of hands in turn alone."""
    clears: Condition | None = None
    """True when the cards of the hand go to the rack now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayHands(Step):
    """Each hand is played in turn, completely before the next gets a card; split hands from the dealer's left."""

    kind = StateKind.DECIDING
    label = "turns"
    stakes: tuple[str, ...]
    """Wagers of the seat that ride on its hand."""
    options: tuple[TurnOption, ...]
    closes: Closes
    accept: TurnOption
    """Takes a card that was drawn in error and seen."""
    refuse: TurnOption
    """Leaves that card to the next; the hand gets no more cards."""
    looks: Condition
    """True when the dealer looks at the hole card before the first decision, where the house has a reader."""
    looks_rule: Rule
    must_look: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCard(Step):
    """The card that the hand in turn has asked for, face up. It is entered from the players' turns and leads back to them."""

    kind = StateKind.DRAWING
    label = "hand card"

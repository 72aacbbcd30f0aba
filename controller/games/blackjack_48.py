"""What the three games of the blackjack family with 48-card decks share: their decks, boxes and settings, and a ten that does not belong.

The ten of each suit is taken out of every deck; jack, queen and king stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Remedy
from controller.decks import DeckSpec
from controller.games import blackjack_steps as steps

WITHOUT_TENS: Final = (10,)
DECKS: Final = (6, 8)


def deck(settings: Settings) -> DeckSpec:
    """Six or eight decks of 48 cards."""
    return DeckSpec(decks=settings.number("decks"), without_ranks=WITHOUT_TENS)


def decks_setting(default: int, rule: Rule) -> Setting:
    """How many decks."""
    return Setting(name="decks", default=default, allowed=DECKS, meaning="decks of 48 cards in the shoe", rule=rule, limit_rule=rule)


def hands_setting(rule: Rule) -> Setting:
    """How often a box may split."""
    return Setting(name="most_hands", default=4, between=(2, 4), meaning="hands that one box may have after splits", rule=rule)


def irregularities(ten: Rule, more: Mapping[str, Remedy] | None = None) -> dict[str, Remedy]:
    """The family's table, and a ten in the shoe: never played, a supervisor decides."""
    words = "A ten, or another card that does not belong, is set aside and never played; a supervisor decides."
    return steps.irregularities({"foreign-card": Remedy("supervisor-decides", ten, words), **(more or {})})

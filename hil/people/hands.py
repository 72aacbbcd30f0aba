"""How a simulated player arranges a hand in two or three. No strategy, only what the rules ask."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.steps import SetHands
from firmware_bridge.cards import parse_card

Groups = dict[str, list[str]]
TRIES: Final = 60
"""Of random arrangements at least one in five is one that the rules allow, so a hand without any is one in a million."""


def arrange(
    cards: list[str], forms: tuple[tuple[str, int], ...], is_allowed: Callable[[Groups], bool], rng: random.Random
) -> dict[str, list[str]]:
    """Return a random arrangement that is allowed, or the last one tried where the cards allow none."""
    groups: Groups = {}
    for _ in range(TRIES):
        left = rng.sample(cards, len(cards))
        groups = {}
        for name, size in forms:
            groups[name], left = left[:size], left[size:]
        if is_allowed(groups):
            break
    return groups


def groups_of(procedure: Procedure, step: SetHands, hand: list[str], rng: random.Random) -> Groups:
    """Return a hand set at random as the step asks, allowed by the game."""
    if len(step.groups) == 1:
        name, size = step.groups[0]
        return {name: rng.sample(hand, size)}

    def is_allowed(groups: Groups) -> bool:
        parsed = {name: tuple(map(parse_card, cards)) for name, cards in groups.items()}
        return procedure.game.set_flaw(procedure.settings, parsed) is None

    return arrange(hand, step.groups, is_allowed, rng)

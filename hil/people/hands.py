"""How a simulated player arranges four cards as a high and a low hand of two. No strategy, only what the rules ask."""

from __future__ import annotations

import random
from typing import Final

ORDER: Final = "23456789TJQKA"


def strength(pair: tuple[str, str]) -> tuple[bool, int, int]:
    """Return what a two-card hand is worth: a pair first, then the higher and the lower card."""
    low, high = sorted(ORDER.index(name[0]) for name in pair)
    return (low == high, high, low)


def arrange_four(cards: list[str], rng: random.Random) -> tuple[list[str], list[str]]:
    """Return a random split whose high hand ranks higher than its low hand; an equal split only when all are."""
    first, *rest = cards
    splits = []
    for index, partner in enumerate(rest):
        one = (first, partner)
        other = tuple(card for at, card in enumerate(rest) if at != index)
        splits.append((one, (other[0], other[1])))
    unequal = [split for split in splits if strength(split[0]) != strength(split[1])]
    one, two = rng.choice(unequal or splits)
    high, low = (one, two) if strength(one) >= strength(two) else (two, one)
    return list(high), list(low)

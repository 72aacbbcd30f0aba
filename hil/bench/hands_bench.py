"""P13: seven-card hands ranked against treys, a pure Python evaluator with tables of its own."""

from __future__ import annotations

import random
import time

from controller.hands.poker import hand_value
from firmware_bridge.cards import FRENCH_CARDS
from hil.bench.measure import Goal, at_least, in_turn

HANDS = 4_000
SEED = 13


def measure_evaluation() -> Goal:
    """P13: seven-card hands per second, each side with the cards in its own form; both have filled their tables before."""
    from treys import Card, Evaluator  # noqa: PLC0415  # a peer, imported for this measurement alone

    rng = random.Random(SEED)
    deals = [rng.sample(FRENCH_CARDS, 7) for _ in range(HANDS)]
    codes = [tuple(card.code for card in deal) for deal in deals]
    theirs = [[Card.new(card.name) for card in deal] for deal in deals]
    evaluate = Evaluator().evaluate

    def ours() -> float:
        started = time.perf_counter()
        for deal in codes:
            hand_value(deal)
        return HANDS / (time.perf_counter() - started)

    def peer() -> float:
        started = time.perf_counter()
        for deal in theirs:
            evaluate(deal[2:], deal[:2])
        return HANDS / (time.perf_counter() - started)

    return at_least("P13", "seven-card hands per second / treys", *in_turn(ours, peer), limit=4)

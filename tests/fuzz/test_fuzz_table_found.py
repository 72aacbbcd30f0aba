"""Acts that random play once found to lead a table astray, put by hand."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.cards import UNREADABLE
from tests.controller.table.bench import Bench, procedure_of
from tests.controller.table.wandering import Wanderer


def at_last_board_card(game: str, method: str) -> Bench:
    """Legal rounds up to the moment before the last card of a board."""
    bench = Bench(procedure_of(game, method), random.Random(5))
    wanderer = Wanderer(bench)
    for _ in range(500):
        round_ = bench.state.round
        if round_ is not None and [place for place, _ in round_.plan[round_.cursor :]] == ["community 5"]:
            return bench
        wanderer.step()
    raise AssertionError(f"no board came: {bench.view()}")


@pytest.mark.requirement("EQ-11")
def test_a_board_card_that_came_with_another_and_was_not_read_is_not_passed_over() -> None:
    bench = at_last_board_card("fast-action-hold-em", "manual-shoe")
    outcome = bench.put(bench.card_act(UNREADABLE, unreadable=True, double=True), bench.pack[:2])
    assert set(outcome.alarms) == {"unreadable-card", "device-malfunction"}
    outcome = bench.resolve("continue")
    assert (outcome.state, outcome.alarms) == ("suspended", ("unreadable-card",)), "no hand can be compared with a board that nobody knows"
    outcome = bench.resolve("continue")
    assert outcome.refused == "bad-option"
    outcome = bench.resolve("void")
    assert outcome.state == "void"

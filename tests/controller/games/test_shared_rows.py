"""Irregularity rows that games share, and the standing that each game's sheet gives them."""

from __future__ import annotations

import pytest

from controller.dealing.rules import Standing
from controller.dealing.steps import Method
from controller.games import GAMES

NO_TOO_FEW = ["flop-poker", "mini-tex-3-card-hold-em", "mississippi-stud", "ultimate-texas-hold-em"]
BY_STACKS = sorted(key for key, game in GAMES.items() if Method.AUTOMATED_SHOE in game.deals)


@pytest.mark.parametrize("key", [*NO_TOO_FEW, "supreme-pai-gow", "two-card-joker-poker", "winners-pot-poker"])
def test_a_deck_that_runs_out_is_a_wrong_deck_by_analogy(key: str) -> None:
    row = GAMES[key].irregularities(Method.HAND)["too-few-cards"]
    assert (row.remedy, row.rule.standing) == ("deck-off-table", Standing.ANALOGY)


@pytest.mark.parametrize("key", BY_STACKS)
def test_a_stack_of_the_wrong_size_is_a_wrong_number_of_cards_by_the_same_rule(key: str) -> None:
    rows = GAMES[key].irregularities(Method.AUTOMATED_SHOE)
    if "wrong-stack-size" in rows:
        assert (rows["wrong-stack-size"].remedy, rows["wrong-stack-size"].rule) == (
            rows["wrong-count-seat"].remedy,
            rows["wrong-count-seat"].rule,
        )

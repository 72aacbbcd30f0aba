"""What the size of a wager rests on is told apart from what the wager rests on: read in law, published, or set by the house."""

from __future__ import annotations

import pytest

from controller.dealing.describe import procedure_lines
from controller.dealing.placard import placard_lines, placard_of
from tests.controller.games.rounds import bets, do, open_table, places

SIZES = [
    ("double-attack-blackjack", "wager bonus, amount", "published game descriptions", "parallel"),
    ("double-attack-blackjack", "decide 1: double_attack, amount", "published game descriptions", "parallel"),
    ("double-attack-blackjack", "decide 2: insurance, amount", "trade practice: insurance", "memory"),
    ("spanish-21", "decide: insurance, amount", "trade practice: insurance", "memory"),
    ("let-it-ride-poker", "wager two, amount", "casino rule sheets: let it ride", "parallel"),
    ("colorado-hold-em-poker", "decide: bet, amount", "house setting: bet_size", "house"),
]


@pytest.mark.parametrize(("game", "name", "rule", "standing"), SIZES)
def test_a_size_that_the_law_does_not_give_is_listed_with_its_own_standing(game: str, name: str, rule: str, standing: str) -> None:
    procedure = open_table(game, "manual-shoe").procedure
    line = next(line for line in procedure_lines(procedure) if line.name == name)
    assert (line.rule, line.standing) == (rule, standing)
    wager = next(other for other in procedure_lines(procedure) if other.name == name.removesuffix(", amount"))
    assert wager.standing == "law"


@pytest.mark.rule("13:69F-26.6(a)")
def test_a_bonus_above_fifty_is_not_refused_in_the_name_of_the_law() -> None:
    bench = open_table("double-attack-blackjack", "manual-shoe")
    outcome = do(bench, "wager", {"seat": 1, "initial": 100, "bonus": 60})
    assert (outcome.refused, outcome.rule, outcome.standing) == ("bad-amount", "published game descriptions", "parallel")


@pytest.mark.rule("house:bet_size")
def test_a_bet_of_another_size_is_refused_by_the_house_setting() -> None:
    bench = open_table("colorado-hold-em-poker")
    bets(bench, 1)
    places(bench)
    outcome = do(bench, "decide", {"seat": 1, "choose": "bet", "amount": 20})
    assert (outcome.refused, outcome.rule, outcome.standing) == ("bad-amount", "house setting: bet_size", "house")


def test_the_placard_says_each_size_once() -> None:
    text = "\n".join(placard_lines(placard_of(open_table("double-attack-blackjack", "manual-shoe").procedure)))
    assert text.count("at most 50") == 1
    assert "published game descriptions [parallel]" in text.split("at most 50")[1].split("\n")[1]

"""Random play on the table core: legal, with senseless acts, and with device trouble; what must be true is checked after every act."""

from __future__ import annotations

import random

import pytest

from controller.dealing.settings import Plain
from tests.controller.table.bench import TABLES, Bench, procedure_of
from tests.controller.table.wandering import Wanderer

SEED = 20_290
LEGAL, SLIPS, TROUBLE = (0.0, 0.0, 0.15), (0.3, 0.0, 0.05), (0.1, 0.12, 0.1)
"""(rate of senseless acts, rate of device trouble, rate of trying every act listed as next)"""
HOUSES: dict[str, dict[str, Plain]] = {
    "colorado-hold-em-poker": {
        "seats": 7, "pay_table": {"pair": 1, "two-pair": 2, "three-of-a-kind": 3, "straight": 4, "flush": 6}, "lowest_paid_pair": "T",
        "stack_community": "hand", "two_decks": True,
    },
    "fast-action-hold-em": {"decks": 2, "natural": ["four-of-a-kind", "three-of-a-kind"], "shoe_start_burn": False, "seats": 7},
    "winners-pot-poker": {"commission_fixed": 3, "odd_chips": "house", "seats": 9, "double_size": 0},
    "supreme-pai-gow": {"dealt_positions": "wagered", "copies": "dealer", "vigorish_rounding": "quarter", "equal_high_and_low": "loses"},
}  # fmt: skip
"""Another house than the default one, so that settings are walked too."""


def walk(
    game: str, method: str, rates: tuple[float, float, float], rounds: int, seed: int, house: dict[str, Plain] | None = None
) -> Wanderer:
    """Play rounds; after each one a restart must rebuild the very table."""
    bench = Bench(procedure_of(game, method, house), random.Random(seed))
    wrong, trouble, curious = rates
    wanderer = Wanderer(bench, wrong=wrong, trouble=trouble, curious=curious)
    with wanderer.telling(f"seed {seed}"):
        while bench.rounds < rounds:
            wanderer.play(1)
            assert wanderer.watch.recovered() == bench.state, "a restart rebuilds another table"
    return wanderer


@pytest.mark.requirement("EQ-11", "T-28")
@pytest.mark.parametrize(("game", "method"), TABLES)
def test_legal_rounds_keep_cards_money_gate_and_record_in_order(game: str, method: str) -> None:
    wanderer = walk(game, method, LEGAL, 30, SEED)
    assert "void" not in {line.rpartition(" ")[2] for line in wanderer.log}, "a legal round was void"


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_senseless_acts_leave_no_trace_but_what_the_irregularity_table_says(game: str, method: str) -> None:
    walk(game, method, SLIPS, 35, SEED + 1)


@pytest.mark.requirement("EQ-11", "T-28")
@pytest.mark.parametrize(("game", "method"), TABLES)
def test_device_trouble_keeps_cards_money_gate_and_record_in_order(game: str, method: str) -> None:
    walk(game, method, TROUBLE, 45, SEED + 2)


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_another_house_keeps_cards_money_gate_and_record_in_order(game: str, method: str) -> None:
    walk(game, method, TROUBLE, 25, SEED + 3, HOUSES[game])


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_from_wherever_trouble_leads_there_is_a_way_back_to_ready(game: str, method: str) -> None:
    longest = 0
    for seed in range(20):
        bench = Bench(procedure_of(game, method), random.Random(seed))
        wanderer = Wanderer(bench, wrong=0.2, trouble=0.3)
        with wanderer.telling(f"seed {seed}"):
            for _ in range(bench.rng.randint(5, 120)):
                wanderer.step()
            longest = max(longest, wanderer.way_out())
    assert longest > 1


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("game", "method"), TABLES)
@pytest.mark.parametrize("rates", [LEGAL, TROUBLE])
def test_twenty_thousand_rounds_of_each_game(game: str, method: str, rates: tuple[float, float, float]) -> None:
    rounds = 20_000 // (2 * sum(key == game for key, _ in TABLES)) + 1
    seed = random.SystemRandom().randrange(1 << 32)
    walk(game, method, rates, rounds, seed)

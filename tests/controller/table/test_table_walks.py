"""Random play on the table core: legal, with senseless acts, and with device trouble; what must be true is checked after every act."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from controller.dealing.house import plain_settings
from controller.dealing.settings import Plain
from controller.errors import ShoedError
from controller.games import GAMES
from tests.controller.table.bench import TABLES, Bench, procedure_of, share
from tests.controller.table.wandering import Wanderer

SEED = 20_290
LEGAL, SLIPS, TROUBLE = (0.0, 0.0, 0.15), (0.3, 0.0, 0.05), (0.1, 0.12, 0.1)
"""(rate of senseless acts, rate of device trouble, rate of trying every act listed as next)"""
OTHER_HOUSES: dict[str, dict[str, Plain]] = {
    path.stem: plain_settings(tomllib.loads(path.read_text()))
    for path in (Path(__file__).parent.parent / "games" / "houses").glob("*.toml")
}
"""Tables and lists of another house than the default one, so that they are walked too: one file for each game that has such settings."""


def another_house(game: str, method: str) -> dict[str, Plain]:
    """A house that decides otherwise wherever it may: of each setting another allowed value, as far as they go together."""
    house: dict[str, Plain] = {}
    for setting in GAMES[game.partition("/")[0]].settings:
        values = setting.between if setting.between is not None else setting.allowed or ()
        others = [value for value in reversed(values) if value != setting.default]
        for value in others[:1]:
            try:
                procedure_of(game, method, {**house, setting.name: value})
            except ShoedError:
                continue
            house[setting.name] = value
    return {**house, **OTHER_HOUSES.get(game, {})}


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
    wanderer = walk(game, method, LEGAL, share(30), SEED)
    assert "void" not in {line.rpartition(" ")[2] for line in wanderer.log}, "a legal round was void"


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_senseless_acts_leave_no_trace_but_what_the_irregularity_table_says(game: str, method: str) -> None:
    walk(game, method, SLIPS, share(35), SEED + 1)


@pytest.mark.requirement("EQ-11", "T-28")
@pytest.mark.parametrize(("game", "method"), TABLES)
def test_device_trouble_keeps_cards_money_gate_and_record_in_order(game: str, method: str) -> None:
    walk(game, method, TROUBLE, share(45), SEED + 2)


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_another_house_keeps_cards_money_gate_and_record_in_order(game: str, method: str) -> None:
    walk(game, method, TROUBLE, share(25), SEED + 3, another_house(game, method))


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_from_wherever_trouble_leads_there_is_a_way_back_to_ready(game: str, method: str) -> None:
    longest = 0
    for seed in range(max(6, share(20))):
        bench = Bench(procedure_of(game, method), random.Random(seed))
        wanderer = Wanderer(bench, wrong=0.2, trouble=0.3)
        with wanderer.telling(f"seed {seed}"):
            for _ in range(bench.rng.randint(5, 120)):
                wanderer.step()
            longest = max(longest, wanderer.way_out())
    assert longest


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("game", "method"), TABLES)
@pytest.mark.parametrize("rates", [LEGAL, TROUBLE])
def test_twenty_thousand_rounds_of_each_game(game: str, method: str, rates: tuple[float, float, float]) -> None:
    rounds = 20_000 // (2 * sum(key == game for key, _ in TABLES)) + 1
    seed = random.SystemRandom().randrange(1 << 32)
    walk(game, method, rates, rounds, seed)

"""The sign at the table: everything on it comes from the procedure that is enforced, and its hash names that procedure."""

from __future__ import annotations

import dataclasses

import pytest

from controller.dealing.placard import Placard, placard_lines, placard_of
from controller.dealing.procedure import build_procedure
from controller.dealing.settings import Plain
from controller.games import GAMES
from tests.controller.table.bench import TABLES, procedure_of


def placard(game: str, method: str = "hand", **house: Plain) -> Placard:
    return placard_of(build_procedure(GAMES[game], method, house))


@pytest.mark.parametrize(("game", "method"), TABLES)
def test_every_sign_says_wagers_tables_settings_and_the_hash_in_force(game: str, method: str) -> None:
    procedure = procedure_of(game, method)
    sign = placard_of(procedure)
    assert sign.rules_hash == procedure.rules_hash
    assert len(sign.pay_tables) + len(sign.house) == len(procedure.game.settings)
    offered = [w for w in procedure.game.wagers if w.offered is None or w.offered(procedure.settings)]
    names = [line.name for line in sign.wagers if not line.name.endswith(", amount")]
    assert names == [w.name.replace("_", " ") for w in offered]
    text = "\n".join(placard_lines(sign))
    assert f"Rules hash {procedure.rules_hash}." in text
    for line in (*sign.wagers, *sign.choices, *sign.house):
        assert line.rule
        assert f"[{line.standing}" in text


def test_a_sign_shows_the_odds_that_are_paid() -> None:
    table: dict[str, Plain] = {"straight-flush": 35, "flush": "3 to 2"}
    sign = placard("three-card-poker", pair_plus_table=table)
    shown = next(table for table in sign.pay_tables if table.name == "pair_plus_table")
    assert shown.rows == (("straight-flush", "35 to 1"), ("flush", "3 to 2"))
    assert sign.rules_hash != placard("three-card-poker").rules_hash


def test_a_table_that_is_not_posted_says_so() -> None:
    lines = placard_lines(placard("two-card-joker-poker"))
    at = lines.index("PAYS: pair up table")
    assert lines[at + 2] == "    none is posted"


def test_sums_and_shares_of_a_meter_are_no_odds() -> None:
    sign = placard("caribbean-stud-poker", progressive_table={"royal-flush": "100%", "flush": 50})
    shown = next(table for table in sign.pay_tables if table.name == "progressive_table")
    assert shown.rows == (("royal-flush", "100% of the meter"), ("flush", "50 currency units"))


def test_choices_name_the_size_of_the_wager_that_they_place() -> None:
    words = {line.name: line.words for line in placard("four-card-poker").choices}
    assert words["decide, play"] == "place the play wager and stay (play: 1 to 3 times the ante)"


def test_the_hash_follows_the_wagers_and_the_stub_count_too() -> None:
    game = GAMES["three-card-poker"]
    base = build_procedure(game, "hand").rules_hash
    wagers = (dataclasses.replace(game.wagers[0], meaning="another"), *game.wagers[1:])
    assert build_procedure(dataclasses.replace(game, wagers=wagers), "hand").rules_hash != base
    assert build_procedure(dataclasses.replace(game, stub=None), "hand").rules_hash != base

"""Configurations that no table can have, in every game: against law that was read, more cards than there are, a method that it has not."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib

import pytest
from click.testing import CliRunner

from controller.cli.games import command
from controller.dealing.game import Game
from controller.dealing.procedure import ProcedureError, build_procedure, card_parts
from controller.dealing.rules import Standing
from controller.dealing.settings import Plain, Setting, SettingError, toml_text
from controller.dealing.steps import Method
from controller.decks import DeckSpec
from controller.games import GAMES
from tests.controller.table.bench import TABLES, houses_of, procedure_of

NONSENSE: tuple[Plain, ...] = (-1, 10**9, "no such word", ["x"], {"x": "y"}, 3.5)  # type: ignore[assignment]
ALL = [(key, setting.name) for key, game in GAMES.items() for setting in game.settings]
BY_LAW = [(key, setting.name) for key, game in GAMES.items() for setting in game.settings if setting.limit is not None]
SMALLEST = DeckSpec(decks=1, without_ranks=(2, 3, 4, 5, 6, 7, 8))
"""Twenty-four cards."""


def first_method(game: Game) -> str:
    return next(method.value for method in game.deals)


@pytest.mark.parametrize(("key", "name"), BY_LAW)
def test_a_value_against_a_rule_is_refused_with_its_citation(key: str, name: str) -> None:
    game = GAMES[key]
    setting = game.setting(name)
    method = first_method(game)
    house = procedure_of(houses_of(key)[0], method).settings.as_dict()
    errors = [error for value in NONSENSE if (error := refusal_of(game, method, {**house, name: value})) is not None]
    assert len(errors) >= len(NONSENSE) - 1, "any of these may be allowed, but not two"
    for error in errors:
        assert setting.limit is not None
        assert setting.limit.citation in error.what
        assert error.code == "bad-setting"


def refusal_of(game: Game, method: str, house: dict[str, Plain]) -> SettingError | None:
    try:
        build_procedure(game, method, house)
    except SettingError as error:
        return error
    return None


def test_a_rule_that_was_not_read_in_the_law_is_cited_with_its_standing() -> None:
    for key, name in BY_LAW:
        limit = GAMES[key].setting(name).limit
        assert limit is not None
        assert (limit.standing is Standing.LAW) == (str(limit) == limit.citation)


def small(game: Game) -> Game:
    return dataclasses.replace(game, deck=lambda settings: SMALLEST)


@pytest.mark.parametrize(("key", "method"), TABLES)
def test_more_cards_than_the_deck_has_are_refused_with_the_arithmetic(key: str, method: str) -> None:
    procedure = procedure_of(key, method)
    game, house = procedure.game, procedure.settings.as_dict()
    needed = sum(cards for cards, _ in card_parts(procedure.steps, procedure.seats))
    if game.cards_needed is not None:
        needed = game.cards_needed(procedure.settings, procedure.seats)
    if needed <= SMALLEST.cards:
        build_procedure(small(game), method, house)
        return
    with pytest.raises(ProcedureError, match=f"= {needed}, but the deck has 24") as refused:
        build_procedure(small(game), method, house)
    assert refused.value.code == "too-many-seats"
    parts = refused.value.what.partition(": ")[2].partition(" = ")[0].split(" + ")
    assert sum(_number(part) for part in parts) == needed or parts == [f"{procedure.seats} seats"]


def _number(words: str) -> int:
    times = re.match(r"(\d+) seats x (\d+) cards", words)
    return int(times[1]) * int(times[2]) if times else int(words.split(maxsplit=1)[0])


def test_the_arithmetic_is_what_a_dealer_would_count() -> None:
    game = dataclasses.replace(GAMES["pai-gow-poker"], settings=(Setting(**{
        **{field.name: getattr(GAMES["pai-gow-poker"].settings[0], field.name) for field in dataclasses.fields(Setting)}, "between": (1, 9),
    }), *GAMES["pai-gow-poker"].settings[1:]))  # fmt: skip
    for method in ("hand", "automated-shoe"):
        with pytest.raises(ProcedureError, match=r"7 seats x 7 cards \+ 7 for the dealer = 56, but the deck has 53"):
            build_procedure(game, method, {"seats": 7})


@pytest.mark.parametrize("key", list(GAMES))
def test_a_method_is_the_games_or_it_is_said_why_it_is_not(key: str) -> None:
    game = GAMES[key]
    assert set(game.deals) | set(game.absent) == set(Method)
    assert not set(game.deals) & set(game.absent)
    for method, rule in game.absent.items():
        with pytest.raises(ProcedureError, match=re.escape(f"{key} is not dealt by {method}: ")) as refused:
            build_procedure(game, method.value)
        assert str(rule) in refused.value.what
        assert rule.note in refused.value.what


@pytest.mark.parametrize("key", list(GAMES))
def test_settings_are_listed_with_default_allowed_values_source_and_standing(key: str) -> None:
    told = CliRunner().invoke(command, ["settings", key, "--json"], catch_exceptions=False).output
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["name"] for line in lines] == [setting.name for setting in GAMES[key].settings]
    for line, setting in zip(lines, GAMES[key].settings, strict=True):
        assert line["default"] == setting.default
        assert line["allowed"] == setting.allowed_words
        assert (line["rule"], line["standing"]) == (setting.rule.citation, setting.rule.standing.value)
        assert line["limit"] == (str(setting.limit) if setting.limit is not None else None)
        assert setting.allowed is None or line["choices"] == list(setting.allowed)
    text = CliRunner().invoke(command, ["settings", key], catch_exceptions=False).output
    for setting in GAMES[key].settings:
        assert f"{setting.name} = " in text
        assert setting.meaning in text
        assert setting.rule.citation in text


@pytest.mark.parametrize(("key", "name"), ALL)
def test_a_default_is_written_as_a_configuration_takes_it(key: str, name: str) -> None:
    default = GAMES[key].setting(name).default
    if default is not None:
        assert tomllib.loads(f"x = {toml_text(default)}") == {"x": default}

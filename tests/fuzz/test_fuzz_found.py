"""Wrong inputs that once got through: each stays refused in its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.dealing.procedure import build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES, find_game
from controller.scenario.script import ScenarioError, parse_scenario
from controller.service.config_file import load_config
from controller.service.errors import ConfigError
from device_profiles.errors import ProfileError
from device_profiles.loader import parse_profile
from tests.controller.table.bench import HOUSES
from tests.fuzz.judging import is_told
from tests.fuzz.table_site import site_of

HEAD = 'scenario = 1\ntitle = "t"\ngame = "colorado-hold-em-poker"\nmethod = "hand"\nsteps = [{ close_bets = true }]\n'
HUGE_NUMBERS = ["9" * 5000, "0x" + "f" * 50_000, "-" + "9" * 25]


@pytest.mark.parametrize("number", HUGE_NUMBERS, ids=["digits", "hexadecimal", "negative"])
def test_a_number_of_any_size_is_told_by_every_kind_of_file(tmp_path: Path, number: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f"config = {number}")
    with pytest.raises(ConfigError) as config:
        load_config(file)
    is_told(config.value)
    assert config.value.code == "config-not-toml"
    with pytest.raises(ProfileError):
        parse_profile(f"spec = {number}".encode(), "shoe.toml")
    with pytest.raises(ScenarioError) as scenario:
        parse_scenario(HEAD + f"house = {{ seats = {number} }}", "x.scenario.toml")
    is_told(scenario.value)


@pytest.mark.parametrize("value", ["1.0", "nan", "1979-05-27", "[1979-05-27]", "{ a = 07:32:00 }"])
def test_a_scenario_takes_only_values_that_a_house_setting_can_have(value: str) -> None:
    with pytest.raises(ScenarioError, match="of a kind that no setting has") as caught:
        parse_scenario(HEAD + f"house = {{ pay_table = {value} }}", "x.scenario.toml")
    is_told(caught.value)


@pytest.mark.parametrize(
    "step",
    ["{ device = [] }", "{ device = { event = {} } }", "{ device = { event = [1] } }"],
)
def test_a_device_event_that_is_no_text_is_told(step: str) -> None:
    with pytest.raises(ScenarioError, match=r"no text|not what this act takes") as caught:
        parse_scenario(HEAD.replace("{ close_bets = true }", step), "x.scenario.toml")
    is_told(caught.value)


def test_a_long_key_in_an_expectation_is_cut_in_the_error() -> None:
    step = f'{{ close_bets = true, expect = {{ results = {{ "1" = {{ {"x" * 5000} = 1 }} }} }} }}'
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(HEAD.replace("{ close_bets = true }", step), "x.scenario.toml")
    is_told(caught.value)


@pytest.mark.parametrize("rows", [[1, 2], ["pair"], [{"keep": "pair"}, None]])
def test_a_house_way_of_anything_but_tables_is_refused(rows: list[Plain]) -> None:
    games = [game for game in GAMES.values() if any(setting.name == "house_way" for setting in game.settings)]
    assert games
    for game in games:
        with pytest.raises(SettingError, match="each of them a table"):
            build_procedure(game, next(iter(game.deals)).value, {"house_way": rows, **HOUSES.get(game.key, {})})


@pytest.mark.parametrize(
    "house",
    [{"x" * 90_000: 1}, {"seats": ["x"] * 9000}, {"pay_table": {"x" * 90_000: 1}}, {"pay_table": {"pair": ["x"] * 9000}}],
    ids=["name", "value", "hand", "odds"],
)
def test_an_error_repeats_little_of_what_is_wrong(house: dict[str, Plain]) -> None:
    with pytest.raises(SettingError) as caught:
        build_procedure(find_game("colorado-hold-em-poker"), "hand", house)
    is_told(caught.value)


@pytest.mark.parametrize("path", ["/v1/tables/", "/v1/tables/T1/", "/v1/tables/T1/acts/", "/v1/health/"])
async def test_a_query_of_no_text_behind_a_slash_too_many_is_answered(path: str) -> None:
    async with site_of(build_procedure(find_game("colorado-hold-em-poker"), "hand", {})) as site:
        told = await site.ask("GET", path, b"after=\xff\xfe")
        assert told.status == 404
        assert told.json()["code"] in {"no-such-page", "no-such-table"}

"""`shoed games placard`: the sign of a game, or of a table as its configuration has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.games import command
from controller.dealing.procedure import build_procedure
from controller.errors import ShoedError
from controller.games import GAMES

CONFIG = """
config = 1
[journal]
path = "journal.db"
key_file = "journal.keys"
[api]
token_file = "api.token"
[[table]]
id = "T1"
game = "three-card-poker"
method = "hand"
house = { pair_plus_table = { straight-flush = 35, pair = 1 } }
[[table]]
id = "T2"
game = "three-card-poker"
method = "automated-shoe"
[[table]]
id = "T3"
game = "four-card-poker"
method = "hand"
house = { sixth_crad = "stack" }
"""


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["placard", *map(str, arguments)])
    if isinstance(result.exception, ShoedError):
        raise result.exception
    return result.exit_code, result.output


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "tables.toml"
    file.write_text(CONFIG)
    return file


def test_the_sign_of_a_game_and_method_as_text_and_as_json() -> None:
    code, text = run("four-card-poker", "--method", "automated-shoe")
    sign = json.loads(run("four-card-poker", "--method", "automated-shoe", "--json")[1])
    enforced = build_procedure(GAMES["four-card-poker"], "automated-shoe").rules_hash
    assert code == 0
    assert f"Rules hash {enforced}." in text
    assert sign["rules_hash"] == enforced


def test_the_sign_of_a_table_is_that_of_its_configuration(config: Path) -> None:
    sign = json.loads(run("three-card-poker", "--config", config, "--table", "T1", "--json")[1])
    table = {"pair_plus_table": {"straight-flush": 35, "pair": 1}}
    assert sign["rules_hash"] == build_procedure(GAMES["three-card-poker"], "hand", table).rules_hash  # type: ignore[arg-type]
    assert sign["pay_tables"][0]["rows"] == [["straight-flush", "35 to 1"], ["pair", "1 to 1"]]
    by_method = json.loads(run("three-card-poker", "--config", config, "--method", "automated-shoe", "--json")[1])
    assert by_method["method"] == "automated-shoe"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("three-card-poker",), "several tables of three-card-poker; name one with --table: T1, T2"),
        (("three-card-poker", "--table", "T9"), "no such table of three-card-poker; it has T1 three-card-poker by hand"),
        (("casino-war",), "no such table of casino-war"),
    ],
)
def test_a_table_that_cannot_be_told_is_named(config: Path, arguments: tuple[str, ...], words: str) -> None:
    code, text = run(*arguments, "--config", config)
    assert code == 2
    assert words in " ".join(text.replace("│", " ").split())


def test_a_table_without_a_configuration_is_no_question() -> None:
    code, text = run("three-card-poker", "--table", "T1")
    assert code == 2
    assert "give --config too" in text


def test_a_wrong_setting_of_the_configuration_is_named(config: Path) -> None:
    with pytest.raises(ShoedError, match="sixth_crad"):
        run("four-card-poker", "--config", config)

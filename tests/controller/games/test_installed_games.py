"""Games of other packages: found by their entry points, refused in words where they cannot be used; the how-to's game is one of them."""

from __future__ import annotations

import importlib
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import run
from controller.dealing.procedure import build_procedure
from controller.games import GAMES, UnknownGameError, every_game, find_game
from controller.games.installed import GROUP, GameNotLoadableError, installed_keys
from controller.scenario.direct import DirectPlayer
from controller.scenario.runner import run_scenario
from controller.scenario.script import parse_scenario
from hil.people.core_table import CoreTable
from hil.people.people import People
from hil.people.session import play_rounds
from hil.people.slips import Slips
from tests.controller.table.bench import Bench
from tests.controller.table.wandering import Wanderer

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-game.md"
METHODS = ("hand", "manual-shoe", "automated-shoe")
Install = Callable[[str, str, str], None]


def shown(name: str) -> str:
    """A file as the how-to shows it."""
    found = re.search(rf"```\w+\n(# {re.escape(name)}\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, f"the page shows no {name}"
    return found[1]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Lay a package with one module and one entry point on the path, as an installer does."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def lay(key: str, value: str, text: str) -> None:
        module = value.split(":", maxsplit=1)[0]
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        about = tmp_path / f"{module}-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(f"[{GROUP}]\n{key} = {value}\n", encoding="utf-8")
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, module, raising=False)

    return lay


@pytest.fixture
def lucky(install: Install) -> None:
    install("lucky-three", "lucky_three:GAME", shown("lucky_three.py"))


@pytest.mark.usefixtures("lucky")
def test_an_installed_game_is_found_by_its_key_and_listed_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert find_game("lucky-three").title == "Lucky Three"
    games, broken = every_game()
    assert [game.key for game in games] == [*GAMES, "lucky-three"]
    assert broken == []
    assert run(["games", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("lucky-three")
    for part in ("show", "settings", "diagram"):
        assert run(["games", part, "lucky-three", "--method", "automated-shoe"]) == 0


@pytest.mark.usefixtures("lucky")
def test_a_wrong_key_is_answered_with_the_nearest_of_all() -> None:
    with pytest.raises(UnknownGameError, match="did you mean 'lucky-three'"):
        find_game("lucky-tree")


@pytest.mark.usefixtures("lucky")
@pytest.mark.parametrize("name", ["worked-round.scenario.toml", "stack-of-three.scenario.toml"])
def test_its_scenarios_hold(name: str) -> None:
    scenario = parse_scenario(shown(name), name)
    assert run_scenario(scenario, DirectPlayer(scenario)).passed


@pytest.mark.usefixtures("lucky")
@pytest.mark.parametrize("method", METHODS)
def test_people_play_it_with_slips(method: str) -> None:
    rng = random.Random(21)
    procedure = build_procedure(find_game("lucky-three"), method)
    assert play_rounds(People(procedure, rng), CoreTable(procedure, rng), 60, slips=Slips(rng, 0.15)).round >= 60


@pytest.mark.usefixtures("lucky")
@pytest.mark.parametrize("method", METHODS)
def test_cards_money_and_record_stay_in_order_whatever_happens(method: str) -> None:
    bench = Bench(build_procedure(find_game("lucky-three"), method), random.Random(22))
    wanderer = Wanderer(bench, wrong=0.1, trouble=0.05, curious=0.1)
    with wanderer.telling("seed 22"):
        for _ in range(15):
            wanderer.play(1)
            assert wanderer.watch.recovered() == bench.state


@pytest.mark.parametrize(
    ("key", "value", "text", "why"),
    [
        ("bad-import", "bad_import:GAME", "import no_such_module_anywhere", "ModuleNotFoundError"),
        ("bad-name", "bad_name:GAME", "TABLE = 1", "AttributeError"),
        ("bad-code", "bad_code:GAME", "{}['x']", "KeyError"),
        ("bad-type", "bad_type:GAME", "GAME = 'lucky'", "it is a str and no Game"),
        ("other-key", "other_key:GAME", "from controller.games.colorado_hold_em_poker import GAME", "its key is 'colorado-hold-em-poker'"),
    ],
)
def test_a_game_that_cannot_be_used_is_told_and_spoils_no_other(
    install: Install, capsys: pytest.CaptureFixture[str], key: str, value: str, text: str, why: str
) -> None:
    install(key, value, text)
    with pytest.raises(GameNotLoadableError, match=why):
        find_game(key)
    assert key in installed_keys()
    games, broken = every_game()
    assert [game.key for game in games] == list(GAMES)
    assert [error.code for error in broken] == ["game-not-loadable"]
    assert run(["games", "list", "--json"]) == 1
    told = capsys.readouterr()
    assert why in told.err
    assert len(told.out.splitlines()) == len(GAMES)


def test_no_package_replaces_a_game_of_shoed(install: Install) -> None:
    key = "colorado-hold-em-poker"
    install(key, "impostor:GAME", "raise RuntimeError('never imported')")
    assert find_game(key) is GAMES[key]
    _, broken = every_game()
    assert "shoed has a game of this key" in broken[0].what


def test_a_key_that_two_packages_bring_is_nobodys(install: Install) -> None:
    install("lucky-three", "lucky_three:GAME", shown("lucky_three.py"))
    install("lucky-three", "lucky_four:GAME", shown("lucky_three.py"))
    with pytest.raises(GameNotLoadableError, match="two packages bring it"):
        find_game("lucky-three")

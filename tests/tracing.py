"""Which scenario applies which rule, and which rules a game rests on: the raw material of the traceability table.

A rule counts as proved by a scenario when the scenario holds and the table cites that rule in one of its answers, or when its house
decides the setting that rests on it; and by a test that names it in a marker `rule`, or names a paragraph of it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from controller.dealing.describe import procedure_lines, setting_lines
from controller.dealing.game import Game
from controller.dealing.procedure import Procedure, build_procedure
from controller.dealing.rules import Standing
from controller.errors import ShoedError
from controller.games import GAMES
from controller.scenario.direct import DirectPlayer
from controller.scenario.runner import Player, run_scenario
from controller.scenario.script import Step, load_scenario
from controller.table.outcome import Outcome

SCENARIOS = Path(__file__).parent / "scenarios"


class GameRule(msgspec.Struct, frozen=True):
    """One citation of a game: its standing, and the lines of the procedure that rest on it."""

    citation: str
    standing: str
    lines: tuple[str, ...]


class _Listener:
    """Plays on a player and notes the rules that it cites."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.cited: set[str] = set()

    def perform(self, step: Step) -> Outcome:
        outcome = self._player.perform(step)
        if outcome.rule is not None:
            self.cited.add(outcome.rule)
        return outcome


def rules_of(game: Game) -> list[GameRule]:
    """The citations that a game rests on in any of its methods, in the order in which a dealer meets them."""
    found: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for procedure in _procedures(game):
        for line in procedure_lines(procedure):
            found[line.rule, line.standing][line.name] = None
        for setting in setting_lines(game, procedure):
            found[setting.rule, setting.standing][f"setting {setting.name}"] = None
    return [GameRule(citation, standing, tuple(lines)) for (citation, standing), lines in found.items()]


def _procedures(game: Game) -> Iterator[Procedure]:
    for method in game.deals:
        house = {"methods_permitted": [method.value]} if any(s.name == "methods_permitted" for s in game.settings) else {}
        try:
            yield build_procedure(game, method.value, house)
        except ShoedError:
            continue  # a method that other settings decide about


def cited_by_scenarios(paths: Iterable[Path]) -> dict[str, dict[str, set[str]]]:
    """Game key -> citation -> scenario files that hold and apply it."""
    cited: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in paths:
        scenario = load_scenario(path)
        listener = _Listener(DirectPlayer(scenario))
        if run_scenario(scenario, listener).passed:
            name = path.relative_to(SCENARIOS).as_posix().removesuffix(".scenario.toml")
            decided = {s.rule.citation for s in GAMES[scenario.game].settings if s.name in scenario.house}
            for citation in listener.cited | decided:
                cited[scenario.game][citation].add(name)
    return cited


def scenarios_of(game: str) -> list[Path]:
    """The scenario files that play a game, found by their text: playing them all to see it takes seconds."""
    named = re.compile(rf'^game\s*=\s*"{re.escape(game)}"', re.MULTILINE)
    return [path for path in sorted(SCENARIOS.glob("*/*.scenario.toml")) if named.search(path.read_text(encoding="utf-8"))]


def proofs(rule: GameRule, scenarios: Mapping[str, set[str]], markers: Mapping[str, set[str]]) -> tuple[set[str], set[str]]:
    """(scenarios, tests) that prove a rule of a game."""
    tests = {test for name, found in markers.items() if _names(name, rule.citation) for test in found}
    return scenarios.get(rule.citation, set()), tests


def markers_in(folder: Path) -> dict[str, set[str]]:
    """Citation -> tests that name it, from the text of the test files below a folder."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in folder.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for citation in _marked(node):
                    found[citation].add(f"{path.relative_to(folder.parent).as_posix()}::{node.name}")
    return found


def _marked(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.rule":
            yield from (str(argument.value) for argument in decorator.args if isinstance(argument, ast.Constant))


def _names(marker: str, citation: str) -> bool:
    named = citation.replace("house setting: ", "house:")
    return marker == named or marker.startswith(f"{named}(")


def table_lines(markers: Mapping[str, set[str]]) -> Iterator[str]:
    """Per game: every rule with its standing, what rests on it and what proves it; then what is provisional."""
    cited = cited_by_scenarios(sorted(SCENARIOS.glob("*/*.scenario.toml")))
    for key, game in GAMES.items():
        rules = rules_of(game)
        yield from ("", f"### {game.title}", "", "| rule | standing | rests on it | proved by |", "|---|---|---|---|")
        for rule in rules:
            scenarios, tests = proofs(rule, cited[key], markers)
            proved = [f"scenario `{name}`" for name in sorted(scenarios)] + [f"`{test}`" for test in sorted(tests)]
            yield f"| {rule.citation} | {rule.standing} | {', '.join(rule.lines)} | {'<br>'.join(proved) or 'nothing yet'} |"
        provisional = [rule for rule in rules if rule.standing != Standing.LAW]
        words = ", ".join(f"{rule.citation} ({rule.standing})" for rule in provisional)
        yield from ("", f"Provisional, {len(provisional)} of {len(rules)}: {words}.")

"""Games: which there are, what each procedure says with the standing of every rule, its settings and its machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from controller.cli.house import house_option
from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, json_option, printable, write_json, write_line, write_listing
from controller.dealing.describe import game_line, procedure_lines, setting_lines
from controller.dealing.diagram import mermaid, svg
from controller.dealing.game import Game
from controller.dealing.placard import placard_lines, placard_of
from controller.dealing.procedure import Procedure, ProcedureError, build_procedure
from controller.dealing.settings import Plain, toml_text
from controller.games import every_game, find_game

LINE = 120
"""Characters that a setting may take on a screen before its rows are put below one another."""

CONFIG_FILE = click.Path(path_type=Path, dir_okay=False)
method_option = click.option("--method", help="Dealing method: manual-shoe, hand or automated-shoe. Default: the game's first.")


@click.group("games")
def command() -> None:
    """List the games and show their procedures, settings and machines."""


def permitted_procedures(game: Game, house: Mapping[str, Plain] | None = None) -> list[Procedure]:
    """The procedures of the methods that the house, or the game's defaults, permit."""
    found = []
    for method in game.deals:
        try:
            found.append(build_procedure(game, method.value, house))
        except ProcedureError as error:
            if error.code != "method-not-permitted":
                raise
    return found


def _chosen(key: str, method: str | None, house: Mapping[str, Plain]) -> Procedure:
    game = find_game(key)
    return build_procedure(game, method, house) if method is not None else permitted_procedures(game, house)[0]


@command.command("list")
@json_option
def list_games(as_json: bool) -> int:
    """All games: key, subchapter, methods, decks, stack size, seats, and how well the rules are known."""
    games, broken = every_game()
    lines = [game_line(game, permitted_procedures(game)) for game in games]
    for error in broken:
        click.echo(f"{printable(error.what)} {printable(error.do)}", err=True)
    exit_code = EXIT_NOT_IN_ORDER if broken else EXIT_GOOD
    if as_json:
        for line in lines:
            write_json(line)
        return exit_code
    rows = [
        {
            "key": line.key, "subchapter": line.subchapter, "methods": " ".join(line.methods), "decks": str(line.decks),
            "stack": str(line.stack or "-"), "seats": line.seats,
            "rules": ", ".join(f"{count} {standing}" for standing, count in line.standing.items()),
        }
        for line in lines
    ]  # fmt: skip
    write_listing(rows, ("key", "subchapter", "methods", "decks", "stack", "seats", "rules"), as_json=False)
    return exit_code


@command.command()
@click.argument("game")
@method_option
@house_option
@json_option
def show(game: str, method: str | None, house: Mapping[str, Plain], as_json: bool) -> None:
    """One game's procedure as a dealer reads it, with citation and standing of every rule."""
    procedure = _chosen(game, method, house)
    lines = procedure_lines(procedure)
    if as_json:
        write_json(
            {
                "key": procedure.game.key, "title": procedure.game.title, "method": procedure.method.value,
                "rules_hash": procedure.rules_hash, "rules": [msgspec.to_builtins(line) for line in lines],
            }
        )  # fmt: skip
        return
    write_line(f"{procedure.game.title} ({procedure.game.law}), dealt by {procedure.method.value}, {procedure.deck.cards} cards")
    write_line(procedure.game.summary)
    for line in lines:
        note = f"; {line.note}" if line.note else ""
        write_line(f"  {line.name}: {line.words}")
        write_line(f"      {line.rule} [{line.standing}{note}]")
    write_line(f"Rules hash {procedure.rules_hash}. Lines marked other than [law] were not read in the text of this game.")


@command.command()
@click.argument("game")
@method_option
@house_option
@click.option("--config", "config_file", type=CONFIG_FILE, help="Take method and settings from this configuration's table of the game.")
@click.option("--table", help="The table of the configuration, where several deal this game.")
@json_option
def placard(game: str, method: str | None, house: Mapping[str, Plain], config_file: Path | None, table: str | None, as_json: bool) -> None:
    """The sign at the table: wagers, choices, pay tables and what the house has set, with the hash of the rules in force."""
    if table is not None and config_file is None:
        raise click.UsageError("--table names a table of a configuration: give --config too.")
    if house and config_file is not None:
        raise click.UsageError("The settings are those of the configuration: leave --house out.")
    procedure = _chosen(game, method, house) if config_file is None else _configured(config_file, find_game(game).key, method, table)
    sign = placard_of(procedure)
    if as_json:
        write_json(sign)
        return
    for line in placard_lines(sign):
        write_line(line)


def _configured(file: Path, game: str, method: str | None, table: str | None) -> Procedure:
    from controller.service.config_file import load_config
    from controller.service.preflight import procedure_of

    setup = load_config(file)
    found = [item for item in setup.config.table if item.game == game and method in (None, item.method) and table in (None, item.id)]
    if not found:
        dealt = ", ".join(f"{item.id} {item.game} by {item.method}" for item in setup.config.table)
        raise click.UsageError(f"{file} has no such table of {game}; it has {dealt}.")
    if len(found) > 1:
        raise click.UsageError(f"{file} has several tables of {game}; name one with --table: {', '.join(item.id for item in found)}.")
    return procedure_of(setup, found[0])


@command.command()
@click.argument("game")
@method_option
@house_option
@click.option("--format", "form", type=click.Choice(["mermaid", "svg"]), default="mermaid", help="Text form of the picture.")
def diagram(game: str, method: str | None, house: Mapping[str, Plain], form: str) -> None:
    """The machine of a procedure as a picture, made from its transitions."""
    procedure = _chosen(game, method, house)
    click.echo(mermaid(procedure) if form == "mermaid" else svg(procedure), nl=False)


@command.command()
@click.argument("game")
@method_option
@house_option
@json_option
def settings(game: str, method: str | None, house: Mapping[str, Plain], as_json: bool) -> None:
    """The house settings of a game: default, allowed values, source and standing."""
    procedure = _chosen(game, method, house)
    for line in setting_lines(procedure.game, procedure):
        if as_json:
            write_json(line)
            continue
        note = f"; {line.note}" if line.note else ""
        for text in _assigned(line.name, line.default):
            write_line(text)
        write_line(f"    {line.meaning}")
        write_line(f"    allowed: {line.allowed}{f' [{line.limit}]' if line.limit is not None else ''}")
        write_line(f"    {line.rule} [{line.standing}{note}]")


def _assigned(name: str, value: Plain) -> list[str]:
    """A setting as a configuration has it; a long list of tables takes one line for each."""
    whole = f"{name} = {toml_text(value)}"
    if len(whole) <= LINE or not isinstance(value, list):
        return [whole]
    return [f"{name} = [", *(f"    {toml_text(row)}," for row in value), "]"]

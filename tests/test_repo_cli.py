"""The command line as a whole: how it finds commands, how it speaks, how it tells an error, with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

from controller.cli import main as cli
from controller.cli import output
from controller.errors import NotInOrderError, ShoedError
from firmware_bridge.cards import Sealed, parse_card


class BridgeError(Exception):
    """As another package tells its errors: the three attributes, no common class."""

    code, what, do = "port-busy", "The port is used by another program.", "End that program."


@click.command
@click.argument("how")
@output.json_option
def failing(how: str, as_json: bool) -> int | None:
    """Fail in the way that is asked for."""
    errors: dict[str, BaseException] = {
        "usage": ShoedError("unknown-game", "There is no game `x`.", "List them with `shoed games list`."),
        "order": NotInOrderError("damaged", "Record 7 was edited.", "Keep the file and call the maintainers."),
        "bridge": BridgeError(),
        "defect": ZeroDivisionError("division by zero"),
        "interrupt": KeyboardInterrupt(),
        "escape": ShoedError("bad-text", "The device said \x1b[2J.", "Look at the device."),
    }
    if how in errors:
        raise errors[how]
    return {"good": None, "zero": 0, "one": 1}[how]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Replace the installed commands: `failing`, and two that cannot be loaded."""
    entries = {"failing": f"{__name__}:failing", "gone": "no.such.module:command", "odd": "json:dumps"}
    found = {name: EntryPoint(name, value, cli.ENTRY_POINT_GROUP) for name, value in entries.items()}
    monkeypatch.setattr(EntryPoint, "load", lambda entry: failing if entry.name == "failing" else _load(entry))
    monkeypatch.setattr(cli, "_found_commands", lambda: found)
    return entries


_load = EntryPoint.load


@pytest.mark.parametrize(
    ("how", "exit_code", "told"),
    [
        ("good", 0, ""),
        ("zero", 0, ""),
        ("one", 1, ""),
        ("usage", 2, "There is no game `x`.\nList them with `shoed games list`.\n(unknown-game)\n"),
        ("order", 1, "Record 7 was edited.\nKeep the file and call the maintainers.\n(damaged)\n"),
        ("bridge", 2, "The port is used by another program.\nEnd that program.\n(port-busy)\n"),
        ("interrupt", 130, ""),
        ("escape", 2, "The device said \\x1b[2J.\nLook at the device.\n(bad-text)\n"),
    ],
)
def test_a_command_ends_with_its_exit_code_and_two_sentences(
    commands: dict[str, str], capsys: pytest.CaptureFixture[str], how: str, exit_code: int, told: str
) -> None:
    assert cli.run(["failing", how]) == exit_code
    assert capsys.readouterr() == ("", told)


def test_with_json_an_error_is_an_object(commands: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["failing", "order", "--json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err) == {
        "error": {"code": "damaged", "what": "Record 7 was edited.", "do": "Keep the file and call the maintainers."}
    }


def test_a_defect_shows_its_trace_and_has_its_own_exit_code(commands: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["failing", "defect"]) == cli.EXIT_DEFECT
    told = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in told
    assert told.endswith("(defect)\n")


@pytest.mark.parametrize("name", ["gone", "odd"])
def test_a_command_that_cannot_be_loaded_is_named_only_when_called(
    commands: dict[str, str], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert cli.run(["failing", "good"]) == 0
    assert capsys.readouterr().err == ""
    assert cli.run([name]) == 2
    told = capsys.readouterr().err
    assert f"`{name}` ({commands[name]}) cannot be loaded" in told
    assert told.endswith("(command-not-loadable)\n")


def test_the_list_of_commands_survives_one_that_cannot_be_loaded(commands: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    told = capsys.readouterr().out
    assert "Fail in the way that is asked for." in told
    assert "(command-not-loadable)" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["failng"], "There is no command `failng`. Did you mean `failing`?"),
        (["zzzzzz"], "There is no command `zzzzzz`. `shoed --help` lists the commands."),
        (["failing"], "Missing argument 'HOW'."),
        (["failing", "good", "--jsn"], "No such option '--jsn'."),
        (["--what"], "No such option '--what'."),
    ],
)
def test_a_slip_on_the_command_line_is_told_with_the_next_step(
    commands: dict[str, str], capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert cli.run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(told)
    assert captured.err.endswith("(usage)\n")
    assert "--help` shows what can be written here." in captured.err


def test_without_a_command_the_help_is_shown(commands: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([]) == 2
    assert "Commands:" in capsys.readouterr().err


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out == "shoed 0.1.0\n"


def test_the_installed_commands_are_these() -> None:
    assert cli.root.list_commands(click.Context(cli.root)) == [
        "demo", "device", "doctor", "games", "journal", "ports", "profile", "run", "scenario", "simulate",
    ]  # fmt: skip


def test_a_table_aligns_words_left_and_numbers_right() -> None:
    rows = [["ante", "5"], ["jacks_plus", "-"], ["bet", "12.50"]]
    assert output.format_table(["wager", "amount"], rows) == [
        "wager       amount",
        "----------  ------",
        "ante             5",
        "jacks_plus       -",
        "bet          12.50",
    ]


def test_a_listing_is_a_table_or_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, object]] = [
        {"seat": 3, "card": parse_card("9h"), "shown": True, "to": ["a", "b"]},
        {"seat": 4, "card": None, "shown": False, "to": []},
    ]
    output.write_listing(rows, ["seat", "card", "shown", "to"], as_json=True)
    assert capsys.readouterr().out == ('{"seat":3,"card":"9h","shown":true,"to":["a","b"]}\n{"seat":4,"card":null,"shown":false,"to":[]}\n')
    output.write_listing(rows, ["seat", "card", "shown", "to"], as_json=False)
    assert capsys.readouterr().out.splitlines()[2:] == ["   3  9h    yes    a, b", "   4  -     no     -"]
    output.write_listing([], ["seat"], as_json=False)
    assert capsys.readouterr().out == "(none)\n"


@pytest.mark.requirement("EQ-71")
def test_a_sealed_card_has_no_written_form() -> None:
    with pytest.raises(TypeError):
        output.encode_json({"card": Sealed(parse_card("9h"))})


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain", "plain"), ("a\x1b[2Jb", "a\\x1b[2Jb"), ("line\nnext", "line\\nnext"), ("\x9b1m", "\\x9b1m"), ("é", "é")],
)
def test_control_characters_never_reach_the_screen(text: str, shown: str) -> None:
    assert output.printable(text) == shown


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    shoed = Path(sys.executable).parent / "shoed"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {shoed} --help | true"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0

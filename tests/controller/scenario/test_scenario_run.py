"""`shoed scenario run`: exit codes, what is written, and that one bad file spoils no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.main import run

GOOD = """
scenario = 1
title = "one card"
game = "colorado-hold-em-poker"
method = "hand"
steps = [
  { wager = { seat = 5, ante = 10 } },
  { close_bets = true, expect = { gate = "open" } },
  { card = "9h", expect = { to = "seat 5", face = "down" } },
]
"""


def write(folder: Path, name: str, text: str) -> str:
    path = folder / f"{name}.scenario.toml"
    path.write_text(text)
    return str(path)


def test_a_file_that_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "good", GOOD)
    assert run(["scenario", "run", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": path,
        "passed": True,
        "steps": 3,
        "failed_step": None,
        "expected": None,
        "actual": None,
    }
    assert run(["scenario", "run", path]) == 0
    assert "1 of 1 scenarios hold" in capsys.readouterr().out


def test_a_wrong_expectation_tells_step_expected_and_actual(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "wrong", GOOD.replace('to = "seat 5"', 'to = "seat 4"'))
    assert run(["scenario", "run", path, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["passed"], told["failed_step"]) == (False, 3)
    assert (told["expected"], told["actual"]) == ({"to": "seat 4"}, {"to": "seat 5"})
    assert run(["scenario", "run", path]) == 1
    out = capsys.readouterr().out
    assert path in out
    assert "step 3 of 3" in out
    assert "expected to = 'seat 4'" in out
    assert "actual   to = 'seat 5'" in out


def test_an_unforeseen_refusal_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "refused", GOOD.replace("close_bets = true", 'decide = { seat = 5, choose = "bet" }'))
    assert run(["scenario", "run", path, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["actual"]["refused"] == "not-expected-now"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("card =", "crad =", "bad-scenario"),
        ("colorado-hold-em-poker", "colorado-hold-em", "unknown-game"),
        ('"hand"', '"hands"', "unknown-method"),
        ("steps = [", "house = { stub_cuont_every = 5 }\nsteps = [", "unknown-setting"),
    ],
)
def test_a_file_that_cannot_be_played_ends_with_2_and_spoils_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, code: str
) -> None:
    bad, good = write(tmp_path, "bad", GOOD.replace(old, new)), write(tmp_path, "good", GOOD)
    assert run(["scenario", "run", bad, good, "--json"]) == 2
    first, second = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (first["file"], first["passed"], first["error"]["code"]) == (bad, False, code)
    assert second["passed"]
    assert run(["scenario", "run", bad, good]) == 2
    assert f"({code})" in capsys.readouterr().err


def test_a_folder_means_all_scenarios_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "one", GOOD)
    write(tmp_path, "two", GOOD)
    assert run(["scenario", "run", str(tmp_path)]) == 0
    assert "2 of 2 scenarios hold" in capsys.readouterr().out
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(["scenario", "run", str(empty)]) == 2


def test_a_missing_file_ends_with_2(tmp_path: Path) -> None:
    assert run(["scenario", "run", str(tmp_path / "none.scenario.toml")]) == 2


def test_time_is_virtual(tmp_path: Path) -> None:
    late = GOOD.replace('{ card = "9h",', '{ card = "9h", at = 86400,')
    assert run(["scenario", "run", write(tmp_path, "late", late)]) == 0

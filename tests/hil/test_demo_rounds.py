"""The demonstration: whole rounds through the real daemon, with readable lines and a journal that verifies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.main import run

FAST = ["--speed", "100", "--seed", "5"]


def test_rounds_are_told_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--rounds", "2", "--keep", str(tmp_path), *FAST]) == 0
    out = capsys.readouterr().out
    assert "Colorado Hold 'Em Poker, manual-shoe, seed 5" in out
    assert "---- round 2" in out
    assert "a card to seat 1, face down" in out
    assert "[13:69F-23.8(c), analogy]" in out
    assert "       = seat 5:" in out
    assert out.splitlines()[-1].startswith("2 rounds dealt. The journal is in order:")
    assert (tmp_path / "journal.db").exists()
    assert run(["journal", "verify", str(tmp_path / "journal.db")]) == 0


def test_a_fault_is_shown_and_the_table_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--rounds", "1", "--fault", "face-up@2", *FAST]) == 0
    out = capsys.readouterr().out
    assert "a card to discard, face up" in out
    assert "! card-face-up: discard-and-continue" in out


def test_json_is_one_object_a_line_and_tells_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["demo", "--game", "winners-pot-poker", "--method", "hand", "--rounds", "1", "--json", *FAST]
    assert run(arguments) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[-1]["journal_ok"] is True
    assert {row["act"] for row in rows[:-1]} >= {"open", "load", "shuffle", "wager", "close_bets", "card", "collect"}
    assert all(set(row) == {"entry", "act", "by", "outcome"} for row in rows[:-1])


def test_another_house_is_played_and_a_muck_is_shuffled_into_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--game", "poker", "--house", "variant=triple-draw", "--rounds", "2", "--speed", "100", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert "chooses draw, discards" in out
    assert "into the rest of the deck, cut, and deal on" in out
    assert out.splitlines()[-1].startswith("2 rounds dealt. The journal is in order:")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--house", "seats"], "NAME=VALUE"),
        (["--game", "poker", "--house", "variant=omahaha"], "it takes holdem, omaha"),
        (["--game", "colorado-hold-em"], "did you mean 'colorado-hold-em-poker'"),
        (["--method", "hands"], "did you mean 'hand'"),
        (["--fault", "jamm"], "did you mean 'jam'"),
        (["--game", "fast-action-hold-em", "--method", "hand"], "not permitted"),
    ],
)
def test_bad_input_is_a_sentence(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", *arguments]) == 2
    assert words in capsys.readouterr().err

"""Diagnostic mode without a daemon: persons prove themselves where a configuration at hand knows them, and are believed where none does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.cli.main import run
from controller.service.persons import hash_code

CODES = {"technician:T3": "123456", "supervisor:S1": "654321"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration that knows two persons."""
    people = "".join(
        f'[[person]]\nrole = "{role}"\nname = "{name}"\ncode = "{hash_code(code, name.encode().ljust(16))}"\n'
        for (role, name), code in ((person.split(":"), code) for person, code in CODES.items())
    )
    file = tmp_path / "table.toml"
    file.write_text(
        'config = 1\njournal = { path = "j.db", key_file = "keys.json" }\napi = { port = 0, token_file = "token" }\n'
        '[[table]]\nid = "T1"\ngame = "colorado-hold-em-poker"\nmethod = "hand"\n'
        f'[[table.device]]\nname = "shoe"\nkind = "shoe"\nport = "tcp://127.0.0.1:1"\nserial = "SN-1"\n{people}'
    )
    return file


@pytest.mark.requirement("EQ-78", "EQ-81", "T-30")
@pytest.mark.parametrize(("second", "code"), [("654321", 0), ("000000", 2)])
def test_codes_are_asked_for_where_a_configuration_knows_them(
    beside: Callable[..., Any],
    diagnostic: list[str],
    config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    second: str,
    code: int,
) -> None:
    typed = {**CODES, "supervisor:S1": second}
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda prompt: next(c for person, c in typed.items() if person in prompt))
    shoe = beside(serial="SN-1")
    words = ["selftest", "--config", str(config), "--at", "T1/shoe", "--port", shoe.url, *diagnostic]
    assert run(["device", *words]) == code
    told = capsys.readouterr()
    lines = [json.loads(line) for line in (tmp_path / "work.jsonl").read_text().splitlines()]
    if code:
        assert "This is not the code of supervisor:S1." in told.err
        assert [(line["what"], line["person"]) for line in lines] == [("code-wrong", "supervisor:S1")]
    else:
        assert (lines[0]["what"], lines[0]["proved"]) == ("diagnosis-entered", True)
        assert "taken on their word" not in told.err
    assert not any(c in text for c in typed.values() for text in (told.out, told.err, str(lines)))


def test_without_a_configuration_persons_are_believed_which_is_told(
    beside: Callable[..., Any], diagnostic: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(serial="SN-1")
    assert run(["device", "selftest", "--port", shoe.url, *diagnostic]) == 0
    assert "taken on their word" in capsys.readouterr().err
    assert json.loads((tmp_path / "work.jsonl").read_text().splitlines()[0])["proved"] is False

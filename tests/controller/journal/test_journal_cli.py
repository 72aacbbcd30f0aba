"""The command line: sentences, JSON, exit codes, and no hidden card before its time."""

from __future__ import annotations

import json
import sys
import types

import pytest
from click.testing import CliRunner

from controller.cli.journal import command
from controller.errors import ShoedError
from controller.journal.export import verify_export
from controller.journal.keys import create_keys


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


@pytest.fixture
def kept(shop):
    shop.keys = create_keys(shop.folder / "keys")
    journal = shop.open()
    for at in range(14):
        journal.append_now(shop.draft(at, cards=b"\x19"))
    (shop.folder / "anchor").write_bytes(journal.export_head() + b"\n")
    journal.close()
    return shop


def test_verify_says_that_it_is_in_order(kept):
    code, output = run("verify", kept.path)
    assert code == 0
    assert "is in order: 14 records without a gap, signed up to record 14; the hidden cards were not opened." in output
    code, output = run("verify", kept.path, "--keys", kept.folder / "keys", "--anchor", kept.folder / "anchor", "--json")
    told = json.loads(output)
    assert (code, told["ok"], told["entries"], told["cards_checked"], told["damage"]) == (0, True, 14, True, None)


def test_verify_names_the_damage_with_exit_code_1(kept):
    kept.sql("UPDATE entries SET record = replace(record, 'seat', 'sEat') WHERE number = 7")
    code, output = run("verify", kept.path)
    assert code == 1
    assert f"The journal {kept.path} is damaged: record 7 of table T1 was edited" in output
    code, output = run("verify", kept.path, "--json")
    assert code == 1
    damage = json.loads(output)["damage"]
    assert (damage["kind"], damage["number"], damage["table"]) == ("edited", 7, "T1")


def test_verify_with_another_trusted_key(kept):
    code, output = run("verify", kept.path, "--public-key", "00" * 32)
    assert code == 1
    assert "another signing key" in output


def test_round_opens_cards_only_when_it_is_over_and_the_key_is_there(kept):
    _, over = run("round", kept.path, "T1", 0, "--keys", kept.folder / "keys")
    assert "Table T1, shoe 1, round 0: over." in over
    assert over.count('"9c"') == 10
    _, without_key = run("round", kept.path, "T1", 0)
    assert "stay closed without the key" in without_key
    _, open_round = run("round", kept.path, "T1", 1, "--keys", kept.folder / "keys")
    assert "not over, hidden cards stay closed" in open_round
    assert "9c" not in without_key + open_round
    _, lines = run("round", kept.path, "T1", 0, "--keys", kept.folder / "keys", "--json")
    objects = [json.loads(line) for line in lines.splitlines()]
    assert [o["number"] for o in objects] == list(range(1, 11))
    assert objects[3]["body"]["act"] == {"at": 3, "hidden": ["9c"]}
    assert objects[0]["time"] == "2026-01-01T00:00:00.003Z"


def test_export_writes_what_verifies_and_overwrites_nothing(kept):
    code, output = run("export", kept.path)
    assert code == 0
    assert verify_export(output.encode().splitlines()) is None
    out = kept.folder / "plain.jsonl"
    run("export", kept.path, "--out", out)
    assert out.read_bytes() == output.encode()
    with pytest.raises(Exception, match="cannot be written as a new file"):
        run("export", kept.path, "--out", out)
    _, some = run("export", kept.path, "--table", "T1", "--round", 1, "--from", "2026-01-01", "--until", "2026-01-02")
    assert some.count('"line":"entry"') == 4


def test_replay_asks_for_todays_verdicts(kept, monkeypatch):
    rules = types.ModuleType("controller.service.replay")
    rules.rejudge = lambda entries: [f"record {e.entry.number} differs" for e in entries if e.entry.number == 5]
    monkeypatch.setitem(sys.modules, "controller.service.replay", rules)
    code, output = run("replay", kept.path, "--keys", kept.folder / "keys")
    assert code == 1
    assert "Table T1: 14 records judged again, 1 verdicts differ." in output
    assert "record 5 differs" in output
    rules.rejudge = lambda entries: [f"{e}" for e in entries if e.entry.number > 14]
    code, output = run("replay", kept.path, "--table", "T1", "--keys", kept.folder / "keys", "--json")
    assert (code, json.loads(output)) == (0, {"table": "T1", "entries": 14, "differences": []})
    with pytest.raises(Exception, match="no table T9"):
        run("replay", kept.path, "--table", "T9")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE entries SET record = replace(record, 'seat', 'sEat') WHERE number = 7", "record 7 of table T1 was edited"),
        ("UPDATE entries SET hash = x'00' WHERE number = 6", "record 6 of table T1 was"),
    ],
)
def test_what_is_shown_of_a_damaged_journal_is_shown_with_a_warning(kept, monkeypatch, statement, words):
    rules = types.ModuleType("controller.service.replay")
    rules.rejudge = lambda entries: [str(entry) for entry in entries if entry.entry.number > 14]
    monkeypatch.setitem(sys.modules, "controller.service.replay", rules)
    keys = kept.folder / "keys"
    commands = [("round", kept.path, "T1", 0), ("replay", kept.path, "--keys", keys), ("export", kept.path)]
    for line in commands:
        code, output = run(*line)
        assert (code, "is damaged" in output) == (0, False), line
    kept.sql(statement)
    for line in commands:
        code, output = run(*line)
        assert code == 1, line
        assert words in output
        assert "not what was recorded" in output
        assert len(output.splitlines()) > 2, "what is left is shown all the same"


def test_a_round_whose_record_before_is_gone_says_so(kept):
    kept.sql(
        "DELETE FROM entries WHERE number = 1", "UPDATE entries SET record = replace(record, '\"back\":1,', '\"back\":0,') WHERE number = 2"
    )
    code, output = run("round", kept.path, "T1", 0)
    assert code == 1
    assert "record 1, which record 2 of table T1 rests on, is missing" in output


def test_keys_are_made_and_told_by_their_public_half(tmp_path):
    code, output = run("keys", tmp_path / "new-keys", "--json")
    told = json.loads(output)
    assert (code, len(told["public_key"])) == (0, 64)
    secret = json.loads((tmp_path / "new-keys").read_text())
    assert secret["seal_key"] not in output
    assert secret["signing_key"] not in output


@pytest.mark.parametrize("name", ["verify", "export", "replay"])
def test_a_missing_journal_is_a_sentence_and_exit_code_2(tmp_path, name):
    with pytest.raises(ShoedError) as caught:
        run(name, tmp_path / "none")
    assert caught.value.exit_code == 2
    assert "There is no journal" in caught.value.what

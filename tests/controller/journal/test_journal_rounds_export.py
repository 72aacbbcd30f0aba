"""A round rebuilt, hidden cards only when it is over; the plain export checked by a reader that knows nothing of us."""

from __future__ import annotations

import hashlib
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.journal.errors import JournalKeyError, NoSuchRoundError
from controller.journal.export import Selection, export_lines, verify_export
from controller.journal.reader import open_reader
from controller.journal.replay import replay_table
from controller.journal.rounds import show_round


@pytest.fixture
def played(shop):
    """Round 0 of T1 over, round 1 begun; each entry hides the nine of clubs."""
    journal = shop.open()
    for at in range(14):
        journal.append_now(shop.draft(at, cards=b"\x19"))
    journal.close()
    return shop


@pytest.mark.requirement("EQ-90")
def test_a_round_that_is_over_shows_its_hidden_cards(played):
    with open_reader(played.path, seal_key=played.keys.seal_key) as reader:
        shown = show_round(reader, "T1", 0)
    assert (shown.is_over, shown.cards_shown, len(shown.entries)) == (True, True, 10)
    for at, opened in enumerate(shown.entries):
        assert json.loads(opened.body_shown())["act"] == {"at": at, "hidden": ["9c"]}


@pytest.mark.requirement("EQ-90")
def test_a_round_that_is_not_over_keeps_them_closed(played):
    with open_reader(played.path, seal_key=played.keys.seal_key) as reader:
        shown = show_round(reader, "T1", 1)
    assert (shown.is_over, shown.cards_shown) == (False, False)
    assert all(opened.cards == b"" and b'{"sealed":0}' in opened.body_shown() for opened in shown.entries)
    with open_reader(played.path) as reader:
        assert not show_round(reader, "T1", 0).cards_shown, "over, but without the key"


@pytest.mark.parametrize("fact", ["RoundCompleted", "RoundVoided"])
def test_both_ends_of_a_round_count_and_only_as_facts(shop, fact):
    journal = shop.open()
    bodies = [
        f'{{"act":{{"note":"{fact}"}},"facts":[{{"fact":"Noted","note":"{fact}"}}]}}',
        '{"facts":7}',
        '{"other":1}',
        f'{{"facts":[{{"fact":"{fact}"}}]}}',
    ]
    for number, body in enumerate(bodies):
        draft = shop.draft(0, round=number)
        journal.append_now(type(draft)("T1", 1, number, "note", body.encode()))
    with open_reader(shop.path, seal_key=shop.keys.seal_key) as reader:
        assert [show_round(reader, "T1", number).is_over for number in range(4)] == [False, False, False, True]


def test_rounds_that_do_not_exist_or_exist_twice(shop):
    journal = shop.open()
    for shoe in (1, 2):
        for at in range(10):
            journal.append_now(shop.draft(at, shoe=shoe))
    with open_reader(shop.path) as reader:
        with pytest.raises(NoSuchRoundError, match="in each of the shoes 1, 2"):
            show_round(reader, "T1", 0)
        assert show_round(reader, "T1", 0, shoe=2).entries[0].entry.number == 11
        with pytest.raises(NoSuchRoundError, match="no round 5"):
            show_round(reader, "T1", 5)
        with pytest.raises(NoSuchRoundError, match="no table T9"):
            show_round(reader, "T9", 0)


def read_offline(lines: list[bytes]) -> int:
    """Check an export with nothing but its description; return how many entries it holds."""
    header, *rest = (json.loads(line) for line in lines)
    assert hashlib.sha256(b"shoed journal header 1\n" + header["body"].encode()).hexdigest() == header["hash"]
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(json.loads(header["body"])["public_key"]))
    hashes, link = [header["hash"]], "0" * 64
    for line in rest:
        if line["line"] == "entry":
            sealed = bytes.fromhex(line["sealed"])
            content = bytes.fromhex(line["before"]) + len(sealed).to_bytes(2, "big") + sealed + line["record"].encode()
            assert hashlib.sha256(content).hexdigest() == line["hash"]
            assert line["before"] == hashes[-1]
            assert json.loads(line["record"].split("\n")[0])["number"] == len(hashes)
            hashes.append(line["hash"])
        else:
            message, signature = line["message"].encode(), bytes.fromhex(line["signature"])
            key.verify(signature, b"shoed journal checkpoint 1\n" + message)
            told = json.loads(message)
            assert told["before"] == link
            assert told["hash"] == hashes[told["number"]]
            link = hashlib.sha256(message + signature).hexdigest()
    return len(hashes) - 1


@pytest.mark.requirement("EQ-89")
def test_an_export_is_checked_without_this_program(shop):
    shop.write(60, checkpoint_entries=20)
    with open_reader(shop.path) as reader:
        lines = list(export_lines(reader))
    assert read_offline(lines) == 60
    assert verify_export(lines) is None


@pytest.mark.requirement("EQ-89")
def test_an_export_taken_while_the_table_plays_is_whole(shop):
    journal = shop.open(checkpoint_entries=5)
    journal.append_all_now([shop.draft(at) for at in range(7)])
    with open_reader(shop.path) as reader:
        lines = []
        for line in export_lines(reader):
            lines.append(line)
            if len(lines) == 3:
                journal.append_all_now([shop.draft(at) for at in range(7, 20)])
    assert read_offline(lines) == 7
    assert verify_export(lines) is None


@pytest.mark.requirement("EQ-89")
def test_every_change_of_an_export_is_found(shop):
    shop.write(12, checkpoint_entries=5)
    with open_reader(shop.path) as reader:
        lines = list(export_lines(reader))
    assert b'"line":"checkpoint"' in lines[13]
    changes = {
        5: [*lines[:4], lines[4].replace(b"CardDealt", b"CardDealT"), *lines[5:]],
        6: [*lines[:5], *lines[6:]],
        7: [*lines[:6], lines[7], lines[6], *lines[8:]],
        1: [lines[0].replace(b"T1", b"T3"), *lines[1:]],
        len(lines): [*lines[:10], *lines[13:]],
        15: [*lines[:14], lines[14].replace(b'\\"number\\":', b'\\"number\\":1'), *lines[15:]],
        14: [*lines[:13], *lines[14:]],
        13: lines[:13],
        len(lines) + 1: [*lines, b""],
    }
    for at, changed in changes.items():
        fault = verify_export(changed)
        assert fault is not None, f"change at {at} was not found"
    assert verify_export(lines[1:]).line == 1
    assert verify_export(lines[13:]).detail == "a checkpoint stands before the header"
    assert verify_export(lines[:13]).detail == "its checkpoints are missing"
    assert verify_export([]).detail == "its checkpoints are missing"


@pytest.mark.requirement("EQ-89")
def test_a_selection_by_table_round_and_time(shop):
    shop.write(60)
    with open_reader(shop.path) as reader:
        stamps = [entry.wall_ms for entry in reader.read_entries(None)]

        def numbers(selection: Selection) -> list[int]:
            found = (json.loads(line) for line in export_lines(reader, selection))
            return [json.loads(e["record"].split("\n")[0])["number"] for e in found if e["line"] == "entry"]

        assert numbers(Selection(table="T2", round=1)) == list(range(22, 42, 2))
        assert numbers(Selection(from_ms=stamps[10], until_ms=stamps[13])) == [11, 12, 13]
        lines = list(export_lines(reader, Selection(table="T2", round=1)))
    entry = json.loads(lines[3])
    sealed = bytes.fromhex(entry["sealed"])
    content = bytes.fromhex(entry["before"]) + len(sealed).to_bytes(2, "big") + sealed + entry["record"].encode()
    assert hashlib.sha256(content).hexdigest() == entry["hash"], "an entry can be checked alone"


def test_a_replay_hands_over_opened_entries_in_order(played):
    seen = []

    def rejudge(table_entries):
        seen.extend(table_entries)
        return [f"record {seen[2].entry.number} differs"]

    with open_reader(played.path, seal_key=played.keys.seal_key) as reader:
        found = replay_table(reader, "T1", rejudge)
    assert (found.entries, found.differences) == (14, ("record 3 differs",))
    assert [opened.entry.number for opened in seen] == list(range(1, 15))
    assert all(opened.cards == b"\x19" for opened in seen)
    assert "9c" not in repr(seen)
    with open_reader(played.path) as reader, pytest.raises(JournalKeyError, match="hidden cards and no key"):
        replay_table(reader, "T1", rejudge)


def test_people_can_read_the_file_with_any_sqlite_tool(played):
    rows = played.query("SELECT number, table_id, round, kind, boundary, body FROM readable WHERE round = 0")
    assert len(rows) == 10
    assert rows[0][:5] == (1, "T1", 0, "card", 1)
    assert json.loads(rows[0][5])["act"]["hidden"] == [{"sealed": 0}]


@pytest.mark.requirement("EQ-94")
def test_a_round_tells_under_which_rules_it_was_played(shop):
    journal = shop.open()

    def keep(number: int, kind: str, body: str) -> None:
        journal.append_now(type(shop.draft(0))("T1", 1, number, kind, body.encode()))

    keep(0, "other", '{"facts":[{"fact":"Noted"}]}')
    with open_reader(shop.path) as reader:
        assert show_round(reader, "T1", 0).rules is None
    keep(1, "started", '{"act":"started","rules_hash":"aa"}')
    keep(2, "card", '{"facts":[{"fact":"CardDealt"}]}')
    keep(3, "wager", '{"facts":[{"fact":"StateCarried","rules_hash":"bb"},{"fact":"Wagered"}]}')
    keep(3, "other", '{"facts":7}')
    with open_reader(shop.path) as reader:
        found = [show_round(reader, "T1", number).rules for number in (1, 2, 3)]
    assert [(rules.rules_hash, rules.number) for rules in found] == [("aa", 2), ("aa", 2), ("bb", 4)]

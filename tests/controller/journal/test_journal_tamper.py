"""Somebody with write access to the file: every edit, cut, exchange and forgery is found and its place named."""

from __future__ import annotations

import random
import sqlite3

import msgspec
import pytest

from controller.journal.checkpoint import open_checkpoint
from controller.journal.entry import chain_hash
from controller.journal.errors import DamageKind, JournalDamagedError
from controller.journal.reader import open_reader
from controller.journal.verify import verify_journal

ENTRIES = 40


def damage_of(shop, **checks):
    report = verify_journal(shop.path, seal_key=shop.keys.seal_key, **checks)
    assert not report.ok, report.sentence
    assert "is damaged" in report.sentence
    return report.damage


@pytest.fixture
def written(shop):
    shop.write(ENTRIES, checkpoint_entries=15)
    report = verify_journal(shop.path, seal_key=shop.keys.seal_key, public_key_hex=shop.keys.public_key_hex)
    assert report.ok, report.sentence
    assert (report.entries, report.signed_to, report.notices) == (ENTRIES, ENTRIES, ())
    return shop


CASES = {
    "a letter of a body": (
        "UPDATE entries SET record = replace(record, 'CardDealt', 'CardDealT') WHERE number = 12",
        (DamageKind.EDITED, 12, "T2", "was edited"),
    ),
    "another table in the head": (
        "UPDATE entries SET record = replace(record, '\"T2\"', '\"T1\"') WHERE number = 12",
        (DamageKind.EDITED, 12, "T1", "was edited"),
    ),
    "the head made unreadable": (
        "UPDATE entries SET record = substr(record, 5) WHERE number = 12",
        (DamageKind.EDITED, 12, "", "was edited"),
    ),
    "a stored hash": (
        "UPDATE entries SET hash = zeroblob(32) WHERE number = 12",
        (DamageKind.EDITED, 12, "T2", "the stored hash of record 12 of table T2 was altered"),
    ),
    "a hash cut short": (
        "UPDATE entries SET hash = x'00' WHERE number = 40",
        (DamageKind.EDITED, 40, "T2", "was cut"),
    ),
    "sealed cards": (
        "UPDATE entries SET sealed = zeroblob(length(sealed)) WHERE number = 12",
        (DamageKind.EDITED, 12, "T2", "was edited"),
    ),
    "bytes moved from the body to the sealed cards": (
        "UPDATE entries SET record = substr(record, 1, length(record) - 1), sealed = CAST('}' AS BLOB) WHERE number = 1",
        (DamageKind.EDITED, 1, "T1", "was edited"),
    ),
    "one record taken out": (
        "DELETE FROM entries WHERE number = 12",
        (DamageKind.REMOVED, 12, "T2", "record 12 of table T2 was taken out"),
    ),
    "some taken out": (
        "DELETE FROM entries WHERE number BETWEEN 12 AND 14",
        (DamageKind.REMOVED, 12, "", "records 12 to 14 were taken out"),
    ),
    "one taken out and the gap closed": (
        (
            "DELETE FROM entries WHERE number = 12; UPDATE entries SET number = -number + 1 WHERE number > 12;"
            "UPDATE entries SET number = -number WHERE number < 0"
        ),
        (DamageKind.REMOVED, 12, "T2", "record 12 of table T2 was taken out"),
    ),
    "the first taken out": ("DELETE FROM entries WHERE number = 1", (DamageKind.REMOVED, 1, "T1", "record 1 of")),
    "all taken out": (
        "DELETE FROM entries",
        (DamageKind.TRUNCATED, 1, "", "the end was cut off: records 1 to 15 are missing"),
    ),
    "the end cut off": (
        "DELETE FROM entries WHERE number > 37",
        (DamageKind.TRUNCATED, 38, "", "records 38 to 40 are missing, a signed checkpoint vouches for 40"),
    ),
    "the last cut off": ("DELETE FROM entries WHERE number = 40", (DamageKind.TRUNCATED, 40, "", "record 40 is missing")),
    "two neighbours exchanged": (
        (
            "UPDATE entries SET number = -1 WHERE number = 12; UPDATE entries SET number = 12 WHERE number = 13;"
            "UPDATE entries SET number = 13 WHERE number = -1"
        ),
        (DamageKind.REORDERED, 12, "T1", "record 13 of table T1 stands in the place of record 12, which stands at 13"),
    ),
    "two far ones exchanged": (
        (
            "UPDATE entries SET number = -1 WHERE number = 12; UPDATE entries SET number = 12 WHERE number = 31;"
            "UPDATE entries SET number = 31 WHERE number = -1"
        ),
        (DamageKind.REORDERED, 12, "T1", "record 31 of table T1 stands in the place of record 12"),
    ),
    "all moved by one": (
        "UPDATE entries SET number = -number; UPDATE entries SET number = 1 - number",
        (DamageKind.REORDERED, 1, "", "40 records are numbered 2 to 41, not 1 to 40"),
    ),
    "one put before the first": (
        "INSERT INTO entries SELECT 0, record, sealed, hash FROM entries WHERE number = 5",
        (DamageKind.REORDERED, 0, "", "numbered 0 to 40"),
    ),
    "the header": (
        "UPDATE header SET body = replace(body, 'T2', 'T3')",
        (DamageKind.EDITED, 1, "T1", "record 1 of table T1 was edited"),
    ),
    "no header": ("DELETE FROM header", (DamageKind.HEADER, 0, "", "the header is missing")),
    "a checkpoint's number": (
        "UPDATE checkpoints SET message = replace(message, '\"number\":15', '\"number\":14') WHERE seq = 2",
        (DamageKind.CHECKPOINT, 0, "", "checkpoint 2 was altered: its signature is wrong"),
    ),
    "a checkpoint taken out": (
        "DELETE FROM checkpoints WHERE seq = 2",
        (DamageKind.CHECKPOINT, 0, "", "checkpoint 2 was taken out"),
    ),
    "all checkpoints taken out": (
        "DELETE FROM checkpoints",
        (DamageKind.CHECKPOINT, 0, "", "signed checkpoints are missing"),
    ),
    "the first checkpoint": (
        "UPDATE checkpoints SET signature = zeroblob(64) WHERE seq = 1",
        (DamageKind.HEADER, 0, "", "the header was altered"),
    ),
    "the index of rounds": (
        "DELETE FROM spans WHERE round = 0 AND table_id = 'T1'",
        (DamageKind.INDEX, 19, "T1", "the index of rounds is wrong about round 0 of table T1"),
    ),
    "an entry that was never written": (
        "INSERT INTO entries SELECT 41, replace(record, '\"number\":39', '\"number\":41'), sealed, hash FROM entries WHERE number = 39",
        (DamageKind.EDITED, 41, "T1", "was edited"),
    ),
}


@pytest.mark.requirement("EQ-87", "T-29")
@pytest.mark.parametrize("name", CASES)
def test_the_first_damaged_record_is_named(written, name):
    statements, (kind, number, table, words) = CASES[name]
    written.sql(*statements.split(";"))
    damage = damage_of(written)
    assert (damage.kind, damage.number, damage.table) == (kind, number, table)
    assert words in damage.detail


@pytest.mark.parametrize("name", [name for name, (_, expected) in CASES.items() if expected[0] is not DamageKind.INDEX])
def test_start_up_refuses_the_same(written, name):
    statements, (kind, number, table, words) = CASES[name]
    written.sql(*statements.split(";"))
    with pytest.raises(JournalDamagedError) as caught:
        written.open()
    if name == "the header":  # start-up proves the header before it walks the chain
        assert caught.value.kind is DamageKind.HEADER
        return
    assert (caught.value.kind, caught.value.number, caught.value.table) == (kind, number, table)
    assert words in caught.value.what


def test_start_up_from_the_last_checkpoint_sees_damage_after_it(shop):
    journal = shop.open(checkpoint_entries=15)
    for at in range(20):
        journal.append_now(shop.draft(at))
    copy = shop.folder / "copy.journal"
    source = sqlite3.connect(f"file:{shop.path}?mode=ro", uri=True)
    target = sqlite3.connect(copy)
    source.backup(target)
    source.close()
    target.close()
    shop.path = copy
    shop.sql("UPDATE entries SET record = replace(record, 'seat', 'sEat') WHERE number IN (3, 18)")
    with pytest.raises(JournalDamagedError) as caught:
        shop.open(verify="tail")
    assert caught.value.number == 18
    with pytest.raises(JournalDamagedError) as caught:
        shop.open(verify="all")
    assert caught.value.number == 3


def test_a_past_recomputed_without_the_key_is_found(written):
    """The forger edits record 12 and makes every later hash again; only the signatures stay behind."""
    forge(written, 12)
    damage = damage_of(written)
    assert (damage.kind, damage.number) == (DamageKind.REWRITTEN, 1)
    assert "one of the records 1 to 15 was rewritten" in damage.detail
    with pytest.raises(JournalDamagedError) as caught:
        written.open(verify="tail")
    assert caught.value.kind is DamageKind.REWRITTEN


def test_a_past_recomputed_and_signed_anew_needs_the_trusted_key_to_be_found(written):
    forge(written, 33)
    damage = damage_of(written)
    assert (damage.kind, damage.number) == (DamageKind.REWRITTEN, 31)
    report = verify_journal(written.path, public_key_hex=written.other_keys.public_key_hex)
    assert report.damage is not None
    assert report.damage.kind is DamageKind.HEADER


def forge(shop, at: int) -> None:
    connection = sqlite3.connect(shop.path)
    rows = connection.execute("SELECT number, record, sealed, hash FROM entries WHERE number >= ?", (at - 1,)).fetchall()
    before = rows[0][3]
    for number, record, sealed, _ in rows[1:]:
        forged = record.replace("CardDealt", "CardDealT") if number == at else record
        before = chain_hash(before, forged.encode(), sealed)
        connection.execute("UPDATE entries SET record = ?, hash = ? WHERE number = ?", (forged, before, number))
    connection.commit()
    connection.close()


def test_sealed_cards_exchanged_by_somebody_who_can_sign(shop):
    """Even with every hash and signature made anew, a sealed card does not open at another record."""
    journal = shop.open()
    donor = shop.draft(1, cards=b"\x19")
    journal.append_now(shop.draft(0, cards=b"\x2d"))
    journal.append_now(donor)
    journal.close()
    rows = shop.query("SELECT number, record, sealed FROM entries")
    connection = sqlite3.connect(shop.path)
    connection.execute("UPDATE entries SET sealed = ? WHERE number = 1", (rows[1][2],))
    connection.execute("DELETE FROM checkpoints WHERE seq > 1")
    with open_reader(shop.path) as reader:
        before = reader.header_hash
    for number, record, sealed in connection.execute("SELECT number, record, sealed FROM entries").fetchall():
        before = chain_hash(before, record.encode(), sealed)
        connection.execute("UPDATE entries SET hash = ? WHERE number = ?", (before, number))
    connection.commit()
    connection.close()
    damage = damage_of(shop)
    assert (damage.kind, damage.number, damage.table) == (DamageKind.SEALED, 1, "T1")
    with open_reader(shop.path, seal_key=shop.keys.seal_key) as reader:
        (first, _) = reader.read_entries("T1")
        with pytest.raises(JournalDamagedError, match="record 1 do not open"):
            reader.open_entry(first)


@pytest.mark.requirement("EQ-87")
def test_an_end_cut_off_with_its_checkpoints_needs_the_anchor(shop):
    journal = shop.open(checkpoint_entries=10)
    for at in range(25):
        journal.append_now(shop.draft(at))
    anchor = journal.export_head()
    journal.close()
    assert verify_journal(shop.path, anchor=anchor).ok
    shop.sql(
        "DELETE FROM entries WHERE number > 10",
        "DELETE FROM checkpoints WHERE seq > 2",
        "DELETE FROM spans WHERE last > 9",
    )
    assert verify_journal(shop.path).ok, "no file can prove alone that it was longer"
    damage = damage_of(shop, anchor=anchor)
    assert (damage.kind, damage.number) == (DamageKind.TRUNCATED, 11)
    assert "the anchor vouches for 25" in damage.detail


@pytest.mark.requirement("EQ-87")
def test_an_anchor_of_another_journal_or_another_past(shop, tmp_path):
    journal = shop.open()
    journal.append_now(shop.draft(0))
    anchor = journal.export_head()
    journal.close()
    checkpoint = msgspec.json.decode(anchor)
    shop.path = tmp_path / "second.journal"
    shop.write(3)
    assert damage_of(shop, anchor=anchor).kind is DamageKind.ANCHOR
    assert damage_of(shop, anchor=b"{}").kind is DamageKind.ANCHOR
    checkpoint["signature"] = "00" * 64
    assert damage_of(shop, anchor=msgspec.json.encode(checkpoint)).kind is DamageKind.ANCHOR


def test_a_wall_clock_that_goes_back_is_told_and_is_no_damage(shop):
    journal = shop.open()
    journal.append_now(shop.draft(0))
    shop.clock.wall -= 3_600_000
    journal.append_now(shop.draft(1))
    journal.close()
    report = verify_journal(shop.path)
    assert report.ok
    assert report.notices == ("The wall clock went back 3599999 ms at record 2.",)
    assert shop.open().head.number == 2


def test_a_journal_in_use_is_verified_up_to_its_present_end(shop):
    journal = shop.open()
    for at in range(7):
        journal.append_now(shop.draft(at))
    report = verify_journal(shop.path)
    assert (report.ok, report.entries, report.signed_to) == (True, 7, 0)
    assert report.notices == ("The last 7 records follow the last checkpoint and are bound by the chain alone.",)


def flip(shop, rng: random.Random) -> int:
    content = bytearray(shop.path.read_bytes())
    at = rng.randrange(len(content))
    content[at] ^= 1 << rng.randrange(8)
    shop.path.write_bytes(content)
    return at


@pytest.mark.requirement("T-29")
@pytest.mark.parametrize("seed", range(60))
def test_a_flipped_bit_anywhere_is_found_or_touches_nothing(written, seed):
    """A bit in unused space changes no answer; a bit anywhere else is damage, and neither raises anything else."""
    good = [(e.number, e.body, e.sealed, e.hash) for e in open_reader(written.path).read_entries(None)]
    at = flip(written, random.Random(seed))
    report = verify_journal(written.path, seal_key=written.keys.seal_key)
    if report.ok:
        now = [(e.number, e.body, e.sealed, e.hash) for e in open_reader(written.path).read_entries(None)]
        assert now == good, f"seed {seed}: byte {at} changed what is read and nothing was said"
    else:
        assert report.damage.detail
        assert report.damage.number <= ENTRIES + 1


@pytest.mark.requirement("T-29")
@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.9, 0.99])
def test_a_file_cut_short_is_found(written, share):
    content = written.path.read_bytes()
    written.path.write_bytes(content[: int(len(content) * share)])
    assert not verify_journal(written.path, seal_key=written.keys.seal_key).ok
    with pytest.raises(JournalDamagedError):
        written.open()


def test_checkpoints_tell_the_tails_under_their_signature(written):
    with open_reader(written.path) as reader:
        last = list(reader.raw_checkpoints())[-1]
    checkpoint = open_checkpoint(last, written.keys.signing_key.public_key())
    assert checkpoint.tails == {"T1": 39, "T2": 40}

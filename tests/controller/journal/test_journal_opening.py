"""Opening checks first and changes nothing when it refuses; keys and seals keep what they promise."""

from __future__ import annotations

import subprocess
import sys

import pytest

from controller.journal.checkpoint import CheckpointReason
from controller.journal.errors import (
    EntryRefusedError,
    JournalBusyError,
    JournalDamagedError,
    JournalFailedError,
    JournalForeignError,
    JournalKeyError,
    JournalUnavailableError,
)
from controller.journal.keys import create_keys, load_keys
from controller.journal.reader import open_reader
from controller.journal.seal import EntrySeal, SealBrokenError
from controller.journal.verify import verify_journal


def test_the_journal_of_other_tables_is_refused_and_untouched(shop):
    shop.write(5)
    before = shop.contents()
    with pytest.raises(JournalForeignError) as caught:
        shop.open(["T1", "T7"])
    assert "the journal of table T1, T2, not of T1, T7" in caught.value.what
    assert caught.value.exit_code == 2
    assert shop.contents() == before
    assert shop.open(["T2", "T1"]).head.number == 5, "the order of the names does not matter"


@pytest.mark.parametrize("hot", [False, True], ids=["closed", "left by a kill"])
def test_a_damaged_journal_is_refused_and_untouched(shop, hot):
    journal = shop.open()
    for at in range(5):
        journal.append_now(shop.draft(at))
    journal.close()
    shop.sql("UPDATE entries SET record = replace(record, 'seat', 'sEat') WHERE number = 3")
    if hot:
        leave_hot_log(shop)
    (shop.folder / "table.journal.lock").unlink()
    before = shop.contents()
    with pytest.raises(JournalDamagedError) as caught:
        shop.open()
    assert (caught.value.number, caught.value.table, caught.value.exit_code) == (3, "T1", 1)
    assert "record 3 of table T1 was edited" in caught.value.what
    assert shop.contents() == before


def leave_hot_log(shop) -> None:
    script = (
        "import sqlite3, os, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "c.execute(\"INSERT INTO spans VALUES ('T1', 99, 1, 5)\")\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(shop.path)], check=False)
    assert (shop.folder / "table.journal-wal").stat().st_size > 0


def test_wrong_keys_are_refused_and_nothing_changes(shop):
    shop.write(5)
    before = shop.contents()
    with pytest.raises(JournalKeyError):
        shop.open(keys=shop.other_keys)
    assert shop.contents() == before
    with pytest.raises(JournalKeyError):
        open_reader(shop.path, seal_key=shop.other_keys.seal_key)
    with pytest.raises(JournalKeyError):
        verify_journal(shop.path, seal_key=shop.other_keys.seal_key)


def test_a_second_process_is_told_who_has_it(shop):
    script = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from controller.journal.lock import JournalLock\n"
        "lock = JournalLock(Path(sys.argv[1])); lock.sign(); print('held', flush=True); sys.stdin.read()\n"
    )
    shop.write(1)
    other = subprocess.Popen([sys.executable, "-c", script, str(shop.path), "."], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(JournalBusyError) as caught:
            shop.open()
        assert f"in use by process {other.pid}" in caught.value.what
        assert str(shop.path) in caught.value.what
    assert shop.open().head.number == 1, "the lock goes with its holder"


def test_one_process_cannot_open_it_twice(shop):
    shop.open()
    with pytest.raises(JournalBusyError):
        shop.open()


def test_a_missing_folder_and_a_file_that_is_no_journal(shop):
    shop.path = shop.folder / "no" / "table.journal"
    with pytest.raises(JournalUnavailableError):
        shop.open()
    for content in (b"", b"not a database, " * 100):
        shop.path = shop.folder / "other.journal"
        shop.path.write_bytes(content)
        with pytest.raises(JournalDamagedError):
            shop.open()
        with pytest.raises(JournalDamagedError):
            open_reader(shop.path)
        assert shop.path.read_bytes() == content
    with pytest.raises(JournalUnavailableError):
        open_reader(shop.folder / "none")
    with pytest.raises(EntryRefusedError):
        shop.open([])


def test_a_newer_schema_is_left_alone(shop):
    shop.write(3)
    shop.sql("PRAGMA user_version = 2")
    before = shop.contents()
    with pytest.raises(JournalUnavailableError, match="schema version 2; this program knows 1 to 1"):
        shop.open()
    assert shop.contents() == before


def test_a_log_without_its_file_is_not_taken_for_a_new_journal(shop):
    (shop.folder / "table.journal-wal").write_bytes(b"x" * 100)
    with pytest.raises(JournalDamagedError, match="write-ahead log"):
        shop.open()
    assert not shop.path.exists()


def test_a_creation_cut_short_is_begun_again(shop):
    (shop.folder / "table.journal.new").write_bytes(b"half a file")
    journal = shop.open()
    assert journal.append_now(shop.draft(0)) == 1
    assert not (shop.folder / "table.journal.new").exists()


def test_a_folder_where_nothing_can_be_made(shop, monkeypatch):
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("controller.journal.journal.connect_writer", refuse)
    with pytest.raises(JournalFailedError, match="ENOSPC"):
        shop.open()
    assert list(shop.folder.iterdir()) == []


def test_closed_it_is_one_whole_file(shop):
    journal = shop.open()
    journal.append_now(shop.draft(0))
    assert len(journal.last_entries("T1", 5)) == 1
    journal.close()
    kept = {name for name in shop.contents() if not name.endswith((".lock", ".ballast"))}
    assert kept == {"table.journal"}
    alone = shop.folder / "alone.journal"
    alone.write_bytes(shop.path.read_bytes())
    assert verify_journal(alone).entries == 1


def test_a_copy_in_a_folder_that_cannot_be_written_is_read(shop, monkeypatch):
    shop.write(3)
    monkeypatch.setattr("os.access", lambda *_args: False)  # the superuser could write everywhere
    before = sorted(shop.folder.iterdir())
    assert verify_journal(shop.path).entries == 3
    assert sorted(shop.folder.iterdir()) == before


def test_opened_twice_and_unused_it_does_not_grow(shop):
    shop.write(5)
    before = shop.path.read_bytes()
    for _ in range(2):
        shop.open().close()
    assert shop.path.read_bytes() == before


def test_a_checkpoint_comes_with_the_count_with_time_and_at_the_end(shop):
    journal = shop.open(checkpoint_entries=10, checkpoint_ms=1000)
    for at in range(12):
        journal.append_now(shop.draft(at))
    shop.clock.mono += 1_000_000_000
    journal.append_now(shop.draft(12))
    journal.append_now(shop.draft(13))
    journal.close()
    with open_reader(shop.path) as reader:
        from controller.journal.checkpoint import open_checkpoint

        key = shop.keys.signing_key.public_key()
        found = [open_checkpoint(signed, key) for signed in reader.raw_checkpoints()]
    assert [(c.number, c.reason) for c in found] == [
        (0, CheckpointReason.CREATED),
        (10, CheckpointReason.PERIODIC),
        (13, CheckpointReason.PERIODIC),
        (14, CheckpointReason.CLOSED),
    ]


def test_key_files_are_private_and_never_overwritten(tmp_path):
    path = tmp_path / "keys"
    made = create_keys(path)
    assert path.stat().st_mode & 0o777 == 0o600
    loaded = load_keys(path)
    assert (loaded.seal_key, loaded.public_key_hex) == (made.seal_key, made.public_key_hex)
    assert made.seal_key.hex() not in repr(made) + str(made)
    with pytest.raises(JournalKeyError, match="not overwritten"):
        create_keys(path)
    path.chmod(0o644)
    with pytest.raises(JournalKeyError, match="read by others"):
        load_keys(path)
    for content in (b"", b"{}", b'{"format":"x","seal_key":"00","signing_key":"00"}', b"\xff" * 5000):
        path.chmod(0o600)
        path.write_bytes(content)
        with pytest.raises(JournalKeyError):
            load_keys(path)
    with pytest.raises(JournalKeyError):
        load_keys(tmp_path / "none")
    with pytest.raises(JournalKeyError):
        create_keys(tmp_path / "no" / "keys")


def test_a_seal_holds_to_its_record_its_table_and_its_file():
    seal = EntrySeal(bytes(32), "ab" * 16)
    sealed = seal.seal_cards(b"\x19\x2d", 7, "T1")
    assert seal.open_cards(sealed, 7, "T1") == b"\x19\x2d"
    assert b"\x19\x2d" not in sealed
    wrong = [
        (seal, sealed, 8, "T1"),
        (seal, sealed, 7, "T2"),
        (EntrySeal(bytes(32), "cd" * 16), sealed, 7, "T1"),
        (EntrySeal(bytes(31) + b"\1", "ab" * 16), sealed, 7, "T1"),
        (seal, sealed[:-1], 7, "T1"),
        (seal, sealed[:10], 7, "T1"),
        (seal, bytes([sealed[0] ^ 1]) + sealed[1:], 7, "T1"),
    ]
    for opener, content, number, table in wrong:
        with pytest.raises(SealBrokenError):
            opener.open_cards(content, number, table)


def test_a_number_given_again_gets_another_nonce():
    draws = iter([b"AAAA", b"BBBB"])
    seal = EntrySeal(bytes(32), "ab" * 16, lambda count: next(draws))
    first = seal.seal_cards(b"\x19", 7, "T1")
    seal.begin_attempt()
    second = seal.seal_cards(b"\x2d", 7, "T1")
    assert first[:4] != second[:4]
    assert bytes(a ^ b for a, b in zip(first[4:5], second[4:5], strict=True)) != bytes([0x19 ^ 0x2D])

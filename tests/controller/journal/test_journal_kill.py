"""Killed at random moments, again and again on one file: it verifies, and every acknowledged number is there."""

from __future__ import annotations

import contextlib
import os
import random
import select
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.reader import open_reader
from controller.journal.verify import verify_journal

WRITER = Path(__file__).with_name("journal_kill_writer.py")
TABLES = [f"T{n}" for n in range(5)]


def kill_while_writing(path: Path, rng: random.Random) -> int:
    """Run a writer, kill it after a random number of answers and return the last number that it acknowledged."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    wanted = rng.choice([0, 1, 2, rng.randrange(60), rng.randrange(600)])
    with subprocess.Popen([sys.executable, str(WRITER), str(path)], stdout=subprocess.PIPE, env=environment) as writer:
        assert writer.stdout is not None
        told = b""
        while told.count(b"\n") <= wanted:
            ready, _, _ = select.select([writer.stdout], [], [], 60)
            assert ready, "the writer stands still"
            piece = os.read(writer.stdout.fileno(), 65536)
            assert piece, "the writer ended by itself"
            told += piece
        with contextlib.suppress(ProcessLookupError):
            writer.kill()
        told += writer.stdout.read()
    complete = told[: told.rindex(b"\n")]
    return max(int(number) for number in complete.split(b"\n"))


def kill_many_times(path: Path, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    before = 0
    for kill in range(kills):
        acknowledged = kill_while_writing(path, rng)
        report = verify_journal(path, seal_key=bytes(range(32)))
        assert report.ok, f"seed {seed}, kill {kill}: {report.sentence}"
        assert report.entries >= max(acknowledged, before), f"seed {seed}, kill {kill}: acknowledged records are gone"
        before = report.entries
    with open_reader(path) as reader:
        listed = [entry.number for entry in reader.read_entries(None)]
        assert listed == list(range(1, before + 1))
        for table in TABLES:
            fold = reader.fold_entries(table)
            if fold:
                assert fold[0].boundary
                assert [e.number for e in fold] == [e.number for e in reader.read_entries(table, after=fold[0].number - 1)]


@pytest.mark.requirement("EQ-96", "T-28")
def test_twenty_kills_lose_nothing_acknowledged(tmp_path):
    kill_many_times(tmp_path / "table.journal", 20, seed=2026)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.requirement("EQ-96", "T-28")
@pytest.mark.parametrize("seed", range(10))
def test_five_hundred_kills_lose_nothing_acknowledged(tmp_path, seed):
    kill_many_times(tmp_path / "table.journal", 50, seed)


def test_killed_while_being_made_it_is_made_again(tmp_path, shop):
    """Whatever a creation left beside the place, the next one begins anew and leaves one whole journal."""
    journal = shop.open()
    journal.append_now(shop.draft(0))
    journal.close()
    whole = shop.path.read_bytes()
    for share in (0, 100, len(whole) // 2, len(whole)):
        place = tmp_path / f"made-{share}"
        place.mkdir()
        (place / "table.journal.new").write_bytes(whole[:share])
        (place / "table.journal.new-wal").write_bytes(whole[:share])
        shop.path = place / "table.journal"
        again = shop.open()
        assert again.head.number == 0
        again.close()
        assert verify_journal(shop.path).ok

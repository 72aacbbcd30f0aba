"""A full or failing disk is a state with a message; nothing acknowledged is lost, and it goes on when there is room."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.batch import JournalState
from controller.journal.errors import JournalFailedError, JournalFullError
from controller.journal.verify import verify_journal

BIG = b'{"pad":"' + b"x" * 3000 + b'"}'


def fill(journal, shop) -> int:
    """Append until the journal is full; return how many were acknowledged."""
    refused = None
    count = journal.head.number
    while refused is None:
        try:
            assert journal.append_now(big(shop, count)) == count + 1
            count += 1
        except JournalFullError as error:
            refused = error
    assert "no room" in refused.what
    assert refused.do.startswith("Free space")
    return count


def big(shop, at: int):
    draft = shop.draft(at)
    return type(draft)(draft.table, draft.shoe, draft.round, draft.kind, BIG)


@pytest.mark.requirement("EQ-96", "T-28")
def test_full_is_a_state_and_loses_nothing(shop):
    journal = shop.open(page_max=40)
    count = fill(journal, shop)
    assert count > 10
    assert (journal.state, journal.state_reason) == (JournalState.FULL, "SQLITE_FULL")
    with pytest.raises(JournalFullError):
        journal.append_now(shop.draft(count))
    assert [entry.number for entry in journal.read_entries("T1")] == list(range(1, count + 1))
    for _ in range(3):  # a probe's small record may still fit where an entry does not: then it is full again
        if journal.probe() is JournalState.READY:
            assert fill(journal, shop) == count
    journal.close()
    assert journal.state is JournalState.CLOSED
    report = verify_journal(shop.path)
    assert (report.ok, report.entries) == (True, count)
    again = shop.open()
    assert again.append_now(shop.draft(count)) == count + 1


def test_it_goes_on_by_a_probe_when_there_is_room(shop):
    journal = shop.open(page_max=40)
    count = fill(journal, shop)
    journal._writer.store._options = type(journal._writer.store._options)(ballast_bytes=65536)  # the disk has grown
    assert journal.probe() is JournalState.READY
    assert journal.append_now(shop.draft(count)) == count + 1
    journal.close()
    assert verify_journal(shop.path, seal_key=shop.keys.seal_key).ok


async def test_everyone_who_waits_is_told(shop):
    journal = shop.open(page_max=30)
    results = await asyncio.gather(*(journal.append(big(shop, at)) for at in range(200)), return_exceptions=True)
    numbers = [result for result in results if isinstance(result, int)]
    refused = [result for result in results if isinstance(result, JournalFullError)]
    assert len(numbers) + len(refused) == 200
    assert refused
    assert numbers == list(range(1, len(numbers) + 1))
    assert journal.head.number == len(numbers)
    with pytest.raises(JournalFullError):
        await journal.append(shop.draft(0))
    await journal.aclose()
    assert verify_journal(shop.path).entries == len(numbers)


def test_closing_records_use_the_reserve(shop):
    """The store is told that the disk is full until the reserve is given up: what a real full disk does."""
    ballast = shop.folder / "table.journal.ballast"

    def full_while_reserved() -> None:
        if ballast.exists() and (shop.folder / "full").exists():
            raise full_error()

    journal = shop.open(stall=full_while_reserved)
    assert ballast.stat().st_size == 65536
    journal.append_now(shop.draft(0))
    (shop.folder / "full").touch()
    with pytest.raises(JournalFullError):
        journal.append_now(shop.draft(1))
    assert ballast.exists(), "an ordinary entry does not touch the reserve"
    assert journal.append_now(shop.draft(1), closing=True) == 2
    assert not ballast.exists()
    with pytest.raises(JournalFullError):
        journal.append_now(shop.draft(2))
    assert journal.append_now(shop.draft(2), closing=True) == 3
    (shop.folder / "full").unlink()
    assert journal.probe() is JournalState.READY
    assert ballast.exists(), "the reserve is taken again"
    assert journal.append_now(shop.draft(3)) == 4
    journal.close()
    assert verify_journal(shop.path).ok


def full_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    error.sqlite_errorname = "SQLITE_FULL"
    return error


def test_a_disk_that_fails_is_told_apart_from_a_full_one(shop):
    broken = [False]

    def stall() -> None:
        if broken[0]:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
            raise error

    journal = shop.open(stall=stall)
    journal.append_now(shop.draft(0))
    broken[0] = True
    with pytest.raises(JournalFailedError, match="SQLITE_IOERR_FSYNC"):
        journal.append_now(shop.draft(1))
    assert journal.state is JournalState.FAILED
    assert journal.probe() is JournalState.FAILED
    broken[0] = False
    assert journal.probe() is JournalState.READY
    assert journal.append_now(shop.draft(1)) == 2


async def test_a_defect_is_told_to_everyone_who_waits_and_a_probe_mends_it(shop):
    """In the thread, and on the loop itself once the disk is known to be quick."""
    broken = [False]

    def stall() -> None:
        if broken[0]:
            raise ZeroDivisionError

    journal = shop.open(stall=stall)
    written = 0
    for _ in range(2):
        broken[0] = True
        offers = [journal.append(shop.draft(at)) for at in range(3)]
        for result in await asyncio.gather(*offers, return_exceptions=True):
            assert isinstance(result, JournalFailedError)
            assert "ZeroDivisionError in the committer" in result.what
        assert journal.state is JournalState.FAILED
        broken[0] = False
        assert await journal.probe_async() is JournalState.READY
        for _ in range(40):
            written += 1
            assert await journal.append(shop.draft(written)) == written
    await journal.aclose()
    assert verify_journal(shop.path).entries == written


LIMITED = """
import json, resource, sys
from pathlib import Path
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from controller.journal.clock import SystemClock
from controller.journal.entry import EntryDraft
from controller.journal.errors import JournalError
from controller.journal.journal import open_journal
from controller.journal.store import JournalOptions

def opened():
    return open_journal(Path(sys.argv[1]), tables=["T1", "T2"], seal_key=bytes(range(32)),
        signing_key=Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))), clock=SystemClock(),
        options=JournalOptions(ballast_bytes=65536))

journal = opened()
told = []
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), most))
try:
    while True:
        told.append(journal.append_now(EntryDraft("T1", 1, 1, "card", b'{"pad":"' + b"x" * 30000 + b'"}')))
except JournalError as error:
    refused = error.code, journal.state.value
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
state = journal.probe().value
after = journal.append_now(EntryDraft("T1", 1, 1, "card", b"{}"))
journal.close()
print(json.dumps({"told": len(told), "refused": refused, "state": state, "after": after}))
"""


@pytest.mark.requirement("EQ-96", "T-28")
def test_the_system_itself_refuses_to_let_the_file_grow(shop):
    """A real refusal of the kernel: the process may not write past a file size, then it may again."""
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(shop.path), str(7 << 20)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    result = json.loads(run.stdout)
    assert result["told"] > 50
    assert result["refused"] == ["journal-failed", "failed"]
    assert result["state"] == "ready"
    assert result["after"] == result["told"] + 1
    report = verify_journal(shop.path)
    assert (report.ok, report.entries) == (True, result["after"])


def test_opened_on_a_full_disk_it_is_full_and_readable(shop, monkeypatch):
    shop.write(4)
    (shop.folder / "table.journal.ballast").unlink()

    def refuse(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.posix_fallocate", refuse)
        journal = shop.open()
        assert (journal.state, journal.state_reason) == (JournalState.FULL, "ENOSPC")
        with pytest.raises(JournalFullError):
            journal.append_now(shop.draft(2))
        assert len(list(journal.read_entries(None))) == 4
        assert journal.probe() is JournalState.FULL
    assert journal.probe() is JournalState.READY
    assert journal.append_now(shop.draft(2)) == 5

"""P3, P5, P6, P7 and the journal's half of P14: what durability costs beside the bare disk and the bare hash.

Both sides write to one folder of the working directory's own disk: a folder in memory would make every sync free. The
bare side appends the same number of bytes to a plain file. Records are those of a card dealt openly, one in three of
a hidden one.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import mean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

from controller.journal.clock import SystemClock
from controller.journal.entry import SEALED_LENGTHS, EntryDraft
from controller.journal.journal import Journal, open_journal
from controller.journal.keys import JournalKeys, create_keys
from controller.journal.schema import connect_reader
from controller.journal.startup import inspect_journal
from hil.bench.measure import ROUNDS, Goal, at_least, at_most

WRITERS: Final = 50
STALL_S: Final = 0.008
LAG_TICK_S: Final = 0.002
"""How often the loop's lag is looked at while fifty writers work."""
RECORD_BYTES: Final = 450
"""What one record of a card occupies: head, act, two facts."""
SMALL, LARGE = 1_000, 1_000_000
ROUND_CARDS: Final = 40
SCANNED: Final = 20_000
_FACTS: Final = (
    b'"facts":[{"fact":"DeviceHeard","device":"shoe","eseq":4711},{"fact":"CardDealt","seat":3,"pass":1,"face":"down",'
    b'"evidence":"read","rule":"13:69F-23.8(c)"}]}'
)
_OPEN: Final = b'{"act":{"act":"card","read":"9h","device":"shoe","eseq":4711},' + _FACTS
_HIDDEN: Final = b'{"act":{"act":"card","read":{"sealed":0},"device":"shoe","eseq":4711},' + _FACTS


class _Bench:
    """A folder on the working directory's disk, keys, and a plain file for the bare side."""

    def __init__(self, stack: ExitStack) -> None:
        results = Path("bench-results")
        results.mkdir(exist_ok=True)
        self.folder = Path(stack.enter_context(TemporaryDirectory(dir=results)))
        self.keys: JournalKeys = create_keys(self.folder / "keys")
        self.plain = os.open(self.folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        stack.callback(os.close, self.plain)

    def open(self, name: str, tables: Sequence[str], stall: Callable[[], None] | None = None) -> Journal:
        return open_journal(
            self.folder / name,
            tables=tables,
            seal_key=self.keys.seal_key,
            signing_key=self.keys.signing_key,
            clock=SystemClock(),
            stall=stall,
        )

    def append_plainly(self) -> float:
        """Write one record's bytes and sync them; return how long the sync took."""
        os.write(self.plain, b"x" * RECORD_BYTES)
        begun = time.perf_counter()
        os.fdatasync(self.plain)
        return time.perf_counter() - begun


def card(table: str, at: int) -> EntryDraft:
    """Return the `at`-th record of a table."""
    hidden = at % 3 == 0
    body, cards = (_HIDDEN, b"\x19") if hidden else (_OPEN, b"")
    return EntryDraft(table, at // 4000 + 1, at // ROUND_CARDS, "card", body, cards, boundary=at % 4000 == 0)


def measure_acknowledgement() -> Goal:
    """P3: the p50 of one durable append, one writer, against the p50 of one fdatasync, taken in turn."""
    with ExitStack() as stack:
        bench = _Bench(stack)
        return asyncio.run(_acknowledge(bench))


async def _acknowledge(bench: _Bench) -> Goal:
    journal = bench.open("one.journal", ["T1"])
    ours: list[float] = []
    bare: list[float] = []
    for at in range(2_000):
        bare.append(bench.append_plainly())
        begun = time.perf_counter()
        await journal.append(card("T1", at))
        ours.append(time.perf_counter() - begun)
    await journal.aclose()
    return at_most("P3", "durable acknowledgement / one fdatasync, seconds p50", median(ours), median(bare), 2.5)


def measure_group_commit() -> Goal:
    """P5: durable records per second of fifty writers against one record per write and fdatasync."""
    with ExitStack() as stack:
        bench = _Bench(stack)
        return asyncio.run(_group(bench))


async def _group(bench: _Bench) -> Goal:
    tables = [f"T{n}" for n in range(WRITERS)]
    journal = bench.open("fifty.journal", tables)
    rates: list[float] = []
    bare: list[float] = []
    for at in range(ROUNDS + 1):  # the first round warms up and is left out
        begun = time.perf_counter()
        for _ in range(500):
            bench.append_plainly()
        bare.append(500 / (time.perf_counter() - begun))
        rates.append(await _rate(journal, tables, 200, at * 200))
    await journal.aclose()
    return at_least("P5", "records per second, 50 writers / one per fdatasync", median(rates[1:]), median(bare[1:]), 8)


async def _rate(journal: Journal, tables: Sequence[str], each: int, first: int) -> float:
    async def write(table: str) -> None:
        for at in range(first, first + each):
            await journal.append(card(table, at))

    begun = time.perf_counter()
    await asyncio.gather(*(write(table) for table in tables))
    return len(tables) * each / (time.perf_counter() - begun)


def measure_slow_disk() -> list[Goal]:
    """P6: with 8 ms added to every sync, fifty writers against one; and how late the loop's timers come meanwhile."""
    with ExitStack() as stack:
        bench = _Bench(stack)
        return asyncio.run(_slow(bench))


async def _slow(bench: _Bench) -> list[Goal]:
    tables = [f"T{n}" for n in range(WRITERS)]
    journal = bench.open("slow.journal", tables, stall=lambda: time.sleep(STALL_S))
    one: list[float] = []
    fifty: list[float] = []
    lags: list[float] = []
    for at in range(ROUNDS):
        one.append(await _rate(journal, tables[:1], 50, at * 90))
        watch = asyncio.create_task(_watch_lag(lags))
        fifty.append(await _rate(journal, tables, 40, at * 90 + 50))
        watch.cancel()
    await journal.aclose()
    late = quantiles(lags, n=100)[98]
    return [
        at_least("P6", "records per second with 8 ms a sync, 50 writers / one", median(fifty), median(one), 40),
        at_most("P6", "loop lag p99 meanwhile, seconds / 3 ms", late, 0.003, 1),
    ]


async def _watch_lag(lags: list[float]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LAG_TICK_S
        await asyncio.sleep(LAG_TICK_S)
        lags.append(max(0.0, loop.time() - due))


def measure_start_up() -> Goal:
    """P7: records per second of the start-up scan against bare SHA-256 over the same bytes.

    CPU time on both sides: the file is in memory, and on a shared machine whoever is interrupted would lose.
    """
    with ExitStack() as stack:
        bench = _Bench(stack)
        journal = bench.open("scan.journal", ["T1"])
        _fill(journal, "T1", SCANNED)
        journal.close()
        path = bench.folder / "scan.journal"
        connection = connect_reader(path)
        stack.callback(connection.close)
        rows = connection.execute("SELECT record, sealed FROM entries ORDER BY number").fetchall()
        contents = [SEALED_LENGTHS[len(sealed)] + sealed + record for record, sealed in rows]
        ours: list[float] = []
        bare: list[float] = []
        for _ in range(4 * ROUNDS):
            begun = time.thread_time()
            inspect_journal(connection, path, "all")
            ours.append(SCANNED / (time.thread_time() - begun))
            bare.append(SCANNED / _hash_all(contents))
    return at_least("P7", "records per second, start-up scan / SHA-256 alone", median(ours), median(bare), 0.35)


def _hash_all(contents: Sequence[bytes]) -> float:
    sha256 = hashlib.sha256
    before = bytes(32)
    begun = time.thread_time()
    for content in contents:
        before = sha256(before + content).digest()
    return time.thread_time() - begun


def measure_grown_journal() -> list[Goal]:
    """P14, second half: appending a round, and reading a round and the table's fold, at 10^6 records against 10^3."""
    with ExitStack() as stack:
        bench = _Bench(stack)
        small, large = bench.open("small.journal", ["T1"]), bench.open("large.journal", ["T1"])
        _fill(small, "T1", SMALL)
        _fill(large, "T1", LARGE)
        return asyncio.run(_grown(small, large))


async def _grown(small: Journal, large: Journal) -> list[Goal]:
    appended: dict[int, list[float]] = {SMALL: [], LARGE: []}
    read: dict[int, list[float]] = {SMALL: [], LARGE: []}
    for turn in range(25 * ROUNDS):
        for size, journal in ((SMALL, small), (LARGE, large)):
            begun = time.perf_counter()
            for at in range(ROUND_CARDS):
                await journal.append(card("T1", size + turn * ROUND_CARDS + at))
            appended[size].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            journal.last_entries("T1", ROUND_CARDS)
            read[size].append(time.perf_counter() - begun)
    await small.aclose()
    await large.aclose()
    return [
        at_most("P14", "a round appended at 10^6 records / at 10^3", median(appended[LARGE]), median(appended[SMALL]), 1.2),
        at_most("P14", "a round read at 10^6 records / at 10^3", mean(read[LARGE]), mean(read[SMALL]), 1.2),
    ]


def _fill(journal: Journal, table: str, count: int) -> None:
    portion = 250
    for first in range(0, count, portion):
        journal.append_all_now([card(table, at) for at in range(first, first + portion)])

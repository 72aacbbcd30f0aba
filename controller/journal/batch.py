"""Writes batches and keeps the journal's state: what becomes of every offer when the disk is well, full or failing.

A full or failing disk is a state, not the end: what waits is refused, closing records may use the reserve, and a
probe brings the state back. Results go back with one call into each loop for a whole batch.

Whoever calls holds the committer's lock: there is one caller at a time, usually its thread.
"""

from __future__ import annotations

import asyncio
import enum
from concurrent.futures import Future
from pathlib import Path
from typing import Final

import msgspec

from controller.journal.checkpoint import CheckpointReason
from controller.journal.clock import JournalClock
from controller.journal.entry import Head
from controller.journal.errors import (
    JournalClosedError,
    JournalDamagedError,
    JournalError,
    JournalFailedError,
    JournalFullError,
)
from controller.journal.store import Offer, Store, WriteRefusedError

QUICK_COMMIT_NS: Final = 1_000_000
"""A sync this short is waited for by a loop: changing threads twice costs as much, and a card may take ten times as long."""
QUICK_ENTRY_NS: Final = 20_000
"""What handling one entry of a batch may add to it: twice the usual."""
QUICK_COMMITS_MIN: Final = 16
"""So many quick ones in a row make a disk quick: one that stalls now and then is left to the thread nearly always."""


class JournalState(enum.Enum):
    """What a journal takes now."""

    READY = "ready"
    FULL = "full"
    FAILED = "failed"
    CLOSED = "closed"


class JournalStats(msgspec.Struct, frozen=True):
    """Counts since opening."""

    entries: int
    commits: int
    largest_batch: int
    refused: int


class Waiting(Offer, frozen=True, gc=False):
    """An offer and who waits for its number: a future of a loop, or a thread."""

    closing: bool
    loop: asyncio.AbstractEventLoop | None
    future: asyncio.Future[int] | None
    blocked: Future[int] | None


class BatchWriter:
    """The store with its state; every method is called under the committer's lock."""

    def __init__(self, path: Path, store: Store, clock: JournalClock, refused: WriteRefusedError | None) -> None:
        """Take over the store; `refused` says that the disk has no room or fails already."""
        self._path = path
        self._store = store
        self._clock = clock
        self._entries = self._commits = self._largest_batch = self._refused = 0
        self._quick_commits = 0
        self.state = JournalState.READY
        self.state_reason = ""
        self.head: Head = store.head
        self.in_flight: list[Waiting] = []
        if refused is not None:
            self._enter(refused)

    @property
    def store(self) -> Store:
        return self._store

    @property
    def stats(self) -> JournalStats:
        return JournalStats(self._entries, self._commits, self._largest_batch, self._refused)

    @property
    def is_quick(self) -> bool:
        """Whether the disk has lately been quick enough for a loop to wait for it."""
        return self._quick_commits >= QUICK_COMMITS_MIN and self.state is JournalState.READY

    def refusal(self) -> JournalError | None:
        """Return why no entry is taken now, or None."""
        match self.state:
            case JournalState.READY:
                return None
            case JournalState.FULL:
                return JournalFullError(self._path, self.state_reason)
            case JournalState.FAILED:
                return JournalFailedError(self._path, self.state_reason)
            case JournalState.CLOSED:
                return JournalClosedError(self._path)

    def commit(self, batch: list[Waiting], here: asyncio.AbstractEventLoop | None = None) -> None:
        """Write a batch and answer everyone in it; `here` is the loop that this call runs on, if any."""
        if not batch:
            return
        self.in_flight = batch
        self._commit(batch, here)
        self.in_flight = []

    def refuse(self, batch: list[Waiting], refusal: JournalError) -> None:
        """Answer everyone in a batch with a refusal."""
        self._refused += len(batch)
        self._answer(batch, 0, refusal, None)

    def count_refused(self) -> None:
        """Count an offer that was refused before it waited."""
        self._refused += 1

    def write_due_checkpoint(self) -> None:
        """Sign entries that wait for it longer than they should."""
        if self.state is JournalState.READY and self._store.is_checkpoint_due():
            try:
                self._store.write_checkpoint(CheckpointReason.PERIODIC)
            except WriteRefusedError as error:
                self._enter(error)

    def move_log(self) -> None:
        """Move the write-ahead log into the file if it has grown."""
        try:
            self._store.move_log_if_due()
        except WriteRefusedError as error:
            self._enter(error)

    def probe(self) -> None:
        """Try whether the disk takes entries again."""
        try:
            self._store.probe()
        except WriteRefusedError as error:
            self._enter(error)
        except JournalDamagedError as error:
            self.fail(error.what)
        else:
            self.state, self.state_reason = JournalState.READY, ""

    def finish(self) -> None:
        """Write the last checkpoint and close the file."""
        try:
            if self.state is JournalState.READY and self._store.has_unsigned():
                self._store.write_checkpoint(CheckpointReason.CLOSED)
        except WriteRefusedError as error:
            self._enter(error)
        self._store.close()
        self.state, self.state_reason = JournalState.CLOSED, ""

    def fail_in_flight(self, error: Exception) -> None:
        """Enter the state FAILED after a defect, and refuse those of the present batch who have no answer yet."""
        self.fail(f"{type(error).__name__} in the committer")
        batch, self.in_flight = self.in_flight, []
        self.refuse(batch, JournalFailedError(self._path, self.state_reason))

    def fail(self, reason: str) -> None:
        """Enter the state FAILED."""
        self._quick_commits = 0
        self.state_reason = reason
        self.state = JournalState.FAILED

    def _enter(self, error: WriteRefusedError) -> None:
        self._quick_commits = 0
        self.state_reason = error.reason
        self.state = JournalState.FULL if error.is_full else JournalState.FAILED

    def _commit(self, batch: list[Waiting], here: asyncio.AbstractEventLoop | None) -> None:
        if self.state is JournalState.READY:
            try:
                self._write(batch, here)
                return
            except WriteRefusedError as error:
                self._enter(error)
        refusal = self.refusal()
        assert refusal is not None
        closing = [waiting for waiting in batch if waiting.closing]
        self.refuse([waiting for waiting in batch if not waiting.closing], refusal)
        if not closing:
            return
        try:
            self._store.ballast.release()
            self._write(closing, here)
        except (WriteRefusedError, OSError):
            self.refuse(closing, refusal)

    def _write(self, batch: list[Waiting], here: asyncio.AbstractEventLoop | None) -> None:
        begun_ns = self._clock.mono_ns()
        first = self._store.commit(batch)
        quick = self._clock.mono_ns() - begun_ns < QUICK_COMMIT_NS + QUICK_ENTRY_NS * len(batch)
        self._quick_commits = self._quick_commits + 1 if quick else 0
        self.head = self._store.head
        self._entries += len(batch)
        self._commits += 1
        self._largest_batch = max(self._largest_batch, len(batch))
        self._answer(batch, first, None, here)

    def _answer(self, batch: list[Waiting], first: int, refusal: JournalError | None, here: asyncio.AbstractEventLoop | None) -> None:
        """Tell everyone the number, which count from `first` on, or the refusal; other loops than `here` are called once each."""
        elsewhere: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[int], int]]] = {}
        for number, waiting in enumerate(batch, first):
            future, loop, blocked = waiting.future, waiting.loop, waiting.blocked
            if future is None or loop is None:
                if blocked is not None and not blocked.done():
                    _settle(blocked, number, refusal)
            elif loop is here:
                if not future.done():
                    _settle(future, number, refusal)
            elif loop in elsewhere:
                elsewhere[loop].append((future, number))
            else:
                elsewhere[loop] = [(future, number)]
        for loop, answers in elsewhere.items():
            try:
                loop.call_soon_threadsafe(_settle_all, answers, refusal)
            except RuntimeError:
                # A loop that was closed has nobody left who waits; the entries are committed all the same.
                if not loop.is_closed():
                    raise


def _settle(waiter: asyncio.Future[int] | Future[int], number: int, refusal: JournalError | None) -> None:
    if refusal is None:
        waiter.set_result(number)
    else:
        waiter.set_exception(refusal)


def _settle_all(answers: list[tuple[asyncio.Future[int], int]], refusal: JournalError | None) -> None:
    """Runs on the futures' loop: one that was cancelled meanwhile has nobody waiting."""
    for future, number in answers:
        if not future.done():
            _settle(future, number, refusal)

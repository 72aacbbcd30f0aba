"""The committer thread: takes everything that waits, one transaction, one sync, then wakes those who offered it.

Who offers is on an event loop (`offer_from_loop`) or blocks in another thread (`offer_blocking`). From a loop the
thread is woken in the loop's next turn, not at the first offer: what all ready tasks offer in this turn then travels
in one transaction, instead of the first of them alone and the others behind it. Results go back with one call into
each loop for a whole batch.

A full or failing disk is a state, not the end of the thread: what waits is refused, closing records may use the
reserve, and a probe brings the state back. Only this thread touches the store. An exception that nobody foresaw ends
in the state FAILED.
"""

from __future__ import annotations

import asyncio
import enum
import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from controller.journal.checkpoint import CheckpointReason
from controller.journal.entry import Head
from controller.journal.errors import (
    JournalClosedError,
    JournalDamagedError,
    JournalError,
    JournalFailedError,
    JournalFullError,
    JournalOverloadedError,
)
from controller.journal.store import Offer, Store, WriteRefusedError

T = TypeVar("T")

BATCH_MAX: Final = 256
"""Entries of one transaction: building it holds the interpreter for about 2 ms, which a loop does not notice."""
IDLE_CHECK_S: Final = 1.0
"""How often an idle thread looks whether a checkpoint is due; due times are tens of seconds."""
JOIN_TIMEOUT_S: Final = 30.0
"""A sync on a failing disk can hang for seconds before the system gives up; longer is not waited for."""


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


class _Waiting:
    """An offer and who waits for its number."""

    __slots__ = ("blocked", "closing", "future", "loop", "offer")

    def __init__(
        self,
        offer: Offer,
        closing: bool,
        loop: asyncio.AbstractEventLoop | None,
        future: asyncio.Future[int] | None,
        blocked: Future[int] | None,
    ) -> None:
        self.offer = offer
        self.closing = closing
        self.loop = loop
        self.future = future
        self.blocked = blocked


class _Job:
    """Work with the store for which a caller waits."""

    __slots__ = ("refuse", "run")

    def __init__(self, run: Callable[[], None], refuse: Callable[[JournalError], None]) -> None:
        self.run = run
        self.refuse = refuse


_Result = tuple["asyncio.Future[int]", int, JournalError | None]


class Committer:
    """Runs the thread; all methods may be called from any thread unless they say otherwise."""

    def __init__(self, path: Path, store: Store, pending_max: int, refused: WriteRefusedError | None = None) -> None:
        """Take over the store and start the thread; `refused` says that the disk has no room or fails already."""
        self._path = path
        self._store = store
        self._pending_max = pending_max
        self._pending: deque[_Waiting | _Job] = deque()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._kick_scheduled = False
        self._stopping = False
        self._ended = False
        self._in_flight: list[_Waiting] = []
        self._entries = self._commits = self._largest_batch = self._refused = 0
        self.state = JournalState.READY
        self.state_reason = ""
        self.head: Head = store.head
        if refused is not None:
            self._enter(refused)
        self._thread = threading.Thread(target=self._run, name=f"journal {path.name}", daemon=True)
        self._thread.start()

    @property
    def stats(self) -> JournalStats:
        return JournalStats(self._entries, self._commits, self._largest_batch, self._refused)

    def offer_from_loop(self, offer: Offer, closing: bool) -> asyncio.Future[int]:
        """Queue an offer and return the future of its number; called on the running loop that awaits it.

        Raises:
            JournalError: when it is refused at once: closed, full, failed, overloaded.
        """
        self._verify_open(closing)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()
        self._pending.append(_Waiting(offer, closing, loop, future, None))
        if not self._kick_scheduled:
            self._kick_scheduled = True
            loop.call_soon(self._kick)
        self._refuse_if_ended()
        return future

    def offer_blocking(self, offers: list[Offer], closing: bool) -> list[int]:
        """Queue offers, wait for the disk and return their numbers; never called on a loop.

        Raises:
            JournalError: the first refusal; offers before it are committed.
        """
        self._verify_open(closing)
        blocked: list[Future[int]] = [Future() for _ in offers]
        self._pending.extend(
            _Waiting(offer, closing, None, None, waiter) for offer, waiter in zip(offers, blocked, strict=True)
        )
        self._wake.put(None)
        self._refuse_if_ended()
        return [waiter.result() for waiter in blocked]

    def call(self, job: Callable[[Store], T]) -> T:
        """Run a job with the store in the thread, after what was offered before it, and return its result.

        Raises:
            JournalClosedError: when the thread has ended.
        """
        if self._stopping:
            raise JournalClosedError(self._path)
        result: Future[T] = Future()

        def run() -> None:
            try:
                result.set_result(job(self._store))
            except (JournalError, WriteRefusedError) as error:
                result.set_exception(error)

        self._pending.append(_Job(run, result.set_exception))
        self._wake.put(None)
        self._refuse_if_ended()
        return result.result()

    def probe(self) -> JournalState:
        """Try whether a full or failed journal can be written again, and return the state after it."""
        if self.state in (JournalState.FULL, JournalState.FAILED):
            self.call(self._probe)
        return self.state

    def close(self) -> None:
        """Write what waits and a last checkpoint, end the thread, close the file; harmless when closed already."""
        if not self._stopping:
            self._stopping = True
            self._wake.put(None)
        self._thread.join(JOIN_TIMEOUT_S)

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

    def _verify_open(self, closing: bool) -> None:
        if self._stopping:
            raise JournalClosedError(self._path)
        if self.state is not JournalState.READY and not closing:
            self._refused += 1
            refusal = self.refusal()
            assert refusal is not None
            raise refusal
        if len(self._pending) >= self._pending_max:
            self._refused += 1
            raise JournalOverloadedError(self._path, len(self._pending))

    def _kick(self) -> None:
        self._kick_scheduled = False
        self._wake.put(None)

    def _run(self) -> None:
        try:
            while True:
                try:
                    self._wake.get(timeout=IDLE_CHECK_S)
                except queue.Empty:
                    self._checkpoint_if_due()
                self._drain()
                if self._stopping and not self._pending:
                    break
            self._finish()
        except Exception as error:  # noqa: BLE001  # the thread's outermost frame: the table stops with a sentence
            self._fail(f"{type(error).__name__} in the committer")
            self._refuse(self._in_flight, JournalFailedError(self._path, self.state_reason))
        self._stopping = self._ended = True
        self._refuse_if_ended()

    def _drain(self) -> None:
        while self._pending:
            batch: list[_Waiting] = []
            while self._pending and len(batch) < BATCH_MAX:
                waiting = self._pending.popleft()
                if isinstance(waiting, _Waiting):
                    batch.append(waiting)
                    continue
                self._commit(batch)
                batch = []
                waiting.run()
            self._commit(batch)
        self._move_log()

    def _commit(self, batch: list[_Waiting]) -> None:
        if not batch:
            return
        self._in_flight = batch
        if self.state is JournalState.READY:
            try:
                self._write(batch)
                return
            except WriteRefusedError as error:
                self._enter(error)
        refusal = self.refusal()
        assert refusal is not None
        closing = [waiting for waiting in batch if waiting.closing]
        self._refuse([waiting for waiting in batch if not waiting.closing], refusal)
        if not closing:
            return
        try:
            self._store.ballast.release()
            self._write(closing)
        except (WriteRefusedError, OSError):
            self._refuse(closing, refusal)

    def _write(self, batch: list[_Waiting]) -> None:
        first = self._store.commit([waiting.offer for waiting in batch])
        self.head = self._store.head
        self._entries += len(batch)
        self._commits += 1
        self._largest_batch = max(self._largest_batch, len(batch))
        self._answer([(waiting, number, None) for number, waiting in enumerate(batch, first)])

    def _refuse(self, batch: list[_Waiting], refusal: JournalError) -> None:
        self._refused += len(batch)
        self._answer([(waiting, 0, refusal) for waiting in batch])

    def _answer(self, results: list[tuple[_Waiting, int, JournalError | None]]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[_Result]] = {}
        for waiting, number, error in results:
            if waiting.blocked is not None:
                if waiting.blocked.done():
                    continue
                if error is None:
                    waiting.blocked.set_result(number)
                else:
                    waiting.blocked.set_exception(error)
            elif waiting.loop is not None and waiting.future is not None:
                by_loop.setdefault(waiting.loop, []).append((waiting.future, number, error))
        for loop, answers in by_loop.items():
            try:
                loop.call_soon_threadsafe(_set_results, answers)
            except RuntimeError:
                # A loop that was closed has nobody left who waits; the entries are committed all the same.
                if not loop.is_closed():
                    raise

    def _checkpoint_if_due(self) -> None:
        if self.state is JournalState.READY and self._store.is_checkpoint_due():
            try:
                self._store.write_checkpoint(CheckpointReason.PERIODIC)
            except WriteRefusedError as error:
                self._enter(error)

    def _move_log(self) -> None:
        try:
            self._store.move_log_if_due()
        except WriteRefusedError as error:
            self._enter(error)

    def _probe(self, store: Store) -> None:
        try:
            store.probe()
        except WriteRefusedError as error:
            self._enter(error)
        except JournalDamagedError as error:
            self._fail(error.what)
        else:
            self.state, self.state_reason = JournalState.READY, ""

    def _finish(self) -> None:
        try:
            if self._store.has_unsigned():
                self._store.write_checkpoint(CheckpointReason.CLOSED)
        except WriteRefusedError as error:
            self._enter(error)
        self._store.close()
        self.state, self.state_reason = JournalState.CLOSED, ""

    def _enter(self, error: WriteRefusedError) -> None:
        self.state_reason = error.reason
        self.state = JournalState.FULL if error.is_full else JournalState.FAILED

    def _fail(self, reason: str) -> None:
        self.state_reason = reason
        self.state = JournalState.FAILED

    def _refuse_if_ended(self) -> None:
        """Answer what came in while the thread ended: nobody else would."""
        while self._ended and self._pending:
            try:
                waiting = self._pending.popleft()
            except IndexError:
                return
            refusal = self.refusal() or JournalClosedError(self._path)
            if isinstance(waiting, _Waiting):
                self._refuse([waiting], refusal)
            else:
                waiting.refuse(refusal)


def _set_results(answers: list[_Result]) -> None:
    """Runs on the loop: a future that was cancelled meanwhile has nobody waiting."""
    for future, number, error in answers:
        if future.done():
            continue
        if error is None:
            future.set_result(number)
        else:
            future.set_exception(error)

"""Takes everything that waits, one transaction, one sync, then wakes those who offered it.

Who offers is on an event loop (`offer_from_loop`) or blocks in another thread (`offer_blocking`). From a loop the
work begins in the loop's next turn, not at the first offer: what all ready tasks offer in this turn then travels in
one transaction, instead of the first of them alone and the others behind it.

The work is done by the committer's thread. Only while the disk is quick, a small batch is written by the loop itself:
waking a thread and being woken by it costs more than such a sync. One slow commit, and the thread has it again.
Moving the write-ahead log, checkpoints of idle times, probes and closing are always the thread's. A lock keeps the
two apart, so that the one writing connection has one user at a time.

An exception that nobody foresaw ends in the state FAILED, with everyone refused who was being served; a probe opens
the file anew.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final, TypeVar

from controller.journal.batch import BatchWriter, JournalState, Waiting
from controller.journal.entry import EntryDraft
from controller.journal.errors import (
    JournalClosedError,
    JournalError,
    JournalOverloadedError,
)
from controller.journal.store import Offer, Store

T = TypeVar("T")
_READY: Final = JournalState.READY  # looked up once: members of an Enum are slow to reach

BATCH_MAX: Final = 256
"""Entries of one transaction: building it holds the interpreter for about 2 ms, which a loop does not notice."""
LOOP_BATCH_MAX: Final = 64
"""Entries that a loop writes itself: what one table in each of a hall's pits brings at once."""
IDLE_CHECK_S: Final = 1.0
"""How often an idle thread looks whether a checkpoint is due; due times are tens of seconds."""
JOIN_TIMEOUT_S: Final = 30.0
"""A sync on a failing disk can hang for seconds before the system gives up; longer is not waited for."""


class _Job:
    """Work with the store for which a caller waits."""

    __slots__ = ("refuse", "run")

    def __init__(self, run: Callable[[], None], refuse: Callable[[JournalError], None]) -> None:
        self.run = run
        self.refuse = refuse


class Committer:
    """Runs the thread; all methods may be called from any thread unless they say otherwise."""

    def __init__(self, path: Path, writer: BatchWriter, pending_max: int) -> None:
        """Take over the writer and start the thread."""
        self._path = path
        self._writer = writer
        self._pending_max = pending_max
        self._pending: deque[Waiting | _Job] = deque()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._kick_scheduled = False
        self._stopping = False
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=f"journal {path.name}", daemon=True)
        self._thread.start()

    def offer_from_loop(self, draft: EntryDraft, wall_ms: int, mono_ns: int, *, closing: bool) -> asyncio.Future[int]:
        """Queue an offer and return the future of its number; called on the running loop that awaits it.

        Raises:
            JournalError: when it is refused at once: closed, full, failed, overloaded.
        """
        pending = self._pending
        if self._stopping or self._writer.state is not _READY or len(pending) >= self._pending_max:
            self._verify_open(closing)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()
        pending.append(Waiting(draft, wall_ms, mono_ns, closing, loop, future, None))
        if not self._kick_scheduled:
            self._kick_scheduled = True
            loop.call_soon(self._kick, loop)
        if self._ended:
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
            Waiting(offer.draft, offer.wall_ms, offer.mono_ns, closing, None, None, waiter)
            for offer, waiter in zip(offers, blocked, strict=True)
        )
        self._wake.put(None)
        self._refuse_if_ended()
        return [waiter.result() for waiter in blocked]

    def call(self, job: Callable[[Store], T]) -> T:
        """Run a job with the store, after what was offered before it, and return its result; blocks.

        Raises:
            JournalClosedError: when the thread has ended.
        """
        if self._stopping:
            raise JournalClosedError(self._path)
        result: Future[T] = Future()

        def run() -> None:
            try:
                result.set_result(job(self._writer.store))
            except Exception as error:  # noqa: BLE001  # handed to the caller, who raises it
                result.set_exception(error)

        self._pending.append(_Job(run, result.set_exception))
        self._wake.put(None)
        self._refuse_if_ended()
        return result.result()

    def probe(self) -> JournalState:
        """Try whether a full or failed journal can be written again, and return the state after it; blocks."""
        if self._writer.state in (JournalState.FULL, JournalState.FAILED):
            self.call(lambda _: self._writer.probe())
        return self._writer.state

    def close(self) -> None:
        """Write what waits and a last checkpoint, end the thread, close the file; harmless when closed already."""
        if not self._stopping:
            self._stopping = True
            self._wake.put(None)
        self._thread.join(JOIN_TIMEOUT_S)

    def _verify_open(self, closing: bool) -> None:
        if self._stopping:
            raise JournalClosedError(self._path)
        writer = self._writer
        if writer.state is not JournalState.READY and not closing:
            writer.count_refused()
            refusal = writer.refusal()
            assert refusal is not None
            raise refusal
        if len(self._pending) >= self._pending_max:
            writer.count_refused()
            raise JournalOverloadedError(self._path, len(self._pending))

    def _kick(self, loop: asyncio.AbstractEventLoop) -> None:
        """Runs on a loop, one turn after an offer."""
        self._kick_scheduled = False
        pending = self._pending
        if self._writer.is_quick and len(pending) <= LOOP_BATCH_MAX and self._lock.acquire(blocking=False):
            try:
                batch: list[Waiting] = []
                while pending and isinstance(pending[0], Waiting):
                    batch.append(pending.popleft())  # type: ignore[arg-type]  # seen to be one; only the lock's holder takes
                self._writer.commit(batch, loop)
            except Exception as error:  # noqa: BLE001  # nobody would hear of it on the loop: the table stops with a sentence
                self._writer.fail_in_flight(error)
            finally:
                self._lock.release()
            if not pending and not self._writer.store.is_log_due():
                return
        self._wake.put(None)

    def _run(self) -> None:
        while not (self._stopping and not self._pending):
            try:
                self._work_once()
            except Exception as error:  # noqa: BLE001  # the thread's outermost frame: the table stops with a sentence
                self._writer.fail_in_flight(error)
        with self._lock:
            self._writer.finish()
        self._ended = True
        self._refuse_if_ended()

    def _work_once(self) -> None:
        try:
            self._wake.get(timeout=IDLE_CHECK_S)
        except queue.Empty:
            with self._lock:
                self._writer.write_due_checkpoint()
        with self._lock:
            self._drain()

    def _drain(self) -> None:
        while self._pending:
            batch: list[Waiting] = []
            while self._pending and len(batch) < BATCH_MAX:
                waiting = self._pending.popleft()
                if isinstance(waiting, Waiting):
                    batch.append(waiting)
                    continue
                self._writer.commit(batch)
                batch = []
                waiting.run()
            self._writer.commit(batch)
        self._writer.move_log()

    def _refuse_if_ended(self) -> None:
        """Answer what came in while the thread ended: nobody else would."""
        while self._ended and self._pending:
            try:
                waiting = self._pending.popleft()
            except IndexError:
                return
            refusal = self._writer.refusal() or JournalClosedError(self._path)
            if isinstance(waiting, Waiting):
                self._writer.refuse([waiting], refusal)
            else:
                waiting.refuse(refusal)

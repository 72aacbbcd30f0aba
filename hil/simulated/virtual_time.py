"""An event loop whose time jumps: seconds of protocol time pass as soon as nothing else is going on.

Pseudo-terminals and sockets are real and need real microseconds, so the loop first waits a moment for them; only when
nothing comes and no worker thread is busy does its time jump to the next timer. Everything that takes its time from
`loop.time` (devices, simulated devices, `asyncio.sleep` and `asyncio.timeout`) then lives in that time. For tests and
for demonstrations that should not take as long as a table does.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, Unpack

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

GRACE_S = 0.015
"""Longest real wait for bytes under way: a pseudo-terminal hands them over in some 20 microseconds, but through a
kernel worker that may have to wait for a processor on a busy machine."""

SHORTEST_GRACE_S = 0.002

GRACE_SHARE = 0.04
"""A jump of 250 ms is preceded by a real wait of 10 ms: the farther the jump, the surer that nothing is under way."""

BUSY_WAIT_S = 0.05
"""Real wait for a worker thread, again and again until it is done."""


class _JumpingSelector(selectors.BaseSelector):
    """A selector that jumps instead of waiting."""

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self.now_s = 1000.0
        self.is_busy: Callable[[], bool] = lambda: False
        self.has_wires = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        while not ready and (timeout is None or timeout > 0):
            busy = self.is_busy()
            ready = self._real.select(BUSY_WAIT_S if busy or timeout is None else _grace_s(timeout) if self.has_wires else 0)
            if not ready and not busy and not self.is_busy() and timeout is not None:
                self.now_s += timeout
                break
        return ready

    def register(self, fileobj: FileDescriptorLike, events: int, data: object = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: FileDescriptorLike) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: FileDescriptorLike, events: int, data: object = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[FileDescriptorLike, selectors.SelectorKey]:
        return self._real.get_map()


def _grace_s(jump_s: float) -> float:
    return min(GRACE_S, max(SHORTEST_GRACE_S, jump_s * GRACE_SHARE))


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """See the module text. `time` begins at 1000 s, so that nothing works by starting at zero.

    `has_wires` False: no bytes are ever under way outside of the loop, so nothing is waited for and any machine gives the same run.
    """

    def __init__(self, *, has_wires: bool = True) -> None:
        self._jumping = _JumpingSelector()
        self._jumping.has_wires = has_wires
        super().__init__(self._jumping)
        self._busy_workers = 0
        self._jumping.is_busy = lambda: self._busy_workers > 0

    def time(self) -> float:
        return self._jumping.now_s

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[Unpack[Arguments]], Result],
        *args: *Arguments,
    ) -> asyncio.Future[Result]:
        """Run in a worker; time stands still until it is done, as it has no place in virtual time."""
        self._busy_workers += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._worker_done)
        return future

    def _worker_done(self, _future: asyncio.Future[Any]) -> None:
        self._busy_workers -= 1


def run_in_virtual_time(main: Coroutine[Any, Any, Result], *, has_wires: bool = True) -> Result:
    """Run a coroutine to its end in a loop of its own, in virtual time."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(has_wires=has_wires)) as runner:
        return runner.run(main)

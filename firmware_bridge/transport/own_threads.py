"""A thread of its own for each call that may wait in a driver.

asyncio's usual pool has a few threads for everybody and is waited for when the process ends: some ports whose drivers hang would keep all
others from being opened, and the daemon from stopping. Here a call that never returns costs one sleeping thread and nothing else. How
many there can be is for the callers to bound: a transport has at most one opening and one closing under way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


THREAD_NAME: Final = "port"


class OwnThreads(Executor):
    """Runs each call in a new thread that no one waits for at the end of the process."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        future: Future[R] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001  # the outermost frame of the thread: whoever waits is told
                future.set_exception(error)
            else:
                future.set_result(result)

        threading.Thread(target=work, name=THREAD_NAME, daemon=True).start()
        return future


OWN_THREADS: Final = OwnThreads()

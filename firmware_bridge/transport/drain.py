"""Who waits until a port has taken every byte: all writers wait for the same moment, and hear of a loss instead of it."""

from __future__ import annotations

import asyncio

from firmware_bridge.transport.base import TransportError


class Drain:
    """The next moment at which nothing waits to be written any more. Call it on the loop only."""

    def __init__(self) -> None:
        self._done: asyncio.Future[None] | None = None

    async def wait(self, deadline_s: float) -> None:
        """Wait for it.

        Raises:
            TimeoutError: it did not come in time.
            TransportError: the port was lost or closed before.
        """
        if self._done is None:
            self._done = asyncio.get_running_loop().create_future()
        async with asyncio.timeout(deadline_s):
            await asyncio.shield(self._done)

    def settle(self, error: TransportError | None = None) -> None:
        """It has come, or never will."""
        done, self._done = self._done, None
        if done is None or done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)
            done.exception()  # marks it as seen: the writer may have been cancelled meanwhile

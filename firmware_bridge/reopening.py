"""When a port that was lost is opened again: at the protocol's pace, or as soon as something is plugged in where it is looked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from firmware_bridge.transport.base import Transport

REOPEN_AFTER_S = (1.0, 2.0, 4.0, 8.0, 15.0)
"""SDP/1 1.8: 1, 2, 4, 8, then every 15 s."""

LOOK_S = 1.0
"""How often is looked whether something was plugged in. A plug that is put in again is noticed before anybody asks, and a device that
comes and goes all the time is opened no oftener than one that was just lost."""


async def wait_to_reopen(transport: Transport, mark: object, pause: Awaitable[None]) -> bool:
    """Wait for the pause; end sooner, and return True, when the transport's mark is another one than `mark` and something is there.

    So a plug that was out and in again between two looks is noticed too: what is there now is not what was there.
    """
    waiting, plugging = asyncio.ensure_future(pause), asyncio.create_task(_plugged_in(transport, mark))
    try:
        await asyncio.wait([waiting, plugging], return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            plugging.result()
            return True
        waiting.result()
        return False
    finally:
        waiting.cancel()
        plugging.cancel()


async def _plugged_in(transport: Transport, mark: object) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        before, mark = mark, transport.plug_mark()
        if mark is not None and mark != before:
            return

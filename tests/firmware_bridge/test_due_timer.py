"""The timer of a deadline that moves: late it never goes off, and early it does nothing."""

from __future__ import annotations

import asyncio
import math
import time

from firmware_bridge.due_timer import DueTimer


class Clock:
    """A clock that is set by hand; the loop's own goes on beside it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


async def turns(timer: DueTimer, before_s: float) -> None:
    """Wait until the timer has gone off: it forgets or moves its moment."""
    async with asyncio.timeout(60):
        while timer.goes_off_s == before_s:  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.001)


async def test_a_deadline_that_moved_away_is_waited_for_on() -> None:
    clock, due, called = Clock(), [100.001], list[float]()
    timer = DueTimer(lambda: due[0], called.append, clock)
    timer.begin()
    timer.look()
    due[0] = 100.002
    timer.look()
    assert timer.goes_off_s == 100.001, "a later deadline does not touch the timer"
    await turns(timer, 100.001)
    assert (called, timer.goes_off_s) == ([], 100.002)
    clock.now_s = 100.002
    await turns(timer, 100.002)
    assert (called, timer.goes_off_s) == ([100.002], math.inf)


async def test_an_earlier_deadline_is_taken_at_once() -> None:
    due: list[float | None] = [time.monotonic() + 3600]
    called = asyncio.Event()
    timer = DueTimer(lambda: due[0], lambda _now_s: called.set(), time.monotonic)
    timer.begin()
    timer.look()
    due[0] = time.monotonic()
    timer.look()
    async with asyncio.timeout(60):
        await called.wait()


async def test_without_a_loop_or_a_deadline_nothing_is_set() -> None:
    due: list[float | None] = [5.0]
    timer = DueTimer(lambda: due[0], lambda _now_s: None, Clock())
    timer.look()
    assert timer.goes_off_s == math.inf
    timer.begin()
    due[0] = None
    timer.look()
    assert timer.goes_off_s == math.inf
    due[0] = 5000.0
    timer.look()
    timer.stop()
    timer.stop()
    assert timer.goes_off_s == math.inf

"""What strikes a site while its people play: the daemon killed, the power of a device lost. Seeded, and counted.

Trouble is told of each moment at which something is about to happen and strikes a little after one of them, while the
act is under way: in the journal's commit, between a card and its acknowledgement, in the middle of an answer.
"""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from hil.soak.site import Site
from hil.soak.witness import WitnessedDevice

MOMENTS_MAX: Final = 45
"""About as many as a short round has: every part of a round is struck."""
LATE_S: Final = 0.012
"""One act takes some 5 ms from here to the disk and back."""
START_KILL_RATE: Final = 0.15
"""How often a daemon is killed again while it starts."""
START_S: Final = 0.9
"""A start takes about so long."""
DARK_S: Final = 0.5
"""The longest time without power; longer than the gate and every movement."""


class Trouble(ABC):
    """Strikes so many times; `done` is set when the last one is over, or one has failed."""

    def __init__(self, rng: random.Random, times: int) -> None:
        self.struck = 0
        self.done = asyncio.Event()
        self.failure: BaseException | None = None
        self._rng = rng
        self._times = times
        self._left = rng.randint(1, MOMENTS_MAX)
        self._task: asyncio.Task[None] | None = None

    def moment(self) -> None:
        """Something is about to happen."""
        if self._task is not None or self.done.is_set():
            return
        self._left -= 1
        if self._left <= 0:
            self._task = asyncio.create_task(self._strike_late())
            self._task.add_done_callback(self._over)

    @abstractmethod
    async def _strike(self) -> None:
        """Strike, and mend it; counts in `struck`."""

    async def _strike_late(self) -> None:
        await asyncio.sleep(self._rng.random() * LATE_S)
        await self._strike()

    def _over(self, task: asyncio.Task[None]) -> None:
        self.failure = None if task.cancelled() else task.exception()
        self._task = None
        self._left = self._rng.randint(1, MOMENTS_MAX)
        if self.failure is not None or self.struck >= self._times:
            self.done.set()


class Killer(Trouble):
    """Kills the daemon and starts it again; some daemons are killed again while they start."""

    def __init__(self, site: Site, rng: random.Random, times: int) -> None:
        super().__init__(rng, times)
        self.at_start = 0
        self._site = site

    async def _strike(self) -> None:
        await self._kill()
        while True:
            await self._site.begin_start()
            if self.struck >= self._times or self._rng.random() >= START_KILL_RATE:
                break
            await asyncio.sleep(self._rng.random() * START_S)
            await self._kill()
            self.at_start += 1
        await self._site.finish_start()

    async def _kill(self) -> None:
        await self._site.kill()
        self.struck += 1


class PowerCutter(Trouble):
    """Takes the power of one device or another for a moment."""

    def __init__(self, rng: random.Random, times: int) -> None:
        super().__init__(rng, times)
        self.devices: Sequence[WitnessedDevice] = ()

    async def _strike(self) -> None:
        device = self._rng.choice(self.devices)
        device.power_off()
        self.struck += 1
        await asyncio.sleep(self._rng.random() * DARK_S)
        device.power_on()

"""What strikes a site while its people play: daemons killed, power and cables lost, no room on the disk. Seeded, and counted.

Trouble is told of each moment at which something is about to happen and strikes a little after one of them, while the
act is under way: in the journal's commit, between a card and its acknowledgement, in the middle of an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import resource
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from controller.table.outcome import Outcome
from hil.people.session import BETWEEN_ROUNDS
from hil.soak.api import ApiLine
from hil.soak.site import Site

MOMENTS_MAX: Final = 45
"""About as many as a short round has: every part of a round is struck."""
LATE_S: Final = 0.012
"""One act takes some 5 ms from here to the disk and back."""
START_KILL_RATE: Final = 0.15
"""How often a daemon is killed again while it starts."""
START_S: Final = 0.9
"""A start takes about so long."""
DARK_S: Final = 0.5
"""The longest time without power or cable; longer than the gate and every movement."""
FULL_BYTES: Final = 8192
"""Every write past this offset of a file fails: the write-ahead log is longer than this after three entries."""
FILLER: Final = "filler"
NO_SEAT: Final = 99
PAGE_BYTES: Final = 4096
"""What a file system gives at once."""
TOLD_S: Final = 30.0
"""People act all the time, so that a table without room is found within its next act, on a busy machine too."""
ASK_AGAIN_S: Final = 0.02


class Trouble(ABC):
    """Strikes so many times; `done` is set when the last one is over, or one has failed."""

    def __init__(self, site: Site, rng: random.Random, times: int) -> None:
        self.struck = 0
        self.longest_s = 0.0
        """The longest end of a daemon that was asked to end."""
        self.at_start = 0
        """Strikes that hit a daemon which was starting."""
        self.done = asyncio.Event()
        self.failure: BaseException | None = None
        self._site = site
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

    async def over(self) -> None:
        """Wait for the last strike, and raise at once what kept one from being mended: the tables would wait for ever."""
        await self.done.wait()
        if self.failure is not None:
            raise self.failure

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


class Stopper(Trouble):
    """Ends the daemon as an operator would, and starts it again."""

    async def _strike(self) -> None:
        self.longest_s = max(self.longest_s, await self._site.stop())
        self.struck += 1
        await self._site.start()


class PowerCutter(Trouble):
    """Takes the power of one device or another for a moment."""

    async def _strike(self) -> None:
        device = self._rng.choice(self._site.all_devices)
        device.power_off()
        self.struck += 1
        await asyncio.sleep(self._rng.random() * DARK_S)
        device.power_on()


class Unplugger(Trouble):
    """Pulls the cable of one device or another, so that its port vanishes, and plugs it in again."""

    async def _strike(self) -> None:
        device = self._rng.choice(self._site.all_devices)
        await device.unplug()
        self.struck += 1
        await asyncio.sleep(self._rng.random() * DARK_S)
        await device.plug_in()


class DiskFiller(Trouble):
    """Leaves the daemon no room to write until it has told everybody so, then gives the room back.

    Where the journal has a small disk of its own, that is really filled. Elsewhere the room is a limit on the size of the
    daemon's files, which fails a write as a full disk does, and leaves not even the journal's reserve.
    """

    async def _strike(self) -> None:
        line = ApiLine(self._site.folder)
        try:
            self._take_room()
            await self._until(line, lambda outcome: "journal" in outcome.alarms)
            if self._site.disk is not None:
                await self._until_nothing_begins(line)
            self.struck += 1
        finally:
            self._give_room_back()
        await self._until(line, lambda outcome: "journal" not in outcome.alarms)
        line.close()

    def _take_room(self) -> None:
        if self._site.disk is None:
            resource.prlimit(self._site.pid, resource.RLIMIT_FSIZE, (FULL_BYTES, resource.RLIM_INFINITY))
            return
        with (self._site.disk / FILLER).open("ab", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(bytes(PAGE_BYTES)):
                pass

    def _give_room_back(self) -> None:
        if self._site.disk is None:
            resource.prlimit(self._site.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        else:
            (self._site.disk / FILLER).unlink()

    async def _until_nothing_begins(self, line: ApiLine) -> None:
        """Rounds under way are finished from the reserve, then a wager is refused with a message.

        The seat does not exist, so that this wager is taken in no case. SQLite gives back room of its own now and then,
        which the daemon may use at once; then the disk is filled again.
        """
        async with asyncio.timeout(TOLD_S):
            for spec in self._site.tables:
                while True:
                    self._take_room()
                    outcome = (await line.act(spec.id, "wager", {"seat": NO_SEAT}, "dealer:D1")).outcome
                    if outcome.refused == "journal-full" and outcome.message and outcome.state in BETWEEN_ROUNDS:
                        break
                    await asyncio.sleep(ASK_AGAIN_S)

    async def _until(self, line: ApiLine, holds: Callable[[Outcome], bool]) -> None:
        """Ask every table again and again: nobody is told when the journal's state changes."""
        async with asyncio.timeout(TOLD_S):
            for spec in self._site.tables:
                while not holds((await line.view(spec.id)).outcome):  # noqa: ASYNC110  # another process tells no event
                    await asyncio.sleep(ASK_AGAIN_S)

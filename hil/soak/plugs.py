"""Pulls a device's plug at chosen moments, puts it in again, and holds that nothing is lost and nothing is left behind.

The host is the bridge alone, with a list in the journal's place, so that hundreds of plugs take seconds. A shoe deals meanwhile: each
card that left it must be told once, in order, whatever was under way when the line went.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.commands import OpenShoe, Request, Unlock
from firmware_bridge.device import DeviceStanding
from firmware_bridge.errors import NotReadyError
from firmware_bridge.port_news import PortFailed, PortLost
from firmware_bridge.transport.own_threads import THREAD_NAME
from hil.mechanism.options import DrawResult
from hil.simulated.device import SimulatedDevice
from hil.simulated.ends import resting
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings

SHOE_ID: Final = b"a shoe to unplug"
REPORT_S: Final = 1.0
"""An unplugged device is told within this time."""
AWAY_S: Final = 3.0
"""The longest time without the plug: longer than two looks, shorter than the slowest pace."""
BACK_S: Final = 60.0
"""A device that is plugged in again runs within seconds; losses in the opening dialogue add the protocol's pauses."""
BURST: Final = 30
"""Events at once: four times what may be on its way."""
CARDS_A_CYCLE: Final = 7
ECHO_BYTES: Final = 120
GATE_S: Final = 0.02
"""A gate of these shoes is open by then."""


SETTLE_S: Final = 20.0
"""Threads may be some moments behind on a busy machine."""


class Moment(Enum):
    """What is going on when the plug is pulled."""

    ROUND = "round"
    IDLE = "idle"
    BURST = "burst"
    WRITING = "writing"
    DIALOGUE = "dialogue"
    """At each step in which host and device come to know each other."""


class Resources(msgspec.Struct, frozen=True):
    """What a leak would let grow."""

    descriptors: int
    threads: int
    tasks: int

    def exceeds(self, before: Resources) -> bool:
        """Return whether anything has grown; what others have let go meanwhile is no concern of ours."""
        return self.descriptors > before.descriptors or self.threads > before.threads or self.tasks > before.tasks


class PulledShoe(SimulatedDevice):
    """A shoe whose plug can be pulled at a certain word of the host's, heard or not."""

    def __init__(self, settings: SimulatedSettings, *, clock: Callable[[], float]) -> None:
        super().__init__(settings, clock=clock)
        self.heard = 0
        """Words of the host since the plug was put in."""
        self._pull_at = 0
        self._hears_last = True
        self._at_word = asyncio.Event()
        self._pulled: asyncio.Task[None] | None = None

    async def plug_in(self) -> None:
        self.heard = 0
        await super().plug_in()

    def pull_at(self, word: int, *, hears: bool) -> None:
        """Have the plug pulled when the host says its n-th word from the next plugging in."""
        self._pull_at, self._hears_last = word, hears

    async def pulled(self) -> None:
        """Wait until it was pulled."""
        await self._at_word.wait()
        self._at_word.clear()
        if self._pulled is not None:
            await self._pulled

    def bytes_came(self, chunk: bytes) -> None:
        self.heard += 1
        if self._pull_at and self.heard == self._pull_at:
            self._pull_at = 0
            self._pulled = asyncio.get_running_loop().create_task(self.unplug())
            self._at_word.set()
            if not self._hears_last:
                return
        super().bytes_came(chunk)


def resources_at_rest() -> Resources:
    """Count what this process holds once the threads of ports that were opened or closed have ended: they tell so a moment before.

    Call it on the loop, when no port is being opened or closed.
    """
    for thread in [thread for thread in threading.enumerate() if thread.name == THREAD_NAME]:
        thread.join(SETTLE_S)
    return Resources(
        descriptors=len(list(Path("/proc/self/fd").iterdir())) - resting(), threads=threading.active_count(), tasks=len(asyncio.all_tasks())
    )


class Plugs:
    """One shoe and one host; `cycle` pulls the plug once and puts it in again."""

    def __init__(self, shoe: PulledShoe, host: HostBench, rng: random.Random) -> None:
        self.shoe = shoe
        self.host = host
        self.pulls = 0
        self.dialogue_words = 0
        """Words that the host says until the device runs."""
        self.longest_report_s = 0.0
        self._rng = rng
        moments: Mapping[Moment, Callable[[], Awaitable[None]]] = {
            Moment.ROUND: self._in_a_round,
            Moment.IDLE: self._idle,
            Moment.BURST: self._in_a_burst,
            Moment.WRITING: self._while_writing,
            Moment.DIALOGUE: self._in_the_dialogue,
        }
        self._moments = moments

    async def start(self) -> None:
        """Let the device run for the first time."""
        self.host.start()
        await self.host.running()
        self.dialogue_words = self.shoe.heard

    async def cycle(self, moment: Moment) -> None:
        """Pull the plug at a moment, put it in again, and wait until host and device are of one mind.

        Raises:
            TimeoutError: the loss is not told in time, or the device does not come back.
            BrokenStreamError: an event was lost, doubled or out of order.
        """
        self.pulls += 1
        await self._moments[moment]()
        await asyncio.sleep(self._rng.random() * AWAY_S)
        await self.shoe.plug_in()
        async with asyncio.timeout(BACK_S):
            await self.host.device.reached(DeviceStanding.RUNNING)
        await self.shoe.all_acknowledged(BACK_S)
        self.host.verify_stream()

    def verify_cards(self) -> None:
        """Hold that each card that left was told once, in order.

        Raises:
            AssertionError: with both lists.
        """
        told = [card.code for card in self.host.cards()]
        left = [card.face.code if card.face is not None else 0 for card in self.shoe.tray]
        assert told == left, f"told {told}, left {left}"

    async def _pull(self) -> None:
        """Pull the plug and wait until it is told."""
        loop, losses = asyncio.get_running_loop(), len(self.host.of_kind(PortLost))
        begin_s = loop.time()
        await self.shoe.unplug()
        async with asyncio.timeout(REPORT_S):
            await self.host.until(lambda: len(self.host.of_kind(PortLost)) > losses)
        self.longest_report_s = max(self.longest_report_s, loop.time() - begin_s)

    async def _in_a_round(self) -> None:
        dealing = asyncio.create_task(self._deal())
        await asyncio.sleep(self._rng.random() * 0.4)
        await self._pull()
        await dealing

    async def _deal(self) -> None:
        """Open the gate for some cards and pull them, as far as the line lets it."""
        try:
            if self.shoe.snapshot().shoe_id is None:
                await self.host.device.command(OpenShoe(SHOE_ID, 8))
            await self.host.device.command(Unlock(CARDS_A_CYCLE))
        except NotReadyError:
            return  # pulled before it was asked
        await asyncio.sleep(GATE_S)
        for _ in range(CARDS_A_CYCLE):
            if self.shoe.draw() is not DrawResult.DRAWN:
                return  # the gate is locked: by itself when the line went, or after the last card
            await asyncio.sleep(self._rng.random() * 0.06)

    async def _idle(self) -> None:
        await asyncio.sleep(self._rng.random() * 3.0)  # over several heartbeats
        await self._pull()

    async def _in_a_burst(self) -> None:
        for _ in range(BURST):
            self.shoe.press(1)
        await asyncio.sleep(self._rng.choice((0.0, 0.001, 0.02)))
        await self._pull()

    async def _while_writing(self) -> None:
        for _ in range(self._rng.randint(1, 12)):
            try:
                self.host.device.request(Request("echo", {"content": self._rng.randbytes(ECHO_BYTES)}))
            except NotReadyError:
                break  # so many wait already
        if self._rng.random() < 0.5:
            await asyncio.sleep(self._rng.random() * 0.02)
        await self._pull()

    async def _in_the_dialogue(self) -> None:
        """Pull it, and once more at a word of the dialogue that follows."""
        await self._pull()
        self.shoe.pull_at(self._rng.randint(1, self.dialogue_words), hears=self._rng.random() < 0.5)
        await asyncio.sleep(self._rng.random() * AWAY_S)
        await self.shoe.plug_in()
        losses = len(self.host.of_kind(PortLost))
        async with asyncio.timeout(BACK_S):
            await self.shoe.pulled()
            await self.host.until(lambda: len(self.host.of_kind(PortLost) + self.host.of_kind(PortFailed)) > losses)

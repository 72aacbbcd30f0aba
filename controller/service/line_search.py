"""Finds the setting of a serial line whose device speaks at another rate than it should: the alternatives of its profile, in order.

A link that searches makes one ordinary link after another, each with its own setting, until something intelligible is heard:

* bytes that are no frames mean a wrong setting: the next is tried after half a second of them;
* silence means one only where the device is asked and should have answered. It keeps the usual setting for longest, because a device that
  was just switched on is silent too; one that only listens to its device learns nothing from silence.

When every setting was tried in silence the usual one stays, so an absent device is awaited where it should be. What was found is told once,
in words for a technician: a device at a wrong rate works, and somebody should put the configuration or the device right. A port whose
address names its rate is never searched. The search begins anew when the port is opened again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from controller.service.link import Consumer, DeviceLink, Link
from firmware_bridge.commands import Command
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding
from firmware_bridge.port_news import LineFound, PortOpened
from firmware_bridge.reports import StatusReport
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed, EventArrived
from firmware_bridge.transport.settings import SerialSettings

LOOK_EVERY_S: Final = 0.25
USUAL_SILENCE_S: Final = 2.0
"""IDENTIFY is answered within 0.5 s (SDP/1 1.8), and RST goes a second time after one second."""
KNOWN_SILENCE_S: Final = 6.0
"""A device that was heard at this setting before has just lost its power: it has five seconds to come up (SDP/1 1.8)."""
OTHER_SILENCE_S: Final = 1.5
GARBAGE_S: Final = 0.5
GARBAGE_BYTES: Final = 12
"""More than one telegram of the shortest protocol: one telegram may be damaged by the plug going in."""


class LineTry(msgspec.Struct):
    """One setting on one opening of the port."""

    opened_s: float
    frames: int
    """What the session and the port had counted before."""
    bytes_in: int
    garbage_s: float | None = None
    """Since when bytes have come that are no frames."""

    def is_understood(self, frames: int) -> bool:
        """Whether something intelligible was heard."""
        return frames > self.frames

    def is_wrong(self, now_s: float, bytes_in: int, silence_s: float | None) -> bool:
        """Whether another setting should be tried; `silence_s` None: silence says nothing."""
        if bytes_in - self.bytes_in >= GARBAGE_BYTES:
            self.garbage_s = now_s if self.garbage_s is None else self.garbage_s
            return now_s >= self.garbage_s + GARBAGE_S
        return silence_s is not None and now_s >= self.opened_s + silence_s


class Made(NamedTuple):
    """A device at one setting of its line."""

    device: Device
    link: DeviceLink
    frames_heard: Callable[[], int]
    """Frames without a fault, since it was made: a line with a wrong setting brings none."""


Make = Callable[[SerialSettings, int, Consumer], Made]
"""Makes the device at one setting, from an event number on."""


def link_at(
    make: Make, settings: Sequence[SerialSettings], first_wanted: int, consumer: Consumer, *, asks: bool, keeps_events: bool
) -> Link:
    """Return a link to a device whose line may have these settings; the arguments are those of `SearchingLink`."""
    if len(settings) == 1:
        return make(settings[0], first_wanted, consumer).link
    return SearchingLink(make, settings, first_wanted, consumer, asks=asks, keeps_events=keeps_events, clock=time.monotonic)


class SearchingLink:
    """A link (`controller.service.link.Link`) that finds its setting. `asks`: the device is asked, so silence means something."""

    def __init__(  # one argument for each thing that it needs
        self,
        make: Make,
        settings: Sequence[SerialSettings],
        first_wanted: int,
        consumer: Consumer,
        *,
        asks: bool,
        keeps_events: bool,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`keeps_events`: the device has a journal, so what was not acknowledged comes again."""
        self._make, self._settings, self._consumer = make, tuple(settings), consumer
        self._asks, self._keeps_events = asks, keeps_events
        self._clock, self._pause = clock, pause
        self._next_event = first_wanted
        self._at = 0
        self._known: int | None = None
        """Which setting was found before."""
        self._tries = 0
        self._try: LineTry | None = None
        self._opened = asyncio.Event()
        self._made = self._make_next()

    def start(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._run(), name=f"line of {self._made.device.name}")

    async def stop(self) -> None:
        await self._made.link.stop()

    def acknowledge(self, eseq: int) -> None:
        if self._keeps_events:
            self._next_event = max(self._next_event, eseq + 1)
        self._made.link.acknowledge(eseq)

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        return await self._made.link.command(command)

    async def status(self) -> StatusReport | None:
        return await self._made.link.status()

    async def _run(self) -> None:
        """Serve one setting after another; ends as the link's own task does, by its end or its exception."""
        while True:
            serving = self._made.link.start()
            looking = asyncio.create_task(self._look())
            try:
                await asyncio.wait((serving, looking), return_when=asyncio.FIRST_COMPLETED)
            finally:
                looking.cancel()
            if serving.done():
                await serving
                return
            await self._made.link.stop()
            self._at = (self._at + 1) % len(self._settings)
            self._tries += 1
            self._made = self._make_next()

    async def _look(self) -> None:
        """Return when another setting should be tried."""
        while True:
            await self._opened.wait()
            if self._try is not None and self._judge(self._try):
                return
            await self._pause(LOOK_EVERY_S)

    def _judge(self, tried: LineTry) -> bool:
        if self._made.device.standing is DeviceStanding.WAITING_FOR_PORT:
            return False
        if tried.is_understood(self._made.frames_heard()):
            self._found()
            return False
        return tried.is_wrong(self._clock(), self._made.device.line.bytes_in, self._silence_s())

    def _silence_s(self) -> float | None:
        """How long silence may last at the present setting; None: for ever."""
        if not self._asks or self._tries >= len(self._settings):
            return None
        if self._at == self._known:
            return KNOWN_SILENCE_S
        return OTHER_SILENCE_S if self._at else USUAL_SILENCE_S

    def _found(self) -> None:
        self._opened.clear()
        self._try, self._tries = None, 0
        if self._at != self._known:
            self._known = self._at
            if self._at:
                self._consumer(LineFound(self._settings[self._at].words(), self._settings[0].words()))

    def _hear(self, output: DeviceOutput) -> None:
        if isinstance(output, EventArrived) and not self._keeps_events:
            self._next_event = output.event.eseq + 1
        elif isinstance(output, PortOpened):
            self._try = LineTry(self._clock(), self._made.frames_heard(), self._made.device.line.bytes_in)
            self._opened.set()
        self._consumer(output)

    def _make_next(self) -> Made:
        self._opened.clear()
        self._try = None
        return self._make(self._settings[self._at], self._next_event, self._hear)

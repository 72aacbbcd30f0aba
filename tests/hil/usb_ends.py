"""A simulated USB shoe and a host's device on its bus, both on the test's loop; the host's threads are the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from device_profiles.plain.profile import PlainProfile
from firmware_bridge.cards import unseal
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding, PortLost, line_of
from firmware_bridge.events import CardRead
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings as HostSettings
from firmware_bridge.session.outputs import EventArrived
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.usb_profile import usb_settings
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.usb_bus import UsbBus

LIMIT_S = 60
"""Far above what anything here takes on a busy machine."""
QUICK = 1000.0
SERIAL = "SIM-HID-0001"


async def soon(_seconds: float) -> None:
    """Stands in for the pause before a port is opened again."""
    await asyncio.sleep(0.002)


class UsbEnds:
    """See the module's text. `takes`: whether the host acknowledges at once what it hears."""

    def __init__(self, profile: PlainProfile) -> None:
        self.profile = profile
        self.bus = UsbBus()
        self.outputs: list[DeviceOutput] = []
        self.takes = True
        self._news = asyncio.Event()

    async def __aenter__(self) -> UsbEnds:
        await self.bus.open()
        self.far = PlainDevice(PlainSettings(profile=self.profile, usb=self.bus, factor=QUICK, name=SERIAL))
        await self.far.start()
        self.transport = open_transport(self.far.url, usb=usb_settings(self.profile))
        settings = HostSettings(line=line_of(self.transport))
        self.near = Device("shoe", self.transport, PlainSession(PlainCodec(self.profile), settings), self._take, pause=soon)
        self.near.start()
        async with asyncio.timeout(LIMIT_S):
            await self.near.reached(DeviceStanding.RUNNING)
        await self.until(lambda: self.end.is_used)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.near.stop()
        await self.far.stop()
        await self.bus.close()

    @property
    def end(self):  # type: ignore[no-untyped-def]
        return self.far._usb

    def _take(self, output: DeviceOutput) -> None:
        self.outputs.append(output)
        if isinstance(output, EventArrived) and self.takes:
            self.near.acknowledge(output.event.eseq)
        self._news.set()

    def cards(self) -> list[str]:
        events = [o.event for o in self.outputs if isinstance(o, EventArrived)]
        return [unseal(e.card, "the test compares").name for e in events if isinstance(e, CardRead)]

    def told_by_paper(self) -> list[str]:
        return [card.face.name for card in self.far.tray if card.face is not None]

    def losses(self) -> int:
        return sum(isinstance(output, PortLost) for output in self.outputs)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():  # what the far end notices comes without a word to the near one
                self._news.clear()
                try:
                    async with asyncio.timeout(0.01):
                        await self._news.wait()
                except TimeoutError:
                    continue

"""Both ends of a USB cable for tests: a simulated device on a bus, and a transport that tells a test what it hears."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from device_profiles.plain.loader import load_plain
from firmware_bridge.transport.base import (
    TransportError,
    TransportState,
)
from firmware_bridge.transport.usb import UsbTransport
from firmware_bridge.transport.usb_address import parse_usb_address
from firmware_bridge.transport.usb_find import bus_of
from firmware_bridge.transport.usb_profile import usb_settings
from firmware_bridge.transport.usbip_backend import UsbipBackend
from hil.simulated.usb_bus import UsbBus
from hil.simulated.usb_end import UsbEnd

LIMIT_S = 20
"""Far above what anything here takes on a busy machine."""


QUICK_READ_MS = 20
"""So that closing, which waits for a read to end, takes no quarter of a second in each test."""


class Far:
    """The device's side of the cable."""

    def __init__(self) -> None:
        self.heard = b""
        self.pieces: list[bytes] = []
        self.hosts = 0
        self.news = asyncio.Event()

    def bytes_came(self, chunk: bytes) -> None:
        self.heard += chunk
        self.pieces.append(chunk)
        self.news.set()

    def host_came(self) -> None:
        self.hosts += 1
        self.news.set()

    def host_went(self) -> None:
        self.hosts -= 1
        self.news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self.news.clear()
                await self.news.wait()


class Near:
    """The host's side: a transport, and what it tells."""

    def __init__(self, transport: UsbTransport) -> None:
        self.transport = transport
        self.chunks: list[bytes] = []
        self.lost: list[TransportError] = []
        self.news = asyncio.Event()

    async def open(self) -> None:
        await self.transport.open(self.on_bytes, self.on_lost)

    def on_bytes(self, chunk: bytes) -> None:
        self.chunks.append(chunk)
        self.news.set()

    def on_lost(self, error: TransportError) -> None:
        self.lost.append(error)
        self.news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self.news.clear()
                await self.news.wait()

    async def until_closed(self) -> None:
        async with asyncio.timeout(LIMIT_S):
            while self.transport.state is not TransportState.CLOSED:  # noqa: ASYNC110  # a transport has no news after closing
                await asyncio.sleep(0.01)


async def plugged(bus: UsbBus, profile: str, serial: str = "SN-1") -> tuple[UsbEnd, Far]:
    end, far = UsbEnd(bus, load_plain(profile), serial), Far()
    await end.open(far)
    return end, far


async def joined(bus: UsbBus, profile: str, backend: UsbipBackend | None = None) -> tuple[UsbEnd, Far, Near]:
    end, far = await plugged(bus, profile)
    settings = usb_settings(load_plain(profile))
    near = Near(UsbTransport(parse_usb_address(end.url), settings, bus=bus_of if backend is None else lambda _server: backend))
    await near.open()
    await far.until(lambda: far.hosts == 1)
    return end, far, near

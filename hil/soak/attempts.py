"""Has a device's port fail to open thousands of times, each way it can, and counts what that leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import gc
import itertools
import os
import socket
import tracemalloc
import tty
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.codec import load_codec
from firmware_bridge.device import Device, DeviceOutput, line_of
from firmware_bridge.port_news import PortFailed
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import Refused
from firmware_bridge.transport.address import open_transport
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings
from hil.soak.plugs import Resources, resources_at_rest

REFUSE: Final = bytes((255, 254, 44))
"""Telnet: don't, COM port (RFC 2217)."""
WARM_UP: Final = 5
"""After so many every cache on the way is filled."""
PARTS: Final = 3


class Left(msgspec.Struct, frozen=True):
    """What was there before and after, and the codes of the failures."""

    before: Resources
    after: Resources
    grown_bytes: int
    """The least growth of three parts: what is lost with each attempt shows in all of them, a cache that is enlarged in one."""
    codes: frozenset[str]


class Attempts:
    """A device that is tried again without a pause; `fail` has it fail so many times more, and then rest."""

    def __init__(self, url: str) -> None:
        transport = open_transport(url)
        settings = HostSettings(line=line_of(transport), expected_serial="SN-REGISTERED")
        session = HostSession(load_codec("sdp1"), settings, os.urandom)
        self.device = Device("shoe", transport, session, self._take, pause=self._pause)
        self.codes: set[str] = set()
        self._left = 0
        self._resting, self._go = asyncio.Event(), asyncio.Event()

    async def fail(self, count: int) -> None:
        self._left = count
        self._resting.clear()
        self._go.set()
        await self._resting.wait()

    async def _pause(self, _seconds: float) -> None:
        if self._left <= 0:
            self._go.clear()
            self._resting.set()
            await self._go.wait()

    def _take(self, output: DeviceOutput) -> None:
        if isinstance(output, PortFailed | Refused):
            self.codes.add(output.error.code if isinstance(output, PortFailed) else output.kind.value)
            self._left -= 1


async def fail_often(url: str, attempts: int, *, weighs: bool) -> Left:
    """Return what `attempts` failures of one port leave behind, after some to warm up; `weighs`: also in memory, which takes a while."""
    tried = Attempts(url)
    tried.device.start()
    await tried.fail(WARM_UP)
    if weighs:
        tracemalloc.start()
    try:
        await tried.fail(1)
        before = resources_at_rest()
        weights = [_traced()] if weighs else []
        for _ in range(PARTS):
            await tried.fail(attempts // PARTS)
            weights += [_traced()] if weighs else []
        after = resources_at_rest()
    finally:
        tracemalloc.stop()
    await tried.device.stop()
    grown_bytes = min((later - earlier for earlier, later in itertools.pairwise(weights)), default=0)
    return Left(before=before, after=after, grown_bytes=grown_bytes, codes=frozenset(tried.codes))


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@contextlib.asynccontextmanager
async def _busy_port() -> AsyncIterator[str]:
    master, slave = os.openpty()
    tty.setraw(slave)
    fcntl.flock(slave, fcntl.LOCK_EX)
    try:
        yield os.ttyname(slave)
    finally:
        os.close(slave)
        os.close(master)


@contextlib.asynccontextmanager
async def _server(answer: Callable[[asyncio.StreamWriter], Awaitable[None]], scheme: str) -> AsyncIterator[str]:
    async def came(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(writer)
        writer.close()

    async with await asyncio.start_server(came, "127.0.0.1", 0) as server:
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@contextlib.asynccontextmanager
async def _nobody(scheme: str) -> AsyncIterator[str]:
    """A port that is taken, so that nobody else gets it, and on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"{scheme}://127.0.0.1:{taken.getsockname()[1]}"


@contextlib.asynccontextmanager
async def _wrong_device() -> AsyncIterator[str]:
    async with SimulatedDevice(SimulatedSettings(serial="SN-OTHER")) as device:
        yield device.url


@contextlib.asynccontextmanager
async def _path(path: Path) -> AsyncIterator[str]:
    yield str(path)


@contextlib.asynccontextmanager
async def _address(url: str) -> AsyncIterator[str]:
    yield url


async def _refuses(writer: asyncio.StreamWriter) -> None:
    writer.write(REFUSE)
    with contextlib.suppress(ConnectionError):
        await writer.drain()


async def _hangs_up(_writer: asyncio.StreamWriter) -> None: ...


Failing = Callable[[Path], contextlib.AbstractAsyncContextManager[str]]
FAILURES: Final[dict[str, Failing]] = {
    "missing": lambda folder: _path(folder / "nothing"),
    "no-port": _path,
    "busy": lambda _folder: _busy_port(),
    "no-adapter": lambda folder: _address(f"adapter://A50285BI?links={folder}"),
    "tcp-nobody": lambda _folder: _nobody("tcp"),
    "rfc2217-nobody": lambda _folder: _nobody("rfc2217"),
    "rfc2217-refused": lambda _folder: _server(_refuses, "rfc2217"),
    "rfc2217-hangs-up": lambda _folder: _server(_hangs_up, "rfc2217"),
    "wrong-device": lambda _folder: _wrong_device(),
}
"""Ways to fail by name; each gives the address of a port that fails so."""

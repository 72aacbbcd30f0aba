"""A cable between a simulated device and a host in one event loop, without the system: in virtual time every run of it is the same."""

from __future__ import annotations

import asyncio

from firmware_bridge.transport.base import WRITE_DEADLINE_S, OnBytes, OnLost, PortBrokenError, PortClosedError, Transport, TransportState
from hil.simulated.ends import EndListener


class MemoryCable:
    """The device's end of the cable, which stays where it is; `host_end` makes the host's."""

    is_uart = True
    lost_bytes = 0
    url = "memory"

    def __init__(self) -> None:
        self._device: EndListener | None = None
        self._host: MemoryTransport | None = None

    async def open(self, listener: EndListener) -> None:
        self._device = listener

    def send(self, chunk: bytes) -> None:
        if self._host is not None:
            asyncio.get_running_loop().call_soon(self._host.take, chunk)

    async def close(self) -> None:
        self._device = None
        if self._host is not None:
            self._host.lose()

    def host_end(self) -> MemoryTransport:
        return MemoryTransport(self)

    def host_opened(self, host: MemoryTransport) -> None:
        self._host = host
        if self._device is not None:
            self._device.host_came()

    def host_closed(self) -> None:
        self._host = None
        if self._device is not None:
            self._device.host_went()

    def host_says(self, chunk: bytes) -> None:
        if self._device is not None:
            asyncio.get_running_loop().call_soon(self._device.bytes_came, chunk)


class MemoryTransport(Transport):
    """The host's end of the cable."""

    is_uart = True

    def __init__(self, cable: MemoryCable) -> None:
        super().__init__(cable.url)
        self._cable = cable
        self._state = TransportState.CLOSED

    @property
    def state(self) -> TransportState:
        return self._state

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        self._on_bytes, self._on_lost, self._state = on_bytes, on_lost, TransportState.OPEN
        self.counters.opens += 1
        self._cable.host_opened(self)

    def send(self, chunk: bytes) -> None:
        if self._state is not TransportState.OPEN:
            raise PortClosedError("the cable is not plugged in", "open it")
        self._cable.host_says(chunk)

    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        self.send(chunk)

    def rest(self, seconds: float) -> None:
        raise AssertionError("nothing here floods")

    async def close(self) -> None:
        if self._state is TransportState.OPEN:
            self._cable.host_closed()
        self._state = TransportState.CLOSED

    def take(self, chunk: bytes) -> None:
        if self._state is TransportState.OPEN:
            self.counters.bytes_in += len(chunk)
            self.counters.reads += 1
            self._on_bytes(chunk)

    def lose(self) -> None:
        if self._state is TransportState.OPEN:
            self._state = TransportState.BROKEN
            self._on_lost(PortBrokenError("the cable was pulled", "plug it in"))

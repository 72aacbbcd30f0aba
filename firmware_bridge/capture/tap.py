"""A transport with an ear: every byte that passes is told, and nothing else is changed."""

from __future__ import annotations

from collections.abc import Callable

from device_profiles.plain.frames import Way
from firmware_bridge.transport.base import WRITE_DEADLINE_S, OnBytes, OnLost, Transport, TransportState

Tap = Callable[[Way, bytes], None]
"""Hears bytes as they pass; it must not wait, and what it raises ends the device's task."""


class TappedTransport(Transport):
    """Another transport, listened to."""

    def __init__(self, inner: Transport, tap: Tap) -> None:
        super().__init__(inner.url)
        self._inner, self._tap = inner, tap
        self.is_uart, self.baud = inner.is_uart, inner.baud
        self.counters = inner.counters
        self.read_only = inner.read_only

    def listen_only(self) -> None:
        self._inner.listen_only()
        self.read_only = self._inner.read_only

    @property
    def state(self) -> TransportState:
        return self._inner.state

    @property
    def sharers(self) -> int:
        return self._inner.sharers

    def plug_mark(self) -> object:
        return self._inner.plug_mark()

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        def heard(chunk: bytes) -> None:
            self._tap(Way.IN, chunk)
            on_bytes(chunk)

        await self._inner.open(heard, on_lost)

    def send(self, chunk: bytes) -> None:
        self._tap(Way.OUT, chunk)
        self._inner.send(chunk)

    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        self._tap(Way.OUT, chunk)
        await self._inner.write(chunk, deadline_s)

    def rest(self, seconds: float) -> None:
        self._inner.rest(seconds)

    async def close(self) -> None:
        await self._inner.close()

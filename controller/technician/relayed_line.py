"""A device on a line that a daemon keeps: its place there is lent, and its bytes come through the daemon (`controller.service.relay`).

For the session it is the line itself: the same pace, the same neighbours. When the daemon takes the device back, the port breaks.
"""

from __future__ import annotations

import asyncio

from controller.service.relay import RelayPlace, piece, read_piece
from firmware_bridge.transport.base import (
    OPEN_DEADLINE_S,
    WRITE_DEADLINE_S,
    OnBytes,
    OnLost,
    PortBrokenError,
    PortClosedError,
    PortRefusedError,
    PortStalledError,
    Transport,
    TransportState,
)


class RelayedLine(Transport):
    """The place of one device on a daemon's line."""

    def __init__(self, place: RelayPlace) -> None:
        super().__init__(f"the daemon's line, address {place.address}")
        self.is_uart, self.baud = place.is_uart, place.baud
        self._place = place
        self._state = TransportState.CLOSED
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def state(self) -> TransportState:
        return self._state

    @property
    def sharers(self) -> int:
        return self._place.sharers

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        if self._state in (TransportState.OPEN, TransportState.OPENING):
            raise PortClosedError(f"{self.url} is open already", "close it first")
        self._state = TransportState.OPENING
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                reader, self._writer = await asyncio.open_connection(self._place.host, self._place.port)
                self._writer.write(self._place.secret.encode())
                await read_piece(reader)
        except (OSError, EOFError, TimeoutError) as error:
            await self.close()
            raise PortRefusedError(f"{self.url} is not open", "see in the daemon's log whether its line is there") from error
        except BaseException:
            await self.close()
            raise
        self._state = TransportState.OPEN
        self.counters.opens += 1
        self._reading = asyncio.create_task(self._read(reader, on_bytes, on_lost), name="relayed line")

    def send(self, chunk: bytes) -> None:
        if self._state is TransportState.BROKEN:
            raise PortBrokenError(f"{self.url} is broken", "close it, then open it again")
        if self._state is not TransportState.OPEN or self._writer is None:
            raise PortClosedError(f"{self.url} is not open", "open it first")
        self.counters.bytes_out += len(chunk)
        self.counters.writes += 1
        self._writer.write(piece(chunk))

    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        """Send, and wait until the daemon's connection has taken it."""
        self.send(chunk)
        assert self._writer is not None
        try:
            async with asyncio.timeout(deadline_s):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            self._state = TransportState.BROKEN
            raise PortStalledError(f"{self.url} takes nothing", "close it, then open it again") from error

    def rest(self, seconds: float) -> None:
        """Nothing to do: the daemon reads its line in turns where that is needed."""

    async def close(self) -> None:
        self._state = TransportState.CLOSED
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()  # what was said is sent before; the daemon hears the end after it

    async def _read(self, reader: asyncio.StreamReader, on_bytes: OnBytes, on_lost: OnLost) -> None:
        try:
            while True:
                chunk = await read_piece(reader)
                self.counters.bytes_in += len(chunk)
                self.counters.reads += 1
                on_bytes(chunk)
        except (OSError, EOFError):
            if self._state is TransportState.OPEN:
                self._state = TransportState.BROKEN
                self.counters.losses += 1
                on_lost(PortBrokenError(f"{self.url} was taken back by the daemon, or broke", "look at its log"))

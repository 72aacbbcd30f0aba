"""A lent device's place on a shared line, for the technician who has it: the daemon keeps the line, and carries what is said.

The other devices on the line go on working: the technician's words wait for their turn as those of a table do, and they may be for this
device alone, which is checked frame by frame. Who wants to connect has to know the secret that the daemon gave with the device. One has it
at a time; the next waits until that one has left. Here is nothing of what the words mean.

On the connection, each side sends pieces: two bytes that say how long, then so many bytes. The first that the daemon sends is empty, when
the place on the line is open.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
from typing import Final

import msgspec

from firmware_bridge.link.arbiter import is_bundle_for
from firmware_bridge.transport.base import TransportError
from firmware_bridge.transport.bus import BusTap

SECRET_CHARACTERS: Final = 32
LENGTH_BYTES: Final = 2
GREETING_S: Final = 5.0
"""A program on this machine sends its secret at once, and leaves the line to the next in less."""
UNREAD_BYTES_MAX: Final = 65_536
"""Seconds of a serial line: a technician's program that does not read for so long is stuck, and is let go."""


class RelayPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a lent device is reached, and what its line is like."""

    host: str
    port: int
    secret: str
    address: int
    baud: int
    is_uart: bool
    sharers: int


def piece(chunk: bytes) -> bytes:
    """Return a chunk as it stands on the connection."""
    return len(chunk).to_bytes(LENGTH_BYTES) + chunk


async def read_piece(reader: asyncio.StreamReader) -> bytes:
    """Return the next chunk. Raises IncompleteReadError and OSError when the other side is gone."""
    return await reader.readexactly(int.from_bytes(await reader.readexactly(LENGTH_BYTES)))


class LineRelay:
    """Carries one lent device's bytes; lives on the daemon's loop. `tap` is the device's place on its line, and closed before."""

    def __init__(self, tap: BusTap) -> None:
        self._tap = tap
        self._secret = secrets.token_hex(SECRET_CHARACTERS // 2)
        self._server: asyncio.Server | None = None
        self._one = asyncio.Lock()
        self._served: set[asyncio.Task[None]] = set()

    async def start(self, host: str) -> RelayPlace:
        """Listen beside the API, on a free port."""
        self._server = await asyncio.start_server(self._take, host, 0)
        port = self._server.sockets[0].getsockname()[1]
        tap = self._tap
        return RelayPlace(
            host=host, port=port, secret=self._secret, address=tap.address, baud=tap.baud, is_uart=tap.is_uart, sharers=tap.sharers
        )

    async def end(self) -> None:
        """Let go of whoever is there, and of the line; returns when the device's place on it is free."""
        if self._server is not None:
            self._server.close()
        for task in self._served:
            task.cancel()
        await asyncio.gather(*self._served, return_exceptions=True)
        await self._tap.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._served.add(task)
        try:
            async with asyncio.timeout(GREETING_S):
                told = await reader.readexactly(SECRET_CHARACTERS)
                if not hmac.compare_digest(told, self._secret.encode()):
                    return
                await self._one.acquire()
            try:
                await self._carry(reader, writer)
            finally:
                await self._tap.close()
                self._one.release()
        except (OSError, EOFError, TimeoutError, TransportError):
            return  # who connects sees that the connection ends, and tries again or not
        finally:
            self._served.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def hear(chunk: bytes) -> None:
            if writer.transport.get_write_buffer_size() > UNREAD_BYTES_MAX:
                writer.transport.abort()
            else:
                writer.write(piece(chunk))

        await self._tap.open(hear, lambda _error: writer.transport.abort())
        writer.write(piece(b""))
        while is_bundle_for(self._tap.address, chunk := await read_piece(reader)):
            self._tap.send(chunk)

"""A simulated serial device server: one device's line offered to several hosts at once, and tapped.

Every host that connects reads all that the device says; what one of them writes goes to the device, and a copy of it to everybody who
is connected to the tap. What each connection wrote is kept, so that a test can prove that one of them wrote nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

READERS_MAX: Final = 4
"""As many as one-port device servers take."""
READ_BYTES: Final = 4096


class SerialServer:
    """Stands between a device's own TCP port and hosts. Call it on its event loop only."""

    def __init__(self, device_host: str, device_port: int) -> None:
        self.written: list[bytearray] = []
        """What each connection to the line wrote, in the order in which they came."""
        self.tap_written = bytearray()
        """What anybody wrote to the tap: nothing goes anywhere from there."""
        self._device_address = device_host, device_port
        self._readers: list[asyncio.StreamWriter] = []
        self._taps: list[asyncio.StreamWriter] = []
        self._device: asyncio.StreamWriter | None = None
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def line_port(self) -> int:
        """Where hosts connect."""
        return int(self._servers[0].sockets[0].getsockname()[1])

    @property
    def tap_port(self) -> int:
        """Where copies of the hosts' words are had."""
        return int(self._servers[1].sockets[0].getsockname()[1])

    async def start(self) -> None:
        """Connect to the device and listen."""
        reader, self._device = await asyncio.open_connection(*self._device_address)
        carrying = asyncio.create_task(self._carry(reader))
        self._tasks.add(carrying)
        carrying.add_done_callback(self._tasks.discard)
        for serve in (self._serve_host, self._serve_tap):
            self._servers.append(await asyncio.start_server(serve, "127.0.0.1", 0))

    async def stop(self) -> None:
        """Close everything."""
        for server in self._servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()
        for writer in (*self._readers, *self._taps, *([self._device] if self._device is not None else [])):
            writer.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, device: asyncio.StreamReader) -> None:
        while chunk := await device.read(READ_BYTES):
            for writer in self._readers:
                writer.write(chunk)

    async def _serve_host(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._readers) >= READERS_MAX:
            writer.close()
            return
        said = bytearray()
        self.written.append(said)
        self._readers.append(writer)
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(READ_BYTES):
                said += chunk
                if self._device is not None:
                    self._device.write(chunk)
                for tap in self._taps:
                    tap.write(chunk)
        self._readers.remove(writer)
        writer.close()

    async def _serve_tap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._taps.append(writer)
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(READ_BYTES):
                self.tap_written += chunk
        self._taps.remove(writer)
        writer.close()

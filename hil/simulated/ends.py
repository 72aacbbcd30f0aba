"""The device's end of a cable: a pseudo-terminal or a listening TCP port. Bytes only.

A pseudo-terminal behaves like a UART: nobody sees whether the other side is there, and bytes that nobody takes are
lost. It outlives every host; a link in a directory of one's choice gives it a name that stays. TCP knows its host: a
new connection replaces the old one (SDP/1 1.1).
"""

from __future__ import annotations

import asyncio
import os
import socket
import termios
import tty
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

READ_BYTES = 4096
"""What a tty's buffer holds at most."""

SEND_LIMIT_BYTES = 65536
"""A host that reads nothing for so long is gone; the heartbeat says so before."""


RESTING_MAX: Final = 32
"""As many ends are closed here in the longest pause after which a host tries a port again, at the pace of many small tests."""


class EndListener(Protocol):
    """Who is told what happens at the end of the cable."""

    def bytes_came(self, chunk: bytes) -> None: ...

    def host_came(self) -> None: ...

    def host_went(self) -> None: ...


class End(Protocol):
    """One end of a cable. `url` is what the host opens."""

    is_uart: bool
    lost_bytes: int

    @property
    def url(self) -> str: ...

    async def open(self, listener: EndListener) -> None: ...

    def send(self, chunk: bytes) -> None: ...

    async def close(self) -> None: ...


class PtyEnd:
    """A pseudo-terminal; `link`, where given, is a path that always points at it.

    The number of one that is closed rests for a time. The system would give it to the next at once, and a host that still tries the
    old path would find another's device there, and keep its own host out.

    A pseudo-terminal carries bytes at any rate. With `baud` it is as a UART is: while the host has set another rate, bits are sampled at
    the wrong moments, and both sides get rubbish.
    """

    is_uart = True

    def __init__(self, link: Path | None = None, baud: int | None = None) -> None:
        self.url = ""
        self.lost_bytes = 0
        self.path = ""
        self._link = link
        self._speed = None if baud is None else getattr(termios, f"B{baud}")
        self._master = -1
        self._kept_slave = -1
        self._bytes_came: Callable[[bytes], None] | None = None

    async def open(self, listener: EndListener) -> None:
        self._master, self._kept_slave = os.openpty()
        tty.setraw(self._kept_slave)  # and kept open: without a slave the master would report a hang-up for ever
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._kept_slave)
        self.url = str(self._link) if self._link is not None else self.path
        if self._link is not None:
            _point(self._link, self.path)
        self._bytes_came = listener.bytes_came
        asyncio.get_running_loop().add_reader(self._master, self._readable)
        listener.host_came()

    def send(self, chunk: bytes) -> None:
        if self._master < 0:
            return
        try:
            sent = os.write(self._master, self._sampled(chunk))
        except BlockingIOError:
            sent = 0
        self.lost_bytes += len(chunk) - sent

    async def close(self) -> None:
        if self._master < 0:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        if self._link is not None and self._link.is_symlink() and str(self._link.readlink()) == self.path:
            self._link.unlink()
        os.close(self._master)
        _let_rest(self._kept_slave)
        self._master = self._kept_slave = -1

    def _readable(self) -> None:
        try:
            chunk = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return
        if chunk and self._bytes_came is not None:
            self._bytes_came(self._sampled(chunk))

    def _sampled(self, chunk: bytes) -> bytes:
        """Return the bytes as the other side's rate lets them through."""
        if self._speed is None or termios.tcgetattr(self._kept_slave)[4] == self._speed:
            return chunk
        return sampled(chunk)


_resting: Final[deque[int]] = deque()


def resting() -> int:
    """Return how many descriptors rest: they are the simulation's, and nobody's leak."""
    return len(_resting)


def _let_rest(slave: int) -> None:
    """Close a slave whose master is gone, but later: while it is open, its number is nobody's and its path leads nowhere."""
    _resting.append(slave)
    if len(_resting) > RESTING_MAX:
        os.close(_resting.popleft())


def sampled(chunk: bytes) -> bytes:
    """Return what a line hands over whose settings are not the sender's: other bytes, and fewer."""
    return bytes((byte << 1 | 0x81) & 0xFF for byte in chunk[::2])  # never zero: no frame ends


class TcpEnd:
    """A listening port with at most one host."""

    is_uart = False

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.lost_bytes = 0
        self._address = (host, port)
        self._server: asyncio.Server | None = None
        self._listener: EndListener | None = None
        self._host: TcpHost | None = None

    @property
    def url(self) -> str:
        """Known once it is open: a free port has been taken then."""
        host, port = self._address
        return f"tcp://{host}:{port}"

    async def open(self, listener: EndListener) -> None:
        self._listener = listener
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: TcpHost(self), *self._address)
        host, port = self._server.sockets[0].getsockname()[:2]
        self._address = (host, port)

    def send(self, chunk: bytes) -> None:
        if self._host is None or not self._host.write(chunk):
            self.lost_bytes += len(chunk)

    async def close(self) -> None:
        if self._server is None:
            return
        self._server.close()
        self.drop_host()
        await self._server.wait_closed()
        self._server = None

    def drop_host(self) -> None:
        """Close the connection, as a pulled network cable with a reset would."""
        if self._host is not None:
            self._host.close()

    def take_host(self, host: TcpHost) -> None:
        """A host has connected; the one before is sent away."""
        previous, self._host = self._host, host
        if previous is not None:
            previous.close()
            self._tell_went()
        if self._listener is not None:
            self._listener.host_came()

    def take_bytes(self, host: TcpHost, chunk: bytes) -> None:
        if host is self._host and self._listener is not None:
            self._listener.bytes_came(chunk)

    def lose_host(self, host: TcpHost) -> None:
        if host is self._host:
            self._host = None
            self._tell_went()

    def _tell_went(self) -> None:
        if self._listener is not None:
            self._listener.host_went()


class TcpHost(asyncio.Protocol):
    """One host's connection."""

    def __init__(self, end: TcpEnd) -> None:
        self._end = end
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            return
        self._transport = transport
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._end.take_host(self)

    def data_received(self, data: bytes) -> None:
        self._end.take_bytes(self, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end.lose_host(self)

    def write(self, chunk: bytes) -> bool:
        """Send, or say that the host takes nothing any more."""
        if self._transport is None or self._transport.get_write_buffer_size() > SEND_LIMIT_BYTES:
            return False
        self._transport.write(chunk)
        return True

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


def _point(link: Path, target: str) -> None:
    """Make `link` point at `target` in one step, so that nobody finds it missing."""
    link.parent.mkdir(parents=True, exist_ok=True)
    fresh = link.with_name(f".{link.name}.new")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(link)

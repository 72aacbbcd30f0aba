"""The part that serial ports and TCP connections share: one non-blocking descriptor on the event loop.

Reading all that waits at once and writing without a detour is what makes one loop enough for hundreds of devices, so
this file is on the path of every card: nothing here copies, formats or logs while things go well.
"""

from __future__ import annotations

import asyncio
import os
from abc import abstractmethod
from functools import partial

from firmware_bridge.transport.base import (
    CLOSE_DEADLINE_S,
    READ_BYTES,
    TURN_BYTES,
    WRITE_BACKLOG_LIMIT_BYTES,
    WRITE_DEADLINE_S,
    OnBytes,
    OnLost,
    PortBrokenError,
    PortClosedError,
    PortReadOnlyError,
    PortStalledError,
    Transport,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.drain import Drain
from firmware_bridge.transport.own_threads import OWN_THREADS
from firmware_bridge.transport.port_loop import forget, watch

_OPEN = TransportState.OPEN  # looked up once: members of an Enum are slow to reach


class DescriptorTransport(Transport):
    """A transport on one non-blocking file descriptor; subclasses open, configure and free the descriptor."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._state = TransportState.CLOSED
        self._fd = -1
        self._on_bytes: OnBytes = _nobody_listens
        self._on_lost: OnLost = _nobody_listens
        self._backlog = bytearray()
        self._stall_timer: asyncio.TimerHandle | None = None
        self._drain = Drain()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._read_bytes = READ_BYTES
        self._rest_timer: asyncio.TimerHandle | None = None
        self._is_held = False

    @property
    def state(self) -> TransportState:
        return self._state

    @abstractmethod
    async def _open_descriptor(self) -> int:
        """Return an open, configured, non-blocking descriptor or raise a TransportError."""

    @abstractmethod
    def _free_descriptor(self, fd: int, *, unsent: bool) -> None:
        """Give the descriptor back; runs in a worker thread because closing a serial port may wait for its driver.

        `unsent` says that the port took no more bytes: what it still holds is thrown away instead of waited for.
        """

    def listen_only(self) -> None:
        self.read_only = True

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        if self._state is TransportState.CLOSING:
            raise PortStalledError(f"{self.url} is still being closed: its driver does not let go", "unplug the adapter, plug it in again")
        if self._state is not TransportState.CLOSED:
            raise PortClosedError(f"{self.url} is {self._state.value}, not closed", "close it before opening it again")
        self._state = TransportState.OPENING
        try:
            self._fd = await self._open_descriptor()
        except BaseException:
            self._state = TransportState.CLOSED
            raise
        self._loop = asyncio.get_running_loop()
        self._on_bytes, self._on_lost = on_bytes, on_lost
        self._state = TransportState.OPEN
        self.counters.opens += 1
        watch(self._loop, self._fd, self._take_bytes)

    def send(self, chunk: bytes) -> None:
        if self._state is not _OPEN or self.read_only:
            raise self._refusal()
        counters = self.counters
        counters.writes += 1
        if self._backlog or self._is_held:
            self._keep(chunk)
            return
        try:
            sent = os.write(self._fd, chunk)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise self._lose(_gone(self.url, error)) from error
        counters.bytes_out += sent
        if sent < len(chunk):
            counters.stalls += 1
            self._keep(chunk[sent:])

    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        self.send(chunk)
        if not self._backlog:
            return
        try:
            await self._drain.wait(deadline_s)
        except TimeoutError as error:
            raise self._lose(_stalled(self.url, len(self._backlog))) from error

    def rest(self, seconds: float) -> None:
        if self._state is not _OPEN or self._loop is None:
            return
        self._read_bytes = TURN_BYTES if seconds else READ_BYTES
        if seconds and self._rest_timer is None:
            forget(self._loop, self._fd)
            self._rest_timer = self._loop.call_later(seconds, self._end_rest, self._loop)

    def _end_rest(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the next turn at once: while a flood lasts the port is full by then, and need not be watched between two rests."""
        self._rest_timer = None
        try:
            self._take_bytes()
        finally:
            self._go_on(loop)

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch the port again, unless it rests once more or is gone."""
        if self._rest_timer is None and self._state is _OPEN:
            watch(loop, self._fd, self._take_bytes)

    async def close(self) -> None:
        if self._fd < 0:
            return
        fd, self._fd = self._fd, -1
        unsent = bool(self._backlog) or self._state is TransportState.BROKEN
        self._detach(fd)
        self._on_bytes = self._on_lost = _nobody_listens
        self._drain.settle(PortClosedError(f"{self.url} was closed", "open it again"))
        self._backlog.clear()
        self._is_held = False
        self._state = TransportState.CLOSING
        freed = asyncio.get_running_loop().run_in_executor(OWN_THREADS, partial(self._free_descriptor, fd, unsent=unsent))
        freed.add_done_callback(self._say_closed)
        await asyncio.wait([freed], timeout=CLOSE_DEADLINE_S)

    def _say_closed(self, freed: asyncio.Future[None]) -> None:
        self._state = TransportState.CLOSED
        if not freed.cancelled():
            freed.exception()  # marks it as seen: a port that cannot be closed properly is closed all the same

    def _take_bytes(self) -> None:
        try:
            chunk = os.read(self._fd, self._read_bytes)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(_gone(self.url, error), tell=True)
            return
        if not chunk:
            self._lose(PortBrokenError(f"{self.url}: the other side has gone", "check cable and power"), tell=True)
            return
        counters = self.counters
        counters.reads += 1
        counters.bytes_in += len(chunk)
        tell = self._on_bytes  # from a local: what is not a method is called so in half the time
        tell(chunk)

    def _keep(self, rest: bytes) -> None:
        if len(self._backlog) + len(rest) > WRITE_BACKLOG_LIMIT_BYTES:
            raise self._lose(_stalled(self.url, len(self._backlog)))
        if not self._backlog and self._loop is not None:
            if not self._is_held:
                self._loop.add_writer(self._fd, self._write_backlog)
            self._restart_stall_timer(self._loop)
        self._backlog += rest

    def _hold_writing(self, held: bool) -> None:  # a state, not a choice
        """Write nothing while the other side says that it has no room; what is sent meanwhile waits as in a full port."""
        self._is_held = held
        if self._backlog and self._loop is not None:
            if held:
                self._loop.remove_writer(self._fd)
            else:
                self._loop.add_writer(self._fd, self._write_backlog)

    def _write_backlog(self) -> None:
        try:
            sent = os.write(self._fd, self._backlog)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(_gone(self.url, error), tell=True)
            return
        self.counters.bytes_out += sent
        del self._backlog[:sent]
        if self._loop is None:
            return
        if self._backlog:
            self._restart_stall_timer(self._loop)
            return
        self._loop.remove_writer(self._fd)
        self._stop_stall_timer()
        self._drain.settle()

    def _give_up_writing(self) -> None:
        self._stall_timer = None
        self._lose(_stalled(self.url, len(self._backlog)), tell=True)

    def _lose(self, error: TransportError, *, tell: bool = False) -> TransportError:
        """Stop using the descriptor; it stays ours until `close`. With `tell`, nobody raises: the owner is called."""
        if self._state is not TransportState.OPEN:
            return error
        self._state = TransportState.BROKEN
        self.counters.losses += 1
        self._detach(self._fd)
        self._drain.settle(error)
        if tell:
            self._on_lost(error)
        return error

    def _detach(self, fd: int) -> None:
        if self._rest_timer is not None:
            self._rest_timer.cancel()
            self._rest_timer = None
        self._read_bytes = READ_BYTES
        if self._loop is not None:
            forget(self._loop, fd)
            self._loop.remove_writer(fd)
        self._stop_stall_timer()

    def _restart_stall_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        self._stop_stall_timer()
        self._stall_timer = loop.call_later(WRITE_DEADLINE_S, self._give_up_writing)

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _refusal(self) -> TransportError:
        if self.read_only:
            return PortReadOnlyError(f"{self.url} is only listened to", "let the host that owns the line write to it")
        if self._state is TransportState.BROKEN:
            return PortBrokenError(f"{self.url}: the other side has gone", "close it and open it again")
        return PortClosedError(f"{self.url} is {self._state.value}", "open it first")


def _gone(url: str, error: OSError) -> PortBrokenError:
    return PortBrokenError(f"{url}: the other side has gone ({os.strerror(error.errno or 0)})", "check cable and power")


def _stalled(url: str, waiting: int) -> PortStalledError:
    return PortStalledError(f"{url} takes no bytes ({waiting} waiting)", "check the device; the port is reopened")


def _nobody_listens(_what: object) -> None:
    """Stands in for the callbacks before `open` and after `close`."""

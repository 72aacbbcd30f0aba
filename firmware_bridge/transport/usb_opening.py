"""One opening of a USB device: its two threads, and what they share with the event loop.

libusb waits, so one thread opens, reads and at the end gives the device back, and one writes. What they have for the loop goes through a
bounded box, and while it is full the reader does not read: the device then waits on the bus, as USB has it, so a flood costs neither
memory nor the turn of other devices. An opening is let go as a whole: whatever its threads still do, nothing of it reaches the next one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from firmware_bridge.transport.base import WRITE_DEADLINE_S, PortBrokenError, PortStalledError, TransportError
from firmware_bridge.transport.usb_port import UsbPort

READ_MS: Final = 250
"""How long a read waits: closing takes no longer, and four wakings a second of an idle device cost nothing."""
WRITE_MS: Final = 250
"""The same for a write; one that makes no progress for `WRITE_DEADLINE_S` breaks the port."""
BOX_CHUNKS: Final = 64
"""Transfers that wait for the loop: a whole second of a HID device's interrupts is at most a thousand, the loop's turn far shorter."""
TURN_CHUNKS: Final = 16
"""Transfers that are told in one turn of the loop; the rest waits until others have had theirs."""
FAREWELL_S: Final = 0.5
"""What was sent before closing may still go out for so long: a lock must not get lost because the daemon ends."""


class Opening:
    """One opening of the device: what its two threads and the loop share. Everything below `change` is used with it held."""

    def __init__(self, open_port: Callable[[], UsbPort], wake: Callable[[Opening], None]) -> None:
        self.loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[None] = self.loop.create_future()
        self.freed: asyncio.Future[None] = self.loop.create_future()
        self._open_port = open_port
        self._wake = wake
        self.change = threading.Condition()
        self.box: deque[bytes] = deque()
        self.outbox: deque[bytes] = deque()
        self.waiting_bytes = 0
        """In the outbox, with what is being written."""
        self.written_bytes = 0
        """Not yet told to the loop."""
        self.halts = 0
        self.lost: TransportError | None = None
        self.resting = False
        """The loop takes no transfers for a while; the box fills, then the device waits."""
        self.turn_chunks = TURN_CHUNKS
        self.closing = False
        self.farewell_by_s = 0.0
        self._is_woken = False
        threading.Thread(target=self._live, name="usb reader", daemon=True).start()

    # ---- the threads

    def _live(self) -> None:
        try:
            port = self._open_port()
        except Exception as error:  # noqa: BLE001  # the outermost frame of the thread: whoever opens is told
            self._post(_fail, self.opened, error)
            self._post(_done, self.freed)
            return
        self._post(_done, self.opened)
        writer = threading.Thread(target=self._keep_writing, args=(port,), name="usb writer", daemon=True)
        writer.start()
        try:
            self._keep_reading(port)
        except Exception as error:  # noqa: BLE001  # as in `_live`
            self._break(error)
        writer.join()
        try:
            port.free()
        finally:
            self._post(_done, self.freed)

    def _keep_reading(self, port: UsbPort) -> None:
        while not self._is_over():
            chunk = port.read(READ_MS)
            with self.change:
                self.halts = port.halts
                while len(self.box) >= BOX_CHUNKS and not self.closing:
                    self.change.wait()
                if chunk and not self.closing:
                    self.box.append(chunk)
                    self._wake_loop()

    def _keep_writing(self, port: UsbPort) -> None:
        try:
            while (chunk := self._next_to_write()) is not None:
                self._write_whole(port, chunk)
        except Exception as error:  # noqa: BLE001  # as in `_live`
            self._break(error)

    def _next_to_write(self) -> bytes | None:
        with self.change:
            while not self.outbox and not self.closing and self.lost is None:
                self.change.wait()
            if self.closing and time.monotonic() > self.farewell_by_s:
                return None
            return self.outbox.popleft() if self.outbox and self.lost is None else None

    def _write_whole(self, port: UsbPort, chunk: bytes) -> None:
        begun_s = time.monotonic()
        while chunk:
            taken = port.write(chunk, WRITE_MS)
            now_s = time.monotonic()
            with self.change:
                self.waiting_bytes -= taken
                self.written_bytes += taken
                if self.lost is not None or (self.closing and now_s > self.farewell_by_s):
                    return
                if taken:
                    self._wake_loop()
            chunk = chunk[taken:]
            if taken:
                begun_s = now_s
            elif now_s - begun_s > WRITE_DEADLINE_S:
                raise PortStalledError(f"{port.url} takes no bytes ({len(chunk)} waiting)", "check the device; the port is reopened")

    def _is_over(self) -> bool:
        with self.change:
            return self.closing or self.lost is not None

    def _break(self, error: Exception) -> None:
        with self.change:
            if self.lost is None:
                self.lost = error if isinstance(error, TransportError) else _defect(error)
            self._wake_loop()
            self.change.notify_all()

    def _wake_loop(self) -> None:
        if not self._is_woken:
            self._is_woken = True
            self._post(self._wake, self)

    def _post(self, call: Callable[..., None], *arguments: object) -> None:
        try:
            self.loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            return  # the loop has ended: nobody is left to be told

    # ---- the loop's side

    def take(self) -> tuple[list[bytes], int, TransportError | None]:
        """Take what is to be told in this turn: transfers, bytes written, and once the transfers are told, why the port broke."""
        with self.change:
            taken = 0 if self.resting else min(len(self.box), self.turn_chunks)
            chunks = [self.box.popleft() for _ in range(taken)]
            written, self.written_bytes = self.written_bytes, 0
            self._is_woken = False
            self.change.notify_all()
            if self.box and not self.resting:
                self._wake_loop()
            return chunks, written, None if self.box else self.lost

    def rest(self, seconds: float) -> None:
        """Leave the transfers in the box for so long, and then take one by one; 0: as usual again."""
        self.turn_chunks = 1 if seconds else TURN_CHUNKS
        if seconds and not self.resting:
            self.resting = True
            self.loop.call_later(seconds, self._end_rest)

    def _end_rest(self) -> None:
        self.resting = False
        self._wake(self)

    def put(self, pieces: Sequence[bytes], limit: int) -> bool:
        """Have pieces written one after the other; False when too much waits already."""
        size = sum(map(len, pieces))
        with self.change:
            if self.waiting_bytes + size > limit:
                return False
            self.waiting_bytes += size
            self.outbox.extend(pieces)
            self.change.notify_all()
            return True

    def end(self) -> None:
        """Let the threads come to their end."""
        with self.change:
            self.closing = True
            self.farewell_by_s = time.monotonic() + FAREWELL_S
            self.change.notify_all()


def _defect(error: Exception) -> TransportError:
    broken = PortBrokenError(f"the USB device was let go: {type(error).__name__}: {error}", "look at the log; the port is reopened")
    broken.__cause__ = error
    return broken


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error if isinstance(error, TransportError) else _defect(error))

"""One device imported from a USB/IP server: transfers over one TCP connection, several at a time, each with its limit.

Threads that wait for a transfer share the connection: the one that finds nobody receiving does so for all, until its own
transfer has ended. A transfer that is not done in time is taken back, so nothing of it can arrive later; one that was done
in that very moment counts as done. A server that does not answer even to that is gone, and so is a connection that ends.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import threading
import time
from typing import Final

import usb.core

from firmware_bridge.transport import usbip_wire as wire

CONNECT_S: Final = 3.0
"""A server in the house answers within a second."""
UNLINK_S: Final = 1.0
"""A server answers at once when a transfer is taken back; this is how long an unplugged network stays unnoticed."""
SEND_S: Final = 2.0
"""A server that takes no bytes for so long is gone."""
LENGTH_MAX: Final = 1 << 20
"""No transfer here is longer; a server that announces more is not one."""


def usb_error(number: int, words: str = "") -> usb.core.USBError:
    """Return pyusb's error for an errno."""
    kind = usb.core.USBTimeoutError if number == errno.ETIMEDOUT else usb.core.USBError
    return kind(words or os.strerror(number), None, number)


def connect(server: tuple[str, int]) -> socket.socket:
    """Return a connection to a server.

    Raises:
        OSError: nobody answers there.
    """
    connection = socket.create_connection(server, CONNECT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else each transfer waits 40 ms for an ACK
    connection.settimeout(SEND_S)
    return connection


def receive_exactly(connection: socket.socket, size: int) -> bytes:
    """Return so many bytes.

    Raises:
        OSError: the connection ended before, or nothing came in time.
    """
    found = bytearray()
    while len(found) < size:
        piece = connection.recv(size - len(found))
        if not piece:
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        found += piece
    return bytes(found)


class UsbipHandle:
    """See the module's text. Made by `import_device`."""

    def __init__(self, connection: socket.socket, device: wire.Exported) -> None:
        self.device = device
        self._connection = connection
        self._change = threading.Condition()
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._number = 0
        self._incoming: set[int] = set()
        """Transfers under way whose result brings bytes."""
        self._results: dict[int, tuple[wire.Result, bytes]] = {}
        self._buffer = bytearray()
        self._receiving = False
        self._gone = False

    def transfer(self, endpoint: int, content: bytes, length: int, timeout_ms: int, *, setup: bytes = bytes(8), interval: int = 0) -> bytes:
        """Move bytes: `endpoint` with bit 7 set brings up to `length` in, else `content` goes out. Returns what came in.

        Raises:
            USBError: it failed, was refused (EPIPE), was not done in time, or the device is gone (ENODEV).
        """
        incoming = bool(endpoint & 0x80)
        number = self._begin(endpoint, content, length, setup, interval, incoming=incoming)
        found = self._wait(number, time.monotonic() + timeout_ms / 1000 if timeout_ms else None)
        if found is None:
            found = self._take_back(number, endpoint)
        result, payload = found
        if result.status:
            raise usb_error(errno.ENODEV if -result.status in (errno.ESHUTDOWN, errno.ENOENT) else -result.status)
        return payload

    def close(self) -> None:
        """Give the device back to its server. Nobody may be in a transfer."""
        self._gone = True
        self._connection.close()

    def _begin(self, endpoint: int, content: bytes, length: int, setup: bytes, interval: int, *, incoming: bool) -> int:
        with self._change:
            self._number += 1
            number = self._number
            if incoming:
                self._incoming.add(number)
            direction = wire.IN if incoming else wire.OUT
            self._send(wire.submit(wire.Request(number, self.device.id, direction, endpoint & 0x0F, length, interval, setup), content))
            return number

    def _take_back(self, unwanted: int, endpoint: int) -> tuple[wire.Result, bytes]:
        with self._change:
            self._number += 1
            number = self._number
            direction = wire.IN if endpoint & 0x80 else wire.OUT
            self._send(wire.unlink(number, self.device.id, direction, endpoint & 0x0F, unwanted))
        answer = self._wait(number, time.monotonic() + UNLINK_S)
        with self._change:
            self._incoming.discard(unwanted)
            done = self._results.pop(unwanted, None)
            if done is not None:
                return done
            if answer is None:
                self._lose()
                raise usb_error(errno.ENODEV)
        raise usb_error(errno.ETIMEDOUT)

    def _send(self, message: bytes) -> None:
        if self._gone:
            raise usb_error(errno.ENODEV)
        try:
            self._connection.sendall(message)
        except OSError as error:
            self._lose()
            raise usb_error(errno.ENODEV) from error

    def _wait(self, number: int, deadline_s: float | None) -> tuple[wire.Result, bytes] | None:
        """Return the result of a transfer, None when its time is over."""
        with self._change:
            while True:
                found = self._results.pop(number, None)
                if found is not None:
                    return found
                if self._gone:
                    raise usb_error(errno.ENODEV)
                left_s = None if deadline_s is None else deadline_s - time.monotonic()
                if left_s is not None and left_s <= 0:
                    return None
                if self._receiving:
                    self._change.wait(left_s)
                    continue
                self._receive_for_all(left_s)

    def _receive_for_all(self, left_s: float | None) -> None:
        """Called with the lock held; it is free for the others while this thread waits for bytes."""
        self._receiving = True
        self._change.release()
        piece: bytes | None = None
        try:
            if self._poll.poll(None if left_s is None else max(1, left_s * 1000)):
                piece = self._connection.recv(65536)
        except OSError:
            piece = b""  # the end of a connection, in another way
        finally:
            self._change.acquire()
            self._receiving = False
        if piece == b"":
            self._lose()
        elif piece is not None:
            self._buffer += piece
            self._sort_results()
        self._change.notify_all()

    def _sort_results(self) -> None:
        while len(self._buffer) >= wire.HEADER.size:
            result = wire.parse_result(bytes(self._buffer[: wire.HEADER.size]))
            brings = result.command == wire.SUBMITTED and result.number in self._incoming
            size = result.length if brings else 0
            if not 0 <= size <= LENGTH_MAX:
                self._lose()
                return
            end = wire.HEADER.size + size
            if len(self._buffer) < end:
                return
            self._results[result.number] = result, bytes(self._buffer[wire.HEADER.size : end])
            self._incoming.discard(result.number)
            del self._buffer[:end]

    def _lose(self) -> None:
        self._gone = True
        self._change.notify_all()


def import_device(server: tuple[str, int], device: wire.Exported) -> UsbipHandle:
    """Take a device from its server.

    Raises:
        USBError: nobody answers, or the device is not there (ENODEV), or another host has it (EBUSY).
    """
    try:
        connection = connect(server)
    except OSError as error:
        raise usb_error(errno.ENODEV, f"the USB/IP server does not answer: {error.strerror or error}") from error
    try:
        connection.sendall(wire.operation(wire.ASK_IMPORT, device.busid.encode().ljust(wire.BUSID_BYTES, b"\0")))
        _version, _code, status = wire.OPERATION.unpack(receive_exactly(connection, wire.OPERATION.size))
        if status:
            raise usb_error(errno.ENODEV if status == NO_SUCH_DEVICE else errno.EBUSY)
        imported = wire.parse_device(receive_exactly(connection, wire.DEVICE.size))
    except usb.core.USBError:
        connection.close()
        raise
    except OSError as error:
        connection.close()
        raise usb_error(errno.ENODEV) from error
    return UsbipHandle(connection, imported)


NO_SUCH_DEVICE: Final = 4
"""The server's word for a device that is not on its bus; 2 and 3 say that another host has it or that it failed."""

"""A USB bus of simulated devices, served over USB/IP: devices are plugged in and out, hosts import them. No threads.

The package `usbip` models the device (descriptors, standard requests, endpoints); its own server has a thread for each connection and
leaves connections open when a device is unplugged. Here a device that is plugged out takes its connections with it, as a cable does; one
that is plugged in again has a new number on the bus. A transfer that waits is held until there are bytes, or until the host takes it back.

Several hosts may import one device, since looking at one is an import too. One that moves data counts as the host that is there; while
another still does, its going is not noticed: the end of an earlier connection may be heard after the next one has begun.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Final

import msgspec
from usbip.core import Urb
from usbip.device import USBDevice
from usbip.protocol import pack_usb_device

from firmware_bridge.transport import usbip_wire as wire

FIRST_ADDRESS: Final = 2
"""The hub itself is number 1."""
ADDRESSES: Final = 126
"""So many numbers a bus gives before it begins anew."""
TRANSFER_MAX: Final = 1 << 16
"""No transfer here is longer; a host that announces more is sent away."""


class Plugged(msgspec.Struct, eq=False):
    """A device on the bus, and what is told of its hosts."""

    device: USBDevice
    host_came: Callable[[], None]
    host_went: Callable[[], None]
    hosts: set[_Host] = msgspec.field(default_factory=set)


class UsbBus:
    """See the module's text."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.server = (host, port)
        """Where it listens, once it is open."""
        self.plugged: dict[str, Plugged] = {}
        """By the name of the socket, such as `1-1`."""
        self.slow_s = 0.0
        """So long a transfer to a device takes."""
        self._listener: asyncio.Server | None = None
        self._plugs = 0
        self._transfers = 0
        self._connections: set[_Host] = set()

    async def open(self) -> None:
        """Begin to listen."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: _Host(self), *self.server)
        self.server = self._listener.sockets[0].getsockname()[:2]

    async def close(self) -> None:
        """Take everything away."""
        for busid in list(self.plugged):
            self.unplug(busid)
        for connection in list(self._connections):
            connection.abort()
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
            self._listener = None

    def plug_in(self, device: USBDevice, host_came: Callable[[], None], host_went: Callable[[], None], busid: str | None = None) -> str:
        """Put a device into a socket, the first free one where none is named; returns the socket."""
        place = busid or next(name for number in range(1, 128) if (name := f"1-{number}") not in self.plugged)
        device.busid, device.busnum = place, 1
        device.devnum = FIRST_ADDRESS + self._plugs % ADDRESSES
        self._plugs += 1
        device.reset_io()
        self.plugged[place] = Plugged(device, host_came, host_went)
        return place

    def unplug(self, busid: str) -> None:
        """Pull a device out; its hosts see it vanish."""
        gone = self.plugged.pop(busid, None)
        if gone is not None:
            for host in list(gone.hosts):
                host.abort()

    def next_transfer(self) -> int:
        """A number for a transfer: those of two hosts may be alike."""
        self._transfers += 1
        return self._transfers

    def joined(self, connection: _Host) -> None:
        self._connections.add(connection)

    def left(self, connection: _Host) -> None:
        self._connections.discard(connection)


class _Host(asyncio.Protocol):
    """One connection: it asks for the list, or imports one device and moves its transfers."""

    def __init__(self, bus: UsbBus) -> None:
        self._bus = bus
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._plugged: Plugged | None = None
        self.is_used = False
        self._held: dict[int, int] = {}
        """Transfers that wait for bytes: the host's number, and the bus's."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            return
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._bus.joined(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._bus.left(self)
        plugged, self._plugged = self._plugged, None
        if plugged is None:
            return
        for number in self._held.values():
            plugged.device.cancel_urb(number)
        plugged.hosts.discard(self)
        was_last = self.is_used and not any(host.is_used for host in plugged.hosts)
        if was_last and plugged in self._bus.plugged.values():  # else it was pulled out, which its owner knows
            plugged.host_went()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while self._take_message():
            pass

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _take_message(self) -> bool:
        if self._transport is None or self._transport.is_closing():
            return False
        return self._take_operation() if self._plugged is None else self._take_transfer(self._plugged)

    def _take_operation(self) -> bool:
        head = self._cut(wire.OPERATION.size, whole=wire.OPERATION.size)
        if head is None:
            return False
        _version, code, _status = wire.OPERATION.unpack(head)
        if code == wire.ASK_LIST:
            del self._buffer[: wire.OPERATION.size]
            self._send(self._listing())
            return True
        if code != wire.ASK_IMPORT:
            self.abort()
            return False
        raw = self._cut(wire.BUSID_BYTES, whole=wire.OPERATION.size + wire.BUSID_BYTES)
        if raw is None:
            return False
        del self._buffer[: wire.OPERATION.size + wire.BUSID_BYTES]
        plugged = self._bus.plugged.get(raw.split(b"\0")[0].decode(errors="replace"))
        if plugged is None:
            self._send(wire.operation(wire.TELL_IMPORT, status=NO_SUCH_DEVICE))
            return True
        self._plugged = plugged
        plugged.hosts.add(self)
        self._send(wire.operation(wire.TELL_IMPORT, pack_usb_device(plugged.device)))
        return True

    def _listing(self) -> bytes:
        devices = [plugged.device for plugged in self._bus.plugged.values()]
        told = len(devices).to_bytes(4, "big")
        for device in devices:
            classes = b"".join(bytes((*triple, 0)) for triple in device.interface_triples())
            told += pack_usb_device(device) + classes
        return wire.operation(wire.TELL_LIST, told)

    def _take_transfer(self, plugged: Plugged) -> bool:
        head = self._cut(wire.HEADER.size, whole=wire.HEADER.size)
        if head is None:
            return False
        command, request, unwanted = wire.parse_request(head)
        if command == wire.UNLINK:
            del self._buffer[: wire.HEADER.size]
            self._take_back(plugged, request.number, unwanted)
            return True
        size = request.length if request.direction == wire.OUT else 0
        if command != wire.SUBMIT or not 0 <= request.length <= TRANSFER_MAX:
            self.abort()
            return False
        if len(self._buffer) < wire.HEADER.size + size:
            return False
        content = bytes(self._buffer[wire.HEADER.size : wire.HEADER.size + size])
        del self._buffer[: wire.HEADER.size + size]
        self._note_use(plugged, request)
        if self._bus.slow_s and request.endpoint and request.direction == wire.OUT:
            asyncio.get_running_loop().call_later(self._bus.slow_s, self._move, plugged, request, content)
        else:
            self._move(plugged, request, content)
        return True

    def _move(self, plugged: Plugged, request: wire.Request, content: bytes) -> None:
        if self._plugged is not plugged:
            return  # it was slow, and the plug is out
        number = self._held[request.number] = self._bus.next_transfer()
        urb = Urb(
            seqnum=number,
            direction=request.direction,
            ep=request.endpoint,
            length=request.length,
            interval=request.interval,
            setup=request.setup,
            buffer=content,
        )

        def respond(done: Urb) -> None:
            self._held.pop(request.number, None)
            self._send(wire.result(request, done.status, done.buffer[: done.actual] if request.direction == wire.IN else b"", done.actual))

        if plugged.device.handle_urb(urb, respond) is not None:
            respond(urb)

    def _take_back(self, plugged: Plugged, number: int, unwanted: int) -> None:
        held = self._held.pop(unwanted, None)
        if held is not None:
            plugged.device.cancel_urb(held)
        self._send(wire.unlinked(number, 0 if held is None else -errno.ECONNRESET))

    def _note_use(self, plugged: Plugged, request: wire.Request) -> None:
        if not self.is_used and request.endpoint:
            self.is_used = True
            asyncio.get_running_loop().call_soon(plugged.host_came)

    def _cut(self, size: int, *, whole: int) -> bytes | None:
        """The last `size` of the first `whole` bytes, None while they are not there."""
        return bytes(self._buffer[whole - size : whole]) if len(self._buffer) >= whole else None

    def _send(self, message: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(message)


NO_SUCH_DEVICE: Final = 4
"""The protocol's word for a socket without a device."""

"""A serial line at the far end of a network: a serial device server that takes line settings over telnet (RFC 2217).

The port counts as open when the server has confirmed every setting; one that will not is refused with the setting's name, since a line
at another rate would carry nothing but rubbish. Later notices that a setting has changed, by another host or at the server's own
console, break the port for the same reason.
"""

from __future__ import annotations

import asyncio

from firmware_bridge.transport.base import (
    OnBytes,
    OnLost,
    PortBrokenError,
    PortBusyError,
    PortRefusedError,
    Transport,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.com_port import ComPortLine
from firmware_bridge.transport.settings import SerialSettings
from firmware_bridge.transport.tcp import TcpTransport

AGREE_DEADLINE_S = 3.0
"""All is asked at once, so a server has many times its round trip for it; one that carries bytes only never answers."""


class Rfc2217Transport(TcpTransport):
    """One line of a serial device server. Bytes may pause on their way; time limits go by the line's own rate."""

    def __init__(self, host: str, port: int, settings: SerialSettings) -> None:
        super().__init__(host, port)
        query = settings.query()
        self.url = f"rfc2217://{self.url.removeprefix('tcp://')}{'?' if query else ''}{query}"
        self.settings = settings
        self.baud = settings.baud
        self._line = ComPortLine(settings)
        self._agreed: asyncio.Future[None] | None = None
        self._on_device_bytes: OnBytes = _drop
        self._on_connection_lost: OnLost = _drop

    def listen_only(self) -> None:
        Transport.listen_only(self)  # the line's settings are agreed on by writing

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        if self.settings.rs485:
            raise PortRefusedError(
                f"{self.url}: the direction of an RS-485 line cannot be set through RFC 2217",
                "set it at the server, and write rs485=off in the port's address",
            )
        if self.state is TransportState.CLOSED:
            self._line = ComPortLine(self.settings)
            self._agreed = asyncio.get_running_loop().create_future()
        await super().open(self._take_wire, self._lose_wire)
        try:
            self._line.begin()
            self._answer()
            await self._agree()
        except BaseException:
            await self.close()
            raise
        self._on_device_bytes, self._on_connection_lost = on_bytes, on_lost

    def send(self, chunk: bytes) -> None:
        super().send(ComPortLine.escape(chunk))

    async def close(self) -> None:
        self._on_device_bytes, self._on_connection_lost = _drop, _drop
        await super().close()

    async def _agree(self) -> None:
        """Wait until the far line is as wanted."""
        assert self._agreed is not None
        try:
            async with asyncio.timeout(AGREE_DEADLINE_S):
                await self._agreed
        except TimeoutError as error:
            raise PortRefusedError(
                f"{self.url}: the server does not answer for {self._line.waits_for}",
                "switch its port to RFC 2217, or write tcp:// where it carries bytes only; end another host's connection to it",
            ) from error
        except PortBrokenError as error:
            raise PortBusyError(
                f"{self.url}: the server ends the connection before it answers",
                "end another host's connection to this port, or let the server take this machine's address",
            ) from error

    def _take_wire(self, chunk: bytes) -> None:
        plain = self._line.receive(chunk)
        try:
            self._answer()
        except TransportError as error:
            self._lose_wire(error)
            return
        if self._line.refusal is not None:
            self._end(_not_as_wanted(self.url, self._line.refusal))
        elif self._line.agreed and self._agreed is not None and not self._agreed.done():
            self._agreed.set_result(None)
        elif plain:
            self._on_device_bytes(plain)
        if self._line.suspended is not self._is_held:
            self._hold_writing(self._line.suspended)

    def _answer(self) -> None:
        due = self._line.bytes_to_send()
        if due:
            super().send(due)

    def _end(self, error: TransportError) -> None:
        """Stop using a line that is not as it must be."""
        if self.state is TransportState.OPEN:
            self._lose(error, tell=True)

    def _lose_wire(self, error: TransportError) -> None:
        if self._agreed is not None and not self._agreed.done():
            self._agreed.set_exception(error)
        else:
            self._on_connection_lost(error)


def _not_as_wanted(url: str, why: str) -> PortRefusedError:
    return PortRefusedError(f"{url}: the server {why}", "set the server's port so, or write in the address what it can do")


def _drop(_what: object) -> None:
    """Stands in for the callbacks while the line is not agreed on."""

"""A USB device as a transport: bulk and interrupt endpoints as a stream, HID as reports, a keyboard as the text it types.

libusb waits, so each opening has threads of its own (`usb_opening`); here is the loop's side.

Closing is bounded by the reader's pace. Only a driver that hangs outlasts `CLOSE_DEADLINE_S`; its thread gives the device back whenever
it returns, and until then the transport cannot be opened again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import usb.backend

from firmware_bridge.transport.base import (
    CLOSE_DEADLINE_S,
    OPEN_DEADLINE_S,
    WRITE_BACKLOG_LIMIT_BYTES,
    WRITE_DEADLINE_S,
    OnBytes,
    OnLost,
    PortBrokenError,
    PortClosedError,
    PortStalledError,
    Transport,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.drain import Drain
from firmware_bridge.transport.keyboard import KeyboardText
from firmware_bridge.transport.usb_address import UsbAddress
from firmware_bridge.transport.usb_find import bus_of, plugged_now
from firmware_bridge.transport.usb_opening import Opening
from firmware_bridge.transport.usb_port import UsbPort, open_usb_port
from firmware_bridge.transport.usb_rules import UsbAllow
from firmware_bridge.transport.usb_settings import UsbForm, UsbSettings, cut_reports

Bus = Callable[[tuple[str, int] | None], usb.backend.IBackend]


class UsbTransport(Transport):
    """One interface of one USB device. `allowed`: the list of devices that may be used; None: no list."""

    def __init__(
        self, address: UsbAddress, settings: UsbSettings | None = None, allowed: Sequence[UsbAllow] | None = None, *, bus: Bus = bus_of
    ) -> None:
        super().__init__(address.url)
        self.address = address
        self.settings = settings if settings is not None else UsbSettings()
        self._allowed = allowed
        self._bus = bus
        self._state = TransportState.CLOSED
        self._opening: Opening | None = None
        self._halts_before = 0
        self._keyboard = KeyboardText()
        self._on_bytes: OnBytes = _nobody_listens
        self._on_lost: OnLost = _nobody_listens
        self._drain = Drain()

    @property
    def state(self) -> TransportState:
        return self._state

    def plug_mark(self) -> object:
        return plugged_now(self.address) or None

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        if self._state is TransportState.CLOSING:
            raise PortStalledError(f"{self.url} is still being closed: its driver does not let go", "unplug the device, plug it in again")
        if self._state is not TransportState.CLOSED:
            raise PortClosedError(f"{self.url} is {self._state.value}, not closed", "close it before opening it again")
        self._state = TransportState.OPENING
        opening = self._opening = Opening(self._open_port, self._take_turn)
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                await asyncio.shield(opening.opened)
        except BaseException as error:
            opening.opened.add_done_callback(_seen)
            await self._let_go(opening)
            if isinstance(error, TimeoutError):
                raise PortBrokenError(
                    f"{self.url} does not open in {OPEN_DEADLINE_S:g} s", "unplug the device, plug it in again"
                ) from error
            raise
        self._keyboard = KeyboardText()
        self._on_bytes, self._on_lost = on_bytes, on_lost
        self._state = TransportState.OPEN
        self.counters.opens += 1
        self._halts_before = self.counters.halts
        opening.loop.call_soon(self._take_turn, opening)  # a device that speaks at once was heard before anybody could be told

    def send(self, chunk: bytes) -> None:
        opening = self._opening
        if self._state is not TransportState.OPEN or opening is None:
            raise self._refusal()
        self.counters.writes += 1
        pieces = cut_reports(chunk, self.settings.report_sizes) if self.settings.form is UsbForm.REPORTS else [chunk]
        if not opening.put(pieces, WRITE_BACKLOG_LIMIT_BYTES):
            self.counters.stalls += 1
            raise self._lose(PortStalledError(f"{self.url} takes no bytes", "check the device; the port is reopened"))

    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        self.send(chunk)
        try:
            await self._drain.wait(deadline_s)
        except TimeoutError as error:
            raise self._lose(PortStalledError(f"{self.url} takes no bytes", "check the device; the port is reopened")) from error

    def rest(self, seconds: float) -> None:
        if self._state is TransportState.OPEN and self._opening is not None:
            self._opening.rest(seconds)

    async def close(self) -> None:
        opening = self._opening
        if opening is None or self._state in (TransportState.OPENING, TransportState.CLOSING):
            return
        self._on_bytes = self._on_lost = _nobody_listens
        self._drain.settle(PortClosedError(f"{self.url} was closed", "open it again"))
        await self._let_go(opening)

    async def _let_go(self, opening: Opening) -> None:
        self._opening = None
        self._state = TransportState.CLOSING
        opening.freed.add_done_callback(self._say_closed)
        opening.end()
        await asyncio.wait([opening.freed], timeout=CLOSE_DEADLINE_S)

    def _say_closed(self, _freed: asyncio.Future[None]) -> None:
        self._state = TransportState.CLOSED

    def _open_port(self) -> UsbPort:
        return open_usb_port(self.address, self.settings, self._allowed, self._bus(self.address.server))

    def _take_turn(self, opening: Opening) -> None:
        """One turn on the loop: tell what came in, note what went out, and at last why the port broke."""
        if not self._is_open(opening):
            return
        chunks, written, lost = opening.take()
        counters = self.counters
        counters.bytes_out += written
        counters.halts = self._halts_before + opening.halts
        for chunk in chunks:
            counters.reads += 1
            counters.bytes_in += len(chunk)
            told = self._keyboard.feed(chunk) if self.settings.form is UsbForm.KEYBOARD else chunk
            if told:
                self._on_bytes(told)
            if not self._is_open(opening):
                return  # whoever was told has closed the port, or it broke
        if written and not opening.waiting_bytes:
            self._drain.settle()
        if lost is not None:
            self._lose(lost, tell=True)

    def _is_open(self, opening: Opening) -> bool:
        return opening is self._opening and self._state is TransportState.OPEN

    def _lose(self, error: TransportError, *, tell: bool = False) -> TransportError:
        """Stop using the device; it stays ours until `close`. With `tell`, nobody raises: the owner is called."""
        if self._state is not TransportState.OPEN or self._opening is None:
            return error
        self._state = TransportState.BROKEN
        self.counters.losses += 1
        self._opening.end()
        self._drain.settle(error)
        if tell:
            self._on_lost(error)
        return error

    def _refusal(self) -> TransportError:
        if self._state is TransportState.BROKEN:
            return PortBrokenError(f"{self.url}: the device has gone", "close it and open it again")
        return PortClosedError(f"{self.url} is {self._state.value}", "open it first")


def _seen(future: asyncio.Future[None]) -> None:
    """Marks an error as seen that nobody waits for any more."""
    if not future.cancelled():
        future.exception()


def _nobody_listens(_what: object) -> None:
    """Stands in for the callbacks before `open` and after `close`."""

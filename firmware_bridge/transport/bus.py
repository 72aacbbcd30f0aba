"""Several devices on one line (RS-485): each has a transport of its own, a tap, and the taps share the line below them.

The line is opened with the first tap and closed with the last. When it breaks, every tap breaks; each is then opened again by its owner,
and the first to come opens the line. Who may write when is decided by `link.arbiter`, frames are told apart by the address they carry: a
tap's owner sees a line of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from device_profiles.schema import Framing
from firmware_bridge.fair_share import FairShare
from firmware_bridge.link.arbiter import BusArbiter, BusCounters, Routed
from firmware_bridge.link.line import Line
from firmware_bridge.transport.base import (
    WRITE_DEADLINE_S,
    OnBytes,
    OnLost,
    PortBrokenError,
    PortClosedError,
    PortFloodedError,
    PortStalledError,
    Transport,
    TransportError,
    TransportState,
)


class BusLine:
    """One line and its taps. `make` returns the closed transport below; it is made once."""

    def __init__(
        self,
        make: Callable[[], Transport],
        framing: Framing,
        addresses: tuple[int, ...],
        *,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = time.thread_time,
    ) -> None:
        """`spent`: processor time of this thread."""
        self.below = make()
        self.taps = {address: BusTap(self, address) for address in addresses}
        line = Line.serial(self.below.baud, len(addresses)) if self.below.is_uart else Line.stream(self.below.baud, len(addresses))
        self._arbiter = BusArbiter(framing, line)
        self._clock, self._spent = clock, spent
        self._share = FairShare(self.below.baud, clock())
        self._open: dict[int, BusTap] = {}
        self._opening: asyncio.Lock | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def counters(self) -> BusCounters:
        """What happened on the line."""
        return self._arbiter.counters

    async def join(self, tap: BusTap) -> None:
        """Open the line for a tap, unless another has it open."""
        self._opening = self._opening or asyncio.Lock()
        async with self._opening:
            if self.below.state is not TransportState.OPEN:
                await self.below.close()
                self._arbiter.reset()
                self._share = FairShare(self.below.baud, self._clock())
                await self.below.open(self._take_bytes, self._lose)
            self._open[tap.address] = tap

    async def leave(self, tap: BusTap) -> None:
        """Take a tap away; the last one closes the line."""
        if self._open.get(tap.address) is not tap:
            return
        del self._open[tap.address]
        last_words = self._arbiter.withdraw(tap.address)
        if last_words and self.below.state is TransportState.OPEN:
            self._write(last_words)
        if self._open:
            self._pump()
            return
        self._stop_timer()
        self._opening = None
        await self.below.close()

    def offer(self, tap: BusTap, chunk: bytes) -> None:
        """Let a tap's words go when the line is free."""
        self._arbiter.offer(tap.address, chunk)
        self._pump()

    def _take_bytes(self, chunk: bytes) -> None:
        now_s, began_s = self._clock(), self._spent()
        found = self._arbiter.feed(chunk, now_s)
        self._pay(self._spent() - began_s, len(chunk), found, now_s)
        for routed in found:
            tap = self._open.get(routed.address)
            if tap is None:
                self._arbiter.counters.stray += 1
            else:
                tap.take(routed.wire)
        self._pump()

    def rest(self, seconds: float) -> None:
        """Read the line in turns: who floods it speaks over all the others anyway."""
        self.below.rest(seconds)

    def _pay(self, spent_s: float, size: int, found: list[Routed], now_s: float) -> None:
        """Noise reaches no tap, so what it costs is the line's own."""
        was_in_turns = self._share.in_turns
        turn = self._share.charge(spent_s, 0 if found else size, len(found), now_s, waits=True)
        if turn.is_behind:
            self._lose(PortFloodedError(f"{self.below.url} brings more than can be read, without end", "unplug its devices one by one"))
        elif turn.rest_s or was_in_turns:
            self.below.rest(turn.rest_s)

    def _lose(self, error: TransportError) -> None:
        self._stop_timer()
        for tap in list(self._open.values()):
            tap.lose(error)

    def _pump(self) -> None:
        now = self._clock()
        while (routed := self._arbiter.maybe_next(now)) is not None:
            self._write(routed.wire)
        self._stop_timer()
        due_s = self._arbiter.next_deadline()
        if due_s is not None and self._open:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, due_s - now), self._pump)

    def _write(self, chunk: bytes) -> None:
        try:
            self.below.send(chunk)
        except TransportError as error:
            self._lose(error)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class BusTap(Transport):
    """One device's part of a bus."""

    def __init__(self, line: BusLine, address: int) -> None:
        super().__init__(f"{line.below.url}#{address}")
        self.address = address
        self.is_uart, self.baud = line.below.is_uart, line.below.baud
        self._line = line
        self._state = TransportState.CLOSED
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None

    @property
    def state(self) -> TransportState:
        return self._state

    @property
    def sharers(self) -> int:
        return len(self._line.taps)

    def plug_mark(self) -> object:
        return self._line.below.plug_mark()

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        if self._state in (TransportState.OPEN, TransportState.OPENING):
            raise PortClosedError(f"{self.url} is open already", "close it first")
        self._state = TransportState.OPENING
        try:
            await self._line.join(self)
        except BaseException:
            self._state = TransportState.CLOSED
            raise
        self._on_bytes, self._on_lost = on_bytes, on_lost
        self._state = TransportState.OPEN
        self.counters.opens += 1

    def send(self, chunk: bytes) -> None:
        if self._state is TransportState.BROKEN:
            raise PortBrokenError(f"{self.url} is broken", "close it, then open it again")
        if self._state is not TransportState.OPEN:
            raise PortClosedError(f"{self.url} is not open", "open it first")
        self.counters.bytes_out += len(chunk)
        self.counters.writes += 1
        self._line.offer(self, chunk)

    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        """Send; a bus takes the bytes at once and says them when the line is free, so there is nothing to wait for."""
        self.send(chunk)
        if self._state is not TransportState.OPEN:
            raise PortStalledError(f"{self.url} takes nothing", "close it, then open it again")

    def rest(self, seconds: float) -> None:
        self._line.rest(seconds)

    async def close(self) -> None:
        self._state = TransportState.CLOSED
        self._on_bytes = self._on_lost = None
        await self._line.leave(self)

    def take(self, chunk: bytes) -> None:
        """Bytes of this device."""
        self.counters.bytes_in += len(chunk)
        self.counters.reads += 1
        if self._on_bytes is not None:
            self._on_bytes(chunk)

    def lose(self, error: TransportError) -> None:
        """The line broke."""
        if self._state is not TransportState.OPEN:
            return
        self._state = TransportState.BROKEN
        self.counters.losses += 1
        if self._on_lost is not None:
            self._on_lost(error)

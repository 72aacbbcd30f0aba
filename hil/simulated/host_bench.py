"""A host on the bench: a real `Device` on a simulated device's port, with a list in the journal's place.

It stores each event in `stored`, then acknowledges it, as the daemon does with its journal; `restart` begins anew from
what is stored, as a daemon that was killed. What must hold however the line behaves: `verify_stream`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from secrets import token_bytes

from firmware_bridge.cards import Card, unseal
from firmware_bridge.codec import load_codec
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding, line_of
from firmware_bridge.events import BurnEjected, CardOutOfFlow, CardRead, DeviceEvent
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import EventArrived, EventsLost, Fault
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.bus import BusTap

PATIENCE_S = 60.0
"""Several lost links with their retries (15 s at most each, SDP/1 1.8) fit into it."""

CardEvent = CardRead | BurnEjected | CardOutOfFlow


class BrokenStreamError(AssertionError):
    """Events were lost, doubled or out of order on their way to the store."""


class HostBench:
    """One host for one device."""

    def __init__(
        self,
        url: str,
        *,
        serial: str | None = None,
        key: bytes | None = None,
        acknowledges: bool = True,
        profile: str = "sdp1",
        tap: BusTap | None = None,
    ) -> None:
        """`tap`: its part of a line that several devices share, instead of a port of its own."""
        self.url = url
        self.serial = serial
        self.key = key
        self.acknowledges = acknowledges
        self.profile = profile
        self._tap = tap
        self.stored: list[DeviceEvent] = []
        self.outputs: list[DeviceOutput] = []
        self._watchers: list[asyncio.Future[None]] = []
        self.device = self._new_device()

    def start(self) -> None:
        self.device.start()

    async def stop(self) -> None:
        await self.device.stop()

    async def restart(self) -> None:
        """Go on as a new process would: with the store and nothing else."""
        await self.device.stop()
        self.device = self._new_device()
        self.device.start()

    async def running(self) -> None:
        """Wait until the device takes commands."""
        async with asyncio.timeout(PATIENCE_S):
            await self.device.reached(DeviceStanding.RUNNING)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; it is asked after every output."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._watchers.append(watcher)
                await watcher

    async def until_output(self, kind: type) -> None:
        """Wait until an output of this kind has come."""
        await self.until(lambda: any(isinstance(output, kind) for output in self.outputs))

    def of_kind(self, kind: type) -> list[DeviceOutput]:
        return [output for output in self.outputs if isinstance(output, kind)]

    def faults(self) -> dict[str, int]:
        """Return how often each kind of fault was told."""
        counts: dict[str, int] = {}
        for output in self.outputs:
            if isinstance(output, Fault):
                counts[output.kind.value] = counts.get(output.kind.value, 0) + output.count
        return counts

    def card_events(self) -> list[CardEvent]:
        return [event for event in self.stored if isinstance(event, CardRead | BurnEjected | CardOutOfFlow)]

    def cards(self) -> list[Card]:
        """Return every card that was told, in order."""
        return [unseal(event.card, "comparing with the simulated deck") for event in self.card_events()]

    def verify_stream(self) -> None:
        """Check that each event was stored once and none is missing.

        Raises:
            BrokenStreamError: with the first place where the order is broken.
        """
        for wanted, event in enumerate(self.stored, self.stored[0].eseq if self.stored else 1):
            if event.eseq != wanted:
                raise BrokenStreamError(f"event {event.eseq} is stored where {wanted} was due")
        lost = self.of_kind(EventsLost)
        if lost:
            raise BrokenStreamError(f"the device no longer had events: {lost}")

    def _take(self, output: DeviceOutput) -> None:
        self.outputs.append(output)
        if isinstance(output, EventArrived):
            self.stored.append(output.event)
            if self.acknowledges:
                self.device.acknowledge(output.event.eseq)
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    def _new_device(self) -> Device:
        transport = open_transport(self.url) if self._tap is None else self._tap
        settings = HostSettings(
            line=line_of(transport),
            expected_serial=self.serial,
            device_key=DeviceKey(self.key) if self.key is not None else None,
            first_wanted=self.stored[-1].eseq + 1 if self.stored else 1,
            address=0 if self._tap is None else self._tap.address,
        )
        clock = asyncio.get_running_loop().time
        session = HostSession(load_codec(self.profile), settings, token_bytes)
        return Device("bench", transport, session, self._take, clock=clock)

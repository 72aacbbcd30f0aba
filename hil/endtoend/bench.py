"""Simulated devices on an event loop in a thread of their own, so that a script that waits never holds them up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hil.mechanism.options import Timing
from hil.simulated.cable import BusCable
from hil.simulated.device import SimulatedDevice
from hil.simulated.ends import PtyEnd
from hil.simulated.settings import SimulatedSettings

T = TypeVar("T")

CALL_S: Final = 30.0
"""Nothing that a device is asked for takes longer, line losses included."""


class Pair(msgspec.Struct, frozen=True):
    """The devices of one table: a shoe that gives cards and a shuffler that makes them ready."""

    shoe: SimulatedDevice
    shuffler: SimulatedDevice

    def named(self, name: str) -> SimulatedDevice:
        """Return the device of this name, as scripts call it."""
        return self.shuffler if "shuffler" in name else self.shoe


class Bench:
    """The thread and its devices; made by `open_bench`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._devices: list[SimulatedDevice] = []

    def start(self, settings: SimulatedSettings, cable: BusCable | None = None) -> SimulatedDevice:
        """Start one device; it listens when this returns. `cable`: the one that it shares with others."""

        async def begin() -> SimulatedDevice:
            device = SimulatedDevice(settings, cable=cable)
            await device.start()
            return device

        device = self.run(begin())
        self._devices.append(device)
        return device

    def run(self, work: Coroutine[object, object, T], timeout_s: float = CALL_S) -> T:
        """Run a coroutine on the devices' loop and return its result.

        Raises:
            TimeoutError: when it takes longer.
        """
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)

    def call(self, work: Callable[[], T]) -> T:
        """Call something on the devices' loop and return its result."""

        async def once() -> T:
            return work()

        return self.run(once())

    def stop(self, devices: list[SimulatedDevice] | None = None) -> None:
        """Stop some devices, or all."""
        for device in list(self._devices if devices is None else devices):
            self.run(device.stop())
            self._devices.remove(device)


@contextmanager
def open_bench() -> Iterator[Bench]:
    """Run an event loop for devices until the context ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="devices", daemon=True)
    thread.start()
    bench = Bench(loop)
    try:
        yield bench
        bench.stop()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def start_pair(bench: Bench, links: Path, name: str, deck_size: int = 52) -> Pair:
    """Start the scripted devices of one table; their links in the folder are named after their serial numbers."""
    kinds = ("shoe", "shuffler")
    devices = [bench.start(scripted_settings(kind, f"{name}-{kind}".upper(), links, deck_size)) for kind in kinds]
    return Pair(*devices)


def start_pair_on_bus(bench: Bench, links: Path, name: str, deck_size: int = 52) -> Pair:
    """Start the scripted devices of one table on one line, named after the table; the shoe has address 1, the shuffler 2."""
    cable = BusCable(PtyEnd(links / name))
    devices = []
    for address, kind in enumerate(("shoe", "shuffler"), start=1):
        settings = scripted_settings(kind, f"{name}-{kind}".upper(), links, deck_size)
        devices.append(bench.start(msgspec.structs.replace(settings, address=address), cable))
    return Pair(*devices)


def scripted_settings(kind: str, serial: str, links: Path, deck_size: int = 52) -> SimulatedSettings:
    """Return the settings of a device whose cards come from a script, as fast as the line allows."""
    return SimulatedSettings(kind=kind, serial=serial, scripted=True, timing=Timing.instant(), deck_size=deck_size, link_dir=links)

"""A simulated device in the test's own loop, and one beside the command line, which runs a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from device_profiles.plain.loader import load_plain
from hil.simulated.device import SimulatedDevice
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.settings import SimulatedSettings


class Beside:
    """A simulated device whose loop runs in a thread; `do` has something done to it there."""

    def __init__(self, new_device: Callable[[], Any]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.device = new_device()
        self._hands: list[Future[None]] = []
        self._wait(self.device.start())

    @property
    def url(self) -> str:
        return self.device.url

    def do(self, deed: Callable[[SimulatedDevice], object]) -> None:
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (deed(self.device), done.set()))
        assert done.wait(10)

    def keep_doing(self, deed: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
        """Let somebody's hand do something all the while."""
        self._hands.append(asyncio.run_coroutine_threadsafe(deed(self.device), self._loop))

    def end(self) -> None:
        for hand in self._hands:
            hand.cancel()
        self._wait(self.device.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _wait(self, work: object) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)  # type: ignore[arg-type]


@pytest.fixture
def beside() -> Iterator[Callable[..., Beside]]:
    made: list[Beside] = []

    def make(**settings: object) -> Beside:
        made.append(Beside(lambda: SimulatedDevice(SimulatedSettings(technician_switch=True, **settings))))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def beside_plain() -> Iterator[Callable[..., Beside]]:
    made: list[Beside] = []

    def make(profile: str, **settings: object) -> Beside:
        known = load_plain(profile)
        made.append(Beside(lambda: PlainDevice(PlainSettings(profile=known, **settings))))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def diagnostic(tmp_path: Path) -> list[str]:
    """The options of diagnostic mode; the work is written down in `work.jsonl`."""
    return ["--ticket", "WO-77", "--by", "technician:T3", "--second", "supervisor:S1", "--work-log", str(tmp_path / "work.jsonl")]

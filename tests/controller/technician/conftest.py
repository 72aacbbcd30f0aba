"""A simulated device in the test's own loop, and one beside the command line, which runs a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings


class Beside:
    """A simulated device whose loop runs in a thread; `do` has something done to it there."""

    def __init__(self, settings: SimulatedSettings) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.device = SimulatedDevice(settings)
        self._wait(self.device.start())

    @property
    def url(self) -> str:
        return self.device.url

    def do(self, deed: Callable[[SimulatedDevice], object]) -> None:
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (deed(self.device), done.set()))
        assert done.wait(10)

    def end(self) -> None:
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
        made.append(Beside(SimulatedSettings(technician_switch=True, **settings)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def diagnostic(tmp_path: Path) -> list[str]:
    """The options of diagnostic mode; the work is written down in `work.jsonl`."""
    return ["--ticket", "WO-77", "--by", "technician:T3", "--second", "supervisor:S1", "--work-log", str(tmp_path / "work.jsonl")]

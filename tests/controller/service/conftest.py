"""A daemon as its own process beside simulated devices in the test's loop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from controller.journal.keys import create_keys
from hil.mechanism.cards import fresh_deck
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings

PATIENCE_S = 60.0
"""A daemon imports for half a second on an idle machine; this is one that a whole suite keeps busy."""
PROGRAM = "from controller.cli.main import main; main()"


class Site:
    """A folder with a configuration, one simulated shoe, and at most one daemon process at a time."""

    def __init__(self, folder: Path, shoe: SimulatedDevice, method: str) -> None:
        self.folder = folder
        self.shoe = shoe
        self.method = method
        self.file = folder / "table.toml"
        self.process: asyncio.subprocess.Process | None = None
        self.extra_environment: Mapping[str, str] = {}
        self.program = PROGRAM
        create_keys(folder / "keys.json")

    def configure(self, serial: str = "SIM-SHOE-1", extra: str = "", device_extra: str = "", port: str = "") -> None:
        self.file.write_text(
            f"""
config = 1
journal = {{ path = "journal.db", key_file = "keys.json" }}
api = {{ port_file = "api.port" }}
log = {{ file = "log", level = "debug" }}
{extra}
[[table]]
id = "T1"
game = "colorado-hold-em-poker"
method = "{self.method}"
[[table.device]]
name = "shoe"
kind = "shoe"
port = "{port or self.shoe.url}"
serial = "{serial}"
{device_extra}
"""
        )

    async def start(self) -> httpx.AsyncClient:
        """Start the daemon and return a client of its API, once it answers."""
        (self.folder / "api.port").unlink(missing_ok=True)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            self.program,
            "run",
            "--config",
            str(self.file),
            env={**os.environ, **self.extra_environment},
            stderr=asyncio.subprocess.PIPE,
        )
        port_file = self.folder / "api.port"
        await self.until(lambda: port_file.exists() or self.process_ended)
        if self.process_ended:
            raise AssertionError(f"the daemon ended: {await self.errors()}\n{self.log()}")
        return self.client()

    def client(self) -> httpx.AsyncClient:
        """Return another client of the running daemon's API."""
        token = (self.folder / "api.token").read_text().strip()
        return httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{(self.folder / 'api.port').read_text().strip()}",
            headers={"Authorization": f"Bearer {token}"},
            timeout=40,
        )

    @property
    def process_ended(self) -> bool:
        return self.process is None or self.process.returncode is not None

    async def errors(self) -> str:
        assert self.process is not None
        assert self.process.stderr is not None
        return (await self.process.stderr.read()).decode()

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    async def until(self, holds: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
        async with asyncio.timeout(within_s):
            while not holds():  # noqa: ASYNC110  # another process is watched: there is no event to wait for
                await asyncio.sleep(0.01)

    async def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)
        return await self.process.wait()


class Person:
    """People at the table, through the API; remembers the last entry seen."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.last = 0
        self.acted = 0

    async def act(self, key: str, value: object = True, by: str = "dealer:D7", status: int = 200) -> dict[str, object]:
        answer = await self.client.post("/v1/tables/T1/acts", json={key: value, "by": by})
        assert answer.status_code == status, (key, answer.text)
        found = answer.json()
        self.acted = found["entry"]
        outcome = found["outcome"]
        assert isinstance(outcome, dict)
        return outcome

    async def see(self, act: str) -> dict[str, object]:
        """Wait for the next entry of an act and return its outcome."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                answer = await self.client.get("/v1/tables/T1/entries", params={"after": self.last, "wait": 5})
                assert answer.status_code == 200, answer.text
                for entry in answer.json()["entries"]:
                    self.last = entry["entry"]
                    if entry["act"] == act:
                        outcome = entry["outcome"]
                        assert isinstance(outcome, dict)
                        return outcome

    async def show(self) -> dict[str, object]:
        answer = await self.client.get("/v1/tables/T1")
        shown = answer.json()
        assert isinstance(shown, dict)
        return shown


@asynccontextmanager
async def _site(folder: Path, method: str = "manual-shoe", **settings: object) -> AsyncIterator[Site]:
    shoe = SimulatedDevice(SimulatedSettings(kind="shoe", **settings))  # type: ignore[arg-type]
    await shoe.start()
    site = Site(folder, shoe, method)
    site.configure()
    try:
        yield site
    finally:
        if not site.process_ended:
            await site.end(signal.SIGKILL)
        await shoe.stop()


@pytest.fixture
def new_site(tmp_path: Path) -> Callable[..., object]:
    def make(method: str = "manual-shoe", **settings: object) -> object:
        return _site(tmp_path, method, **settings)

    return make


@pytest.fixture
def person() -> Callable[[httpx.AsyncClient], Person]:
    return Person


@pytest.fixture
def deck() -> Callable[[], object]:
    return fresh_deck

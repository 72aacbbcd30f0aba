"""A box beside some tables: one folder, one configuration, one daemon process after another, simulated devices in this loop.

The devices outlive every daemon. Processes are started and ended by their own object only; how one ended is told.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.dealing.procedure import Procedure, build_procedure
from controller.dealing.settings import Plain
from controller.errors import NotInOrderError
from controller.games import find_game
from controller.journal.keys import create_keys
from hil.endtoend.daemon import toml
from hil.endtoend.tied import tied_command
from hil.mechanism.options import Timing
from hil.simulated.settings import SimulatedSettings
from hil.soak.witness import WitnessedDevice

READY_S: Final = 60.0
"""A start takes a second on an idle machine; a machine that runs soaks is not idle."""
STOP_S: Final = 5.0
"""SIGTERM is honoured within 5 s."""
LOG_TAIL_BYTES: Final = 3_000
"""The end of the log that a failure quotes."""
KINDS: Final = ("shoe", "shuffler")


class SoakError(NotInOrderError):
    """Something that must hold did not; the text says what, with the seed."""


class TableSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One table of a site."""

    id: str
    game: str
    method: str
    sealed: bool = False
    faults: tuple[str, ...] = ()
    timing: Timing = Timing.instant()
    house: dict[str, Plain] = {}

    @property
    def procedure(self) -> Procedure:
        """The procedure that it plays."""
        return build_procedure(find_game(self.game), self.method, self.house)


class Site:
    """See the module's text. `open` before use, `close` after it. `disk` is a small disk for the journal alone."""

    def __init__(self, folder: Path, tables: Sequence[TableSpec], seed: int, disk: Path | None = None) -> None:
        self.folder = folder
        self.disk = disk
        self.tables = tuple(tables)
        self.seed = seed
        self.journal = (disk or folder) / "journal.db"
        self.key_file = folder / "journal.keys"
        self.devices: dict[str, dict[str, WitnessedDevice]] = {}
        self.starts = 0
        self.alive = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None

    async def open(self) -> None:
        """Make the folder, start the devices; no daemon runs yet."""
        (self.folder / "ports").mkdir(parents=True)
        create_keys(self.key_file)
        for spec in self.tables:
            self.devices[spec.id] = {kind: await self._start_device(spec, kind) for kind in KINDS}
        (self.folder / "shoed.toml").write_text(self._config(), encoding="utf-8")

    async def close(self) -> None:
        """End what still runs."""
        if self._process is not None and self._process.returncode is None:
            await self.kill()
        for device in self.all_devices:
            await device.stop()

    @property
    def all_devices(self) -> list[WitnessedDevice]:
        """The devices of all tables."""
        return [device for pair in self.devices.values() for device in pair.values()]

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start a daemon and return when it is ready.

        Raises:
            SoakError: it is not, with the end of its log.
        """
        await self.begin_start()
        await self.finish_start()

    async def begin_start(self) -> None:
        """Start a daemon without waiting for it."""
        notify = self.folder / "n"
        notify.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._listener.bind(str(notify))
        with (self.folder / "daemon.out").open("ab") as out:
            self._process = await asyncio.create_subprocess_exec(
                *tied_command("run", "--config", str(self.folder / "shoed.toml")),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env={**os.environ, "NOTIFY_SOCKET": str(notify)},
            )
        self.starts += 1

    async def finish_start(self) -> None:
        """Wait until the daemon that was begun is ready; raises as `start`."""
        assert self._process is not None
        ended = asyncio.create_task(self._process.wait())
        ready = asyncio.create_task(self._hear_ready())
        try:
            await asyncio.wait([ended, ready], timeout=READY_S, return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                raise self.failed(f"is not ready (exit code {self._process.returncode})")
        finally:
            for task in (ended, ready):
                task.cancel()
            await asyncio.gather(ended, ready, return_exceptions=True)
            self._listener.close()
        self.alive.set()

    async def kill(self) -> None:
        """End the daemon by SIGKILL, at this very moment."""
        assert self._process is not None
        self.alive.clear()
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        self._listener.close()

    async def stop(self) -> float:
        """End the daemon by SIGTERM and return how long that took.

        Raises:
            SoakError: it took too long or ended with an error.
        """
        assert self._process is not None
        self.alive.clear()
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_S):
                code = await self._process.wait()
        except TimeoutError as error:
            await self.kill()
            raise self.failed(f"did not end within {STOP_S:g} s of SIGTERM") from error
        if code != 0:
            raise self.failed(f"ended with code {code} after SIGTERM")
        return time.monotonic() - began

    def failed(self, how: str) -> SoakError:
        """Return an error that quotes the end of the log."""
        return SoakError(
            "soak-daemon", f"Seed {self.seed}: the daemon {how}; its log ends with:\n{self.log_end()}\n", "Mend what it names."
        )

    def log_end(self) -> str:
        """Return the end of what the daemon logged and printed."""
        return "".join(self._tail(name) for name in ("daemon.log", "daemon.out"))

    def _tail(self, name: str) -> str:
        path = self.folder / name
        return path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace") if path.exists() else ""

    async def _hear_ready(self) -> None:
        loop = asyncio.get_running_loop()
        while b"READY=1" not in await loop.sock_recv(self._listener, 4096):
            pass

    async def _start_device(self, spec: TableSpec, kind: str) -> WitnessedDevice:
        serial = f"{spec.id}-{kind}".upper()
        key = None
        if spec.sealed:
            key = bytes((self.seed + number * 7 + len(kind)) % 255 + 1 for number in range(16))
            (self.folder / f"{serial}.key").write_text(key.hex())
        settings = SimulatedSettings(
            kind=kind,
            serial=serial,
            key=key,
            seed=self.seed,
            faults=spec.faults,
            timing=spec.timing,
            deck_size=spec.procedure.deck.per_deck,
            link_dir=self.folder / "ports",
        )
        device = WitnessedDevice(settings)
        await device.start()
        return device

    def _config(self) -> str:
        lines = ["config = 1", 'api = { port_file = "api.port" }']
        lines += [f'journal = {{ path = {toml(str(self.journal))}, key_file = "journal.keys" }}']
        lines += ['ports = { links = "ports" }', 'log = { format = "json", file = "daemon.log" }']
        for spec in self.tables:
            lines += ["[[table]]", f"id = {toml(spec.id)}", f"game = {toml(spec.game)}", f"method = {toml(spec.method)}"]
            lines += [f"house = {toml(spec.house)}"]
            for kind, device in self.devices[spec.id].items():
                serial = device.settings.serial
                lines += ["[[table.device]]", f"name = {toml(kind)}", f"kind = {toml(kind)}", f"port = {toml(serial)}"]
                lines += [f"serial = {toml(serial)}"]
                if spec.sealed:
                    lines += ["security = 1", f"key_file = {toml(f'{serial}.key')}"]
        return "\n".join(lines) + "\n"

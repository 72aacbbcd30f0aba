"""A real daemon in its own process: its folder, its start, its API, its end.

The folder holds all that a box beside a table has: configuration, journal, keys, token, links to the ports. The daemon
tells over systemd's notify socket when it is ready, so nothing here polls for it. Its life is tied to the context that
started it, and to the process; a folder that the caller names stays, for a look at the journal.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from controller.errors import NotInOrderError, ShoedError
from controller.journal.keys import create_keys
from controller.table.outcome import Outcome
from hil.endtoend.tied import tied_command

READY_S: Final = 20.0
"""Imports take half a second on an idle machine; twenty on one that is busy with tests."""
STOP_S: Final = 8.0
"""SIGTERM is honoured within 5 s; after this the process is killed and that is told."""
ANSWER_S: Final = 40.0
"""Above the longest wait that the API allows a follower (30 s)."""
KEPT_S: Final = 3.0
"""The daemon ends a connection on which nobody asked for five seconds; before that a new one is opened."""
PROFILES: Final = "profiles"
"""A directory of this name in the daemon's folder holds further profiles."""
LOG_TAIL_BYTES: Final = 2_000
"""The end of the daemon's log that a failure quotes."""


class DaemonError(NotInOrderError):
    """The daemon did not start, did not answer, or did not end as it must."""


class DeviceEntry(msgspec.Struct, frozen=True):
    """A device in the configuration; `port` is a link's name in the folder, or an address."""

    name: str
    kind: str
    serial: str | None
    port: str
    profile: str = "sdp1"
    write: bool = False
    cards: str | None = None


class TableEntry(msgspec.Struct, frozen=True):
    """A table in the configuration."""

    id: str
    game: str
    method: str
    house: Mapping[str, object]
    devices: tuple[DeviceEntry, ...]
    bus: str = ""
    """A line that its devices share: the name of the bus and of its link."""
    mode: str = "enforce"


class Entry(msgspec.Struct, frozen=True):
    """One journalled act as the API tells it."""

    entry: int
    act: str
    by: str
    wall_ms: int
    outcome: Outcome


class Entries(msgspec.Struct, frozen=True):
    """A page of them."""

    entries: tuple[Entry, ...]
    last: int


class Answer(msgspec.Struct, frozen=True):
    """What a person's act came to; `entry` is None when it was refused."""

    entry: int | None
    outcome: Outcome


class View(msgspec.Struct, frozen=True):
    """A table as the API shows it."""

    outcome: Outcome
    devices: dict[str, dict[str, object]]
    journal: int
    mode: str = ""
    shadow: dict[str, object] = {}
    enforcement: dict[str, object] = {}


class ApiError(ShoedError):
    """The API answered with an error of its own."""


class ApiClient:
    """A caller of the local API over one connection; for one thread."""

    def __init__(self, port: int, token: str) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
        self._asked_s = 0.0
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def act(self, table: str, key: str, value: object, by: str) -> Answer:
        """Put one act to a table.

        Raises:
            ApiError: when the act cannot be read or the table cannot take it.
        """
        body = msgspec.json.encode({key: value, "by": by})
        return msgspec.json.decode(self._ask("POST", f"/v1/tables/{table}/acts", body, (200, 409)), type=Answer)

    def entries(self, table: str, after: int, wait_s: float = 0.0) -> Entries:
        """Return the acts journalled after a number, waiting for the first up to some seconds."""
        path = f"/v1/tables/{table}/entries?after={after}&wait={wait_s:.3f}"
        return msgspec.json.decode(self._ask("GET", path, None, (200,)), type=Entries)

    def view(self, table: str) -> View:
        """Return how a table stands."""
        return msgspec.json.decode(self._ask("GET", f"/v1/tables/{table}", None, (200,)), type=View)

    def close(self) -> None:
        """Give the connection back."""
        self._line.close()

    def _ask(self, verb: str, path: str, body: bytes | None, good: Sequence[int]) -> bytes:
        if time.monotonic() - self._asked_s > KEPT_S:
            self._line.close()
        try:
            self._line.request(verb, path, body, self._headers)
            answer = self._line.getresponse()
            content = answer.read()
            self._asked_s = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            self._line.close()
            raise DaemonError("daemon-silent", f"The daemon does not answer: {error}.", "Look at the end of its log.") from error
        if answer.status in good:
            return content
        raise _api_error(answer.status, content)


def _api_error(status: int, content: bytes) -> ApiError:
    try:
        told = msgspec.json.decode(content, type=dict[str, str])
    except msgspec.DecodeError:
        told = {}
    return ApiError(told.get("code", f"http-{status}"), told.get("what", f"The API answered {status}."), told.get("do", ""))


class Daemon:
    """A running daemon; made by `run_daemon`."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.journal = folder / "journal.db"
        self.key_file = folder / "journal.keys"
        self.log = folder / "daemon.log"

    def client(self) -> ApiClient:
        """Return a new caller of the API."""
        port = int((self.folder / "api.port").read_text())
        return ApiClient(port, (self.folder / "api.token").read_text().strip())

    def stop(self) -> None:
        """End the daemon as an operator would.

        Raises:
            DaemonError: when it did not end by itself or ended with an error.
        """
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            self.process.wait()
            raise self.failed("did not stop within 8 s") from error
        if code != 0:
            raise self.failed(f"ended with code {code}")

    def failed(self, how: str) -> DaemonError:
        """Return an error that quotes the end of the log."""
        try:
            tail = self.log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
        except OSError:
            tail = "(no log)"
        return DaemonError("daemon-failed", f"The daemon {how}. Its log ends with: {' '.join(tail.split())}", "Mend what it names.")


def links_of(folder: Path) -> Path:
    """Return the folder of links that name the ports."""
    return folder / "ports"


@contextmanager
def working_folder(folder: Path | None = None) -> Iterator[Path]:
    """Return a prepared folder for a daemon: the given one, or a temporary one that is removed."""
    if folder is not None:
        folder = folder.absolute()  # the daemon's notify socket is named by its whole path
        try:
            folder.mkdir(parents=True, exist_ok=True)
            links_of(folder).mkdir(exist_ok=True)
        except OSError as error:
            raise ShoedError("folder-not-writable", f"The folder {folder} cannot be used: {error.strerror}.", "Name another.") from error
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="shoed-") as name:
        links_of(Path(name)).mkdir()
        yield Path(name)


@contextmanager
def run_daemon(folder: Path, tables: Sequence[TableEntry], more: str = "") -> Iterator[Daemon]:
    """Write a configuration and run a daemon on it; the devices must be there already. `more`: further tables of the file.

    Raises:
        DaemonError: when it does not come up, or does not end as it must.
    """
    daemon = start_daemon(folder, tables, more)
    try:
        yield daemon
    except BaseException:
        daemon.process.kill()
        daemon.process.wait()
        raise
    daemon.stop()


def start_daemon(folder: Path, tables: Sequence[TableEntry], more: str = "") -> Daemon:
    """Start a daemon and return once it is ready; the caller stops it."""
    config = folder / "shoed.toml"
    config.write_text(f"{config_text(tables, PROFILES if (folder / PROFILES).is_dir() else None)}\n{more}", encoding="utf-8")
    if not (folder / "journal.keys").exists():
        create_keys(folder / "journal.keys")
    notify = folder / "notify"
    notify.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(notify))
        with (folder / "daemon.log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603  # our own program, with our own configuration
                tied_command("run", "--config", str(config)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": str(notify)},
                start_new_session=True,
            )
        daemon = Daemon(process, folder)
        try:
            _wait_ready(daemon, listener)
        except BaseException:
            process.kill()
            process.wait()
            raise
    return daemon


def _wait_ready(daemon: Daemon, listener: socket.socket) -> None:
    listener.settimeout(0.1)
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        try:
            if b"READY=1" in listener.recv(4096):
                return
        except TimeoutError:
            if daemon.process.poll() is not None:
                raise daemon.failed(f"ended at its start with code {daemon.process.returncode}") from None
    raise daemon.failed(f"was not ready within {READY_S:g} s")


def config_text(tables: Sequence[TableEntry], profiles: str | None = None, links: str = "ports") -> str:
    """Return a configuration with these tables, all paths beside the file. `profiles`: a directory of further profiles."""
    lines = [
        "config = 1",
        "",
        "[journal]",
        'path = "journal.db"',
        'key_file = "journal.keys"',
        "",
        "[api]",
        'token_file = "api.token"',
        'port_file = "api.port"',
        "",
        "[ports]",
        f"links = {toml(links)}",
        "",
        "[log]",
        'format = "json"',
    ]
    lines += ["", "[profiles]", f"directory = {toml(profiles)}"] if profiles is not None else []
    for table in tables:
        lines += ["", "[[bus]]", f"name = {toml(table.bus)}", f"port = {toml(table.bus)}"] if table.bus else []
        lines += ["", "[[table]]", f"id = {toml(table.id)}", f"game = {toml(table.game)}"]
        lines += [f"method = {toml(table.method)}", f"house = {toml(dict(table.house))}"]
        lines += [f"mode = {toml(table.mode)}"] if table.mode != "enforce" else []
        for device in table.devices:
            lines += ["", "[[table.device]]", f"name = {toml(device.name)}", f"kind = {toml(device.kind)}"]
            lines += [f"port = {toml(device.port)}", f"profile = {toml(device.profile)}"]
            more = {"serial": device.serial, "write": device.write or None, "cards": device.cards}
            lines += [f"{key} = {toml(value)}" for key, value in more.items() if value is not None]
    return "\n".join(lines) + "\n"


def toml(value: object) -> str:
    """Return a plain value as TOML on one line; JSON's texts are TOML's basic strings."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
        case list() | tuple():
            return "[" + ", ".join(toml(item) for item in value) + "]"
        case Mapping():
            pairs = (f"{toml(str(key))} = {toml(item)}" for key, item in value.items())
            return "{ " + ", ".join(pairs) + " }"
        case _:
            raise TypeError(f"a {type(value).__name__} has no form in TOML")

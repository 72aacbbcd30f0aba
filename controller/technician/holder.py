"""Whose port it is: when a daemon of ours holds it, the table and device that it is for, and what its API says of them.

The daemon is found by the process that has the port open and the configuration on its command line; its API is asked with the token that
the configuration names, which only this account and root can read.
"""

from __future__ import annotations

import http.client
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final, cast

import msgspec

from controller.errors import ShoedError
from controller.service.config import DeviceConfig, Setup, TableConfig
from controller.service.config_file import load_config
from controller.service.grant import Grant
from controller.service.relay import RelayPlace
from controller.table.acts import By
from controller.technician.errors import TechnicianError
from firmware_bridge.link.frames import POINT_TO_POINT
from firmware_bridge.transport.address import path_of
from firmware_bridge.transport.base import TransportError

FORBIDDEN: Final = 403
"""The daemon wants a person's code, or another one."""
API_S: Final = 5.0
"""The daemon answers in milliseconds; a table that hangs must not hang its technician too."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A port that a table has."""

    table: str
    device: str
    config_file: Path
    told: dict[str, object]
    """What the daemon's API says of the device; empty when it could not be asked."""
    bus: str = ""
    """The bus that the port is the line of; empty where the device is alone on it."""
    address: int = POINT_TO_POINT
    """Of the device on that bus."""

    @property
    def sentence(self) -> str:
        """Say who has it and how it is."""
        state = f", which is {self.told['state']}" if "state" in self.told else ""
        return f"The daemon holds this port for its table {self.table}, device {self.device}{state}."


class RecordedLine(msgspec.Struct, frozen=True, kw_only=True):
    """How a daemon's capture of a device stands, as its API tells it."""

    on: bool
    files: tuple[str, ...]
    records: int
    lost: int
    writing: bool
    trouble: str


def holder_of(port: str, config_file: Path | None = None, address: int = POINT_TO_POINT) -> Held | None:
    """Return which table of a daemon has the port; None when no daemon of ours can be named.

    On a line that devices share, it is the device of this address.
    """
    for found in [config_file] if config_file is not None else _configs_at(port):
        try:
            setup = load_config(found)
        except ShoedError:
            continue  # it serves no table of ours, or may not be read by us
        device = device_at(setup, port, address)
        if device is not None:
            table, config = device
            told, place = _ask(setup, table.id).get(config.name, {}), setup.place_of(config)
            return Held(table=table.id, device=config.name, config_file=found, told=told, bus=place.bus, address=place.address)
    return None


def held_error(held: Held) -> TechnicianError:
    """Return what to tell of a port that a table has."""
    if held.bus:
        what = f"The daemon holds this line, the bus {held.bus}, for all devices on it."
        do = (
            f"Ask for diagnostic mode of one device (--config FILE --at {held.table}/{held.device}, --ticket, --by, --second): "
            "the daemon closes its table and lends it, and keeps the line."
        )
        return TechnicianError("port-held-by-table", what, do)
    return TechnicianError(
        "port-held-by-table",
        held.sentence,
        "Ask for diagnostic mode (--ticket, --by, --second): the daemon then closes the table and lends the device.",
    )


def device_at(setup: Setup, port: str, address: int = POINT_TO_POINT) -> tuple[TableConfig, DeviceConfig] | None:
    """Return the configured device of a port, whatever link the port is named by; of several on it, the one of this address."""
    wanted = _real(port)
    found = [(table, device) for table in setup.config.table for device in table.device if _real(setup.place_of(device).port) == wanted]
    at = [one for one in found if setup.place_of(one[1]).address == address]
    return next(iter(at if at or address != POINT_TO_POINT else found), None)


def _real(port: str) -> str:
    """Return the node that a port's address leads to now, whatever it is named by; the address itself where that is not to be told."""
    try:
        return path_of(port) or port
    except TransportError:
        return port


def _configs_at(port: str) -> Iterator[Path]:
    """The configurations on the command lines of the processes that have the port open, as far as we may see them."""
    wanted = _real(port)
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if any(os.path.realpath(link) == wanted for link in (process / "fd").iterdir()):
                yield from _named_in((process / "cmdline").read_bytes().split(b"\0"), (process / "cwd").readlink())
        except OSError:
            continue  # not ours to look into, or already gone


def _named_in(words: list[bytes], here: Path) -> Iterator[Path]:
    for word, following in pairwise(words):
        if word == b"--config":
            yield here / os.fsdecode(following)
        elif word.startswith(b"--config="):
            yield here / os.fsdecode(word.removeprefix(b"--config="))


def _ask(setup: Setup, table: str) -> dict[str, dict[str, object]]:
    """What the API says of a table's devices; empty when it cannot be asked."""
    try:
        status, told = _request(setup, "GET", f"/v1/tables/{table}")
    except TechnicianError:
        return {}
    devices = told.get("devices", {}) if status == 200 else {}
    return cast("dict[str, dict[str, object]]", devices)


@contextmanager
def lent(held: Held, grant: Grant, codes: Mapping[str, str]) -> Iterator[RelayPlace | None]:
    """Have a table's device while this lasts: the daemon closes the table, notes it and frees the port.

    Of a device that shares its line, the place on it is returned where the daemon carries what is said.

    Raises:
        TechnicianError: the daemon cannot be asked, or the table does not close.
    """
    setup = load_config(held.config_file)
    path = f"/v1/tables/{held.table}/devices/{held.device}/diagnosis"
    body = {"ticket": grant.ticket, "by": str(grant.by), "second": str(grant.second), "minutes": grant.minutes, "codes": codes}
    status, told = _request(setup, "POST", path, body)
    if status == FORBIDDEN:
        raise TechnicianError(str(told["code"]), str(told["what"]), str(told["do"]))
    if status != 200:
        outcome = told.get("outcome", told)
        why = outcome.get("message") or outcome.get("what") if isinstance(outcome, dict) else None
        what = f"Table {held.table} does not lend its device {held.device}: {why or f'the daemon answers {status}'}"
        raise TechnicianError("not-lent", what, "Finish the round, then try again.")
    try:
        yield msgspec.convert(told["line"], RelayPlace) if "line" in told else None
    finally:
        _request(setup, "DELETE", path)


def gather_codes(held: Held, ask: Callable[[By], str], **persons: By | None) -> dict[str, str]:
    """Ask each person for the code, where the daemon of a port wants them to prove themselves."""
    known = load_config(held.config_file).config.person
    return {place: ask(person) for place, person in persons.items() if person is not None} if known else {}


def switch_capture(held: Held, *, on: bool, by: By, second: By | None, codes: Mapping[str, str]) -> RecordedLine:
    """Have the daemon record the line of a device, or end it; returns how its capture stands then.

    Raises:
        TechnicianError: the daemon cannot be asked, or does not do it.
    """
    body = {"on": on, "by": str(by), "codes": codes} | ({} if second is None else {"second": str(second)})
    return _recorded(held, "POST", body)


def recorded_line(held: Held) -> RecordedLine:
    """Return how the daemon's capture of a device stands; raises as `switch_capture`."""
    return _recorded(held, "GET", None)


def _recorded(held: Held, method: str, body: object) -> RecordedLine:
    setup = load_config(held.config_file)
    status, told = _request(setup, method, f"/v1/tables/{held.table}/devices/{held.device}/capture", body)
    if status != 200:
        what = str(told.get("what") or f"The daemon answers {status}.")
        raise TechnicianError(str(told.get("code") or "not-captured"), what, str(told.get("do") or "Look at the daemon's log."))
    return msgspec.convert(told, RecordedLine)


def read_daemon(setup: Setup, path: str) -> bytes:
    """Return what the daemon's API answers to a question.

    Raises:
        TechnicianError: it cannot be asked, or does not answer well.
    """
    status, answer = _exchange(setup, "GET", path, None)
    if status != 200:
        what = f"The daemon of {setup.file} answers {status} to {path}."
        raise TechnicianError("daemon-silent", what, "See whether it runs, and whether you may read its token file.")
    return answer


def _request(setup: Setup, method: str, path: str, body: object = None) -> tuple[int, dict[str, object]]:
    status, answer = _exchange(setup, method, path, body)
    try:
        return status, msgspec.json.decode(answer, type=dict[str, object])
    except msgspec.DecodeError as error:
        raise _silent(setup, error) from error


def _exchange(setup: Setup, method: str, path: str, body: object) -> tuple[int, bytes]:
    api = setup.config.api
    try:
        port = api.port if api.port_file is None else int(setup.path_of(api.port_file).read_text("ascii"))
        if not port:
            what = f"The daemon of {setup.file} takes any free port for its API, and its configuration tells nobody which."
            raise TechnicianError("daemon-silent", what, "Write `port_file` under [api], and start it again.")
        token = setup.path_of(api.token_file).read_text("ascii").strip()
        connection = http.client.HTTPConnection(api.host, port, timeout=API_S)
        try:
            content = None if body is None else msgspec.json.encode(body)
            connection.request(method, path, body=content, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _silent(setup, error) from error


def _silent(setup: Setup, error: Exception) -> TechnicianError:
    what = f"The daemon of {setup.file} cannot be asked: {getattr(error, 'strerror', None) or 'it gives no sensible answer'}."
    return TechnicianError("daemon-silent", what, "See whether it runs, and whether you may read its token file.")

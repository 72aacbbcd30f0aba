"""What must be in order before the daemon changes anything on disk: files, ports, devices, journal, program.

Each check reads and opens and gives back; none creates. So a daemon that cannot start leaves no trace but its message.
The first thing that is wrong is told, with the key of the configuration that leads to it.

A device that is silent does not keep the daemon from starting: its table opens with the device lost. A device that
answers as another one does.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.dealing.house import NotPlainError, plain_settings
from controller.dealing.procedure import Procedure, build_procedure
from controller.errors import ShoedError
from controller.games import find_game
from controller.journal.errors import JournalForeignError, JournalUnavailableError
from controller.journal.keys import JournalKeys, load_keys
from controller.journal.schema import connect_still
from controller.journal.startup import DamageFoundError, damaged, read_header
from controller.service.beside import verify_mode, words_of
from controller.service.bus_lines import BusLines
from controller.service.config import DeviceConfig, Mode, Setup, TableConfig
from controller.service.device_plan import DevicePlan, plan_device
from controller.service.errors import ConfigError, ServiceError
from controller.service.evidence import DIFFERENCES, Evidence
from controller.service.listening import plan_listening
from controller.service.loss import is_rubbish, refusal_words
from controller.service.own_files import check_apart, check_port_file
from controller.service.program import verify_program
from controller.service.strict import shown
from controller.service.token import check_token_file
from controller.table.following import Words
from device_profiles.errors import ProfileError, UnknownProfileError
from device_profiles.shelf import ProfileShelf
from firmware_bridge.device import DeviceOutput
from firmware_bridge.port_news import PortFailed
from firmware_bridge.session.outputs import Identified, Refused
from firmware_bridge.transport.base import TransportError

PROBE_S: Final = 3.0
"""IDENTIFY is answered within 0.5 s of RSTACK, RST is tried again after 1 s (SDP/1 1.8): a live device has spoken."""


class TablePlan(msgspec.Struct, frozen=True):
    """A configured table with everything that was made from its configuration."""

    config: TableConfig
    procedure: Procedure
    devices: Mapping[str, DevicePlan]
    words: Words | None = None
    """In shadow mode: how it is known where rounds begin."""
    evidence: Evidence | None = None


class Unanswered(msgspec.Struct, frozen=True):
    """Nobody said who is there; `rubbish`: and yet bytes came."""

    rubbish: bool


class Plan(msgspec.Struct, frozen=True):
    """Everything that is ready before anything is changed."""

    setup: Setup
    tables: tuple[TablePlan, ...]
    keys: JournalKeys
    program_sha256: str


def plan_tables(setup: Setup) -> tuple[TablePlan, ...]:
    """Return the tables with their procedures and links; only files that the configuration names are read.

    Raises:
        ConfigError: an unknown game, method, setting or profile, or a key that cannot be read.
    """
    shelf, lines = _make_shelf(setup), BusLines(setup)
    return tuple(_plan_table(setup, table, shelf, lines) for table in setup.config.table)


async def make_plan(setup: Setup) -> Plan:
    """Return what the daemon starts from, after all checks.

    Raises:
        ShoedError: the first thing that is not in order.
    """
    tables = plan_tables(setup)
    program_sha256 = verify_program(setup.config.service.program_sha256)
    keys = load_keys(setup.path_of(setup.config.journal.key_file))
    check_files(setup)
    await check_devices(setup, tables)
    return Plan(setup, tables, keys, program_sha256)


def check_files(setup: Setup) -> None:
    """Check that the journal is of these tables, or can be made, and that the other files can be written.

    Raises:
        ShoedError: the first thing that is not in order.
    """
    config = setup.config
    check_apart(setup)
    journal = setup.path_of(config.journal.path)
    if journal.exists() and not journal.is_dir():
        found, wanted = _tables_of(journal), tuple(sorted(table.id for table in config.table))
        if found != wanted:
            raise JournalForeignError(journal, found, wanted)
    else:
        _check_folder(setup, "journal.path", journal)
    check_token_file(setup.path_of(config.api.token_file))
    for key, text in (("api.port_file", config.api.port_file), ("log.file", config.log.file)):
        if text is not None:
            _check_folder(setup, key, setup.path_of(text))
    if config.api.port_file is not None:
        check_port_file(setup, setup.path_of(config.api.port_file))


def bind_api(setup: Setup) -> socket.socket:
    """Return the API's listening socket; taking it is also the check that it is free.

    Raises:
        ConfigError: when it cannot be had.
    """
    api = setup.config.api
    family = socket.AF_INET6 if ":" in api.host else socket.AF_INET
    # Named as TCP, since asyncio turns Nagle's delay off only then: without it each answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((api.host, api.port))
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise ConfigError(
            "api-port-taken",
            setup.file,
            "api.port",
            f"port {api.port} of {api.host} cannot be had: {os.strerror(error.errno or 0)}",
            "stop the program that uses it, or write another number, or 0 for a free one",
        ) from error
    return listener


async def check_devices(setup: Setup, tables: Sequence[TablePlan]) -> None:
    """Open every port, ask the device who it is, and give the port back.

    Raises:
        ConfigError: a port that is missing, busy or not permitted, or a device that is another one.
    """
    found = await asyncio.gather(
        *(probe_device(setup, table.config, device, table.devices[device.name]) for table in tables for device in table.config.device)
    )
    for answer in found:
        if isinstance(answer, ServiceError):
            raise answer


async def probe_device(setup: Setup, table: TableConfig, device: DeviceConfig, plan: DevicePlan) -> Identified | ServiceError | Unanswered:
    """Return who answers at a device's port, what keeps it from being used, or that nobody answers."""
    rubbish: list[DeviceOutput] = []
    answered: asyncio.Future[Identified | Refused | PortFailed] = asyncio.get_running_loop().create_future()

    def hear(output: DeviceOutput) -> None:
        if is_rubbish(output):
            rubbish.append(output)
        if isinstance(output, Identified | Refused | PortFailed) and not answered.done():
            answered.set_result(output)

    link = plan.make(1, hear)
    link.start()
    try:
        async with asyncio.timeout(PROBE_S):
            output = await answered
    except TimeoutError:
        return Unanswered(rubbish=bool(rubbish))
    finally:
        await link.stop()
    key = f"table.{table.id}.device.{device.name}"
    if isinstance(output, PortFailed):
        error = ConfigError(output.error.code, setup.file, f"{key}.port", output.error.what, output.error.do)
        error.__cause__ = output.error
        return error
    if isinstance(output, Refused):
        return ConfigError(
            "wrong-device",
            setup.file,
            f"{key}.serial",
            f"the device at {setup.port_of(device)} is refused, {refusal_words(output, setup.owners())}",
            "plug in the device that belongs to this table, or correct the configuration",
        )
    return output


def procedure_of(setup: Setup, table: TableConfig) -> Procedure:
    """Return the procedure of a table as the configuration has it.

    Raises:
        ConfigError: an unknown game, method or setting.
    """
    key = f"table.{table.id}"
    try:
        game = find_game(table.game)
    except ShoedError as error:
        raise ConfigError(error.code, setup.file, f"{key}.game", error.what, error.do) from error
    try:
        return build_procedure(game, table.method, plain_settings(table.house))
    except NotPlainError as error:
        do = f"see `shoed games settings {game.key}`"
        raise ConfigError("bad-value", setup.file, f"{key}.house.{error}", "has a value of a kind that no setting has", do) from error
    except ShoedError as error:
        part = "house" if "setting" in error.code else "method"
        raise ConfigError(error.code, setup.file, f"{key}.{part}", error.what, error.do) from error


def _plan_table(setup: Setup, table: TableConfig, shelf: ProfileShelf, lines: BusLines) -> TablePlan:
    procedure = procedure_of(setup, table)
    verify_mode(setup, table)
    evidence = _evidence_of(setup, table)
    devices = {device.name: _plan_device(setup, table.id, device, shelf, lines, evidence) for device in table.device}
    abilities = {n: None if plan.habits.own_events else frozenset(can.function for can in plan.can) for n, plan in devices.items()}
    return TablePlan(table, procedure, devices, words_of(setup, table, procedure, abilities), evidence)


def _evidence_of(setup: Setup, table: TableConfig) -> Evidence | None:
    if table.mode is not Mode.SHADOW:
        return None
    folder = setup.path_of(setup.config.captures.directory) / table.id / DIFFERENCES
    return Evidence(table.id, folder, {device.name: device.profile for device in table.device})


def _make_shelf(setup: Setup) -> ProfileShelf:
    folder = setup.config.profiles.directory
    try:
        return ProfileShelf(None if folder is None else setup.path_of(folder))
    except ProfileError as error:
        raise ConfigError(
            "bad-profile", setup.file, "profiles.directory", f"cannot be used: {error}", "mend or remove that file"
        ) from error


def _plan_device(
    setup: Setup, table_id: str, device: DeviceConfig, shelf: ProfileShelf, lines: BusLines, evidence: Evidence | None
) -> DevicePlan:
    key = f"table.{table_id}.device.{device.name}"
    try:
        if evidence is not None:
            return plan_listening(setup, table_id, device, shelf, evidence.tap(device.name))
        return plan_device(setup, table_id, device, shelf, lines)
    except UnknownProfileError as error:
        near = f"did you mean `{error.nearest}`?" if error.nearest else f"known are: {', '.join(error.known)}"
        raise ConfigError(
            "unknown-profile", setup.file, f"{key}.profile", f"there is no device profile `{shown(error.name)}`", near
        ) from error
    except ProfileError as error:
        raise ConfigError(
            "bad-profile", setup.file, f"{key}.profile", f"cannot be used: {error}", "correct or replace that profile"
        ) from error
    except TransportError as error:
        raise ConfigError(error.code, setup.file, f"{key}.port", error.what, error.do) from error


def _tables_of(journal: Path) -> tuple[str, ...]:
    """Return the tables that a journal belongs to, without leaving SQLite's helper files beside it."""
    try:
        connection = connect_still(journal)
        try:
            return tuple(sorted(read_header(connection, journal).header.tables))
        finally:
            connection.close()
    except DamageFoundError as error:
        raise damaged(journal, error.damage) from error
    except (OSError, sqlite3.Error) as error:
        raise JournalUnavailableError(
            f"The journal {journal} cannot be read: {error}.", "Mend its permissions, or name another file."
        ) from error


def _check_folder(setup: Setup, key: str, path: Path) -> None:
    if path.is_dir():
        raise ConfigError("path-is-folder", setup.file, key, f"{path} is a directory", "name a file in it")
    if path.exists() and not os.access(path, os.W_OK):
        raise ConfigError("path-not-writable", setup.file, key, f"{path} may not be written", "mend its permissions")
    folder = path.parent
    if not folder.is_dir():
        raise ConfigError("folder-missing", setup.file, key, f"there is no directory {folder}", "make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError("folder-not-writable", setup.file, key, f"{folder} may not be written", "give it to this account")

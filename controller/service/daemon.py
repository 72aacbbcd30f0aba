"""The daemon's life: everything is checked, then opened, then served, and at the end given back in the reverse order.

One event loop runs all tables, devices and the API; the journal's committer is the only other thread. Nothing is
changed on disk before `make_plan` has found everything in order. Stopping has a hard limit: what is not done by then
is left, because everything that was acknowledged is durable already.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec
import uvicorn

from controller.journal.batch import JournalState
from controller.journal.clock import SystemClock
from controller.journal.errors import JournalFailedError, JournalFullError
from controller.journal.journal import Journal, open_journal
from controller.service.api import Api
from controller.service.beside import Beside
from controller.service.capture_desk import CaptureDesk, CapturedLine
from controller.service.config import DeviceKind, Setup
from controller.service.driver import DeviceDriver
from controller.service.engine import Engine
from controller.service.feed import Feed
from controller.service.habits import Post
from controller.service.http_door import Door
from controller.service.inbox import Standing
from controller.service.leave import Leave
from controller.service.lifecycle import draft_started, draft_stopped
from controller.service.logs import LogFile, Logger, open_log
from controller.service.metrics import Metrics, Sample
from controller.service.notify import Notifier
from controller.service.persons import Persons
from controller.service.preflight import Plan, TablePlan, bind_api, make_plan
from controller.service.recovery import recover
from controller.service.sheet import SheetDesk
from controller.service.table_task import TableTask
from controller.service.token import open_token
from controller.service.usb_watch import make_usb_watch
from controller.service.watch import Watch
from controller.table.state import TableState
from firmware_bridge.reports import Capability

API_GOODBYE_S: Final = 1
"""Requests under way at the end get this long."""

UNCHECKED: Final = "it cannot tell its serial number: whatever answers at its port is taken for it"

SHADOW: Final = "another host deals here: nothing is written to any device and nothing is enforced, only judged"

LISTEN_BACKLOG: Final = 32
"""Connections waiting while the loop is busy for a moment."""


class _Recovered(msgspec.Struct, frozen=True):
    """A table as its journal has it."""

    plan: TablePlan
    engine: Engine
    feed: Feed
    state: TableState


class _ApiServer(uvicorn.Server):
    """The HTTP server without its own signal handlers: the daemon has them."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Daemon:
    """A daemon whose plan is in order. `serve` runs it to its end."""

    def __init__(self, plan: Plan, listener: socket.socket, notifier: Notifier) -> None:
        self._plan = plan
        self._listener = listener
        self._notifier = notifier
        self._metrics = Metrics()
        self._stop = asyncio.Event()
        self._tables: dict[str, TableTask] = {}

    async def serve(self) -> None:
        """Open, serve until SIGTERM or SIGINT, close."""
        setup, config = self._plan.setup, self._plan.setup.config
        journal = _open_journal(self._plan)
        try:
            recovered = [_recover(table, journal) for table in self._plan.tables]
            token = open_token(setup.path_of(config.api.token_file))
            log_path = None if config.log.file is None else setup.path_of(config.log.file)
            logger, log_file = open_log(log_path, config.log.format, config.log.level)
            try:
                await self._serve_tables(recovered, journal, token, logger, log_file)
            finally:
                logger.info("stopped")
                log_file.close()
        finally:
            await journal.aclose()

    async def _serve_tables(self, recovered: list[_Recovered], journal: Journal, token: str, logger: Logger, log_file: LogFile) -> None:
        setup = self._plan.setup
        software = version("shoed")
        for table in recovered:
            self._tables[table.engine.table] = self._make_table(table, journal, logger, software)
        captures = CaptureDesk(_lines(recovered), journal, logger)
        self._metrics.ask(lambda: _samples(self._tables, journal, log_file, captures))
        sheets = {table.engine.table: self._make_sheet_desk(table.plan, logger) for table in recovered}
        persons = Persons(setup.config.person, note_wrong=lambda person: logger.warning("code-wrong", person=str(person)))
        api = Api(self._tables, self._metrics, token, software, lambda: journal.head.number, sheets, captures, persons)
        server = _ApiServer(_api_settings(api))
        self._handle_signals(logger, log_file)
        captures.begin()
        running = [asyncio.create_task(task.run(), name=f"table {name}") for name, task in self._tables.items()]
        serving = asyncio.create_task(server.serve(sockets=[self._listener]), name="api")
        watch = Watch(self._tables, self._notifier, self._metrics, logger)
        watching = [asyncio.create_task(self._watch(watch, journal, logger, captures), name="watch")]
        usb = make_usb_watch(setup, self._tables, self._metrics, logger)
        watching += [] if usb is None else [asyncio.create_task(usb.run(), name="usb watch")]
        stopping = asyncio.create_task(self._stop.wait())
        try:
            with _port_file(setup, self._listener):
                _set_aside_what_stays()
                host, port = self._listener.getsockname()[:2]
                logger.info("ready", api=f"{host}:{port}", tables=list(self._tables), program=self._plan.program_sha256)
                self._notifier.ready(f"serving {', '.join(self._tables)}")
                await asyncio.wait([stopping, serving, *watching, *running], return_when=asyncio.FIRST_COMPLETED)
                self._begin_end(logger)
                server.should_exit = True
                for task in (*running, *watching, stopping):
                    task.cancel()
                ended = await asyncio.gather(*running, *watching, serving, return_exceptions=True)
            self._note_stopped(journal, logger)
            for result in ended:
                if isinstance(result, Exception):
                    raise result
        finally:
            serving.cancel()
            captures.close()

    def _make_table(self, recovered: _Recovered, journal: Journal, logger: Logger, software: str) -> TableTask:
        table, engine, state = recovered.plan, recovered.engine, recovered.state
        try:
            journal.append_now(draft_started(engine, table.config, state, software, self._plan.program_sha256))
        except (JournalFullError, JournalFailedError):
            logger.exception("journal-refuses")
        logger.info("table-recovered", table=engine.table, phase=state.phase, round=state.round_number)
        task = TableTask(engine, state, journal, recovered.feed, metrics=self._metrics, logger=logger)
        task.beside = _beside_of(table, logger)
        for device in table.config.device:
            plan = table.devices[device.name]
            if not plan.habits.tells_serial:
                logger.warning("identity-not-checked", table=engine.table, device=device.name, why=UNCHECKED)
            task.drivers[device.name] = DeviceDriver(
                Post(engine.table, device.name, device.kind is DeviceKind.SHOE, plan.habits, self._plan.setup.owners()),
                plan.make,
                task.tell,
                metrics=self._metrics,
                logger=logger,
                clock=time.monotonic,
            )
            task.drivers[device.name].leave = Leave(plan.shared)
        return task

    def _make_sheet_desk(self, plan: TablePlan, logger: Logger) -> SheetDesk:
        drivers = self._tables[plan.config.id].drivers

        def told() -> dict[str, tuple[Capability, ...]]:
            return {name: driver.capabilities or plan.devices[name].can for name, driver in drivers.items()}

        return SheetDesk(plan.procedure, plan.config, plan.devices, told, logger, plan.words)

    def _handle_signals(self, logger: Logger, log_file: LogFile) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        loop.add_signal_handler(signal.SIGHUP, self._reload, logger, log_file)

    def _reload(self, logger: Logger, log_file: LogFile) -> None:
        self._notifier.reloading(time.monotonic_ns() // 1000)
        log_file.reopen()
        logger.info("log-reopened")
        self._notifier.ready(f"serving {', '.join(self._tables)}")

    def _begin_end(self, logger: Logger) -> None:
        """Say that the end has begun, and make sure that it comes."""
        self._notifier.stopping()
        logger.info("stopping")
        limit = threading.Timer(self._plan.setup.config.service.stop_s, os._exit, args=(1,))
        limit.daemon = True
        limit.start()

    def _note_stopped(self, journal: Journal, logger: Logger) -> None:
        for task in self._tables.values():
            try:
                journal.append_now(draft_stopped(task.engine, task.state), closing=True)
            except (JournalFullError, JournalFailedError):
                logger.exception("journal-refuses")

    async def _watch(self, watch: Watch, journal: Journal, logger: Logger, captures: CaptureDesk) -> None:
        while True:
            captures.look()
            watch.look(time.monotonic(), (time.time_ns() - time.monotonic_ns()) // 1_000_000)
            if journal.state in (JournalState.FULL, JournalState.FAILED):
                logger.warning("journal-tried-again", state=(await journal.probe_async()).value, why=journal.state_reason)
            await asyncio.sleep(watch.pace_s)


async def run_daemon(setup: Setup, *, check_only: bool = False) -> None:
    """Check everything, and unless only that is wanted, run until told to stop.

    Raises:
        ShoedError: something is not in order; nothing was changed on disk.
    """
    listener = bind_api(setup)
    try:
        plan = await make_plan(setup)
        if not check_only:
            listener.listen(LISTEN_BACKLOG)
            await Daemon(plan, listener, Notifier()).serve()
    finally:
        listener.close()


def _set_aside_what_stays() -> None:
    """Tell the search for garbage that what is here now stays: looking through all of it stops the loop for a twentieth of a second."""
    gc.collect()
    gc.freeze()


def _recover(plan: TablePlan, journal: Journal) -> _Recovered:
    engine, feed = Engine(plan.config.id, plan.procedure), Feed()
    return _Recovered(plan, engine, feed, recover(engine, journal, feed))


def _lines(recovered: Iterable[_Recovered]) -> dict[tuple[str, str], CapturedLine]:
    return {
        (table.plan.config.id, device.name): CapturedLine(table.plan.devices[device.name].capture, is_sealed=bool(device.security))
        for table in recovered
        for device in table.plan.config.device
    }


def _beside_of(plan: TablePlan, logger: Logger) -> Beside | None:
    if plan.words is None or plan.evidence is None:
        return None
    logger.warning("shadow", table=plan.config.id, rounds=plan.words.value, why=SHADOW)
    return Beside(plan.procedure, plan.words, plan.evidence, logger.bind(table=plan.config.id))


def _open_journal(plan: Plan) -> Journal:
    config = plan.setup.config
    return open_journal(
        plan.setup.path_of(config.journal.path),
        tables=[table.id for table in config.table],
        seal_key=plan.keys.seal_key,
        signing_key=plan.keys.signing_key,
        clock=SystemClock(),
    )


def _api_settings(api: Api) -> uvicorn.Config:
    return uvicorn.Config(
        api.app,
        log_config=None,
        access_log=False,
        lifespan="off",
        http=Door,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=API_GOODBYE_S,
    )


@contextlib.contextmanager
def _port_file(setup: Setup, listener: socket.socket) -> Iterator[None]:
    """Keep the port's number in the configured file; it is complete whenever it is there."""
    name = setup.config.api.port_file
    if name is None:
        yield
        return
    path: Path = setup.path_of(name)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(f"{listener.getsockname()[1]}\n")
    fresh.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _samples(tables: dict[str, TableTask], journal: Journal, log_file: LogFile, captures: CaptureDesk) -> Iterable[Sample]:
    yield "shoed_journal_ready", (), float(journal.state is JournalState.READY)
    yield "shoed_journal_last_entry", (), float(journal.head.number)
    yield "shoed_log_lines_lost_total", (), float(log_file.lost_lines)
    for table, device, state in captures.states():
        yield "shoed_capture_on", (("device", device), ("table", table)), float(state.on)
        yield "shoed_capture_lost_total", (("device", device), ("table", table)), float(state.lost)
    for task in tables.values():
        yield "shoed_table_alarms", (("table", task.id),), float(len(task.view().alarms))
        for name, driver in task.drivers.items():
            up = float(driver.standing is Standing.RUNNING)
            yield "shoed_device_up", (("device", name), ("table", task.id)), up

"""Drives one device to what its table wants, and tells the table what the device says.

The driver belongs to its table: it hears the device's outputs in order and hands events and notices to the table's
inbox; the table tells it which events it has taken, and what it wants. What to ask next is decided by
`controller.service.drive`; here are the asking, its limits, and the reconnects.

It never decides what an event means, never acknowledges an event by itself, and keeps nothing that a restart would
miss.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from controller.service.drive import DeviceView, next_command, next_look
from controller.service.inbox import Heard, Joined, Noticed, Standing, ToTable
from controller.service.link import Link, LinkMaker
from controller.service.logs import Logger
from controller.service.metrics import Metrics
from controller.table.outcome import Wanted
from firmware_bridge.commands import Command, Dispense, Lock, Unlock
from firmware_bridge.device import DeviceOutput, PortFailed, PortLost
from firmware_bridge.errors import NotReadyError
from firmware_bridge.events import Status
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.quality import LineGrade
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    CommandFailure,
    EventArrived,
    EventGap,
    EventRepeated,
    EventsLost,
    Fault,
    Identified,
    LineQuality,
    LinkLost,
    LossCause,
    Refused,
    Running,
    StatusReported,
)

REFUSALS_MAX: Final = 3
"""A device that refuses the same command three times, with STATUS read in between, will not take it the fourth time."""

BUSY_WAITS_MAX: Final = 50
BUSY_WAIT_S: Final = 0.1
"""Together five seconds: the longest mechanical act between two commands is a stack of seven cards."""

DEFECT_PAUSE_S: Final = 1.0
"""A defect that strikes at once again must not fill the log's disk."""

FRESH_EVENTS_MAX: Final = 32
"""A device with fewer events than this in its whole life cannot have dealt a round: its history is taken. Of any other
new device only what comes from now on is taken, since its history belongs to another table."""

FIRST_CONNECTION_S: Final = 5.0
"""Power-on to first RSTACK (SDP/1 1.8): a device silent for longer at the start is told to the table as lost."""


class DeviceDriver:
    """One device of a table. `tell` puts something into the table's inbox and never waits."""

    def __init__(
        self,
        name: str,
        table: str,
        make_link: LinkMaker,
        tell: Callable[[ToTable], None],
        *,
        metrics: Metrics,
        logger: Logger,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = name
        self.standing = Standing.STOPPED
        self.identity: DeviceIdentity | None = None
        self.detail = ""
        self._table = table
        self._make_link = make_link
        self._tell = tell
        self._metrics = metrics
        self._logger = logger.bind(table=table, device=name)
        self._clock = clock
        self._pause = pause
        self._view = DeviceView()
        self._wanted = Wanted()
        self._link: Link | None = None
        self._known_up_to: int | None = None
        self._catch_up_to = 0
        self._link_number = 0
        self._untaken = 0
        self._joining = False
        self._told_lost = False
        self._wake = asyncio.Event()
        self._joined = asyncio.Event()
        self._capabilities: tuple[Capability, ...] = ()
        self._connection = 0
        self._asking = False
        self._refusals = 0
        self._busy_waits = 0
        self._given_up_on: Command | None = None

    @property
    def caught_up(self) -> bool:
        """True when the table has taken every event from before the present connection."""
        return self._view.caught_up

    # ---- what the table says

    def want(self, wanted: Wanted) -> None:
        """Take what the table wants now."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._forget_refusals()
            self._wake.set()

    def taken(self, heard: Heard) -> None:
        """The table has stored an event and acted on it: acknowledge it to the device."""
        event = heard.event
        self._known_up_to = max(event.eseq, self._known_up_to or 0)
        self._view.heard(event, self._clock())
        self._forget_refusals()
        self.repeated(heard)

    def repeated(self, heard: Heard) -> None:
        """The table knows this event already: acknowledge it again, without effect."""
        if heard.link == self._link_number and self._link is not None:
            self._untaken -= 1
            self._link.acknowledge(heard.event.eseq)
        self._note_caught_up()
        self._wake.set()

    def joined(self, eseq: int) -> None:
        """The table has noted that it takes events after this one."""
        self._known_up_to = eseq
        self._joined.set()

    def settled(self) -> None:
        """A supervisor has settled an alarm: an error at the device may be cleared now."""
        self._view.may_clear = True
        self._forget_refusals()
        self._wake.set()

    # ---- life

    async def run(self, known_up_to: int | None) -> None:
        """Connect, drive and reconnect until cancelled; `known_up_to` is the last event stored, None when none was."""
        self._known_up_to = known_up_to
        try:
            while True:
                try:
                    await self._serve_link()
                except Exception:  # the outermost frame: the device is let go, so it locks itself, and taken up again
                    self._logger.exception("driver-failed")
                    self._notice("error", "shoed itself failed while driving it")
                    await self._pause(DEFECT_PAUSE_S)
        finally:
            self.standing = Standing.STOPPED

    async def lock_now(self) -> None:
        """Lock the gate if it may be open; returns when the device has answered or cannot be reached."""
        self._wanted = msgspec.structs.replace(self._wanted, unlock=0, dispense=None)
        if self.standing is Standing.RUNNING and self._view.has_gate and self._view.gate_open:
            await self._ask(Lock())

    async def _serve_link(self) -> None:
        """Serve one link: until the table has noted where a new device's events begin, else for ever."""
        self._untaken, self._joining = 0, False
        self._link_number += 1
        self._view.caught_up = False
        self.standing = Standing.CONNECTING
        self._link = self._make_link((self._known_up_to or 0) + 1, self._hear)
        tasks = [
            asyncio.ensure_future(self._link.start()),
            asyncio.create_task(self._drive()),
            asyncio.create_task(self._watch_beginning()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            link, self._link = self._link, None
            await link.stop()
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for result in ended:
            if isinstance(result, Exception):
                raise result

    async def _watch_beginning(self) -> None:
        """End when the link must be made anew: the table has noted where a new device's events begin."""
        self._joined.clear()
        if not self._told_lost:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FIRST_CONNECTION_S):
                    await self._joined.wait()
                    return
            if self.standing is Standing.CONNECTING and not self._joining:
                self._lose("it does not answer")
        await self._joined.wait()

    # ---- what the device says

    def _hear(self, output: DeviceOutput) -> None:
        match output:
            case EventArrived():
                if not self._joining:
                    self._untaken += 1
                    self._tell(Heard(self.name, output.event, self._link_number))
            case Running():
                self._hear_running(output)
            case Identified():
                self.identity, self._capabilities = output.identity, output.capabilities
            case LinkLost(cause=LossCause.CLOSED):
                pass  # we closed it ourselves
            case LinkLost() | PortLost() | PortFailed():
                self._lose(_loss_words(output))
            case Refused():
                self._hear_refused(output)
            case EventsLost():
                if self._known_up_to is not None:
                    self._notice("events-lost", f"events {output.first} to {output.last} are gone from its journal")
            case EventGap():
                self._view.caught_up, self._catch_up_to = False, max(self._catch_up_to, output.seen)
            case EventRepeated() | Fault() | LineQuality():
                self._hear_line(output)
            case StatusReported():
                self._compare(output.status)
            case _:
                pass

    def _hear_running(self, output: Running) -> None:
        status = output.status
        if self._known_up_to is None and not _is_fresh(status):
            self._joining = True  # no event is taken before the table has noted where they begin
            self._tell(Joined(self.name, status.last_eseq))
            return
        self._connection += 1
        self._view.connected(status, self._capabilities)
        self._catch_up_to = output.newest_eseq
        self.standing, self.detail = Standing.RUNNING, ""
        self._logger.info("device-running", serial=None if self.identity is None else self.identity.serial)
        self._forget_refusals()
        self._note_caught_up()
        self._wake.set()

    def _hear_refused(self, output: Refused) -> None:
        """The link tries it again by itself, since the right device may be plugged in; the table is told once."""
        detail = f"{output.kind.value}: expected {output.expected}, found {output.actual}"
        told = self.standing is Standing.REFUSED or (self._told_lost and self.detail == detail)
        self._lose(detail)
        self.standing, self.detail = Standing.REFUSED, detail
        if not told:
            self._notice("wrong-identity", detail)

    def _hear_line(self, output: EventRepeated | Fault | LineQuality) -> None:
        match output:
            case EventRepeated():
                self._metrics.add("shoed_repeated_events_total", table=self._table, device=self.name)
            case Fault():
                labels = {"table": self._table, "device": self.name, "kind": output.kind.value}
                self._metrics.add("shoed_device_faults_total", **labels)
                if output.kind in (FaultKind.EVENT_CHANGED, FaultKind.BOOT_COUNT_BACK):
                    self._notice("wrong-identity", f"{output.kind.value}: the device was exchanged or is damaged")
            case LineQuality():
                self._logger.warning("line-quality", grade=output.grade.value, per_mille=output.damaged_per_mille)
                if output.grade is LineGrade.DEGRADED:
                    self._notice("warning", "more than one frame in five is damaged: check cable and plugs")

    def _compare(self, status: StatusReport) -> None:
        """A status that nobody asked for: believe it when nothing is under way that it could be older than."""
        if self._view.caught_up and not self._asking and status.last_eseq == self._known_up_to:
            self._view.corrected(status)
            self._wake.set()

    def _lose(self, detail: str) -> None:
        if self.standing is Standing.RUNNING:
            self._metrics.add("shoed_device_losses_total", table=self._table, device=self.name)
        if self.standing is not Standing.REFUSED:
            self.standing, self.detail = Standing.LOST, detail
        self._view.caught_up = False
        if not self._told_lost:
            self._told_lost = True
            self._notice("lost", detail)

    def _note_caught_up(self) -> None:
        if self.standing is not Standing.RUNNING or self._view.caught_up:
            return
        if (self._known_up_to or 0) >= self._catch_up_to:
            self._view.caught_up = True
            self._told_lost = False
            self._tell(Noticed(self.name, "back", ""))

    def _notice(self, event: str, detail: str) -> None:
        self._logger.warning("device-notice", notice=event, detail=detail)
        self._tell(Noticed(self.name, event, detail))

    # ---- what is asked of the device

    async def _drive(self) -> None:
        while True:
            command = self._next()
            if command is None:
                await self._wait_for_change()
            else:
                await self._ask(command)

    def _next(self) -> Command | None:
        if self.standing is not Standing.RUNNING:
            return None
        command = next_command(self._view, self._wanted, self._table, self._clock())
        if command is None or command == self._given_up_on:
            return None
        return None if self._untaken and not isinstance(command, Lock) else command

    async def _wait_for_change(self) -> None:
        now_s = self._clock()
        look_at = next_look(self._view, now_s)
        delay = None if look_at is None else look_at - now_s
        try:
            async with asyncio.timeout(delay):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    async def _ask(self, command: Command) -> None:
        """Send one command and take its answer; whatever it was, what comes next is compared anew."""
        link, connection, wanted = self._link, self._connection, self._wanted
        if link is None:
            return
        self._asking = True
        try:
            answer = await link.command(command)
            if connection != self._connection:
                return
            await self._take_answer(command, wanted, answer, link)
        except NotReadyError:
            await self._pause(BUSY_WAIT_S)  # the link was lost in this very moment; its loss is on its way to us
        finally:
            self._asking = False

    async def _take_answer(self, command: Command, wanted: Wanted, answer: CommandAnswered | CommandFailed, link: Link) -> None:
        status = answer.failure.value if isinstance(answer, CommandFailed) else answer.status.value
        self._metrics.add("shoed_device_commands_total", table=self._table, device=self.name, status=status)
        self._logger.debug("command", command=type(command).__name__, status=status)
        if isinstance(answer, CommandAnswered):
            if answer.status is Status.OK:
                self._view.accepted(command, wanted, answer.tid)
                return
            if answer.status is Status.NOT_SUPPORTED and isinstance(command, Unlock) and command.cards is not None:
                self._view.counted_unlock = False
                return
            if answer.status is Status.BUSY and isinstance(command, Dispense):
                self._view.found_busy(self._clock())
                return
            if answer.status is Status.BUSY and self._busy_waits < BUSY_WAITS_MAX:
                self._busy_waits += 1
                await self._pause(BUSY_WAIT_S)
                return
        elif answer.failure is CommandFailure.LINK_LOST:
            return
        self._refusals += 1
        if self._refusals >= REFUSALS_MAX:
            self._give_up(command, status)
            return
        await self._correct_view(link)

    async def _correct_view(self, link: Link) -> None:
        status = await link.status()
        if status is not None:
            self._view.corrected(status)

    def _give_up(self, command: Command, status: str) -> None:
        self._given_up_on = command
        self._notice("error", f"it does not take the command {type(command).__name__}: {status}")

    def _forget_refusals(self) -> None:
        self._refusals, self._busy_waits, self._given_up_on = 0, 0, None


def _loss_words(output: LinkLost | PortLost | PortFailed) -> str:
    return f"{output.cause.value} {output.detail}".strip() if isinstance(output, LinkLost) else output.error.what


def _is_fresh(status: StatusReport) -> bool:
    return status.last_eseq <= FRESH_EVENTS_MAX and status.oldest_eseq <= 1 and status.drawn == 0 and status.shoe_id is None

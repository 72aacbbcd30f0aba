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

import msgspec

from controller.service.drive import DeviceView, next_clear, next_command, next_look
from controller.service.grant import lent_and_told
from controller.service.habits import UNTAKEN_MAX, Post, is_fresh
from controller.service.inbox import Heard, Joined, Noticed, Standing, ToTable
from controller.service.leave import Leave
from controller.service.line_watch import LineWatch
from controller.service.link import Link, LinkMaker
from controller.service.logs import Logger
from controller.service.loss import loss_event, loss_words, refusal_words, silence_words
from controller.service.metrics import Metrics
from controller.service.patience import BUSY_WAIT_S, DEFECT_PAUSE_S, FIRST_CONNECTION_S, NOTICE_GAP_S, Next, Patience, words_of
from controller.table.outcome import Wanted
from firmware_bridge.commands import Command, Lock
from firmware_bridge.device import DeviceOutput
from firmware_bridge.errors import NotReadyError
from firmware_bridge.events import DeviceEvent
from firmware_bridge.link.faults import LossCause
from firmware_bridge.port_news import LineFound, PortFailed, PortFlooded, PortLost
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    EventArrived,
    EventGap,
    EventRepeated,
    EventsLost,
    Fault,
    Identified,
    LineQuality,
    LinkLost,
    Refused,
    Running,
    StatusReported,
)


class DeviceDriver:
    """One device of a table. `tell` puts something into the table's inbox and never waits."""

    def __init__(
        self,
        post: Post,
        make_link: LinkMaker,
        tell: Callable[[ToTable], None],
        *,
        metrics: Metrics,
        logger: Logger,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = post.device
        self.standing = Standing.STOPPED
        self.identity: DeviceIdentity | None = None
        self.detail = ""
        self.habits = post.habits
        self._post = post
        self._make_link = make_link
        self._tell = tell
        self._metrics = metrics
        self._logger = logger.bind(table=post.table, device=post.device)
        self._line = LineWatch(post.table, post.device, metrics, self._logger)
        self._clock = clock
        self._pause = pause
        self._view = DeviceView()
        self._wanted = Wanted()
        self._link: Link | None = None
        self._known_up_to: int | None = None
        self._told_up_to = self._catch_up_to = self._link_number = self._untaken = 0
        self._joining = self._told_lost = self._asking = False
        self._seldom: dict[str, float] = {}
        self._wake = asyncio.Event()
        self._joined = asyncio.Event()
        self.leave = Leave()
        self.rejoins = False
        """Its table takes up its events where they are now: what came since the last one known was a technician's."""
        self.capabilities: tuple[Capability, ...] = ()
        self._connection = 0
        self._runs = 0
        """Connections of the present link."""
        self._patience = Patience()

    @property
    def caught_up(self) -> bool:
        """True when the table has taken every event from before the present connection."""
        return self._view.caught_up

    # ---- what the table says

    def want(self, wanted: Wanted) -> None:
        """Take what the table wants now."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._patience.renew()
            self._wake.set()

    def taken(self, heard: Heard) -> None:
        """The table has stored an event and acted on it: acknowledge it to the device."""
        event = heard.event
        self._known_up_to = max(event.eseq, self._known_up_to or 0)
        self._view.heard(event, self._clock())
        self._patience.renew()
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
        self._known_up_to, self.rejoins = eseq, False
        self._joined.set()

    def settled(self) -> None:
        """A supervisor has settled an alarm: an error at the device may be cleared now."""
        self._view.may_clear = True
        self._patience.renew()
        self._wake.set()

    # ---- life

    async def run(self, known_up_to: int | None) -> None:
        """Connect, drive and reconnect until cancelled; `known_up_to` is the last event stored, None when none was."""
        self._known_up_to, self._told_lost = known_up_to, False
        try:
            while True:
                await self.leave.over()
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
        if self.standing is Standing.RUNNING and self._view.has_gate and self._view.gate_open and not self.habits.listens:
            await self._ask(Lock())

    async def lend(self, words: str) -> None:
        """Let go of the device until its leave ends; its gate is locked and its port free when this returns."""
        await self.lock_now()
        self._told_lost, self.rejoins = True, lent_and_told(words)
        await self.leave.begin(self._joined.set, has_link=self.standing is not Standing.STOPPED)
        self.standing, self.detail = Standing.STOPPED, words

    async def _serve_link(self) -> None:
        """Serve one link: until the table has noted where a new device's events begin, else for ever."""
        self._untaken, self._joining = 0, False
        if self.rejoins and self.habits.keeps_events:
            self._known_up_to = None
        self._joined.clear()
        self._link_number += 1
        self._view.caught_up = False
        self.standing = Standing.CONNECTING
        self._line.heard_rubbish = False
        self._runs = 0
        self._link = self._make_link(self._first_wanted(), self._hear)
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

    def _first_wanted(self) -> int:
        """The number of the first event that is wanted. Where they are counted here, one that is on its way keeps its number."""
        known = self._known_up_to or 0
        return (known if self.habits.keeps_events else max(known, self._told_up_to)) + 1

    async def _watch_beginning(self) -> None:
        """End when the link must be made anew: the table has noted where a new device's events begin."""
        if not self._told_lost:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FIRST_CONNECTION_S):
                    await self._joined.wait()
                    return
            if self.standing is Standing.CONNECTING and not self._joining:
                self._lose(silence_words(rubbish=self._line.heard_rubbish))
        await self._joined.wait()

    # ---- what the device says

    def _hear(self, output: DeviceOutput) -> None:
        match output:
            case EventArrived():
                self._pass_on(output.event)
            case Running():
                self._hear_running(output)
            case Identified():
                self.identity, self.capabilities = output.identity, output.capabilities
            case LinkLost(cause=LossCause.CLOSED):
                pass  # we closed it ourselves
            case LinkLost() | PortLost() | PortFailed():
                self._lose(loss_words(output), loss_event(output))
            case Refused():
                self._hear_refused(output)
            case EventsLost():
                if self._known_up_to is not None:
                    self._notice_seldom("events-lost", f"events {output.first} to {output.last} are gone from its journal")
            case EventGap():
                self._view.caught_up, self._catch_up_to = False, max(self._catch_up_to, output.seen)
            case EventRepeated() | Fault() | LineQuality() | PortFlooded() | LineFound():
                notice = self._line.hear(output)
                if notice is not None:
                    self._notice_seldom(*notice)
            case StatusReported():
                self._compare(output.status)
            case _:
                pass

    def _pass_on(self, event: DeviceEvent) -> None:
        if self._joining:
            return
        if self._untaken >= UNTAKEN_MAX:
            self._notice_seldom("unheard", "it says more than the table can take")
            return
        self._untaken += 1
        self._told_up_to = event.eseq
        self._tell(Heard(self.name, event, self._link_number))

    def _hear_running(self, output: Running) -> None:
        status = output.status
        if self._known_up_to is None and (self.rejoins or not is_fresh(status)):
            self._joining = True  # no event is taken before the table has noted where they begin
            self._tell(Joined(self.name, status.last_eseq))
            return
        self._connection += 1
        self._runs += 1
        self._view.connected(status, self.capabilities, self.habits.takes)
        self._catch_up_to = output.newest_eseq
        self.standing, self.detail = Standing.RUNNING, ""
        self._logger.info("device-running", serial=None if self.identity is None else self.identity.serial)
        self._patience.renew()
        self._tell_unheard()
        self._note_caught_up()
        self._wake.set()

    def _tell_unheard(self) -> None:
        """Nobody knows what left a device without a journal while nobody listened, unless its numbers go on where they were."""
        if not self.habits.keeps_events and (self._runs == 1 or not self.habits.notices_gaps):
            self._notice("unheard", "what left it while nobody listened is not known")

    def _hear_refused(self, output: Refused) -> None:
        """The link tries it again by itself, since the right device may be plugged in; the table is told once."""
        detail = refusal_words(output, self._post.owners)
        told = self.standing is Standing.REFUSED or (self._told_lost and self.detail == detail)
        self._lose(detail)
        self.standing, self.detail = Standing.REFUSED, detail
        if not told:
            self._notice("wrong-identity", detail)

    def _compare(self, status: StatusReport) -> None:
        """A status that nobody asked for: believe it when nothing is under way that it could be older than."""
        if self._view.caught_up and not self._asking and status.last_eseq == self._known_up_to:
            self._view.corrected(status)
            self._wake.set()

    def _lose(self, detail: str, event: str = "lost") -> None:
        if self.standing is Standing.RUNNING:
            self._metrics.add("shoed_device_losses_total", table=self._post.table, device=self.name)
        self._view.caught_up = False
        if not self._told_lost or (event != "lost" and detail != self.detail):
            self._told_lost = True
            self._notice(event, detail)
        if self.standing is not Standing.REFUSED:
            self.standing, self.detail = Standing.LOST, detail

    def _note_caught_up(self) -> None:
        if self.standing is not Standing.RUNNING or self._view.caught_up:
            return
        if (self._known_up_to or 0) >= self._catch_up_to:
            self._view.caught_up = True
            self._told_lost = False
            self._tell(Noticed(self.name, "back", ""))

    def _notice_seldom(self, event: str, detail: str) -> None:
        """Tell what a broken device can cause in any number; the first one has raised its alarm already."""
        now_s = self._clock()
        if now_s >= self._seldom.get(event, now_s):
            self._seldom[event] = now_s + NOTICE_GAP_S
            self._notice(event, detail)

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
        if self.standing is not Standing.RUNNING or self._link is None or self.habits.listens:  # a link being let go carries nothing
            return None
        view = self._view
        command = next_command(view, self._wanted, self._post.table, self._clock()) if self._post.deals else next_clear(view)
        if command is None or command == self._patience.given_up_on:
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
        status = words_of(answer)
        self._metrics.add("shoed_device_commands_total", table=self._post.table, device=self.name, status=status)
        self._logger.debug("command", command=type(command).__name__, status=status)
        match self._patience.judge(command, answer):
            case Next.ACCEPTED:
                self._view.accepted(command, wanted, answer.tid)
            case Next.COMPARE:
                pass
            case Next.WITHOUT_COUNT:
                self._view.counted_unlock = False
            case Next.ACT_UNDER_WAY:
                self._view.found_busy(self._clock())
            case Next.WAIT:
                await self._pause(BUSY_WAIT_S)
            case Next.LOOK:
                seen = await link.status()
                if seen is not None:
                    self._view.corrected(seen)
            case Next.GIVE_UP:
                self._view.may_clear = False  # the table hears of it again, so a supervisor settles it again
                self._notice("error", f"it does not take the command {type(command).__name__}: {status}")

"""One table: its state, its inbox, and the order decide - store - apply - tell, for one act after another.

One task owns the state and nobody else touches it. Acts of people come with a way to answer; events and notices of
devices come from the drivers. For each:

1. `decide` says what it comes to, and changes nothing.
2. The entry is handed to the journal, and waited for until it is durable.
3. Only then the state is replaced, the outcome shown, the device's event acknowledged, and the devices driven.

A refused act is answered and logged, and leaves no record. A device event that the table has stored already is
acknowledged again without effect.

When the journal takes nothing more, a round under way is finished from the journal's reserve and nothing new begins.
When the reserve is spent too, the table lets go of its devices: they lock their gates, keep their own journals, and are
taken up again from the last stored event once there is space. Nothing is acknowledged meanwhile, so nothing is lost.

An exception that nobody foresaw stops this table and no other: its gates are locked and every act is refused.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from enum import Enum
from typing import Final

import msgspec

from controller.journal.batch import JournalState
from controller.journal.entry import EntryDraft
from controller.journal.errors import JournalFailedError, JournalFullError
from controller.journal.journal import Journal
from controller.service.beside import Beside
from controller.service.driver import DeviceDriver
from controller.service.engine import Engine
from controller.service.errors import BusyError, ServiceError, StoppingError
from controller.service.feed import Feed, FeedEntry
from controller.service.grant import lent_and_told
from controller.service.inbox import Answer, Asked, Heard, Joined, Noticed, ToTable, answer_with
from controller.service.logs import Logger
from controller.service.metrics import Metrics
from controller.table.acts import AnyAct, By, DeviceNotice, DeviceRoutine, Origin, Resolve
from controller.table.codes import REFUSALS
from controller.table.devices import act_of_event
from controller.table.following import ACTS_MAX
from controller.table.outcome import Outcome
from controller.table.state import TableState
from controller.table.table import Verdict
from firmware_bridge.events import DeviceEvent, Started

ASKED_MAX: Final = 32
"""People's acts that may wait at one table. A dealer makes one a second; more than this is a program gone wrong."""

SPACE_LOOK_S: Final = 1.0
"""How often a table without space looks whether there is some again: nobody should have to wait for it."""

LOCK_WAIT_S: Final = 1.0
"""A gate is locked within 300 ms (SDP/1 1.8); a device that does not answer locks itself when the link is gone."""

JOURNAL_CODE: Final = "journal-full"
JOURNAL_ALARM: Final = "journal"


class Health(Enum):
    """How a table's task is."""

    GOOD = "good"
    NO_SPACE = "no-space"
    """The journal takes nothing: the devices are let go, acts are refused."""
    BROKEN = "broken"
    """An unforeseen exception: nothing more is decided until the daemon is started again."""


class _Stored(msgspec.Struct, frozen=True):
    """A durable entry's number, kind and time."""

    number: int
    key: str
    wall_ms: int


class TableBrokenError(ServiceError):
    """The table's task has stopped after a defect."""


class TableTask:
    """One table in the daemon. `clock` is monotonic seconds, `wall_ms` for showing and the record only."""

    def __init__(
        self,
        engine: Engine,
        state: TableState,
        journal: Journal,
        feed: Feed,
        *,
        metrics: Metrics,
        logger: Logger,
        clock: Callable[[], float] = time.monotonic,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.id = engine.table
        self.engine = engine
        self.feed = feed
        self.beside: Beside | None = None
        """In shadow mode: how another host is followed."""
        self.drivers: dict[str, DeviceDriver] = {}
        self.health = Health.GOOD
        self.busy_since: float | None = None
        """When the act now in hand was taken up: a table that hangs is found by this."""
        self._state = state
        self._journal, self._metrics = journal, metrics
        self._logger = logger.bind(table=self.id)
        self._clock, self._wall_ms = clock, wall_ms
        self._inbox: asyncio.Queue[Asked | ToTable] = asyncio.Queue()
        self._asked = 0
        self._stopping = False
        self._look_at = 0.0
        self._driving: list[asyncio.Task[None]] = []

    # ---- doors

    def tell(self, item: ToTable) -> None:
        """Put a device's word into the inbox. SDP/1 bounds it: 8 unacknowledged events a device."""
        self._inbox.put_nowait(item)

    async def ask(self, act: AnyAct) -> Answer:
        """Put a person's act to the table and return what it came to.

        Raises:
            BusyError: too many acts wait already.
            TableBrokenError: the table has stopped.
            StoppingError: the daemon ends.
        """
        if self.health is Health.BROKEN:
            raise self._broken()
        if self._stopping:
            raise StoppingError(self.id)
        if self._asked >= ASKED_MAX:
            raise BusyError("table-busy", f"Table {self.id} has {ASKED_MAX} acts waiting.", "Send it again in a moment.")
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked += 1
        self._inbox.put_nowait(Asked(act, answer))
        try:
            return await answer
        finally:
            self._asked -= 1

    def view(self) -> Outcome:
        """Return how the table stands, a trouble of the journal included."""
        outcome = self.engine.view(self._state)
        return self._with_journal_alarm(outcome) if self._journal_is_full() else outcome

    @property
    def state(self) -> TableState:
        """The state after the last stored act; nobody changes it."""
        return self._state

    # ---- life

    async def run(self) -> None:
        """Serve the table until cancelled."""
        try:
            self._take_up_devices()
            while True:
                await self._serve_next()
        except Exception:  # the outermost frame: whatever this is, the table stops safely
            self.health, self.busy_since = Health.BROKEN, None
            self._logger.exception("table-stopped")
            await self._refuse_for_ever()
        finally:
            self._stopping = True
            self.feed.end()
            while not self._inbox.empty():
                answer_with(self._inbox.get_nowait(), StoppingError(self.id))
            await self._let_go_of_devices()
            if self.beside is not None:
                await self.beside.ended()

    async def _serve_next(self) -> None:
        if self.health is Health.NO_SPACE:
            item = await self._next_or_space()
            if item is None:
                return
        else:
            item = await self._inbox.get()
        self.busy_since = self._clock()
        match item:
            case Asked():
                await self._serve_person(item)
            case Heard():
                await self._serve_event(item)
            case Noticed():
                await self._serve_notice(item)
            case Joined():
                await self._serve_joined(item)
        self.busy_since = None

    async def _serve_person(self, asked: Asked) -> None:
        try:
            answer = await self._take_person_act(asked.act)
        except asyncio.CancelledError:
            answer_with(asked, StoppingError(self.id))
            raise
        except BaseException:
            answer_with(asked, self._broken())
            raise
        if not asked.answer.done():
            asked.answer.set_result(answer)

    async def _take_person_act(self, act: AnyAct) -> Answer:
        key = self.engine.name(act)
        if self._journal_is_full() and not self._round_under_way():
            return self._refuse(key, self._with_journal_alarm(self.engine.view(self._state), act=key))
        verdict = self.engine.decide(self._state, act, self._now_ms())
        if not verdict.facts:
            return self._refuse(key, verdict.outcome)
        entry = await self._store(act, verdict)
        if entry is None:
            return self._refuse(key, self._with_journal_alarm(self.engine.view(self._state), act=key))
        if isinstance(act, Resolve):
            for driver in self.drivers.values():
                driver.settled()
        self._publish(entry, act, verdict)
        return Answer(entry.number, verdict.outcome)

    async def _serve_event(self, heard: Heard) -> None:
        driver, event = self.drivers[heard.device], heard.event
        if event.eseq <= self._state.device_seq.get(driver.name, 0):
            self._metrics.add("shoed_repeated_events_total", table=self.id, device=driver.name)
            driver.repeated(heard)
            return
        await self._follow(lambda beside: beside.before(self._state, event))
        await self._take_device_act(self._act_of(event, driver.name), lambda: driver.taken(heard))
        await self._follow(lambda beside: beside.after(self._state, event))

    def _act_of(self, event: DeviceEvent, device: str) -> AnyAct:
        if isinstance(event, Started) and device not in self._state.device_seq:
            origin = Origin(device, event.eseq, event.replayed)  # the first start that is heard of is no restart
            return DeviceRoutine(event="first-start", by=By("device", device), origin=origin)
        return act_of_event(event, device, self._state, own_events=self.drivers[device].habits.own_events)

    async def _serve_joined(self, joined: Joined) -> None:
        name = joined.device
        act = DeviceRoutine(event="joined", by=By("device", name), origin=Origin(name, joined.eseq))
        await self._take_device_act(act, lambda: self.drivers[name].joined(joined.eseq))

    async def _serve_notice(self, notice: Noticed) -> None:
        name = notice.device
        if notice.event == "back" and name not in self._state.devices_down:
            return  # nobody was told that it was lost
        act = DeviceNotice(event=notice.event, name=name, detail=notice.detail, by=By("device", name), origin=Origin(name))
        await self._take_device_act(act, lambda: None)
        await self._follow(lambda beside: beside.noticed(self._state, notice.event), most=1)

    async def _follow(self, next_act: Callable[[Beside], AnyAct | None], most: int = ACTS_MAX) -> None:
        """In shadow mode: make the acts that the line shows, each stored as if somebody had told of it."""
        left = most if self.beside is not None and self.health is Health.GOOD else 0
        while left and self.beside is not None and (act := next_act(self.beside)) is not None:
            await self._take_device_act(act, lambda: None)
            left -= 1

    async def _take_device_act(self, act: AnyAct, acknowledge: Callable[[], None]) -> None:
        """Decide and store what a device did, then acknowledge it; what cannot be stored must come again."""
        if self.health is Health.NO_SPACE:
            return
        verdict = self.engine.decide(self._state, act, self._now_ms())
        if not verdict.facts:
            acknowledge()
            return
        entry = await self._store(act, verdict)
        if entry is None:
            self.health = Health.NO_SPACE
            self._look_at = self._clock() + SPACE_LOOK_S
            self._logger.error("journal-refuses", reason=self._journal.state_reason)
            await self._let_go_of_devices()
            return
        acknowledge()
        self._publish(entry, act, verdict)

    async def _store(self, act: AnyAct, verdict: Verdict) -> _Stored | None:
        """Make the entry durable, then take its state and drive the devices. None when the journal took it not."""
        key, state = self.engine.name(act), verdict.state
        body, cards = self.engine.encode(act, verdict.facts)
        began, wall_ms = self._clock(), self._wall_ms()
        draft = EntryDraft(
            table=self.id,
            shoe=state.shoe,
            round=state.round_number,
            kind=key,
            body=body,
            cards=cards,
            boundary=verdict.boundary,
            wall_ms=wall_ms,
            mono_ns=int(began * 1e9),
        )
        try:
            number = await self._append(draft)
        except (JournalFullError, JournalFailedError):
            return None
        spent = self._clock() - began
        self._state = state
        wanted = self.engine.wanted(state)
        for driver in self.drivers.values():
            driver.want(wanted)
        self._metrics.add("shoed_commit_seconds_sum", spent)
        self._metrics.note_max("shoed_commit_seconds_max", spent)
        return _Stored(number, key, wall_ms)

    def _publish(self, entry: _Stored, act: AnyAct, verdict: Verdict) -> None:
        """Tell everyone who follows; the device has been answered by now."""
        outcome = verdict.outcome
        self._metrics.add("shoed_acts_total", table=self.id, act=entry.key, taken="yes")
        self._metrics.add("shoed_entries_total", table=self.id)
        self.feed.append(FeedEntry(entry.number, entry.key, str(act.by), entry.wall_ms, outcome))
        if outcome.alarm is not None:
            self._logger.warning("alarm", alarm=outcome.alarm, entry=entry.number, act=entry.key)
            if self.beside is not None:
                self.beside.alarmed(entry.number, outcome.alarm)

    async def _append(self, draft: EntryDraft) -> int:
        try:
            return await self._journal.append(draft)
        except JournalFullError:
            if not self._round_under_way():
                raise
            return await self._journal.append(draft, closing=True)

    # ---- when things are not well

    def _refuse(self, act: str, outcome: Outcome) -> Answer:
        self._metrics.add("shoed_acts_total", table=self.id, act=act, taken="no")
        self._logger.info("act-refused", act=act, refused=outcome.refused, phase=outcome.phase)
        return Answer(None, outcome)

    def _journal_is_full(self) -> bool:
        return self.health is Health.NO_SPACE or self._journal.state in (JournalState.FULL, JournalState.FAILED)

    def _round_under_way(self) -> bool:
        return self.health is Health.GOOD and self.engine.round_under_way(self._state)

    def _with_journal_alarm(self, outcome: Outcome, act: str = "") -> Outcome:
        code = REFUSALS[JOURNAL_CODE]
        return msgspec.structs.replace(
            outcome,
            act=act or outcome.act,
            refused=JOURNAL_CODE if act else outcome.refused,
            gate="locked" if self.health is Health.NO_SPACE else outcome.gate,
            message=f"{code.happened} {code.do}",
            alarms=(*outcome.alarms, JOURNAL_ALARM),
        )

    async def _next_or_space(self) -> Asked | ToTable | None:
        """Return the next item of the inbox, or None after a look at whether the journal takes entries again."""
        try:
            async with asyncio.timeout(max(0.0, self._look_at - self._clock())):
                return await self._inbox.get()
        except TimeoutError:
            self._look_at = self._clock() + SPACE_LOOK_S
        if self._journal.state is JournalState.READY:
            self.health = Health.GOOD
            self._logger.info("journal-takes-again")
            self._take_up_devices()
        return None

    async def _refuse_for_ever(self) -> None:
        await self._let_go_of_devices()
        while True:
            answer_with(await self._inbox.get(), self._broken())

    def _broken(self) -> TableBrokenError:
        return TableBrokenError(
            "table-stopped",
            f"Table {self.id} has stopped after a defect of shoed; its gates are locked and nothing was lost.",
            "Close the table, save the log and the journal, and start the daemon again.",
        )

    # ---- devices

    def _take_up_devices(self) -> None:
        wanted = self.engine.wanted(self._state)
        for name, driver in self.drivers.items():
            driver.want(wanted)
            driver.rejoins = any(a.code == "device-lost" and a.where == name and lent_and_told(a.detail) for a in self._state.alarms)
            self._driving.append(asyncio.create_task(driver.run(self._state.device_seq.get(name)), name=f"device {name}"))

    async def _let_go_of_devices(self) -> None:
        driving, self._driving = self._driving, []
        if not driving:
            return
        locking = [asyncio.create_task(driver.lock_now()) for driver in self.drivers.values()]
        _, late = await asyncio.wait(locking, timeout=LOCK_WAIT_S)
        driving += list(late)
        for task in driving:
            task.cancel()
        await asyncio.gather(*driving, return_exceptions=True)

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)

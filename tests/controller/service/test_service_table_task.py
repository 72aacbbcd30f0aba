"""One table's task: decide, store, apply, tell, in this order; refused acts leave no record; nothing unstored is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.journal.batch import JournalState
from controller.journal.entry import EntryDraft
from controller.journal.errors import JournalFullError
from controller.journal.journal import Journal
from controller.service.driver import DeviceDriver
from controller.service.engine import Engine
from controller.service.errors import BusyError, StoppingError
from controller.service.feed import Feed
from controller.service.habits import SDP1
from controller.service.inbox import Heard, Joined, Noticed
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.table_task import ASKED_MAX, Health, TableBrokenError, TableTask
from controller.table.acts import AnyAct, By
from controller.table.outcome import Wanted
from controller.table.parse import parse_act
from firmware_bridge.events import Cause, DeviceEvent, GateChanged, GateState, ShoeLoaded


class MemoryJournal:
    """Takes entries when told to; the order of what happens is noted in `order`."""

    def __init__(self, order: list[str]) -> None:
        self.drafts: list[EntryDraft] = []
        self.order = order
        self.state = JournalState.READY
        self.state_reason = "no space"
        self.reserve = 0
        self.hold: asyncio.Event | None = None

    async def append(self, draft: EntryDraft, *, closing: bool = False) -> int:
        if self.state is not JournalState.READY:
            if not (closing and self.reserve):
                from pathlib import Path

                raise JournalFullError(Path("journal"), "no space")
            self.reserve -= 1
        if self.hold is not None:
            await self.hold.wait()
        self.drafts.append(draft)
        self.order.append(f"stored {draft.kind}")
        return len(self.drafts)


class NotedDriver:
    """Stands in for a device's driver and notes what the table tells it."""

    def __init__(self, name: str, order: list[str]) -> None:
        self.habits = SDP1
        self.name = name
        self.order = order
        self.wanted = Wanted()
        self.known_up_to: list[int | None] = []
        self.running = False

    def want(self, wanted: Wanted) -> None:
        self.wanted = wanted

    def taken(self, heard: Heard) -> None:
        self.order.append(f"taken {heard.event.eseq}")

    def repeated(self, heard: Heard) -> None:
        self.order.append(f"repeated {heard.event.eseq}")

    def joined(self, eseq: int) -> None:
        self.order.append(f"joined {eseq}")

    def settled(self) -> None:
        self.order.append("settled")

    async def lock_now(self) -> None:
        self.order.append("locked")

    async def run(self, known_up_to: int | None) -> None:
        self.known_up_to.append(known_up_to)
        self.running = True
        try:
            await asyncio.Event().wait()
        finally:
            self.running = False


class Bench:
    def __init__(self) -> None:
        self.order: list[str] = []
        self.journal = MemoryJournal(self.order)
        self.driver = NotedDriver("shoe", self.order)
        self.metrics = Metrics()
        self.now_s = 0.0
        engine = Engine("T1", build_procedure(find_game("colorado-hold-em-poker"), "manual-shoe", {}))
        self.task = TableTask(
            engine,
            engine.new_state(),
            cast("Journal", self.journal),
            Feed(),
            metrics=self.metrics,
            logger=make_logger(LogFile(None), "error", pretty=False),
            clock=lambda: self.now_s,
            wall_ms=lambda: 1_700_000_000_000,
        )
        self.task.drivers["shoe"] = cast("DeviceDriver", self.driver)

    def act(self, key: str, value: object = True, by: str = "supervisor") -> AnyAct:
        return parse_act(key, value, By(by, "P1"))

    def hear(self, event: DeviceEvent) -> None:
        self.task.tell(Heard("shoe", event, 1))

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    running = asyncio.create_task(made.task.run())
    await made.settle()
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def loaded(eseq: int) -> ShoeLoaded:
    return ShoeLoaded(eseq, 0, False, 1, 52, 0)


@pytest.mark.requirement("EQ-96", "EQ-97", "T-28")
async def test_a_device_event_is_stored_before_it_is_acknowledged() -> None:
    async with bench() as b:
        b.journal.hold = asyncio.Event()
        b.hear(loaded(1))
        await b.settle()
        assert b.order == []
        assert b.task.state.device_seq == {}
        assert b.task.feed.last == 0
        b.journal.hold.set()
        await b.settle()
        assert b.order == ["stored load", "taken 1"]
        assert b.task.state.device_seq == {"shoe": 1}
        assert [entry.by for entry in b.task.feed.after(0)] == ["device:shoe"]


async def test_a_repeated_event_is_acknowledged_again_without_effect() -> None:
    async with bench() as b:
        b.hear(loaded(1))
        b.hear(loaded(1))
        b.hear(GateChanged(2, 0, False, GateState.LOCKED, Cause.COMMAND))
        await b.settle()
        assert b.order == ["stored load", "taken 1", "repeated 1", "stored routine", "taken 2"]


async def test_a_person_is_answered_when_it_is_stored_and_a_refused_act_leaves_no_record() -> None:
    async with bench() as b:
        refused = await b.task.ask(b.act("close_bets", by="dealer"))
        assert refused.entry is None
        assert refused.outcome.refused == "table-closed"
        opened = await b.task.ask(b.act("open"))
        assert opened.entry == 1
        assert [draft.kind for draft in b.journal.drafts] == ["open"]
        assert 'taken="no"' in b.metrics.render()


async def test_the_device_is_told_what_the_table_wants_and_of_settlements() -> None:
    async with bench() as b:
        await b.task.ask(b.act("open"))
        b.task.tell(Noticed("shoe", "lost", "silence"))
        await b.settle()
        assert "device-lost" in b.task.view().alarms
        b.task.tell(Noticed("shoe", "back", ""))
        await b.settle()
        assert "device-lost" not in b.task.view().alarms
        assert "settled" not in b.order


async def test_back_without_lost_is_no_record() -> None:
    async with bench() as b:
        b.task.tell(Noticed("shoe", "back", ""))
        await b.settle()
        assert b.journal.drafts == []


async def test_where_a_new_device_begins_is_stored_first() -> None:
    async with bench() as b:
        b.task.tell(Joined("shoe", 816))
        await b.settle()
        assert b.order == ["stored routine", "joined 816"]
        assert b.task.state.device_seq == {"shoe": 816}


async def test_too_many_waiting_acts_are_told_to_come_again() -> None:
    async with bench() as b:
        b.journal.hold = asyncio.Event()
        waiting = [asyncio.create_task(b.task.ask(b.act("open"))) for _ in range(ASKED_MAX)]
        await b.settle()
        with pytest.raises(BusyError):
            await b.task.ask(b.act("open"))
        b.journal.hold.set()
        answers = await asyncio.gather(*waiting)
        assert sum(answer.entry is not None for answer in answers) == 1


async def test_a_full_journal_refuses_new_rounds_lets_the_devices_go_and_takes_them_up_again() -> None:
    async with bench() as b:
        await b.task.ask(b.act("open"))
        b.hear(loaded(1))
        await b.settle()
        b.order.clear()
        b.journal.state = JournalState.FULL
        refused = await b.task.ask(b.act("wager", {"seat": 1}, by="dealer"))
        assert refused.outcome.refused == "journal-full"
        assert "journal" in b.task.view().alarms
        b.hear(loaded(2))
        await b.settle()
        assert b.task.health is Health.NO_SPACE
        assert b.order == ["locked"]
        assert not b.driver.running
        assert b.task.state.device_seq == {"shoe": 1}
        again = await b.task.ask(b.act("close"))
        assert again.outcome.refused == "journal-full"
        b.journal.state = JournalState.READY
        b.now_s = 10.0
        await b.task.ask(b.act("wager", {"seat": 1}, by="dealer"))  # wakes the task; the look is due
        await b.settle()
        assert b.task.health is Health.GOOD
        assert b.driver.known_up_to == [None, 1]
        assert b.task.view().alarms == ()


async def test_a_defect_stops_this_table_safely(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as b:
        await b.task.ask(b.act("open"))

        def fail(*_args: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(Engine, "decide", fail)
        with pytest.raises(TableBrokenError):
            await b.task.ask(b.act("open"))
        await b.settle()
        assert b.task.health is Health.BROKEN
        assert "locked" in b.order
        assert not b.driver.running
        with pytest.raises(TableBrokenError):
            await b.task.ask(b.act("open"))


async def test_stopping_locks_the_gates_and_answers_whoever_waits() -> None:
    made = Bench()
    running = asyncio.create_task(made.task.run())
    await made.settle()
    made.journal.hold = asyncio.Event()
    waiting = asyncio.create_task(made.task.ask(made.act("open")))
    await made.settle()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert made.order == ["locked"]
    with pytest.raises(StoppingError):
        await waiting
    with pytest.raises(StoppingError):
        await made.task.ask(made.act("open"))

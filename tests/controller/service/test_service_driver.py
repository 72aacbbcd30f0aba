"""A driver tells its table what the device says, brings the device to what is wanted, and knows when to stop asking."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from controller.service.drive import shoe_id_of
from controller.service.driver import FIRST_CONNECTION_S, DeviceDriver
from controller.service.habits import Post
from controller.service.inbox import Heard, Joined, Noticed, Standing, ToTable
from controller.service.link import Consumer, Link
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.patience import BUSY_WAITS_MAX, REFUSALS_MAX
from controller.table.outcome import Wanted
from firmware_bridge.commands import ClearError, Command, Lock, OpenShoe, Unlock
from firmware_bridge.device import DeviceOutput
from firmware_bridge.errors import NotReadyError
from firmware_bridge.events import (
    Cause,
    DeviceError,
    DeviceEvent,
    DeviceState,
    ErrorRaised,
    GateChanged,
    GateState,
    Status,
)
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    CommandFailure,
    EventArrived,
    EventsLost,
    Fault,
    Identified,
    IdentityMismatch,
    LinkLost,
    LossCause,
    RefusalKind,
    Running,
)

SHOE_1 = shoe_id_of("T1", 1)


def report(*, last: int = 0, shoe_id: bytes | None = None, oldest: int = 1, drawn: int = 0, error: int = 0) -> StatusReport:
    return StatusReport(DeviceState.IDLE, DeviceError.NONE, error, GateState.LOCKED, False, drawn, None, last, oldest, 0, 0, 0, 0, shoe_id)


class ScriptedLink:
    """A device without a port: answers commands with scripted statuses (default OK) and notes them."""

    def __init__(self, first_wanted: int, consumer: Consumer) -> None:
        self.first_wanted = first_wanted
        self.consumer = consumer
        self.sent: list[Command] = []
        self.acknowledged: list[int] = []
        self.statuses: list[Status | CommandFailure] = []
        self.asked_status = 0
        self.report = report()
        self.stopped = False
        self.ready = True

    def start(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._live())

    async def _live(self) -> None:
        await asyncio.Event().wait()

    async def stop(self) -> None:
        self.stopped = True

    def acknowledge(self, eseq: int) -> None:
        self.acknowledged.append(eseq)

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        if not self.ready:
            raise NotReadyError("not running")
        self.sent.append(command)
        found = self.statuses.pop(0) if self.statuses else Status.OK
        name = type(command).__name__
        if isinstance(found, Status):
            return CommandAnswered(1, len(self.sent), name, found, {})
        return CommandFailed(1, len(self.sent), name, found)

    async def status(self) -> StatusReport | None:
        self.asked_status += 1
        return self.report

    def say(self, output: DeviceOutput) -> None:
        self.consumer(output)

    def connect(self, status: StatusReport | None = None, newest: int = 0, *, counted: bool = True) -> None:
        names = ("gate", "counted-unlock", "dispense") if counted else ("gate",)
        capabilities = tuple(Capability(name, 1, 1) for name in names)
        self.say(Identified(1, DeviceIdentity(serial="SN1"), capabilities, False))
        self.say(Running(1, status or report(), 1, newest))

    def event(self, event: DeviceEvent) -> None:
        self.say(EventArrived(1, event))


class Rig:
    def __init__(self) -> None:
        self.told: list[ToTable] = []
        self.links: list[ScriptedLink] = []
        self.pauses: list[float] = []
        self.now_s = 0.0
        self.metrics = Metrics()
        self.driver = DeviceDriver(
            Post("T1", "shoe"),
            self._make,
            self.told.append,
            metrics=self.metrics,
            logger=make_logger(LogFile(None), "error", pretty=False),
            clock=lambda: self.now_s,
            pause=self._pause,
        )

    def _make(self, first_wanted: int, consumer: Consumer) -> Link:
        self.links.append(ScriptedLink(first_wanted, consumer))
        return self.links[-1]

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    @property
    def link(self) -> ScriptedLink:
        return self.links[-1]

    @property
    def notices(self) -> list[str]:
        return [item.event for item in self.told if isinstance(item, Noticed)]

    async def settle(self, turns: int = 40) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)

    def take_all(self) -> None:
        for item in self.told:
            if isinstance(item, Heard):
                self.driver.taken(item)
        self.told = [item for item in self.told if not isinstance(item, Heard)]


@asynccontextmanager
async def rig(known_up_to: int | None = 0) -> AsyncIterator[Rig]:
    made = Rig()
    running = asyncio.create_task(made.driver.run(known_up_to))
    await made.settle()
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def opened(eseq: int) -> GateChanged:
    return GateChanged(eseq, 0, False, GateState.OPEN, Cause.COMMAND)


async def test_a_device_is_brought_to_what_the_table_wants() -> None:
    async with rig(known_up_to=5) as r:
        assert r.link.first_wanted == 6
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == []
        r.link.connect(report(last=5))
        await r.settle()
        assert r.link.sent == [OpenShoe(SHOE_1, 1), Unlock(2)]
        assert r.driver.standing is Standing.RUNNING
        r.driver.want(Wanted(shoe=1))
        await r.settle()
        assert r.link.sent[2:] == [Lock()]


async def test_nothing_is_unlocked_while_events_wait_to_be_taken() -> None:
    async with rig() as r:
        r.link.connect()
        r.link.event(opened(1))
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == []
        r.take_all()
        await r.settle()
        assert r.link.acknowledged == [1]
        assert r.link.sent == [OpenShoe(SHOE_1, 1), Unlock(2)]


async def test_after_a_reconnect_the_past_is_taken_before_anything_is_asked() -> None:
    async with rig() as r:
        r.link.connect()
        await r.settle()
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        r.link.say(LinkLost(1, LossCause.SILENCE, ""))
        r.link.sent.clear()
        r.link.connect(report(last=2, shoe_id=SHOE_1), newest=2)
        await r.settle()
        assert r.notices == ["back", "lost"]
        assert r.link.sent == []
        r.link.event(opened(1))
        r.link.event(opened(2))
        r.take_all()
        await r.settle()
        assert r.notices == ["back", "lost", "back"]
        assert r.link.sent == [Unlock(2)]


async def test_a_lost_device_is_told_once() -> None:
    async with rig() as r:
        r.link.connect()
        for _ in range(3):
            r.link.say(LinkLost(1, LossCause.RETRIES_SPENT, "again"))
        await r.settle()
        assert r.notices == ["back", "lost"]
        assert r.driver.standing is Standing.LOST


async def test_a_refused_command_is_tried_again_after_status_and_then_told() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        r.link.report = report(shoe_id=SHOE_1)
        r.link.statuses = [Status.WRONG_STATE] * REFUSALS_MAX
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == [Unlock(2)] * REFUSALS_MAX
        assert r.link.asked_status == REFUSALS_MAX - 1
        assert r.notices == ["back", "error"]
        await r.settle()
        assert len(r.link.sent) == REFUSALS_MAX
        r.driver.want(Wanted(shoe=1, unlock=1))
        await r.settle()
        assert r.link.sent[REFUSALS_MAX:] == [Unlock(1)]


async def test_a_status_that_explains_the_refusal_changes_what_is_asked() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        r.link.report = report(shoe_id=SHOE_1, error=8)
        r.link.statuses = [Status.WRONG_STATE]
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == [Unlock(2)]
        r.driver.settled()
        await r.settle()
        assert r.link.sent[1:] == [ClearError(8)]


async def test_an_error_that_does_not_clear_waits_for_the_next_settlement() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1, error=8))
        r.link.report = report(shoe_id=SHOE_1, error=8)
        r.link.statuses = [Status.WRONG_STATE] * REFUSALS_MAX
        r.driver.want(Wanted(shoe=1, unlock=2))
        r.driver.settled()
        await r.settle()
        assert r.link.sent == [ClearError(8)] * REFUSALS_MAX
        r.driver.want(Wanted(shoe=1))
        await r.settle()
        assert len(r.link.sent) == REFUSALS_MAX
        r.driver.settled()
        await r.settle()
        assert len(r.link.sent) > REFUSALS_MAX


async def test_a_busy_device_is_waited_for_with_a_limit() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        r.link.statuses = [Status.BUSY] * 3
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == [Unlock(2)] * 4
        r.link.statuses = [Status.BUSY] * 1000
        r.link.report = report(shoe_id=SHOE_1)
        r.driver.want(Wanted(shoe=1, unlock=3))
        await r.settle(1000)
        assert len(r.link.sent) == 4 + BUSY_WAITS_MAX + REFUSALS_MAX
        assert r.notices == ["back", "error"]


async def test_counted_unlock_that_is_not_supported_after_all_is_done_without() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        r.link.statuses = [Status.NOT_SUPPORTED]
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == [Unlock(2), Unlock()]


async def test_a_command_lost_with_the_link_is_compared_anew() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        r.link.statuses = [CommandFailure.LINK_LOST]
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert r.link.sent == [Unlock(2), Unlock(2)]
        r.link.ready = False
        r.driver.want(Wanted(shoe=1))
        await r.settle(3)
        r.link.ready = True
        await r.settle()
        assert r.link.sent[2:] == [Lock()]


@pytest.mark.requirement("EQ-57", "T-04")
async def test_another_device_is_told_once_and_taken_for_nobody() -> None:
    async with rig() as r:
        mismatch = IdentityMismatch(1, RefusalKind.IDENTITY, "SN1", "SN2")
        r.link.say(mismatch)
        r.link.say(mismatch)
        await r.settle()
        assert r.notices == ["lost", "wrong-identity"]
        assert r.driver.standing is Standing.REFUSED
        r.link.connect()
        await r.settle()
        assert r.driver.standing is Standing.RUNNING
        assert r.notices[-1] == "back"


@pytest.mark.requirement("EQ-44")
async def test_a_device_silent_from_the_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.service.driver.FIRST_CONNECTION_S", 0.0)
    assert FIRST_CONNECTION_S == 5.0
    async with rig() as r:
        await r.settle()
        assert r.notices == ["lost"]


async def test_the_history_of_a_device_from_elsewhere_is_not_this_tables() -> None:
    async with rig(known_up_to=None) as r:
        assert r.link.first_wanted == 1
        r.link.connect(report(last=816, oldest=1, drawn=3), newest=816)
        r.link.event(opened(1))
        await r.settle()
        assert r.told == [Joined("shoe", 816)]
        first = r.link
        r.driver.joined(816)
        await r.settle()
        assert first.stopped
        assert r.link.first_wanted == 817
        r.link.connect(report(last=816), newest=816)
        await r.settle()
        assert r.driver.standing is Standing.RUNNING
        assert r.driver.caught_up


async def test_the_short_history_of_a_new_device_is_taken() -> None:
    async with rig(known_up_to=None) as r:
        r.link.connect(report(last=3), newest=3)
        r.link.event(opened(1))
        await r.settle()
        assert [item for item in r.told if isinstance(item, Heard)]
        assert not r.driver.caught_up


async def test_lost_events_and_broken_promises_are_told() -> None:
    async with rig() as r:
        r.link.connect()
        r.link.say(EventsLost(1, 3, 9))
        r.link.say(Fault(FaultKind.CRC, 1, ""))
        r.link.say(Fault(FaultKind.EVENT_CHANGED, 1, "eseq 4"))
        await r.settle()
        assert r.notices == ["back", "events-lost", "wrong-identity"]
        assert 'kind="crc"' in r.metrics.render()


async def test_locking_at_the_end_asks_only_when_the_gate_may_be_open() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        await r.driver.lock_now()
        assert r.link.sent == []
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        await r.driver.lock_now()
        await r.settle()
        assert r.link.sent == [Unlock(2), Lock()]


async def test_an_error_ends_the_trust_in_the_count() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        r.link.event(ErrorRaised(1, 0, False, DeviceError.JAM, 8, 0))
        r.take_all()
        await r.settle()
        assert r.link.sent == [Unlock(2)]


async def test_a_defect_of_the_link_is_told_and_survived() -> None:
    async with rig() as r:
        r.link.connect(report(shoe_id=SHOE_1))

        async def fail(_command: Command) -> CommandAnswered:
            raise ZeroDivisionError

        r.link.command = fail  # type: ignore[method-assign,assignment]
        r.driver.want(Wanted(shoe=1, unlock=2))
        await r.settle()
        assert len(r.links) == 2
        assert "error" in r.notices


async def test_a_shuffler_is_asked_for_nothing_but_the_clearing_of_settled_errors() -> None:
    made = Rig()
    driver = DeviceDriver(
        Post("T1", "shuffler", deals=False),
        made._make,
        made.told.append,
        metrics=made.metrics,
        logger=make_logger(LogFile(None), "error", pretty=False),
        clock=lambda: 0.0,
        pause=made._pause,
    )
    running = asyncio.create_task(driver.run(0))
    await made.settle()
    driver.want(Wanted(shoe=1, unlock=2))
    made.link.connect(report(error=8))
    await made.settle()
    assert made.link.sent == []
    driver.settled()
    await made.settle()
    assert made.link.sent == [ClearError(8)]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_broken_promises_without_end_are_told_seldom() -> None:
    async with rig() as r:
        r.link.connect()
        for number in range(1000):
            r.link.say(Fault(FaultKind.EVENT_CHANGED, number, "eseq 4"))
        assert r.notices == ["back", "wrong-identity"]
        r.now_s = 11.0
        r.link.say(Fault(FaultKind.EVENT_CHANGED, 1001, "eseq 4"))
        assert r.notices == ["back", "wrong-identity", "wrong-identity"]

"""One device of a table: a transport and a session joined, opened, watched and opened again.

Input, output and time of this package happen here and in `transport` only.

Rules:
* Everything the session tells goes to the consumer at once and in order, on the event loop; the consumer must not wait.
  Its inbox is bounded by the protocol: a device has at most 8 unacknowledged events under way (SDP/1 1.7).
* An event is acknowledged only by `acknowledge`, which the owner calls when it is durable.
* A broken port is closed before anyone is told, and opened again after 1, 2, 4, 8, then every 15 s (SDP/1 1.8), or as soon as
  something new is seen where it is looked for. While the port stays open the session itself tries RST at the same pace.
* A device that is not the registered one is refused: its port is closed, nothing it says is passed on. It is tried
  again at the slowest pace, because the right one may be plugged in; each try proves identity anew.
* Bytes are handed from the port to the session and back without a task switch: one loop serves many devices. What brings nothing
  has a bounded share of that loop (`fair_share`).

What the device speaks is the session's business: anything that keeps `session.contract.Session` will do. Clock and waiting are passed in.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from enum import Enum

from firmware_bridge.commands import Command
from firmware_bridge.due_timer import DueTimer
from firmware_bridge.fair_share import FairShare
from firmware_bridge.link.limits import T1_BASE_S
from firmware_bridge.link.line import Line
from firmware_bridge.port_news import PortFailed, PortFlooded, PortLost, PortNews, PortOpened
from firmware_bridge.reopening import REOPEN_AFTER_S, wait_to_reopen
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.session.contract import Session
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    CommandFailure,
    EventArrived,
    HostOutput,
    LinkLost,
    LinkUp,
    Refused,
    Running,
    StatusReported,
)
from firmware_bridge.transport.base import LineCounters, PortFloodedError, Transport, TransportError, TransportState


class DeviceStanding(Enum):
    """Where the device stands for its owner. Only `RUNNING` takes commands."""

    STOPPED = "stopped"
    WAITING_FOR_PORT = "waiting-for-port"
    CONNECTING = "connecting"
    RUNNING = "running"
    LOST = "lost"
    """The port is open and the device does not answer."""
    REFUSED = "refused"


_BRINGS = frozenset({EventArrived, CommandAnswered})
"""Outputs for which somebody waits."""

DeviceOutput = HostOutput | PortNews
Consumer = Callable[[DeviceOutput], None]


def line_of(transport: Transport) -> Line:
    """Return what the session must know of the line that this transport has: bytes at its own pace on a UART, in any pieces elsewhere."""
    sharers = transport.sharers
    return Line.serial(transport.baud, sharers) if transport.is_uart else Line.stream(transport.baud, sharers)


class Device:
    """One device on one transport. `start` makes its task; `stop` ends it with the port free."""

    def __init__(
        self,
        name: str,
        transport: Transport,
        session: Session,
        consumer: Consumer,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        spent: Callable[[], float] = time.thread_time,
        waits: bool = True,
    ) -> None:
        """`spent`: processor time of this thread. `waits`: the device says nothing new until what it said is acknowledged."""
        self.name = name
        self.transport = transport
        self.session = session
        self.refusal: Refused | None = None
        self.last_status: StatusReport | None = None
        self.reopens = 0
        self._consumer = consumer
        self._clock = clock
        self._pause = pause
        self._spent, self._waits = spent, waits
        self._share = FairShare(transport.baud, clock())
        self._standing = DeviceStanding.STOPPED
        self._task: asyncio.Task[None] | None = None
        self._timer = DueTimer(session.next_deadline, self._do_due, clock)
        self._over = asyncio.Event()
        self._lost_by: TransportError | None = None
        self._refused_now = False
        self._linked = False
        self._failure: Exception | None = None
        self._now_s = 0.0
        """When the outputs that are being delivered arose."""
        self._delivering = False
        self._watchers: list[asyncio.Future[None]] = []
        self._answers: dict[int, asyncio.Future[CommandAnswered | CommandFailed]] = {}

    @property
    def standing(self) -> DeviceStanding:
        """Where it stands; a refused device stays refused until the right one runs."""
        waits = self._standing in (DeviceStanding.WAITING_FOR_PORT, DeviceStanding.CONNECTING)
        return DeviceStanding.REFUSED if self.refusal is not None and waits else self._standing

    @property
    def identity(self) -> DeviceIdentity | None:
        """What the device last said of itself; None before it did."""
        return self.session.identity

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        return self.session.capabilities

    @property
    def line(self) -> LineCounters:
        """What went over the port, over all its openings."""
        return self.transport.counters

    async def reached(self, standing: DeviceStanding) -> None:
        """Wait until the device stands so; give it a limit with `asyncio.timeout`."""
        while self.standing is not standing:
            waiter = asyncio.get_running_loop().create_future()
            self._watchers.append(waiter)
            await waiter

    def start(self) -> asyncio.Task[None]:
        """Begin to keep the device connected; the task ends by `stop`, or with the consumer's exception."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep_connected(), name=f"device {self.name}")
        return self._task

    async def stop(self) -> None:
        """End politely; when this returns the port is free. An exception of the consumer is not raised again here."""
        if self._task is None:
            return
        task, self._task = self._task, None
        if self.transport.state is TransportState.OPEN:
            now_s = self._clock()
            self._deliver(self.session.close(now_s), now_s)
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # marks it as seen: `start` gave the task to the owner, who has it

    def acknowledge(self, eseq: int) -> None:
        """Tell the device that every event up to `eseq` is stored durably. Call it on the loop."""
        if self._delivering:
            acknowledge = self.session.acknowledge
            acknowledge(eseq, self._now_s)  # goes out with the rest when everything is told
            return
        self.session.acknowledge(eseq, self._clock())
        self._flush()

    def request(self, command: Command) -> int:
        """Send a command and return its tid; the answer goes to the consumer.

        Raises:
            NotReadyError: the device is not running, or too many commands wait.
            MisuseError: the command's fields do not fit.
        """
        tid = self.session.request(command, self._clock())
        if not self._delivering:
            self._flush()
        return tid

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        """Send a command and wait for its final answer, which the session's own limits bound; raises as `request`."""
        answer: asyncio.Future[CommandAnswered | CommandFailed] = asyncio.get_running_loop().create_future()
        tid = self.request(command)
        self._answers[tid] = answer
        try:
            return await answer
        finally:
            self._answers.pop(tid, None)

    async def _keep_connected(self) -> None:
        tries = 0
        self._timer.begin()
        try:
            while True:
                retry_in_s = REOPEN_AFTER_S[min(tries, len(REOPEN_AFTER_S) - 1)]
                mark = self.transport.plug_mark()
                self._stand(DeviceStanding.WAITING_FOR_PORT)
                try:
                    self._over.clear()
                    await self.transport.open(self._take_bytes, self._lose_port)
                except TransportError as error:
                    self._tell(PortFailed(error, retry_in_s))
                else:
                    ran = await self._serve()
                    retry_in_s = REOPEN_AFTER_S[-1] if self._refused_now else REOPEN_AFTER_S[0 if ran else tries]
                    tries = 0 if ran else tries
                    self.reopens += 1
                if self._failure is not None:
                    raise self._failure
                tries = min(tries + 1, len(REOPEN_AFTER_S) - 1)
                if await wait_to_reopen(self.transport, mark, self._pause(retry_in_s)):
                    tries = 0
        finally:
            self._timer.stop()
            await self.transport.close()
            self._fail_answers()
            self._stand(DeviceStanding.STOPPED)

    async def _serve(self) -> bool:
        """Serve one opening of the port until it breaks or the device is refused; say whether a link came up."""
        self._begin_opening()
        self._tell(PortOpened(self.transport.url))
        now_s = self._clock()
        self._deliver(self.session.connection_made(now_s), now_s)
        await self._over.wait()
        self._timer.stop()
        await self.transport.close()
        if self._lost_by is not None:
            self._tell(PortLost(self._lost_by))
        now_s = self._clock()
        self._deliver(self.session.connection_lost(now_s), now_s)
        self._fail_answers()
        return self._linked and not self._refused_now and not isinstance(self._lost_by, PortFloodedError)

    def _begin_opening(self) -> None:
        self._stand(DeviceStanding.CONNECTING)
        self._linked = self._refused_now = False
        self._lost_by = None
        self._share = FairShare(self.transport.baud, self._clock())

    def _take_bytes(self, chunk: bytes) -> None:
        clock, take_event = self._clock, self.session.maybe_event  # what is not a method is called from a local: quicker
        now_s = clock()
        try:
            event = take_event(chunk, now_s)
            if event is None:
                began_s = self._spent()
                outputs = self.session.receive(chunk, now_s)
        except Exception as error:  # noqa: BLE001  # the loop's callback: only the task can tell its owner
            self._fail(error)
            return
        if event is not None:
            self._deliver_event(event, now_s)
            return
        self._deliver(outputs, now_s)
        self._pay(began_s, len(chunk), outputs, now_s)

    def _deliver_event(self, event: EventArrived, now_s: float) -> None:
        """Do as `_deliver` with the one event of all day; when its acknowledgement has left, all is quiet for a while."""
        if self._failure is None:
            consume = self._consumer
            self._delivering, self._now_s = True, now_s
            try:
                consume(event)
            except Exception as error:  # noqa: BLE001  # as in `_deliver`
                self._fail(error)
            self._delivering = False
        if not self._send_waiting() or self._timer.goes_off_s > now_s + T1_BASE_S:
            self._timer.look()

    def _pay(self, began_s: float, size: int, outputs: list[HostOutput], now_s: float) -> None:
        """Take what a read cost from the device's share of the loop, and do what follows when it is spent."""
        share, was_in_turns = self._share, self._share.in_turns
        brought = sum(type(output) in _BRINGS for output in outputs)
        turn = share.charge(self._spent() - began_s, size, brought, now_s, waits=self._waits)
        if turn.flood_bytes_s:
            self._tell(PortFlooded(turn.flood_bytes_s))
        if turn.is_behind:
            url = self.transport.url
            self._lose_port(PortFloodedError(f"{url} brings more than can be read, without end", "unplug the device and have it checked"))
        elif turn.rest_s or was_in_turns:
            self.transport.rest(turn.rest_s)

    def _lose_port(self, error: TransportError) -> None:
        self._lost_by = error
        self._over.set()

    def _do_due(self, now_s: float) -> None:
        try:
            outputs = self.session.tick(now_s)
        except Exception as error:  # noqa: BLE001  # as in `_take_bytes`
            self._fail(error)
            return
        self._deliver(outputs, now_s)

    def _deliver(self, outputs: list[HostOutput], now_s: float) -> None:
        """Tell everything in order, then send once: what the consumer answers goes with what the session has to say."""
        if outputs:
            self._delivering = True
            self._now_s = now_s
            for output in outputs:
                if type(output) is not EventArrived:
                    self._note(output)
                if self._failure is not None:
                    continue
                try:
                    self._consumer(output)
                except Exception as error:  # noqa: BLE001  # the outermost frame here: the task raises it again
                    self._fail(error)
            self._delivering = False
        self._flush()

    def _tell(self, output: DeviceOutput) -> None:
        if self._failure is None:
            try:
                self._consumer(output)
            except Exception as error:  # noqa: BLE001  # as in `_deliver`
                self._fail(error)

    def _fail(self, error: Exception) -> None:
        """The consumer or the session failed: that ends this device's task, not the loop that carries all the others."""
        self._failure = error
        self._over.set()

    def _note(self, output: HostOutput) -> None:
        """Keep what the owner may ask for between outputs."""
        match output:
            case CommandAnswered() | CommandFailed():
                answer = self._answers.pop(output.tid, None)
                if answer is not None and not answer.done():
                    answer.set_result(output)
            case LinkUp():
                self._linked = True
                self._stand(DeviceStanding.CONNECTING)
            case Running():
                self.refusal = None
                self.last_status = output.status
                self._stand(DeviceStanding.RUNNING)
            case StatusReported():
                self.last_status = output.status
            case LinkLost():
                self._stand(DeviceStanding.LOST)
            case Refused():
                self.refusal, self._refused_now = output, True
                self._over.set()
                self._wake_watchers()
            case _:
                pass

    def _stand(self, standing: DeviceStanding) -> None:
        if standing is self._standing:
            return
        self._standing = standing
        self._wake_watchers()

    def _wake_watchers(self) -> None:
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    def _fail_answers(self) -> None:
        """Nobody waits for ever: what the session did not answer at the end of a connection is lost."""
        waiting, self._answers = self._answers, {}
        for tid, answer in waiting.items():
            if not answer.done():
                answer.set_result(CommandFailed(self.session.epoch, tid, "", CommandFailure.LINK_LOST))

    def _flush(self) -> None:
        self._send_waiting()
        self._timer.look()

    def _send_waiting(self) -> bool:
        """Send what the session has to say; tell whether it had anything."""
        take_waiting = self.session.bytes_to_send
        waiting = take_waiting()
        if not waiting:
            return False
        try:
            self.transport.send(waiting)
        except TransportError as error:
            self._lose_port(error)
        return True

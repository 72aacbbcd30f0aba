"""A whole simulated device: mechanism, session, faulty cable and its end, kept running on the event loop.

It lives on its own: hosts come, go and are killed, it keeps its journal, its open shoe and its pseudo-terminal. Power
can be taken from it at any moment. What people can do to it is in `world`; a caller waits for a state with `until`,
never by sleeping.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from secrets import token_bytes
from types import TracebackType

from device_profiles.plain.profile import LineSettings
from device_profiles.shelf import ProfileShelf
from device_profiles.values import FieldValue
from firmware_bridge.codec import Codec, load_codec
from firmware_bridge.due_timer import DueTimer
from firmware_bridge.events import DeviceError, StartReason
from firmware_bridge.link.line import Line
from firmware_bridge.seal import DeviceKey, SessionKeys
from firmware_bridge.session.device import DeviceSession, DeviceSettings, StoredEvent
from hil.faults import CUT_S, DeviceFaults, FaultyLine
from hil.mechanism.journal import DeviceJournal
from hil.mechanism.machine import Mechanism
from hil.simulated.adapter import Adapter
from hil.simulated.cable import BusCable
from hil.simulated.ends import End, PtyEnd, TcpEnd
from hil.simulated.firmware import FirmwareStore
from hil.simulated.rfc2217_end import Rfc2217End
from hil.simulated.settings import SimulatedSettings
from hil.simulated.snapshot import Snapshot, take_snapshot
from hil.simulated.world import Outcome, World

DEFAULT_PATIENCE_S = 10.0
"""Longest wait of `until`: three times what SDP/1 1.8 takes to notice a lost link."""

POWER_FAULT_OFF_S = 0.3
"""How long a `power-loss` fault lasts: a plug that was knocked."""


UNPLUGGED_S = 0.5
"""How long an `unplug` fault lasts: a knocked plug, put in again."""


class NotInTimeError(TimeoutError):
    """The device did not come into the state that was waited for; the message tells its last state."""


class SimulatedDevice(World):
    """One simulated device on a pseudo-terminal, a TCP port or a device server. Use it as an asynchronous context or `start` and `stop`."""

    def __init__(
        self,
        settings: SimulatedSettings,
        *,
        cable: BusCable | None = None,
        clock: Callable[[], float] = time.monotonic,
        entropy: Callable[[int], bytes] = token_bytes,
    ) -> None:
        """`cable`: the one that it shares with others; its settings have its address there."""
        self.settings = settings
        self.clock = clock
        self._cable = cable
        self._entropy = entropy
        shelf = ProfileShelf(settings.profiles)
        self._codec = Codec(shelf.sdp1(settings.profile)) if shelf.is_own(settings.profile) else load_codec(settings.profile)
        orders = settings.fault_orders()
        named = f"{settings.seed}:{settings.serial}"
        faults = DeviceFaults(orders, random.Random(f"{named}:device"))
        self.journal = DeviceJournal()
        self.machine = Mechanism(settings.mechanism_options(), random.Random(f"{named}:mechanism"), faults, self._record)
        self.machine.memory_is_full = lambda: self.journal.is_full
        codes = self._codec.profile.enums["error"].values
        self._keys = settings.keys()
        self.image = settings.image
        self.store = FirmwareStore(settings.firmware, settings.maker)
        self.adapter = Adapter(self.machine, {code: DeviceError(name) for name, code in codes.items()}, self, settings.sticky)
        self.adapter.workshop.address = settings.address
        self._remember(settings.past)
        self.to_host = FaultyLine(orders, random.Random(f"{named}:to-host"))
        self.to_device = FaultyLine(orders, random.Random(f"{named}:to-device"))
        self._end: End = self._new_end()
        self._session: DeviceSession | None = None
        self._host_is_there = False
        self._timer = DueTimer(self._next_due_s, lambda _now_s: self.pump(), clock)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiters: list[tuple[Callable[[Snapshot], bool], asyncio.Future[Snapshot]]] = []
        self._power_timer: asyncio.TimerHandle | None = None
        self._knock: asyncio.Task[None] | None = None

    async def __aenter__(self) -> SimulatedDevice:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """What a host opens: a path or a `tcp://` address."""
        return self._end.url

    async def start(self, reason: StartReason = StartReason.POWER_ON) -> None:
        """Plug the cable in and switch the power on."""
        self._loop = asyncio.get_running_loop()
        self._timer.begin()
        await self._end.open(self)
        self.power_on(reason)

    async def stop(self) -> None:
        """Switch off and take the cable away."""
        if self._knock is not None:
            self._knock.cancel()
        self.power_off()
        self._stop_timers()
        for _, waiter in self._waiters:
            waiter.cancel()
        self._waiters.clear()
        await self._end.close()

    async def unplug(self) -> None:
        """Take the cable away; a host sees its port vanish."""
        self._host_is_there = False
        if self._session is not None:
            self._session.connection_lost(self.clock())
        await self._end.close()
        self.pump()

    async def plug_in(self) -> None:
        """Put a cable in again; a pseudo-terminal has a new path, its link the old one, and a network address stays."""
        if not isinstance(self._end, TcpEnd):
            self._end = self._new_end()
        await self._end.open(self)
        self.pump()

    def power_off(self) -> None:
        """Take the power away, at this very moment."""
        if self._session is not None:
            self._session.power_off()
            self._session = None
        self.machine.power_off()
        self.store.abort()
        self.pump()

    def power_on(self, reason: StartReason = StartReason.POWER_ON) -> None:
        """Give power; the device says so for some seconds or until a host asks."""
        if self._session is not None:
            return
        now_s = self.clock()
        self.adapter.started_s = now_s
        self._session = self._new_session()
        self.machine.power_on(reason, now_s)
        self._session.start(reason, self.machine.boot_count, now_s)
        if self._host_is_there:
            self._session.connection_made(now_s)
        self.adapter.note(f"started: {reason.value}", now_s)
        self.pump()

    def power_cycle(self, reason: StartReason = StartReason.POWER_ON) -> None:
        """Take the power away and give it again at once."""
        self.power_off()
        self.power_on(reason)

    def load_key(self, role: int, key: DeviceKey) -> None:
        """KEY_SET: the key survives loss of power and counts from the next session on."""
        self._keys[role] = key
        if self._session is not None:
            self._session.set_key(role, key)

    def session_keys(self) -> SessionKeys | None:
        return self._session.session_keys if self._session is not None else None

    def happen(self, deed: Callable[[float], Outcome]) -> Outcome:
        now_s = self.clock()
        self.machine.advance(now_s)
        outcome = deed(now_s)
        self.pump()
        return outcome

    def cut_line(self, for_s: float = CUT_S) -> None:
        """Make the cable dead in both directions for some time."""
        now_s = self.clock()
        self.to_host.cut(now_s, for_s)
        self.to_device.cut(now_s, for_s)

    def mend_line(self) -> None:
        self.to_host.mend()
        self.to_device.mend()

    def snapshot(self) -> Snapshot:
        """Return where the device stands now."""
        return take_snapshot(self.machine, self.journal, self._session)

    async def until(self, holds: Callable[[Snapshot], bool], within_s: float = DEFAULT_PATIENCE_S) -> Snapshot:
        """Wait until a condition holds; it is asked after everything that happens to the device.

        Raises:
            NotInTimeError: it did not hold in time.
        """
        self.pump()
        now = self.snapshot()
        if holds(now):
            return now
        waiter: asyncio.Future[Snapshot] = asyncio.get_running_loop().create_future()
        entry = (holds, waiter)
        self._waiters.append(entry)
        try:
            async with asyncio.timeout(within_s):
                return await waiter
        except TimeoutError as error:
            raise NotInTimeError(f"not in {within_s:g} s; the device stands at {self.snapshot()}") from error
        finally:
            if entry in self._waiters:
                self._waiters.remove(entry)

    async def gate(self, word: str, within_s: float = DEFAULT_PATIENCE_S) -> Snapshot:
        """Wait until the gate is `open` or `locked`."""
        return await self.until(lambda now: now.gate == word, within_s)

    async def host_running(self, within_s: float = DEFAULT_PATIENCE_S) -> Snapshot:
        """Wait until a host has asked for the events."""
        return await self.until(lambda now: now.host_running, within_s)

    async def all_acknowledged(self, within_s: float = DEFAULT_PATIENCE_S) -> Snapshot:
        """Wait until the host has stored every event."""
        return await self.until(lambda now: now.acknowledged_eseq == now.newest_eseq, within_s)

    def host_came(self) -> None:
        self._host_is_there = True
        if self._session is not None:
            self._session.connection_made(self.clock())
        self.pump()

    def host_went(self) -> None:
        self._host_is_there = False
        if self._session is not None:
            self._session.connection_lost(self.clock())
        self.pump()

    def bytes_came(self, chunk: bytes) -> None:
        if self.to_device.is_clean:
            self._receive(chunk)
        else:
            self.to_device.feed(chunk, self.clock())
        self.pump()

    def pump(self) -> None:
        """Let due things happen, send what is to be sent, look whom it concerns, and arrange to be called again."""
        now_s = self.clock()
        for chunk in self.to_device.take(now_s):
            self._receive(chunk)
        self.machine.advance(now_s)
        self.machine.watch_memory(now_s)
        self._tick(now_s)
        for chunk in self.to_host.take(now_s):
            self._end.send(chunk)
        self._see_to_power()
        if self._waiters:
            self._tell_waiters()
        self._timer.look()

    def _receive(self, chunk: bytes) -> None:
        if self._session is not None:
            self._session.receive(chunk, self.clock())
            self._send(self._session)

    def _tick(self, now_s: float) -> None:
        session = self._session
        if session is None:
            return
        due_s = session.next_deadline()
        if due_s is not None and due_s <= now_s:
            session.tick(now_s)
        self._send(session)

    def _send(self, session: DeviceSession) -> None:
        waiting = session.bytes_to_send()
        if not waiting:
            return
        if self.to_host.is_clean:
            self._end.send(waiting)
        else:
            self.to_host.feed(waiting, self.clock())

    def _record(self, name: str, fields: Mapping[str, FieldValue], now_s: float) -> None:
        """The mechanism tells an event: journal it, then let the session send it when it may."""
        if self._session is None:
            return  # without power nobody notices, and nothing can be written down
        t_ms = max(0, round((now_s - self.adapter.started_s) * 1000)) & 0xFFFFFFFF
        self._session.record(name, fields, t_ms, now_s)
        if name == "card_read" and "unplug" in self.machine.faults.struck("unplug") and self._loop is not None:
            self._knock = self._loop.create_task(self._be_knocked())

    async def _be_knocked(self) -> None:
        await self.unplug()
        await asyncio.sleep(UNPLUGGED_S)
        await self.plug_in()

    def _see_to_power(self) -> None:
        if (reason := self.adapter.restart_is_due) is not None:
            self.adapter.restart_is_due = None
            self.power_cycle(reason)
        if self.machine.power_loss_is_due and self._loop is not None:
            self.machine.power_loss_is_due = False
            self.power_off()
            self._power_timer = self._loop.call_later(POWER_FAULT_OFF_S, self.power_on)

    def _tell_waiters(self) -> None:
        now = self.snapshot()
        for holds, waiter in list(self._waiters):
            if not waiter.done() and holds(now):
                waiter.set_result(now)

    def _next_due_s(self) -> float | None:
        due = [self.machine.next_due_s() if self.machine.powered else None, self.to_host.next_due_s(), self.to_device.next_due_s()]
        due.append(self._session.next_deadline() if self._session is not None else None)
        return min((moment for moment in due if moment is not None), default=None)

    def _stop_timers(self) -> None:
        self._timer.stop()
        if self._power_timer is not None:
            self._power_timer.cancel()
        self._power_timer = None

    def _remember(self, past: Mapping[str, int]) -> None:
        """Take up a life before this one: hard counters, and events that nobody fetched."""
        for name, value in past.items():
            if name != "events":
                setattr(self.machine.counters, name.replace("-", "_"), value)
        pressed = self._codec.write_event_body("button", {"button": 1, "action": 1})
        for number in range(1, past.get("events", 0) + 1):
            self.journal.append(StoredEvent(number, 0, "button", pressed))

    def _new_end(self) -> End:
        if self._cable is not None:
            return self._cable.plug()
        if self.settings.rfc2217 is not None:
            return Rfc2217End(*self.settings.rfc2217, LineSettings(baud=self.settings.baud) if self.settings.baud else None)
        if self.settings.tcp is not None:
            return TcpEnd(*self.settings.tcp)
        link_dir = self.settings.link_dir
        return PtyEnd(link_dir / self.settings.serial if link_dir is not None else None, self.settings.baud)

    def _new_session(self) -> DeviceSession:
        """Power-on: nothing of the session before is left, and another unit may answer in the device's place."""
        serial = self.settings.serial
        if "wrong-serial" in self.machine.faults.struck("wrong-serial"):
            serial += "-X"
        line = Line.serial() if self._end.is_uart else Line.stream()
        settings = DeviceSettings(
            line=line,
            identity=self.settings.identity(serial, self.store.version),
            capabilities=self.settings.capabilities(),
            keys=dict(self._keys),
            technician_switch=self.settings.technician_switch,
            address=self.adapter.workshop.address,
        )
        return DeviceSession(self._codec, settings, self.adapter, self.journal, self._entropy)

"""Several devices and their host sessions on one pure line with virtual time; what each turn was like is kept."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from cobs import cobs

from firmware_bridge.codec import Codec
from firmware_bridge.events import StartReason
from firmware_bridge.framing import CobsFramer
from firmware_bridge.link.arbiter import BusArbiter
from firmware_bridge.link.line import Line
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.device import DeviceSession, DeviceSettings
from firmware_bridge.session.host import HostSession, HostSettings
from firmware_bridge.session.outputs import EventArrived, HostOutput, HostState
from tests.firmware_bridge.conftest import CAPABILITIES, CARD, FakeMechanism, Journal

TRANSIT_S = 0.001


@dataclass
class Station:
    """One device on the bus with the host's session of it."""

    address: int
    device: DeviceSession
    host: HostSession
    journal: Journal
    mechanism: FakeMechanism
    outputs: list[HostOutput] = field(default_factory=list)
    silent: bool = False
    said: list[list[bytes]] = field(default_factory=list)
    """Frames of each time that it spoke, decoded, without checksum."""

    @property
    def is_running(self) -> bool:
        return self.host.state is HostState.RUNNING

    def events(self) -> list[int]:
        return [output.event.eseq for output in self.outputs if isinstance(output, EventArrived)]

    def record(self, now: float) -> None:
        self.device.record("card_read", CARD, None, now)


class BusRig:
    """The line. `spoil` may change each bundle on its way: (to the host?, bytes) -> bytes."""

    def __init__(
        self,
        codec: Codec,
        addresses: tuple[int, ...] = (1, 2),
        *,
        keys: dict[int, DeviceKey] | None = None,
        seed: int = 1,
        echo: bool = False,
        spoil: Callable[[bool, bytes], bytes] = lambda _to_host, content: content,
    ) -> None:
        self.codec, self.echo, self.spoil = codec, echo, spoil
        self.rng = random.Random(seed)
        self.line = Line.serial(115_200, len(addresses))
        self.arbiter = BusArbiter(codec.profile.framing, self.line)
        self.now = 0.0
        self.under_way: deque[tuple[float, bool, bytes]] = deque()
        self.stations = {address: self._station(address, (keys or {}).get(address)) for address in addresses}
        self._deframe = CobsFramer(codec.profile.framing, pauses=True)

    def _station(self, address: int, key: DeviceKey | None) -> Station:
        serial = f"SN-{address}"
        journal, mechanism = Journal(), FakeMechanism()
        told = DeviceSettings(
            line=self.line,
            identity={"vendor": "ACME", "model": "SX-8", "serial": serial, "firmware": "1.4.2"},
            capabilities=CAPABILITIES,
            keys={} if key is None else {1: key},
            address=address,
        )
        known = HostSettings(line=self.line, expected_serial=serial, device_key=key, address=address)
        device = DeviceSession(self.codec, told, mechanism, journal, self.rng.randbytes)
        return Station(address, device, HostSession(self.codec, known, self.rng.randbytes), journal, mechanism)

    def connect(self, within_s: float = 30.0) -> None:
        for station in self.stations.values():
            station.device.record("started", {"boot_count": 1, "reason": 1, "shoe_open": False}, 0, self.now)
            station.device.start(StartReason.POWER_ON, 1, self.now)
            station.outputs += station.host.connection_made(self.now)
        self.until(lambda: all(station.is_running for station in self.stations.values()), within_s)

    def until(self, holds: Callable[[], bool], within_s: float) -> None:
        end = self.now + within_s
        while not holds():
            assert self.now < end, {a: (s.host.state, s.outputs[-3:]) for a, s in self.stations.items()}
            self.step(end)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.step(end)

    def step(self, end: float) -> None:
        """Go to the next moment at which something happens."""
        self._let_go()
        moments = [end, *([self.under_way[0][0]] if self.under_way else [])]
        moments += [at for station in self.stations.values() for at in self._deadlines(station) if at is not None]
        due = self.arbiter.next_deadline()
        self.now = max(self.now, min([*moments, *([due] if due is not None else [])]))
        while self.under_way and self.under_way[0][0] <= self.now:
            _, to_host, content = self.under_way.popleft()
            if to_host:
                self._to_host(content)
            else:
                self._to_devices(content)
        for station in self.stations.values():
            for session in (station.host, station.device):
                at = session.next_deadline()
                if at is not None and at <= self.now:
                    self._note(station, session.tick(self.now) or [])
            assert station.device.bytes_to_send() == b"", "a device speaks without having been asked"

    def say(self, content: bytes) -> None:
        """Noise on the line: the host and every device hear it."""
        self._put(to_host=True, content=content)
        self._put(to_host=False, content=content)

    def _deadlines(self, station: Station) -> tuple[float | None, float | None]:
        return station.host.next_deadline(), station.device.next_deadline()

    def _let_go(self) -> None:
        for station in self.stations.values():
            self.arbiter.offer(station.address, station.host.bytes_to_send())
        while (routed := self.arbiter.maybe_next(self.now)) is not None:
            if self.echo:
                self._put(to_host=True, content=routed.wire)
            self._put(to_host=False, content=routed.wire)

    def _put(self, *, to_host: bool, content: bytes) -> None:
        content = self.spoil(to_host, content)
        if content:
            self.under_way.append((self.now + TRANSIT_S, to_host, content))

    def _to_devices(self, content: bytes) -> None:
        for station in self.stations.values():
            if station.silent:
                continue
            station.device.receive(content, self.now)
            words = station.device.bytes_to_send()
            if words:
                station.said.append([frame for frame in self._deframe.feed(words, self.now) if isinstance(frame, bytes)])
                self._put(to_host=True, content=words)
                for other in self.stations.values():
                    if other is not station:
                        other.device.receive(words, self.now)

    def _to_host(self, content: bytes) -> None:
        for routed in self.arbiter.feed(content, self.now):
            station = self.stations.get(routed.address)
            if station is not None:
                event = station.host.maybe_event(routed.wire, self.now)
                self._note(station, [event] if event is not None else station.host.receive(routed.wire, self.now))

    def _note(self, station: Station, outputs: list[HostOutput]) -> None:
        station.outputs += outputs
        for output in outputs:
            if isinstance(output, EventArrived):
                station.host.acknowledge(output.event.eseq, self.now)


def wire_of(codec: Codec, frame: bytes) -> bytes:
    """Return the bytes on the wire of a link frame without its checksum."""
    return b"\0" + cobs.encode(frame + codec.checksum(frame).to_bytes(2, "big")) + b"\0"

"""A host and a device session joined by a pure line with virtual time, and the faults such a line can have."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pytest

from device_profiles.values import FieldValue
from firmware_bridge.codec import Codec, load_codec
from firmware_bridge.commands import Command
from firmware_bridge.events import StartReason, Status
from firmware_bridge.framing import CobsFramer
from firmware_bridge.link.device import DeviceLink
from firmware_bridge.link.end import LinkEnd
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.host import HostLink
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Reset, Up
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.device import Answer, CommandReceived, DeviceSession, DeviceSettings, StoredEvent
from firmware_bridge.session.host import HostSession, HostSettings
from firmware_bridge.session.outputs import EventArrived, HostOutput, HostState

SERIAL = "SN000123"
KEY = DeviceKey(bytes(range(16)))
TRANSIT_S = 0.001
CARD = {"card": 0x41, "flags": [], "confidence": 98, "position": 1, "remaining": 51}
STATUS: Mapping[str, FieldValue] = {
    "state": "armed",
    "error": "none",
    "gate": "locked",
    "lid_open": False,
    "drawn": 0,
    "remaining": None,
    "last_eseq": 0,
    "oldest_eseq": 1,
    "cobs_errors": 0,
    "crc_errors": 0,
    "oversize_errors": 0,
    "other_errors": 0,
    "shoe_id": None,
}
CAPABILITIES = tuple(
    {"function": name, "level": 1, "count": 0}
    for name in ("read-cards", "gate", "burn", "stub-count", "dispense", "shuffle", "lid", "counted-unlock")
)


class Journal:
    """A device's journal in memory, which outlives its sessions."""

    def __init__(self) -> None:
        self.events: list[StoredEvent] = []
        self.acked = 0
        self.first = 1

    @property
    def oldest(self) -> int:
        return self.first

    @property
    def newest(self) -> int:
        return self.first - 1 + len(self.events)

    def append(self, event: StoredEvent) -> None:
        self.events.append(event)

    def from_(self, eseq: int) -> Iterable[StoredEvent]:
        return iter(self.events[max(0, eseq - self.first) :])

    def ack(self, eseq: int) -> None:
        self.acked = max(self.acked, eseq)

    def lose(self, count: int) -> None:
        del self.events[:count]
        self.first += count


class FakeMechanism:
    """Says yes to everything, or what the test tells it to say."""

    def __init__(self) -> None:
        self.received: list[CommandReceived] = []
        self.lost: list[LossCause] = []
        self.answers: dict[str, Answer | None] = {}
        self.during: Callable[[CommandReceived, float], None] | None = None

    def status(self, now: float) -> Mapping[str, FieldValue]:
        own = ("state", "error", "gate", "lid_open", "drawn", "remaining", "shoe_id")
        return {name: STATUS[name] for name in own}

    def command(self, received: CommandReceived, now: float) -> Answer | None:
        self.received.append(received)
        if self.during is not None:
            self.during(received, now)
        return self.answers.get(received.name, Answer())

    def link_lost(self, cause: LossCause, now: float) -> None:
        self.lost.append(cause)


@dataclass
class LineFaults:
    """How often what happens to a frame on the line; chances of each."""

    drop: float = 0.0
    double: float = 0.0
    flip: float = 0.0
    cut: float = 0.0
    insert: float = 0.0
    delay: float = 0.0
    split: float = 0.0
    delay_max_s: float = 0.2


@dataclass
class OneWay:
    """One direction of the line: keeps order, spoils and delays frames."""

    rng: random.Random
    faults: LineFaults = field(default_factory=LineFaults)
    under_way: deque[tuple[float, bytes]] = field(default_factory=deque)
    cut: bool = False
    tap: list[bytes] = field(default_factory=list)

    def put(self, content: bytes, now: float) -> None:
        if not content or self.cut:
            return
        self.tap.append(content)
        for frame in content.split(b"\0\0"):
            whole = b"\0" + frame.strip(b"\0") + b"\0"
            for piece in self._spoil(whole):
                at = now + TRANSIT_S
                if self.rng.random() < self.faults.delay:
                    at += self.rng.uniform(0, self.faults.delay_max_s)
                if self.under_way:
                    at = max(at, self.under_way[-1][0])
                self.under_way.append((at, piece))

    def _spoil(self, frame: bytes) -> list[bytes]:
        rng, faults = self.rng, self.faults
        if rng.random() < faults.drop:
            return []
        if rng.random() < faults.flip:
            at = rng.randrange(len(frame))
            frame = frame[:at] + bytes((frame[at] ^ (1 << rng.randrange(8)),)) + frame[at + 1 :]
        if rng.random() < faults.cut:
            at = rng.randrange(len(frame))
            frame = frame[:at] + frame[at + 1 :]
        if rng.random() < faults.insert:
            at = rng.randrange(len(frame))
            frame = frame[:at] + rng.randbytes(rng.randint(1, 4)) + frame[at:]
        frames = [frame, frame] if rng.random() < faults.double else [frame]
        if rng.random() < faults.split:
            at = rng.randrange(len(frame))
            frames = [*frames[:-1], frame[:at], frame[at:]]
        return [piece for piece in frames if piece]

    def due(self, now: float) -> list[bytes]:
        pieces = []
        while self.under_way and self.under_way[0][0] <= now:
            pieces.append(self.under_way.popleft()[1])
        return pieces


class PipePair:
    """Host and device on one line. `run` lets virtual time pass; everything the host tells is in `outputs`."""

    def __init__(
        self,
        codec: Codec,
        *,
        key: DeviceKey | None = None,
        device_key: DeviceKey | None = None,
        expected_serial: str | None = SERIAL,
        line: Line | None = None,
        seed: int = 1,
        faults: LineFaults | None = None,
        first_wanted: int = 1,
        acknowledges: bool = True,
    ) -> None:
        self.codec = codec
        self.seed = seed
        self.rng = random.Random(seed)
        self.line = line or Line.serial()
        self.journal = Journal()
        self.mechanism = FakeMechanism()
        keys = {1: device_key or key} if device_key or key else {}
        self.device_settings = DeviceSettings(
            line=self.line,
            identity={"vendor": "ACME", "model": "SX-8", "serial": SERIAL, "firmware": "1.4.2"},
            capabilities=CAPABILITIES,
            keys={role: entry for role, entry in keys.items() if entry is not None},
        )
        self.host_settings = HostSettings(line=self.line, expected_serial=expected_serial, device_key=key, first_wanted=first_wanted)
        self.device = self.new_device()
        self.host = self.new_host()
        self.to_device = OneWay(self.rng, faults or LineFaults())
        self.to_host = OneWay(self.rng, faults or LineFaults())
        self.outputs: list[HostOutput] = []
        self.acknowledges = acknowledges
        self.now = 0.0
        self.boots = 0

    def new_device(self) -> DeviceSession:
        return DeviceSession(self.codec, self.device_settings, self.mechanism, self.journal, self.rng.randbytes)

    def new_host(self) -> HostSession:
        return HostSession(self.codec, self.host_settings, self.rng.randbytes)

    def power_on(self) -> None:
        self.boots += 1
        self.device.record("started", {"boot_count": self.boots, "reason": 1, "shoe_open": False}, 0, self.now)
        self.device.start(StartReason.POWER_ON, self.boots, self.now)

    def connect(self, *, within_s: float = 60.0) -> None:
        """Power on, connect, and run until the host is running."""
        self.power_on()
        self.take(self.host.connection_made(self.now))
        end = self.now + within_s
        while self.host.state is not HostState.RUNNING and self.now < end:
            self.step(end)
        assert self.host.state is HostState.RUNNING, self.outputs[-5:]
        self.run(0.01)

    def take(self, outputs: list[HostOutput]) -> None:
        self.outputs += outputs
        for output in outputs:
            if isinstance(output, EventArrived) and self.acknowledges:
                self.host.acknowledge(output.event.eseq, self.now)

    def exchange(self) -> None:
        self.to_device.put(self.host.bytes_to_send(), self.now)
        self.to_host.put(self.device.bytes_to_send(), self.now)

    def step(self, end: float) -> None:
        """Go to the next moment at which something happens, at most to `end`."""
        self.exchange()
        moments = [end]
        moments += [way.under_way[0][0] for way in (self.to_device, self.to_host) if way.under_way]
        moments += [at for at in (self.host.next_deadline(), self.device.next_deadline()) if at is not None]
        self.now = max(self.now, min(moments))
        for piece in self.to_device.due(self.now):
            self.device.receive(piece, self.now)
        for piece in self.to_host.due(self.now):
            self.take(self.host.receive(piece, self.now))
        for session in (self.host, self.device):
            deadline = session.next_deadline()
            if deadline is not None and deadline <= self.now:
                told = session.tick(self.now)
                if told is not None:
                    self.take(told)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.step(end)
        self.exchange()

    def request(self, command: Command) -> int:
        return self.host.request(command, self.now)

    def record(self, name: str = "card_read", **fields: FieldValue) -> int:
        content = CARD | fields if name == "card_read" else fields
        return self.device.record(name, content, None, self.now)

    def told(self, kind: type) -> list[HostOutput]:
        return [output for output in self.outputs if isinstance(output, kind)]

    def events(self) -> list[int]:
        return [output.event.eseq for output in self.outputs if isinstance(output, EventArrived)]


@pytest.fixture(scope="session")
def codec() -> Codec:
    return load_codec("sdp1")


@pytest.fixture
def make_pair(codec: Codec) -> Callable[..., PipePair]:
    return lambda **options: PipePair(codec, **options)


@pytest.fixture
def pair(make_pair: Callable[..., PipePair]) -> PipePair:
    """A host and a device that are connected over a good line."""
    made = make_pair()
    made.connect()
    return made


@pytest.fixture(params=[None, KEY], ids=["open", "sealed"])
def either_pair(request: pytest.FixtureRequest, make_pair: Callable[..., PipePair]) -> PipePair:
    """The same, on the open link and in a sealed session."""
    made = make_pair(key=request.param)
    made.connect()
    return made


@pytest.fixture
def make_faults() -> type[LineFaults]:
    return LineFaults


class PuppetDevice:
    """A device end of which the test writes every message: for what no honest device would send."""

    def __init__(self, codec: Codec, host: HostSession) -> None:
        self.codec = codec
        self.host = host
        self.link = DeviceLink(codec.profile.framing, codec.checksum, Line.stream())
        self._framer = CobsFramer(codec.profile.framing, pauses=True)
        self.asked: list[tuple[str, int, Mapping[str, FieldValue]]] = []
        self.acked: list[int] = []
        self.outputs: list[HostOutput] = []
        self.now = 0.0
        self.link.start(StartReason.POWER_ON, 7, 0.0)
        self.link.bytes_to_send()

    def flow(self) -> list[HostOutput]:
        """Let bytes go both ways until there are none; return what the host told."""
        told: list[HostOutput] = []
        while True:
            there, back = self.host.bytes_to_send(), self.link.bytes_to_send()
            if not there and not back:
                self.outputs += told
                return told
            for frame in self._framer.feed(there, self.now):
                result = self.link.receive(frame, self.now) if isinstance(frame, bytes) else None
                if isinstance(result, bytes):
                    self._note(result)
            told += self.host.receive(back, self.now)
            deadline = self.host.next_deadline()
            if deadline is not None and deadline <= self.now:
                told += self.host.tick(self.now)

    def _note(self, message: bytes) -> None:
        message_class, code, tid = self.codec.read_header(message)
        spec = self.codec.command_by_code(code)
        if message_class == 4:
            self.acked.append(self.codec.read_event_ack(message))
        elif spec is not None:
            self.asked.append((spec.name, tid, self.codec.read_command(spec, message)))

    def say(self, message: bytes) -> list[HostOutput]:
        self.link.send(message, self.now)
        return self.flow()

    def answer(self, name: str, tid: int, status: Status = Status.OK, **fields: FieldValue) -> list[HostOutput]:
        return self.say(self.codec.write_response(self.codec.command(name), tid, status, fields))

    def event(self, eseq: int, name: str = "lid", *, replayed: bool = False, **fields: FieldValue) -> list[HostOutput]:
        body = self.codec.write_event_body(name, fields or {"is_open": False})
        return self.say(self.codec.write_event(name, eseq, eseq * 10, body, replayed=replayed))

    def wait(self, seconds: float) -> list[HostOutput]:
        """Let time pass with both sides alive."""
        told: list[HostOutput] = []
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + 0.05)
            told += self.host.tick(self.now)
            self.link.tick(self.now)
            told += self.flow()
        return told

    def up_to(self, step: str, *, newest: int = 0, oldest: int = 1, serial: str = SERIAL) -> list[HostOutput]:
        """Answer the connect sequence until `step` is asked; `""`: to its end."""
        told = self.host.connection_made(self.now) + self.flow()
        while self.asked and self.asked[-1][0] != step:
            name, tid, _ = self.asked.pop()
            match name:
                case "identify":
                    told += self.answer(name, tid, serial=serial)
                case "capabilities":
                    told += self.answer(name, tid, capabilities=())
                case "status":
                    told += self.answer(name, tid, **STATUS)
                case "event_resume":
                    told += self.answer(name, tid, oldest=oldest, newest=newest)
        return told


class LinkBench:
    """One end of a link at a time, with the other end played by hand."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.framing = codec.profile.framing

    def sent(self, link: LinkEnd) -> list[bytes]:
        """Return the frames that the link has put on the wire."""
        found = CobsFramer(self.framing, pauses=True).feed(link.bytes_to_send(), 0.0)
        return [frame for frame in found if isinstance(frame, bytes)]

    def new_host(self, first_token: int = 4) -> HostLink:
        return HostLink(self.framing, self.codec.checksum, Line.stream(), first_token)

    def host_up(self, window: int = 7) -> HostLink:
        host = self.new_host()
        host.open(0.0)
        (frame,) = self.sent(host)
        rstack = bytes((0x80, 0, frame[2], 1, window, 240, 0, 0, 0, 0, 42))
        assert host.receive(rstack, 0.0) == Up(42)
        return host

    def device_up(self, window: int = 7) -> DeviceLink:
        device = DeviceLink(self.framing, self.codec.checksum, Line.stream())
        device.start(StartReason.POWER_ON, 42, 0.0)
        assert isinstance(device.receive(bytes((0x60, 0, 9, 1, 1, window, 240)), 0.0), Reset)
        device.receive(bytes((0xA0, 0, 0, 1)), 0.0)
        self.sent(device)
        return device


@pytest.fixture(scope="session")
def bench(codec: Codec) -> LinkBench:
    return LinkBench(codec)


@pytest.fixture(params=["host", "device"])
def end(request: pytest.FixtureRequest, bench: LinkBench) -> LinkEnd:
    """An end of a link that is up."""
    return bench.host_up() if request.param == "host" else bench.device_up()


@pytest.fixture
def make_puppet(codec: Codec) -> Callable[..., PuppetDevice]:
    """A host that speaks with a puppet; the arguments are those of HostSettings."""

    def make(**options: object) -> PuppetDevice:
        settings = HostSettings(**{"line": Line.stream(), "expected_serial": SERIAL} | options)  # type: ignore[arg-type]
        return PuppetDevice(codec, HostSession(codec, settings, random.Random(3).randbytes))

    return make


@pytest.fixture
def puppet(make_puppet: Callable[..., PuppetDevice]) -> PuppetDevice:
    """The same, connected and running."""
    made = make_puppet()
    made.up_to("")
    assert made.host.state is HostState.RUNNING
    made.outputs.clear()
    return made

"""The short way of a frequent event does to a session exactly what the full way does."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.codec import load_codec
from firmware_bridge.events import StartReason
from firmware_bridge.link.line import Line
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.device import DeviceSession, DeviceSettings
from firmware_bridge.session.express import ExpressLane
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import EventArrived, HostOutput
from hil.faults import DeviceFaults, FaultyLine, parse_fault
from hil.mechanism.journal import DeviceJournal
from hil.mechanism.machine import Mechanism
from hil.mechanism.options import MechanismOptions
from hil.simulated.adapter import Adapter
from hil.simulated.firmware import FirmwareStore
from hil.simulated.settings import SimulatedSettings

KEY = bytes(range(1, 17))
FAULTS = ("drop:0.02", "flip:0.02", "duplicate:0.05", "split:0.1", "merge:0.1", "junk:0.03")


class NoFirmware:
    image = None
    store = FirmwareStore("1.0.0", None)

    def load_key(self, role: int, key: DeviceKey) -> None:
        raise AssertionError("nobody loads a key here")

    def session_keys(self) -> None:
        return None


class TwoHosts:
    """One device and two hosts that hear the same: one in whole reads, the other byte by byte."""

    def __init__(self, key: bytes | None, seed: int, *faults: str) -> None:
        codec = load_codec("sdp1")
        self.rng = random.Random(seed)
        self.now_s = 50.0
        self.journal = DeviceJournal()
        machine = Mechanism(MechanismOptions(), random.Random(seed), DeviceFaults(), lambda *_: None)
        settings = SimulatedSettings(key=key)
        self.device = DeviceSession(
            codec,
            DeviceSettings(
                line=Line.serial(),
                identity=settings.identity(settings.serial, settings.firmware),
                capabilities=settings.capabilities(),
                keys=settings.keys(),
            ),
            Adapter(machine, {}, NoFirmware()),
            self.journal,
            random.Random(seed).randbytes,
        )
        self.line = FaultyLine([parse_fault(text) for text in faults], random.Random(seed))
        host_settings = HostSettings(
            line=Line.serial(),
            expected_serial=settings.serial,
            device_key=DeviceKey(key) if key is not None else None,
        )
        self.whole, self.bytewise = (HostSession(codec, host_settings, random.Random(seed).randbytes) for _ in range(2))
        self.outputs: list[HostOutput] = []
        self.device.start(StartReason.POWER_ON, 1, self.now_s)
        self._both(self.whole.connection_made(self.now_s), self.bytewise.connection_made(self.now_s))

    def step(self) -> None:
        """Let 5 ms pass: due things happen, bytes cross, both hosts must agree in everything."""
        self.now_s += 0.005
        self._both(self.whole.tick(self.now_s), self.bytewise.tick(self.now_s))
        self.device.tick(self.now_s)
        waiting = self.device.bytes_to_send()
        if waiting:
            self.line.feed(waiting, self.now_s)
        for chunk in self.line.take(self.now_s):
            bytewise: list[HostOutput] = []
            for octet in chunk:
                bytewise += self.bytewise.receive(bytes([octet]), self.now_s)
            self._both(self.whole.receive(chunk, self.now_s), bytewise)

    def acknowledge_some(self) -> None:
        arrived = [output.event.eseq for output in self.outputs if isinstance(output, EventArrived)]
        if arrived and self.rng.random() < 0.7:
            eseq = arrived[-1] - self.rng.randrange(3) if self.rng.random() < 0.3 else arrived[-1]
            if eseq > 0:
                self.whole.acknowledge(eseq, self.now_s)
                self.bytewise.acknowledge(eseq, self.now_s)
                self._both([], [])

    def _both(self, whole: list[HostOutput], bytewise: list[HostOutput]) -> None:
        """Faults of one read are counted together in one output, so the text of faults is compared by their counters."""
        assert [repr(o) for o in whole if "Fault" not in repr(o)[:6]] == [repr(o) for o in bytewise if "Fault" not in repr(o)[:6]]
        assert self.whole.counters == self.bytewise.counters
        assert (self.whole.wanted, self.whole.durable) == (self.bytewise.wanted, self.bytewise.durable)
        out, other = self.whole.bytes_to_send(), self.bytewise.bytes_to_send()
        assert out == other
        assert self.whole.next_deadline() == self.bytewise.next_deadline()
        self.outputs += whole
        if out:
            self.device.receive(out, self.now_s)


@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("faults", [(), FAULTS], ids=["clean", "faulty"])
@pytest.mark.parametrize("seed", range(3))
def test_both_ways_are_the_same_to_the_byte(key: bytes | None, faults: tuple[str, ...], seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    short_way = ExpressLane.maybe_take

    def counted(lane: ExpressLane, content: bytes, now: float) -> EventArrived | None:
        event = short_way(lane, content, now)
        taken.extend([1] if event is not None else [])
        return event

    monkeypatch.setattr(ExpressLane, "maybe_take", counted)
    table = TwoHosts(key, seed, *faults)
    recorded = 0
    for _ in range(2000):
        table.step()
        if table.rng.random() < 0.2 and recorded < 400:
            fields = {"card": table.rng.choice([0, 0x11, 0x2D]), "flags": table.rng.randrange(64)}
            fields |= {"confidence": 98, "position": recorded + 1, "remaining": 100}
            if table.rng.random() < 0.7:
                table.device.record("card_read", fields, None, table.now_s)
            else:
                table.device.record("gate_changed", {"state": "open", "cause": "command"}, None, table.now_s)
            recorded += 1
        table.acknowledge_some()
    arrived = [output.event.eseq for output in table.outputs if isinstance(output, EventArrived)]
    assert arrived == list(range(1, len(arrived) + 1)), f"seed {seed}"
    assert len(arrived) > 100, f"seed {seed}: too little happened"
    assert bool(taken) is (key is None), f"seed {seed}: the short way is for unsealed events"

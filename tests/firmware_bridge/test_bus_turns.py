"""Several devices of SDP/1 on one line: turns, addresses, acknowledgements that wait, and one bad device beside a good one (1.1)."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.codec import Codec
from firmware_bridge.commands import Request
from firmware_bridge.errors import MisuseError
from firmware_bridge.events import StartReason
from firmware_bridge.link.bus_device import BusDeviceLink
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.frames import CTL_ACK, CTL_DATA, CTL_FAULT, CTL_NAK, CTL_PING, CTL_RSTACK, FROM_DEVICE
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Reset
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.host import HostSettings
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed, LinkLost
from tests.firmware_bridge.bus_rig import BusRig, Station, wire_of

KEYS = {1: DeviceKey(bytes(range(1, 17))), 2: DeviceKey(bytes(range(2, 18)))}


def verify_turns(station: Station) -> None:
    """Each time it spoke was one turn: at most three DATA, then the answer that ends it; and every frame says whose it is."""
    for turn in station.said:
        kinds = [frame[0] & 0xE0 for frame in turn]
        assert {frame[1] for frame in turn} == {station.address | FROM_DEVICE}
        assert kinds[-1] in (CTL_PING, CTL_RSTACK)
        assert kinds.count(CTL_DATA) <= 3
        assert CTL_ACK not in kinds
        assert not any(frame[0] == CTL_NAK and frame[3] in (1, 4) for frame in turn)
        assert sum(kind in (CTL_PING, CTL_RSTACK) for kind in kinds) == 1


def losses(station: Station) -> list[LinkLost]:
    return [output for output in station.outputs if isinstance(output, LinkLost)]


@pytest.mark.requirement("EQ-50")
@pytest.mark.parametrize("keys", [{}, KEYS, {1: KEYS[1]}], ids=["open", "sealed", "one sealed"])
@pytest.mark.parametrize("echo", [False, True], ids=["clean", "with echo"])
def test_two_devices_share_a_line_and_each_speaks_in_its_turn(codec: Codec, keys: dict[int, DeviceKey], echo: bool) -> None:
    rig = BusRig(codec, keys=keys, echo=echo)
    rig.connect()
    for number in range(40):
        for station in rig.stations.values():
            if (number + station.address) % 3:
                station.record(rig.now)
            if number % 10 == station.address:
                station.host.request(Request("gate", {"order": "lock"}), rig.now)
        rig.run(0.05)
    rig.run(1.0)
    for station in rig.stations.values():
        verify_turns(station)
        assert station.events() == list(range(1, station.journal.newest + 1))
        assert station.journal.acked == station.journal.newest > 20
        assert sum(isinstance(output, CommandAnswered) for output in station.outputs) == 4
        assert not losses(station)
        assert station.host.counters.retries == station.device.counters.retries == 0
    assert bool(rig.arbiter.counters.echoes) is echo


def test_eight_devices_are_asked_in_turn(codec: Codec) -> None:
    rig = BusRig(codec, addresses=(1, 2, 3, 0x10, 0x40, 0x7C, 0x7D, 0x7E))
    rig.connect()
    before = {address: len(station.said) for address, station in rig.stations.items()}
    rig.run(2.0)
    asked = [len(station.said) - before[address] for address, station in rig.stations.items()]
    assert min(asked) > 0.9 * max(asked)
    assert not any(losses(station) for station in rig.stations.values())


@pytest.mark.requirement("EQ-50")
def test_a_burst_of_events_takes_several_turns_and_none_is_lost(codec: Codec) -> None:
    rig = BusRig(codec)
    rig.connect()
    for _ in range(100):
        rig.stations[1].record(rig.now)
    rig.until(lambda: rig.stations[1].journal.acked == 101, 10.0)
    verify_turns(rig.stations[1])
    assert rig.stations[1].events() == list(range(1, 102))


@pytest.mark.requirement("EQ-50", "EQ-56")
def test_a_silent_device_costs_the_other_nothing(codec: Codec) -> None:
    rig = BusRig(codec)
    rig.connect()
    rig.stations[2].silent = True
    for _ in range(200):
        rig.stations[1].record(rig.now)
        rig.run(0.1)
    good, silent = rig.stations[1], rig.stations[2]
    assert good.journal.acked == good.journal.newest == 201
    assert not losses(good)
    assert losses(silent)[0].cause is LossCause.SILENCE
    silent.silent = False
    silent.record(rig.now)
    rig.until(lambda: silent.is_running and silent.journal.acked == silent.journal.newest, 60.0)
    assert rig.arbiter.counters.unanswered > 0


@pytest.mark.requirement("EQ-50", "EQ-58")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_jabbering_device_does_not_stop_the_other(codec: Codec, seed: int) -> None:
    rig, rng = BusRig(codec, seed=seed), random.Random(seed)
    rig.connect()
    rig.stations[2].silent = True
    made_up = wire_of(codec, bytes((CTL_DATA, 2 | FROM_DEVICE, 0x10)) + bytes(20))
    for number in range(200):
        rig.say(rng.choice([rng.randbytes(rng.randrange(1, 400)), made_up * 3, b"\x55" * 300, b"\0" * 9]))
        if number % 4 == 0:
            rig.stations[1].record(rig.now)
        rig.run(0.03)
    rig.run(5.0)
    good = rig.stations[1]
    verify_turns(good)
    assert good.events() == list(range(1, good.journal.newest + 1))
    assert good.journal.acked == good.journal.newest == 51
    assert not losses(good)


@pytest.mark.requirement("EQ-50", "EQ-58")
@pytest.mark.parametrize("seed", range(6))
def test_a_bad_line_loses_time_and_nothing_else(codec: Codec, seed: int) -> None:
    rng = random.Random(f"bad line {seed}")

    def spoil(_to_host: bool, content: bytes) -> bytes:
        chance = rng.random()
        at = rng.randrange(len(content))
        if chance < 0.05:
            return b""
        if chance < 0.1:
            return content[:at] + bytes((content[at] ^ 1 << rng.randrange(8),)) + content[at + 1 :]
        return content[:at] + content[at + 1 :] if chance < 0.13 else content

    rig = BusRig(codec, seed=seed, spoil=spoil, keys={1: KEYS[1]} if seed % 2 else {})
    rig.connect()
    for number in range(60):
        for station in rig.stations.values():
            station.record(rig.now)
        if number % 15 == 0 and rig.stations[1].is_running:
            rig.stations[1].host.request(Request("gate", {"order": "lock"}), rig.now)
        rig.run(0.05)
    rig.until(lambda: all(station.journal.acked == station.journal.newest for station in rig.stations.values()), 60.0)
    for station in rig.stations.values():
        verify_turns(station)
        assert station.events() == list(range(1, station.journal.newest + 1))
    locks = [received for received in rig.stations[1].mechanism.received if received.name == "gate"]
    ended = [output for output in rig.stations[1].outputs if isinstance(output, CommandAnswered | CommandFailed) and output.tid]
    assert 1 <= len(locks) <= len(ended) <= 4, "no command acts twice"


def test_a_device_that_restarts_says_so_when_it_is_asked(codec: Codec) -> None:
    rig = BusRig(codec)
    rig.connect()
    station = rig.stations[1]
    station.device.power_off()
    station.device.record("started", {"boot_count": 2, "reason": 1, "shoe_open": False}, 0, rig.now)
    station.device.start(StartReason.POWER_ON, 2, rig.now)
    rig.run(3.0)
    (lost,) = losses(station)
    assert (lost.cause, lost.reason) == (LossCause.DEVICE_STARTED, StartReason.POWER_ON)
    assert station.is_running
    assert station.journal.acked == station.journal.newest == 2
    verify_turns(station)


def test_a_fault_of_the_device_waits_for_its_turn(codec: Codec) -> None:
    """Sealed DATA without a session: FAULT, and the reason for the lost link, in one turn."""
    rig = BusRig(codec)
    rig.connect()
    station = rig.stations[1]
    seq, expected = 0x0F, 0
    for guess in range(16):
        seq = guess
        rig.say(wire_of(codec, bytes((CTL_DATA | 0x08, 1, seq << 4 | expected)) + bytes(20)))
        rig.run(0.1)
        if losses(station):
            break
    rig.run(5.0)
    assert losses(station)[0].cause is LossCause.DEVICE_FAULT
    (turn,) = [turn for turn in station.said if any(frame[0] == CTL_FAULT for frame in turn)]
    assert [frame[0] for frame in turn] == [CTL_FAULT, CTL_RSTACK]
    assert station.is_running


class Bare:
    """A device's link end, spoken to by hand."""

    def __init__(self, codec: Codec, address: int = 5) -> None:
        self.link = BusDeviceLink(codec.profile.framing, codec.checksum, Line.serial(), address)
        self.link.start(StartReason.POWER_ON, 42, 0.0)

    def hear(self, frame: bytes, now: float = 0.0) -> object:
        return self.link.receive(frame, now)

    @property
    def is_quiet(self) -> bool:
        return not self.link.bytes_to_send()


def rst(address: int) -> bytes:
    return bytes((0x60, address, 9, 1, 1, 3, 240))


def test_frames_for_everybody_are_heard_and_never_answered(codec: Codec) -> None:
    bare = Bare(codec)
    assert bare.is_quiet, "it cannot call"
    assert bare.hear(rst(0x7F)) == Reset()
    assert bare.is_quiet
    assert not bare.link.is_up, "it must be reset by its own address before it takes anything"
    assert isinstance(bare.hear(rst(5)), Reset)
    assert not bare.is_quiet
    bare.link.send(b"\x03\x20\x00\x00", 0.0)
    assert bare.hear(bytes((0xA0, 0x7F, 0, 3))) is None
    assert bare.hear(bytes((0x00, 0x7F, 0)) + b"\x01\x01\x00\x01") is None, "only RST and PING go to everybody"
    assert bare.is_quiet


@pytest.mark.parametrize("address", [0, 4, 6, 5 | FROM_DEVICE, 0xFF])
def test_frames_for_another_are_none(codec: Codec, address: int) -> None:
    bare = Bare(codec)
    bare.hear(rst(5))
    bare.link.bytes_to_send()
    counted = bare.link.counters.address
    for frame in (rst(address), bytes((0xA0, address, 0, 3)), bytes((0, address, 0)) + b"\x01\x01\x00\x01"):
        assert bare.hear(frame) is None
    assert bare.is_quiet
    assert bare.link.counters.address == counted, "the words of others are no fault"


def test_only_ping_and_rst_give_a_turn(codec: Codec) -> None:
    bare = Bare(codec)
    bare.hear(rst(5))
    bare.link.bytes_to_send()
    assert bare.hear(bytes((0, 5, 0)) + b"\x01\x01\x00\x01") == b"\x01\x01\x00\x01"
    bare.link.send(b"\x02\x01\x00\x01\x00", 0.0)
    assert bare.is_quiet
    assert bare.hear(bytes((0, 5, 0x50)) + b"\x01\x01\x00\x02") is None
    assert bare.is_quiet, "the NAK for the gap waits too"
    assert bare.link.tick(2.0) is None
    assert bare.is_quiet, "no heartbeat, no acknowledgement and no retry by itself"
    bare.hear(bytes((CTL_PING, 5, 0, 7)), 2.0)
    frames = [run for run in bare.link.bytes_to_send().split(b"\0") if run]
    assert len(frames) == 3, "NAK, DATA, the answer"


def test_an_address_is_one_of_a_bus() -> None:
    with pytest.raises(MisuseError, match="from 1 to 126"):
        HostSettings(line=Line.serial(), address=0x7F)

"""A real line that floods, through transport and device: read in turns, told, given up, opened again later and later.

Time is virtual and so is the processor's: each wasted read costs a fixed time of it, whatever this machine does.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import tty
from collections.abc import Callable, Iterator

import pytest

from device_profiles.plain.loader import load_plain
from firmware_bridge.codec import load_codec
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding, line_of
from firmware_bridge.fair_share import BEHIND_S, BURST_S, NOTICE_S, SHARE
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.port_news import PortFlooded, PortLost, PortOpened
from firmware_bridge.session.contract import Session
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.transport import descriptor, port_loop
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import TURN_BYTES, PortFloodedError
from hil.simulated.virtual_time import run_in_virtual_time

LINE_BYTES_S = 11_520
READ_COST_S = 0.001
TICK_S = 0.02
"""Coarse, since each step of virtual time waits a moment for the real line."""
NOISE = bytes(range(1, 256)) * 40


class FloodedLine:
    """The far end of a pseudo-terminal, from which bytes pour."""

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)

    async def pour(self, seconds: float, bytes_s: float) -> None:
        """Pour at this rate; what is not taken is lost."""
        size = int(bytes_s * TICK_S)
        for _ in range(int(seconds / TICK_S)):
            with contextlib.suppress(BlockingIOError):
                os.write(self.master, NOISE[:size])
            await asyncio.sleep(TICK_S)

    def close(self) -> None:
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture
def line() -> Iterator[FloodedLine]:
    line = FloodedLine()
    yield line
    line.close()


def plain() -> Session:
    return PlainSession(PlainCodec(load_plain("bee-tek")), PlainSettings(line=line_of(open_transport("/dev/null")), first_wanted=1))


def sdp1() -> Session:
    return HostSession(load_codec("sdp1"), HostSettings(line=line_of(open_transport("/dev/null"))), os.urandom)


def device_on(path: str, session: Session, consumer: Callable[[DeviceOutput], None]) -> Device:
    spent = (number * READ_COST_S for number in itertools.count())
    clock = asyncio.get_running_loop().time
    waits = isinstance(session, HostSession)
    return Device("shoe", open_transport(path), session, consumer, clock=clock, spent=lambda: next(spent), waits=waits)


@pytest.mark.requirement("EQ-58", "T-27")
@pytest.mark.parametrize("make", [plain, sdp1])
def test_a_flood_at_line_rate_is_read_in_turns_told_once_and_keeps_its_port(line: FloodedLine, make: Callable[[], Session]) -> None:
    async def main() -> None:
        outputs: list[DeviceOutput] = []
        device = device_on(line.path, make(), outputs.append)
        device.start()
        seconds = 2 * NOTICE_S
        await line.pour(seconds, LINE_BYTES_S)
        assert device.line.reads * READ_COST_S < seconds * SHARE + BURST_S + READ_COST_S, "each read costs the same, so few are made"
        assert device.line.bytes_in > 0.9 * seconds * LINE_BYTES_S, "and all of it is read"
        floods = [output for output in outputs if isinstance(output, PortFlooded)]
        assert len(floods) == 1
        assert floods[0].bytes_s == pytest.approx(LINE_BYTES_S, rel=0.3)
        assert not any(isinstance(output, PortLost) for output in outputs)
        await device.stop()

    run_in_virtual_time(main())


@pytest.mark.requirement("EQ-58", "T-27")
def test_more_than_the_turns_take_is_given_up_and_tried_again_later_and_later(line: FloodedLine) -> None:
    async def main() -> None:
        opened: list[float] = []
        lost: list[float] = []
        loop = asyncio.get_running_loop()

        def hear(output: DeviceOutput) -> None:
            if isinstance(output, PortOpened):
                opened.append(loop.time())
            elif isinstance(output, PortLost):
                assert isinstance(output.error, PortFloodedError)
                assert line.path in str(output.error)
                lost.append(loop.time())

        device = device_on(line.path, plain(), hear)
        device.start()
        await line.pour(14.5, 1e6)
        served = [end - begin for begin, end in zip(opened, lost, strict=False)]
        assert len(served) >= 2
        assert all(seconds == pytest.approx(BEHIND_S, abs=1.5) for seconds in served)
        waited = [begin - end for begin, end in zip(opened[1:], lost, strict=False)]
        assert waited[:2] == pytest.approx([1.0, 2.0], abs=0.2)
        await device.stop()

    run_in_virtual_time(main())


@pytest.mark.requirement("EQ-58")
def test_a_port_that_rests_hands_over_nothing_then_little_and_at_last_all(line: FloodedLine) -> None:
    async def main() -> None:
        heard: list[int] = []
        transport = open_transport(line.path)
        await transport.open(lambda chunk: heard.append(len(chunk)), lambda _: None)
        transport.rest(5.0)
        os.write(line.master, NOISE[:1000])
        await asyncio.sleep(4.9)
        assert heard == []
        await asyncio.sleep(0.3)
        assert heard == [TURN_BYTES, 1000 - TURN_BYTES]
        transport.rest(0.0)
        os.write(line.master, NOISE[:1000])
        await asyncio.sleep(0.3)
        assert sum(heard[2:]) == 1000
        assert max(heard[2:]) > TURN_BYTES
        transport.rest(5.0)
        await transport.close()
        transport.rest(1.0)
        await asyncio.sleep(6.0)
        assert len(heard) == len(heard[:2]) + len(heard[2:])
        assert transport.counters.losses == 0

    run_in_virtual_time(main())


@pytest.mark.requirement("EQ-58", "T-27")
def test_a_port_in_turns_is_watched_again_only_when_it_is_empty(line: FloodedLine, monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[int] = []

    def watch(loop: asyncio.AbstractEventLoop, fd: int, serve: Callable[[], None]) -> None:
        watched.append(fd)
        port_loop.watch(loop, fd, serve)

    monkeypatch.setattr(descriptor, "watch", watch)

    async def main() -> None:
        heard: list[int] = []

        def take(chunk: bytes) -> None:
            heard.append(len(chunk))
            transport.rest(1.0 if len(heard) < 4 else 0.0)

        transport = open_transport(line.path)
        await transport.open(take, lambda _: None)
        os.write(line.master, NOISE[: 5 * TURN_BYTES])
        await asyncio.sleep(0.5)
        first = len(heard)
        await asyncio.sleep(5.0)
        assert first == 1
        assert sum(heard) == 5 * TURN_BYTES
        assert len(watched) == 2, "when it was opened, and after the last rest"
        await transport.close()

    run_in_virtual_time(main())


@pytest.mark.requirement("EQ-58")
def test_a_silent_device_wakes_nobody_more_than_its_protocol_asks(line: FloodedLine) -> None:
    async def main() -> None:
        session = sdp1()
        ticks = 0
        tick = session.tick

        def counted(now_s: float) -> list[DeviceOutput]:
            nonlocal ticks
            ticks += 1
            return tick(now_s)  # type: ignore[return-value]

        session.tick = counted  # type: ignore[method-assign,assignment]
        device = device_on(line.path, session, lambda _: None)
        device.start()
        await asyncio.sleep(120.0)
        assert device.standing is DeviceStanding.CONNECTING
        assert ticks <= 12, "RST after 1, 2, 4, 8 and then every 15 s"
        assert device.line.writes <= 13
        await device.stop()

    run_in_virtual_time(main())

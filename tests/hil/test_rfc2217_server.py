"""A serial device server that speaks RFC 2217 with other people's code, between a host and a simulated device."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from device_profiles.plain.profile import LineSettings, Parity
from firmware_bridge.device import line_of
from firmware_bridge.events import CardRead
from firmware_bridge.link.line import Line
from firmware_bridge.transport.address import open_transport, with_baud
from firmware_bridge.transport.base import (
    WRITE_BACKLOG_LIMIT_BYTES,
    PortBrokenError,
    PortBusyError,
    PortMissingError,
    PortRefusedError,
    PortStalledError,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.rfc2217 import Rfc2217Transport
from hil.mechanism.cards import fresh_deck
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.host_bench import HostBench
from hil.simulated.rfc2217_end import Rfc2217End
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time

EVERY = bytes(range(256))
SUSPEND, RESUME, BAUD_9600 = (bytes.fromhex(f"fffa2c{code}fff0") for code in ("6c", "6d", "6500002580"))


class Device:
    """Behind the server; remembers what it hears."""

    def __init__(self) -> None:
        self.heard = b""
        self._news = asyncio.Event()

    def bytes_came(self, chunk: bytes) -> None:
        self.heard += chunk
        self._news.set()

    def host_came(self) -> None: ...

    def host_went(self) -> None: ...

    async def hears(self, count: int) -> bytes:
        async with asyncio.timeout(20):
            while len(self.heard) < count:
                self._news.clear()
                await self._news.wait()
        return self.heard


class Server:
    """The server, the device behind it, and a host's transport with what it was told."""

    def __init__(self, settings: str = "", device: LineSettings | None = None, fixed: Mapping[str, object] | None = None) -> None:
        self.device = Device()
        self.end = Rfc2217End("127.0.0.1", 0, device, fixed)
        self._settings = settings
        self.told: asyncio.Queue[bytes] = asyncio.Queue()
        self.lost: asyncio.Queue[TransportError] = asyncio.Queue()

    async def __aenter__(self) -> Server:
        await self.end.open(self.device)
        self.host = open_transport(self.end.url + self._settings)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.host.close()
        await self.end.close()

    async def open(self) -> None:
        await self.host.open(self.told.put_nowait, self.lost.put_nowait)

    async def tells(self, count: int) -> bytes:
        told = b""
        async with asyncio.timeout(20):
            while len(told) < count:
                told += await self.told.get()
        return told


async def test_settings_reach_the_far_line() -> None:
    device = LineSettings(baud=4800, data_bits=7, parity=Parity.EVEN, stop_bits=2)
    async with Server("?baud=4800&bits=7&parity=E&stop=2&dtr=off", device) as server:
        await server.open()
        far = server.end.line
        assert far.as_set() == {"baudrate": 4800, "bytesize": 7, "parity": "E", "stopbits": 2}
        assert (far.dtr, far.rts, far.xonxoff, far.rtscts, far.purges) == (False, True, False, False, 2)
        assert line_of(server.host) == Line.stream(4800)
        server.host.send(b"7E2")
        assert await server.device.hears(3) == b"7E2"


async def test_every_byte_crosses_unchanged_both_ways() -> None:
    async with Server("?baud=9600", LineSettings(baud=9600)) as server:
        await server.open()
        server.host.send(EVERY)
        assert await server.device.hears(256) == EVERY
        server.end.send(EVERY)
        assert await server.tells(256) == EVERY
        await server.host.write(EVERY)
        assert await server.device.hears(512) == EVERY * 2


async def test_a_line_at_another_rate_carries_rubbish() -> None:
    async with Server("?baud=115200", LineSettings(baud=9600)) as server:
        await server.open()
        server.host.send(EVERY)
        assert (await server.device.hears(128))[:2] != EVERY[:2]


@pytest.mark.parametrize(
    ("settings", "fixed", "words"),
    [
        ("?baud=4800", {"baudrate": 9600}, "9600 baud instead of 4800 baud"),
        ("?parity=E", {"parity": "N"}, "no parity instead of even parity"),
        ("?bits=7", {"bytesize": 8}, "8 data bits instead of 7 data bits"),
        ("?stop=2", {"stopbits": 1}, "1 stop bit instead of 2 stop bits"),
        ("?rs485=on", {}, "direction of an RS-485 line"),
    ],
)
async def test_a_server_that_cannot_set_the_line_is_refused_in_words(settings: str, fixed: dict[str, object], words: str) -> None:
    async with Server(settings, fixed=fixed) as server:
        with pytest.raises(PortRefusedError) as refusal:
            await server.open()
        assert words in refusal.value.what
        assert refusal.value.do
        assert server.host.state is TransportState.CLOSED
        assert server.lost.empty()


async def test_a_port_that_carries_bytes_only_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.transport.rfc2217.AGREE_DEADLINE_S", 0.1)

    async def says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(says_nothing, "127.0.0.1", 0) as server:
        transport = open_transport(f"rfc2217://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(PortRefusedError) as refusal:
            await transport.open(lambda _: None, lambda _: None)
        assert "tcp://" in refusal.value.do
        assert transport.state is TransportState.CLOSED


async def test_a_server_that_hangs_up_at_once_has_another_host() -> None:
    async def hangs_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hangs_up, "127.0.0.1", 0) as server:
        transport = open_transport(f"rfc2217://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(PortBusyError):
            await transport.open(lambda _: None, lambda _: None)
    with pytest.raises(PortMissingError):
        await transport.open(lambda _: None, lambda _: None)


async def test_a_connection_that_breaks_is_told_once_and_can_be_opened_again() -> None:
    async with Server() as server:
        for _ in range(2):
            await server.open()
            server.end.drop_host()
            async with asyncio.timeout(20):
                assert isinstance(await server.lost.get(), PortBrokenError)
            await server.host.close()
            assert server.lost.empty()


async def test_a_rate_that_somebody_changes_at_the_server_breaks_the_port() -> None:
    async with Server() as server:
        await server.open()
        server.end.send_raw(BAUD_9600)
        async with asyncio.timeout(20):
            error = await server.lost.get()
        assert isinstance(error, PortRefusedError)
        assert "9600 baud instead of 115200 baud" in error.what


async def test_a_server_without_room_is_sent_nothing_until_it_has_some() -> None:
    async with Server() as server:
        await server.open()
        server.end.send_raw(SUSPEND + b"suspended")
        await server.tells(9)
        server.host.send(b"waits")
        server.end.send_raw(b"still suspended")
        await server.tells(15)
        assert server.device.heard == b""
        server.end.send_raw(RESUME)
        assert await server.device.hears(5) == b"waits"
        server.end.send_raw(SUSPEND + b"again")
        await server.tells(5)
        with pytest.raises(PortStalledError):
            server.host.send(bytes(WRITE_BACKLOG_LIMIT_BYTES + 1))


async def test_an_opening_that_is_given_up_leaves_nothing_open() -> None:
    async with Server() as server:
        opening = asyncio.ensure_future(server.open())
        while server.host.state is not TransportState.OPEN:  # noqa: ASYNC110  # it is being agreed on: there is no event for that
            await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert server.host.state is TransportState.CLOSED


def test_a_shoe_behind_a_server_deals_its_cards() -> None:
    async def main() -> None:
        settings = SimulatedSettings(rfc2217=("127.0.0.1", 0), baud=9600, timing=Timing.instant())
        async with SimulatedDevice(settings, clock=asyncio.get_running_loop().time) as shoe:
            shoe.load(fresh_deck())
            host = HostBench(with_baud(shoe.url, 9600), serial="SIM-SHOE-1")
            assert isinstance(host.device.transport, Rfc2217Transport)
            host.start()
            await host.running()
            shoe.press(1)
            await host.until(lambda: len(host.stored) > 0)
            await shoe.all_acknowledged()
            assert not any(isinstance(event, CardRead) for event in host.stored)
            host.verify_stream()
            await host.stop()

    run_in_virtual_time(main())

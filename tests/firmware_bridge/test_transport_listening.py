"""Ports that are only listened to: what comes is heard, and nothing whatever leaves."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import termios
import tty
from collections.abc import Iterator

import pytest

from firmware_bridge.transport import listening
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import (
    PortBrokenError,
    PortBusyError,
    PortMissingError,
    PortReadOnlyError,
    PortRefusedError,
    Transport,
    TransportError,
)
from firmware_bridge.transport.settings import SerialSettings

LIMIT_S = 20.0


@pytest.fixture
def pty_pair() -> Iterator[tuple[int, str]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


class Ear:
    """What a transport tells."""

    def __init__(self) -> None:
        self.heard, self.lost = b"", asyncio.Event()
        self.error: TransportError | None = None
        self._news = asyncio.Event()

    def on_bytes(self, chunk: bytes) -> None:
        self.heard += chunk
        self._news.set()

    def on_lost(self, error: TransportError) -> None:
        self.error = error
        self.lost.set()

    async def until(self, size: int) -> bytes:
        async with asyncio.timeout(LIMIT_S):
            while len(self.heard) < size:
                self._news.clear()
                await self._news.wait()
        return self.heard


async def refuses_to_write(transport: Transport) -> None:
    with pytest.raises(PortReadOnlyError):
        transport.send(b"\x05")
    with pytest.raises(PortReadOnlyError):
        await transport.write(b"\x05")
    assert (transport.counters.writes, transport.counters.bytes_out) == (0, 0)


def is_silent(fd: int) -> bool:
    """Nothing has arrived at the other end."""
    os.set_blocking(fd, False)
    try:
        return os.read(fd, 16) == b""
    except BlockingIOError:
        return True


async def test_a_serial_port_is_heard_and_its_descriptor_cannot_write(pty_pair: tuple[int, str]) -> None:
    master, path = pty_pair
    transport, ear = open_transport(path, SerialSettings(baud=4800)), Ear()
    transport.listen_only()
    await transport.open(ear.on_bytes, ear.on_lost)
    os.write(master, bytes(range(256)))
    assert await ear.until(256) == bytes(range(256))
    await refuses_to_write(transport)
    with pytest.raises(OSError, match="Bad file descriptor") as caught:
        os.write(transport._fd, b"\x05")  # type: ignore[attr-defined]  # past every guard of ours
    assert caught.value.errno == errno.EBADF
    settings = termios.tcgetattr(master)
    assert not settings[2] & termios.HUPCL, "closing must not drop the modem lines"
    assert not settings[3] & termios.ECHO
    await transport.close()
    assert is_silent(master)


async def test_no_modem_line_is_set(pty_pair: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = listening.fcntl.ioctl

    def watched(fd: int, request: int, *rest: object) -> object:
        asked.append(request)
        return real(fd, request, *rest)  # type: ignore[call-overload]

    monkeypatch.setattr(listening.fcntl, "ioctl", watched)
    os.close(listening.open_listening(pty_pair[1], SerialSettings(baud=9600)))
    assert asked == [listening.TCGETS2, listening.TCSETS2]


@pytest.mark.parametrize("baud", [4800, 9600, 115200, 250000])
async def test_any_rate_is_set_as_it_is_told(pty_pair: tuple[int, str], baud: int) -> None:
    fd = listening.open_listening(pty_pair[1], SerialSettings(baud=baud))
    told = listening.fcntl.ioctl(fd, listening.TCGETS2, bytes(listening.TERMIOS2_BYTES))
    os.close(fd)
    assert int.from_bytes(told[listening.RATES_AT : listening.RATES_AT + 4], "little") == baud


async def test_two_ears_do_not_share_a_port_and_what_is_no_port_is_none(
    pty_pair: tuple[int, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    first, second, ear = open_transport(pty_pair[1]), open_transport(pty_pair[1]), Ear()
    first.listen_only()
    second.listen_only()
    await first.open(ear.on_bytes, ear.on_lost)
    with pytest.raises(PortBusyError):
        await second.open(ear.on_bytes, ear.on_lost)
    await first.close()
    await second.open(ear.on_bytes, ear.on_lost)
    await second.close()
    file = tmp_path_factory.mktemp("ports") / "file"
    file.touch()
    for path in (str(file), str(file) + ".gone"):
        nothing = open_transport(path)
        nothing.listen_only()
        with pytest.raises(PortMissingError):
            await nothing.open(ear.on_bytes, ear.on_lost)


async def test_a_port_that_vanishes_is_told() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    transport, ear = open_transport(os.ttyname(slave)), Ear()
    transport.listen_only()
    await transport.open(ear.on_bytes, ear.on_lost)
    os.close(slave)
    os.close(master)
    async with asyncio.timeout(LIMIT_S):
        await ear.lost.wait()
    assert isinstance(ear.error, PortBrokenError)
    await transport.close()


async def test_an_extra_reader_of_a_serial_server_writes_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        transport, ear = open_transport(f"tcp://127.0.0.1:{server.getsockname()[1]}"), Ear()
        transport.listen_only()
        await transport.open(ear.on_bytes, ear.on_lost)
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"\x051S\x0361")
            assert await ear.until(6) == b"\x051S\x0361"
            await refuses_to_write(transport)
            await transport.close()
            assert connection.recv(16) == b"", "the end of the connection, and not one byte before it"


def test_a_port_that_must_be_written_to_in_order_to_be_heard_is_refused() -> None:
    with pytest.raises(PortRefusedError):
        open_transport("rfc2217://127.0.0.1:2217").listen_only()

"""TCP connections on the loopback: bytes, refusals, a peer that goes away; and what addresses are understood."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import (
    BadAddressError,
    PortBrokenError,
    PortMissingError,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.serial import SerialTransport
from firmware_bridge.transport.tcp import TcpTransport


class Peer:
    """A listening port that keeps its one connection."""

    def __init__(self) -> None:
        self.streams: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        self.server: asyncio.Server | None = None
        self.port = 0

    async def __aenter__(self) -> Peer:
        async def came(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self.streams.put((reader, writer))

        self.server = await asyncio.start_server(came, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self.server is not None
        self.server.close()
        await self.server.wait_closed()


async def test_bytes_cross_both_ways_and_a_vanished_peer_is_told() -> None:
    lost: asyncio.Queue[TransportError] = asyncio.Queue()
    came: asyncio.Queue[bytes] = asyncio.Queue()
    async with Peer() as peer:
        transport = open_transport(f"tcp://127.0.0.1:{peer.port}")
        await transport.open(came.put_nowait, lost.put_nowait)
        reader, writer = await peer.streams.get()
        transport.send(bytes(range(256)))
        assert await reader.readexactly(256) == bytes(range(256))
        writer.write(b"\x00answer\x00")
        assert await came.get() == b"\x00answer\x00"
        writer.close()
        assert isinstance(await lost.get(), PortBrokenError)
        assert transport.state is TransportState.BROKEN
        await transport.close()
        await writer.wait_closed()
    assert transport.state is TransportState.CLOSED


async def test_nobody_listening_is_missing() -> None:
    async with Peer() as peer:
        port = peer.port
    with pytest.raises(PortMissingError) as refusal:
        await open_transport(f"tcp://127.0.0.1:{port}").open(lambda _: None, lambda _: None)
    assert "listens" in refusal.value.do


async def test_a_connection_can_be_opened_again_after_close() -> None:
    async with Peer() as peer:
        transport = open_transport(f"tcp://127.0.0.1:{peer.port}")
        for _ in range(2):
            await transport.open(lambda _: None, lambda _: None)
            _, writer = await peer.streams.get()
            await transport.close()
            writer.close()
        assert transport.counters.opens == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tcp://",
        "tcp://host",
        "tcp://host:port",
        "tcp://host:99999",
        "tcp://host:1/path",
        "tcp://host:1?baud=9600",
        "rfc2217://",
        "rfc2217://host",
        "rfc2217://host:1/path",
        "rfc2217://host:1?baud=115201",
        "serial://dev/ttyS0",
        "serial://",
        "serial:///dev/ttyS0?baud=0",
        "serial:///dev/ttyS0?baud=115201",
        "serial:///dev/ttyS0?speed=9600",
        "serial:///dev/ttyS0?dtr=yes",
        "serial:///dev/ttyS0?baud=",
        "serial:///dev/ttyS0?baud=\u0663\u0663",
        "usb://1",
        "://",
        "tcp://[::1",
        "/dev/\0",
    ],
)
def test_a_bad_address_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(BadAddressError) as refusal:
        open_transport(text)
    assert refusal.value.what
    assert refusal.value.do


def test_good_addresses_become_transports() -> None:
    plain = open_transport("/dev/serial/by-id/usb-shoe")
    assert isinstance(plain, SerialTransport)
    assert (plain.path, plain.baud, plain.is_uart) == ("/dev/serial/by-id/usb-shoe", 115200, True)
    slow = open_transport("serial:///dev/ttyS0?baud=9600&dtr=off")
    assert isinstance(slow, SerialTransport)
    assert (slow.path, slow.baud) == ("/dev/ttyS0", 9600)
    network = open_transport("tcp://shoe.local:4001")
    assert isinstance(network, TcpTransport)
    assert (network.host, network.port, network.is_uart) == ("shoe.local", 4001, False)
    six = open_transport("tcp://[::1]:7")
    assert isinstance(six, TcpTransport)
    assert (six.host, six.url) == ("::1", "tcp://[::1]:7")

"""The loop that serves ports while it waits: what it serves, what it leaves to asyncio, and what it survives."""

from __future__ import annotations

import asyncio
import os
import socket
import tty
from collections.abc import Iterator

import pytest

from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import TransportError
from firmware_bridge.transport.port_loop import PortLoop, PortSelector, forget, serve_ports, watch


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def line() -> Iterator[tuple[int, str]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_a_transport_reads_writes_and_drains_a_backlog_on_it(line: tuple[int, str]) -> None:
    master, path = line
    piece = bytes(range(1, 256)) * 30

    async def program() -> bytes:
        sent = b""
        heard, came = bytearray(), asyncio.Event()
        lost: list[TransportError] = []
        transport = open_transport(path)

        def hear(chunk: bytes) -> None:
            heard.extend(chunk)
            if heard.endswith(b"over"):
                came.set()

        await transport.open(hear, lost.append)
        os.write(master, b"a card")
        os.write(master, b" is over")
        async with asyncio.timeout(5):
            await came.wait()
        while not transport.counters.stalls:
            transport.send(piece)
            sent += piece
            assert len(sent) < 10_000_000, "the line takes everything, so nothing ever waits"
        arrived, all_there = bytearray(), asyncio.Event()

        def drain() -> None:
            arrived.extend(os.read(master, 4096))
            if len(arrived) == len(sent):
                all_there.set()

        loop = asyncio.get_running_loop()
        loop.add_reader(master, drain)
        async with asyncio.timeout(5):
            await all_there.wait()
        loop.remove_reader(master)
        os.write(master, b", game over")
        came.clear()
        async with asyncio.timeout(5):
            await came.wait()
        await transport.close()
        assert lost == []
        assert arrived == sent
        return bytes(heard)

    assert serve_ports(program()) == b"a card is over, game over"


def test_the_end_of_a_port_is_told(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair

    async def program() -> bytes:
        ended: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def serve() -> None:
            forget(asyncio.get_running_loop(), ours.fileno())
            ended.set_result(ours.recv(10))

        watch(asyncio.get_running_loop(), ours.fileno(), serve)
        theirs.close()
        async with asyncio.timeout(5):
            return await ended

    assert serve_ports(program()) == b""


def test_an_exception_reaches_the_handler_and_the_loop_goes_on(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair

    async def program() -> list[str]:
        loop, told = asyncio.get_running_loop(), []
        heard, blamed = asyncio.Event(), asyncio.Event()

        def blame(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
            told.append(str(context["exception"]))
            blamed.set()

        loop.set_exception_handler(blame)

        def serve() -> None:
            ours.recv(10)
            if not told:
                raise ValueError("a broken consumer")
            heard.set()

        watch(loop, ours.fileno(), serve)
        theirs.send(b"1")
        async with asyncio.timeout(5):
            await blamed.wait()
        theirs.send(b"2")
        async with asyncio.timeout(5):
            await heard.wait()
        forget(loop, ours.fileno())
        return told

    assert serve_ports(program()) == ["a broken consumer"]


def test_a_port_that_never_falls_silent_leaves_tasks_and_timers_their_turn(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.send(b"never read, so always ready")

    async def program() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        served = 0

        def serve() -> None:
            nonlocal served
            served += 1

        watch(loop, ours.fileno(), serve)
        turns = 0
        fired = loop.create_future()
        loop.call_later(0, fired.set_result, None)
        while turns < 100 or not fired.done():
            await asyncio.sleep(0)
            turns += 1
        forget(loop, ours.fileno())
        return turns, served

    turns, served = serve_ports(program())
    assert 0 < served <= turns + 1, "each wait serves a port once"


def test_the_wait_goes_on_after_a_port_until_the_loop_has_something_to_do(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    served: list[bytes] = []
    selector = PortSelector(lambda error, _serve: served.append(repr(error).encode()))

    def serve() -> None:
        served.append(ours.recv(1))
        if served[-1] == b"d":
            selector.has_work = True
        else:
            theirs.send(b"bcd"[len(served) - 1 : len(served)])

    selector.watch_port(ours.fileno(), serve)
    theirs.send(b"a")
    assert selector.select(60) == []
    assert served == [b"a", b"b", b"c", b"d"]
    assert selector.select(0) == [], "a wait of no time is over at once"
    selector.close()


def test_what_a_port_starts_has_its_turn_although_nothing_else_wakes_the_loop(pair: tuple[socket.socket, socket.socket]) -> None:
    """A callback, a timer, a task and the loop's own end, each begun while a port is served."""
    ours, theirs = pair

    async def program() -> list[str]:
        loop = asyncio.get_running_loop()
        done: list[str] = []
        over = loop.create_future()

        async def task() -> None:
            done.append("task")
            theirs.send(b"x")

        def serve() -> None:
            ours.recv(1)
            match len(done):
                case 0:
                    loop.call_soon(lambda: (done.append("callback"), theirs.send(b"x")))
                case 1:
                    loop.call_later(0.001, lambda: (done.append("timer"), theirs.send(b"x")))
                case 2:
                    tasks.append(loop.create_task(task()))
                case _:
                    over.set_result(None)

        tasks: list[asyncio.Task[None]] = []
        watch(loop, ours.fileno(), serve)
        theirs.send(b"x")
        async with asyncio.timeout(60):
            await over
        forget(loop, ours.fileno())
        return done

    assert serve_ports(program()) == ["callback", "timer", "task"]


def test_a_port_may_be_watched_anew_and_forgotten_twice(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.send(b"x")
    served: list[str] = []
    selector = PortSelector(lambda error, _serve: served.append(repr(error)))
    selector.watch_port(ours.fileno(), lambda: served.append("first"))
    selector.watch_port(ours.fileno(), lambda: served.append("second"))
    assert selector.select(0) == []
    selector.forget_port(ours.fileno())
    selector.forget_port(ours.fileno())
    assert selector.select(0) == []
    assert served == ["second"]
    selector.close()


def test_reader_and_port_on_one_descriptor_do_not_disturb_each_other(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, _ = pair
    served: list[int] = []
    selector = PortSelector(lambda error, _serve: served.append(-1))
    fd = ours.fileno()
    selector.watch_port(fd, lambda: served.append(fd))
    key = selector.register(fd, 2, "writer")
    assert selector.select(0) == [(key, 2)]
    assert served == []
    with pytest.raises(KeyError):
        selector.register(fd, 1)
    selector.unregister(fd)
    assert selector.select(0) == []
    selector.forget_port(fd)
    with pytest.raises(KeyError):
        selector.get_key(fd)
    selector.close()


def test_it_is_asyncios_own_loop_for_everything_else() -> None:
    async def program() -> str:
        assert isinstance(asyncio.get_running_loop(), PortLoop)
        process = await asyncio.to_thread(os.getpid)
        reader, writer = await asyncio.open_connection(sock=_connected())
        writer.write(b"hello\n")
        line = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return f"{line!r} {process == os.getpid()}"

    assert serve_ports(program()) == "b'hello\\n' True"


def _connected() -> socket.socket:
    """A connection whose other side has said hello and gone."""
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    other, _ = server.accept()
    server.close()
    other.sendall(b"hello\n")
    other.close()
    return client

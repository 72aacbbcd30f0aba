"""Serial ports over pseudo-terminals: what comes in, what goes out, and every way to be told no."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import (
    WRITE_BACKLOG_LIMIT_BYTES,
    PortBrokenError,
    PortBusyError,
    PortClosedError,
    PortMissingError,
    PortStalledError,
    TransportError,
    TransportState,
)
from firmware_bridge.transport.holders import find_holder
from firmware_bridge.transport.own_threads import THREAD_NAME
from firmware_bridge.transport.serial import SerialTransport


class Pty:
    """The device's end, for the test to speak into. No slave is kept open: closing `master` is an unplug."""

    def __init__(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        self._slave = slave

    def unplug(self) -> None:
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        if self.master >= 0:
            os.close(self.master)
        os.close(self._slave)


class Heard:
    """Collects what a transport tells, and lets a test wait for it."""

    def __init__(self) -> None:
        self.bytes = b""
        self.lost: list[TransportError] = []
        self._news = asyncio.Event()

    def on_bytes(self, chunk: bytes) -> None:
        self.bytes += chunk
        self._news.set()

    def on_lost(self, error: TransportError) -> None:
        self.lost.append(error)
        self._news.set()

    async def until_bytes(self, count: int) -> bytes:
        while len(self.bytes) < count:
            self._news.clear()
            await self._news.wait()
        return self.bytes

    async def until_lost(self) -> TransportError:
        while not self.lost:
            self._news.clear()
            await self._news.wait()
        return self.lost[0]


@pytest.fixture
def pty() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


@pytest.fixture
async def heard() -> Heard:
    return Heard()


async def opened(pty: Pty, heard: Heard) -> SerialTransport:
    transport = open_transport(pty.path)
    assert isinstance(transport, SerialTransport)
    await transport.open(heard.on_bytes, heard.on_lost)
    return transport


async def test_every_byte_value_crosses_unchanged_both_ways(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    every = bytes(range(256))
    os.write(pty.master, every)
    assert await heard.until_bytes(256) == every
    transport.send(every)
    assert os.read(pty.master, 512) == every
    assert (transport.counters.bytes_in, transport.counters.bytes_out) == (256, 256)
    await transport.close()


async def test_bytes_written_at_once_arrive_in_one_read(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    os.write(pty.master, b"a" * 900)
    await heard.until_bytes(900)
    assert transport.counters.reads <= 2
    await transport.close()


async def test_a_port_opened_twice_is_busy_and_names_its_holder(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    with pytest.raises(PortBusyError) as refusal:
        await open_transport(pty.path).open(heard.on_bytes, heard.on_lost)
    assert refusal.value.code == "port-busy"
    assert f"process {os.getpid()}" in (refusal.value.holder or "")
    assert refusal.value.do
    await transport.close()


async def test_a_wire_that_a_program_had_before_without_a_lock_is_refused(pty: Pty, heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    for asked in ("_is_pty", "_is_pty_path"):
        monkeypatch.setattr(f"firmware_bridge.transport.serial.{asked}", lambda _: False)
    holds = "import os, sys; os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); print('held', flush=True); sys.stdin.read()"
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", holds, pty.path, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert other.stdin is not None
    assert other.stdout is not None
    await other.stdout.readline()
    transport = open_transport(pty.path)
    with pytest.raises(PortBusyError) as refusal:
        await transport.open(heard.on_bytes, heard.on_lost)
    assert f"process {other.pid}" in (refusal.value.holder or "")
    other.stdin.close()
    await other.wait()
    await transport.open(heard.on_bytes, heard.on_lost)
    await transport.close()


async def test_a_closed_port_is_free_at_once_and_may_be_opened_by_another(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    await transport.close()
    assert transport.state is TransportState.CLOSED
    for _ in range(3):
        again = await opened(pty, heard)
        await again.close()


async def test_a_busy_port_leaves_the_one_who_has_it_undisturbed(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    with pytest.raises(PortBusyError):
        await open_transport(f"serial://{pty.path}?baud=9600").open(heard.on_bytes, heard.on_lost)
    os.write(pty.master, b"still here")
    assert await heard.until_bytes(10) == b"still here"
    await transport.close()


@pytest.mark.parametrize("make", ["missing", "file", "directory"])
async def test_what_is_no_port_is_missing_with_the_next_step(make: str, tmp_path: Path, heard: Heard) -> None:
    path = tmp_path / "port"
    if make == "file":
        path.write_bytes(b"precious")
    elif make == "directory":
        path.mkdir()
    transport = open_transport(str(path))
    with pytest.raises(PortMissingError) as refusal:
        await transport.open(heard.on_bytes, heard.on_lost)
    assert "shoed ports" in refusal.value.do
    assert transport.state is TransportState.CLOSED
    if make == "file":
        assert path.read_bytes() == b"precious"


async def test_a_link_to_a_port_opens_the_port(pty: Pty, heard: Heard, tmp_path: Path) -> None:
    link = tmp_path / "SHOE-1"
    link.symlink_to(pty.path)
    transport = open_transport(str(link))
    await transport.open(heard.on_bytes, heard.on_lost)
    with pytest.raises(PortBusyError):
        await open_transport(pty.path).open(heard.on_bytes, heard.on_lost)
    await transport.close()


@pytest.mark.requirement("EQ-57")
async def test_unplugging_is_told_once_and_the_port_can_be_closed(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    pty.unplug()
    error = await heard.until_lost()
    assert isinstance(error, PortBrokenError)
    assert transport.state is TransportState.BROKEN
    with pytest.raises(PortBrokenError):
        transport.send(b"x")
    await transport.close()
    assert transport.state is TransportState.CLOSED
    assert len(heard.lost) == 1


async def test_sending_into_an_unplugged_port_is_broken(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    pty.unplug()
    with pytest.raises(PortBrokenError):
        transport.send(b"x")
    await transport.close()


async def test_nothing_is_sent_before_opening_or_after_closing(pty: Pty, heard: Heard) -> None:
    transport = open_transport(pty.path)
    with pytest.raises(PortClosedError):
        transport.send(b"x")
    await transport.open(heard.on_bytes, heard.on_lost)
    with pytest.raises(PortClosedError):
        await transport.open(heard.on_bytes, heard.on_lost)
    await transport.close()
    await transport.close()
    with pytest.raises(PortClosedError):
        transport.send(b"x")


async def test_no_bytes_are_told_after_close(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    os.write(pty.master, b"late")
    await transport.close()
    assert heard.bytes == b""
    assert not heard.lost


async def test_what_the_port_does_not_take_at_once_follows_in_order(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    sent = b""
    while not transport.counters.stalls:
        chunk = len(sent).to_bytes(4, "big") * 64
        transport.send(chunk)
        sent += chunk
    transport.send(b"last")
    sent += b"last"
    read = b""
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def readable() -> None:
        nonlocal read
        read += os.read(pty.master, 65536)
        if len(read) >= len(sent) and not done.done():
            done.set_result(None)

    loop.add_reader(pty.master, readable)
    await done
    loop.remove_reader(pty.master)
    assert read == sent
    await transport.close()


async def test_a_port_that_takes_nothing_breaks_at_the_limit_and_not_before(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    while not transport.counters.stalls:
        transport.send(b"x" * 256)
    for _ in range(WRITE_BACKLOG_LIMIT_BYTES // 256 - 1):
        transport.send(b"x" * 256)
    with pytest.raises(PortStalledError):
        transport.send(b"x" * 512)
    assert transport.state is TransportState.BROKEN
    await transport.close()


async def test_a_write_that_is_not_taken_by_its_deadline_breaks_the_port(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    while not transport.counters.stalls:
        transport.send(b"x" * 256)
    with pytest.raises(PortStalledError):
        await transport.write(b"y", deadline_s=0.0)
    assert transport.state is TransportState.BROKEN
    await transport.close()


async def test_closing_frees_a_port_with_unsent_bytes_without_waiting_for_them(pty: Pty, heard: Heard) -> None:
    transport = await opened(pty, heard)
    while not transport.counters.stalls:
        transport.send(b"x" * 256)
    waiting = asyncio.ensure_future(transport.write(b"y", deadline_s=60.0))
    await asyncio.sleep(0)
    await transport.close()
    with pytest.raises(PortClosedError):
        await waiting


async def test_an_opening_that_is_given_up_leaves_no_port_taken(pty: Pty, heard: Heard) -> None:
    transport = open_transport(pty.path)
    opening = asyncio.ensure_future(transport.open(heard.on_bytes, heard.on_lost))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert transport.state is TransportState.CLOSED
    async with asyncio.timeout(30):
        while not is_free(pty.path):  # noqa: ASYNC110  # a thread frees it: there is no event to wait for
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("hangs", ["close", "open"])
async def test_a_driver_that_hangs_costs_one_thread_and_no_time(
    hangs: str, pty: Pty, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    lets_go = threading.Event()
    transport = await opened(pty, heard)
    monkeypatch.setattr(f"firmware_bridge.transport.{'serial.OPEN' if hangs == 'open' else 'descriptor.CLOSE'}_DEADLINE_S", 0.05)
    if hangs == "close":
        monkeypatch.setattr(transport, "_free_descriptor", lambda fd, *, unsent: (lets_go.wait(), os.close(fd)))
        await transport.close()
        assert transport.state is TransportState.CLOSING
    else:
        await transport.close()
        real = transport._open_and_configure
        monkeypatch.setattr(transport, "_open_and_configure", lambda: (lets_go.wait(), real())[1])
    for _ in range(3):
        with pytest.raises(PortStalledError) as refusal:
            await transport.open(heard.on_bytes, heard.on_lost)
        assert "driver" in refusal.value.what
        await transport.close()
    monkeypatch.undo()
    other = Pty()
    fine = open_transport(other.path)
    await fine.open(heard.on_bytes, heard.on_lost)
    await fine.close()
    other.close()
    await port_threads(1)
    lets_go.set()
    await port_threads(0)
    async with asyncio.timeout(30):
        while transport.state is not TransportState.CLOSED or not is_free(pty.path):  # noqa: ASYNC110  # a thread ends by itself
            await asyncio.sleep(0.01)
    await transport.open(heard.on_bytes, heard.on_lost)
    await transport.close()


async def port_threads(count: int) -> None:
    async with asyncio.timeout(30):
        while sum(thread.name == THREAD_NAME for thread in threading.enumerate()) != count:  # noqa: ASYNC110  # they end by themselves
            await asyncio.sleep(0.01)


def is_free(path: str) -> bool:
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def test_the_holder_of_a_port_nobody_has_is_nobody(tmp_path: Path) -> None:
    assert find_holder(str(tmp_path / "no-such-port")) is None


async def test_everybody_who_has_a_port_is_named(pty: Pty) -> None:
    holds = "import os, sys; fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); print(flush=True); sys.stdin.read()"
    pipe = asyncio.subprocess.PIPE
    others = [await asyncio.create_subprocess_exec(sys.executable, "-c", holds, pty.path, stdin=pipe, stdout=pipe) for _ in range(2)]
    for other in others:
        assert other.stdout is not None
        await other.stdout.readline()
    told = find_holder(pty.path, besides_us=True) or ""
    for other in others:
        assert f"(process {other.pid})" in told
        assert other.stdin is not None
        other.stdin.close()
        await other.wait()

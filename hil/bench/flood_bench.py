"""One flooded line among the tables of a real daemon: what the other tables' slowest events cost, and what the processor pays.

The daemon serves tables whose shoes are played here, event by event, each until it is acknowledged, so durable. Beside them stand devices
that another process floods at line rate: SDP/1 ones and plain ones, with frames said again and again, noise, a frame that never ends,
heartbeats. Slices with and without a flood take turns, and while there is none the flooding process floods a line of its own.
The second part asks what the daemon's process costs while a device is gone, silent, or floods.
"""

from __future__ import annotations

import os
import random
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from firmware_bridge.codec import Codec
from firmware_bridge.framing import encode_frame
from firmware_bridge.link.frames import CTL_PING
from hil.bench.capacity_bench import PlainLine
from hil.bench.flood_child import FloodLine
from hil.bench.line_bench import PATIENCE_S, BenchDevice, drain, one_round_trip
from hil.bench.measure import Goal, at_most
from hil.endtoend.daemon import Daemon, DeviceEntry, TableEntry, run_daemon, working_folder

TABLES: Final = 8
EACH: Final = 25
"""Events at each table in a slice: 200 in all, so that the second slowest is the p99."""
ROUNDS: Final = 31
"""A p99 of 200 events is its second slowest, so one slice says little; eleven left a kind of flood anywhere between 0.9 and 1.4."""
SETTLE_S: Final = 0.25
"""A flood that begins or ends has found its pace by then."""
P99_LIMIT: Final = 1.1
"""T-27: other tables' p99 changes by less than 10 %."""
CPU_S: Final = 4.0
CPU_LIMIT: Final = 0.05
LINE_BYTES_S: Final = 11_520
"""115200 baud, ten bits a byte."""
BUTTON: Final = {"button": 1, "action": 1}
"""An event that asks the table for nothing and is recorded like any other."""
GAME: Final = ("colorado-hold-em-poker", "manual-shoe")
PLAIN_GAME: Final = ("minibaccarat", "manual-shoe")
CARD_LINE: Final = b'{"type":"card","seq":7,"ts":1,"device_id":"r1","card_uid":"04AABBCC"}\n'


class Flooded(msgspec.Struct, frozen=True):
    """One kind of flood: its name, the profile of the device, what is poured."""

    kind: str
    profile: str
    said: bytes | Callable[[BenchDevice], bytes]


def _frame(codec: Codec, body: bytes) -> bytes:
    return encode_frame(body, codec.checksum)


def _ping(device: BenchDevice) -> bytes:
    return _frame(device.codec, bytes((CTL_PING, 0, device.link.next_numbers()[1], 1)))


NOISE: Final = random.Random(27).randbytes(8192)
FLOODS: Final = (
    Flooded("one frame again and again", "sdp1", lambda device: device.frames(1, "button", BUTTON)[0]),
    Flooded("noise", "sdp1", NOISE),
    Flooded("a frame without end", "sdp1", b"A" * 1024),
    Flooded("heartbeats", "sdp1", _ping),
    Flooded("one card again and again", "json-lines-reader", CARD_LINE),
    Flooded("noise", "json-lines-reader", NOISE),
    Flooded("a line without end", "json-lines-reader", b"A" * 1024),
    Flooded("comments", "json-lines-reader", b"#\n" * 512),
)


class Hall:
    """A daemon with its tables and devices, and the process that floods."""

    def __init__(self, daemon: Daemon, devices: list[BenchDevice], flooder: subprocess.Popen[bytes]) -> None:
        self.daemon = daemon
        self._flooder = flooder
        self._frames = {device.master: iter(device.frames(EACH * (2 * ROUNDS * len(FLOODS) + 20), "button", BUTTON)) for device in devices}
        self._epoll = select.epoll()
        for line in self._frames:
            self._epoll.register(line, select.EPOLLIN)

    def flood(self, number: int) -> None:
        """Flood this line from now on; -1: none of the daemon's."""
        stdin = self._flooder.stdin
        if stdin is not None:
            stdin.write(f"{number}\n".encode())
            stdin.flush()
        time.sleep(SETTLE_S)

    def go_on(self, seconds: float) -> None:
        """Let time pass; one event a second at each table keeps its link."""
        for line in self._frames:
            drain(line)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for line, frames in self._frames.items():
                one_round_trip(self._epoll.poll, line, next(frames))
            time.sleep(min(left, 1.0))

    def slowest(self) -> float:
        """The p99 of one slice: seconds from an event to its acknowledgement."""
        for line in self._frames:
            drain(line)
        times = []
        for _ in range(EACH):
            times += [one_round_trip(self._epoll.poll, line, next(frames)) for line, frames in self._frames.items()]
        return sorted(times)[int(len(times) * 0.99) - 1]

    def close(self) -> None:
        """Give the watch on the lines back."""
        self._epoll.close()


@contextmanager
def _served(devices: list[BenchDevice]) -> Iterator[None]:
    """Answer the daemon's handshakes meanwhile, in a thread: this one waits for the daemon."""
    over = threading.Event()
    poll = select.poll()
    by_line = {device.master: device for device in devices}
    for line in by_line:
        poll.register(line, select.POLLIN)

    def serve() -> None:
        while not over.is_set():
            for line, bits in poll.poll(50):
                if bits & select.POLLIN:
                    by_line[line].serve()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _table(name: str, port: str, profile: str = "sdp1") -> TableEntry:
    game, method = GAME if profile == "sdp1" else PLAIN_GAME
    serial, cards = (name, None) if profile == "sdp1" else (None, "cards.toml")
    return TableEntry(name, game, method, {}, (DeviceEntry("shoe", "shoe", serial, port, profile, cards=cards),))


def _wait_running(daemon: Daemon, tables: list[str]) -> None:
    with closing(daemon.client()) as client:
        deadline = time.monotonic() + PATIENCE_S
        while any(client.view(name).devices["shoe"]["state"] != "running" for name in tables):
            if time.monotonic() > deadline:
                raise daemon.failed("does not run all devices")
            time.sleep(0.1)


@contextmanager
def hall(bytes_s: int = LINE_BYTES_S) -> Iterator[Hall]:
    """The daemon with everything running."""
    with ExitStack() as stack:
        folder = stack.enter_context(working_folder())
        (folder / "cards.toml").write_text('[cards]\n"04AABBCC" = "As"\n', encoding="utf-8")
        devices = [stack.enter_context(closing(BenchDevice(f"T{number}"))) for number in range(TABLES)]
        tables = [_table(f"T{number}", device.path) for number, device in enumerate(devices)]
        talkers: list[BenchDevice] = []
        lines = []
        for number, kind in enumerate(FLOODS):
            line = stack.enter_context(closing(BenchDevice(f"F{number}") if kind.profile == "sdp1" else PlainLine(lambda _: CARD_LINE)))
            lines.append(line)
            talkers += [line] if isinstance(line, BenchDevice) else []
            tables.append(_table(f"F{number}", line.path, kind.profile))
        with _served([*devices, *talkers]):
            daemon = stack.enter_context(run_daemon(folder, tables))
            _wait_running(daemon, [table.id for table in tables])
        flooder = stack.enter_context(_flooder([_flood_line(line, kind, bytes_s) for line, kind in zip(lines, FLOODS, strict=True)]))
        yield stack.enter_context(closing(Hall(daemon, devices, flooder)))


def _flood_line(line: BenchDevice | PlainLine, kind: Flooded, bytes_s: int) -> FloodLine:
    if isinstance(line, BenchDevice):
        return FloodLine(line.master, kind.said if isinstance(kind.said, bytes) else kind.said(line), _ping(line), bytes_s)
    if not isinstance(kind.said, bytes):
        raise TypeError(f"{kind.kind} needs a device that talks")
    return FloodLine(line.master, kind.said, b"", bytes_s)


@contextmanager
def _flooder(lines: list[FloodLine]) -> Iterator[subprocess.Popen[bytes]]:
    plan = msgspec.json.encode(lines).decode()
    command = [sys.executable, str(Path(__file__).with_name("flood_child.py")), plan]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[line.master for line in lines])  # noqa: S603  # our own file
    try:
        yield child
    finally:
        if child.stdin is not None:
            child.stdin.close()
        child.wait(PATIENCE_S)


def measure_isolation() -> list[Goal]:
    """T-27: the other tables' p99 with one flooded line, against without, and the processor's share, for each kind of flood."""
    goals = []
    with hall() as place:
        place.slowest()
        for number, kind in enumerate(FLOODS):
            pairs = []
            for _ in range(ROUNDS):
                place.flood(-1)
                quiet = place.slowest()
                place.flood(number)
                pairs.append((place.slowest(), quiet))
            share = processor_share(place.daemon, place.go_on)
            place.flood(-1)
            flooded, quiet = (median(pair[side] for pair in pairs) for side in (0, 1))
            flooding = f"while a {kind.profile} device floods with {kind.kind}"
            goals.append(at_most("flood", f"other tables' p99 {flooding} / without", flooded, quiet, P99_LIMIT))
            goals.append(at_most("CPU", f"share of a processor {flooding} / 5 %", share, CPU_LIMIT, 1.0))
    return goals


def processor_share(daemon: Daemon, pass_time: Callable[[float], None]) -> float:
    """Seconds of processor time a second that the daemon takes meanwhile."""
    before = _processor_s(daemon.process.pid)
    began = time.monotonic()
    pass_time(CPU_S)
    return (_processor_s(daemon.process.pid) - before) / (time.monotonic() - began)


def _processor_s(pid: int) -> float:
    """User and system time of a process, the 14th and 15th field of its `stat`; the second field may hold blanks."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_absence() -> list[Goal]:
    """The processor's share of a daemon whose devices are silent, gone, refused, or swallowed by the network, one state after the other."""
    states = (("is there and silent", _leave), ("is gone", _take_away), ("is refused by its server", _refuse), ("is swallowed", _swallow))
    goals = []
    for words, change in states:
        with ExitStack() as stack:
            folder = stack.enter_context(working_folder())
            (folder / "cards.toml").write_text('[cards]\n"04AABBCC" = "As"\n', encoding="utf-8")
            line, server = PlainLine(lambda _: b""), socket.create_server(("127.0.0.1", 0))
            stack.callback(line.close)
            port = server.getsockname()[1]
            daemon = stack.enter_context(run_daemon(folder, [_table("S", line.path), _table("N", f"tcp://127.0.0.1:{port}")]))
            stack.enter_context(change(line, server, port))
            time.sleep(SETTLE_S)
            share = processor_share(daemon, time.sleep)
            goals.append(at_most("CPU", f"share of a processor while a device {words} / 5 %", share, CPU_LIMIT, 1.0))
    return goals


@contextmanager
def _leave(_line: PlainLine, server: socket.socket, _port: int) -> Iterator[None]:
    """Nobody answers at either port."""
    with server:
        yield


@contextmanager
def _take_away(line: PlainLine, server: socket.socket, _port: int) -> Iterator[None]:
    """The path vanishes."""
    line.close()
    with server:
        yield


@contextmanager
def _refuse(_line: PlainLine, server: socket.socket, _port: int) -> Iterator[None]:
    """Nobody listens any more."""
    server.close()
    yield


@contextmanager
def _swallow(_line: PlainLine, server: socket.socket, port: int) -> Iterator[None]:
    """A server whose queue is full answers nothing at all."""
    server.close()
    with socket.create_server(("127.0.0.1", port), backlog=0), ExitStack() as stack:
        for _ in range(2):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        yield

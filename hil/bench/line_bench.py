"""P2 and P4: the round trip of one event frame through the bridge, with and without the journal, against a bare echo.

Both sides run in a process of their own on pseudo-terminals; this process plays the devices. A device speaks SDP/1 through its handshake;
then its event frames are made beforehand, so that only the other side's work lies between writing a frame and reading the answer. One event
is in flight at a time, and the devices take turns.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from cobs import cobs

from device_profiles.values import FieldValue
from firmware_bridge.codec import load_codec
from firmware_bridge.events import StartReason, Status
from firmware_bridge.framing import CobsFramer
from firmware_bridge.link.device import DeviceLink
from firmware_bridge.link.line import Line
from hil.bench.measure import Goal, at_most

SLICE_EVENTS = 400
"""Some 15 ms: short beside what else happens on a machine, long beside one round trip."""
ROUNDS = 21
DEVICES = (1, 20, 100)
CHUNK = 4096
ACK_BYTES = 10
"""The shortest answer that holds an event's acknowledgement."""
PATIENCE_S = 30.0
CARD: Mapping[str, FieldValue] = {"card": 0x41, "flags": 0, "confidence": 98, "position": 105, "remaining": 311}
ANSWERS: Mapping[str, Mapping[str, FieldValue]] = {
    "identify": {"vendor": "bench", "model": "line", "serial": "B1", "firmware": "1.0.0", "capability_bits": 1},
    "capabilities": {"capabilities": ()},
    "status": {
        "state": "idle", "error": "none", "gate": "locked", "lid_open": False, "drawn": 0, "remaining": 0, "last_eseq": 0,
        "oldest_eseq": 1, "cobs_errors": 0, "crc_errors": 0, "oversize_errors": 0, "other_errors": 0, "shoe_id": None,
    },
    "event_resume": {"oldest": 1, "newest": 0},
    "time_set": {"uptime_ms": 1},
}  # fmt: skip


class BenchDevice:
    """A device on a pseudo-terminal: it answers the handshake, then its events are written as bytes made beforehand."""

    def __init__(self, serial: str = "B1") -> None:
        self.codec = load_codec("sdp1")
        self._answers = {**ANSWERS, "identify": {**ANSWERS["identify"], "serial": serial}}
        framing = self.codec.profile.framing
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)
        self.link = DeviceLink(framing, self.codec.checksum, Line.stream())
        self._framer = CobsFramer(framing, pauses=True)
        self.link.start(StartReason.POWER_ON, 1, time.monotonic())
        self.link.bytes_to_send()
        self.resumed = False

    def serve(self) -> None:
        """Answer what the host sent."""
        now = time.monotonic()
        for frame in self._framer.feed(os.read(self.master, CHUNK), now):
            message = self.link.receive(frame, now) if isinstance(frame, bytes) else None
            if isinstance(message, bytes):
                self._answer(message, now)
        waiting = self.link.bytes_to_send()
        if waiting:
            os.write(self.master, waiting)

    def _answer(self, message: bytes, now: float) -> None:
        message_class, code, tid = self.codec.read_header(message)
        spec = self.codec.command_by_code(code) if message_class == 1 else None
        if spec is not None:
            self.link.send(self.codec.write_response(spec, tid, Status.OK, self._answers.get(spec.name, {})), now)
            self.resumed = self.resumed or spec.name == "event_resume"

    def frames(self, count: int, event: str = "card_read", fields: Mapping[str, FieldValue] = CARD) -> list[bytes]:
        """`count` event frames in the numbers that the link now expects; each answer acknowledges one."""
        sequence, expected = self.link.next_numbers()
        body = self.codec.write_event_body(event, fields)
        made = []
        for number in range(count):
            message = self.codec.write_event(event, number + 1, 1000 + number, body, replayed=False)
            numbers = ((sequence + number) % 16) << 4 | (expected + number) % 16
            frame = bytes((0, 0, numbers)) + message
            made.append(b"\0" + cobs.encode(frame + self.codec.checksum(frame).to_bytes(2, "big")) + b"\0")
        return made

    def close(self) -> None:
        """Unplug it."""
        os.close(self.master)
        os.close(self._slave)


@contextmanager
def _other_side(kind: str, devices: list[BenchDevice]) -> Iterator[None]:
    """The process under measurement, ready on all lines."""
    with TemporaryDirectory(dir=".") as folder:
        command = [sys.executable, str(Path(__file__).with_name("line_child.py")), kind, folder, *(device.path for device in devices)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603  # our own file
        try:
            _bring_up(child, devices, speak=kind != "echo")
            yield
        finally:
            if child.stdin is not None:
                child.stdin.close()
            child.wait(PATIENCE_S)
            if child.stdout is not None:
                child.stdout.close()


def _bring_up(child: subprocess.Popen[bytes], devices: list[BenchDevice], *, speak: bool) -> None:
    if child.stdout is None:
        raise RuntimeError("the other side has no output")
    poll = select.poll()
    poll.register(child.stdout, select.POLLIN)
    by_line = {device.master: device for device in devices}
    for device in devices if speak else ():
        poll.register(device.master, select.POLLIN)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for descriptor, _ in poll.poll(100):
            if descriptor not in by_line:
                return
            by_line[descriptor].serve()
    raise RuntimeError(f"the other side was not ready within {PATIENCE_S:.0f} s")


class _Side:
    """One of the two sides: its lines, and the frames that are still to be sent on each."""

    def __init__(self, devices: list[BenchDevice], each: int) -> None:
        self._frames = {device.master: iter(device.frames(each)) for device in devices}
        self._epoll = select.epoll()
        for line in self._frames:
            self._epoll.register(line, select.EPOLLIN)

    def slice(self, each: int) -> float:
        """Median seconds from writing an event to having read its answer, over `each` events on every line."""
        for line in self._frames:
            drain(line)
        times = []
        for _ in range(each):
            times += [one_round_trip(self._epoll.poll, line, next(frames)) for line, frames in self._frames.items()]
        return median(times)

    def close(self) -> None:
        self._epoll.close()


def drain(line: int) -> None:
    """Forget what came while it was the other side's turn: a heartbeat is no answer."""
    try:
        while os.read(line, CHUNK):
            pass
    except BlockingIOError:
        return


def one_round_trip(poll: Callable[[float], list[tuple[int, int]]], line: int, frame: bytes) -> float:
    """Write one event and return the seconds until its answer was read."""
    began = time.perf_counter()
    os.write(line, frame)
    answered = 0
    while answered < ACK_BYTES:
        ready = poll(PATIENCE_S)
        if not ready:
            raise RuntimeError("an event was not answered")
        for descriptor, _ in ready:
            content = os.read(descriptor, CHUNK)
            if descriptor == line:
                answered += len(content)
    return time.perf_counter() - began


def _compare(kind: str, count: int) -> tuple[float, float]:
    """Median of the medians of short slices, taken in turn: what else the machine does falls on both sides alike."""
    each = max(1, SLICE_EVENTS // count)
    with ExitStack() as stack:
        sides = []
        for one in ("echo", kind):
            devices = [stack.enter_context(closing(BenchDevice())) for _ in range(count)]
            stack.enter_context(_other_side(one, devices))
            sides.append(stack.enter_context(closing(_Side(devices, each * (ROUNDS + 1)))))
        peer, ours = sides
        peer.slice(each), ours.slice(each)  # both warm
        pairs = [(ours.slice(each), peer.slice(each)) for _ in range(ROUNDS)]
    return median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)


def measure_round_trips() -> list[Goal]:
    """P2 at each number of devices."""
    return [at_most("P2", f"round trip of one event at {count} / bare echo", *_compare("bridge", count), limit=1.5) for count in DEVICES]


def measure_journaled_round_trip() -> Goal:
    """P4: the same, acknowledged when durable, at 100 devices."""
    return at_most("P4", "journaled round trip at 100 devices / bare echo", *_compare("journaled", DEVICES[-1]), limit=2.5)

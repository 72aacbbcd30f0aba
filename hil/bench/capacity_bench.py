"""P10: a thousand devices at three events a second on one process: every event in its order, and what they take of memory.

The devices are played here on pseudo-terminals; the process under measurement keeps them all and acknowledges each event (P4 to P6 say
what the disk does to that). Devices of SDP/1 answer a handshake and send frames made beforehand; plain devices only speak.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from device_profiles.plain.loader import is_plain, load_plain
from firmware_bridge.plain.codec import PlainCodec
from hil.bench.capacity_child import Told
from hil.bench.line_bench import BenchDevice, drain
from hil.bench.measure import Goal, at_least, at_most

FEW, MANY = 100, 1000
EVENTS_S: Final = 3
SECONDS: Final = 8
PATIENCE_S: Final = 120.0
"""A thousand handshakes take some seconds, on a busy machine some more."""
MEMORY_LIMIT: Final = 1.3
PROFILES: Final = ("sdp1", "json-lines-reader", "angel-eye-ii-ex")


class PlainLine:
    """The line of a device that only speaks; `frames` are what it says, one after the other."""

    def __init__(self, say: Callable[[int], bytes]) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)
        self._say = say

    def serve(self) -> None:
        """Nothing that the host says is answered."""
        drain(self.master)

    def frames(self, count: int) -> list[bytes]:
        """The first `count` events."""
        return [self._say(number) for number in range(count)]

    def close(self) -> None:
        """Unplug it."""
        for end in (self.master, self._slave):
            with contextlib.suppress(OSError):  # unplugged before
                os.close(end)


Line = BenchDevice | PlainLine


def plain_cards(profile: str) -> Callable[[int], bytes]:
    """What a device of this profile says of the cards of its vectors, in its own numbers."""
    codec = PlainCodec(load_plain(profile))
    numbers, simulation = codec.profile.numbers, codec.profile.simulation
    cards = [vector.fields for vector in codec.profile.vectors if vector.message == simulation.card]
    message = simulation.card
    if message is None or not cards:
        raise RuntimeError(f"no vector of {profile} is a card")

    def numbered(number: int) -> dict[str, str | int]:
        if numbers is not None:
            return {numbers.field: numbers.first + number % (numbers.last - numbers.first + 1)}
        if simulation.counts is not None:
            return {simulation.counts: simulation.counts_as[number % len(simulation.counts_as)]}
        return {}

    span = len(simulation.counts_as) or 1  # the next card when the small numbers come round: nothing is said twice within seconds
    return lambda number: codec.write(message, cards[number // span % len(cards)] | numbered(number))


def _lines(profile: str, count: int, stack: ExitStack) -> list[Line]:
    if not is_plain(profile):
        return [stack.enter_context(closing(BenchDevice())) for _ in range(count)]
    say = plain_cards(profile)
    return [stack.enter_context(closing(PlainLine(say))) for _ in range(count)]


@contextmanager
def _process(profile: str, lines: list[Line]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, str(Path(__file__).with_name("capacity_child.py")), profile, *(line.path for line in lines)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603  # our own file
    try:
        yield child
    finally:
        if child.stdin is not None:
            child.stdin.close()
        child.wait(PATIENCE_S)
        if child.stdout is not None:
            child.stdout.close()


def _bring_up(child: subprocess.Popen[bytes], lines: list[Line]) -> None:
    """Serve every line until the process says that all devices run."""
    assert child.stdout is not None
    poll, by_line = select.epoll(), {line.master: line for line in lines}
    with closing(poll):
        for master in (child.stdout.fileno(), *by_line):
            poll.register(master, select.EPOLLIN)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for master, bits in poll.poll(0.1):
                if master not in by_line:
                    child.stdout.readline()
                    return
                if bits & select.EPOLLIN:
                    by_line[master].serve()
    raise RuntimeError(f"not all devices ran within {PATIENCE_S:.0f} s")


def _speak(lines: list[Line]) -> int:
    """Say three events a second on every line, evenly spread; return how many there were."""
    frames = [(line.master, line.frames(EVENTS_S * SECONDS)) for line in lines]
    began, sent, total = time.monotonic(), 0, len(lines) * EVENTS_S * SECONDS
    while sent < total:
        due = min(total, int((time.monotonic() - began) * len(lines) * EVENTS_S))
        for number in range(sent, due):
            master, said = frames[number % len(lines)]
            drain(master)
            os.write(master, said[number // len(lines)])
        sent = max(sent, due)
        time.sleep(0.005)
    return sent


def run(profile: str, count: int) -> tuple[Told, int]:
    """Let so many devices speak; return what the process told at its end, and how many events there were."""
    with ExitStack() as stack:
        lines = _lines(profile, count, stack)
        child = stack.enter_context(_process(profile, lines))
        _bring_up(child, lines)
        sent = _speak(lines)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.close()
        return msgspec.json.decode(child.stdout.readline(), type=Told), sent


def measure_capacity() -> list[Goal]:
    """P10, for SDP/1 and through plain profiles."""
    goals = []
    for profile in PROFILES:
        few, _ = run(profile, FEW)
        many, sent = run(profile, MANY)
        said = f"events of {MANY} {profile} devices handled / said, {EVENTS_S} a second each"
        held = f"memory with {MANY} {profile} devices / with {FEW}"
        goals.append(at_least("P10", said, many.handled, sent, 1.0))
        goals.append(at_most("P10", held, many.memory_bytes, few.memory_bytes, MEMORY_LIMIT))
    return goals

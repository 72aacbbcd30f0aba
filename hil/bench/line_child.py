"""The side under measurement, as a process of its own: `echo`, `bridge` or `journaled`, on the terminal lines that it is given.

It says `ready` on standard output when every line is served, and ends when standard input closes, so that it never outlives the bench.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import tty
from collections.abc import Callable
from functools import partial
from pathlib import Path

from controller.journal.clock import SystemClock
from controller.journal.entry import EntryDraft
from controller.journal.journal import Journal, open_journal
from controller.journal.keys import create_keys
from firmware_bridge.codec import load_codec
from firmware_bridge.device import Device, DeviceOutput
from firmware_bridge.link.line import Line
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import EventArrived, Running
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.port_loop import serve_ports

CHUNK = 4096
HIDDEN_CARD = b'{"act":{"act":"card","read":{"sealed":0}},"facts":[{"fact":"DeviceHeard","device":"shoe","eseq":1}]}'


def say_ready() -> None:
    """Tell the bench that every line is served."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()


def echo(paths: list[str]) -> None:
    """The bare peer: read what came, write it back."""
    epoll = select.epoll()
    for path in paths:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(descriptor)
        epoll.register(descriptor, select.EPOLLIN)
    stdin = sys.stdin.fileno()
    epoll.register(stdin, select.EPOLLIN | select.EPOLLHUP)
    say_ready()
    while True:
        for descriptor, _ in epoll.poll():
            if descriptor == stdin:
                return
            try:
                os.write(descriptor, os.read(descriptor, CHUNK))
            except BlockingIOError:
                continue  # a line that was just set up can wake without a byte


Keep = Callable[["Served"], Callable[[int], object]]
"""What keeps an event of a device, by its number, and acknowledges it then."""


class Served:
    """One device of the bridge."""

    def __init__(self, path: str, running: Callable[[], None], keep: Keep) -> None:
        self.path, self._running = path, running
        settings = HostSettings(line=Line.serial())
        self.device = Device(path, open_transport(path), HostSession(load_codec("sdp1"), settings, os.urandom), self.hear)
        self._kept = keep(self)

    def hear(self, output: DeviceOutput) -> None:
        """Events are kept, everything else only counts the devices that run."""
        if isinstance(output, EventArrived):
            kept = self._kept
            kept(output.event.eseq)
        elif isinstance(output, Running):
            self._running()


async def serve(paths: list[str], keep: Keep) -> None:
    """Serve all lines until standard input closes."""
    waiting = len(paths)

    def running() -> None:
        nonlocal waiting
        waiting -= 1
        if waiting == 0:
            say_ready()

    served = [Served(path, running, keep) for path in paths]
    for one in served:
        one.device.start()
    over = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), over.set)
    await over.wait()
    for one in served:
        await one.device.stop()


async def bridge(paths: list[str]) -> None:
    """P2: an event is acknowledged at once, nothing is stored."""
    await serve(paths, lambda one: one.device.acknowledge)


async def journaled(paths: list[str], folder: Path) -> None:
    """P4: an event is acknowledged when its record is durable."""
    keys = create_keys(folder / "keys")
    tables = [f"t{number}" for number in range(len(paths))]
    names = dict(zip(paths, tables, strict=True))
    journal: Journal = open_journal(
        folder / "journal.db", tables=tables, seal_key=keys.seal_key, signing_key=keys.signing_key, clock=SystemClock()
    )

    def store(one: Served, eseq: int) -> None:
        draft = EntryDraft(table=names[one.path], shoe=1, round=1, kind="card", body=HIDDEN_CARD, cards=b"\x41")
        journal.append(draft).add_done_callback(lambda _done: one.device.acknowledge(eseq))

    await serve(paths, lambda one: partial(store, one))
    await journal.aclose()


def main(arguments: list[str]) -> int:
    """`line_child.py KIND FOLDER PATH...`."""
    kind, folder, paths = arguments[0], Path(arguments[1]), arguments[2:]
    match kind:
        case "echo":
            echo(paths)
        case "bridge":
            serve_ports(bridge(paths))
        case "journaled":
            serve_ports(journaled(paths, folder))
        case _:
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

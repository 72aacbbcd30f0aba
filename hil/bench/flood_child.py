"""Floods lines at the rate of a serial line, as a process of its own: `flood_child.py PLAN`, orders on standard input.

A plan names the masters of pseudo-terminals (inherited descriptors), what floods each, what keeps each alive meanwhile, and the bytes a
second (0: as fast as they are taken). An order is the number of the line to flood, or -1: then a terminal of its own is flooded, which
nobody else reads, so that this process takes the same share of the machine whether the daemon is flooded or not. It ends when standard
input closes.
"""

from __future__ import annotations

import os
import select
import sys
import time
import tty

import msgspec

TICK_S = 0.002
"""About one transfer of a USB adapter; a UART's own buffer fills in 1.4 ms."""
UNPACED_BYTES = 4096
ALIVE_S = 0.8
"""A line is lost after 3 s of silence."""
CHUNK = 4096


class FloodLine(msgspec.Struct):
    """One line: `flood` is sent again and again while it is chosen, `alive` now and then while it is not."""

    master: int
    flood: bytes
    alive: bytes
    bytes_s: int
    at: int = 0
    owed: float = 0.0

    def pour(self, target: int, passed_s: float) -> None:
        """Send what the line's rate allows; what is not taken is lost, as on a wire."""
        if self.bytes_s:
            self.owed += passed_s * self.bytes_s
            size = int(self.owed)
            self.owed -= size
        else:
            size = UNPACED_BYTES
        again = self.flood * (size // len(self.flood) + 2)
        send(target, again[self.at : self.at + size])
        self.at = (self.at + size) % len(self.flood)


def send(target: int, content: bytes) -> None:
    """Write what is taken at once."""
    try:
        os.write(target, content)
    except BlockingIOError:
        return


def empty(source: int) -> None:
    """Read and forget what waits."""
    try:
        while len(os.read(source, CHUNK)) == CHUNK:
            pass
    except OSError:  # nothing waits, or the other side is being opened anew
        return


def flood(lines: list[FloodLine]) -> None:
    """Follow the orders."""
    own, reader = os.openpty()
    tty.setraw(reader)
    for descriptor in (own, reader, *(line.master for line in lines)):
        os.set_blocking(descriptor, False)
    stdin, chosen, waiting = sys.stdin.fileno(), -1, b""
    poll = select.poll()
    poll.register(stdin, select.POLLIN)
    before = alive_at = time.monotonic()
    while True:
        now = time.monotonic()
        paced = lines[chosen].bytes_s > 0
        lines[chosen].pour(lines[chosen].master if chosen >= 0 else own, min(now - before, 0.05))
        before = now
        if now >= alive_at:
            alive_at = now + ALIVE_S
            for number, line in enumerate(lines):
                if number != chosen and line.alive:
                    send(line.master, line.alive)
        empty(reader)
        for line in lines:
            empty(line.master)
        if poll.poll(TICK_S * 1000 if paced else 0):
            content = os.read(stdin, CHUNK)
            if not content:
                return
            *orders, waiting = (waiting + content).split(b"\n")
            chosen = int(orders[-1]) if orders else chosen


if __name__ == "__main__":
    flood(msgspec.json.decode(sys.argv[1].encode(), type=list[FloodLine]))

"""One process with many devices: `capacity_child.py PROFILE PATH...`. Every event is acknowledged as soon as it is heard.

It says `ready` when every device runs. When standard input closes it tells how many events it heard, in order and each once, and how much
memory it has; then it ends.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from device_profiles.plain.loader import is_plain, load_plain
from firmware_bridge.codec import load_codec
from firmware_bridge.device import Device, DeviceOutput, line_of
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.contract import Session
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import EventArrived, Running
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import Transport
from firmware_bridge.transport.port_loop import serve_ports
from hil.bench.line_child import say_ready

QUIET_S: Final = 1.0
"""Nothing was heard for so long: what was said has been taken."""


class Told(msgspec.Struct, frozen=True):
    """What the process says at its end."""

    handled: int
    memory_bytes: int


def session_maker(profile: str) -> Callable[[Transport], Session]:
    """Return what makes a session of this profile; the codec is shared, as in the daemon."""
    if is_plain(profile):
        plain = PlainCodec(load_plain(profile))
        return lambda transport: PlainSession(plain, PlainSettings(line=line_of(transport), first_wanted=1))
    codec = load_codec(profile)
    return lambda transport: HostSession(codec, HostSettings(line=line_of(transport)), os.urandom)


class House:
    """All devices, and how far the events of each have come."""

    def __init__(self, devices: int) -> None:
        self.devices: list[Device] = []
        self.handled = self._seen = 0
        self._last = [0] * devices
        self._not_running = devices

    def hear(self, number: int, output: DeviceOutput) -> None:
        """Count an event that is the next of its device, and acknowledge it."""
        match output:
            case EventArrived():
                eseq = output.event.eseq
                self.handled += eseq == self._last[number] + 1
                self._last[number] = eseq
                self.devices[number].acknowledge(eseq)
            case Running():
                self._not_running -= 1
                if self._not_running == 0:
                    say_ready()
            case _:
                pass

    def has_heard(self) -> bool:
        """Tell whether anything came since the last time."""
        before, self._seen = self._seen, self.handled
        return self.handled > before


def memory_bytes() -> int:
    """What this process has in memory now; the highest mark would be its parent's."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def serve(profile: str, paths: list[str]) -> Told:
    """Serve all lines until standard input closes."""
    house, make, waits = House(len(paths)), session_maker(profile), not is_plain(profile)
    for number, path in enumerate(paths):
        transport = open_transport(path)
        house.devices.append(Device(path, transport, make(transport), partial(house.hear, number), waits=waits))
    for device in house.devices:
        device.start()
    over = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), over.set)
    await over.wait()
    while house.has_heard():  # noqa: ASYNC110  # nobody knows which event is the last
        await asyncio.sleep(QUIET_S)
    told = Told(house.handled, memory_bytes())
    for device in house.devices:
        await device.stop()
    return told


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(serve_ports(serve(sys.argv[1], sys.argv[2:]))) + b"\n")

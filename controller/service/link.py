"""How the service holds one device: the part of the bridge's `Device` that a driver uses, and how one is made.

A driver knows this contract only, so that tests drive it with a device that has no port.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Protocol

from firmware_bridge.commands import Command
from firmware_bridge.device import Device, DeviceOutput
from firmware_bridge.reports import StatusReport
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed

KEY_HEX_DIGITS: Final = 32
"""Sixteen bytes (SDP/1 1.10)."""

Consumer = Callable[[DeviceOutput], None]


class Link(Protocol):
    """One connection after another to one device."""

    def start(self) -> asyncio.Task[None]:
        """Begin to connect, and go on until `stop`; the task ends earlier only by a defect, with its exception."""

    async def stop(self) -> None:
        """Close; the port is free when this returns."""

    def acknowledge(self, eseq: int) -> None:
        """Tell the device that its events up to this one are durable."""

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        """Send a command and return its final answer; NotReadyError when there is no connection."""

    async def status(self) -> StatusReport | None:
        """Ask where the device stands now; None when it does not tell. Raises as `command`."""


class DeviceLink:
    """The bridge's `Device` as a `Link`; `read_status` asks the device where it stands."""

    def __init__(self, device: Device, read_status: StatusReader) -> None:
        self._device = device
        self._read_status = read_status

    def start(self) -> asyncio.Task[None]:
        return self._device.start()

    async def stop(self) -> None:
        await self._device.stop()

    def acknowledge(self, eseq: int) -> None:
        self._device.acknowledge(eseq)

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        return await self._device.command(command)

    async def status(self) -> StatusReport | None:
        return await self._read_status(self._device)


StatusReader = Callable[[Device], Awaitable[StatusReport | None]]
LinkMaker = Callable[[int, Consumer], Link]
"""Makes a link that asks for events from a number on and tells a consumer everything."""


def read_device_key(path: Path) -> bytes:
    """Return the key in a file of 32 hexadecimal digits.

    Raises:
        OSError, ValueError: when the file cannot be read or holds something else. The text tells nothing of the key.
    """
    text = path.read_text("ascii").strip()
    if len(text) != KEY_HEX_DIGITS:
        raise ValueError("the file does not hold 32 hexadecimal digits")
    key = bytes.fromhex(text)
    if not any(key):
        raise ValueError("the file holds the default key, which is for setting the first key only")
    return key

"""Which ports this machine has: what pyserial lists, and the links in a directory that is a setting.

A port is told with a name that stays the same after plugging in again, in the words of the configuration, so that a
line can be copied into it. Looking opens nothing and changes nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec
from serial.tools import list_ports

from firmware_bridge.transport.serial import find_holder

BUILT_IN_PREFIX: Final = "/dev/ttyS"
"""Ports of the main board: their names do not move, and most of them lead nowhere."""


class PortSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One port of this machine."""

    port: str
    """What to write in the configuration: a link's name where there is one, else the path."""
    path: str
    stable: bool
    """False: the name follows the order of plugging in."""
    description: str
    serial: str | None
    """The adapter's own serial number, which is not the device's."""
    usb: str | None
    permitted: bool
    holder: str | None


def list_seen_ports(links: Path) -> list[PortSeen]:
    """Return all ports, links of the directory first."""
    by_path = {info.device: info for info in list_ports.comports()}
    seen: list[PortSeen] = []
    linked: set[str] = set()
    for link in sorted(_links_in(links)):
        target = os.path.realpath(link)
        linked.add(target)
        seen.append(_seen(link.name, target, by_path.get(target), stable=True))
    others = sorted(set(by_path) - linked)
    return seen + [_seen(path, path, by_path[path], stable=path.startswith(BUILT_IN_PREFIX)) for path in others]


def _links_in(folder: Path) -> list[Path]:
    try:
        return [entry for entry in folder.iterdir() if entry.is_symlink()]
    except OSError:
        return []


def _seen(port: str, path: str, info: object, *, stable: bool) -> PortSeen:
    vid, pid = getattr(info, "vid", None), getattr(info, "pid", None)
    description = getattr(info, "description", None)
    return PortSeen(
        port=port,
        path=path,
        stable=stable,
        description="" if description in (None, "n/a") else str(description),
        serial=getattr(info, "serial_number", None),
        usb=None if vid is None or pid is None else f"{vid:04x}:{pid:04x}",
        permitted=os.access(path, os.R_OK | os.W_OK),
        holder=find_holder(path),
    )

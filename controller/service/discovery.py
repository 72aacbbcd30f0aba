"""Which ports this machine has: what the system lists, the links in a directory that is a setting, and what a configuration wants of them.

A port is told with a name that stays the same after plugging in again, in the words of the configuration, so that a line can be copied
into it. With a configuration each port says whose it is, and what of it is missing or cannot be told apart says so. Looking opens
nothing and changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.service.config import ADAPTER, DeviceConfig, Setup, TableConfig
from firmware_bridge.transport.adapters import Adapter, list_adapters, twins_of
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import TransportError
from firmware_bridge.transport.holders import find_holder, find_holders
from firmware_bridge.transport.serial import SerialTransport
from firmware_bridge.transport.usb_find import HUB, list_usb

BUILT_IN_PREFIX: Final = "/dev/ttyS"
"""Ports of the main board: their names do not move, and most of them lead nowhere."""


class PortSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One port of this machine, or one that a configuration looks for."""

    port: str
    """What to write in the configuration: a link's name where there is one, else the adapter's own number, else the path."""
    path: str
    """Where it is now; empty: nowhere."""
    stable: bool
    """False: the name follows the order of plugging in."""
    description: str = ""
    serial: str | None = None
    """The adapter's own serial number, which is not the device's."""
    interface: int | None = None
    usb: str | None = None
    permitted: bool = True
    holder: str | None = None
    device: str | None = None
    """The table and device that it is configured for."""
    socket: str | None = None
    """Where it is plugged in, as the kernel names it."""
    note: str = ""
    """What keeps it from being used by this name."""


def list_seen_ports(links: Path) -> list[PortSeen]:
    """Return all ports, links of the directory first."""
    adapters = list_adapters(links)
    holders = find_holders(adapter.path for adapter in adapters)
    return [_seen(adapter, twins_of(adapter, adapters), holders.get(adapter.path)) for adapter in adapters]


def list_usb_ports(serial_ports: Sequence[PortSeen]) -> list[PortSeen]:
    """Return the USB devices that carry none of these serial ports.

    Raises:
        TransportError: they cannot be listed, as on a machine without a USB library.
    """
    sockets = {port.socket for port in serial_ports}
    return [
        PortSeen(
            port=seen.port,
            path=seen.node or seen.path,
            stable=seen.serial is not None,
            description=seen.name,
            serial=seen.serial,
            usb=seen.id,
            permitted=seen.permitted,
            holder=None if seen.node is None else find_holder(seen.node),
            socket=seen.path,
        )
        for seen in list_usb()
        if not seen.is_root_hub and seen.path not in sockets and any(one.class_code != HUB for one in seen.interfaces)
    ]


def list_configured_ports(setup: Setup, seen: Sequence[PortSeen]) -> list[PortSeen]:
    """Return these ports with the devices that a configuration has on them, and what it looks for and does not find."""
    wanted = [_wanted(setup, table, device) for table in setup.config.table for device in table.device]
    names = {one.path or one.port: one.device for one in wanted}
    told = {name for port in seen for name in (port.path, port.port)}
    rows = [msgspec.structs.replace(port, device=names.get(port.path) or names.get(port.port)) for port in seen]
    return rows + [one for one in wanted if (one.path or one.port) not in told]


def _wanted(setup: Setup, table: TableConfig, device: DeviceConfig) -> PortSeen:
    row = PortSeen(port=device.port, path="", stable=True, device=f"{table.id} {device.name}")
    try:
        transport = open_transport(setup.place_of(device).port)
        if not isinstance(transport, SerialTransport):
            return row
        path = os.path.realpath(transport.locate())
    except TransportError as error:
        return msgspec.structs.replace(row, note=error.what)
    if not Path(path).exists():
        return msgspec.structs.replace(row, note="not plugged in")
    return msgspec.structs.replace(row, path=path, permitted=_permitted(path), holder=find_holder(path))


def _seen(adapter: Adapter, twins: list[Adapter], holder: str | None) -> PortSeen:
    return PortSeen(
        port=adapter.path if twins else _name_of(adapter),
        path=adapter.path,
        stable=not twins and (adapter.link is not None or adapter.serial is not None or adapter.path.startswith(BUILT_IN_PREFIX)),
        description=adapter.description,
        serial=adapter.serial,
        interface=adapter.interface,
        usb=None if adapter.vendor is None or adapter.product is None else f"{adapter.vendor:04x}:{adapter.product:04x}",
        permitted=_permitted(adapter.path),
        holder=holder,
        socket=adapter.socket,
        note=" ".join(_twin_words(adapter, twins)),
    )


def _name_of(adapter: Adapter) -> str:
    if adapter.link is not None or adapter.serial is None:
        return adapter.name
    return f"{ADAPTER}{adapter.serial}{'' if adapter.interface is None else f'?interface={adapter.interface}'}"


def _twin_words(adapter: Adapter, twins: list[Adapter]) -> Iterator[str]:
    if twins:
        same = f"the serial number {adapter.serial}" if adapter.serial else "no serial number"
        yield f"of the same kind with {same} as {', '.join(twin.path for twin in twins)}: name it by a link in /dev/serial/by-path"


def _permitted(path: str) -> bool:
    return os.access(path, os.R_OK | os.W_OK)

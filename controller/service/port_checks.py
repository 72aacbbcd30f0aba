"""What keeps a configured port from being used, seen from the system: names that move, programs that take ports, permissions, rules.

Only looks: at links, at udev's own records under `/run`, at the list of processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from controller.service.config import DeviceConfig, Setup, TableConfig
from controller.service.discovery import list_seen_ports
from controller.service.finding import Finding, Grade
from controller.service.udev_rules import USUAL_GROUP, Ruled
from firmware_bridge.transport.adapters import Adapter, find_adapter, list_adapters, twins_of
from firmware_bridge.transport.address import open_transport, path_of
from firmware_bridge.transport.base import TransportError
from firmware_bridge.transport.serial import AdapterTransport, SerialTransport
from firmware_bridge.transport.usb import UsbTransport

MODEM_MANAGER: Final = "ModemManager"
"""A service of desktop systems that speaks to every new serial port for half a minute, taking it for a modem."""

BRAILLE: Final = "brltty"
"""A service for Braille displays that takes adapters of some kinds (CH340, CP210x) away from the serial driver: their port vanishes."""

IGNORED_BY: Final = ("ID_MM_PORT_IGNORE", "ID_MM_DEVICE_IGNORE")
"""udev's properties of a port and of a USB device that ModemManager leaves alone."""

MOVING_PREFIXES: Final = ("/dev/ttyUSB", "/dev/ttyACM")
"""Names that the kernel gives in the order of plugging in."""

PROC: Final = Path("/proc")
UDEV_RECORDS: Final = Path("/run/udev/data")
CHARACTER_DEVICES: Final = Path("/sys/dev/char")
BUILT_IN: Final = Path("/dev/ttyS0")

RULES: Final = "Put the rules in place that `shoed doctor --udev` prints"


def check_programs(setup: Setup) -> Iterator[Finding]:
    """Say which programs of this machine take serial ports that are configured."""
    ports = [port for table in setup.config.table for device in table.device if (port := _serial_port(setup, device)) is not None]
    running = set(process_names()) if ports else set()
    if MODEM_MANAGER in running:
        yield from _modem_manager(ports)
    missing = [port for port in ports if not Path(port).exists()]
    if BRAILLE in running and missing:
        what = f"{BRAILLE} is running, which takes some adapters for Braille displays; {', '.join(missing)} cannot be found."
        do = f"If nobody here needs it: apt remove {BRAILLE}, then plug the adapter in again."
        yield Finding("braille displays", Grade.LOOK, what, do)


def check_shared(setup: Setup) -> Iterator[Finding]:
    """Say when two names of the configuration lead to the same port: the second device would find it busy."""
    users: dict[str, list[str]] = {}
    for table in setup.config.table:
        for device in table.device:
            port = None if setup.place_of(device).bus else _serial_port(setup, device)
            if port is not None:
                users.setdefault(port, []).append(f"{table.id} {device.name} ({device.port})")
    for port, names in users.items():
        if len(names) > 1:
            what = f"{' and '.join(names)} are the same port: {port}."
            yield Finding("shared port", Grade.WRONG, what, "Name for each device the port that it is plugged into.")


def check_name(setup: Setup, device: DeviceConfig, check: str) -> Iterator[Finding]:
    """Say when a port's name may be another device's tomorrow, and what to write instead."""
    port = setup.place_of(device).port
    if not port.removeprefix("serial://").startswith(MOVING_PREFIXES):
        return
    path = path_of(port)
    seen_ports = list_seen_ports(setup.path_of(setup.config.ports.links))
    better = next((seen.port for seen in seen_ports if seen.path == path and seen.stable), None)
    what = f"The name {port} follows the order of plugging in: after a restart it may be another device."
    do = "Write the name that `shoed ports` shows for it." if better is None else f'Write port = "{better}".'
    yield Finding(check, Grade.LOOK, what, do)


def busy_words(holder: str | None) -> tuple[Grade, str]:
    """Return how bad it is that another program has a port, and what to do."""
    if holder is not None and MODEM_MANAGER in holder:
        return Grade.WRONG, f"It takes the port for a modem and lets go within a minute. {RULES}, so that it never does again."
    return Grade.LOOK, "That is well if it is the daemon; else stop that program."


def rules_for(setup: Setup) -> list[Ruled]:
    """Return what udev should know of each configured device."""
    adapters = list_adapters(setup.path_of(setup.config.ports.links))
    return [_ruled(setup, table, device, adapters) for table in setup.config.table for device in table.device]


def serial_group() -> str:
    """Return the group of this machine's serial ports."""
    try:
        group = BUILT_IN.group()
    except (OSError, KeyError):
        return USUAL_GROUP
    return USUAL_GROUP if group == "root" else group


def process_names() -> Iterable[str]:
    """Return the names of the processes that run."""
    for process in PROC.iterdir():
        if process.name.isdigit():
            try:
                yield (process / "comm").read_text().strip()
            except OSError:
                continue  # it has ended in this moment


def _modem_manager(ports: list[str]) -> Iterator[Finding]:
    taken = [port for port in ports if not _is_ignored(port)]
    if not taken:
        yield Finding("modem manager", Grade.GOOD, f"ModemManager is running and leaves {', '.join(ports)} alone.")
        return
    yield Finding(
        "modem manager",
        Grade.WRONG,
        f"ModemManager is running: it takes every new serial port for half a minute, {', '.join(taken)} too.",
        f"{RULES}, or switch it off with: systemctl disable --now ModemManager",
    )


def _is_ignored(port: str) -> bool:
    """Whether udev's records of the port or of its USB device tell ModemManager to leave it alone."""
    try:
        number = Path(port).stat().st_rdev
    except OSError:
        return False
    name = f"{os.major(number)}:{os.minor(number)}"
    return any(_has_property(record) for record in (name, *_usb_device_of(name)))


def _usb_device_of(name: str) -> Iterator[str]:
    try:
        place = (CHARACTER_DEVICES / name).resolve(strict=True)
    except OSError:
        return
    for folder in place.parents:
        if (folder / "idVendor").exists():
            yield (folder / "dev").read_text().strip()
            return


def _has_property(name: str) -> bool:
    try:
        record = (UDEV_RECORDS / f"c{name}").read_text(errors="replace").splitlines()
    except OSError:
        return False
    return any(line == f"E:{word}=1" for word in IGNORED_BY for line in record)


def _serial_port(setup: Setup, device: DeviceConfig) -> str | None:
    """The port of a device on a serial line of this machine: where it is now, else how it is named."""
    address = setup.place_of(device).port
    try:
        transport = open_transport(address)
        if not isinstance(transport, SerialTransport):
            return None
        return path_of(address) or address
    except TransportError:
        return None


def _ruled(setup: Setup, table: TableConfig, device: DeviceConfig, adapters: list[Adapter]) -> Ruled:
    name = f"{table.id}-{device.name}"
    try:
        transport = open_transport(setup.place_of(device).port)
    except TransportError as error:
        return Ruled(name=name, why_not=error.what)
    if isinstance(transport, UsbTransport) and transport.address.server is None:
        wanted = transport.address
        return Ruled(
            name=name, vendor=wanted.vendor, product=wanted.product, serial=wanted.serial, socket=wanted.path, is_serial_port=False
        )  # fmt: skip
    if not isinstance(transport, SerialTransport):
        return Ruled(name=name, why_not="it is reached over the network and needs no rule")
    try:
        if isinstance(transport, AdapterTransport):
            found = find_adapter(transport.serial_number, transport.interface, transport.links)
        else:
            path = os.path.realpath(transport.path)
            found = next((adapter for adapter in adapters if adapter.path == path), Adapter(path=path))
    except TransportError as error:
        return Ruled(name=name, why_not=f"{error.what}; {error.do}")
    if found.vendor is None:
        there = "is no USB adapter" if Path(found.path).exists() else "is not plugged in, so nobody knows what it is"
        return Ruled(name=name, why_not=f"{found.path} {there}")
    by_place = found.serial is None or bool(twins_of(found, adapters))
    return Ruled(
        name=name,
        vendor=found.vendor,
        product=found.product,
        serial=None if by_place else found.serial,
        interface=found.interface,
        socket=found.socket if by_place else None,
    )

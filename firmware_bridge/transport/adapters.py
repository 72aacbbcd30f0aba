"""Which serial adapters are plugged in, and which of them an address means.

An adapter is known by its serial number and its interface, never by `ttyUSB0`, which follows the order of plugging in. Two sources are
put together: what the system tells of its ports, and a directory of links that are named after adapter and interface, as udev makes them
(`usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0`). Where a port is known by its link alone, the name tells serial number and interface.

What fits more than one port is refused with the names of all: cheap adapters share one serial number, and a link then leads to the one
that was plugged in last. Looking opens nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from firmware_bridge.transport.base import PortAmbiguousError, PortMissingError

DEFAULT_LINKS: Final = "/dev/serial/by-id"
"""Where udev names adapters."""

LINK_NAME: Final = re.compile(r"(?P<unit>.+?)-if(?P<interface>[0-9a-f]{2})(?:-port(?P<line>[0-9]+))?")
"""udev's 60-serial.rules: bus and adapter, interface in hexadecimal, and the line of an interface that has several."""

_LOCATION: Final = re.compile(r":\d+\.(?P<interface>\d+)$")
"""The kernel's name of an interface ends in configuration and number."""


class Adapter(msgspec.Struct, frozen=True, kw_only=True):
    """One serial port that is there."""

    path: str
    """As the kernel names it now."""
    link: str | None = None
    """Its name in the directory of links."""
    serial: str | None = None
    interface: int | None = None
    vendor: int | None = None
    product: int | None = None
    socket: str | None = None
    """Where its adapter is plugged in, as the kernel names it."""
    description: str = ""
    is_told: bool = False
    """The system itself tells of this port; else there is a link only."""

    @property
    def name(self) -> str:
        """What a person can write for it."""
        return self.link or self.path

    @property
    def unit(self) -> tuple[object, ...] | None:
        """What a twin has too; None where nothing but the place tells it apart."""
        return None if self.vendor is None else (self.vendor, self.product, self.serial, self.interface)

    def has_serial(self, wanted: str) -> bool:
        """Return whether this is the adapter with that serial number."""
        if self.is_told:
            return self.serial is not None and (self.serial == wanted or _as_udev(self.serial) == wanted)
        named = LINK_NAME.fullmatch(self.link or "")
        return named is not None and named["unit"].endswith(f"_{_as_udev(wanted)}")


def list_adapters(links: Path) -> list[Adapter]:
    """Return every port of this machine once for each of its links, and once if it has none; linked ones first, by name."""
    told = {info.device: info for info in list_ports.comports()}
    linked = [(link.name, os.path.realpath(link)) for link in sorted(_links_in(links))]
    found = [_adapter(path, name, told.get(path)) for name, path in linked]
    others = sorted(set(told) - {path for _, path in linked})
    return found + [_adapter(path, None, told[path]) for path in others]


def find_adapter(serial: str, interface: int | None, links: Path) -> Adapter:
    """Return the one adapter with this serial number, and where it is given this interface.

    Raises:
        PortMissingError: none is plugged in.
        PortAmbiguousError: more than one is; the error names them.
    """
    units = _once([adapter for adapter in list_adapters(links) if adapter.has_serial(serial)])
    fitting = [adapter for adapter in units if interface is None or adapter.interface in (interface, None)]
    if len(fitting) == 1:
        return fitting[0]
    if not units:
        raise PortMissingError(
            f"no adapter with the serial number {serial} is plugged in", "plug it in, or choose one that `shoed ports` lists"
        )
    names = ", ".join(adapter.name for adapter in (fitting or units))
    if not fitting:
        raise PortMissingError(f"the adapter {serial} has no interface {interface}; there are {names}", "correct the interface")
    interfaces = {adapter.interface for adapter in fitting}
    several = len(interfaces) == len(fitting)
    do = f"add interface={min(i for i in interfaces if i is not None)} or another of them" if several else _by_path(fitting)
    what = f"{len(fitting)} ports have the serial number {serial}: {names}"
    raise PortAmbiguousError(what, do, tuple(adapter.name for adapter in fitting))


def verify_unique(path: str) -> None:
    """Check that a link named after an adapter means one port; with a twin plugged in it leads to either.

    Raises:
        PortAmbiguousError: another port has the same names; the error names both.
    """
    if LINK_NAME.fullmatch(Path(path).name) is None or not Path(path).is_symlink():
        return
    target, adapters = os.path.realpath(path), [_adapter(info.device, None, info) for info in list_ports.comports()]
    own = next((adapter for adapter in adapters if adapter.path == target), None)
    if own is None or own.unit is None:
        return
    twins = [adapter for adapter in adapters if adapter.unit == own.unit]
    if len(twins) > 1:
        names = ", ".join(adapter.path for adapter in twins)
        number = f"the serial number {own.serial}" if own.serial else "no serial number"
        what = f"{path} is one of {len(twins)} adapters of the same kind with {number}: {names}"
        raise PortAmbiguousError(what, _by_path(twins), tuple(adapter.path for adapter in twins))


def twins_of(adapter: Adapter, adapters: Sequence[Adapter]) -> list[Adapter]:
    """Return the others that nothing but their place tells from this one."""
    return [] if adapter.unit is None else [other for other in adapters if other.unit == adapter.unit and other.path != adapter.path]


def link_mark(serial: str, links: Path) -> object:
    """Return what changes when an adapter of this serial number comes, goes or moves; None while none is linked."""
    ending = f"_{_as_udev(serial)}"
    marks = []
    for link in sorted(_links_in(links)):
        named = LINK_NAME.fullmatch(link.name)
        node = node_mark(str(link)) if named is not None and named["unit"].endswith(ending) else None
        if node is not None:  # a link that leads nowhere is a plug that is out
            marks.append((link.name, node))
    return tuple(marks) or None


def node_mark(path: str) -> object:
    """Return what changes when another node is there, or its permissions are others; None while there is none."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_ino, found.st_rdev, found.st_ctime_ns


def _adapter(path: str, link: str | None, told: ListPortInfo | None) -> Adapter:
    named = LINK_NAME.fullmatch(link or "")
    interface = None if named is None else int(named["interface"], 16)
    if told is None:
        return Adapter(path=path, link=link, interface=interface)
    if interface is None:
        place = _LOCATION.search(told.location or "")
        interface = None if place is None else int(place["interface"])
    description = "" if told.description in (None, "n/a") else str(told.description)
    return Adapter(
        path=path,
        link=link,
        serial=told.serial_number,
        interface=interface,
        vendor=told.vid,
        product=told.pid,
        socket=(told.location or "").partition(":")[0] or None,
        description=description,
        is_told=True,
    )


def _once(adapters: Iterable[Adapter]) -> list[Adapter]:
    """A port with two links is one port; its first link names it."""
    by_path: dict[str, Adapter] = {}
    for adapter in adapters:
        by_path.setdefault(adapter.path, adapter)
    return list(by_path.values())


def _by_path(twins: Sequence[Adapter]) -> str:
    return f"name the one by the socket that it is plugged into: a link in /dev/serial/by-path that leads to {twins[0].path}"


def _links_in(folder: Path) -> list[Path]:
    try:
        return [entry for entry in folder.iterdir() if entry.is_symlink()]
    except OSError:
        return []


def _as_udev(serial: str) -> str:
    """Udev puts underscores in the place of blanks and of signs that a file name should not have."""
    return re.sub(r"[^0-9A-Za-z#+\-.:=@_]", "_", "_".join(serial.split()))

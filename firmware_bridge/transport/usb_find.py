"""Which USB devices are plugged in, here or at a USB/IP server, and which of them an address names.

Looking changes nothing and takes nothing from anybody. What a device calls itself and its serial number are taken from the
system's files where there are any: asking the device itself needs a right to it, and a device in use may not like it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import usb.backend.libusb1
import usb.core
import usb.util

from firmware_bridge.transport.base import (
    PortAmbiguousError,
    PortBrokenError,
    PortBusyError,
    PortMissingError,
    PortNotPermittedError,
    TransportError,
)
from firmware_bridge.transport.holders import find_holder
from firmware_bridge.transport.usb_address import UsbAddress
from firmware_bridge.transport.usb_rules import UsbInterface, UsbSeen
from firmware_bridge.transport.usbip_backend import UsbipBackend

SYSFS: Final = Path("/sys/bus/usb/devices")
NODES: Final = Path("/dev/bus/usb")
NAME_MAX: Final = 128
"""Of what a device calls itself, so much is told."""
ROOT_HUB_VENDOR: Final = 0x1D6B
HUB: Final = 9

_SEE_LIST: Final = "plug the device in, or write one that `shoed ports` lists"


def bus_of(server: tuple[str, int] | None) -> usb.backend.IBackend:
    """Return pyusb's way to the devices of this machine, or of a USB/IP server.

    Raises:
        PortMissingError: this machine has no USB library.
    """
    if server is not None:
        return UsbipBackend(*server)
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        raise PortMissingError("this machine has no USB library", "install libusb 1.0")
    return backend


def list_usb(server: tuple[str, int] | None = None, sysfs: Path = SYSFS) -> list[UsbSeen]:
    """Return every USB device that is plugged in here, or at a USB/IP server.

    Raises:
        TransportError: they cannot be listed.
    """
    return UsbLister(server, sysfs).list()


class UsbLister:
    """Lists the devices of one machine again and again; each is asked who it is once for each plugging in."""

    def __init__(self, server: tuple[str, int] | None = None, sysfs: Path = SYSFS) -> None:
        self._server = server
        self._sysfs = sysfs
        self._bus: usb.backend.IBackend | None = None
        self._known: dict[tuple[int, int, int, int], UsbSeen] = {}

    def list(self) -> list[UsbSeen]:
        """Return what is plugged in now.

        Raises:
            TransportError: the devices cannot be listed.
        """
        if self._bus is None:
            self._bus = bus_of(self._server)
        known, self._known = self._known, {}
        for device in _found(self._bus, self._server):
            key = (device.bus, device.address, device.idVendor, device.idProduct)
            self._known[key] = known.get(key) or _seen(device, self._server, self._sysfs)
        return [*self._known.values()]


def find_usb(address: UsbAddress, bus: usb.backend.IBackend, sysfs: Path = SYSFS) -> tuple[usb.core.Device, UsbSeen]:
    """Return the one device that an address names.

    Raises:
        PortMissingError: there is none.
        PortAmbiguousError: there are several.
        TransportError: the devices cannot be listed.
    """
    alike = [
        (device, seen)
        for device in _found(bus, address.server)
        if (device.idVendor, device.idProduct) == (address.vendor, address.product)
        and address.path in (None, (seen := _seen(device, address.server, sysfs)).path)
    ]
    found = [(device, seen) for device, seen in alike if address.serial in (None, seen.serial)]
    if len(found) == 1:
        return found[0]
    if found:
        where = ", ".join(f"{seen.serial or 'without a serial number'} at {seen.path}" for _device, seen in found)
        raise PortAmbiguousError(
            f"{address.url} names {len(found)} devices: {where}",
            "write its serial number or its path, as `shoed ports` shows them",
            tuple(seen.port if seen.serial and _alone(seen, found) else _by_path(seen, address) for _device, seen in found),
        )
    if alike:
        _device, seen = alike[0]
        serial = seen.serial or "none that may be read"
        raise PortMissingError(f"{seen.id} is there, and its serial number is {serial}, not {address.serial}", _SEE_LIST)
    raise PortMissingError(f"there is no USB device {address.url}", _SEE_LIST)


def plugged_now(address: UsbAddress, sysfs: Path = SYSFS) -> tuple[tuple[str, str], ...]:
    """Return socket and number of every device of this kind, from the system's files; it waits for nothing and asks no device."""
    if address.server is not None:
        return ()
    wanted = f"{address.vendor:04x}", f"{address.product:04x}"
    try:
        folders = sorted(sysfs.iterdir())
    except OSError:
        return ()  # no such system
    alike = [folder for folder in folders if (_line(folder / "idVendor"), _line(folder / "idProduct")) == wanted]
    return tuple((folder.name, _line(folder / "devnum")) for folder in alike)


def _line(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""  # an interface and not a device, or it was unplugged in this moment


def _alone(seen: UsbSeen, found: list[tuple[usb.core.Device, UsbSeen]]) -> bool:
    return [other.serial for _device, other in found].count(seen.serial) == 1


def _by_path(seen: UsbSeen, address: UsbAddress) -> str:
    return UsbAddress(vendor=seen.vendor, product=seen.product, path=seen.path, server=address.server).url


def usb_failure(url: str, error: usb.core.USBError, node: str | None = None) -> TransportError:
    """Return what an error of pyusb means for the caller; decided by its number alone."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return PortNotPermittedError(f"{url} may not be used by this account", "put the rule in place that `shoed doctor` prints")
        case errno.EBUSY:
            holder = find_holder(node) if node is not None else None
            return PortBusyError(f"{url} is in use by {holder or 'another program'}", "stop that program, then try again", holder)
        case errno.ENODEV | errno.ENOENT | errno.ENXIO | errno.ESHUTDOWN:
            return PortBrokenError(f"{url}: the device has gone", "check cable and power")
        case _:
            reason = os.strerror(error.errno) if error.errno else str(error)
            return PortBrokenError(f"{url}: the device fails ({reason})", "unplug it, plug it in again")


def _found(bus: usb.backend.IBackend, server: tuple[str, int] | None) -> Iterable[usb.core.Device]:
    try:
        return list(usb.core.find(find_all=True, backend=bus))
    except usb.core.USBError as error:
        place = "this machine's USB devices" if server is None else f"usbip://{server[0]}:{server[1]}"
        raise PortMissingError(f"{place} cannot be listed: {error.strerror}", "check that the server runs and its address") from error


def _seen(device: usb.core.Device, server: tuple[str, int] | None, sysfs: Path) -> UsbSeen:
    path = f"{device.bus}-{'.'.join(map(str, device.port_numbers))}" if device.port_numbers else f"usb{device.bus}"
    folder = sysfs / path if server is None else None
    serial, name = _word(folder, "serial", device, device.iSerialNumber), _word(folder, "product", device, device.iProduct)
    node = str(NODES / f"{device.bus:03d}" / f"{device.address:03d}") if server is None else None
    address = UsbAddress(
        vendor=device.idVendor, product=device.idProduct, serial=serial, path=None if serial else path, server=server
    )  # fmt: skip
    seen = UsbSeen(
        vendor=device.idVendor,
        product=device.idProduct,
        serial=serial,
        name=(name or "")[:NAME_MAX],
        path=path,
        address_now=f"{device.bus}-{device.address}",
        is_root_hub=server is None and not device.port_numbers and (device.idVendor, device.bDeviceClass) == (ROOT_HUB_VENDOR, HUB),
        port=address.url,
        node=node,
        permitted=node is None or os.access(node, os.R_OK | os.W_OK),
        interfaces=tuple(_interfaces(device, folder)),
    )
    usb.util.dispose_resources(device)  # asking for a text has opened it
    return seen


def _word(folder: Path | None, file: str, device: usb.core.Device, index: int) -> str | None:
    """A text of the device: from the system's files, else from the device, None where neither tells."""
    if not index:
        return None
    if folder is not None and (folder / file).is_file():
        return (folder / file).read_text(encoding="utf-8", errors="replace").rstrip("\n")
    try:
        text = usb.util.get_string(device, index)
    except (usb.core.USBError, ValueError, NotImplementedError):
        return None  # no right to it, or it does not tell
    return None if text is None else str(text)


def _interfaces(device: usb.core.Device, folder: Path | None) -> Iterator[UsbInterface]:
    """All that it may become: every interface of every configuration, in every alternate setting that differs."""
    try:
        settings = [interface for configuration in device for interface in configuration]
    except usb.core.USBError:
        return  # it does not tell: nothing can be allowed of it
    kinds = {(s.bInterfaceNumber, s.bInterfaceClass, s.bInterfaceSubClass, s.bInterfaceProtocol): None for s in settings}
    for number, class_code, subclass, protocol in kinds:
        yield UsbInterface(number=number, class_code=class_code, subclass=subclass, protocol=protocol, driver=_driver(folder, number))


def _driver(folder: Path | None, number: int) -> str | None:
    if folder is None:
        return None
    try:
        return (folder / f"{folder.name}:1.{number}" / "driver").readlink().name
    except OSError:
        return None

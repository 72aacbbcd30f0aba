"""A serial adapter of class CDC-ACM on a simulated USB bus; its wire ends at a TCP port, as that of QEMU's FTDI adapter does."""

from __future__ import annotations

import asyncio
from typing import Final

from usbip.classes.device.cdc_acm import CDCACM
from usbip.device import USBDevice

from hil.simulated.usb_bus import UsbBus

VENDOR: Final = 0x1209
PRODUCT: Final = 0x5D7F
"""The vendor of free projects, and a number that no shoe of ours has."""
MAKER: Final = "shoed"
NAME: Final = "ACM adapter"


class AcmAdapter:
    """One adapter. `port`: where its wire ends; None: nothing hangs on it. Use it on the bus's event loop."""

    def __init__(self, bus: UsbBus, serial: str, port: int | None) -> None:
        self.link = f"usb-{MAKER}_{NAME.replace(' ', '_')}_{serial}-if00"
        """The name of the link that udev makes for it."""
        self.busid: str | None = None
        self._bus, self._port = bus, port
        self._device = USBDevice(VENDOR, PRODUCT, product=NAME, manufacturer=MAKER, serial=serial)
        self._plug = self._device.add(CDCACM(on_rx=lambda _plug, chunk: self._to_wire(chunk)))
        self._wire: asyncio.StreamWriter | None = None
        self._pumping: asyncio.Task[None] | None = None

    async def plug_in(self) -> str:
        """Put it into a socket of the bus and return which."""
        if self._port is not None:
            reader, self._wire = await asyncio.open_connection("127.0.0.1", self._port)
            self._pumping = asyncio.create_task(self._pump(reader))
        self._device.config = 0
        self.busid = self._bus.plug_in(self._device, lambda: None, lambda: None, self.busid)
        return self.busid

    async def pull(self) -> None:
        """Pull it out: both ends see it."""
        if self.busid is not None:
            self._bus.unplug(self.busid)
        if self._pumping is not None:
            self._pumping.cancel()
            await asyncio.wait([self._pumping])
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def _to_wire(self, chunk: bytes) -> None:
        if self._wire is not None:
            self._wire.write(bytes(chunk))

    async def _pump(self, reader: asyncio.StreamReader) -> None:
        while chunk := await reader.read(4096):
            self._plug.write(chunk)

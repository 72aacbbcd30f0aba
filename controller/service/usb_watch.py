"""Looks at what is plugged into the USB sockets, and tells every table of a device that is not on the list.

Whatever such a device is, it had a socket of this machine: so all tables are held until a supervisor has decided, and it is told once for
each time that it is plugged in. Nothing is ever asked of it but who it is.

Looking may wait in the USB library, so it has a thread of its own; one that hangs is told, and the tables go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from controller.service.config import Setup
from controller.service.inbox import Noticed
from controller.service.logs import Logger
from controller.service.metrics import Metrics
from controller.service.table_task import TableTask
from controller.service.usb_config import allowed_devices
from controller.service.usb_ports import usb_ports
from controller.service.watch import HOST
from firmware_bridge.transport.base import TransportError
from firmware_bridge.transport.own_threads import OWN_THREADS
from firmware_bridge.transport.usb_find import UsbLister
from firmware_bridge.transport.usb_rules import UsbAllow, UsbSeen, objection_to

LOOK_S: Final = 0.4
"""A device that is plugged in is told within a second (T-01); half of it is for looking and deciding."""
HANG_S: Final = 5.0
"""Listing takes milliseconds; a library that needs seconds hangs."""

Look = Callable[[], Iterable[UsbSeen]]


class UsbWatch:
    """Remembers what it has told of. `look` lists the devices and may wait."""

    def __init__(self, look: Look, allowed: Sequence[UsbAllow], tables: Mapping[str, TableTask], metrics: Metrics, logger: Logger) -> None:
        self._look = look
        self._allowed = allowed
        self._tables = tables
        self._metrics = metrics
        self._logger = logger
        self._told: dict[tuple[str, str], str] = {}
        self._failure = ""

    async def run(self) -> None:
        """Look until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            looking = loop.run_in_executor(OWN_THREADS, self._list)
            done, _ = await asyncio.wait([looking], timeout=HANG_S)
            if not done:
                self._fail("the USB library hangs")
                await asyncio.wait([looking])
            self.judge(looking.result())
            await asyncio.sleep(LOOK_S)

    def judge(self, found: Iterable[UsbSeen] | TransportError) -> None:
        """Tell of the devices that are there and should not be."""
        if isinstance(found, TransportError):
            self._fail(found.what)
            return
        self._failure = ""
        foreign = {
            (seen.address_now, seen.id): f"the USB device {seen.id} at {seen.path} {words}"
            for seen in found
            if not seen.is_root_hub and (words := objection_to(seen, self._allowed)) is not None
        }
        for key, words in foreign.items():
            if self._told.get(key) != words:
                self._tell(words)
        for words in set(self._told.values()) - set(foreign.values()):
            self._logger.info("foreign-usb-gone", device=words)
        self._told = foreign

    def _list(self) -> list[UsbSeen] | TransportError:
        try:
            return list(self._look())
        except TransportError as error:
            return error

    def _tell(self, words: str) -> None:
        self._metrics.add("shoed_foreign_usb_total")
        self._logger.error("foreign-usb", device=words)
        for table in self._tables.values():
            table.tell(Noticed(HOST, "foreign-usb", words))

    def _fail(self, words: str) -> None:
        """Told once: what cannot be looked at raises no alarm, since an unplugged network is no intruder."""
        if words != self._failure:
            self._failure = words
            self._metrics.add("shoed_usb_watch_failures_total")
            self._logger.error("usb-watch-blind", why=words)


def look_everywhere(servers: Sequence[tuple[str, int] | None]) -> Look:
    """Return what lists the devices of this machine (None) and of USB/IP servers, each device being asked who it is only once."""
    listers = [UsbLister(server) for server in servers]

    def look() -> Iterable[UsbSeen]:
        return [seen for lister in listers for seen in lister.list()]

    return look


def make_usb_watch(setup: Setup, tables: Mapping[str, TableTask], metrics: Metrics, logger: Logger) -> UsbWatch | None:
    """Return the watch that a configuration asks for; None where it lists no USB devices, or wants none."""
    config = setup.config.usb
    if not config.watch or not config.allow:
        return None
    servers = dict.fromkeys([None, *(address.server for _key, address in usb_ports(setup))])
    return UsbWatch(look_everywhere(list(servers)), allowed_devices(config), tables, metrics, logger)

"""A running daemon and its ports: drivers that hang, plugs that are pulled, devices that are exchanged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
import pytest

from controller.service.loss import is_rubbish, refusal_words, silence_words
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.session.outputs import Fault, IdentityMismatch, RefusalKind, Refused
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings
from tests.controller.service.conftest import PROGRAM, Site

NewSite = Callable[..., AbstractAsyncContextManager[Site]]

HANGS = """
import threading, termios
from firmware_bridge.transport.serial import SerialTransport
def hangs_after(times, real, count=[0]):
    def call(*args, **kwargs):
        count[0] += 1
        return real(*args, **kwargs) if count[0] <= times else threading.Event().wait()
    return call
"""
"""Checking the device at the start opens and closes its port once; what hangs is the opening after it, or the closing at the end."""

DRIVERS = {
    "close": "SerialTransport._free_descriptor = hangs_after(1, SerialTransport._free_descriptor)",
    "flush": "termios.tcflush = hangs_after(3, termios.tcflush)",
    "open": "SerialTransport._open_and_configure = hangs_after(1, SerialTransport._open_and_configure)",
}
STOP_S = 5.0


async def stands(client: httpx.AsyncClient, state: str, table: str = "T1", within_s: float = 30.0) -> dict[str, object]:
    """Wait until the daemon says that the shoe is in this state, and return what it says of it."""
    async with asyncio.timeout(within_s):
        while True:
            told = (await client.get(f"/v1/tables/{table}")).json()["devices"]["shoe"]
            if told["state"] == state:
                return dict(told)
            await asyncio.sleep(0.01)


async def alarm(client: httpx.AsyncClient, table: str, code: str, *, holds: bool) -> None:
    """Wait until the table has this alarm, or has it no more."""
    async with asyncio.timeout(30):
        while True:
            told = (await client.get(f"/v1/tables/{table}")).json()["outcome"].get("alarms", [])
            if (code in told) is holds:
                return
            await asyncio.sleep(0.01)


async def stop_with(new_site: NewSite, driver: str) -> float:
    async with new_site() as site:
        site.program = f"{HANGS}\n{DRIVERS[driver]}\n{PROGRAM}"
        async with await site.start() as client:
            await stands(client, "connecting" if driver == "open" else "running")
        begin_s = time.monotonic()
        assert await site.end() == 0, await site.errors()
        took_s = time.monotonic() - begin_s
        assert '"event":"stopped"' in site.log().replace(": ", ":")
    return took_s


@pytest.mark.slow
@pytest.mark.parametrize("driver", DRIVERS)
async def test_the_daemon_stops_within_5_seconds_whatever_its_port_does(new_site: NewSite, driver: str) -> None:
    assert await stop_with(new_site, driver) < STOP_S


@pytest.mark.slow
@pytest.mark.requirement("EQ-44", "EQ-57")
async def test_an_unplugged_device_is_told_within_a_second(new_site: NewSite, tmp_path: Path) -> None:
    longest_s = 0.0
    async with new_site(link_dir=tmp_path / "ports") as site, await site.start() as client:
        for _ in range(20):
            await stands(client, "running")
            begin_s = time.monotonic()
            await site.shoe.unplug()
            await stands(client, "lost")
            longest_s = max(longest_s, time.monotonic() - begin_s)
            await site.shoe.plug_in()
    assert longest_s < 1.0


def lead(link: Path, target: Path) -> None:
    fresh = link.with_name("fresh")
    fresh.symlink_to(target.resolve())
    fresh.replace(link)


@pytest.mark.slow
@pytest.mark.requirement("EQ-57", "T-04")
async def test_tables_whose_devices_are_exchanged_both_stop_and_name_both(new_site: NewSite, tmp_path: Path) -> None:
    ports = tmp_path / "ports"
    second = SimulatedDevice(SimulatedSettings(serial="SIM-SHOE-2", link_dir=ports))
    async with second, new_site(link_dir=ports) as site:
        other = f"""
[[table]]
id = "T2"
game = "colorado-hold-em-poker"
method = "manual-shoe"
[[table.device]]
name = "shoe"
kind = "shoe"
port = "{tmp_path}/two"
serial = "SIM-SHOE-2"
"""
        for name, number in (("one", 1), ("two", 2)):
            lead(tmp_path / name, ports / f"SIM-SHOE-{number}")
        site.configure(port=f"{tmp_path}/one", device_extra=other)
        async with await site.start() as client:
            for table in ("T1", "T2"):
                await stands(client, "running", table)
            for shoe in (site.shoe, second):
                await shoe.unplug()
            for table in ("T1", "T2"):
                await stands(client, "lost", table)
            for shoe in (site.shoe, second):
                await shoe.plug_in()
            lead(tmp_path / "one", ports / "SIM-SHOE-2")
            lead(tmp_path / "two", ports / "SIM-SHOE-1")
            for table, own, found in (("T1", 1, 2), ("T2", 2, 1)):
                told = await stands(client, "refused", table)
                words = f"expected SIM-SHOE-{own}, found SIM-SHOE-{found}, which is the shoe of table T{found}"
                assert words in str(told["detail"])
                await alarm(client, table, "wrong-identity", holds=True)
            lead(tmp_path / "one", ports / "SIM-SHOE-1")
            lead(tmp_path / "two", ports / "SIM-SHOE-2")
            for table in ("T1", "T2"):
                await stands(client, "running", table)
                await alarm(client, table, "wrong-identity", holds=False)


def test_a_device_that_only_mumbles_is_not_called_silent() -> None:
    heard = [Fault(FaultKind.COBS, 1, ""), Fault(FaultKind.UNFRAMED, 9, "")]
    assert all(is_rubbish(output) for output in heard)
    assert not is_rubbish(Fault(FaultKind.STALE_ANSWER, 1, ""))
    assert silence_words(rubbish=False) == "it does not answer"
    assert "another protocol" in silence_words(rubbish=True)


def test_a_stranger_is_named_by_its_number_and_an_exchanged_device_by_its_table() -> None:
    owners = {"SN-1": "the shoe of table T1", "SN-2": "the shoe of table T2"}
    assert refusal_words(IdentityMismatch(1, RefusalKind.IDENTITY, "SN-1", "SN-9"), owners) == "identity: expected SN-1, found SN-9"
    exchanged = refusal_words(IdentityMismatch(1, RefusalKind.IDENTITY, "SN-1", "SN-2"), owners)
    assert exchanged == "identity: expected SN-1, found SN-2, which is the shoe of table T2: the plugs of two devices are exchanged"
    assert "T2" not in refusal_words(Refused(1, RefusalKind.VERSION, "1", "SN-2"), owners)

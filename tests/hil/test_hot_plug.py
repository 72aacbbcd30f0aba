"""Plugs that come out and go in again: noticed at once, at whatever name, and only the registered device is used."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path

import pytest

from firmware_bridge.device import DeviceStanding
from firmware_bridge.port_news import PortFailed, PortLost, PortOpened
from firmware_bridge.session.outputs import IdentityMismatch, LinkLost, Running
from firmware_bridge.transport.base import PortMissingError
from hil.mechanism.cards import fresh_deck
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time

SOON_S = 3.0
"""A look a second, and the opening dialogue; the protocol's own pace is 15 s after a few tries."""


def run(main: Coroutine[object, object, None]) -> None:
    run_in_virtual_time(main)


def shoe(folder: Path, serial: str = "SIM-SHOE-1") -> SimulatedDevice:
    settings = SimulatedSettings(serial=serial, link_dir=folder, timing=Timing.instant())
    return SimulatedDevice(settings, clock=asyncio.get_running_loop().time)


def leads_to(device: SimulatedDevice) -> Path:
    return Path(device.url).resolve()


def lead(link: Path, target: Path) -> None:
    """Plug in there what is at `target` now."""
    fresh = link.with_name("fresh")
    fresh.symlink_to(target.resolve())
    fresh.replace(link)


async def stands(host: HostBench, standing: DeviceStanding, within_s: float = SOON_S) -> None:
    async with asyncio.timeout(within_s):
        await host.device.reached(standing)


@pytest.mark.requirement("EQ-57")
@pytest.mark.parametrize("away_s", [0.0, 0.5, 40.0])
def test_a_plug_that_is_put_in_again_is_noticed_soon_however_long_it_was_out(tmp_path: Path, away_s: float) -> None:
    async def main() -> None:
        async with shoe(tmp_path) as device:
            device.load(fresh_deck())
            host = HostBench(device.url, serial="SIM-SHOE-1")
            host.start()
            await host.running()
            await device.unplug()
            await asyncio.sleep(away_s)
            device.press(1)
            await device.plug_in()
            await host.until_output(PortLost)
            await stands(host, DeviceStanding.RUNNING)
            await device.all_acknowledged()
            host.verify_stream()
            assert len(host.of_kind(PortLost)) == len(host.of_kind(LinkLost)) == 1
            await host.stop()

    run(main())


@pytest.mark.requirement("EQ-57")
def test_an_adapter_that_comes_back_under_another_name_is_found_and_used(tmp_path: Path) -> None:
    async def main() -> None:
        links = tmp_path / "by-id"
        links.mkdir()
        async with shoe(tmp_path / "ports") as device:
            link = links / "usb-FTDI_FT232R_A50285BI-if00-port0"
            link.symlink_to(device.url)
            host = HostBench(f"adapter://A50285BI?links={links}", serial="SIM-SHOE-1")
            host.start()
            await host.running()
            before = leads_to(device)
            await device.unplug()
            await host.device.reached(DeviceStanding.WAITING_FOR_PORT)
            await asyncio.sleep(30)
            taken = os.openpty()  # by which its old name is somebody else's now
            await device.plug_in()
            await stands(host, DeviceStanding.RUNNING)
            assert leads_to(device) != before
            for fd in taken:
                os.close(fd)
            missing = [output.error for output in host.of_kind(PortFailed) if isinstance(output, PortFailed)]
            assert missing
            assert all(isinstance(error, PortMissingError) for error in missing)
            await host.stop()

    run(main())


@pytest.mark.requirement("EQ-57", "T-04")
def test_two_devices_whose_plugs_are_exchanged_are_both_refused_until_they_are_put_right(tmp_path: Path) -> None:
    async def main() -> None:
        ports, names = tmp_path / "ports", ("SN-1", "SN-2")
        async with shoe(ports, "SN-1") as first, shoe(ports, "SN-2") as second:
            for name in names:
                lead(tmp_path / name, ports / name)
            hosts = [HostBench(str(tmp_path / name), serial=name) for name in names]
            for host in hosts:
                host.start()
                await host.running()
            for device in (first, second):
                await device.unplug()
            for host in hosts:
                await host.until_output(PortLost)
            for device in (second, first):
                await device.plug_in()
            lead(tmp_path / "SN-1", ports / "SN-2")
            lead(tmp_path / "SN-2", ports / "SN-1")
            for host, own, other in zip(hosts, names, reversed(names), strict=True):
                await stands(host, DeviceStanding.REFUSED)
                assert isinstance(host.device.refusal, IdentityMismatch)
                assert (host.device.refusal.expected, host.device.refusal.actual) == (own, other)
                assert len(host.of_kind(Running)) == 1
            first.press(1)
            lead(tmp_path / "SN-1", ports / "SN-1")
            lead(tmp_path / "SN-2", ports / "SN-2")
            for host in hosts:
                await stands(host, DeviceStanding.RUNNING)
                host.verify_stream()
                await host.stop()
            assert len(hosts[1].stored) < len(hosts[0].stored)

    run(main())


def test_a_port_that_comes_and_goes_all_the_time_is_opened_once_a_second_at_most(tmp_path: Path) -> None:
    async def main() -> None:
        async with shoe(tmp_path) as device:
            host = HostBench(device.url, serial="SIM-SHOE-1")
            host.start()
            await host.running()
            loop = asyncio.get_running_loop()
            begin_s = loop.time()
            for _ in range(40):
                await device.unplug()
                await asyncio.sleep(0.05)
                await device.plug_in()
                await asyncio.sleep(0.05)
            assert len(host.of_kind(PortOpened)) <= 2 + (loop.time() - begin_s)
            await stands(host, DeviceStanding.RUNNING)
            await host.stop()

    run(main())

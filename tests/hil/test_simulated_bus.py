"""Two simulated devices on one real pseudo-terminal, two hosts on one line: silence, noise and a pulled cable concern whom they concern."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_bridge.codec import load_codec
from firmware_bridge.port_news import PortLost, PortOpened
from firmware_bridge.session.outputs import LinkLost
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import TransportState
from firmware_bridge.transport.bus import BusLine
from hil.mechanism.cards import fresh_shoe
from hil.mechanism.options import Timing
from hil.simulated.cable import BusCable
from hil.simulated.device import SimulatedDevice
from hil.simulated.ends import PtyEnd
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings


class Bus:
    """Everything on one line."""

    def __init__(self, folder: Path, *, echo: bool = False) -> None:
        self.cable = BusCable(PtyEnd(folder / "RAIL"), echo=echo)
        self.devices = {
            address: SimulatedDevice(
                SimulatedSettings(kind=kind, serial=f"SN-{address}", timing=Timing.instant(), address=address), cable=self.cable
            )
            for address, kind in ((1, "shoe"), (9, "shuffler"))
        }
        self.line = BusLine(lambda: open_transport(str(folder / "RAIL")), load_codec("sdp1").profile.framing, (1, 9))
        self.hosts = {address: HostBench("", serial=f"SN-{address}", tap=self.line.taps[address]) for address in (1, 9)}

    async def start(self) -> None:
        for device in self.devices.values():
            device.load(fresh_shoe(1))
            await device.start()
        for host in self.hosts.values():
            host.start()
            await host.running()


@asynccontextmanager
async def bus(folder: Path, *, echo: bool = False) -> AsyncIterator[Bus]:
    made = Bus(folder, echo=echo)
    try:
        await made.start()
        yield made
    finally:
        for host in made.hosts.values():
            await host.stop()
        for device in made.devices.values():
            await device.stop()
    assert made.line.below.state is TransportState.CLOSED


@pytest.mark.requirement("EQ-50", "EQ-56")
@pytest.mark.parametrize("echo", [False, True], ids=["clean", "with echo"])
def test_a_silent_and_a_noisy_device_do_not_stop_the_other(tmp_path: Path, echo: bool) -> None:
    async def scene() -> None:
        rng = random.Random(5)
        async with bus(tmp_path, echo=echo) as rail:
            shoe, host = rail.devices[1], rail.hosts[1]
            rail.devices[9].power_off()
            for number in range(20):
                shoe.open_lid() if number % 2 else shoe.close_lid()
                rail.cable.say(rng.randbytes(40))
                await shoe.all_acknowledged()
            host.verify_stream()
            assert not host.of_kind(LinkLost)
            rail.devices[9].power_on()
            await rail.hosts[9].until(lambda: len(rail.hosts[9].of_kind(LinkLost)) > 0)
            await rail.devices[9].host_running(30.0)
            assert not host.of_kind(LinkLost)
            assert (rail.line.counters.echoes > 0) is echo

    asyncio.run(scene())


@pytest.mark.requirement("EQ-50")
def test_a_line_that_breaks_is_opened_once_for_all(tmp_path: Path) -> None:
    async def scene() -> None:
        async with bus(tmp_path) as rail:
            for device in rail.devices.values():
                await device.unplug()  # the last plug takes the pseudo-terminal with it
            for host in rail.hosts.values():
                await host.until_output(PortLost)
            for device in rail.devices.values():
                await device.plug_in()
            for address, host in rail.hosts.items():
                await rail.devices[address].host_running(30.0)
                assert len(host.of_kind(PortOpened)) == 2
            assert rail.line.below.counters.opens == 2

    asyncio.run(scene())


def test_one_device_that_is_let_go_leaves_the_line_to_the_other(tmp_path: Path) -> None:
    async def scene() -> None:
        async with bus(tmp_path) as rail:
            await rail.hosts[9].stop()
            rail.devices[1].open_lid()
            await rail.devices[1].all_acknowledged()
            assert rail.line.below.state is TransportState.OPEN
            await rail.hosts[9].restart()
            await rail.devices[9].host_running()
            assert not rail.hosts[1].of_kind(LinkLost)

    asyncio.run(scene())

"""Whatever the line does, every card is told exactly once and the two ends are back in step. The seed is in the name."""

from __future__ import annotations

import asyncio
import random

import pytest

from firmware_bridge.commands import Lock, OpenShoe, Unlock
from firmware_bridge.device import DeviceStanding
from firmware_bridge.errors import NotReadyError
from hil.faults import FAULTS, Place
from hil.mechanism.cards import fresh_shoe
from hil.mechanism.options import DrawResult, Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time

SHOE_ID = b"shoe-number-0001"
KEY = bytes(range(1, 17))
LINE_FAULTS = [fault.name for fault in FAULTS if fault.place is Place.LINE]
PATIENCE_S = 600.0
"""Virtual seconds: many lost links one after the other."""


class Dealer:
    """Opens the gate for a few cards, pulls them, and begins again until the shoe is empty; gives up nothing."""

    def __init__(self, device: SimulatedDevice, host: HostBench, seed: int) -> None:
        self.device = device
        self.host = host
        self.rng = random.Random(seed)

    async def deal(self, cards: int, mishap: float = 0.0) -> None:
        """Deal so many cards; after each pull comes, with probability `mishap`, one of `mishaps`."""
        while len(self.device.tray) < cards:
            if self.device.snapshot().gate != "open" and not await self._unlock():
                continue
            if self.device.draw() is not DrawResult.DRAWN:
                await self.device.gate("locked", PATIENCE_S)
            if self.rng.random() < mishap:
                await self._mishap()
        await self.device.all_acknowledged(PATIENCE_S)

    async def _unlock(self) -> bool:
        async with asyncio.timeout(PATIENCE_S):
            await self.host.device.reached(DeviceStanding.RUNNING)
        if self.device.snapshot().shoe_id is None:
            await self._ask(OpenShoe(SHOE_ID, 8))
        return await self._ask(Unlock(self.rng.randint(1, 7)))

    async def _ask(self, command: OpenShoe | Unlock | Lock) -> bool:
        try:
            await self.host.device.command(command)
        except NotReadyError:
            return False
        await asyncio.sleep(0.01)
        return self.device.snapshot().gate == "open"

    async def _mishap(self) -> None:
        if self.rng.random() < 0.5:
            self.device.power_off()
            await asyncio.sleep(self.rng.random() * 3.0)
            self.device.power_on()
        else:
            await self.host.restart()


def deal_through(
    seed: int, cards: int, *faults: str, key: bytes | None = None, mishap: float = 0.0, tcp: bool = False
) -> tuple[HostBench, SimulatedDevice]:
    async def main() -> tuple[HostBench, SimulatedDevice]:
        settings = SimulatedSettings(
            seed=seed,
            faults=faults,
            key=key,
            timing=Timing(card_s=0.02, gate_s=0.01),
            tcp=("127.0.0.1", 0) if tcp else None,
        )
        async with SimulatedDevice(settings, clock=asyncio.get_running_loop().time) as device:
            device.load(fresh_shoe(8))
            host = HostBench(device.url, serial=settings.serial, key=key)
            host.start()
            await Dealer(device, host, seed).deal(cards, mishap)
            await host.stop()
            return host, device

    return run_in_virtual_time(main())


def assert_every_card_once(host: HostBench, device: SimulatedDevice, seed: int) -> None:
    host.verify_stream()
    told = [card.code for card in host.cards()]
    left = [card.face.code if card.face is not None else 0 for card in device.tray]
    assert told == left, f"seed {seed}: what was told is not what left"
    assert [event.position for event in host.card_events()] == list(range(1, len(left) + 1)), f"seed {seed}"


@pytest.mark.requirement("EQ-48", "EQ-49", "EQ-58")
@pytest.mark.parametrize("fault", LINE_FAULTS)
def test_each_line_fault_alone_costs_no_card(fault: str) -> None:
    host, device = deal_through(11, 60, f"{fault}:0.05" if fault != "cut" else "cut@40")
    assert_every_card_once(host, device, 11)
    assert device.to_host.struck.get(fault, 0) + device.to_device.struck.get(fault, 0) > 0


@pytest.mark.requirement("EQ-48", "EQ-49", "EQ-58")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_line_faults_together_cost_no_card(seed: int, key: bytes | None) -> None:
    faults = ("drop:0.01", "flip:0.01", "duplicate:0.02", "delay:0.02", "split:0.2", "merge:0.1", "junk:0.02", "cut:0.002")
    host, device = deal_through(seed, 150, *faults, key=key)
    assert_every_card_once(host, device, seed)


@pytest.mark.requirement("EQ-48", "EQ-96")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("seed", [21, 22])
def test_power_losses_and_killed_hosts_at_random_moments_cost_no_card(seed: int, key: bytes | None) -> None:
    host, device = deal_through(seed, 120, key=key, mishap=0.1)
    assert_every_card_once(host, device, seed)
    assert device.machine.boot_count > 1


@pytest.mark.parametrize("seed", [31])
def test_everything_at_once_costs_no_card(seed: int) -> None:
    host, device = deal_through(seed, 100, "drop:0.01", "flip:0.02", "split:0.2", "power-loss:0.02", key=KEY, mishap=0.04)
    assert_every_card_once(host, device, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_soak_every_fault_for_a_whole_shoe(seed: int) -> None:
    faults = ("drop:0.01", "flip:0.02", "duplicate:0.02", "delay:0.02", "split:0.2", "merge:0.1", "junk:0.02", "cut:0.002")
    key = KEY if seed % 2 else None
    host, device = deal_through(seed, 400, *faults, "power-loss:0.01", key=key, mishap=0.02, tcp=seed % 3 == 0)
    assert_every_card_once(host, device, seed)

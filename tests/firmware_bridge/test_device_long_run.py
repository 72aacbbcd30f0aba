"""A device that deals for a long time: what the host keeps of it does not grow, and neither do descriptors, tasks and threads.

Time is virtual; one card leaves a second, as at a brisk table. What is counted are the bridge's own objects.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections import Counter
from pathlib import Path

import pytest

from firmware_bridge.cards import FRENCH_CARDS
from firmware_bridge.codec import load_codec
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding, line_of
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.mechanism import StoredEvent
from firmware_bridge.session.outputs import EventArrived
from firmware_bridge.transport.address import open_transport
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time

HELD_MAX = 40
"""Events, answers and frames of the last second or two, whose number depends on the moment of the look."""


def held() -> Counter[str]:
    """The bridge's objects by type, but for the simulated device's own journal."""
    gc.collect()
    kinds = (type(item) for item in gc.get_objects())
    return Counter(kind.__qualname__ for kind in kinds if kind.__module__.startswith("firmware_bridge") and kind is not StoredEvent)


def resources() -> tuple[int, int, int]:
    """Descriptors, tasks, threads."""
    return len(list(Path("/proc/self/fd").iterdir())), len(asyncio.all_tasks()), threading.active_count()


async def deal(warm_up: int, cards: int) -> None:
    clock = asyncio.get_running_loop().time
    settings = SimulatedSettings(timing=Timing.instant(), scripted=True)
    async with SimulatedDevice(settings, clock=clock) as shoe:
        transport = open_transport(shoe.url)
        session = HostSession(load_codec("sdp1"), HostSettings(line=line_of(transport)), os.urandom)
        arrived = 0

        def hear(output: DeviceOutput) -> None:
            nonlocal arrived
            if isinstance(output, EventArrived):
                arrived += 1
                device.acknowledge(output.event.eseq)

        device = Device("shoe", transport, session, hear, clock=clock)
        device.start()
        await device.reached(DeviceStanding.RUNNING)

        async def draw(count: int) -> None:
            for number in range(count):
                shoe.draw_card(FRENCH_CARDS[number % len(FRENCH_CARDS)])
                shoe.tray.clear()
                await asyncio.sleep(1.0)
            await shoe.all_acknowledged()

        await draw(warm_up)
        objects, kept = held(), resources()
        before = arrived
        await draw(cards)
        assert arrived - before >= cards
        assert resources() == kept
        grown = held() - objects
        assert grown.total() <= HELD_MAX, f"{cards} cards later: {grown}"
        await device.stop()


@pytest.mark.requirement("EQ-58")
def test_some_minutes_of_dealing_leave_nothing_behind() -> None:
    run_in_virtual_time(deal(20, 100))


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.requirement("EQ-58")
def test_an_hour_of_dealing_leaves_nothing_behind() -> None:
    run_in_virtual_time(deal(1_200, 3_600))

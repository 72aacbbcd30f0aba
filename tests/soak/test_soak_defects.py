"""A defect of shoed itself must not look like a silent device: whoever owns the device is told, and the port is free."""

from __future__ import annotations

import asyncio
from typing import NoReturn

import pytest

from hil.simulated.device import SimulatedDevice
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings

WITHIN_S = 10.0


def fail(*_arguments: object) -> NoReturn:
    raise ZeroDivisionError("a defect of the session")


@pytest.mark.parametrize("door", ["receive", "tick"])
async def test_a_defect_of_the_session_ends_the_devices_task_and_frees_the_port(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with SimulatedDevice(SimulatedSettings()) as shoe:
        broken = HostBench(shoe.url)
        monkeypatch.setattr(broken.device.session, door, fail)
        task = broken.device.start()
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(task, WITHIN_S)
        whole = HostBench(shoe.url)
        whole.start()
        await whole.running()
        await whole.stop()

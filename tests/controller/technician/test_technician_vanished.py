"""What a technician hears when the adapter is pulled out in the middle of the work, and what then stands in the log of the work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.service.grant import Grant
from controller.table.acts import By
from controller.technician.bench import Bench
from controller.technician.diagnosis import Diagnosis, Work, diagnosing
from controller.technician.errors import DeviceNotInOrderError
from controller.technician.reach import Reach
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings

DRIVE = {"actuator": 2, "direction": 1, "duration_ms": 1}


def do(log: Path, work: Callable[[SimulatedDevice, Work], Awaitable[None]]) -> None:
    """Do this work in diagnostic mode on a device of its own."""

    async def main() -> None:
        device = SimulatedDevice(SimulatedSettings(technician_switch=True))
        await device.start()
        grant = Grant(ticket="WO-77", by=By("technician", "T3"), second=By("supervisor", "S1"), minutes=1)
        try:
            async with Bench(Reach(port=device.url)) as bench, diagnosing(bench, Diagnosis(grant=grant, work_log=log)) as at_work:
                await work(device, at_work)
        finally:
            await device.stop()

    asyncio.run(main())


@pytest.mark.requirement("EQ-84")
def test_a_port_that_vanishes_is_told_as_such_and_each_command_has_its_result_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "work.jsonl"

    async def work(device: SimulatedDevice, at_work: Work) -> None:
        await at_work.ask("actuate", **DRIVE)
        await device.unplug()
        await at_work.ask("actuate", **DRIVE)

    with pytest.raises(DeviceNotInOrderError, match="gone") as told_of:
        do(log, work)
    assert told_of.value.code == "port-broken"
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["what"] for entry in told] == [
        "diagnosis-entered", "command", "result", "command", "result", "diagnosis-exit-unsaid", "diagnosis-left",
    ]  # fmt: skip
    assert [entry["result"] for entry in told if entry["what"] == "result"] == ["ok", "port-broken"]


def test_why_the_work_failed_is_told_and_not_that_the_device_no_longer_listens(tmp_path: Path) -> None:
    async def work(device: SimulatedDevice, _work: Work) -> None:
        await device.unplug()
        raise DeviceNotInOrderError("command-refused", "The motor does not turn.", "Change it.")

    with pytest.raises(DeviceNotInOrderError, match="does not turn"):
        do(tmp_path / "work.jsonl", work)

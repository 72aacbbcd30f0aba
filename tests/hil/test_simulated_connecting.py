"""A simulated device answers as its profile says it may, and the host's connection takes each of the branches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from controller.technician.checks.outcome import Verdict
from controller.technician.checks.run import Wish, run_checks
from controller.technician.reach import Reach
from device_profiles.plain.frames import Way
from device_profiles.plain.profile import PlainProfile
from device_profiles.shelf import ProfileShelf
from hil.mechanism.cards import fresh_deck
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.virtual_time import run_in_virtual_time
from tests.hil.memory_cable import MemoryCable

SISTERS = Path(__file__).parents[1] / "device_profiles" / "sisters"


def connected(profile: PlainProfile) -> tuple[str | None, list[str], Verdict]:
    """(serial number that was told, what passed on connecting, whether the connection came about)."""

    async def main() -> tuple[str | None, list[str], Verdict]:
        loop, cable = asyncio.get_running_loop(), MemoryCable()
        device = PlainDevice(PlainSettings(profile=profile, end=cable), clock=loop.time)
        device.load(fresh_deck())
        await device.start()
        reach = Reach(port=cable.url, profile="branching-start", profiles=SISTERS)
        report = await run_checks(reach, Wish(listen_s=0), lambda _: None, clock=loop.time, line=lambda *_: cable.host_end())
        await device.stop()
        outcome = next(one for one in report.outcomes if one.name == "connect/sequence")
        passed = [bytes.fromhex(e.hex).decode().strip() if e.way is Way.OUT else e.message for e in outcome.evidence]
        return report.serial, passed, outcome.verdict

    return run_in_virtual_time(main(), has_wires=False)


def test_a_device_that_is_busy_first_and_one_that_is_dealing_are_brought_to_rest() -> None:
    profile = ProfileShelf(SISTERS).plain("branching-start")
    serial, passed, verdict = connected(profile)
    assert (serial, verdict) == ("S17", Verdict.PASS)
    assert passed == ["HELLO 2", "busy", "HELLO 2", "identity", "STATE", "at"]
    dealing = msgspec.structs.replace(profile.simulation, values={**profile.simulation.values, "at": {"place": "work"}})
    serial, passed, verdict = connected(msgspec.structs.replace(profile, simulation=dealing))
    assert (serial, verdict) == (None, Verdict.FAIL)  # it never comes to rest: the circle is noticed
    assert passed[4:9] == ["STATE", "at", "STOP", "stopped", "STATE"]

"""Whole daemons under trouble at random moments: what must hold is in `hil.soak.audit`. Short here, long in `make soak`."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from hil.soak.campaign import Report, run_bad_line, run_trouble
from hil.soak.trouble import DiskFiller, Killer, PowerCutter, Stopper, Trouble, Unplugger

pytestmark = pytest.mark.timeout(120)

SOAK_SEED = int(os.environ.get("SHOED_SOAK_SEED", secrets.randbelow(1_000_000)))
"""Fresh for each soak; every failure tells the seed of its run."""


async def in_runs(folder: Path, runs: int, run: Callable[[Path, int], Awaitable[Report]]) -> Report:
    """Run so often with seeds that follow one another, and add up what was reached."""
    total = Report()
    for seed in range(SOAK_SEED, SOAK_SEED + runs):
        total.add(await run(folder / f"{seed}", seed))
    sys.stdout.write(f"from seed {SOAK_SEED}: {total}\n")
    return total


def trouble_of(kind: type[Trouble], times: int) -> Callable[[Path, int], Awaitable[Report]]:
    return lambda folder, seed: run_trouble(folder, seed, kind, times)


@pytest.mark.requirement("EQ-96", "EQ-97", "EQ-57", "T-28")
async def test_a_daemon_killed_at_any_moment_goes_on_and_every_card_is_accounted_for_once(tmp_path: Path) -> None:
    report = await run_trouble(tmp_path / "s", 2, Killer, 4)
    assert report.strikes == 4
    assert report.account.cards


@pytest.mark.requirement("EQ-47", "EQ-57", "SDP/1 1.7")
async def test_a_device_that_loses_power_tells_everything_and_a_supervisor_decides(tmp_path: Path) -> None:
    report = await run_trouble(tmp_path / "s", 1, PowerCutter, 5)
    assert report.strikes == 5
    assert report.alarms["device-restarted"]
    assert report.account.cards


@pytest.mark.requirement("EQ-57", "SDP/1 1.4", "SDP/1 1.8")
async def test_bad_lines_lose_double_and_change_no_card(tmp_path: Path) -> None:
    report = await run_bad_line(tmp_path / "s", 7, 1)
    assert report.rounds >= 10
    assert {"drop", "flip", "duplicate", "delay", "split", "merge", "junk"} <= set(report.line_faults)


@pytest.mark.requirement("EQ-44", "EQ-57")
async def test_a_cable_pulled_and_plugged_in_again_costs_no_card(tmp_path: Path) -> None:
    report = await run_trouble(tmp_path / "s", 3, Unplugger, 2)
    assert report.strikes == 2


@pytest.mark.requirement("EQ-42")
async def test_a_full_disk_stops_new_rounds_with_a_message_and_loses_nothing(tmp_path: Path) -> None:
    report = await run_trouble(tmp_path / "s", 4, DiskFiller, 2)
    assert report.strikes == 2
    assert report.refused["journal-full"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own for a journal; only root may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=8m", "shoed-soak", disk], capture_output=True, check=False) if mount else None
    if made is None or made.returncode != 0:
        pytest.skip("this account may not mount a file system")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.requirement("EQ-42")
async def test_a_disk_that_is_really_full_stops_new_rounds_until_there_is_room(tmp_path: Path, small_disk: Path) -> None:
    report = await run_trouble(tmp_path / "s", 6, DiskFiller, 1, small_disk)
    assert report.strikes == 1


@pytest.mark.requirement("EQ-96")
async def test_sigterm_at_any_moment_ends_within_five_seconds_and_loses_nothing(tmp_path: Path) -> None:
    report = await run_trouble(tmp_path / "s", 5, Stopper, 2)
    assert report.strikes == 2
    assert report.longest_stop_s < 5


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_soak_500_kills(tmp_path: Path) -> None:
    report = await in_runs(tmp_path, 20, trouble_of(Killer, 25))
    assert report.strikes >= 500
    assert report.uncertain  # of so many, some struck while an act was under way


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_soak_200_power_losses(tmp_path: Path) -> None:
    report = await in_runs(tmp_path, 10, trouble_of(PowerCutter, 20))
    assert report.strikes >= 200


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_soak_2000_rounds_on_bad_lines(tmp_path: Path) -> None:
    report = await in_runs(tmp_path, 10, lambda folder, seed: run_bad_line(folder, seed, 20))
    assert report.rounds >= 2_000


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("kind", [Unplugger, DiskFiller, Stopper])
async def test_soak_100_times(tmp_path: Path, kind: type[Trouble]) -> None:
    report = await in_runs(tmp_path, 5, trouble_of(kind, 20))
    assert report.strikes >= 100

"""A port that fails to open thousands of times leaves descriptors, threads, tasks and memory as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.soak.attempts import FAILURES, fail_often

CODES = {
    "missing": {"port-missing"},
    "no-port": {"port-missing"},
    "busy": {"port-busy"},
    "no-adapter": {"port-missing"},
    "tcp-nobody": {"port-missing"},
    "rfc2217-nobody": {"port-missing"},
    "rfc2217-refused": {"port-refused"},
    "rfc2217-hangs-up": {"port-busy"},
    "wrong-device": {"identity"},
}
GROWTH_BYTES = 65_536
"""In a third of the attempts: 40 bytes for each of the long form's. The interpreter's own caches fill by less."""


async def fail(folder: Path, way: str, attempts: int, *, weighs: bool) -> None:
    async with FAILURES[way](folder) as url:
        left = await fail_often(url, attempts, weighs=weighs)
    assert left.codes == CODES[way]
    assert not left.after.exceeds(left.before), left
    assert left.grown_bytes < GROWTH_BYTES


def test_every_way_to_fail_is_tried() -> None:
    assert FAILURES.keys() == CODES.keys()


@pytest.mark.requirement("EQ-58")
async def test_failed_attempts_leave_no_descriptor_thread_or_task(tmp_path: Path) -> None:
    for way in FAILURES:
        await fail(tmp_path, way, 21, weighs=False)


@pytest.mark.slow
@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize("way", FAILURES)
async def test_5000_failed_attempts_leave_nothing_behind(tmp_path: Path, way: str) -> None:
    await fail(tmp_path, way, 5_000, weighs=True)

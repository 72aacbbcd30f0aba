"""A daemon that plays for hours: its memory, descriptors and threads stay where they are."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from hil.soak.campaign import lineup
from hil.soak.play import SoakTable
from hil.soak.site import Site

SEED = 9
ROUNDS = 60
"""A brisk table plays so many in an hour."""
GROWTH_MAX_BYTES = 4 << 20
"""Python's memory moves by as much between two looks; an entry kept from each act of an hour would be more."""


def taken(pid: int) -> tuple[int, int, int]:
    """Bytes of memory, descriptors, threads of a process."""
    process = Path(f"/proc/{pid}")
    pages = int((process / "statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.requirement("EQ-58")
async def test_soak_an_hour_of_rounds_after_an_hour_of_rounds_takes_nothing_more(tmp_path: Path) -> None:
    site = Site(tmp_path / "s", lineup(SEED)[:1], SEED)
    await site.open()
    table = SoakTable(site, site.tables[0], random.Random(SEED))
    try:
        await site.start()
        await table.play(ROUNDS)
        before = taken(site.pid)
        await table.play(ROUNDS)
        after = taken(site.pid)
        assert after[1:] == before[1:]
        assert after[0] - before[0] <= GROWTH_MAX_BYTES, f"from {before[0]} to {after[0]} bytes"
        await table.settle()
        table.close()
        await site.stop()
    finally:
        await site.close()

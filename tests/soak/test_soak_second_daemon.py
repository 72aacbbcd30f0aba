"""A second daemon on the same ports or the same journal is turned away, and the first one deals on as if nothing were."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import msgspec
import pytest

from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings
from hil.soak.audit import verify_site
from hil.soak.campaign import lineup
from hil.soak.play import SoakTable
from hil.soak.site import Site

SEED = 4


async def run_another(config: Path) -> tuple[int | None, str]:
    program = [sys.executable, "-c", "from controller.cli.main import main; main()", "run", "--config", str(config)]
    process = await asyncio.create_subprocess_exec(*program, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL)
    _, told = await process.communicate()
    return process.returncode, told.decode()


@pytest.mark.requirement("EQ-96", "EQ-97")
async def test_a_second_daemon_is_turned_away_while_the_first_one_deals(tmp_path: Path) -> None:
    site = Site(tmp_path / "s", lineup(SEED), SEED)
    await site.open()
    tables = [SoakTable(site, spec, random.Random(f"{SEED}:{spec.id}")) for spec in site.tables]
    other_ports = site.folder / "other.toml"
    spare = [SimulatedDevice(other_unit(device.settings)) for device in site.all_devices]
    try:
        await site.start()
        port = (site.folder / "api.port").read_text()
        for device in spare:
            await device.start()
        other_ports.write_text(on_other_ports(site))
        dealing = asyncio.gather(*(table.play(6) for table in tables))
        same, foreign = await run_another(site.folder / "shoed.toml"), await run_another(other_ports)
        await dealing
        assert same[0] == 2
        assert "port-busy" in same[1]
        assert foreign[0] == 2
        assert "journal-busy" in foreign[1]
        assert (site.folder / "api.port").read_text() == port
        for table in tables:
            await table.settle()
            assert not table.figures.alarms.keys() - {"stub-count-due"}, f"seed {SEED}: {table.figures}"
            table.close()
        await site.stop()
        assert verify_site(site, tables).cards
    finally:
        await site.close()
        for device in spare:
            await device.stop()


def other_unit(settings: SimulatedSettings) -> SimulatedSettings:
    return msgspec.structs.replace(settings, serial=f"SPARE-{settings.serial}")


def on_other_ports(site: Site) -> str:
    """The same tables and the same journal with other devices on other ports."""
    config = (site.folder / "shoed.toml").read_text()
    for device in site.all_devices:
        serial = device.settings.serial
        config = config.replace(f'"{serial}"', f'"SPARE-{serial}"')
    return config

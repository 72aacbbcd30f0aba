"""Plugs pulled at every moment, over each kind of port: no card is lost, nothing is left behind."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.mechanism.cards import fresh_shoe
from hil.mechanism.options import Timing
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time
from hil.soak.plugs import REPORT_S, Moment, Plugs, PulledShoe, resources_at_rest

KEY = bytes(range(1, 17))
ANY_PORT = ("127.0.0.1", 0)
PORTS: dict[str, Callable[[Path], dict[str, object]]] = {
    "serial": lambda folder: {"link_dir": folder},
    "tcp": lambda folder: {"tcp": ANY_PORT},
    "rfc2217": lambda folder: {"rfc2217": ANY_PORT},
}


def pull_plugs(folder: Path, port: str, pulls: int, seed: int, key: bytes | None) -> Plugs:
    async def main() -> Plugs:
        rng = random.Random(seed)
        chosen = SimulatedSettings(seed=seed, key=key, timing=Timing(card_s=0.02, gate_s=0.01), **PORTS[port](folder))  # type: ignore[arg-type]
        async with PulledShoe(chosen, clock=asyncio.get_running_loop().time) as shoe:
            shoe.load(fresh_shoe(8))
            plugs = Plugs(shoe, HostBench(shoe.url, serial=chosen.serial, key=key), rng)
            await plugs.start()
            before = resources_at_rest()
            for moment in itertools.islice(itertools.cycle(Moment), pulls):
                await plugs.cycle(moment)
                plugs.host.outputs.clear()
            after = resources_at_rest()
            assert not after.exceeds(before), f"seed {seed}: {before} {after}"
            plugs.verify_cards()
            await plugs.host.stop()
            return plugs

    return run_in_virtual_time(main())


@pytest.mark.requirement("EQ-48", "EQ-57")
@pytest.mark.parametrize(("port", "key"), [("serial", None), ("rfc2217", KEY)])
def test_a_plug_pulled_at_every_moment_costs_no_card(tmp_path: Path, port: str, key: bytes | None) -> None:
    plugs = pull_plugs(tmp_path, port, 10, 7, key)
    assert plugs.pulls == 10
    assert plugs.shoe.tray
    assert plugs.longest_report_s < REPORT_S


@pytest.mark.slow
@pytest.mark.requirement("EQ-48", "EQ-57")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("port", PORTS)
def test_200_plugs_pulled_at_every_moment_cost_no_card(tmp_path: Path, port: str, key: bytes | None) -> None:
    seed = random.SystemRandom().getrandbits(32)
    plugs = pull_plugs(tmp_path, port, 200, seed, key)
    assert plugs.pulls == 200
    assert plugs.longest_report_s < REPORT_S

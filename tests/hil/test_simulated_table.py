"""Shuffler, shoe and rack: cards go round and none is lost, by hand and under the daemon's orders."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.cards import FRENCH_CARDS
from firmware_bridge.commands import CloseShoe, OpenShoe, Unlock
from hil.mechanism.cards import PhysicalCard
from hil.mechanism.options import Timing
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings
from hil.simulated.table import LostCardError, SimulatedTable
from hil.simulated.virtual_time import run_in_virtual_time

SHOE = SimulatedSettings(timing=Timing.instant(), seed=3)
SHUFFLER = SimulatedSettings(kind="shuffler", serial="SIM-SHUF-1", timing=Timing(shuffle_s=4.0), seed=3)


@pytest.mark.requirement("EQ-10", "EQ-26", "EQ-36")
@pytest.mark.parametrize("shuffler", [SHUFFLER, None], ids=["machine", "by-hand"])
def test_cards_go_from_rack_to_shuffler_to_shoe_to_table_and_back(shuffler: SimulatedSettings | None) -> None:
    async def main() -> None:
        clock = asyncio.get_running_loop().time
        async with SimulatedTable(SHOE, shuffler, clock=clock) as table:
            table.bring_decks()
            host = HostBench(table.shoe.url)
            host.start()
            await host.running()
            orders = []
            for number in range(3):
                table.rack_to_shuffler()
                await table.run_shuffler()
                table.shuffler_to_shoe()
                await host.device.command(OpenShoe(bytes([1, number + 1]).rjust(16), 1))
                await host.device.command(Unlock(7))
                await table.shoe.gate("open")
                assert table.deal(10) == 7
                orders.append(table.faces_out())
                table.verify_cards()
                await table.shoe.all_acknowledged()
                await host.device.command(CloseShoe())
                table.collect()
                table.verify_cards()
                assert len(table.rack) == 52
            assert orders[0] != orders[1] != orders[2]
            assert orders[0] != list(FRENCH_CARDS[:7])
            assert host.cards() == [face for order in orders for face in order]
            await host.stop()

    run_in_virtual_time(main())


def test_a_lost_or_double_card_is_named() -> None:
    async def main() -> None:
        table = SimulatedTable(SHOE)
        table.bring_decks()
        table.verify_cards()
        table.rack.append(table.rack[0])
        with pytest.raises(LostCardError):
            table.verify_cards()
        table.rack.pop()
        table.rack[0] = PhysicalCard(table.rack[0].face)
        with pytest.raises(LostCardError, match="1 of 52"):
            table.verify_cards()

    run_in_virtual_time(main())

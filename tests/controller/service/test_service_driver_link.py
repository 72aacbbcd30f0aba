"""A driver whose link is being let go: what is due then waits, and nothing else is held up."""

from __future__ import annotations

import asyncio

from controller.service.drive import shoe_id_of
from controller.table.outcome import Wanted
from firmware_bridge.commands import OpenShoe
from tests.controller.service.test_service_driver import Rig

SHOE_1 = shoe_id_of("T1", 1)


class CountedRig(Rig):
    """Counts how often the clock is read, and ends whoever reads it without end."""

    looks = 0

    @property
    def now_s(self) -> float:  # type: ignore[override]
        self.looks += 1
        if self.looks > 500:
            raise RuntimeError("asked without end")
        return 0.0

    @now_s.setter
    def now_s(self, _value: float) -> None:
        return


async def test_a_command_that_is_due_while_the_link_is_let_go_holds_nothing_up() -> None:
    made = CountedRig()
    running = asyncio.create_task(made.driver.run(0))
    await made.settle()
    made.link.connect()
    made.driver.want(Wanted(shoe=1))
    await made.settle()

    async def stop_slowly() -> None:
        made.driver.want(Wanted(shoe=1, unlock=1))
        await made.settle(5)

    made.link.stop = stop_slowly  # type: ignore[method-assign]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert made.looks < 100
    assert made.link.sent == [OpenShoe(SHOE_1, 1)]

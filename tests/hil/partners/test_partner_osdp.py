"""OSDP with libosdp, which nobody here wrote: our host polls its reader, and its control panel polls our simulated one.

Both ends of ours are made from one profile of the plain language: sequence number, acknowledgement by the next number, CRC, address.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from controller.service.device_plan import serial_settings
from firmware_bridge.cards import FRENCH_CARDS, unseal
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding, line_of
from firmware_bridge.events import CardRead
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings as HostSettings
from firmware_bridge.session.outputs import EventArrived, Fault, LinkLost
from firmware_bridge.transport.address import open_transport
from hil.mechanism.cards import fresh_deck
from hil.simulated.plain import PlainDevice, PlainSettings
from tests.hil.partners.osdp_ends import ADDRESS, PROFILE, Reader, a_panel, a_reader

TAGS = {card.name: f"A0{card.code:02X}5A0F" for card in FRENCH_CARDS}
LIMIT_S = 60
"""A reader of libosdp answers within 20 ms; a loaded machine may take a thousand times as long."""


class Panel:
    """Our host on the line of a reader."""

    def __init__(self, path: str) -> None:
        assert PROFILE.line.serial is not None
        transport = open_transport(path, serial_settings(PROFILE.line.serial))
        settings = HostSettings(line=line_of(transport), cards={tag: name for name, tag in TAGS.items()}, may_write=True)
        self.outputs: list[DeviceOutput] = []
        self.device = Device("reader", transport, PlainSession(PlainCodec(PROFILE), settings), self._take)

    async def __aenter__(self) -> Panel:
        self.device.start()
        async with asyncio.timeout(LIMIT_S):
            await self.device.reached(DeviceStanding.RUNNING)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.device.stop()

    def _take(self, output: DeviceOutput) -> None:
        self.outputs.append(output)
        if isinstance(output, EventArrived):
            self.device.acknowledge(output.event.eseq)

    def cards(self) -> list[str]:
        events = [o.event for o in self.outputs if isinstance(o, EventArrived)]
        return [unseal(e.card, "the test compares").name for e in events if isinstance(e, CardRead)]

    async def saw(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():  # noqa: ASYNC110  # the far end is a thread of a foreign library
                await asyncio.sleep(0.01)


def present(reader: Reader, names: list[str]) -> None:
    for name in names:
        assert reader.present(bytes.fromhex(TAGS[name]))


@pytest.mark.requirement("EQ-49")
async def test_cards_of_a_foreign_reader_arrive_once_each_and_in_order() -> None:
    with a_reader() as reader:
        async with Panel(reader.path) as panel:
            identity = panel.device.identity
            assert identity is not None
            assert (identity.serial, identity.model, identity.firmware) == ("20261130", "7", "66051")
            shown = [card.name for card in FRENCH_CARDS[::10]]
            present(reader, shown)
            await panel.saw(lambda: len(panel.cards()) >= len(shown))
            present(reader, ["Ah"])
            await panel.saw(lambda: panel.cards()[-1] == "Ah")
            assert panel.cards() == [*shown, "Ah"]
            assert not [o for o in panel.outputs if isinstance(o, Fault | LinkLost)]


async def test_a_question_that_was_lost_is_asked_again_under_its_number() -> None:
    with a_reader() as reader:
        async with Panel(reader.path) as panel:
            for name in ("2c", "3d"):
                reader.wire.swallowed = 2
                present(reader, [name])
                await panel.saw(lambda name=name: name in panel.cards())
            assert panel.cards() == ["2c", "3d"]
            assert not [o for o in panel.outputs if isinstance(o, LinkLost)]


async def test_a_reader_that_has_started_refuses_the_number_and_is_met_anew() -> None:
    with a_reader() as reader:
        async with Panel(reader.path) as panel:
            present(reader, ["5s"])
            await panel.saw(lambda: panel.cards() == ["5s"])
            reader.switch_off()
            reader.switch_on()
            await panel.saw(lambda: any(isinstance(o, LinkLost) for o in panel.outputs))
            await panel.saw(lambda: panel.device.standing is DeviceStanding.RUNNING)
            present(reader, ["6s"])
            await panel.saw(lambda: len(panel.cards()) == 2)
            assert panel.cards() == ["5s", "6s"]


async def test_a_foreign_panel_hears_every_card_of_our_simulated_reader() -> None:
    shoe = PlainDevice(PlainSettings(profile=PROFILE, factor=100.0, tags={name: (tag,) for name, tag in TAGS.items()}))
    await shoe.start()
    try:
        with a_panel(shoe.url) as panel:
            async with asyncio.timeout(LIMIT_S):
                while not panel.is_online(ADDRESS):  # noqa: ASYNC110  # as above
                    await asyncio.sleep(0.01)
            identity = panel.get_pd_id(ADDRESS)
            assert (identity.serial_number, identity.vendor_code) == (0x12345678, 0x00A1B2)
            shoe.load(fresh_deck()[:8])
            while shoe.draw():
                pass
            heard = [await asyncio.to_thread(panel.get_event, ADDRESS, LIMIT_S) for _ in range(8)]
            assert [bytes(event["data"]).hex().upper() for event in heard] == [TAGS[card.face.name] for card in shoe.tray if card.face]
            assert panel.is_online(ADDRESS)
    finally:
        await shoe.stop()

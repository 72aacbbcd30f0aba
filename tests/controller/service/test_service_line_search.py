"""A device at another rate than its profile says is found, told, and used; silence and rubbish are judged as what they are."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from controller.service.bus_lines import BusLines, choices_at
from controller.service.config import Place
from controller.service.config_file import load_config
from controller.service.device_plan import line_choices, plan_device
from controller.service.line_search import GARBAGE_BYTES, GARBAGE_S, OTHER_SILENCE_S, LineTry, SearchingLink
from controller.service.sdp1_link import line_choices as sdp1_choices
from device_profiles.loader import load_profile
from device_profiles.plain.profile import LineSettings, LineVariant, Parity
from device_profiles.shelf import ProfileShelf
from firmware_bridge.device import DeviceOutput
from firmware_bridge.port_news import LineFound
from firmware_bridge.session.outputs import EventArrived, Running
from firmware_bridge.transport.settings import SerialSettings
from hil.mechanism.cards import fresh_deck
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings

RATES = (115_200, 9600, 19_200, 38_400, 57_600, 230_400)
CONFIG = """
config = 1
journal = {{ path = "journal.db", key_file = "journal.keys" }}
[[table]]
id = "T1"
game = "colorado-hold-em-poker"
method = "hand"
[[table.device]]
name = "shoe"
kind = "shoe"
port = "{port}"
serial = "SIM-SHOE-1"
"""


def test_the_settings_of_a_profile_stand_in_its_order() -> None:
    assert tuple(choice.baud for choice in sdp1_choices(load_profile("sdp1").serial)) == RATES
    variants = (4800, LineVariant(data_bits=7), LineVariant(parity=Parity.NONE, stop_bits=2))
    told = LineSettings(baud=9600, parity=Parity.EVEN, alternatives=variants)
    assert [choice.words() for choice in line_choices(told)] == ["9600 8E1", "4800 8E1", "9600 7E1", "9600 8N2"]


@pytest.mark.parametrize(
    ("place", "searched"),
    [
        (Place("/dev/serial/by-id/usb-ACME"), True),
        (Place("serial:///dev/ttyS0?dtr=off"), True),
        (Place("adapter://A50285BI"), True),
        (Place("rfc2217://server:4001"), True),
        (Place("serial:///dev/ttyS0?baud=9600"), False),
        (Place("rfc2217://server:4001?baud=9600"), False),
        (Place("tcp://server:4001"), False),
        (Place("/dev/ttyS0", "rail", 4), False),
    ],
)
def test_a_line_is_searched_where_its_rate_is_open(place: Place, searched: bool) -> None:
    choices = tuple(SerialSettings(baud=baud) for baud in RATES)
    assert choices_at(place, choices) == (choices if searched else choices[:1])


def test_rubbish_and_silence_are_judged() -> None:
    tried = LineTry(opened_s=100.0, frames=3, bytes_in=50)
    assert tried.is_understood(4)
    assert not tried.is_understood(3)
    assert not tried.is_wrong(200.0, 50, None), "who only listens learns nothing from silence"
    assert not tried.is_wrong(101.0, 50, 2.0)
    assert tried.is_wrong(102.0, 50, 2.0)
    garbage = LineTry(opened_s=100.0, frames=0, bytes_in=50)
    assert not garbage.is_wrong(200.0, 50 + GARBAGE_BYTES - 1, None), "one damaged telegram"
    assert not garbage.is_wrong(200.0, 50 + GARBAGE_BYTES, None)
    assert garbage.is_wrong(200.0 + GARBAGE_S, 50 + GARBAGE_BYTES, None)


def searching(folder: Path, port: str, hear: Any) -> SearchingLink:
    (folder / "shoed.toml").write_text(CONFIG.format(port=port))
    setup = load_config(folder / "shoed.toml")
    plan = plan_device(setup, "table.T1.device.shoe", setup.config.table[0].device[0], ProfileShelf(), BusLines(setup))
    link = plan.make(1, hear)
    assert isinstance(link, SearchingLink)
    return link


@pytest.mark.requirement("EQ-49")
@pytest.mark.parametrize("baud", [9600, pytest.param(230_400, marks=pytest.mark.slow)])
def test_a_device_at_another_rate_is_found_and_its_events_come_once(tmp_path: Path, baud: int) -> None:
    async def scene() -> None:
        told: list[DeviceOutput] = []
        running, found = asyncio.Event(), asyncio.Event()

        def hear(output: DeviceOutput) -> None:
            told.append(output)
            if isinstance(output, Running):
                running.set()
            elif isinstance(output, LineFound):
                found.set()
            elif isinstance(output, EventArrived):
                link.acknowledge(output.event.eseq)

        async with SimulatedDevice(SimulatedSettings(timing=Timing.instant(), link_dir=tmp_path, baud=baud)) as device:
            device.load(fresh_deck())
            link = searching(tmp_path, str(tmp_path / "SIM-SHOE-1"), hear)
            task = link.start()
            async with asyncio.timeout(60):
                await running.wait()
                device.open_lid()
                await device.all_acknowledged(30)
                await found.wait()
            await link.stop()
            await asyncio.wait([task])
        assert [output for output in told if isinstance(output, LineFound)] == [LineFound(f"{baud} 8N1", "115200 8N1")]
        events = [output.event.eseq for output in told if isinstance(output, EventArrived)]
        assert events == list(range(1, len(events) + 1))

    asyncio.run(scene())


def test_an_absent_device_is_awaited_at_the_usual_setting(tmp_path: Path) -> None:
    """Each setting is tried once in silence; then the link stays where the device should come."""
    clock_s = 0.0
    steps = 0

    async def pause(seconds: float) -> None:
        nonlocal clock_s, steps
        clock_s += max(seconds, OTHER_SILENCE_S / 2)
        steps += 1
        await asyncio.sleep(0)

    async def scene() -> None:
        async with SimulatedDevice(SimulatedSettings(timing=Timing.instant(), link_dir=tmp_path)) as device:
            device.power_off()
            link = searching(tmp_path, str(tmp_path / "SIM-SHOE-1"), lambda _output: None)
            link._clock, link._pause = (lambda: clock_s), pause  # virtual time for the search alone
            seen: list[str] = []
            task = link.start()
            async with asyncio.timeout(60):
                while steps < 200:
                    url = link._made.device.transport.url  # which setting is open now
                    if not seen or seen[-1] != url:
                        seen.append(url)
                    await asyncio.sleep(0)
            await link.stop()
            await asyncio.wait([task])
        assert len(seen) == len(RATES) + 1
        assert seen[0] == seen[-1]
        assert len(set(seen)) == len(RATES)

    asyncio.run(scene())

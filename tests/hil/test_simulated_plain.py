"""Simulated foreign devices against the host's own session: one profile makes both ends, and every card arrives once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TypeVar

import pytest

from controller.cli.main import run as run_command
from controller.service.device_plan import serial_settings
from device_profiles.loader import profile_names
from device_profiles.plain.loader import is_plain, load_plain
from device_profiles.plain.profile import PlainProfile, TransportKind
from firmware_bridge.cards import FRENCH_CARDS, unseal
from firmware_bridge.commands import Lock, Unlock
from firmware_bridge.device import Device, DeviceOutput, DeviceStanding, line_of
from firmware_bridge.events import CardRead, CutCardSeen, ErrorRaised, JournalLost, Started
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings as HostSettings
from firmware_bridge.port_news import PortLost
from firmware_bridge.session.outputs import CommandAnswered, EventArrived, Fault
from firmware_bridge.transport.address import open_transport
from hil.mechanism.cards import cut_card, fresh_deck
from hil.simulated.pacing import PacedLine
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.virtual_time import run_in_virtual_time

Result = TypeVar("Result")
SERIAL = tuple(n for n in profile_names() if is_plain(n) and TransportKind.SERIAL in load_plain(n).line.kinds)
READERS = tuple(n for n in SERIAL if load_plain(n).simulation.card is not None)
TAGS = {card.name: (f"04{card.code:06X}",) for card in FRENCH_CARDS}
QUICK = 100.0
"""So fast that a frame arrives in one piece: the pace of a line has a test of its own."""
FAULTS = ("drop", "flip", "duplicate", "delay", "split", "merge", "junk")


def run(main: Coroutine[object, object, Result]) -> Result:
    return run_in_virtual_time(main)


class Ends:
    """A simulated device and a host's device on its port, which a link names: the number of a pseudo-terminal is soon another's."""

    def __init__(self, profile: PlainProfile, *, may_write: bool = False, **settings: object) -> None:
        clock = asyncio.get_running_loop().time
        self.profile = profile
        self.links = tempfile.TemporaryDirectory()
        far = PlainSettings(profile=profile, tags=TAGS, link_dir=Path(self.links.name), **settings)  # type: ignore[arg-type]
        self.far = PlainDevice(far, clock=clock)
        self.clock, self.may_write = clock, may_write
        self.outputs: list[DeviceOutput] = []

    async def __aenter__(self) -> Ends:
        await self.far.start()
        line = self.profile.line.serial
        transport = open_transport(self.far.url, serial_settings(line)) if line is not None else open_transport(self.far.url)
        cards = {tag: name for name, tags in TAGS.items() for tag in tags}
        settings = HostSettings(line=line_of(transport), cards=cards, may_write=self.may_write)
        self.near = Device("shoe", transport, PlainSession(PlainCodec(self.profile), settings), self._take, clock=self.clock)
        self.near.start()
        async with asyncio.timeout(20):
            await self.near.reached(DeviceStanding.RUNNING)
        await asyncio.sleep(0.5)  # a polled device is asked once: what waits in its ring then is of before
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.near.stop()
        await self.far.stop()
        self.links.cleanup()

    def _take(self, output: DeviceOutput) -> None:
        self.outputs.append(output)
        if isinstance(output, EventArrived):
            self.near.acknowledge(output.event.eseq)

    def cards(self) -> list[str]:
        events = [o.event for o in self.outputs if isinstance(o, EventArrived)]
        return [unseal(e.card, "the test compares").name for e in events if isinstance(e, CardRead)]

    async def arrived(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not holds():  # noqa: ASYNC110  # the loop's time jumps: this waits for nothing real
                await asyncio.sleep(0.05)


@pytest.mark.parametrize("name", READERS)
def test_a_deck_arrives_card_by_card(name: str) -> None:
    async def main() -> None:
        async with Ends(load_plain(name), factor=QUICK) as ends:
            deck = fresh_deck()[:: 4 if ends.far.speaker.is_polled else 1]
            ends.far.load(deck)
            for card in deck:
                assert ends.far.draw()
                await ends.far.said_everything()
                await ends.arrived(lambda: len(ends.cards()) == ends.far.drawn)
                assert ends.cards()[-1] == (card.face.name if card.face is not None else "?")
            assert ends.cards() == [card.face.name for card in ends.far.tray if card.face is not None]
            assert not [o for o in ends.outputs if isinstance(o, Fault)]

    run(main())


@pytest.mark.parametrize("name", READERS)
def test_a_card_that_was_not_read_is_told_as_such(name: str) -> None:
    async def main() -> None:
        async with Ends(load_plain(name), faults=("misread@2",), seed=4, factor=QUICK) as ends:
            ends.far.load(fresh_deck()[:3])
            for _ in range(3):
                ends.far.draw()
                await ends.far.said_everything()
            await ends.arrived(lambda: len(ends.cards()) == 3)
            assert [name == "?" for name in ends.cards()] == [False, True, False]

    if load_plain(name).poll is None:
        run(main())


@pytest.mark.requirement("EQ-34")
@pytest.mark.parametrize("seed", [1, 2])
def test_the_threefold_word_of_the_angel_eye_survives_a_bad_line(seed: int) -> None:
    """Each of the three is damaged by itself; a card is lost only when all three are, and then nothing else is."""

    async def main() -> None:
        faults = tuple(f"{name}:0.05" for name in FAULTS)
        async with Ends(load_plain("angel-eye-ii-ex"), faults=faults, seed=seed, factor=QUICK) as ends:
            ends.far.load(fresh_deck())
            while ends.far.draw():
                await ends.far.said_everything()
                await asyncio.sleep(0.1)
            drawn = [card.face.name for card in ends.far.tray if card.face is not None]
            heard = ends.cards()
            assert len(drawn) == 52
            assert len(heard) == len(set(heard))
            assert [name for name in drawn if name in heard] == heard
            assert len(heard) >= 51, f"seed {seed}: {set(drawn) - set(heard)} are missing"
            assert [o for o in ends.outputs if isinstance(o, Fault)]

    run(main())


def test_a_restart_in_a_hand_and_a_pulled_plug_are_heard() -> None:
    async def main() -> None:
        async with Ends(load_plain("angel-eye-ii-ex"), faults=("power-loss@2", "unplug@4"), seed=7, factor=QUICK) as ends:
            ends.far.load(fresh_deck()[:6])
            for _ in range(6):
                ends.far.draw()
                await ends.far.said_everything()
                await asyncio.sleep(4.0)  # a pulled plug is put in again, and the port is tried again
            await ends.arrived(lambda: len(ends.cards()) == 6)
            assert any(isinstance(o, EventArrived) and isinstance(o.event, Started) for o in ends.outputs)
            assert any(isinstance(o, PortLost) for o in ends.outputs)

    run(main())


def test_a_polled_shoe_says_that_its_ring_overflowed_while_the_plug_was_out() -> None:
    async def main() -> None:
        async with Ends(load_plain("cctalk-shoe"), seed=7, factor=QUICK) as ends:
            ends.far.load(fresh_deck()[:10])
            ends.far.draw()
            await ends.arrived(lambda: len(ends.cards()) == 1)
            await ends.far.unplug()
            for _ in range(7):
                ends.far.draw()
            await ends.far.said_everything()
            await ends.far.plug_in()
            await ends.arrived(lambda: len(ends.cards()) == 6)
            lost = [o.event for o in ends.outputs if isinstance(o, EventArrived) and isinstance(o.event, JournalLost)]
            assert [(event.first, event.last) for event in lost] == [(1, 2)]

    run(main())


def test_cut_card_alarms_and_the_lock_of_an_angel_eye() -> None:
    async def main() -> None:
        async with Ends(load_plain("angel-eye-ii-ex"), may_write=True) as ends:
            assert [c.function for c in ends.near.capabilities][-1] == "gate"
            for command, is_locked in ((Lock(), True), (Unlock(), False), (Lock(), True), (Lock(), True), (Unlock(), False)):
                answer = await ends.near.command(command)
                assert isinstance(answer, CommandAnswered), "the same answer within three seconds is no repetition"
                assert ends.far.locked is is_locked
                assert is_locked is False or not ends.far.draw()
            ends.far.load([*fresh_deck()[:1], cut_card(), *fresh_deck()[1:3]])
            ends.far.draw()
            ends.far.draw()
            ends.far.say("error", {"in_error": 1, "error": "overdraw"})
            await ends.far.said_everything()
            await ends.arrived(lambda: len(ends.cards()) == 2)
            kinds = [type(o.event) for o in ends.outputs if isinstance(o, EventArrived)]
            assert {CutCardSeen, ErrorRaised} <= set(kinds)

    run(main())


def test_bytes_come_at_the_pace_of_the_line() -> None:
    line = PacedLine(10 / 4800)
    line.feed(bytes(8) * 3, 0.0)
    assert line.take(0.0) == []
    assert sum(map(len, line.take(0.0170))) == 8
    assert sum(map(len, line.take(0.0501))) == 16
    assert line.is_idle
    line.feed(b"ab", 1.0)
    line.clear()
    assert line.take(9.0) == []


@pytest.mark.parametrize("name", SERIAL)
def test_shoed_simulate_runs_every_serial_profile(name: str, tmp_path: Path) -> None:
    arguments = ["simulate", "--json", "--profile", name, "--link", str(tmp_path), "--cards", str(tmp_path / "map.toml")]
    command = [sys.executable, "-c", "from controller.cli.main import main; main()", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        row = json.loads(process.stdout.readline())
        assert (row["profile"], Path(row["port"])) == (name, tmp_path / "SIM-1")
        process.stdin.write("draw\n")
        process.stdin.flush()
        told = "draw: drawn" if name in READERS else "draw: locked, empty, or no reader of cards"
        assert process.stdout.readline().strip() == told
        process.stdin.close()
        assert process.wait(10) == 0


@pytest.mark.parametrize(
    "arguments",
    [["--profile", "hid-shoe"], ["--profile", "bee-tek", "--fault", "jamm"], ["--profile", "rfid-uid-lines"], ["--profiles", "/dev/null"]],
)
def test_what_cannot_be_simulated_is_a_sentence(arguments: list[str]) -> None:
    assert run_command(["simulate", *arguments]) == 2

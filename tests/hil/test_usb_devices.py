"""Simulated USB shoes against the host's own session: plugs that are pulled, resets, refusals, late replies; every card arrives once."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import threading
from pathlib import Path

import pytest

from device_profiles.plain.frames import Way
from device_profiles.plain.loader import load_plain
from firmware_bridge.device import DeviceStanding, PortLost
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.session.outputs import EventArrived, Fault
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import PortBrokenError, TransportError
from firmware_bridge.transport.usb_settings import UsbSettings
from hil.mechanism.cards import fresh_deck, fresh_shoe
from hil.simulated.speaker import Speaker
from hil.simulated.unanswered import AGAIN_S, Unanswered
from hil.simulated.usb_bus import UsbBus
from hil.simulated.usb_end import UsbEnd
from tests.hil.usb_ends import UsbEnds

ACKNOWLEDGING = ("hid-shoe", "bulk-shoe")


@pytest.mark.parametrize("name", [*ACKNOWLEDGING, "barcode-wedge"])
async def test_a_deck_arrives_card_by_card(name: str) -> None:
    async with UsbEnds(load_plain(name)) as ends:
        ends.far.load(fresh_deck())
        for _ in range(52):
            assert ends.far.draw()
        await ends.until(lambda: len(ends.cards()) == 52)
        assert ends.cards() == ends.told_by_paper()
        assert not [o for o in ends.outputs if isinstance(o, Fault)]


@pytest.mark.requirement("EQ-57")
@pytest.mark.parametrize("name", ACKNOWLEDGING)
async def test_a_plug_that_is_pulled_in_a_burst_costs_no_card(name: str) -> None:
    async with UsbEnds(load_plain(name)) as ends:
        ends.far.load(fresh_deck())
        for _ in range(52):
            ends.far.draw()
        await ends.until(lambda: len(ends.cards()) >= 5)
        await ends.far.unplug()
        await ends.until(lambda: ends.losses() == 1)
        await ends.far.plug_in()
        await ends.until(lambda: len(ends.cards()) >= 20)
        ends.end.reset()
        ends.end.stall()
        await ends.until(lambda: len(ends.cards()) == 52 and len(ends.far.unanswered) == 0)
        assert ends.cards() == ends.told_by_paper()
        lost = [output.error for output in ends.outputs if isinstance(output, PortLost)]
        assert lost
        assert all(isinstance(error, PortBrokenError) for error in lost)


@pytest.mark.parametrize("name", ACKNOWLEDGING)
async def test_what_is_not_stored_yet_is_not_replied_to_and_told_again_after_a_new_plug(name: str) -> None:
    async with UsbEnds(load_plain(name)) as ends:
        await ends.until(lambda: len(ends.far.unanswered) == 0)
        ends.takes = False
        ends.far.load(fresh_deck())
        ends.far.draw()
        ends.far.draw()
        await ends.until(lambda: len(ends.cards()) == 1)
        await ends.far.unplug()
        await ends.until(lambda: ends.losses() == 1)
        await ends.far.plug_in()
        await ends.until(lambda: ends.near.standing is DeviceStanding.RUNNING and ends.end.is_used)
        assert len(ends.far.unanswered) == 2
        ends.takes = True
        stored = [output.event.eseq for output in ends.outputs if isinstance(output, EventArrived)]
        ends.near.acknowledge(stored[-1])
        await ends.until(lambda: len(ends.cards()) == 2 and len(ends.far.unanswered) == 0)
        assert ends.cards() == ends.told_by_paper()


@pytest.mark.parametrize("name", ACKNOWLEDGING)
def test_a_message_is_said_again_after_a_second_without_its_reply_and_the_next_one_waits(name: str) -> None:
    codec = PlainCodec(load_plain(name))
    speaker, waiting = Speaker(codec), Unanswered(codec)
    deck = [card.face for card in fresh_deck()[:2]]
    first, second = (speaker.card(card) for card in deck)
    assert waiting.takes(first)
    assert waiting.takes(second)
    assert waiting.due(10.0) == first
    assert waiting.due(10.0 + AGAIN_S / 2) == b""
    assert waiting.due(10.0 + AGAIN_S) == first
    assert waiting.repeats == 1
    replies = [_reply_to(codec, wire) for wire in (second, first)]
    for reply in replies if name == "hid-shoe" else replies[1:]:  # only a reply that copies the transaction can be another's
        waiting.replied(reply)
    assert waiting.due(12.0) == second
    waiting.replied(_reply_to(codec, second))
    assert waiting.next_due_s() is None
    assert waiting.due(99.0) == b""


def _reply_to(codec: PlainCodec, wire: bytes):  # type: ignore[no-untyped-def]
    """What a host says to a message, as the device reads it."""
    (frame,) = codec.framer(Way.IN, pauses=True).feed(wire, 0.0)
    assert isinstance(frame, PlainFrame)
    heard = codec.read(frame)
    assert heard is not None
    message = next(m for m in codec.profile.messages if m.name == heard.name)
    assert message.reply_with is not None
    said = codec.write(message.reply_with, {name: heard.fields[name] for name in message.reply_copies})
    (answer,) = codec.framer(Way.OUT, pauses=True).feed(said, 0.0)
    assert isinstance(answer, PlainFrame)
    return codec.read(answer, way=Way.OUT)


def test_a_message_without_a_reply_is_just_said() -> None:
    codec = PlainCodec(load_plain("barcode-wedge"))
    assert not Unanswered(codec).takes(Speaker(codec).card(fresh_deck()[0].face))


# ---- plugged in and out, again and again


class Held:
    """What a process holds."""

    def __init__(self) -> None:
        gc.collect()
        self.descriptors = len(list(Path("/proc/self/fd").iterdir()))
        self.threads = threading.active_count()
        self.tasks = len(asyncio.all_tasks())
        self.pages = int(Path("/proc/self/statm").read_text().split()[1])

    def counted(self) -> tuple[int, int, int]:
        return self.descriptors, self.threads, self.tasks


async def plug_cycles(name: str, cycles: int, seed: int) -> tuple[UsbEnds, Held, Held]:
    """Pull the plug at random moments: idle, in a burst, while the host writes, in the opening dialogue; at the end all is as at first."""
    rng = random.Random(seed)
    async with UsbEnds(load_plain(name)) as ends:
        ends.far.load(fresh_shoe(8))
        await ends.until(lambda: len(ends.far.unanswered) == 0)
        before = Held()
        for cycle in range(cycles):
            moment = rng.choice(("idle", "burst", "writing", "opening"))
            if moment != "opening":
                await ends.until(lambda: ends.near.standing is DeviceStanding.RUNNING and ends.end.is_used)
            ends.bus.slow_s = 0.05 if moment == "writing" else 0.0  # so that what the host writes is under way for a while
            for _ in range(rng.randrange(1, 4) if moment in ("burst", "writing") else 0):
                ends.far.draw()
            for _ in range(rng.randrange(60)):
                await asyncio.sleep(0)
            await ends.far.unplug()
            if rng.random() < 0.5:  # else it is in again before anybody has noticed
                await ends.until(lambda: ends.near.standing is not DeviceStanding.RUNNING)
            if cycle == cycles // 10:
                before.pages = Held().pages  # what is loaded at first is not what grows
            await ends.far.plug_in()
        ends.bus.slow_s = 0.0
        await ends.until(lambda: ends.near.standing is DeviceStanding.RUNNING and ends.end.is_used)
        await ends.until(lambda: len(ends.cards()) == ends.far.drawn and len(ends.far.unanswered) == 0)
        after = Held()
        assert ends.cards() == ends.told_by_paper()
        return ends, before, after


@pytest.mark.requirement("EQ-57")
@pytest.mark.parametrize("name", ACKNOWLEDGING)
async def test_ten_plug_cycles_leave_nothing_behind_and_lose_no_card(name: str) -> None:
    ends, before, after = await plug_cycles(name, 10, seed=4)
    assert after.counted() == before.counted()
    assert ends.losses() > 0


@pytest.mark.slow
@pytest.mark.requirement("EQ-57")
@pytest.mark.parametrize("name", ACKNOWLEDGING)
async def test_two_hundred_plug_cycles_leave_nothing_behind_and_lose_no_card(name: str) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    ends, before, after = await plug_cycles(name, 200, seed)
    assert after.counted() == before.counted(), f"seed {seed}"
    assert (after.pages - before.pages) * os.sysconf("SC_PAGE_SIZE") < 4 << 20, f"seed {seed}"
    assert ends.losses() > 50, f"seed {seed}"


async def failed_openings(attempts: int) -> tuple[Held, Held]:
    """Open what is not there, not allowed and not served, again and again."""
    bus = UsbBus()
    await bus.open()
    end = UsbEnd(bus, load_plain("bulk-shoe"), "SN-1")
    await end.open(_Nobody())
    served = f"usbip://{bus.server[0]}:{bus.server[1]}"
    transports = [
        open_transport(f"{served}/1209:5d09"),
        open_transport(end.url, allowed=[]),
        open_transport(end.url, usb=UsbSettings(interface_class=3)),
        open_transport("usbip://127.0.0.1:1/1209:5d02"),
        open_transport("usb://1209:5d09"),
    ]
    before = Held()
    for attempt in range(attempts):
        with pytest.raises(TransportError):
            await transports[attempt % len(transports)].open(lambda _chunk: None, lambda _error: None)
        if attempt == attempts // 5:
            before = Held()
    after = Held()
    await end.close()
    await bus.close()
    return before, after


class _Nobody:
    """A device's end that does not care."""

    def bytes_came(self, chunk: bytes) -> None: ...

    def host_came(self) -> None: ...

    def host_went(self) -> None: ...


async def test_forty_failed_openings_leave_nothing_behind() -> None:
    before, after = await failed_openings(40)
    assert after.counted() == before.counted()


@pytest.mark.slow
async def test_five_thousand_failed_openings_leave_nothing_behind() -> None:
    before, after = await failed_openings(5_000)
    assert after.counted() == before.counted()
    assert (after.pages - before.pages) * os.sysconf("SC_PAGE_SIZE") < 4 << 20


async def test_reports_of_a_wrong_size_are_faults_and_the_link_is_kept() -> None:
    async with UsbEnds(load_plain("hid-shoe")) as ends:
        await ends.until(lambda: len(ends.far.unanswered) == 0)
        for report in (b"\x01" + bytes(40), b"\x01\x02", b"\x07" + bytes(15), b""):
            ends.end.incoming.write(report)
        ends.far.load(fresh_deck())
        ends.far.draw()
        await ends.until(lambda: len(ends.cards()) == 1)
        assert sum(output.count for output in ends.outputs if isinstance(output, Fault)) == 3
        assert ends.losses() == 0

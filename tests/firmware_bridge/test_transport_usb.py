"""The USB transport through pyusb's own calls, on a simulated bus: what comes in and goes out, losses, stalls, floods, limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from device_profiles.plain.loader import load_plain
from firmware_bridge.transport import usb_opening
from firmware_bridge.transport.base import (
    PortBrokenError,
    PortClosedError,
    PortMissingError,
    PortStalledError,
    TransportState,
)
from firmware_bridge.transport.usb import UsbTransport
from firmware_bridge.transport.usb_address import parse_usb_address
from firmware_bridge.transport.usb_profile import usb_settings
from hil.simulated.usb_bus import UsbBus
from tests.firmware_bridge.usb_gadgets import QUICK_READ_MS, Near, joined, plugged

BLOCK = b"START" + bytes(2043)


@pytest.fixture
async def bus(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[UsbBus]:
    monkeypatch.setattr(usb_opening, "READ_MS", QUICK_READ_MS)
    made = UsbBus()
    await made.open()
    yield made
    await made.close()


async def test_bytes_cross_both_ways_and_blocks_need_no_empty_packet(bus: UsbBus) -> None:
    end, far, near = await joined(bus, "bulk-shoe")
    end.send(BLOCK)
    end.send(b"short")
    await near.until(lambda: len(near.chunks) == 2)
    assert near.chunks == [BLOCK, b"short"]
    await near.transport.write(b"\x06")
    near.transport.send(b"second")
    await far.until(lambda: len(far.heard) == 7)
    assert far.heard == b"\x06second"
    await near.transport.close()
    assert near.transport.state is TransportState.CLOSED
    counters = near.transport.counters
    assert (counters.bytes_in, counters.opens, counters.losses) == (2053, 1, 0)
    assert counters.bytes_out >= 1


@pytest.mark.requirement("EQ-57")
async def test_what_a_device_says_before_its_host_is_ready_is_told_all_the_same(bus: UsbBus, monkeypatch: pytest.MonkeyPatch) -> None:
    end, far = await plugged(bus, "bulk-shoe")
    settings = usb_settings(load_plain("bulk-shoe"))
    near = Near(UsbTransport(parse_usb_address(end.url), settings))
    heard, done = asyncio.Event(), usb_opening._done
    monkeypatch.setattr(usb_opening, "_done", lambda future: asyncio.ensure_future(when_heard(future)))
    monkeypatch.setattr(near.transport, "_take_turn", lambda opening: (heard.set(), UsbTransport._take_turn(near.transport, opening)))

    async def when_heard(future: asyncio.Future[None]) -> None:
        await heard.wait()
        done(future)

    opening = asyncio.ensure_future(near.open())
    await far.until(lambda: far.hosts == 1)
    end.send(b"early")
    await opening
    await near.until(lambda: near.chunks == [b"early"])
    await near.transport.close()


async def test_reports_are_told_and_sent_as_wholes(bus: UsbBus) -> None:
    end, far, near = await joined(bus, "hid-shoe")
    events = [bytes((1, number)) + bytes(14) for number in range(200)]
    end.send(b"".join(events))
    await near.until(lambda: len(near.chunks) == 200)
    assert near.chunks == events
    near.transport.send(b"\x02\x01\0\0" + b"\x04" + bytes(15))
    await far.until(lambda: len(far.heard) == 20)
    assert far.pieces == [b"\x02\x01\0\0", b"\x04" + bytes(15)]
    await near.transport.close()


async def test_oversize_and_short_reports_are_handed_on_as_they_are(bus: UsbBus) -> None:
    end, _far, near = await joined(bus, "hid-shoe")
    for report in (b"\x01" + bytes(40), b"\x01\x02", b"\x01" + bytes(15)):
        end.incoming.write(report)
    await near.until(lambda: len(near.chunks) == 3)
    assert [len(chunk) for chunk in near.chunks] == [41, 2, 16]
    await near.transport.close()


async def test_a_scanner_that_is_a_keyboard_is_told_as_text(bus: UsbBus) -> None:
    end, _far, near = await joined(bus, "barcode-wedge")
    end.send(b"1010\n")
    await near.until(lambda: b"".join(near.chunks).endswith(b"\n"))
    assert b"".join(near.chunks) == b"1010\n"
    await near.transport.close()


@pytest.mark.requirement("EQ-57")
async def test_unplugging_is_told_once_after_what_came_before_and_the_device_comes_back(bus: UsbBus) -> None:
    end, far, near = await joined(bus, "bulk-shoe")
    end.send(BLOCK)
    await near.until(lambda: near.chunks == [BLOCK])
    await end.close()
    await near.until(lambda: bool(near.lost))
    assert [type(error) for error in near.lost] == [PortBrokenError]
    with pytest.raises(PortBrokenError):
        near.transport.send(b"x")
    await near.transport.close()
    with pytest.raises(PortMissingError):
        await near.open()
    assert near.transport.state is TransportState.CLOSED
    await end.open(far)
    await near.open()
    await far.until(lambda: far.hosts == 1)
    end.send(b"again")
    await near.until(lambda: near.chunks[-1] == b"again")
    await near.transport.close()
    assert len(near.lost) == 1


async def test_a_device_that_resets_itself_has_another_number_and_is_found_again(bus: UsbBus) -> None:
    end, far, near = await joined(bus, "bulk-shoe")
    before = end.device.devnum
    end.reset()
    await near.until(lambda: bool(near.lost))
    await near.transport.close()
    assert end.device.devnum != before
    await near.open()
    await far.until(lambda: far.hosts == 1)
    end.send(b"here")
    await near.until(lambda: near.chunks == [b"here"])
    await near.transport.close()


async def test_a_stall_is_put_in_order_and_costs_nothing(bus: UsbBus) -> None:
    end, _far, near = await joined(bus, "bulk-shoe")
    for _ in range(10):
        end.stall()
        end.send(b"kept")
        await near.until(lambda: bool(near.chunks))
        assert near.chunks.pop() == b"kept"
    assert near.transport.counters.halts == 10
    assert not near.lost
    await near.transport.close()


async def test_a_device_that_refuses_for_good_is_broken(bus: UsbBus, monkeypatch: pytest.MonkeyPatch) -> None:
    end, _far, near = await joined(bus, "bulk-shoe")
    monkeypatch.setattr(end.incoming, "clear_halt", lambda: None)
    end.stall()
    await near.until(lambda: bool(near.lost))
    assert isinstance(near.lost[0], PortBrokenError)
    assert "refuses" in near.lost[0].what
    await near.transport.close()


async def test_a_flood_waits_at_the_device_and_leaves_the_loop_its_turns(bus: UsbBus, monkeypatch: pytest.MonkeyPatch) -> None:
    end, _far, near = await joined(bus, "bulk-shoe")
    most = 0

    def measure(chunk: bytes) -> None:
        nonlocal most
        assert near.transport._opening is not None
        most = max(most, len(near.transport._opening.box))
        Near.on_bytes(near, chunk)

    monkeypatch.setattr(near.transport, "_on_bytes", measure)
    for _ in range(900):
        end.send(b"x" * 64)
    await near.until(lambda: len(b"".join(near.chunks)) == 900 * 64)
    assert most < 64
    await near.transport.close()


@pytest.mark.requirement("EQ-58", "T-27")
async def test_a_port_that_rests_leaves_its_transfers_in_the_box_and_then_takes_them_one_by_one(bus: UsbBus) -> None:
    end, _far, near = await joined(bus, "hid-shoe")
    opening = near.transport._opening
    assert opening is not None
    near.transport.rest(3600.0)
    events = [bytes((1, number)) + bytes(14) for number in range(3)]
    end.send(b"".join(events))
    async with asyncio.timeout(30):
        while len(opening.box) < 3:  # noqa: ASYNC110  # the thread has no news for the loop while it rests
            await asyncio.sleep(0.01)
    assert near.chunks == []
    opening._end_rest()
    assert near.chunks == events[:1]
    await near.until(lambda: near.chunks == events)
    near.transport.rest(0.0)
    assert opening.turn_chunks > 1
    await near.transport.close()


async def test_a_write_that_the_device_does_not_take_breaks_the_port_and_closing_is_bounded(bus: UsbBus) -> None:
    _end, _far, near = await joined(bus, "bulk-shoe")
    bus.slow_s = 60.0
    with pytest.raises(PortStalledError):
        await near.transport.write(b"x", deadline_s=0.0)
    assert near.transport.state is TransportState.BROKEN
    await near.transport.close()
    await near.until_closed()


async def test_a_backlog_has_a_limit(bus: UsbBus) -> None:
    _end, _far, near = await joined(bus, "bulk-shoe")
    bus.slow_s = 60.0
    for _ in range(8):
        near.transport.send(b"x" * 1024)
    with pytest.raises(PortStalledError):
        near.transport.send(b"x")
    assert near.transport.state is TransportState.BROKEN
    await near.transport.close()


async def test_nothing_is_sent_before_opening_or_after_closing(bus: UsbBus) -> None:
    end, _far = await plugged(bus, "bulk-shoe")
    near = Near(UsbTransport(parse_usb_address(end.url), usb_settings(load_plain("bulk-shoe"))))
    with pytest.raises(PortClosedError):
        near.transport.send(b"x")
    await near.open()
    with pytest.raises(PortClosedError):
        await near.open()
    await near.transport.close()
    await near.transport.close()
    with pytest.raises(PortClosedError):
        near.transport.send(b"x")


async def test_an_opening_that_is_given_up_leaves_the_device_free(bus: UsbBus) -> None:
    end, far = await plugged(bus, "bulk-shoe")
    near = Near(UsbTransport(parse_usb_address(end.url), usb_settings(load_plain("bulk-shoe"))))
    opening = asyncio.ensure_future(near.open())
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert near.transport.state is TransportState.CLOSED
    await near.open()
    await far.until(lambda: far.hosts == 1)
    await near.transport.close()

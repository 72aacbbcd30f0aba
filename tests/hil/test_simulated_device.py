"""A simulated device and the daemon's device over a real pseudo-terminal, in virtual time: connect, deal, lose, resume."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.commands import (
    AbortShuffle,
    Burn,
    BurnByValue,
    ClearError,
    CloseShoe,
    Command,
    CountStub,
    Dispense,
    EjectAll,
    Lock,
    OpenShoe,
    Request,
    SetTime,
    Signal,
    StartShuffle,
    Unlock,
)
from firmware_bridge.events import CommandDone, DeviceEvent, GateChanged, Started, Status
from firmware_bridge.port_news import PortLost
from firmware_bridge.session.outputs import CommandAnswered, LinkLost, Running
from hil.mechanism.cards import fresh_deck
from hil.mechanism.options import DrawResult, Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time

KEY = bytes(range(1, 17))
SHOE_ID = b"shoe-number-0001"
INSTANT = Timing.instant()

Deed = Callable[[SimulatedDevice, HostBench], Awaitable[None]]


def at_table(deed: Deed, *, key: bytes | None = None, tcp: bool = False, **settings: object) -> HostBench:
    """Run `deed` with a simulated device and a running host; both are stopped afterwards."""

    async def main() -> HostBench:
        clock = asyncio.get_running_loop().time
        chosen = SimulatedSettings(key=key, tcp=("127.0.0.1", 0) if tcp else None, **settings)  # type: ignore[arg-type]
        async with SimulatedDevice(chosen, clock=clock) as device:
            host = HostBench(device.url, serial=chosen.serial, key=key)
            host.start()
            await host.running()
            await deed(device, host)
            await host.stop()
            return host

    return run_in_virtual_time(main())


async def answer(host: HostBench, command: Command) -> Status:
    answered = await host.device.command(command)
    assert isinstance(answered, CommandAnswered), answered
    return answered.status


async def open_shoe(device: SimulatedDevice, host: HostBench) -> None:
    device.load(fresh_deck())
    assert await answer(host, OpenShoe(SHOE_ID, 1)) is Status.OK


@pytest.mark.requirement("SDP/1 1.6", "SDP/1 1.7")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("tcp", [False, True], ids=["pty", "tcp"])
def test_connect_open_unlock_draw_and_acknowledge(key: bytes | None, tcp: bool) -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await open_shoe(device, host)
        assert await answer(host, Unlock(3)) is Status.OK
        await device.gate("open")
        assert [device.draw() for _ in range(4)] == [DrawResult.DRAWN] * 3 + [DrawResult.BLOCKED]
        await device.gate("locked")
        await device.all_acknowledged()

    host = at_table(deal, key=key, tcp=tcp, timing=INSTANT)
    host.verify_stream()
    assert [card.name for card in host.cards()] == ["Ac", "2c", "3c"]
    assert [event.position for event in host.card_events()] == [1, 2, 3]
    assert not host.faults()


@pytest.mark.requirement("EQ-48", "EQ-96")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
def test_power_lost_while_dealing_loses_and_doubles_nothing(key: bytes | None) -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await open_shoe(device, host)
        for boot in range(2, 6):
            assert await answer(host, Unlock(5)) is Status.OK
            await device.gate("open")
            for _ in range(4):
                device.draw()
            device.power_cycle()
            assert device.snapshot().gate == "locked"
            assert device.draw() is DrawResult.BLOCKED
            await device.until(lambda now, boot=boot: now.boot_count == boot and now.host_running)
            await host.running()
            await device.all_acknowledged()

    host = at_table(deal, key=key, timing=INSTANT)
    host.verify_stream()
    assert [card.code for card in host.cards()] == [card.face.code for card in fresh_deck()[:16] if card.face]
    started = [event for event in host.stored if isinstance(event, Started)]
    assert [(event.boot_count, event.shoe_open) for event in started] == [
        (1, False),
        (2, True),
        (3, True),
        (4, True),
        (5, True),
    ]


@pytest.mark.requirement("EQ-96")
def test_a_host_that_is_killed_between_storing_and_acknowledging_sees_each_event_once() -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await open_shoe(device, host)
        await answer(host, Unlock(6))
        host.acknowledges = False
        for _ in range(3):
            device.draw()
        await host.until(lambda: len(host.card_events()) == 3)
        assert device.snapshot().acknowledged_eseq < device.snapshot().newest_eseq
        host.acknowledges = True
        await host.restart()
        await host.running()
        await device.all_acknowledged()

    host = at_table(deal, timing=INSTANT)
    host.verify_stream()
    assert len(host.card_events()) == 3


@pytest.mark.requirement("EQ-44", "SDP/1 1.8")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
def test_a_cut_line_is_lost_within_its_limit_locks_the_gate_and_comes_back(key: bytes | None) -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await open_shoe(device, host)
        await answer(host, Unlock())
        await device.gate("open")
        await device.all_acknowledged()
        loop = asyncio.get_running_loop()
        cut_s = loop.time()
        device.cut_line(for_s=20.0)
        await host.until_output(LinkLost)
        assert loop.time() - cut_s <= 3.0 + 0.2
        await device.gate("locked")
        assert loop.time() - cut_s <= 3.0 + 0.2
        assert device.draw() is DrawResult.BLOCKED
        await device.host_running(60.0)
        await host.running()
        await device.all_acknowledged()

    host = at_table(deal, key=key, timing=INSTANT)
    host.verify_stream()
    causes = [event.cause.value for event in host.stored if isinstance(event, GateChanged)]
    assert causes == ["command", "link-lost"]
    assert len(host.of_kind(Running)) == 2


@pytest.mark.requirement("EQ-57")
def test_an_unplugged_port_is_told_and_opened_again_when_it_is_back(tmp_path: Path) -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await device.unplug()
        await host.until_output(PortLost)
        await device.plug_in()
        await host.until(lambda: len(host.of_kind(Running)) == 2)
        await open_shoe(device, host)
        await device.all_acknowledged()

    host = at_table(deal, timing=INSTANT, link_dir=tmp_path)
    host.verify_stream()
    assert host.device.reopens >= 1


def test_a_knocked_plug_costs_no_event(tmp_path: Path) -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await open_shoe(device, host)
        assert await answer(host, Unlock(1)) is Status.OK
        await device.gate("open")
        device.draw()
        await host.until_output(PortLost)
        await host.until(lambda: len(host.of_kind(Running)) == 2)
        await device.all_acknowledged()

    host = at_table(deal, timing=INSTANT, link_dir=tmp_path, faults=("unplug@1",))
    host.verify_stream()
    assert len(host.cards()) == 1


def test_the_link_points_at_the_port_while_it_is_there_and_is_gone_after(tmp_path: Path) -> None:
    async def look(device: SimulatedDevice, host: HostBench) -> None:
        link = tmp_path / "SIM-SHOE-1"
        assert device.url == str(link)
        assert str(link.readlink()).startswith("/dev/pts/")

    at_table(look, timing=INSTANT, link_dir=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.requirement("SDP/1 1.8")
def test_a_card_is_told_within_its_limit_of_clearing_the_reader() -> None:
    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await open_shoe(device, host)
        await answer(host, Unlock(10))
        await device.gate("open")
        loop = asyncio.get_running_loop()
        for _ in range(10):
            before = len(host.card_events())
            pulled_s = loop.time()
            device.draw()
            await host.until(lambda before=before: len(host.card_events()) > before)
            assert loop.time() - pulled_s <= 0.05 + 0.15

    at_table(deal, timing=Timing(card_s=0.05))


@pytest.mark.requirement("SDP/1 1.7")
def test_a_device_whose_memory_is_full_locks_and_says_error_0e_and_loses_nothing() -> None:
    async def fill(device: SimulatedDevice, host: HostBench) -> None:
        host.acknowledges = False
        await host.stop()
        while not device.journal.is_full:
            device.press(1)
        assert device.snapshot().errors == ("memory",)
        newest = device.snapshot().newest_eseq
        host.acknowledges = True
        await host.restart()
        await host.running()
        await device.until(lambda now: now.acknowledged_eseq >= newest, 600.0)
        assert await answer(host, ClearError(0x0E)) is Status.OK
        await device.all_acknowledged()
        assert device.snapshot().errors == ()

    host = at_table(fill, timing=INSTANT)
    host.verify_stream()
    assert len(host.stored) > 1000


ALL_COMMANDS: list[tuple[Command, Status]] = [
    (Request("identify"), Status.OK),
    (Request("capabilities"), Status.OK),
    (Request("status"), Status.OK),
    (Request("echo", {"content": b"abc"}), Status.OK),
    (SetTime(1_700_000_000_000), Status.OK),
    (Request("config_get", {"key": 1}), Status.OK),
    (Request("config_get", {"key": 0x8000}), Status.OUT_OF_RANGE),
    (Request("config_set", {"key": "deck-size", "value": b"\0\x35"}), Status.OK),
    (Request("config_set", {"key": "reader-threshold", "value": b"\x05"}), Status.OK),
    (Request("config_set", {"key": 0xFFFF, "value": b"\x05"}), Status.OUT_OF_RANGE),
    (Request("counters"), Status.OK),
    (Signal(1, 2), Status.OK),
    (Unlock(1), Status.WRONG_STATE),
    (Dispense(2, 1), Status.WRONG_STATE),
    (Burn(1), Status.WRONG_STATE),
    (Lock(), Status.OK),
    (CountStub(), Status.OK),
    (StartShuffle(1), Status.NOT_SUPPORTED),
    (AbortShuffle(), Status.NOT_SUPPORTED),
    (CloseShoe(), Status.WRONG_STATE),
    (ClearError(8), Status.OUT_OF_RANGE),
    (ClearError(0xEE), Status.OUT_OF_RANGE),
    (OpenShoe(SHOE_ID, 1), Status.OK),
    (OpenShoe(SHOE_ID, 1), Status.WRONG_STATE),
    (Request("diag_enter", {"ticket": b"WO-00001"}), Status.NOT_IDLE),
    (Request("reboot", {"reason": 0}), Status.NOT_IDLE),
    (Unlock(1), Status.OK),
    (Dispense(2, 1), Status.OK),
    (Burn(2), Status.OK),
    (BurnByValue(), Status.OK),
    (EjectAll(), Status.OK),
    (Request("sensor_read", {"mask": 15}), Status.WRONG_STATE),
    (Request("diag_enter", {"ticket": b"WO-00001"}), Status.OK),
    (Request("diag_enter", {"ticket": b"WO-00001"}), Status.WRONG_STATE),
    (OpenShoe(SHOE_ID, 1), Status.WRONG_STATE),
    (Request("sensor_read", {"mask": 15}), Status.OK),
    (Request("actuate", {"actuator": 1, "direction": 0, "duration_ms": 500}), Status.OK),
    (Request("actuate", {"actuator": 0x80, "direction": "back", "duration_ms": 500}), Status.OUT_OF_RANGE),
    (Request("self_test", {"test": 0}), Status.OK),
    (Request("self_test", {"test": 0x80}), Status.OUT_OF_RANGE),
    (Request("read_raw", {"position": 0}), Status.EMPTY),
    (Request("diag_exit"), Status.OK),
    (Request("diag_exit"), Status.WRONG_STATE),
    (Request("log_info"), Status.OK),
    (Request("log_read", {"offset": 0, "length": 40}), Status.OK),
    (Request("log_read", {"offset": 99999, "length": 40}), Status.OUT_OF_RANGE),
    (Request("fw_abort"), Status.NOT_SUPPORTED),
    (Request("attest", {"salt": bytes(16), "region": 0, "offset": 0, "length": 1024}), Status.NOT_SUPPORTED),
]


@pytest.mark.requirement("SDP/1 1.6")
def test_every_command_is_answered_with_the_status_of_its_state() -> None:
    answers: list[tuple[str, Status]] = []

    async def ask(device: SimulatedDevice, host: HostBench) -> None:
        device.load(fresh_deck())
        for command, _ in ALL_COMMANDS:
            answers.append((str(command), await answer(host, command)))
        await device.all_acknowledged()

    host = at_table(ask, timing=INSTANT, technician_switch=True)
    assert answers == [(str(command), status) for command, status in ALL_COMMANDS]
    done = [event.command for event in host.stored if isinstance(event, CommandDone)]
    assert done == ["gate", "stub_count", "gate", "dispense", "burn", "burn", "eject_all"]


def test_technicians_commands_are_denied_without_the_switch() -> None:
    async def ask(device: SimulatedDevice, host: HostBench) -> None:
        assert await answer(host, Request("diag_enter", {"ticket": b"WO-00001"})) is Status.DENIED
        assert await answer(host, Request("reboot", {"reason": 0})) is Status.DENIED

    at_table(ask, timing=INSTANT)


def test_a_reboot_starts_the_device_again() -> None:
    async def ask(device: SimulatedDevice, host: HostBench) -> None:
        assert await answer(host, Request("reboot", {"reason": 0})) is Status.OK
        await host.until(lambda: len([event for event in host.stored if isinstance(event, Started)]) == 2)

    at_table(ask, timing=INSTANT, technician_switch=True)


@pytest.mark.requirement("EQ-62")
def test_attestation_is_answered_over_the_image_with_the_sessions_key() -> None:
    image = bytes(range(256)) * 16

    async def ask(device: SimulatedDevice, host: HostBench) -> None:
        fields = {"salt": bytes(16), "region": 0, "offset": 512, "length": 2048}
        answered = await host.device.command(Request("attest", fields))
        assert isinstance(answered, CommandAnswered)
        keys = host.device.session.session_keys
        assert keys is not None
        assert answered.fields["digest"] == keys.attestation(bytes(16), 512, image[512:2560])
        assert await answer(host, Request("attest", {**fields, "length": 16})) is Status.OUT_OF_RANGE

    at_table(ask, key=KEY, timing=INSTANT, image=image)


def test_a_shuffler_shuffles_by_order_and_by_its_button() -> None:
    async def shuffle(device: SimulatedDevice, host: HostBench) -> None:
        device.load(fresh_deck())
        assert await answer(host, StartShuffle(1)) is Status.OK
        assert await answer(host, StartShuffle(1)) is Status.BUSY
        await device.until(lambda now: now.act is None)
        device.press_shuffle()
        await device.until(lambda now: now.act is None)
        await device.all_acknowledged()

    host = at_table(shuffle, kind="shuffler", serial="SIM-SHUF-1", timing=Timing(shuffle_s=5.0))
    names = [type(event).__name__ for event in host.stored]
    assert names == ["Started", "ShoeLoaded", "ShuffleStarted", "ShuffleDone", "CommandDone", "ShuffleStarted", "ShuffleDone"]


def test_events_that_come_again_differ_in_nothing_but_their_flag() -> None:
    first: list[DeviceEvent] = []

    async def deal(device: SimulatedDevice, host: HostBench) -> None:
        await device.all_acknowledged()
        host.stored.clear()
        host.acknowledges = False
        await open_shoe(device, host)
        await answer(host, Unlock(2))
        device.draw()
        await host.until(lambda: len(host.stored) == 4)
        first.extend(host.stored)
        del host.stored[1:]
        host.acknowledges = True
        await host.restart()
        await host.running()
        await device.all_acknowledged()

    host = at_table(deal, timing=INSTANT)
    again = [msgspec.structs.replace(event, replayed=False) for event in host.stored[: len(first)]]
    assert again == first
    assert [event.replayed for event in host.stored[:4]] == [False, True, True, True]

"""One device's life: opening and opening again, refusals, a consumer that fails, commands whose answer never comes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TypeVar

import pytest

from firmware_bridge.codec import load_codec
from firmware_bridge.commands import OpenShoe, Request, Unlock
from firmware_bridge.device import (
    Device,
    DeviceOutput,
    DeviceStanding,
    line_of,
)
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import Status
from firmware_bridge.port_news import PortFailed, PortOpened
from firmware_bridge.reopening import REOPEN_AFTER_S
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    CommandFailure,
    EventArrived,
    IdentityMismatch,
    LinkLost,
    RefusalKind,
    Running,
)
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import PortBusyError, PortMissingError
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings
from hil.simulated.virtual_time import run_in_virtual_time

KEY = bytes(range(1, 17))
Result = TypeVar("Result")


def run(main: Coroutine[object, object, Result]) -> Result:
    return run_in_virtual_time(main)


def simulated(**settings: object) -> SimulatedDevice:
    chosen = SimulatedSettings(timing=Timing.instant(), **settings)  # type: ignore[arg-type]
    return SimulatedDevice(chosen, clock=asyncio.get_running_loop().time)


def device_on(
    url: str,
    consumer: Callable[[DeviceOutput], None],
    *,
    serial: str | None = None,
    key: bytes | None = None,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Device:
    transport = open_transport(url)
    settings = HostSettings(line=line_of(transport), expected_serial=serial, device_key=DeviceKey(key) if key is not None else None)
    clock = asyncio.get_running_loop().time
    session = HostSession(load_codec("sdp1"), settings, os.urandom)
    return Device("shoe", transport, session, consumer, clock=clock, pause=pause)


class Pauses:
    """Stands in for waiting; remembers how long, and lets the device go on at once for `count` times."""

    def __init__(self, count: int) -> None:
        self.asked: list[float] = []
        self.done = asyncio.Event()
        self._count = count

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        if len(self.asked) >= self._count:
            self.done.set()
            await asyncio.Event().wait()


@pytest.mark.requirement("SDP/1 1.8")
def test_a_missing_port_is_tried_again_at_the_protocols_pace(tmp_path: Path) -> None:
    async def main() -> None:
        outputs: list[DeviceOutput] = []
        pauses = Pauses(7)
        device = device_on(str(tmp_path / "nothing"), outputs.append, pause=pauses)
        device.start()
        await pauses.done.wait()
        assert device.standing is DeviceStanding.WAITING_FOR_PORT
        await device.stop()
        assert pauses.asked == [1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0] == [*REOPEN_AFTER_S, 15.0, 15.0]
        assert [type(output) for output in outputs] == [PortFailed] * 7
        assert all(isinstance(output, PortFailed) and isinstance(output.error, PortMissingError) for output in outputs)
        assert device.standing is DeviceStanding.STOPPED

    run(main())


def test_a_busy_port_is_told_with_its_holder_and_taken_when_it_is_free() -> None:
    async def main() -> None:
        async with simulated() as simulator:
            first = device_on(simulator.url, lambda _: None)
            first.start()
            await first.reached(DeviceStanding.RUNNING)
            told: asyncio.Queue[DeviceOutput] = asyncio.Queue()
            second = device_on(simulator.url, told.put_nowait)
            second.start()
            output = await told.get()
            assert isinstance(output, PortFailed)
            assert isinstance(output.error, PortBusyError)
            assert output.error.holder is not None
            await first.stop()
            await second.reached(DeviceStanding.RUNNING)
            await second.stop()

    run(main())


def test_stopping_leaves_the_port_free_at_once() -> None:
    async def main() -> None:
        async with simulated() as simulator:
            for _ in range(3):
                outputs: list[DeviceOutput] = []
                device = device_on(simulator.url, outputs.append)
                device.start()
                await device.reached(DeviceStanding.RUNNING)
                await device.stop()
                assert isinstance(outputs[0], PortOpened)
                assert device.standing is DeviceStanding.STOPPED

    run(main())


@pytest.mark.requirement("EQ-51", "EQ-57", "T-04")
def test_a_device_with_another_serial_is_refused_and_its_port_given_back() -> None:
    async def main() -> None:
        async with simulated(serial="SN-OTHER") as simulator:
            outputs: list[DeviceOutput] = []
            pauses = Pauses(2)
            device = device_on(simulator.url, outputs.append, serial="SN-REGISTERED", pause=pauses)
            device.start()
            await pauses.done.wait()
            assert pauses.asked == [15.0, 15.0]
            assert device.standing is DeviceStanding.REFUSED
            assert isinstance(device.refusal, IdentityMismatch)
            assert (device.refusal.expected, device.refusal.actual) == ("SN-REGISTERED", "SN-OTHER")
            with pytest.raises(NotReadyError):
                device.request(Unlock(1))
            simulator.press(1)
            other = open_transport(simulator.url)
            await other.open(lambda _: None, lambda _: None)
            await other.close()
            await device.stop()
            assert not any(isinstance(output, EventArrived | Running) for output in outputs)

    run(main())


@pytest.mark.requirement("EQ-51")
@pytest.mark.parametrize("device_key", [bytes(range(2, 18)), None], ids=["other-key", "no-key"])
def test_a_device_without_the_registered_key_is_never_used(device_key: bytes | None) -> None:
    async def main() -> None:
        async with simulated(key=device_key) as simulator:
            outputs: list[DeviceOutput] = []
            device = device_on(simulator.url, outputs.append, serial="SIM-SHOE-1", key=KEY)
            device.start()
            await asyncio.sleep(40.0)
            await device.stop()
            assert any(isinstance(output, PortOpened) for output in outputs)
            assert not any(isinstance(output, EventArrived | Running) for output in outputs)
            if device_key is not None:
                assert device.refusal is not None
                assert device.refusal.kind is RefusalKind.KEY

    run(main())


def test_a_refused_device_is_used_when_the_right_one_is_plugged_in(tmp_path: Path) -> None:
    async def main() -> None:
        wrong = simulated(serial="SN-1", faults=("wrong-serial@1",), link_dir=tmp_path)
        async with wrong as simulator:
            device = device_on(simulator.url, lambda _: None, serial="SN-1")
            device.start()
            await device.reached(DeviceStanding.REFUSED)
            simulator.power_cycle()
            await device.reached(DeviceStanding.RUNNING)
            assert device.refusal is None
            await device.stop()

    run(main())


def test_a_failing_consumer_ends_its_own_device_and_no_other() -> None:
    async def main() -> None:
        async with simulated() as simulator, simulated(serial="SIM-SHOE-2") as other:

            def fails(output: DeviceOutput) -> None:
                if not isinstance(output, EventArrived):
                    return
                raise RuntimeError("no room in the inbox")

            failing, healthy = device_on(simulator.url, fails), device_on(other.url, lambda _: None)
            task = failing.start()
            healthy.start()
            await asyncio.wait([task])
            assert isinstance(task.exception(), RuntimeError)
            assert failing.standing is DeviceStanding.STOPPED
            await healthy.reached(DeviceStanding.RUNNING)
            again = open_transport(simulator.url)
            await again.open(lambda _: None, lambda _: None)
            await again.close()
            await failing.stop()
            await healthy.stop()

    run(main())


def test_a_command_is_answered_and_a_bad_one_refused_before_it_is_sent() -> None:
    async def main() -> None:
        async with simulated() as simulator:
            device = device_on(simulator.url, lambda _: None)
            with pytest.raises(NotReadyError):
                await device.command(Unlock(1))
            device.start()
            await device.reached(DeviceStanding.RUNNING)
            answered = await device.command(OpenShoe(bytes(15) + b"1", 1))
            assert isinstance(answered, CommandAnswered)
            assert answered.status is Status.OK
            with pytest.raises(MisuseError):
                await device.command(Request("no-such-command"))
            with pytest.raises(MisuseError):
                await device.command(Request("echo", {"content": 5}))
            await device.stop()

    run(main())


def test_commands_that_wait_when_the_line_is_cut_fail_by_name() -> None:
    async def main() -> None:
        async with simulated() as simulator:
            device = device_on(simulator.url, lambda _: None)
            device.start()
            await device.reached(DeviceStanding.RUNNING)
            simulator.cut_line(for_s=30.0)
            failed = await device.command(Request("counters"))
            assert isinstance(failed, CommandFailed)
            assert failed.failure in (CommandFailure.LINK_LOST, CommandFailure.TIMED_OUT)
            await device.reached(DeviceStanding.LOST)
            await device.reached(DeviceStanding.RUNNING)
            await device.stop()

    run(main())


def test_a_command_that_waits_when_the_device_is_stopped_does_not_wait_for_ever() -> None:
    async def main() -> None:
        async with simulated() as simulator:
            device = device_on(simulator.url, lambda _: None)
            device.start()
            await device.reached(DeviceStanding.RUNNING)
            simulator.cut_line(for_s=30.0)
            waiting = asyncio.ensure_future(device.command(Request("counters")))
            await asyncio.sleep(0)
            await device.stop()
            failed = await waiting
            assert isinstance(failed, CommandFailed)

    run(main())


def test_an_unplugged_device_counts_and_comes_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with simulated(link_dir=tmp_path) as simulator:
            outputs: list[DeviceOutput] = []
            device = device_on(simulator.url, outputs.append)
            device.start()
            await device.reached(DeviceStanding.RUNNING)
            for _ in range(3):
                await simulator.unplug()
                await device.reached(DeviceStanding.WAITING_FOR_PORT)
                await simulator.plug_in()
                await device.reached(DeviceStanding.RUNNING)
            assert device.line.opens == 4
            assert device.line.losses == 3
            assert sum(isinstance(output, LinkLost) for output in outputs) == 3
            await device.stop()

    run(main())


def test_acknowledging_what_never_came_is_our_mistake() -> None:
    async def main() -> None:
        async with simulated() as simulator:
            device = device_on(simulator.url, lambda _: None)
            device.start()
            await device.reached(DeviceStanding.RUNNING)
            with pytest.raises(MisuseError):
                device.acknowledge(1000)
            await device.stop()

    run(main())

"""One device without a table: opened once, asked, listened to, and let go.

Unlike the daemon's device it is not opened again when the port breaks: a technician wants to see that. Nothing is stored here and no event
is acknowledged unless the caller, who stored it, says so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final

from controller.errors import as_sentence
from controller.technician.errors import DeviceNotInOrderError, TechnicianError
from controller.technician.reach import AnyCodec, AnySession, Reach, codec_of, session_of, transport_of
from device_profiles.plain.frames import Way
from firmware_bridge.capture.tap import TappedTransport
from firmware_bridge.commands import Command, Request
from firmware_bridge.due_timer import DueTimer
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import Status
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    Fault,
    HostOutput,
    HostState,
    LinkLost,
    RefusalKind,
    Refused,
    Running,
)
from firmware_bridge.transport.base import Transport, TransportError

LOOK: Final = "Look at its power, the cable and both plugs, and whether the cable crosses its two wires"
CONNECT_S: Final = 4.0
"""Power-on to first RSTACK takes up to 5 s (SDP/1 1.8); a device that is on answers in a tenth of a second, and a second RST follows."""

Ear = Callable[[Way, bytes, float], None]
"""Hears every byte, with the clock's time."""
Listener = Callable[[HostOutput], None]


class Bench:
    """A device on the bench; use it as an asynchronous context, which opens and closes it."""

    def __init__(
        self,
        reach: Reach,
        *,
        clock: Callable[[], float] = time.monotonic,
        connect_s: float = CONNECT_S,
        line: Callable[[Reach, AnyCodec], Transport] = transport_of,
    ) -> None:
        """`line` makes the closed transport to the device."""
        self.reach = reach
        self.codec: AnyCodec = codec_of(reach.profile, reach.profiles)
        self.ears: list[Ear] = []
        self.listeners: list[Listener] = []
        self.faults: dict[str, int] = {}
        self.losses: list[LinkLost] = []
        self.running: Running | None = None
        self.clock = clock
        self._connect_s = connect_s
        inner = line(reach, self.codec)
        self.transport = TappedTransport(inner, self._tapped)
        self.session: AnySession = session_of(reach, self.codec, inner)
        self._answers: dict[int, asyncio.Future[CommandAnswered | CommandFailed]] = {}
        self._timer = DueTimer(self.session.next_deadline, self._do_due, clock)
        self._ready: asyncio.Future[None] | None = None
        self._again: asyncio.Future[None] | None = None
        self._broken: asyncio.Future[TransportError] | None = None

    async def __aenter__(self) -> Bench:
        await self.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def open(self) -> None:
        """Open the port and wait until the device answers.

        Raises:
            TransportError: the port cannot be opened.
            DeviceNotInOrderError: another device answers, or none in time.
        """
        await self.open_port()
        assert self._ready is not None
        try:
            async with asyncio.timeout(self._connect_s):
                await self._ready
        except TimeoutError:
            silence = self._silence()
            await self.close()
            raise silence from None
        except BaseException:
            await self.close()
            raise

    async def open_port(self) -> None:
        """Open the port and begin to speak, waiting for nothing."""
        loop = asyncio.get_running_loop()
        self._ready, self._broken = loop.create_future(), loop.create_future()
        self._timer.begin()
        self._ready.add_done_callback(lambda ready: ready.cancelled() or ready.exception())  # seen, even where nobody waits for it
        await self.transport.open(self._take_bytes, self._lose_port)
        now_s = self.clock()
        self._deliver(self.session.connection_made(now_s))

    async def close(self) -> None:
        """Take leave and free the port."""
        if self._broken is not None and not self._broken.done():
            self._deliver(self.session.close(self.clock()))
        self._timer.stop()
        await self.transport.close()
        for answer in self._answers.values():
            answer.cancel()

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        """Send a command and wait for its final answer, which the session's own limits bound.

        Raises:
            TechnicianError: the profile has no such command, or a value does not fit.
            DeviceNotInOrderError: the device takes no commands now, or the port broke and nobody knows what became of this one.
        """
        self._verify_port()
        try:
            tid = self.session.request(command, self.clock())
        except MisuseError as error:
            raise TechnicianError("bad-command", as_sentence(str(error)), "`shoed profile show` lists the commands.") from error
        except NotReadyError as error:
            raise DeviceNotInOrderError(
                "device-not-ready", as_sentence(str(error)), "Try again; `identify` shows where it stands."
            ) from error
        answer: asyncio.Future[CommandAnswered | CommandFailed] = asyncio.get_running_loop().create_future()
        self._answers[tid] = answer
        self._flush()
        try:
            answered = await answer
        finally:
            self._answers.pop(tid, None)
        if isinstance(answered, CommandFailed):
            self._verify_port()
        return answered

    async def ask(self, name: str, **fields: object) -> CommandAnswered:
        """Send a command of the profile that must be answered with OK.

        Raises:
            TechnicianError: the device has no such function, or wants another role.
            DeviceNotInOrderError: it refuses for another reason, or does not answer.
        """
        answer = await self.command(Request(name, fields))
        if isinstance(answer, CommandAnswered) and answer.status is Status.OK:
            return answer
        raise refusal_of(name, answer)

    async def back(self, within_s: float) -> bool:
        """Wait until the device takes commands again; False when it does not in time."""
        if self.session.state is not HostState.RUNNING:
            self._again = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._again], timeout=within_s)
        return self.session.state is HostState.RUNNING

    def acknowledge(self, eseq: int) -> None:
        """Tell the device that events up to this one are stored durably."""
        self.session.acknowledge(eseq, self.clock())
        self._flush()

    async def listen(self, seconds: float | None, until: asyncio.Future[None] | None = None) -> None:
        """Stay for so long, or for ever, or until something happens.

        Raises:
            TransportError: the port broke meanwhile.
        """
        assert self._broken is not None
        waited: list[asyncio.Future[None] | asyncio.Future[TransportError]] = [self._broken]
        await asyncio.wait(waited if until is None else [*waited, until], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if self._broken.done():
            raise self._broken.result()

    def _verify_port(self) -> None:
        if self._broken is not None and self._broken.done():
            broken = self._broken.result()
            raise DeviceNotInOrderError(broken.code, broken.what, broken.do)

    # ---- the loop's side

    def _tapped(self, way: Way, chunk: bytes) -> None:
        now_s = self.clock()
        for ear in self.ears:
            ear(way, chunk, now_s)

    def _take_bytes(self, chunk: bytes) -> None:
        self._deliver(self.session.receive(chunk, self.clock()))

    def _lose_port(self, error: TransportError) -> None:
        if self._broken is not None and not self._broken.done():
            self._broken.set_result(error)
        self._deliver(self.session.connection_lost(self.clock()))

    def _do_due(self, now_s: float) -> None:
        self._deliver(self.session.tick(now_s))

    def _deliver(self, outputs: list[HostOutput]) -> None:
        for output in outputs:
            self._note(output)
            for listener in self.listeners:
                listener(output)
        self._flush()

    def _note(self, output: HostOutput) -> None:
        match output:
            case CommandAnswered() | CommandFailed():
                answer = self._answers.get(output.tid)
                if answer is not None and not answer.done():
                    answer.set_result(output)
            case Running():
                self.running = output
                if self._again is not None and not self._again.done():
                    self._again.set_result(None)
                if self._ready is not None and not self._ready.done():
                    self._ready.set_result(None)
            case Refused():
                if self._ready is not None and not self._ready.done():
                    self._ready.set_exception(wrong_device(output))
            case Fault():
                self.faults[output.kind.value] = self.faults.get(output.kind.value, 0) + output.count
            case LinkLost():
                self.losses.append(output)
            case _:
                pass

    def _flush(self) -> None:
        waiting = self.session.bytes_to_send()
        if waiting and (self._broken is None or not self._broken.done()):
            try:
                self.transport.send(waiting)
            except TransportError as error:
                self._lose_port(error)
        self._timer.look()

    def _silence(self) -> DeviceNotInOrderError:
        """Say why nobody was reached, as far as what came over the line tells it."""
        port, heard = self.reach.port, self.transport.counters.bytes_in
        if not heard:
            return DeviceNotInOrderError(
                "device-silent",
                f"Nothing came from {port} in {self._connect_s:g} s.",
                f"{LOOK}; `shoed device identify --find-baud` tries other rates, `shoed ports` lists the ports.",
            )
        damaged = sum(self.faults.values())
        if self.losses:
            detail = f"{self.losses[-1].cause.value} {self.losses[-1].detail}".strip()
            return DeviceNotInOrderError(
                "device-not-ready",
                f"The device on {port} was heard, and the connection does not come about: {detail}.",
                "Run `shoed device linetest`; where the line is good, the device's key or firmware is not.",
            )
        return DeviceNotInOrderError(
            "line-unreadable",
            f"{heard} bytes came from {port} in {self._connect_s:g} s, none of them a frame of {self.reach.profile} ({damaged} damaged).",
            "The rate is another one, or the device: `shoed device identify --find-baud` tries other rates.",
        )


def wrong_device(refused: Refused) -> DeviceNotInOrderError:
    """Return what to tell of a device that is not the expected one."""
    if refused.kind is RefusalKind.IDENTITY:
        return DeviceNotInOrderError(
            "wrong-device",
            f"Another device answers here: {refused.actual} instead of {refused.expected}.",
            "Look whether the plugs of two devices are exchanged, or enter the new device's serial number.",
        )
    return DeviceNotInOrderError(
        "device-refused",
        f"The device is refused ({refused.kind.value}): expected {refused.expected}, found {refused.actual}.",
        "Give the key of this very device and role, or look at what was exchanged in it.",
    )


def refusal_of(name: str, answer: CommandAnswered | CommandFailed) -> TechnicianError | DeviceNotInOrderError:
    """Return what to tell of a command that was not answered with OK."""
    if isinstance(answer, CommandFailed):
        what = f"The device gave no answer to {name}: {answer.failure.value}."
        return DeviceNotInOrderError("command-unanswered", what, "Run `shoed device linetest`.")
    match answer.status:
        case Status.DENIED:
            return TechnicianError(
                "technician-denied",
                f"The device refuses {name}: it wants a higher role.",
                "Turn the technician's switch on the device, or open a sealed session with --role technician --key-file FILE.",
            )
        case Status.NOT_SUPPORTED | Status.UNKNOWN_CODE:
            what = f"The device has no such function as {name}: it answers `{answer.status.value}`."
            return TechnicianError("no-such-function", what, "`shoed device identify` lists what it can do.")
        case _:
            what = f"The device refuses {name} with the status `{answer.status.value}`."
            return DeviceNotInOrderError(
                "command-refused", what, "`shoed device identify` shows in which state it is and which error it has."
            )

"""Diagnostic mode of a device without a table: a work order, a technician, a second person, an end that comes by itself.

Two different persons must be named, one of them a technician and the other of the house (EQ-78). Each command, its fields and what came of
it are in the technicians' log before the next one goes out (EQ-84). The device leaves the mode when the command is over, also when it fails
or its time is up; what must follow before it is played with is said at the end (EQ-80).

Who the persons are is proved by their codes where a configuration that knows them is at hand, as the daemon does it, and a wrong code is in
the log; without one they are taken on their word, which the log says too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from controller.service.grant import TICKET_CHARACTERS, Grant
from controller.service.persons import PersonConfig, Persons
from controller.technician.bench import Bench, refusal_of
from controller.technician.errors import DeviceNotInOrderError
from controller.technician.work_log import WorkLog
from device_profiles.schema import Profile
from firmware_bridge.commands import Request
from firmware_bridge.events import Status
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed

AFTERWARDS: Final = "Before play: the device identifies itself again, its cards are verified and shuffled (EQ-80)."


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What diagnostic mode was granted for, and where the work is written down."""

    grant: Grant
    work_log: Path
    persons: tuple[PersonConfig, ...] = ()
    """Whom the configuration knows; empty where none is at hand, or it knows nobody."""
    codes: Mapping[str, str] = {}
    """What the two gave: `by` and `second`."""

    def __repr__(self) -> str:
        return f"<Diagnosis {self.grant.words()}>"


class Work:
    """Diagnostic mode while it lasts: sends commands and writes them down."""

    def __init__(self, bench: Bench, log: WorkLog, context: Mapping[str, object]) -> None:
        self._bench, self._log, self._context = bench, log, context

    async def ask(self, name: str, **fields: object) -> CommandAnswered:
        """Send a command that must be answered with OK; raises as `Bench.ask`."""
        answer = await self.command(Request(name, fields))
        if isinstance(answer, CommandAnswered) and answer.status is Status.OK:
            return answer
        raise refusal_of(name, answer)

    async def command(self, request: Request) -> CommandAnswered | CommandFailed:
        """Send a command, whatever its answer; raises as `Bench.command`."""
        self._log.write("command", command=request.name, fields=request.fields, **self._context)
        try:
            answer = await self._bench.command(request)
        except DeviceNotInOrderError as error:
            self._log.write("result", command=request.name, result=error.code, fields={}, **self._context)
            raise
        result = answer.failure.value if isinstance(answer, CommandFailed) else answer.status
        fields = {} if isinstance(answer, CommandFailed) else answer.fields
        self._log.write("result", command=request.name, result=result, fields=fields, **self._context)
        return answer

    def name_of(self, registry: str, number: object) -> str:
        """Return the name of a part's number in a registry of the profile; empty where it has none."""
        profile = self._bench.codec.profile
        known = profile.registries.get(registry) if isinstance(profile, Profile) else None
        return known.name_of(number) or "" if known is not None and isinstance(number, int) else ""

    def note(self, happening: str, **details: object) -> None:
        """Write down something that is no command."""
        self._log.write(happening, **details, **self._context)


@asynccontextmanager
async def diagnosing(bench: Bench, diagnosis: Diagnosis, *, in_device: bool = True) -> AsyncIterator[Work]:
    """Enter diagnostic mode, and leave it at the end whatever happens; not `in_device`: the device itself goes on as at a table.

    Raises:
        RequestError: a person's code is wrong.
        TechnicianError: the log cannot be written, or the device allows it not to this role.
        DeviceNotInOrderError: a shoe is open, the device refuses, or the time is up.
    """
    identity, grant = bench.session.identity, diagnosis.grant
    context = {
        "ticket": grant.ticket,
        "by": str(grant.by),
        "second": str(grant.second),
        "port": bench.reach.port,
        "serial": None if identity is None else identity.serial,
    }
    log = WorkLog(diagnosis.work_log)
    has_mode = in_device and not isinstance(bench.codec, PlainCodec) and "diag_enter" in bench.codec.profile.commands
    persons = Persons(diagnosis.persons, note_wrong=lambda person: log.write("code-wrong", person=str(person), **context))
    await persons.prove(diagnosis.codes, by=grant.by, second=grant.second)
    log.write("diagnosis-entered", minutes=grant.minutes, proved=persons.are_known, **context)
    try:
        if has_mode:
            await bench.ask("diag_enter", ticket=grant.ticket.encode("ascii").ljust(TICKET_CHARACTERS, b"\0"))
        try:
            async with asyncio.timeout(grant.minutes * 60):
                yield Work(bench, log, context)
        except BaseException:
            if has_mode:
                await _try_to_leave(bench, log, context)
            raise
        if has_mode:
            await bench.command(Request("diag_exit"))
    except TimeoutError as error:
        raise DeviceNotInOrderError(
            "diagnosis-over", f"Diagnostic mode ended: its {grant.minutes:g} minutes are up.", "Ask the second person again."
        ) from error
    finally:
        log.write("diagnosis-left", **context)


async def _try_to_leave(bench: Bench, log: WorkLog, context: Mapping[str, object]) -> None:
    """Tell the device that diagnostic mode is over after the work has failed: why it failed is what a person has to hear.

    A device that hears it no more has lost the line, and leaves the mode with it or when its time is up; the log says so.
    """
    try:
        await bench.command(Request("diag_exit"))
    except DeviceNotInOrderError as error:
        log.write("diagnosis-exit-unsaid", result=error.code, **context)

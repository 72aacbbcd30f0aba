"""Options that the technician's commands share: which device on which port, who works on it for which order, which lines are shown.

Commands get values, not options: a `Reach`, a `Diagnosis` or None, a `Filter`. Names of profiles, commands and fields are completed by the
shell (`_SHOED_COMPLETE=bash_source shoed` prints how).
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeVar

import click
import msgspec

from controller.cli.numbers import FiniteRange
from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, write_json, write_line, write_listing, write_note
from controller.cli.shelves import PROFILES_OPTION, shelf_of
from controller.errors import ShoedError
from controller.service.config_file import load_config
from controller.service.grant import MINUTES_MAX, Grant
from controller.service.link import read_device_key
from controller.table.acts import By
from controller.table.parse import parse_by
from controller.technician.diagnosis import Diagnosis
from controller.technician.errors import TechnicianError
from controller.technician.filters import message_names
from controller.technician.findings import Found
from controller.technician.holder import gather_codes, held_error, holder_of, lent
from controller.technician.identity import heard_at
from controller.technician.reach import Reach, codec_of
from controller.technician.sending import sendables
from controller.technician.work_log import usual_path
from device_profiles.schema import Role
from device_profiles.shelf import DIRECTORY_VARIABLE
from firmware_bridge.link.frames import BUS_ADDRESS_MAX
from firmware_bridge.seal import DeviceKey
from firmware_bridge.transport.base import PortBusyError

R = TypeVar("R")
Command = Callable[..., R]


class Place(msgspec.Struct, frozen=True):
    """Where the device is, and the configuration of the daemon that may have it."""

    reach: Reach
    config_file: Path | None


def _profile_of(context: click.Context) -> str:
    return str(context.params.get("profile") or "sdp1")


def _profiles_of(context: click.Context) -> Path | None:
    given = context.params.get("profiles") or os.environ.get(DIRECTORY_VARIABLE)
    return None if given is None else Path(given)


def complete_profile(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete a profile's name."""
    return [name for name in shelf_of(_profiles_of(context)).names() if name.startswith(begun)]


def complete_command(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete a command of the profile."""
    return [name for name in sendables(codec_of(_profile_of(context), _profiles_of(context))) if name.startswith(begun)]


def complete_field(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete `FIELD=` of the command, and the names of its values."""
    command = sendables(codec_of(_profile_of(context), _profiles_of(context))).get(str(context.params.get("name")))
    words: list[str] = []
    for written in command.fields if command is not None else ():
        name, _, values = written.strip("[]").partition("=")
        words += [f"{name}={value}" for value in values.split("|")] if "|" in values else [f"{name}="]
    return [word for word in words if word.startswith(begun)]


def complete_message(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete the name of a message."""
    return [name for name in message_names(codec_of(_profile_of(context), _profiles_of(context))) if name.startswith(begun)]


UNPROVED: Final = "No configuration that knows persons is named (--config): unless a daemon asks for codes, they are taken on their word."
_FILE: Final = click.Path(path_type=Path, dir_okay=False)
PROFILE_OPTION: Final = click.option(
    "--profile", default=None, shell_complete=complete_profile, help="The device's profile; sdp1 if not given."
)
KEY_OPTION: Final = click.option(
    "--key-file", type=_FILE, help="The key of a sealed line, 32 hexadecimal digits; with --role technician the technician's."
)
_REACH: Final = (
    click.option("--port", metavar="URL", help="A path, serial:///path?baud=9600 or tcp://host:port."),
    PROFILE_OPTION,
    PROFILES_OPTION,
    click.option("--serial", help="Speak to the device with this serial number only."),
    click.option("--address", type=click.IntRange(1, BUS_ADDRESS_MAX), help="The device's address, where several share the line."),
    click.option("--baud", type=click.IntRange(50, 4_000_000), help="Another rate than the profile's."),
    KEY_OPTION,
    click.option("--role", type=click.Choice(["operator", "technician", "vendor"]), default="operator", show_default=True),
    click.option("--write", "may_write", is_flag=True, help="Grant writing to a device whose profile only listens."),
    click.option("--config", "config_file", type=_FILE, help="A daemon's configuration, to name the device by table and name."),
    click.option("--at", metavar="TABLE/DEVICE", help="With --config: this table's device, such as T12/shoe."),
)
_DIAGNOSIS: Final = (
    click.option("--ticket", help="Diagnostic mode: the work order's number, up to 8 characters."),
    click.option("--by", metavar="technician:NAME", help="Diagnostic mode: who works."),
    click.option("--second", metavar="supervisor:NAME", help="Diagnostic mode: the second person, of the house."),
    click.option("--minutes", default=15.0, show_default=True, type=FiniteRange(0.1, MINUTES_MAX), help="It ends by itself then."),
    click.option("--work-log", type=_FILE, help="Where the work is written down; the account's own log if not given."),
)


def reaching(command: Command[R]) -> Command[R]:
    """Give a command the options of a place; it gets `place`."""

    @functools.wraps(command)
    def run(  # noqa: PLR0913  # one parameter for each option
        *,
        port: str | None,
        profile: str | None,
        profiles: Path | None,
        serial: str | None,
        address: int | None,
        baud: int | None,
        key_file: Path | None,
        role: str,
        may_write: bool,
        config_file: Path | None,
        at: str | None,
        **others: object,
    ) -> R:
        reach = _configured(config_file, at, port) if at is not None else _given(port)
        told: dict[str, object] = {"role": Role(role), "may_write": may_write}
        given = (("profile", profile), ("profiles", profiles), ("serial", serial), ("address", address), ("baud", baud))
        told |= {name: value for name, value in given if value is not None}
        if key_file is not None:
            told["key"] = read_key(key_file)
        reach = msgspec.structs.replace(reach, **told)
        if reach.key is not None and reach.serial is None:
            raise TechnicianError("wants-serial", "A key belongs to one device, and none is named.", "Add --serial.")
        return command(Place(reach, config_file), **others)

    return _with(run, _REACH)


def searching(command: Command[R]) -> Command[R]:
    """Give a command the option `--search`; it gets `search`."""
    words = "Where nothing intelligible is heard, try the other settings that the profile's line may have."
    return click.option("--search", is_flag=True, help=words)(command)


async def found(reach: Reach, *, search: bool) -> Reach:
    """Return how the device is reached: where it is to be searched, at the settings at which it is heard, which is told."""
    if not search:
        return reach
    at = await heard_at(reach)
    if at.settings is not None and at.settings != reach.settings:
        write_note(f"The device speaks at {at.settings.words()}, which is not usual for its profile.")
    return at


def diagnosable(command: Command[R]) -> Command[R]:
    """Give a command the options of diagnostic mode; it gets `diagnosis`, which is None when it is not asked for."""

    @functools.wraps(command)
    def run(
        *args: object,
        ticket: str | None,
        by: str | None,
        second: str | None,
        minutes: float,
        work_log: Path | None,
        **others: object,
    ) -> R:
        diagnosis = None
        if ticket is not None or by is not None or second is not None:
            if ticket is None or by is None or second is None:
                raise wants_diagnosis("Diagnostic mode wants a work order and two persons")
            grant = Grant(ticket=ticket, by=parse_by(by, "--by"), second=parse_by(second, "--second"), minutes=minutes)
            diagnosis = Diagnosis(grant=grant, work_log=work_log or usual_path())
            place = next((one for one in args if isinstance(one, Place)), None)
            diagnosis = _with_codes(diagnosis, None if place is None else place.config_file)
        return command(*args, diagnosis=diagnosis, **others)

    return _with(run, _DIAGNOSIS)


def _with_codes(diagnosis: Diagnosis, config_file: Path | None) -> Diagnosis:
    """Ask both persons for their codes where the configuration at hand knows any; without one, say that nobody proves anything."""
    persons = () if config_file is None else load_config(config_file).config.person
    if not persons:
        write_note(UNPROVED)
        return diagnosis
    grant = diagnosis.grant
    return msgspec.structs.replace(diagnosis, persons=persons, codes={"by": ask_code(grant.by), "second": ask_code(grant.second)})


def wants_diagnosis(what: str) -> TechnicianError:
    """Return what to tell when something is asked for outside of diagnostic mode."""
    return TechnicianError("wants-diagnosis", f"{what}.", "Add --ticket, --by technician:NAME and --second supervisor:NAME.")


def ask_code(person: By) -> str:
    """Ask a person at the terminal for the code."""
    return str(click.prompt(f"Code of {person}", hide_input=True, err=True))


def read_key(path: Path) -> DeviceKey:
    """Return the key in a file.

    Raises:
        TechnicianError: there is none.
    """
    try:
        return DeviceKey(read_device_key(path))
    except (OSError, ValueError) as error:
        raise TechnicianError(
            "device-key-unreadable", f"The key file {path} cannot be used.", "It holds 32 hexadecimal digits, readable by you."
        ) from error


def run_on(place: Place, work: Callable[[Reach], Awaitable[R]], diagnosis: Diagnosis | None = None) -> R:
    """Run work on a device. A port that a table has is told with the table's name, or lent by its daemon for diagnostic mode.

    Raises:
        TechnicianError: a table of a daemon has the port, and does not lend it.
    """

    async def whole(reach: Reach) -> R:
        return await work(reach)

    try:
        return asyncio.run(whole(place.reach))
    except PortBusyError:
        held = holder_of(place.reach.port, place.config_file, place.reach.address)
        if held is None:
            raise
        if diagnosis is None or held.address != place.reach.address:
            raise held_error(held) from None
        grant = diagnosis.grant
        codes = diagnosis.codes or gather_codes(held, ask_code, by=grant.by, second=grant.second)
        with lent(held, grant, codes) as line:
            return asyncio.run(whole(msgspec.structs.replace(place.reach, line=line)))


def tell(found: Found, *, as_json: bool) -> int:
    """Write what was found and what of it is not in order; return the exit code."""
    write_listing(found.rows, found.columns, as_json=as_json)
    for problem in found.problems:
        if as_json:
            write_json(problem)
        else:
            write_line(f"Not in order: {problem.problem}")
            write_line(f"  {problem.do}")
    if not found.problems and found.good and not as_json:
        write_line(found.good)
    return EXIT_NOT_IN_ORDER if found.problems else EXIT_GOOD


def _with(command: Command[R], options: tuple[Callable[[Command[R]], Command[R]], ...]) -> Command[R]:
    for option in reversed(options):
        command = option(command)
    return command


def _given(port: str | None) -> Reach:
    if port is None:
        raise TechnicianError("wants-port", "No device is named.", "Add --port URL, or --config FILE --at TABLE/DEVICE.")
    return Reach(port=port)


def _configured(config_file: Path | None, at: str, port: str | None) -> Reach:
    if config_file is None:
        raise TechnicianError("wants-port", "--at names a device of a configuration, and none is given.", "Add --config FILE.")
    setup = load_config(config_file)
    table_id, _, name = at.partition("/")
    for table in setup.config.table:
        for device in table.device:
            if (table.id, device.name) == (table_id, name):
                key = None if device.key_file is None else read_key(setup.path_of(device.key_file))
                place = setup.place_of(device)
                folder = setup.config.profiles.directory
                return Reach(
                    port=port or place.port,
                    address=place.address,
                    profile=device.profile,
                    profiles=None if folder is None else setup.path_of(folder),
                    serial=device.serial,
                    key=key,
                )
    known = ", ".join(f"{table.id}/{device.name}" for table in setup.config.table for device in table.device)
    raise ShoedError("no-such-device", f"The configuration has no device `{at[:60]}`.", f"Its devices are: {known or 'none'}.")

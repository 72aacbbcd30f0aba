"""`shoed device`: a technician sees and tries everything of one device, without a table."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from controller.cli.device_capture import capture_command
from controller.cli.device_code import code_command
from controller.cli.device_monitor import Watch, monitor_device, replay_file
from controller.cli.device_options import (
    KEY_OPTION,
    PROFILE_OPTION,
    Place,
    complete_command,
    complete_field,
    complete_message,
    diagnosable,
    found,
    reaching,
    read_key,
    run_on,
    searching,
    tell,
    wants_diagnosis,
)
from controller.cli.device_testdeal import testdeal_command
from controller.cli.numbers import FiniteRange
from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, format_table, json_option, write_json, write_line
from controller.technician import parts
from controller.technician.bench import Bench
from controller.technician.device_log import fetch_log
from controller.technician.diagnosis import AFTERWARDS, Diagnosis, Work, diagnosing
from controller.technician.findings import Found
from controller.technician.holder import holder_of
from controller.technician.identity import find_rate, identify_anywhere
from controller.technician.line_measure import Verdict, measure_line
from controller.technician.reach import Reach
from controller.technician.sending import request_of, verify_sendable
from controller.technician.values import plain_value, words_of
from device_profiles.plain.frames import Way
from firmware_bridge.commands import Request
from firmware_bridge.events import Status
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed
from firmware_bridge.transport.base import PortBusyError

_NEW_FILE = click.Path(path_type=Path, dir_okay=False)
LINE_CONNECT_S = 15.0
"""A bad line needs several tries to come up; only one that never does is told at once."""


@click.group("device")
def command() -> None:
    """Identify, watch and try one device, on its port alone."""


command.add_command(capture_command)
command.add_command(code_command)
command.add_command(testdeal_command)


@command.command("identify")
@reaching
@click.option("--find-baud", is_flag=True, help="Try the rates of the profile until the device answers.")
@click.option("--firmware", help="The version that it must have.")
@json_option
def identify_command(place: Place, find_baud: bool, firmware: str | None, as_json: bool) -> int:
    """Who answers, what it can, where it stands, and what of that is not in order.

    When a daemon has the port, it is asked instead.
    """

    async def work(reach: Reach) -> Found:
        if find_baud:
            return await find_rate(reach)
        try:
            return await identify_anywhere(reach, firmware)
        except PortBusyError:
            held = holder_of(reach.port, place.config_file, reach.address)
            if held is None or not held.told:
                raise
            rows = tuple({"what": name, "told": value} for name, value in held.told.items() if value is not None)
            return Found(columns=("what", "told"), rows=rows, good=held.sentence)

    return tell(run_on(place, work), as_json=as_json)


@command.command("selftest")
@reaching
@diagnosable
@click.option("--test", default=0, show_default=True, type=click.IntRange(0, 255), help="Which test; 0 is all of it.")
@json_option
def selftest_command(place: Place, diagnosis: Diagnosis | None, test: int, as_json: bool) -> int:
    """Let the device test itself. Wants diagnostic mode."""
    return _diagnosed(place, diagnosis, "self_test", lambda work: parts.self_test(work, test), as_json=as_json)


@command.command("sensors")
@reaching
@diagnosable
@click.option("--mask", default=parts.ALL_SENSORS, type=click.IntRange(1, 0xFFFF), help="A bit for each sensor; all if not given.")
@json_option
def sensors_command(place: Place, diagnosis: Diagnosis | None, mask: int, as_json: bool) -> int:
    """Read the sensors. Wants diagnostic mode."""
    return _diagnosed(place, diagnosis, "sensor_read", lambda work: parts.read_sensors(work, mask), as_json=as_json)


@command.command("actuate")
@reaching
@diagnosable
@click.argument("actuator", type=click.IntRange(0, 255))
@click.option("--direction", default=1, show_default=True, type=click.IntRange(0, 255))
@click.option("--ms", "duration_ms", default=200, show_default=True, type=click.IntRange(1, 2000), help="How long each time.")
@click.option("--times", default=1, show_default=True, type=click.IntRange(1, 100))
@click.option("--most", "most_ma", type=click.IntRange(1, 0xFFFF), help="A current above this many mA is not in order.")
@json_option
def actuate_command(  # one parameter for each option
    place: Place,
    diagnosis: Diagnosis | None,
    actuator: int,
    direction: int,
    duration_ms: int,
    times: int,
    most_ma: int | None,
    as_json: bool,
) -> int:
    """Drive a motor and tell its current. Wants diagnostic mode."""

    async def drive(work: Work) -> Found:
        return await parts.actuate(work, actuator, direction, duration_ms, times=times, most_ma=most_ma)

    return _diagnosed(place, diagnosis, "actuate", drive, as_json=as_json)


@command.command("counters")
@reaching
@json_option
def counters_command(place: Place, as_json: bool) -> int:
    """Read the device's hard counters and judge its reader by them."""

    async def work(reach: Reach) -> Found:
        async with Bench(reach) as bench:
            return await parts.read_counters(bench)

    return tell(run_on(place, work), as_json=as_json)


@command.command("log")
@reaching
@click.argument("file", type=_NEW_FILE)
@json_option
def log_command(place: Place, file: Path, as_json: bool) -> int:
    """Fetch the device's own log into a new FILE, every piece proved by its checksum."""

    async def work(reach: Reach) -> Found:
        async with Bench(reach) as bench:
            return await fetch_log(bench, file)

    return tell(run_on(place, work), as_json=as_json)


@command.command("send")
@reaching
@diagnosable
@click.argument("name", shell_complete=complete_command)
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...", shell_complete=complete_field)
@click.option("--times", default=1, show_default=True, type=click.IntRange(1, 1000))
@click.option("--show-cards", is_flag=True, help="Name cards, in diagnostic mode only: what is inside then is a test deck.")
@json_option
def send_command(  # one parameter for each option
    place: Place,
    diagnosis: Diagnosis | None,
    name: str,
    fields: tuple[str, ...],
    times: int,
    show_cards: bool,
    as_json: bool,
) -> int:
    """Send a command of the profile and tell the answer."""
    if show_cards and diagnosis is None:
        raise wants_diagnosis("Cards are named in diagnostic mode only")

    async def work(reach: Reach) -> int:
        async with Bench(reach) as bench:
            request = request_of(bench.codec, name, fields)
            verify_sendable(bench, name, in_diagnosis=diagnosis is not None)
            if diagnosis is None:
                return await _send(bench, None, request, times, show_cards=show_cards, as_json=as_json)
            async with diagnosing(bench, diagnosis) as session:
                return await _send(bench, session, request, times, show_cards=show_cards, as_json=as_json)

    refused = run_on(place, work, diagnosis)
    if diagnosis is not None and not as_json:
        write_line(AFTERWARDS)
    return EXIT_NOT_IN_ORDER if refused else EXIT_GOOD


async def _send(bench: Bench, work: Work | None, request: Request, times: int, *, show_cards: bool, as_json: bool) -> int:
    """Send so often, tell each answer; return how many were none or no good ones."""
    refused = 0
    for _ in range(times):
        began_s = bench.clock()
        answer = await (bench.command(request) if work is None else work.command(request))
        told = _answer(answer, show_cards=show_cards) | {"ms": round((bench.clock() - began_s) * 1000, 1)}
        refused += told["status"] != Status.OK.value
        if as_json:
            write_json({"command": request.name, **told})
        else:
            write_line(f"{request.name}: {words_of(told, show_cards=show_cards)}")
    if times > 1 and not as_json:
        write_line(f"{times - refused} of {times} answered with ok.")
    return refused


def _answer(answer: CommandAnswered | CommandFailed, *, show_cards: bool) -> dict[str, object]:
    if isinstance(answer, CommandFailed):
        return {"status": answer.failure.value}
    return {"status": answer.status.value, **{name: plain_value(v, show_cards=show_cards) for name, v in answer.fields.items()}}


@command.command("linetest")
@reaching
@click.option("--tries", default=100, show_default=True, type=click.IntRange(1, 100_000), help="How many questions.")
@click.option("--size", default=64, show_default=True, type=click.IntRange(0, 200), help="Bytes that are sent there and back.")
@searching
@json_option
def linetest_command(place: Place, tries: int, size: int, search: bool, as_json: bool) -> int:
    """Measure round trips, damage and jitter of the line, and judge it."""
    with click.progressbar(length=tries, label="Line test", file=sys.stderr, hidden=as_json or not sys.stderr.isatty()) as bar:

        async def work(reach: Reach) -> tuple[Verdict, dict[str, object]]:
            async with Bench(await found(reach, search=search), connect_s=LINE_CONNECT_S) as bench:
                measured = await measure_line(bench, tries, size, lambda: bar.update(1))
                return measured.verdict, msgspec.to_builtins(measured)

        verdict, told = run_on(place, work)
    if as_json:
        write_json(told)
    else:
        rows = [[name.replace("_", " "), "-" if value is None else str(value)] for name, value in told.items()]
        for line in format_table(["measured", "value"], [row for row in rows if row[0] not in {"verdict", "sentence"}]):
            write_line(line)
        write_line(str(told["sentence"]))
    return EXIT_NOT_IN_ORDER if verdict is Verdict.BAD else EXIT_GOOD


@command.command("monitor")
@reaching
@diagnosable
@click.option("--seconds", type=FiniteRange(0.1, 86_400), help="End after so long; without it, with Ctrl-C.")
@click.option("--way", type=click.Choice(["in", "out"]), help="Only what the device says (in), or the host (out).")
@click.option("--message", "messages", multiple=True, shell_complete=complete_message, help="Only these; may be given several times.")
@click.option("--faults", "faults_only", is_flag=True, help="Only what was damaged or is unknown.")
@click.option("--capture", type=_NEW_FILE, help="Write everything to this new file too.")
@click.option("--events", is_flag=True, help="Ask for the device's events. They are acknowledged when they are in the capture.")
@click.option("--show-cards", is_flag=True, help="Name cards, in diagnostic mode only: what is inside then is a test deck.")
@searching
@json_option
def monitor_command(  # noqa: PLR0913, PLR0917  # one parameter for each option
    place: Place,
    diagnosis: Diagnosis | None,
    seconds: float | None,
    way: str | None,
    messages: tuple[str, ...],
    faults_only: bool,
    capture: Path | None,
    events: bool,
    show_cards: bool,
    search: bool,
    as_json: bool,
) -> None:
    """Show what goes over the line: time, direction, bytes and meaning side by side."""
    if show_cards and diagnosis is None:
        raise wants_diagnosis("Cards are named in diagnostic mode only")
    watch = Watch(
        seconds=seconds,
        way=None if way is None else Way(way),
        messages=messages,
        faults_only=faults_only,
        capture=capture,
        events=events,
        show_cards=show_cards,
        as_json=as_json,
    )

    async def work(reach: Reach) -> None:
        await monitor_device(await found(reach, search=search), diagnosis, watch)

    run_on(place, work, diagnosis)


@command.command("replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@PROFILE_OPTION
@KEY_OPTION
@click.option("--lines", "shows_lines", is_flag=True, help="Show every frame of it.")
@click.option("--frames", type=_NEW_FILE, help="Write its frames to this new file, one a record, for `shoed profile dissector`.")
@json_option
def replay_command(file: Path, profile: str | None, key_file: Path | None, shows_lines: bool, frames: Path | None, as_json: bool) -> int:
    """Give a capture to a new session, without any device, and compare what the host says."""
    key = None if key_file is None else read_key(key_file)
    return replay_file(file, profile or "sdp1", key, shows_lines=shows_lines, frames=frames, as_json=as_json)


def _diagnosed(place: Place, diagnosis: Diagnosis | None, name: str, does: parts.Doing, *, as_json: bool) -> int:
    if diagnosis is None:
        raise wants_diagnosis(f"{name} is a technician's command for diagnostic mode")

    async def work(reach: Reach) -> Found:
        async with Bench(reach) as bench:
            parts.verify_has(bench, name)
            async with diagnosing(bench, diagnosis) as session:
                return await does(session)

    code = tell(run_on(place, work, diagnosis), as_json=as_json)
    if not as_json:
        write_line(AFTERWARDS)
    return code

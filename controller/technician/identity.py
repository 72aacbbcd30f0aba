"""Who answers on a port, what it can, where it stands, and what of that is not in order."""

from __future__ import annotations

from typing import Final

import msgspec

from controller.technician.bench import CONNECT_S, LOOK, Bench
from controller.technician.errors import DeviceNotInOrderError
from controller.technician.findings import Found, Problem
from controller.technician.reach import Reach, codec_of, settings_at
from device_profiles.plain.describe import about_lines, firmware_problem
from firmware_bridge.events import DeviceError
from firmware_bridge.link.faults import LinkCounters
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.reports import StatusReport
from firmware_bridge.transport.settings import SerialSettings

FIND_S: Final = 1.5
"""A device answers within 0.5 s (SDP/1 1.8), and the second RST goes after one second."""

SPOILED_MANY: Final = 3
"""The opening of a port may spoil a frame or two; of the dozen that tell who a device is, more show a bad line."""
_UNHEARD: Final = frozenset({"device-silent", "line-unreadable"})
"""Nothing intelligible was heard: the line may be set otherwise."""

ADVICE: Final = {
    DeviceError.MEMORY: (
        "its event memory is full of events that no host has stored",
        "Connect its table's daemon, or store them with `shoed device monitor --events --capture FILE`.",
    ),
    DeviceError.SENSOR: ("a sensor has failed", "Find it with `shoed device sensors`, then mend or change it."),
    DeviceError.MOTOR: ("a motor has failed", "Run `shoed device selftest`, then `shoed device actuate` for each motor."),
    DeviceError.CAMERA: ("its reader has failed", "Run `shoed device selftest`, then clean or change the reader."),
    DeviceError.JAM: ("a card sticks", "Take it loose, then clear the error at the device or by its table."),
    DeviceError.LID: ("its lid was opened while cards moved", "Shut the lid, then clear the error."),
    DeviceError.EMPTY: ("it is empty", "Load cards."),
    DeviceError.CANNOT_READ: ("it could not read a card", "Clean the reader; `shoed device counters` shows how often it misreads."),
    DeviceError.TEMPERATURE: ("it is too warm or too cold", "Let it come to 10 to 35 degrees."),
    DeviceError.CLOCK: ("its clock has failed", "Change its battery."),
    DeviceError.KEY_STORE: ("its keys are lost", "Load its keys again in key-load mode."),
    DeviceError.COUNT_MISMATCH: ("it counted another number of cards than expected", "Count the cards by hand."),
}


def identify(bench: Bench, firmware: str | None = None) -> Found:
    """Return what the device said of itself when it was connected; `firmware` is the version that it must have."""
    identity, running = bench.session.identity, bench.running
    assert identity is not None
    assert running is not None
    told: dict[str, object] = {
        "vendor": identity.vendor,
        "model": identity.model,
        "serial": identity.serial,
        "firmware": identity.firmware,
        "hardware": identity.hardware,
        "build": identity.build,
        "can": ", ".join(one.function for one in bench.session.capabilities if one.level or one.count) or None,
    }
    problems: list[Problem] = []
    is_asked = True
    if isinstance(bench.codec, PlainCodec):
        profile = bench.codec.profile
        is_asked = bool(profile.connect.said) and (bench.reach.may_write or not profile.line.read_only)
        told["cannot"] = " ".join(profile.cannot)
        told["serial"] = told["serial"] or "not told by such devices"
    else:
        told |= _standing(running.status)
        problems += _problems(running.status)
        if (spoiled := _spoiled(bench)) >= SPOILED_MANY:
            what = f"{spoiled} frames were damaged or said again while it was identified."
            problems.append(Problem(what, "Measure the line: `shoed device linetest`."))
    if firmware is not None and identity.firmware != firmware:
        problems.append(
            Problem(
                f"Its firmware is {identity.firmware or 'not told'}, and {firmware} is expected.",
                "Load the certified firmware, or certify this one before it is played with (EQ-59).",
            )
        )
    about = bench.codec.profile.about
    if (unknown := firmware_problem(about, identity.firmware)) is not None:
        problems.append(Problem(unknown, "Try it by hand before a table uses it, or use the profile of that firmware."))
    if about.deprecated:
        told["profile"] = next(about_lines(about))
    rows = tuple({"what": name, "told": value} for name, value in told.items() if value is not None)
    good = "The device is in order." if is_asked else "Such a device cannot be asked: `shoed device monitor` shows what it says."
    return Found(columns=("what", "told"), rows=rows, problems=tuple(problems), good=good)


async def identify_anywhere(reach: Reach, firmware: str | None = None) -> Found:
    """Identify the device; where nothing intelligible is heard, at the other settings that its line may have, in order.

    Raises:
        DeviceNotInOrderError: nothing intelligible at any setting, or another device answers.
    """
    choices = settings_at(reach, codec_of(reach.profile, reach.profiles))
    bench = await open_anywhere(reach)
    try:
        found = identify(bench, firmware)
    finally:
        await bench.close()
    settings = bench.reach.settings
    return found if settings is None or settings == choices[0] else _at_other_setting(found, settings, choices[0])


async def heard_at(reach: Reach) -> Reach:
    """Return how the device is reached at the settings at which something intelligible is heard; raises as `identify_anywhere`."""
    bench = await open_anywhere(reach)
    await bench.close()
    return bench.reach


async def open_anywhere(reach: Reach) -> Bench:
    """Return an open bench at the first settings of the line at which something intelligible is heard; raises as `identify_anywhere`."""
    choices = settings_at(reach, codec_of(reach.profile, reach.profiles))
    first: DeviceNotInOrderError | None = None
    for number, settings in enumerate(choices or (None,)):
        bench = Bench(reach if not number else msgspec.structs.replace(reach, settings=settings), connect_s=FIND_S if number else CONNECT_S)
        try:
            await bench.open()
        except DeviceNotInOrderError as error:
            if error.code not in _UNHEARD:
                raise
            first = first or error
            continue
        try:
            is_garbage = number + 1 < len(choices) and await _is_garbage(bench)
        except BaseException:
            await bench.close()
            raise
        if not is_garbage:
            return bench
        await bench.close()
    assert first is not None, "each setting was heard at, or was not"
    raise _unheard(first, choices)


def _unheard(first: DeviceNotInOrderError, choices: tuple[SerialSettings, ...]) -> DeviceNotInOrderError:
    """What to tell where nothing intelligible was heard: of one setting, or of all that were tried."""
    if len(choices) < 2:
        return first
    tried = ", ".join(settings.words() for settings in choices[1:])
    rest = "where bytes come at one of them, it may be another kind of device: try its profile."
    return DeviceNotInOrderError(first.code, f"{first.what} Nothing intelligible came at {tried} either.", f"{LOOK}; {rest}")


async def _is_garbage(bench: Bench) -> bool:
    """Whether a device that only speaks says what is no frame of its profile; one that was asked has answered already."""
    if not isinstance(bench.session, PlainSession) or bench.session.frames_heard:
        return False
    await bench.listen(FIND_S)
    return bench.transport.counters.bytes_in > 0 and not bench.session.frames_heard


def _at_other_setting(found: Found, settings: SerialSettings, usual: SerialSettings) -> Found:
    problem = Problem(
        f"It speaks at {settings.words()}, not at {usual.words()}.",
        f"Set its line right, or write the settings into the port's address: serial://PATH?{settings.query()}.",
    )
    return Found(columns=found.columns, rows=found.rows, problems=(problem, *found.problems), good=found.good)


async def find_rate(reach: Reach) -> Found:
    """Try the settings of the profile until the device answers at one."""
    codec = codec_of(reach.profile, reach.profiles)
    rows: list[dict[str, object]] = []
    found: SerialSettings | None = None
    for settings in settings_at(reach, codec):
        bench = Bench(msgspec.structs.replace(reach, settings=settings), connect_s=FIND_S)
        try:
            async with bench:
                found = settings
        except DeviceNotInOrderError as error:
            if error.code == "wrong-device":
                raise
        answer = "answers" if found is settings else f"{bench.transport.counters.bytes_in} bytes, no frame"
        rows.append({"baud": settings.baud, "setting": settings.words(), "answer": answer})
        if found is not None:
            break
    problem = Problem("The device answers at no rate of the profile.", "Look at the cable, and whether another profile is right.")
    good = ""
    if found is not None:
        written = f"in a configuration write serial://PATH?{found.query()}"
        good = f"The device answers at {found.baud} baud: add --baud {found.baud}, or {written}."
    return Found(columns=("baud", "setting", "answer"), rows=tuple(rows), problems=() if found else (problem,), good=good)


def _spoiled(bench: Bench) -> int:
    """Frames that this line spoiled since the port was opened, either way."""
    counters = getattr(bench.session, "counters", None)
    return counters.damaged + counters.retries if isinstance(counters, LinkCounters) else 0


def _standing(status: StatusReport) -> dict[str, str | None]:
    shoe = "none open" if status.shoe_id is None else f"open: {status.shoe_id.hex()}"
    remaining = "unknown" if status.remaining is None else str(status.remaining)
    damaged = status.cobs_errors + status.crc_errors + status.oversize_errors + status.other_errors
    return {
        "state": f"{status.state.value}, gate {status.gate.value}, lid {'open' if status.lid_open else 'shut'}",
        "error": status.error.value,
        "shoe": shoe,
        "cards": f"{status.drawn} drawn, {remaining} remaining",
        "events": f"{status.oldest_eseq} to {status.last_eseq} kept",
        "line": f"{damaged} damaged frames heard by the device",
    }


def _problems(status: StatusReport) -> list[Problem]:
    problems = []
    if status.error is not DeviceError.NONE:
        why, do = ADVICE.get(status.error, (f"error {status.error_code:02X}", "Look it up in the device's manual."))
        problems.append(Problem(f"The device reports the error `{status.error.value}`: {why}.", do))
    if status.lid_open:
        problems.append(Problem("The lid is open.", "Shut it."))
    return problems

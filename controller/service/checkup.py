"""What a technician wants to know before calling anybody: is everything in order that this configuration needs?

Each check ends in a `Finding`: good, worth a look, or wrong, with one sentence and what to do now. Nothing is changed
on disk and no check keeps another from running. A port that another process holds is told with its name and left alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from controller.errors import ShoedError
from controller.journal.keys import load_keys
from controller.journal.verify import verify_journal
from controller.service.config import DeviceConfig, Setup, TableConfig
from controller.service.device_plan import DevicePlan
from controller.service.errors import ServiceError
from controller.service.finding import Finding, Grade
from controller.service.port_checks import busy_words, check_name, check_programs, check_shared
from controller.service.preflight import TablePlan, Unanswered, check_files, plan_tables, probe_device
from controller.service.program import verify_program
from controller.service.sheet import sheet_of
from controller.service.usb_checks import check_sockets
from controller.table.enforcement import Detection
from device_profiles.plain.describe import firmware_problem
from firmware_bridge.reports import Capability
from firmware_bridge.transport.base import PortBusyError

FREE_WANTED_BYTES: Final = 256 << 20
"""A busy table writes about 20 MB a day; a quarter of a gigabyte is a week's warning."""

CLOCK_MARKS: Final = (
    Path("/run/systemd/timesync/synchronized"),
    Path("/run/chrony/chronyd.pid"),
    Path("/run/chronyd.pid"),
    Path("/run/ntpd.pid"),
)
"""Files that exist while something keeps the clock."""


async def examine(setup: Setup) -> list[Finding]:
    """Return the findings of all checks, in the order in which they should be mended."""
    findings = [Finding("configuration", Grade.GOOD, f"{setup.file} can be used.")]
    tables: tuple[TablePlan, ...] = ()
    try:
        tables = plan_tables(setup)
    except ShoedError as error:
        findings.append(Finding("tables", Grade.WRONG, error.what, error.do))
    findings += _check_keys(setup)
    findings += _caught("files", lambda: check_files(setup), "The files that the daemon writes can be written.")
    findings += _check_journal(setup)
    findings += _check_space(setup)
    findings += _check_program(setup)
    findings += _check_persons(setup)
    findings += _check_clock()
    findings += check_programs(setup)
    findings += check_shared(setup)
    findings += check_sockets(setup)
    for table in tables:
        told: dict[str, tuple[Capability, ...]] = {}
        for device in table.config.device:
            findings += await _check_device(setup, table.config, device, table.devices[device.name], told)
        findings += _tell_sheet(table, told)
    return findings


WATCH: Final = "Have people watch for it, or use a device that can."
DETECTION_WORDS: Final = {
    Detection.PREVENTED: "prevented",
    Detection.AT_ONCE: "detected at once",
    Detection.END_OF_SHOE: "detected at the end of the shoe",
    Detection.NOT_DETECTABLE: "NOT DETECTABLE",
}


def _tell_sheet(table: TablePlan, told: Mapping[str, tuple[Capability, ...]]) -> Iterator[Finding]:
    """The enforcement sheet of a table, as it would be confirmed if the table were opened now."""
    sheet = sheet_of(table.procedure, table.config, table.devices, told, table.words)
    check = f"{table.config.id} sheet {sheet.digest}"
    if table.words is not None:
        yield Finding(check, Grade.LOOK, "Shadow mode: nothing is enforced here, only judged.", "Let the other host's people know.")
    for line in sheet.lines:
        blind = line.detection is Detection.NOT_DETECTABLE
        mishap = line.mishap[0].upper() + line.mishap[1:]
        what = f"{mishap}: {DETECTION_WORDS[line.detection]}; {line.why}."
        yield Finding(check, Grade.LOOK if blind else Grade.GOOD, what, WATCH if blind else "")
    for limit in sheet.limits:
        yield Finding(check, Grade.LOOK, f"{limit.device}: {limit.sentence}", WATCH)


def _caught(check: str, test: Callable[[], object], good: str) -> Iterator[Finding]:
    try:
        test()
    except ShoedError as error:
        yield Finding(check, Grade.WRONG, error.what, error.do)
    else:
        yield Finding(check, Grade.GOOD, good)


def _check_keys(setup: Setup) -> Iterator[Finding]:
    path = setup.path_of(setup.config.journal.key_file)
    yield from _caught("journal keys", lambda: load_keys(path), f"The journal's keys in {path} can be used.")
    journal = setup.path_of(setup.config.journal.path)
    if path.exists() and journal.parent.exists() and path.stat().st_dev == journal.parent.stat().st_dev:
        yield Finding(
            "journal keys",
            Grade.LOOK,
            "The journal's keys lie on the same disk as the journal, so whoever takes the disk reads hidden cards.",
            "Move the key file to another disk, and change journal.key_file.",
        )


def _check_journal(setup: Setup) -> Iterator[Finding]:
    path = setup.path_of(setup.config.journal.path)
    if not path.exists():
        yield Finding("journal", Grade.GOOD, f"There is no journal {path} yet; the first start makes it.")
        return
    try:
        report = verify_journal(path)
    except ShoedError as error:
        yield Finding("journal", Grade.WRONG, error.what, error.do)
        return
    grade = Grade.GOOD if report.ok else Grade.WRONG
    do = "" if report.ok else "Deal no more from it; run `shoed journal verify` and follow what it says."
    yield Finding("journal", grade, report.sentence, do)


def _check_space(setup: Setup) -> Iterator[Finding]:
    folder = setup.path_of(setup.config.journal.path).parent
    if not folder.is_dir():
        return
    free = shutil.disk_usage(folder).free
    what = f"{free >> 20} MiB are free on the journal's disk."
    if free >= FREE_WANTED_BYTES:
        yield Finding("disk", Grade.GOOD, what)
    else:
        yield Finding("disk", Grade.WRONG, what, f"Make at least {FREE_WANTED_BYTES >> 20} MiB free in {folder}.")


def _check_program(setup: Setup) -> Iterator[Finding]:
    pinned = setup.config.service.program_sha256
    try:
        digest = verify_program(pinned)
    except ShoedError as error:
        yield Finding("program", Grade.WRONG, error.what, error.do)
        return
    if pinned:
        yield Finding("program", Grade.GOOD, f"The program is the one that the configuration demands: {digest}.")
        return
    yield Finding(
        "program",
        Grade.LOOK,
        f"The program's digest is {digest}; the configuration demands none.",
        "Write it as service.program_sha256, so that a changed program does not start.",
    )


def _check_persons(setup: Setup) -> Iterator[Finding]:
    known = [f"{person.role}:{person.name}" for person in setup.config.person]
    if known:
        yield Finding("persons", Grade.GOOD, f"Who enters diagnostic mode proves it by a code: {', '.join(known)}.")
        return
    what = "Whoever asks for diagnostic mode is taken on his word: the configuration names no person."
    yield Finding("persons", Grade.LOOK, what, "Make a code for each with `shoed device code`, and write down what it prints.")


def _check_clock() -> Iterator[Finding]:
    if any(mark.exists() for mark in CLOCK_MARKS):
        yield Finding("clock", Grade.GOOD, "A time service keeps this machine's clock.")
        return
    yield Finding(
        "clock",
        Grade.LOOK,
        "No time service was found, so the record's times may drift from the surveillance clock.",
        "Switch one on, such as systemd-timesyncd or chrony, against the clock that surveillance uses.",
    )


def _tell_profile(check: str, device: DeviceConfig, plan: DevicePlan) -> list[Finding]:
    """Say of a profile that it should not be used any more."""
    if plan.about is None or not plan.about.deprecated:
        return []
    instead = plan.about.replaced_by
    do = f"Write profile = `{instead}`." if instead else "Ask for one that takes its place."
    return [Finding(check, Grade.LOOK, f"The profile {device.profile} is deprecated: {plan.about.deprecated}", do)]


def _tell_unanswered(check: str, port: str, device: DeviceConfig, found: Unanswered) -> Finding:
    if found.rubbish:
        what = f"What answers at {port} does not speak {device.profile}: it is another kind of device, or its line is set differently."
        do = "Look where the cable leads; `shoed device identify` tries the other rates of its profile."
        return Finding(check, Grade.WRONG, what, do)
    what = f"Nobody answers at {port}: the device is off, or its cable leads elsewhere."
    return Finding(check, Grade.WRONG, what, "Check its power and cable; `shoed device identify` tries the other rates of its profile.")


async def _check_device(
    setup: Setup, table: TableConfig, device: DeviceConfig, plan: DevicePlan, told: dict[str, tuple[Capability, ...]]
) -> list[Finding]:
    check, port = f"{table.id} {device.name}", setup.port_of(device)
    findings = list(check_name(setup, device, check))
    findings += _tell_profile(check, device, plan)
    told[device.name] = plan.can
    found = await probe_device(setup, table, device, plan)
    if isinstance(found, ServiceError):
        busy = found.__cause__ if isinstance(found.__cause__, PortBusyError) else None
        grade, do = (Grade.WRONG, found.do) if busy is None else busy_words(busy.holder)
        return [*findings, Finding(check, grade, found.what, do)]
    if isinstance(found, Unanswered):
        return [*findings, _tell_unanswered(check, port, device, found)]
    told[device.name] = found.capabilities
    identity = found.identity
    named = (identity.model or "").startswith(identity.vendor or " ")
    unknown = firmware_problem(plan.about, identity.firmware) if plan.about is not None else None
    if unknown is not None:
        findings.append(Finding(check, Grade.LOOK, unknown, "Try it without a table first, or use the profile of that firmware."))
    unit = " ".join(word for word in ("" if named else identity.vendor, identity.model, identity.serial) if word)
    if not plan.habits.tells_serial:
        what = f"The port {port} opens. {unit} is expected there and cannot be asked who it is."
        return [*findings, Finding(check, Grade.LOOK, what, "Look at its plate whether it is the one that belongs here.")]
    return [*findings, Finding(check, Grade.GOOD, f"{unit}, firmware {identity.firmware}, answers at {port}.")]

"""All checks of a profile run against the device on a port, and the report: profile and revision, who the device says it is, each outcome.

First the connection comes about as a daemon's would, which tells who the device is. Then the host asks, then it listens; last, everything
that was heard is judged. The device is asked only what changes nothing, unless acts are allowed, and nothing at all where its profile only
listens and no writing is granted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from controller.technician.bench import Bench
from controller.technician.checks.asked import RUNS, run_asked
from controller.technician.checks.heard import JUDGES, judge_heard
from controller.technician.checks.line import CheckLine
from controller.technician.checks.outcome import Outcome, Verdict, failed, not_run, passed
from controller.technician.checks.record import Record
from controller.technician.errors import DeviceNotInOrderError, TechnicianError
from controller.technician.reach import AnyCodec, Reach, codec_of, transport_of
from device_profiles.plain.check_kinds import Check, Kind, Needs
from device_profiles.plain.checks import checks_of
from device_profiles.plain.frames import Way
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.device import line_of
from firmware_bridge.plain.abilities import may_write
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.echo import Echo
from firmware_bridge.reports import DeviceIdentity
from firmware_bridge.transport.base import Transport

LISTEN_S: Final = 5.0
"""Long enough for a device's repetitions and for a polled device's silence; whoever provokes errors meanwhile asks for more."""
CONNECT_MAX_S: Final = 60.0
_READ_ONLY: Final = "The profile only listens to this device: --write grants writing."
_LAST: Final = {
    Needs.PERSON: "Somebody has to do it and to watch the device.",
    Needs.INJECTOR: "Nothing here can cut the line at will.",
    Needs.ACT: "The device would do something: --acts allows it, where no cards are at stake.",
    Needs.HOST: "It is judged by nobody.",
}
"""Why a check is not run, by what it needs."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """How the checks are run."""

    listen_s: float = LISTEN_S
    acts: bool = False
    """What makes the device do something may be said."""
    show_cards: bool = False


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """What came of all checks; what the device did not tell of itself is None."""

    profile: str
    revision: int
    port: str
    vendor: str | None
    model: str | None
    serial: str | None
    firmware: str | None
    outcomes: tuple[Outcome, ...]

    def count(self, verdict: Verdict) -> int:
        """How many checks have this verdict."""
        return sum(outcome.verdict is verdict for outcome in self.outcomes)


LineMaker = Callable[[Reach, AnyCodec], Transport]


async def run_checks(
    reach: Reach,
    wish: Wish,
    tell: Callable[[Outcome], None],
    *,
    clock: Callable[[], float] = time.monotonic,
    line: LineMaker = transport_of,
) -> CheckReport:
    """Run every check of the profile; `tell` hears each outcome as soon as it is there, `line` makes the closed transport.

    Raises:
        TransportError: the port cannot be opened, or broke.
        TechnicianError: the profile is none of a plain device.
    """
    return await _Run(checked_codec(reach.profile, reach.profiles), reach, wish, tell, clock, line).run()


def checked_codec(profile: str, profiles: Path | None) -> PlainCodec:
    """Return the codec of a profile of which checks are made.

    Raises:
        TechnicianError: there is none of this name, or it is none of a plain device.
    """
    codec = codec_of(profile, profiles)
    if not isinstance(codec, PlainCodec):
        raise TechnicianError(
            "no-checks",
            f"No command certifies a device of SDP/1 yet: checks are made from profiles of foreign devices, and {profile} is none.",
            "Examine it with `shoed device identify`, `linetest`, `selftest` and `testdeal`; `shoed profile list` lists the others.",
        )
    return codec


class _Run:
    """One run."""

    def __init__(
        self,
        codec: PlainCodec,
        reach: Reach,
        wish: Wish,
        tell: Callable[[Outcome], None],
        clock: Callable[[], float],
        line: LineMaker,
    ) -> None:
        self._reach, self._wish, self._tell, self._clock, self._new_line = reach, wish, tell, clock, line
        self._profile = codec.profile
        self._writes = may_write(codec.profile, granted=reach.may_write)
        transport = line(reach, codec)
        pauses = line_of(transport).pauses
        self._record = Record(codec, clock(), pauses=pauses, show_cards=wish.show_cards)
        self._line = CheckLine(transport, self._record, clock, may_write=self._writes)
        self._echo = Echo(expected=codec.profile.framing.echo)
        self._outcomes: dict[str, Outcome] = {}

    async def run(self) -> CheckReport:
        checks = checks_of(self._profile)
        identity = await self._connect(checks)
        await self._line.open()
        try:
            for check in checks:
                if check.kind in RUNS:
                    self._note(await self._asked(check))
            await self._line.listen(self._wish.listen_s, polls=self._writes)
        finally:
            await self._line.close()
        for check in checks:
            if check.kind in JUDGES or check.kind is Kind.REPLY_LOST:
                self._note(self._judged(check))
            elif check.kind is Kind.SEEN:
                self._note(not_run(check, _LAST[check.needs]))
        about = self._profile.about
        return CheckReport(
            profile=self._profile.name, revision=about.revision, port=self._reach.port,
            outcomes=tuple(self._outcomes[c.name] for c in checks),
            vendor=identity.vendor, model=identity.model, serial=identity.serial, firmware=identity.firmware,
        )  # fmt: skip

    def _note(self, outcome: Outcome) -> None:
        self._outcomes[outcome.name] = outcome
        self._tell(outcome)

    async def _asked(self, check: Check) -> Outcome:
        if not self._writes:
            return not_run(check, _READ_ONLY)
        if check.needs is Needs.ACT and not self._wish.acts:
            return not_run(check, _LAST[Needs.ACT])
        return await run_asked(check, self._line)

    def _judged(self, check: Check) -> Outcome:
        if check.needs is Needs.HOST and not self._writes and not self._record.frames():
            return not_run(check, _READ_ONLY)
        if check.kind is Kind.REPLY_LOST and not self._writes:
            return not_run(check, _READ_ONLY)
        return judge_heard(check, self._record, self._line.withheld)

    async def _connect(self, checks: Iterable[Check]) -> DeviceIdentity:
        """Connect as a daemon does; return who answered."""
        wanted = [check for check in checks if check.kind in (Kind.CONNECT, Kind.IDENTITY)]
        if not self._writes or not wanted:
            for check in wanted:
                self._note(not_run(check, _READ_ONLY))
            return DeviceIdentity()
        bench = Bench(self._reach, clock=self._clock, connect_s=_connect_s(self._profile), line=self._new_line)
        bench.ears.append(self._hear)
        place, problem = len(self._record.entries), None
        self._record.opened(self._clock())
        try:
            async with bench:
                identity = bench.session.identity or DeviceIdentity()
        except DeviceNotInOrderError as error:
            identity, problem = DeviceIdentity(), f"{error}"
        evidence = self._record.since(place)
        told = {"vendor": identity.vendor, "model": identity.model, "serial": identity.serial, "firmware": identity.firmware}
        for check in wanted:
            if problem is not None:
                self._note(failed(check, evidence, why=problem))
            elif check.kind is Kind.CONNECT or told.get(check.field or ""):
                self._note(passed(check, evidence))
            else:
                self._note(failed(check, evidence))
        return identity

    def _hear(self, way: Way, chunk: bytes, now_s: float) -> None:
        if way is Way.OUT:
            self._echo.said(chunk)
            self._record.said(chunk, "connecting", now_s)
        elif heard := self._echo.taken_out(chunk):
            self._record.heard(heard, now_s)


def _connect_s(profile: PlainProfile) -> float:
    """As long as every question of the connection may take with all its repetitions; one with branches may take its own way."""
    if profile.connect.states:
        return CONNECT_MAX_S
    messages = {m.name: m for m in profile.messages}
    answers = [answer for name in profile.connect.messages if (answer := messages[name].answer) is not None]
    return min(CONNECT_MAX_S, 1.0 + sum(answer.within_s * answer.tries for answer in answers))

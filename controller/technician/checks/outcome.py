"""What came of a check: a verdict, why, what was measured, and the bytes that show it."""

from __future__ import annotations

from enum import Enum

import msgspec

from controller.technician.checks.record import Evidence
from device_profiles.plain.check_kinds import Check, Needs


class Verdict(Enum):
    PASS = "pass"  # noqa: S105  # a verdict, no password
    FAIL = "fail"
    NOT_RUN = "not-run"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one check. Times are milliseconds, None where nothing is measured."""

    name: str
    verdict: Verdict
    why: str
    needs: Needs
    measured_ms: float | None = None
    limit_ms: float | None = None
    evidence: tuple[Evidence, ...] = ()


def passed(check: Check, evidence: tuple[Evidence, ...], measured_s: float | None = None) -> Outcome:
    """The criterion holds."""
    return _outcome(check, Verdict.PASS, check.passes, evidence, measured_s)


def failed(check: Check, evidence: tuple[Evidence, ...], measured_s: float | None = None, why: str | None = None) -> Outcome:
    """It does not."""
    return _outcome(check, Verdict.FAIL, why or check.fails, evidence, measured_s)


def not_run(check: Check, why: str) -> Outcome:
    """It could not be judged."""
    return _outcome(check, Verdict.NOT_RUN, why, (), None)


def _outcome(check: Check, verdict: Verdict, why: str, evidence: tuple[Evidence, ...], measured_s: float | None) -> Outcome:
    return Outcome(
        name=check.name,
        verdict=verdict,
        why=why,
        needs=check.needs,
        measured_ms=None if measured_s is None else round(measured_s * 1000, 1),
        limit_ms=None if check.limit_s is None else round(check.limit_s * 1000, 1),
        evidence=evidence,
    )

"""`shoed profile checks`: the conformance checks that follow from a profile, listed, or run against the device on a port."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.device_options import Place, run_on
from controller.cli.numbers import FiniteRange
from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, json_option, write_json, write_line, write_listing
from controller.cli.shelves import PROFILES_OPTION
from controller.technician.checks.outcome import Outcome, Verdict
from controller.technician.checks.run import LISTEN_S, CheckReport, Wish, checked_codec, run_checks
from controller.technician.reach import Reach
from device_profiles.plain.checks import checks_of

SHOWN_EVIDENCE = 3
"""Entries of a failed check that people see; `--json` has all."""


@click.command("checks")
@click.argument("name")
@click.option("--port", metavar="URL", help="Run them against the device here: a path, serial:///path?baud=9600 or tcp://host:port.")
@click.option("--baud", type=click.IntRange(50, 4_000_000), help="Another rate than the profile's.")
@click.option("--listen", "listen_s", default=LISTEN_S, show_default=True, type=FiniteRange(0, 3600), help="Seconds to listen.")
@click.option("--write", "may_write", is_flag=True, help="Grant writing to a device whose profile only listens.")
@click.option("--acts", is_flag=True, help="Also say what makes the device do something. Not with cards in play.")
@click.option("--show-cards", is_flag=True, help="Evidence with the bytes that tell cards.")
@PROFILES_OPTION
@json_option
def checks(  # noqa: PLR0913, PLR0917  # one parameter for each option
    name: str,
    port: str | None,
    baud: int | None,
    listen_s: float,
    may_write: bool,
    acts: bool,
    show_cards: bool,
    profiles: Path | None,
    as_json: bool,
) -> int:
    """The conformance checks of a profile: what is tried, when it passes, when it fails.

    With --port those that the host can do alone are run; the others are judged by what is heard meanwhile, or told as not run.
    """
    if port is None:
        _write_list(name, profiles, as_json=as_json)
        return EXIT_GOOD
    reach = Reach(port=port, profile=name, profiles=profiles, baud=baud, may_write=may_write)
    wish = Wish(listen_s=listen_s, acts=acts, show_cards=show_cards)
    report = run_on(Place(reach, None), lambda where: run_checks(where, wish, lambda outcome: _tell(outcome, as_json=as_json)))
    if as_json:
        _write_head(report)
    else:
        _sum_up(report)
    return EXIT_NOT_IN_ORDER if report.count(Verdict.FAIL) else EXIT_GOOD


def _write_list(name: str, profiles: Path | None, *, as_json: bool) -> None:
    codec = checked_codec(name, profiles)
    listed = checks_of(codec.profile)
    if as_json:
        for check in listed:
            write_json(check)
        return
    rows = [{"check": c.name, "needs": c.needs.value, "passes": c.passes} for c in listed]
    write_listing(rows, ("check", "needs", "passes"), as_json=False)
    write_line(f"{len(listed)} checks follow from {codec.profile.name}, revision {codec.profile.about.revision}.")


def _tell(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        write_json(outcome)
        return
    measured = "" if outcome.measured_ms is None else f" ({outcome.measured_ms:g} ms"
    if measured:
        measured += ")" if outcome.limit_ms is None else f" of {outcome.limit_ms:g} ms)"
    write_line(f"{outcome.verdict.value:<8}{outcome.name}{measured}: {outcome.why}")
    if outcome.verdict is Verdict.FAIL:
        for one in outcome.evidence[-SHOWN_EVIDENCE:]:
            write_line(f"        {one.at_ms:>10.1f} ms {one.way.value:<3} {one.message}  {one.hex}")


def _write_head(report: CheckReport) -> None:
    """The report without its outcomes, which were written as they came."""
    told = ("profile", "revision", "port", "vendor", "model", "serial", "firmware")
    write_json({name: getattr(report, name) for name in told} | {verdict.value: report.count(verdict) for verdict in Verdict})


def _sum_up(report: CheckReport) -> None:
    who = ", ".join(f"{word} {value}" for word in ("vendor", "model", "serial") if (value := getattr(report, word)) is not None)
    write_line(f"Profile {report.profile}, revision {report.revision}, on {report.port}.")
    write_line(f"The device: {who or 'not asked who it is'}; firmware {report.firmware or 'not told'}.")
    counts = ", ".join(f"{report.count(verdict)} {verdict.value}" for verdict in Verdict)
    write_line(f"{counts} of {len(report.outcomes)} checks.")

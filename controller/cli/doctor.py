"""`shoed doctor`: what is plugged in, what is wrong, and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, json_option, write_json, write_line, write_listing

if TYPE_CHECKING:
    from controller.service.config import Setup


@click.command("doctor")
@click.option(
    "--config",
    "config_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The configuration of the tables, a TOML file.",
)
@click.option("--udev", is_flag=True, help="Print udev rules for the devices of the configuration, and nothing else.")
@click.option(
    "--bundle",
    "bundle_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one new file for support instead, a zip: what it holds is listed first. No key, token or hidden card is in it.",
)
@click.option("--yes", is_flag=True, help="With --bundle: write it without asking.")
@json_option
def command(config_file: Path, udev: bool, bundle_file: Path | None, yes: bool, as_json: bool) -> int:
    """Examine everything that a configuration needs, and say how to mend what is wrong."""
    import asyncio

    from controller.service.checkup import examine
    from controller.service.config_file import load_config
    from controller.service.finding import Grade
    from controller.service.port_checks import rules_for, serial_group
    from controller.service.udev_rules import udev_rules

    setup = load_config(config_file)
    if udev:
        for line in udev_rules(rules_for(setup), serial_group()):
            write_line(line)
        return EXIT_GOOD
    if bundle_file is not None:
        return _write_bundle(setup, bundle_file, agreed=yes, as_json=as_json)
    findings = asyncio.run(examine(setup))
    for finding in findings:
        if as_json:
            write_json(finding)
            continue
        write_line(f"{finding.grade.value:<6}{finding.check}: {finding.what}")
        if finding.do:
            write_line(f"      {finding.do}")
    wrong = sum(finding.grade is Grade.WRONG for finding in findings)
    if not as_json:
        write_line(f"{wrong} of {len(findings)} checks are not in order." if wrong else "Everything is in order.")
    return EXIT_NOT_IN_ORDER if wrong else EXIT_GOOD


def _write_bundle(setup: Setup, file: Path, *, agreed: bool, as_json: bool) -> int:
    """List what a support file would hold, ask, and write it."""
    from controller.technician.bundle import write_bundle
    from controller.technician.bundle_parts import parts_of

    parts = parts_of(setup)
    rows = [{"file": part.name, "bytes": len(part.content), "holds": part.about} for part in parts]
    write_listing(rows, ("file", "bytes", "holds"), as_json=as_json)
    if not agreed:
        click.confirm(f"Write this to {file}?", abort=True, err=as_json)
    size = write_bundle(file, parts)
    if as_json:
        write_json({"bundle": str(file), "bytes": size})
    else:
        write_line(f"{file}: {len(parts)} files, {size} bytes. It holds no key, no token and no hidden card.")
    return EXIT_GOOD

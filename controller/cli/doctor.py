"""`shoed doctor`: what is plugged in, what is wrong, and how to mend it."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, json_option, write_json, write_line


@click.command("doctor")
@click.option(
    "--config",
    "config_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The configuration of the tables, a TOML file.",
)
@click.option("--udev", is_flag=True, help="Print udev rules for the devices of the configuration, and nothing else.")
@json_option
def command(config_file: Path, udev: bool, as_json: bool) -> int:
    """Examine everything that a configuration needs, and say how to mend what is wrong."""
    import asyncio

    from controller.service.checkup import examine
    from controller.service.config import load_config
    from controller.service.finding import Grade
    from controller.service.port_checks import rules_for, serial_group
    from controller.service.udev_rules import udev_rules

    setup = load_config(config_file)
    if udev:
        for line in udev_rules(rules_for(setup), serial_group()):
            write_line(line)
        return EXIT_GOOD
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

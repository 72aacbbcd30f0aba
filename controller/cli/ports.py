"""`shoed ports`: which ports this machine has, under names that can be copied into the configuration."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.output import json_option, write_line, write_listing


@click.command("ports")
@click.option(
    "--links",
    type=click.Path(path_type=Path, file_okay=False),
    help="The directory of links that name each adapter; the configuration's, or udev's own.",
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Say which port is whose, and what of this configuration is not plugged in.",
)
@json_option
def command(links: Path | None, config_file: Path | None, as_json: bool) -> None:
    """List the serial ports and USB devices of this machine, who holds them, and how to name them."""
    import msgspec

    from controller.service.config_file import load_config
    from controller.service.discovery import list_configured_ports, list_seen_ports, list_usb_ports
    from firmware_bridge.transport.adapters import DEFAULT_LINKS
    from firmware_bridge.transport.base import TransportError

    setup = None if config_file is None else load_config(config_file)
    if setup is not None and links is not None:
        ports = msgspec.structs.replace(setup.config.ports, links=str(links.absolute()))
        setup = msgspec.structs.replace(setup, config=msgspec.structs.replace(setup.config, ports=ports))
    usual = Path(DEFAULT_LINKS) if setup is None else setup.path_of(setup.config.ports.links)
    found, unlisted = list_seen_ports(links or usual), ""
    try:
        found += list_usb_ports(found)
    except TransportError as error:
        unlisted = f"USB devices are not listed: {error.what}; {error.do}."
    if setup is not None:
        found = list_configured_ports(setup, found)
    rows = [msgspec.structs.asdict(seen) for seen in found]
    columns = ("port", "path", "description", "usb", "serial", "interface", "stable", "permitted", "holder", "device", "note")
    told = [column for column in columns if column in ("port", "stable", "permitted", "holder") or any(row[column] for row in rows)]
    write_listing(rows, columns if as_json else told, as_json=as_json)
    if not rows and not as_json:
        write_line("No port was found. Plug a device in, or name another directory of links with --links.")
    if unlisted and not as_json:
        write_line(unlisted)

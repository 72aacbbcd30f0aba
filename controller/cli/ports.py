"""`shoed ports`: which ports this machine has, under names that can be copied into the configuration."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.output import json_option, write_line, write_listing

DEFAULT_LINKS = "/dev/serial/by-id"


@click.command("ports")
@click.option(
    "--links",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(DEFAULT_LINKS),
    show_default=True,
    help="The directory of links that name each adapter.",
)
@json_option
def command(links: Path, as_json: bool) -> None:
    """List the ports of this machine, who holds them, and how to name them."""
    import msgspec

    from controller.service.discovery import list_seen_ports

    rows = [msgspec.structs.asdict(seen) for seen in list_seen_ports(links)]
    columns = ("port", "description", "usb", "serial", "stable", "permitted", "holder")
    write_listing(rows, columns, as_json=as_json)
    if not rows and not as_json:
        write_line(f"No port was found. Plug a device in, or name another directory of links than {links}.")

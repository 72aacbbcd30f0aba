"""`shoed run`: the daemon. Reads the configuration, checks everything it names, and serves its tables until stopped."""

from __future__ import annotations

import gc
from pathlib import Path

import click


@click.command("run")
@click.option(
    "--config",
    "config_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The configuration of the tables, a TOML file.",
)
@click.option("--check", is_flag=True, help="Check everything that the configuration names, change nothing, and end.")
def command(config_file: Path, check: bool) -> None:
    """Run the daemon for the tables of a configuration."""
    # Looking for garbage among the sixty thousand objects that importing makes, all of which stay, takes a sixth of the start.
    gc.disable()
    try:
        from controller.service.config_file import load_config
        from controller.service.daemon import run_daemon
        from firmware_bridge.transport.port_loop import serve_ports
    finally:
        gc.enable()

    setup = load_config(config_file)
    serve_ports(run_daemon(setup, check_only=check))
    if check:
        click.echo(f"{config_file}: in order, {len(setup.config.table)} table(s). Nothing was changed.")

"""`shoed device code`: what the configuration holds of a person's code for diagnostic mode."""

from __future__ import annotations

import secrets

import click

from controller.cli.output import write_line
from controller.service.persons import CODE_CHARACTERS_MAX, CODE_CHARACTERS_MIN, hash_code
from controller.table.parse import parse_by
from controller.technician.errors import TechnicianError

SALT_BYTES = 16
ROLES = ("technician", "supervisor", "dealer")


@click.command("code")
@click.argument("person", metavar="ROLE:NAME")
def code_command(person: str) -> None:
    """Ask a person for a new code, and print what the daemon's configuration holds of it.

    With one such person in its configuration, the daemon lends a device or records a line only for persons who give their codes.
    """
    by = parse_by(person, "ROLE:NAME")
    if by.role not in ROLES or not by.name:
        what, do = f"`{person[:40]}` is no person for diagnostic mode.", "Write such as technician:T3 or supervisor:S1."
        raise TechnicianError("wants-person", what, do)
    code = str(click.prompt(f"New code of {by}", hide_input=True, confirmation_prompt=True, err=True))
    if not CODE_CHARACTERS_MIN <= len(code) <= CODE_CHARACTERS_MAX:
        do = f"Choose {CODE_CHARACTERS_MIN} to {CODE_CHARACTERS_MAX} characters."
        raise TechnicianError("code-too-short", f"A code of {len(code)} characters does not do.", do)
    for line in (
        "[[person]]",
        f'name = "{by.name}"',
        f'role = "{by.role}"',
        f'code = "{hash_code(code, secrets.token_bytes(SALT_BYTES))}"',
    ):
        write_line(line)

"""The profiles that a command may name: the product's, and those of one directory that an option or the environment names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from controller.errors import ShoedError, as_sentence
from device_profiles.errors import ProfileError
from device_profiles.shelf import DIRECTORY_VARIABLE, ProfileShelf

PROFILES_OPTION: Final = click.option(
    "--profiles",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar=DIRECTORY_VARIABLE,
    help=f"A directory of further profiles; {DIRECTORY_VARIABLE} in the environment does the same.",
)


def shelf_of(directory: Path | None) -> ProfileShelf:
    """Return the profiles of the product and of a directory.

    Raises:
        ShoedError: the directory cannot be used.
    """
    try:
        return ProfileShelf(directory)
    except ProfileError as error:
        raise ShoedError("bad-profile", as_sentence(str(error)), "Mend that file, or take it out of the directory.") from error

"""All profiles that a daemon may name: the product's own, and those of one directory that the house fills.

A name is looked up in the list of what was found; it never becomes a path. The directory's files are called as the profiles in them, with
`.toml`, and no one as a profile of the product. Each is checked when it is asked for, as the product's own are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from device_profiles.errors import InvalidProfileError, UnknownProfileError
from device_profiles.loader import PROFILE_BYTES_MAX, nearest_of, profile_names, read_tables
from device_profiles.plain import loader
from device_profiles.plain.profile import PlainProfile
from device_profiles.schema import NAME_PATTERN

FILES_MAX: Final = 500
"""More files than this are no directory of profiles."""
_FILE_NAME: Final = re.compile(NAME_PATTERN.removesuffix("$").removeprefix("^") + r"\.toml")


class ProfileShelf:
    """The product's profiles and those of a directory, by name. The directory is read once, when the shelf is made."""

    def __init__(self, directory: Path | None = None) -> None:
        """List the directory.

        Raises:
            InvalidProfileError: it cannot be read, or a file has the name of a profile of the product.
        """
        self._found: Mapping[str, Path] = {} if directory is None else _list(directory)
        self._loaded: dict[str, PlainProfile] = {}

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
        return tuple(sorted({*profile_names(), *self._found}))

    def is_plain(self, name: str) -> bool:
        """Return whether the profile of this name is one of a plain device; False also where there is none."""
        return name in self._found or loader.is_plain(name)

    def plain(self, name: str) -> PlainProfile:
        """Return the checked profile of a plain device.

        Raises:
            UnknownProfileError: no profile has this name.
            ProfileError: it cannot be used.
        """
        if name not in self._found:
            if name not in profile_names():
                raise UnknownProfileError(name, nearest_of(name, self.names()), self.names())
            return loader.load_plain(name)
        if name not in self._loaded:
            self._loaded[name] = _read(name, self._found[name])
        return self._loaded[name]


def _list(directory: Path) -> dict[str, Path]:
    try:
        files = [entry for entry in directory.iterdir() if entry.suffix == ".toml" and entry.is_file()]
    except OSError as error:
        raise InvalidProfileError(str(directory), f"cannot be read: {error.strerror}") from error
    if len(files) > FILES_MAX:
        raise InvalidProfileError(str(directory), f"holds more than {FILES_MAX} files")
    for file in files:
        if not _FILE_NAME.fullmatch(file.name):
            raise InvalidProfileError(
                file.name, "needs a name of at most 40 small letters, digits, dashes and underscores, a letter first, before `.toml`"
            )
        if file.stem in profile_names():
            raise InvalidProfileError(file.name, "has the name of a profile that comes with the product: give it another")
    return {file.stem: file for file in files}


def _read(name: str, path: Path) -> PlainProfile:
    try:
        with path.open("rb") as stream:
            content = stream.read(PROFILE_BYTES_MAX + 1)
    except OSError as error:
        raise InvalidProfileError(path.name, f"cannot be read: {error.strerror}") from error
    profile = loader.plain_profile(read_tables(content, path.name), path.name)
    if profile.name != name:
        raise InvalidProfileError(path.name, f"calls itself '{profile.name}': file and name must agree")
    return profile

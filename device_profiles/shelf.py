"""All profiles that may be named: the product's own, and those of one directory that the house or a vendor fills.

A name is looked up in the list of what was found; it never becomes a path. The directory's files are called as the profiles in them, with
`.toml`, and no one as a profile of the product: so it is never a question whose profile a name means. Each is checked when it is asked for,
as the product's own are. A profile of the directory may extend one of the product or another of the directory.

Where the directory is is said by the caller; the programs take an option, the configuration or the environment, in this order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from device_profiles.errors import InvalidProfileError, UnknownProfileError
from device_profiles.loader import PROFILE_BYTES_MAX, load_profile, nearest_of, parse_profile, product_tables, profile_names, read_tables
from device_profiles.plain.loader import PLAIN_LINK, load_plain, plain_profile
from device_profiles.plain.profile import PlainProfile
from device_profiles.schema import NAME_PATTERN, Profile

FILES_MAX: Final = 500
"""More files than this are no directory of profiles."""
DIRECTORY_VARIABLE: Final = "SHOED_PROFILES"
"""The environment's word for the directory."""
_FILE_NAME: Final = re.compile(NAME_PATTERN.removesuffix("$").removeprefix("^") + r"\.toml")


class ProfileShelf:
    """The product's profiles and those of a directory, by name. The directory is read once, when the shelf is made."""

    def __init__(self, directory: Path | None = None) -> None:
        """List the directory.

        Raises:
            InvalidProfileError: it cannot be read, or a file has the name of a profile of the product.
        """
        self._found: Mapping[str, Path] = {} if directory is None else _list(directory)
        self._tables: dict[str, Mapping[str, object]] = {}
        self._loaded: dict[str, Profile | PlainProfile] = {}

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
        return tuple(sorted({*profile_names(), *self._found}))

    def is_own(self, name: str) -> bool:
        """Return whether the profile is one of the directory."""
        return name in self._found

    def is_plain(self, name: str) -> bool:
        """Return whether the profile of this name is one of a plain device; False also where there is none.

        Raises:
            ProfileError: its file cannot be read.
        """
        return name in self.names() and self._link_of(name) == PLAIN_LINK

    def get(self, name: str) -> Profile | PlainProfile:
        """Return the checked profile of this name.

        Raises:
            UnknownProfileError: no profile has it.
            ProfileError: it cannot be used.
        """
        self._verify_known(name)
        if name not in self._found:
            return load_plain(name) if self.is_plain(name) else load_profile(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def plain(self, name: str) -> PlainProfile:
        """Return the checked profile of a plain device. Raises as `get`, and when it is another."""
        profile = self.get(name)
        if not isinstance(profile, PlainProfile):
            raise InvalidProfileError(f"{name}.toml", "is no profile of a plain device")
        return profile

    def sdp1(self, name: str) -> Profile:
        """Return the checked profile of a device of SDP/1. Raises as `get`, and when it is another."""
        profile = self.get(name)
        if isinstance(profile, PlainProfile):
            raise InvalidProfileError(f"{name}.toml", "is the profile of a plain device, and SDP/1 is wanted here")
        return profile

    def base(self, name: str, _file: str = "") -> Mapping[str, object]:
        """Return the tables of a profile as its file has them, for one that extends it. Raises as `get`."""
        self._verify_known(name)
        if name not in self._found:
            return product_tables(name)
        if name not in self._tables:
            path = self._found[name]
            self._tables[name] = read_tables(_content_of(path), path.name)
        return self._tables[name]

    def _load(self, name: str) -> Profile | PlainProfile:
        file, tables = self._found[name].name, self.base(name)
        wanted = tables.get("name")
        if wanted != name:
            raise InvalidProfileError(file, f"calls itself '{str(wanted)[:40]}': file and name must agree")
        if self._link_of(name) == PLAIN_LINK:
            return plain_profile(tables, file, self.base)
        return parse_profile(tables, file, self.base)

    def _link_of(self, name: str) -> object:
        """Return what a profile says of its link, itself or through its base."""
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            tables = self.base(name)
            base = tables.get("extends")
            if "link" in tables or not isinstance(base, str):
                return tables.get("link")
            name = base
        return None

    def _verify_known(self, name: str) -> None:
        if name not in self.names():
            raise UnknownProfileError(name, nearest_of(name, self.names()), self.names())


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


def _content_of(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(PROFILE_BYTES_MAX + 1)
    except OSError as error:
        raise InvalidProfileError(path.name, f"cannot be read: {error.strerror}") from error

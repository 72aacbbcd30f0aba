"""One file for support: its contents are listed, and only then it is written; a file that could not be written whole is not there."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from controller.technician.bundle_parts import Part
from controller.technician.errors import TechnicianError

README: Final = "README.txt"
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""Files in the bundle have no time of their own: two bundles of the same contents are the same."""


def open_new(path: Path) -> BinaryIO:
    """Return a new file, readable by its owner alone."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def listing_of(parts: Sequence[Part]) -> str:
    """Return the contents in words."""
    lines = [f"{part.name}: {part.about} ({len(part.content)} bytes)" for part in parts]
    return "\n".join(["What a shoed support file holds. It holds no key, no token and no hidden card.", "", *lines, ""])


def write_bundle(path: Path, parts: Sequence[Part], *, opener: Callable[[Path], BinaryIO] = open_new) -> int:
    """Write all parts to a new zip file; return its size.

    Raises:
        TechnicianError: the file exists already, or cannot be written whole; then none is left.
    """
    try:
        stream = opener(path)
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        with stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            readme = Part(README, "", listing_of(parts).encode())
            for part in (readme, *parts):
                archive.writestr(zipfile.ZipInfo(part.name, EPOCH), part.content, zipfile.ZIP_DEFLATED)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _not_written(path, error) from error
    return path.stat().st_size


def _not_written(path: Path, error: OSError) -> TechnicianError:
    what = f"The support file cannot be written to {path}: {error.strerror}."
    return TechnicianError("bundle-not-written", what, "Name a file that does not exist yet, on a disk with room.")

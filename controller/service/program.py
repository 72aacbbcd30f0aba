"""The program's own check before it opens tables (EQ-98, T-35): is what runs what was installed?

Two tests, neither of which a changed file passes by accident: the digest over all files of the program against the one
that the configuration pins, and each file against the record that the installer wrote. A work tree installed in place
has no such record, so there the pinned digest is the only test, and `shoed doctor` prints the digest to pin.

Limit, told in the documents: a program that was replaced as a whole can answer for itself. The digest is evidence
only with a file system or a package manager that guards it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import controller
import device_profiles
import firmware_bridge
from controller.service.errors import StartError

PROGRAM_SUFFIXES: Final = (".py", ".toml")


def digest_program() -> str:
    """Return the SHA-256 over names and contents of all files of the program, in hexadecimal."""
    digest = hashlib.sha256()
    for name, path in _program_files():
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def verify_program(pinned: str) -> str:
    """Return the program's digest after checking it; an empty text pins none.

    Raises:
        StartError: naming the changed file, or saying that the digest differs from the pinned one.
    """
    for changed in _files_against_record():
        raise StartError(
            "program-changed",
            f"The program file {changed} is not the one that was installed.",
            "Install shoed again from a trusted source, and find out who changed it.",
        )
    digest = digest_program()
    if pinned and digest != pinned:
        raise StartError(
            "program-changed",
            f"The program's digest is {digest}, and the configuration demands {pinned}.",
            "If it was updated on purpose, write the new digest as service.program_sha256; else install it again.",
        )
    return digest


def _program_files() -> Iterator[tuple[str, Path]]:
    for package in (controller, device_profiles, firmware_bridge):
        root = Path(package.__path__[0])
        found = [path for path in root.rglob("*") if path.suffix in PROGRAM_SUFFIXES and path.is_file()]
        for path in sorted(found):
            yield f"{root.name}/{path.relative_to(root).as_posix()}", path


def _files_against_record() -> Iterator[str]:
    try:
        files = distribution("shoed").files or []
    except PackageNotFoundError:
        return
    for file in files:
        if file.hash is None or file.hash.mode != "sha256" or file.suffix not in PROGRAM_SUFFIXES:
            continue
        path = Path(str(file.locate()))
        found = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""
        if base64.urlsafe_b64encode(found).rstrip(b"=").decode() != file.hash.value:
            yield str(file)

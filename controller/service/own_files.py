"""Each file of a configuration has one purpose: what the daemon writes is nothing that it, or anything else, reads.

A port file that replaces the journal's keys, or a log that is appended to the journal, destroys what cannot be made again. Links are
followed, so that two names of one file are found; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.service.config import Setup
from controller.service.errors import ConfigError

BESIDE_JOURNAL: Final = ("", "-wal", "-shm", ".lock", ".ballast")
"""The journal, and what SQLite and the writer keep beside it."""

PORT_CHARS_MAX: Final = 6
"""65535 and the end of the line."""


def check_apart(setup: Setup) -> None:
    """Check that no file that the daemon writes is named for anything else as well.

    Raises:
        ConfigError: with both purposes of the file.
    """
    purposes: dict[Path, str] = {}
    for key, path in _read(setup):
        purposes.setdefault(path.resolve(), key)
    for key, path in _written(setup):
        other = purposes.setdefault(path.resolve(), key)
        if other != key:
            raise ConfigError("used-twice", setup.file, key, f"the file {path} is already {other}", "give each a file of its own")


def check_port_file(setup: Setup, path: Path) -> None:
    """Check that what the port's number replaces is a port's number.

    Raises:
        ConfigError: the file holds something else.
    """
    try:
        with path.open("rb") as file:
            text = file.read(PORT_CHARS_MAX + 1)
    except OSError:
        return  # there is none yet, or it cannot be written either, which is told for every file
    if len(text) > PORT_CHARS_MAX or (text.strip() and not text.strip().isdigit()):
        what, do = f"{path} holds something else than a port's number, and would be replaced", "name another file, or delete this one"
        raise ConfigError("path-not-writable", setup.file, "api.port_file", what, do)


def _read(setup: Setup) -> Iterator[tuple[str, Path]]:
    config = setup.config
    yield "the configuration", setup.file
    yield "journal.key_file", setup.path_of(config.journal.key_file)
    for table in config.table:
        for device in table.device:
            for key, name in (("key_file", device.key_file), ("cards", device.cards)):
                if name is not None:
                    yield f"table.{table.id}.device.{device.name}.{key}", setup.path_of(name)


def _written(setup: Setup) -> Iterator[tuple[str, Path]]:
    config = setup.config
    journal = setup.path_of(config.journal.path)
    for end in BESIDE_JOURNAL:
        yield "journal.path", journal.with_name(journal.name + end)
    for key, name in (("api.token_file", config.api.token_file), ("api.port_file", config.api.port_file), ("log.file", config.log.file)):
        if name is not None:
            yield key, setup.path_of(name)

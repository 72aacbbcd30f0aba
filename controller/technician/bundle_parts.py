"""The parts of a support file: what each holds, and how every secret is kept out of it.

Nothing is taken on trust: keys and tokens are not read into any part, hidden cards have no form in what is read, and all text is searched
for the secrets of this configuration before it is kept. Captures of open lines tell cards, so not they but their transcripts go in, in
which cards are hidden.

A part that cannot be made is told by a sentence in its place, and keeps no other from being made.
"""

from __future__ import annotations

import asyncio
import platform
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

import msgspec

from controller.errors import ShoedError
from controller.journal.reader import open_reader
from controller.journal.verify import verify_journal
from controller.service.capturing import SUFFIX
from controller.service.checkup import examine
from controller.service.config import Setup
from controller.service.program import digest_program
from controller.technician.errors import TechnicianError
from controller.technician.holder import read_daemon
from controller.technician.reach import codec_of
from controller.technician.replaying import seen_in
from controller.technician.work_log import usual_path
from firmware_bridge.capture.pcapng_file import read_capture
from firmware_bridge.errors import BridgeError

TAIL_BYTES: Final = 1 << 20
"""Of a log: some days of what is unusual."""
CAPTURE_BYTES: Final = 8 << 20
"""Of the newest captures of one line: an hour of a busy table. Their transcripts are twenty times as long, and pack well."""
HEADS: Final = 200
"""Entries of a table whose heads are told: its last few rounds."""
_SECRET: Final = re.compile(rb"[0-9A-Za-z_+/=-]{16,}")
"""What is shorter is no secret of ours."""
_FORMAT: Final = b"shoed-"
"""How the name of a key file's format begins: no secret."""
SECRET_FILE_BYTES_MAX: Final = 4096
REMOVED: Final = "(removed)"
_DIGITS: Final = 32
"""A text of so many hexadecimal digits in a key file is a key."""


class Part(msgspec.Struct, frozen=True):
    """One file of the bundle."""

    name: str
    about: str
    content: bytes


def parts_of(setup: Setup) -> list[Part]:
    """Return all parts, free of this configuration's secrets."""
    secrets = secrets_of(setup)
    makers: list[tuple[str, str, Callable[[], bytes]]] = [
        ("versions.json", "versions of the program, of what it is built from, and of this machine", _versions),
        ("configuration.json", "the configuration as it was understood; keys by the names of their files", lambda: _configuration(setup)),
        ("findings.json", "what `shoed doctor` finds", lambda: _json(asyncio.run(examine(setup)))),
        ("daemon/tables.json", "how the tables and devices stand, as the daemon tells it", lambda: read_daemon(setup, "/v1/tables")),
        ("daemon/metrics.txt", "the daemon's counters", lambda: read_daemon(setup, "/v1/metrics")),
        ("journal/check.json", "whether the journal is in order", lambda: _json(verify_journal(_journal(setup)))),
        ("journal/heads.jsonl", "number, time, kind and hash of the last entries: no body and nothing sealed", lambda: _heads(setup)),
        ("logs/work.jsonl", "the end of the technicians' own log", lambda: _tail(usual_path())),
    ]  # fmt: skip
    log = setup.config.log.file
    if log is not None:
        makers.append(("logs/daemon.log", "the end of the daemon's log", lambda: _tail(setup.path_of(log))))
    makers += _transcripts(setup)
    return [_made(name, about, make, secrets) for name, about, make in makers]


def secrets_of(setup: Setup) -> tuple[bytes, ...]:
    """Return every secret text of this configuration: tokens and keys, in the forms in which somebody may have written them down."""
    config = setup.config
    files = [config.api.token_file, config.journal.key_file]
    files += [device.key_file for table in config.table for device in table.device if device.key_file is not None]
    found = {person.code.encode() for person in config.person}
    for name in files:
        try:
            with setup.path_of(name).open("rb") as stream:
                text = stream.read(SECRET_FILE_BYTES_MAX)
        except OSError:
            continue  # what cannot be read here cannot be in any part either
        for word in _SECRET.findall(text):
            if not word.startswith(_FORMAT):
                found |= _forms(word)
    return tuple(sorted(found, key=len, reverse=True))


def _forms(word: bytes) -> set[bytes]:
    forms = {word}
    try:
        raw = bytes.fromhex(word.decode("ascii"))
    except ValueError:
        return forms
    if len(word) < _DIGITS:
        return forms
    spaced = raw.hex(" ").encode()
    return forms | {raw, word.lower(), word.upper(), spaced, spaced.upper()}


def without_secrets(content: bytes, secrets: Sequence[bytes]) -> bytes:
    """Return the content with each secret replaced."""
    for secret in secrets:
        content = content.replace(secret, REMOVED.encode())
    return content


def _made(name: str, about: str, make: Callable[[], bytes], secrets: Sequence[bytes]) -> Part:
    try:
        content = make()
    except (ShoedError, BridgeError) as error:
        what = str(getattr(error, "what", error))
        return Part(f"{name}.missing.txt", f"why {name} is missing", without_secrets(f"{what}\n".encode(), secrets))
    except OSError as error:
        return Part(f"{name}.missing.txt", f"why {name} is missing", f"It cannot be read: {error.strerror}.\n".encode())
    return Part(name, about, without_secrets(content, secrets))


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _configuration(setup: Setup) -> bytes:
    persons = tuple(msgspec.structs.replace(person, code=REMOVED) for person in setup.config.person)
    return _json(msgspec.structs.replace(setup.config, person=persons))


def _versions() -> bytes:
    packages: dict[str, str] = {}
    for line in requires("shoed") or ():
        found = re.match(r"[\w.-]+", line)
        try:
            if found is not None:
                packages[found[0]] = version(found[0])
        except PackageNotFoundError:
            continue  # an optional one
    told = {"shoed": version("shoed"), "program_sha256": digest_program(), "python": sys.version, "machine": platform.platform()}
    return _json(told | {"packages": packages})


def _journal(setup: Setup) -> Path:
    path = setup.path_of(setup.config.journal.path)
    if not path.exists():
        raise TechnicianError("journal-missing", f"There is no journal {path}.", "The daemon's first start makes it.")
    return path


def _heads(setup: Setup) -> bytes:
    lines = []
    with open_reader(_journal(setup)) as reader:
        for table in reader.tables:
            for entry in reader.last_entries(table, HEADS):
                told = {name: getattr(entry, name) for name in ("number", "table", "wall_ms", "shoe", "round", "boundary", "kind")}
                lines.append(msgspec.json.encode(told | {"hash": entry.hash.hex()}))
    return b"\n".join(lines) + b"\n"


def _tail(path: Path) -> bytes:
    with path.open("rb") as stream:
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - TAIL_BYTES))
        return stream.read()


def _transcripts(setup: Setup) -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    for table in setup.config.table:
        for device in table.device:
            folder = setup.path_of(setup.config.captures.directory) / table.id / device.name
            left = CAPTURE_BYTES
            for path in sorted(folder.glob(f"*{SUFFIX}"), reverse=True):
                left -= path.stat().st_size
                if left < 0:
                    break
                name = f"captures/{table.id}/{device.name}/{path.stem}.jsonl"
                yield name, "what went over the line, cards hidden", _transcript_of(path, device.profile)


def _transcript_of(path: Path, profile: str) -> Callable[[], bytes]:
    def make() -> bytes:
        seen = seen_in(list(read_capture(path)), codec_of(profile))
        return b"".join(msgspec.json.encode(one) + b"\n" for one in seen)

    return make

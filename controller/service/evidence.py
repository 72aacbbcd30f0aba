"""What passed on the lines of a table in shadow mode, kept for a while, and written to a file when the other host differs.

A bounded memory for each line; a difference makes one capture of each line out of it, as it was at that moment. Files are for this account
alone, since an open line tells cards. When there are too many, no more are written, and the log says so: nothing is ever deleted here.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from controller.service.logs import Logger
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import CaptureWriter
from firmware_bridge.capture.tap import Tap

KEPT_BYTES: Final = 1 << 16
"""Of each line: more than a hundred rounds of a shoe at 4800 baud, and some minutes of SDP/1 with its heartbeat."""
FILES_MAX: Final = 1_000
"""Of a directory, together 64 MB at most: a host that differs a thousand times is known to differ."""
OWNER_ONLY, OWNER_FOLDER = 0o600, 0o700
DIFFERENCES: Final = "differences"
"""The folder of a table's evidence, beside those of its lines' captures."""
Pieces = tuple[tuple[Way, float, bytes], ...]


class LineMemory:
    """The last bytes of one line."""

    def __init__(self, wall_s: Callable[[], float]) -> None:
        self._wall_s = wall_s
        self._pieces: deque[tuple[Way, float, bytes]] = deque()
        self._size = 0

    def hear(self, way: Way, chunk: bytes) -> None:
        """Note bytes that passed."""
        self._pieces.append((way, self._wall_s(), chunk))
        self._size += len(chunk)
        while self._size > KEPT_BYTES:
            self._size -= len(self._pieces.popleft()[2])

    def pieces(self) -> Pieces:
        """Return what is remembered, oldest first."""
        return tuple(self._pieces)


class Evidence:
    """The lines of one table. `folder` is made for the first difference."""

    def __init__(self, table: str, folder: Path, profiles: Mapping[str, str], wall_s: Callable[[], float] = time.time) -> None:
        self._table, self._folder, self._profiles = table, folder, profiles
        self._memories = {device: LineMemory(wall_s) for device in profiles}
        self._writing: set[asyncio.Task[None]] = set()

    def tap(self, device: str) -> Tap:
        """Return the ear of one line."""
        return self._memories[device].hear

    def keep(self, entry: int, logger: Logger) -> None:
        """Write what is remembered now, named after the journal's entry; never waits, and never fails its caller."""
        lines = {device: memory.pieces() for device, memory in self._memories.items()}
        writing = asyncio.create_task(self._write(entry, lines, logger), name=f"evidence {entry}")
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)

    async def kept(self) -> None:
        """Wait until everything is written that was to be kept."""
        await asyncio.gather(*self._writing)

    async def _write(self, entry: int, lines: Mapping[str, Pieces], logger: Logger) -> None:
        try:
            files = await asyncio.to_thread(self._write_files, entry, lines)
        except OSError as error:
            logger.warning("evidence-not-kept", entry=entry, why=error.strerror or type(error).__name__)
        else:
            logger.warning("evidence", entry=entry, files=files)

    def _write_files(self, entry: int, lines: Mapping[str, Pieces]) -> list[str]:
        folder = self._folder
        folder.mkdir(OWNER_FOLDER, parents=True, exist_ok=True)
        if sum(1 for _ in folder.iterdir()) >= FILES_MAX:
            raise OSError(0, f"{folder} holds {FILES_MAX} files: take them away")
        names = []
        for device, pieces in lines.items():
            name = f"{self._table}-{entry}-{device}.pcapng"
            with os.fdopen(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY), "w+b") as stream:
                writer = CaptureWriter(stream, device, profile=self._profiles[device], most_bytes=4 * KEPT_BYTES)
                for way, at_s, chunk in pieces:
                    writer.write(way, chunk, at_s)
            names.append(name)
        return names

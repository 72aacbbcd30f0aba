"""The capture of one device's line: written beside the daemon's work, bounded in size and age, switched on and off while it runs.

`hear` is called on the daemon's loop for every piece of the line, and never waits: it puts the piece into a queue. A thread of its own
writes them, so neither a slow disk nor a full one is felt at the table. What the queue cannot hold, and what cannot be written, is counted
as lost. Where little room is left on the disk nothing is written at all: the journal comes first.

A capture is a folder of pcapng files. A new file is begun when one has a quarter of the size or age that the folder may have, and the
oldest are deleted. Bytes are kept as they were on the line: sealed sessions stay sealed, an open line tells cards, so the files are
readable by the daemon's account alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import CaptureWriter

WAITING_BYTES_MAX: Final = 1 << 20
"""A minute and a half of a line at 115200 baud, or a disk that hangs so long."""
RECORD_BYTES: Final = 64
"""What a piece takes in the queue beside its bytes."""
FILES: Final = 4
"""Into so many files a capture is cut: what is deleted at once is a quarter of it."""
FREE_LEFT_BYTES: Final = 256 << 20
"""So much of the disk belongs to the journal: a week of a busy table."""
FREE_LOOK_RECORDS: Final = 256
TRY_AGAIN_S: Final = 30.0
"""After a failed write; a disk that was full a moment ago is full still."""
GOODBYE_S: Final = 0.5
"""What is in the queue at the end gets so long: the daemon's stop has a limit of its own."""
SUFFIX: Final = ".pcapng"


class CaptureBounds(msgspec.Struct, frozen=True, kw_only=True):
    """Where a capture is kept, how much of it, and what its files say of the line."""

    folder: Path
    name: str
    profile: str
    most_bytes: int
    most_s: float


class CaptureState(msgspec.Struct, frozen=True, kw_only=True):
    """How a capture stands. `trouble` says why nothing is written now."""

    on: bool
    folder: str
    files: tuple[str, ...] = ()
    """Files of the present run, or of the last one; the oldest may be deleted already."""
    records: int = 0
    lost: int = 0
    writing: bool = False
    """Something is to be written still: on, or just switched off."""
    trouble: str = ""


class CaptureRun:
    """One run from switching on to switching off: a queue and the thread that empties it."""

    def __init__(
        self,
        bounds: CaptureBounds,
        *,
        open_file: Callable[[Path], BinaryIO] | None = None,
        free_bytes: Callable[[Path], int] | None = None,
    ) -> None:
        self.files: list[Path] = []
        self.records = self.lost = 0
        self.trouble = ""
        self._bounds = bounds
        self._open_file = open_file or open_new
        self._free_bytes = free_bytes or (lambda folder: shutil.disk_usage(folder).free)
        self._queue: queue.SimpleQueue[tuple[Way, bytes, float] | None] = queue.SimpleQueue()
        self._put = self._taken = 0
        self._stream: BinaryIO | None = None
        self._writer: CaptureWriter | None = None
        self._begun_s = self._not_before_s = 0.0
        self._thread = threading.Thread(target=self._work, name=f"capture {bounds.name}", daemon=True)
        self._thread.start()

    def hear(self, way: Way, chunk: bytes, at_s: float) -> None:
        """Take a piece, or count it as lost; never waits."""
        size = len(chunk) + RECORD_BYTES
        if self._put - self._taken + size > WAITING_BYTES_MAX:
            self.lost += 1
            return
        self._put += size
        self._queue.put((way, bytes(chunk), at_s))

    def end(self) -> None:
        """Take no more; what waits is written still."""
        self._queue.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait until all is written; False when it took longer."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    # ---- the thread

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            self._taken += len(item[1]) + RECORD_BYTES
            self._write(*item)
        self._close()

    def _write(self, way: Way, chunk: bytes, at_s: float) -> None:
        if at_s < self._not_before_s:
            self.lost += 1
            return
        try:
            writer = self._writer_for(at_s)
            writer.write(way, chunk, at_s)
            if writer.is_full:
                self._close()
                self._writer_for(at_s).write(way, chunk, at_s)
            self.records += 1
            self.trouble = ""
        except OSError as error:
            self.trouble = error.strerror or type(error).__name__
            self.lost += 1
            self._not_before_s = at_s + TRY_AGAIN_S
            self._close()

    def _writer_for(self, at_s: float) -> CaptureWriter:
        bounds = self._bounds
        if self._writer is not None and at_s - self._begun_s >= bounds.most_s / FILES:
            self._close()
        if self.records % FREE_LOOK_RECORDS == 0 or self._writer is None:
            bounds.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._free_bytes(bounds.folder) < FREE_LEFT_BYTES:
                raise OSError(errno.ENOSPC, f"less than {FREE_LEFT_BYTES >> 20} MiB are free, which belong to the journal")
        if self._writer is None:
            self._begun_s = at_s
            make_room(bounds, at_s)
            self._stream = self._open_next(at_s)
            self._writer = CaptureWriter(self._stream, bounds.name, profile=bounds.profile, most_bytes=bounds.most_bytes // FILES)
        return self._writer

    def _open_next(self, at_s: float) -> BinaryIO:
        while True:
            path = self._new_path(at_s)
            try:
                stream = self._open_file(path)
            except FileExistsError:
                continue  # the run before has begun its last file in this moment
            self.files.append(path)
            return stream

    def _new_path(self, at_s: float) -> Path:
        moment = datetime.fromtimestamp(at_s, UTC).strftime("%Y%m%dT%H%M%S")
        taken = {path.name for path in self._bounds.folder.iterdir()}
        number = next(number for number in range(1, len(taken) + 2) if f"{moment}-{number:02d}{SUFFIX}" not in taken)
        return self._bounds.folder / f"{moment}-{number:02d}{SUFFIX}"

    def _close(self) -> None:
        stream, self._stream, self._writer = self._stream, None, None
        if stream is not None:
            with contextlib.suppress(OSError):  # the disk is full still: what it took is a whole capture up to its last record
                stream.close()


class LineCapture:
    """The switch of one device. All of it is called on the daemon's loop."""

    def __init__(self, bounds: CaptureBounds, *, on: bool = False, clock: Callable[[], float] = time.time) -> None:
        self.bounds = bounds
        self.starts_on = on
        self._clock = clock
        self._run: CaptureRun | None = None
        self._last: CaptureRun | None = None

    def hear(self, way: Way, chunk: bytes) -> None:
        """Hear a piece of the line; the tap of a transport."""
        if self._run is not None:
            self._run.hear(way, chunk, self._clock())

    def switch_on(self) -> None:
        """Begin, in a new file also where it is on already."""
        self.switch_off()
        self._run = self._last = CaptureRun(self.bounds)

    def switch_off(self) -> CaptureRun | None:
        """End; the returned run may still be writing."""
        run, self._run = self._run, None
        if run is not None:
            run.end()
        return run

    def state(self) -> CaptureState:
        """Return how it stands."""
        run, folder = self._last, str(self.bounds.folder)
        if run is None:
            return CaptureState(on=False, folder=folder)
        return CaptureState(
            on=self._run is not None,
            folder=folder,
            files=tuple(map(str, list(run.files))),
            records=run.records,
            lost=run.lost,
            writing=not run.wait(0.0),
            trouble=run.trouble,
        )


def open_new(path: Path) -> BinaryIO:
    """Return a new file, readable by its owner alone."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def make_room(bounds: CaptureBounds, now_s: float) -> None:
    """Delete the oldest files until one more fits, and those that are too old."""
    found = [(path, path.stat()) for path in sorted(bounds.folder.glob(f"*{SUFFIX}"))]
    whole = sum(stat.st_size for _, stat in found)
    for path, stat in found:
        if whole + bounds.most_bytes // FILES <= bounds.most_bytes and now_s - stat.st_mtime < bounds.most_s:
            return
        path.unlink(missing_ok=True)
        whole -= stat.st_size

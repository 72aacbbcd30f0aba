"""What goes over a line written to a capture, and events acknowledged only when they are in it.

A device may forget an event that was acknowledged, so the capture is on the disk first. When the capture has its size, nothing is
acknowledged any more, and its owner is told to stop.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from controller.technician.bench import Bench
from controller.technician.errors import TechnicianError
from controller.technician.reach import AnyCodec
from device_profiles.plain.frames import Way
from firmware_bridge.capture.frames import frames_of
from firmware_bridge.capture.pcapng_file import Captured, CaptureWriter
from firmware_bridge.session.outputs import EventArrived, HostOutput

FRAME_BYTES: Final = 256
"""More than the file adds to a frame, or to itself at its beginning."""
SYNC_S: Final = 0.02
"""Events of so long go to the disk together; a device sends at most eight before it waits (SDP/1 1.7), so this is its pace too."""


def open_capture(path: Path) -> BinaryIO:
    """Return a new file for a capture, readable by its owner alone: on an open line it tells cards.

    Raises:
        TechnicianError: it exists already, or cannot be written.
    """
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except OSError as error:
        what = f"The capture cannot be written to {path}: {error.strerror}."
        raise TechnicianError("file-not-writable", what, "Name a file that does not exist yet.") from error


async def opened(opening: Awaitable[object], recorder: Recorder | None, file: Path | None) -> None:
    """Open a bench; where that fails before anything was heard, its capture is taken away, so that the next try may use the name."""
    try:
        await opening
    except BaseException:
        if recorder is not None and file is not None:
            recorder.take_away(file)
        raise


class Recorder:
    """Writes what a bench hears and says; `wall_s` is unix time when the bench's clock showed `clock_s`."""

    def __init__(self, bench: Bench, stream: BinaryIO, most_bytes: int, *, wall_s: float, clock_s: float) -> None:
        self._bench, self._stream = bench, stream
        self._writer = CaptureWriter(stream, bench.reach.serial or "device", profile=bench.reach.profile, most_bytes=most_bytes)
        self._offset_s = wall_s - clock_s
        self.full: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._due = 0
        self._timer: asyncio.TimerHandle | None = None
        self.stored = 0
        """Events that are in the capture and acknowledged."""
        bench.ears.append(self._hear)

    @property
    def records(self) -> int:
        return self._writer.records

    def keep_events(self) -> None:
        """Acknowledge events from here on, when they are stored."""
        self._bench.listeners.append(self._keep)

    def close(self) -> None:
        """Store what is left and close the file."""
        if self._timer is not None:
            self._timer.cancel()
            self._store()
        if not self._stream.closed:
            self._stream.close()

    def take_away(self, file: Path) -> None:
        """Remove a capture in which nothing is."""
        if not self.records:
            self.close()
            file.unlink(missing_ok=True)

    def _hear(self, way: Way, chunk: bytes, now_s: float) -> None:
        if self._stream.closed:
            return  # the port's last words, after the capture's end
        self._writer.write(way, chunk, now_s + self._offset_s)
        if self._writer.is_full and not self.full.done():
            self.full.set_result(None)

    def _keep(self, output: HostOutput) -> None:
        if isinstance(output, EventArrived) and not self._writer.is_full:
            self._due = output.event.eseq
            self.stored += 1
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(SYNC_S, self._store)

    def _store(self) -> None:
        self._timer = None
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._bench.acknowledge(self._due)


def write_frames(path: Path, records: Sequence[Captured], codec: AnyCodec, profile: str) -> None:
    """Write a capture's frames to a new file, one a record: what one read carried may be half a frame or three.

    Raises:
        TechnicianError: the file exists already, or cannot be written.
    """
    device = records[0].device if records else "device"
    most_bytes = sum(len(record.content) + FRAME_BYTES for record in records) * 2 + FRAME_BYTES
    with open_capture(path) as stream:
        writer = CaptureWriter(stream, device, profile=profile, most_bytes=most_bytes)
        for frame in frames_of(records, codec):
            writer.write(frame.way, frame.content, frame.at_s)

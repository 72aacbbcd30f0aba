"""COBS frames out of a byte stream, and into one (SDP/1 1.2). Sans-I/O: bytes and time in, frames and faults out.

Which rubbish can occur and how the framer gets back in step:

- Noise between frames, a frame cut short, two frames run together: the run between two zeros does not decode or its
  checksum is wrong. It costs that run, and the next zero starts afresh, because a zero occurs nowhere inside a frame.
- A run without any zero: held up to `run_max` bytes, then everything up to the next zero is discarded unseen.
- A sender that stops inside a frame: on lines that do not pause by themselves (UART, bus) the begun frame is discarded
  when more than `silence_s` passed since its last byte, and with it what follows up to the next zero.

So memory is bounded by `run_max`, nothing that was searched is searched again, and a damaged frame costs at most itself
and, where its closing zero is lost, the frame that shares the run with it. Frames come out without their checksum.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from cobs import cobs

from device_profiles.schema import Framing
from firmware_bridge.checksum import CHECKSUMS_16, Checksum

CRC_SIZE: Final = 2
DELIMITER: Final = b"\0"


class FrameFault(Enum):
    """Why a run between two zeros is not a frame."""

    COBS = "cobs"
    CRC = "crc"
    OVERSIZE = "oversize"
    SHORT = "short"
    SILENCE = "silence"


def encode_frame(frame: bytes, checksum: Checksum) -> bytes:
    """Return the bytes on the wire of a link frame given without its checksum."""
    whole: bytes = cobs.encode(frame + checksum(frame).to_bytes(CRC_SIZE, "big"))
    return DELIMITER + whole + DELIMITER


class CobsFramer:
    """Collects bytes and yields what each run between zeros was. One for each direction of each connection."""

    __slots__ = ("_checksum", "_framing", "_last_byte_s", "_partial", "_silence_s", "_skipping", "is_idle")

    def __init__(self, framing: Framing, *, pauses: bool) -> None:
        """`pauses`: the transport may pause inside a frame (TCP, USB), so silence means nothing."""
        self._framing = framing
        self._checksum = CHECKSUMS_16[framing.crc]
        self._silence_s = None if pauses else framing.silence_s
        self._partial = b""
        self._skipping = False
        self._last_byte_s = 0.0
        self.is_idle = True
        """Whether no frame is begun and none is being skipped."""

    def reset(self) -> None:
        """Forget a begun frame: the connection is a new one."""
        self._partial = b""
        self._skipping = False
        self.is_idle = True

    @property
    def held(self) -> int:
        """Bytes held of a begun frame."""
        return len(self._partial)

    def feed(self, content: bytes, now: float) -> list[bytes | FrameFault]:
        """Return the frames and faults that `content` completes, in order."""
        found: list[bytes | FrameFault] = []
        if not content:
            return found
        if self._partial and self._silence_s is not None and now - self._last_byte_s > self._silence_s:
            self._partial = b""
            self._skipping = True
            found.append(FrameFault.SILENCE)
        self._last_byte_s = now
        runs = content.split(DELIMITER)
        runs[0] = self._partial + runs[0]
        partial = runs.pop()
        if runs and self._skipping:
            runs[0] = b""
            self._skipping = False
        found += [self._decode(run) for run in runs if run]
        if partial or self._partial:
            self._hold(partial, found)
        self.is_idle = not self._partial and not self._skipping
        return found

    def _hold(self, partial: bytes, found: list[bytes | FrameFault]) -> None:
        """Keep a begun run; give up one that is longer than any frame can be."""
        if self._skipping:
            partial = b""
        elif len(partial) > self._framing.run_max:
            partial = b""
            self._skipping = True
            found.append(FrameFault.OVERSIZE)
        self._partial = partial

    def _decode(self, run: bytes) -> bytes | FrameFault:
        if len(run) > self._framing.run_max:
            return FrameFault.OVERSIZE
        try:
            frame: bytes = cobs.decode(run)
        except cobs.DecodeError:
            return FrameFault.COBS
        size = len(frame)
        if size < self._framing.frame_min:
            return FrameFault.SHORT
        if size > self._framing.frame_max:
            return FrameFault.OVERSIZE
        body = frame[:-CRC_SIZE]
        if self._checksum(body) != (frame[-2] << 8 | frame[-1]):
            return FrameFault.CRC
        return body

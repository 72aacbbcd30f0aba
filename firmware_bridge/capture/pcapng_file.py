"""What went over a line, in pcapng files that any analyser opens: written as it happens, read back piece by piece.

A record is what one read or write carried, with the time and the direction; a device is an interface of the file. Bytes are kept as they
were on the line: in a sealed session cards stay sealed, on an open line a capture tells them, and its file says so in its comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from pcapng import FileScanner, FileWriter, blocks
from pcapng.exceptions import PcapngException, TruncatedFile

from device_profiles.plain.frames import Way
from firmware_bridge.errors import BridgeError

LINKTYPE_USER0: Final = 147
"""The link type that is free for private use; the dissector of a profile is registered for it."""
SNAP_LENGTH: Final = 65_535
_IN, _OUT = 1, 2
_MICROSECONDS: Final = 1_000_000
OPEN_LINE: Final = "bytes as they were on the line; where the session is not sealed they tell cards"


class CaptureError(BridgeError):
    """A capture cannot be written or read. `what` says what happened, `do` what to do."""

    code = "capture"

    def __init__(self, what: str, do: str) -> None:
        super().__init__(f"{what}; {do}")
        self.what, self.do = what, do


class Captured(msgspec.Struct, frozen=True):
    """Bytes of one direction. `at_s` is unix time in seconds."""

    device: str
    way: Way
    at_s: float
    content: bytes


class CaptureWriter:
    """Writes one file; every record is handed to the system before `write` returns. Stops at `most_bytes`, and says so."""

    def __init__(self, stream: BinaryIO, device: str, *, profile: str, most_bytes: int) -> None:
        self._stream, self._most = stream, most_bytes
        self._header = blocks.SectionHeader(options={"shb_userappl": "shoed", "opt_comment": f"profile {profile}: {OPEN_LINE}"})
        self._interface = self._header.new_member(
            blocks.InterfaceDescription, link_type=LINKTYPE_USER0, snaplen=SNAP_LENGTH, options={"if_name": device}
        )
        self._writer = FileWriter(stream, self._header)
        self.is_full = False
        self.records = 0

    def write(self, way: Way, content: bytes, at_s: float) -> None:
        """Append bytes; longer ones than a record holds become several."""
        for begin in range(0, len(content), SNAP_LENGTH):
            part = content[begin : begin + SNAP_LENGTH]
            if self._stream.tell() + len(part) > self._most:
                self.is_full = True
                return
            block = self._header.new_member(blocks.EnhancedPacket, interface_id=0, packet_data=part)
            block.options["epb_flags"] = _IN if way is Way.IN else _OUT
            ticks = int(at_s * _MICROSECONDS)
            block.timestamp_high, block.timestamp_low = ticks >> 32, ticks & 0xFFFFFFFF
            self._writer.write_block(block)
            self.records += 1
        self._stream.flush()


def read_capture(path: Path) -> Iterator[Captured]:
    """Return what a capture holds, in order; one whose last record was cut off by a crash ends before it.

    Raises:
        CaptureError: it cannot be read, or is no capture.
    """
    try:
        with path.open("rb") as stream:
            yield from _records(stream)
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}", "name a capture's file") from error


def _records(stream: BinaryIO) -> Iterator[Captured]:
    first = True
    scanner = iter(FileScanner(stream))
    while True:
        try:
            block = next(scanner, None)
        except TruncatedFile as error:
            if first:
                raise CaptureError("this is no capture", "name a pcapng file") from error
            return
        except (PcapngException, ValueError, AssertionError, KeyError, EOFError) as error:
            raise CaptureError("this is no capture, or it is damaged", "name a pcapng file") from error
        if block is None:
            return
        first = False
        if isinstance(block, blocks.EnhancedPacket):
            flags = block.options.get("epb_flags")
            way = Way.OUT if flags is not None and getattr(flags, "inout", "") == "outbound" else Way.IN
            name = str(block.interface.options.get("if_name", "device"))
            yield Captured(name, way, float(block.timestamp), bytes(block.packet_data))

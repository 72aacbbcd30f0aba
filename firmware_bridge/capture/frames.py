"""A capture of bytes as a capture of frames: what one read carried may be half a frame or three, and an analyser wants them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import Captured
from firmware_bridge.codec import Codec
from firmware_bridge.framing import CobsFramer
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame


class _Cutter(Protocol):
    """Cuts one direction of one line."""

    def cut(self, content: bytes, at_s: float) -> Iterator[bytes]: ...


class _PlainCutter:
    def __init__(self, codec: PlainCodec, way: Way) -> None:
        self._framer = codec.framer(way, pauses=True)

    def cut(self, content: bytes, at_s: float) -> Iterator[bytes]:
        for item in self._framer.feed(content, at_s):
            if isinstance(item, PlainFrame):
                yield item.content


class _CobsCutter:
    """Frames of SDP/1, unstuffed and without the checksum that they had."""

    def __init__(self, codec: Codec) -> None:
        self._framer = CobsFramer(codec.profile.framing, pauses=True)

    def cut(self, content: bytes, at_s: float) -> Iterator[bytes]:
        for item in self._framer.feed(content, at_s):
            if isinstance(item, bytes):
                yield item


def frames_of(records: Iterable[Captured], codec: Codec | PlainCodec) -> Iterator[Captured]:
    """Return the whole frames of both directions, each at the time of its last byte; what was no frame is left out."""
    cutters: dict[tuple[str, Way], _Cutter] = {}
    for record in records:
        key = record.device, record.way
        if key not in cutters:
            cutters[key] = _PlainCutter(codec, record.way) if isinstance(codec, PlainCodec) else _CobsCutter(codec)
        for content in cutters[key].cut(record.content, record.at_s):
            yield msgspec.structs.replace(record, content=content)

"""What the frames of one device say.

A frame that says the same as the one before it is not read again: a line that floods with one card costs a comparison, and an answer that
is looked at twice is read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from device_profiles.errors import FieldError
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.plain.heard import PlainHeard


class FrameReader:
    """Reads frames by the messages that the device says; `cards` is the table's own map of tags to cards."""

    __slots__ = ("_cards", "_codec", "_frame", "_heard")

    def __init__(self, codec: PlainCodec, cards: Mapping[str, str]) -> None:
        self._codec, self._cards = codec, cards
        self._frame: PlainFrame | None = None
        self._heard: PlainHeard | None = None

    def read(self, frame: PlainFrame) -> PlainHeard | None:
        """What a frame says; None when no message fits. Raises FieldError: a field of it cannot be read."""
        if frame != self._frame:
            self._heard = self._codec.read(frame, self._cards)
            self._frame = frame
        return self._heard

    def maybe_read(self, frame: PlainFrame) -> PlainHeard | None:
        """The same for somebody who need not know why one cannot be read."""
        with suppress(FieldError):
            return self.read(frame)
        return None

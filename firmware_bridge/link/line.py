"""What the link must know of the line below it: how long a frame takes, and whether the line pauses by itself."""

from __future__ import annotations

import msgspec

from firmware_bridge.link.limits import (
    BAUD_OF_STREAMS,
    BITS_PER_BYTE,
    BODY_MAX,
    T1_BASE_S,
    T1_FRAMES,
    WIRE_OVERHEAD,
)


class Line(msgspec.Struct, frozen=True):
    """Make one with `Line.serial` or `Line.stream`."""

    baud: int
    pauses: bool
    """The transport may pause inside a frame (TCP, USB), and takes a time that the host cannot reckon from the bytes that it hands over."""
    sharers: int = 1
    """Devices on this line: more than one only on a bus, where each waits for its turn."""

    @classmethod
    def serial(cls, baud: int = 115_200, sharers: int = 1) -> Line:
        return cls(baud, pauses=False, sharers=sharers)

    @classmethod
    def stream(cls, baud: int = BAUD_OF_STREAMS, sharers: int = 1) -> Line:
        """With a rate of its own where a serial line is at the far end."""
        return cls(baud, pauses=True, sharers=sharers)

    @property
    def retry_s(self) -> float:
        """T1 of SDP/1 1.4."""
        return T1_BASE_S + T1_FRAMES * (BODY_MAX + WIRE_OVERHEAD) * BITS_PER_BYTE / self.baud

    def transmission_s(self, size: int) -> float:
        """How long `size` bytes are under way after they were handed over."""
        return 0.0 if self.pauses else size * BITS_PER_BYTE / self.baud

"""The short way for what comes all day: one whole, undamaged, unsealed event frame that is exactly the one due.

Everything else goes the full way (`HostPipe`, `LinkEnd.receive`, `EventStream.take`), and this file must do to the
session exactly what the full way would have done; a test sends the same streams both ways and compares. It answers
None, with nothing changed, whenever it is not sure: more or less than one frame in the read, a begun frame before it, a
wrong checksum, another kind of frame, a number that is not due, an answer that waits for a place in the window.
"""

from __future__ import annotations

from cobs import cobs

from device_profiles.errors import FieldError
from firmware_bridge.codec import Codec
from firmware_bridge.framing import CRC_SIZE, DELIMITER
from firmware_bridge.link.limits import HEADER_SIZE
from firmware_bridge.session.limits import EVENTS_UNACKNOWLEDGED_MAX
from firmware_bridge.session.outputs import EventArrived
from firmware_bridge.session.pipe import HostPipe
from firmware_bridge.session.stream import EventStream


class ExpressLane:
    """Belongs to one `HostSession`, which opens it while it runs without a seal."""

    __slots__ = (
        "_checksum", "_events", "_frame_max", "_frame_min", "_framer", "_intake", "_link", "_payload_at", "_readers", "is_open",
    )  # fmt: skip

    def __init__(self, codec: Codec, pipe: HostPipe, events: EventStream) -> None:
        self.is_open = False
        self._checksum = codec.checksum
        self._framer = pipe.framer
        self._link = pipe.link
        self._events = events
        self._intake = events.intake
        self._frame_min = max(codec.profile.framing.frame_min, HEADER_SIZE + codec.header_size + CRC_SIZE)
        self._frame_max = codec.profile.framing.frame_max
        self._payload_at = HEADER_SIZE + codec.header_size
        self._readers = codec.event_readers()

    def maybe_take(self, content: bytes, now: float) -> EventArrived | None:
        """Take one read from the wire, or leave it alone."""
        if not self.is_open or content[-1:] != DELIMITER or not self._framer.is_idle:
            return None
        try:
            frame: bytes = cobs.decode(content.strip(DELIMITER))
        except cobs.DecodeError:
            return None  # damaged, or more than one frame: a zero stands in none
        payload_at, checksum = self._payload_at, self._checksum  # what is not a method is called from a local: quicker by half
        read = self._readers.get(frame[HEADER_SIZE:payload_at])
        body = frame[:-CRC_SIZE]
        if read is None or checksum(body) != (frame[-2] << 8 | frame[-1]) or not self._frame_min <= len(frame) <= self._frame_max:
            return None
        intake, link = self._intake, self._link
        wanted = intake.wanted
        try:
            event = read(body, wanted <= intake.replayed_to, payload_at)
        except FieldError:
            return None
        if event.eseq != wanted or wanted - intake.durable > EVENTS_UNACKNOWLEDGED_MAX or not link.maybe_take_due(body, now):
            return None
        link.counters.bytes_in += len(content)
        intake.deliver(wanted, body[HEADER_SIZE:])
        events = self._events
        if events.gap_resumes or events.ack_due:
            events.took_due(now)
        return EventArrived(link.epoch, event)

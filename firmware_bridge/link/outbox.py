"""The sending half of a link end: messages into numbered frames, frames onto the wire, and all of them again.

DATA goes out as far as the window allows; each frame carries the acknowledgement of what has come in. T1 counts from
the end of transmission, which is reckoned from the line's speed (SDP/1 1.4). When to repeat is decided by `LinkEnd`.
"""

from __future__ import annotations

from abc import ABC

from firmware_bridge.checksum import Checksum
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.framing import encode_frame
from firmware_bridge.link.faults import LinkCounters
from firmware_bridge.link.frames import CTL_DATA, RTX, SEC
from firmware_bridge.link.limits import BODY_MAX, T1_MAX_S
from firmware_bridge.link.line import Line
from firmware_bridge.link.window import SendWindow
from firmware_bridge.seal import SEAL_OVERHEAD, Sealer


class Outbox(ABC):
    """What one end of a link sends."""

    __slots__ = (
        "_ack_at", "_address", "_byte_s", "_checksum", "_expected", "_headers_out", "_last_out", "_last_repeat", "_line_free_at", "_out",
        "_owed", "_retries", "_retry_at", "_sealer_out", "_t1_s", "_up", "_window", "body_limit", "counters", "last_sealed_out", "line",
    )  # fmt: skip
    # Slots, because an end has more attributes than the 30 that Python keeps in an object itself, and every frame reads a dozen.

    _address: int
    """The address that its frames carry."""
    _headers_out: tuple[bytes, ...]
    """The headers of its plain DATA."""
    _window: SendWindow
    _expected: int
    """The SEQ that is due from the other side: the acknowledgement of every frame."""
    _owed: int
    """Frames taken since the last acknowledgement left."""
    _ack_at: float | None
    _retry_at: float | None
    _retries: int
    _last_repeat: float
    _last_out: float
    _sealer_out: Sealer | None

    def __init__(self, checksum: Checksum, line: Line) -> None:
        self.line = line
        self._t1_s = line.retry_s
        self._byte_s = line.transmission_s(1)
        self.counters = LinkCounters()
        self.body_limit = BODY_MAX
        self.last_sealed_out = 0.0
        """When sealed DATA last left."""
        self._checksum = checksum
        self._out = b""
        self._line_free_at = 0.0
        self._up = False

    @property
    def is_up(self) -> bool:
        return self._up

    @property
    def has_room(self) -> bool:
        """Tell whether a message would go out at once."""
        window = self._window
        return not window.waiting and len(window.flights) < window.size

    @property
    def is_idle(self) -> bool:
        """Tell whether everything sent has been acknowledged."""
        return not self._window.flights and not self._window.waiting

    @property
    def seals(self) -> bool:
        """Tell whether what is sent now is sealed."""
        return self._sealer_out is not None

    @property
    def message_limit(self) -> int:
        """The longest message that may be sent now."""
        return self.body_limit - (SEAL_OVERHEAD if self._sealer_out is not None else 0)

    def bytes_to_send(self) -> bytes:
        """Return what is to go on the wire, and forget it."""
        out = self._out
        if out:
            self._out = b""
            self.counters.bytes_out += len(out)
        return out

    def unsay(self) -> None:
        """Forget what has not gone on the wire."""
        self._out = b""

    def send(self, message: bytes, now: float) -> None:
        """Hand over a message for the other side.

        Raises:
            NotReadyError: the link is down, or too many messages wait.
            MisuseError: the message is longer than agreed.
        """
        if not self._up:
            raise NotReadyError("the link is down")
        if len(message) > self.message_limit:
            raise MisuseError(f"a message has at most {self.message_limit} bytes on this link")
        self._window.put(message, self._sealer_out)
        if self._may_send_data():
            self._pump(now)

    def _may_send_data(self) -> bool:
        return self._up

    def _pump(self, now: float) -> None:
        """Send what the window lets through."""
        while (waiting := self._window.maybe_next()) is not None:
            self._start(waiting.message, waiting.sealer, now)

    def _start(self, message: bytes, sealer: Sealer | None, now: float) -> None:
        """Put a message under way as the next frame."""
        ctl, body = CTL_DATA, message
        if sealer is not None:
            ctl |= SEC
            body = sealer.seal(ctl, self._address, body)
            self.last_sealed_out = now
        self._emit(ctl, self._window.start(ctl, body), body, now)
        if self._retry_at is None:
            self._retry_at = self._transmitted_at(now) + self._t1_s

    def _repeat(self, now: float) -> None:
        """Send the whole window again."""
        for flight in self._window.flights:
            self._emit(flight.ctl | RTX, flight.seq, flight.body, now)
            self.counters.retries += 1
            if flight.ctl & SEC:
                self.last_sealed_out = now
        self._last_repeat = now
        wait = min(self._t1_s * 2**self._retries, max(T1_MAX_S, self._t1_s))
        self._retry_at = self._transmitted_at(now) + wait

    def _emit(self, ctl: int, seq: int, body: bytes, now: float) -> None:
        """Send a frame that carries the acknowledgement."""
        self._ack_at = None
        self._owed = 0
        self._emit_raw(bytes((ctl, self._address, seq << 4 | self._expected)) + body, now)

    def _emit_raw(self, frame: bytes, now: float) -> None:
        wire = encode_frame(frame, self._checksum)
        self._out += wire
        self._last_out = now
        self.counters.frames_out += 1
        if self._byte_s:
            begins = max(now, self._line_free_at)
            self._line_free_at = begins + self._byte_s * len(wire)

    def _transmitted_at(self, now: float) -> float:
        """When everything handed over so far has left."""
        return max(now, self._line_free_at)

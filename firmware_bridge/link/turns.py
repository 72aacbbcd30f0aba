"""What both ends of a link on a bus (SDP/1 1.1) have in common: nobody speaks but in its turn.

The host owns the line. PING and RST give the addressed device a turn: within 5 ms up to three DATA frames, then the answer to PING, or
RSTACK, ends it. So DATA, retries and whatever else there is to say wait for the turn; a stand-alone acknowledgement is never needed, since
PING and its answer carry one. What is still unacknowledged when a turn ends is lost for certain and goes again in the next one. A damaged
frame names nobody for certain, so nobody asks for it again: NAK 1 and 4 are never sent.
"""

from __future__ import annotations

from firmware_bridge.framing import FrameFault
from firmware_bridge.link.end import LinkEnd
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.frames import NakReason
from firmware_bridge.link.limits import (
    BITS_PER_BYTE,
    BODY_MAX,
    NAK_REPEATS_MAX,
    RETRIES_MAX,
    TURN_BEGINS_S,
    TURN_DATA_MAX,
    TURN_LATENCY_S,
    TURN_LATENCY_STREAM_S,
    WIRE_OVERHEAD,
)
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Lost

_ANSWER_BYTES = WIRE_OVERHEAD + 8  # the longest end of a turn is RSTACK, with 8 bytes of body
_UNANSWERABLE = frozenset({NakReason.CHECKSUM, NakReason.TOO_LONG})


def answer_limit_s(line: Line) -> float:
    """Return how long the first byte of a turn may take."""
    return TURN_BEGINS_S + (TURN_LATENCY_STREAM_S if line.pauses else TURN_LATENCY_S)


def turn_limit_s(line: Line) -> float:
    """Return how long a whole turn may take."""
    size = TURN_DATA_MAX * (BODY_MAX + WIRE_OVERHEAD) + _ANSWER_BYTES
    return answer_limit_s(line) + size * BITS_PER_BYTE / line.baud


class TurnTaker(LinkEnd):
    """A link end that speaks in turns. Mixed in before `HostLink` or `DeviceLink`."""

    _turn: bool
    """Whether it is this end's turn, at this very moment."""
    _again: bool
    """Whether everything that is under way goes again in the next turn."""
    _refused: bool
    """Whether the other side had no buffer: what it refused goes again after T1, not in the next turn."""

    @property
    def has_room(self) -> bool:
        window = self._window
        return len(window.flights) + len(window.waiting) < window.size

    def damaged(self, fault: FrameFault, now: float) -> None:
        setattr(self.counters, fault.value, getattr(self.counters, fault.value) + 1)

    def _may_send_data(self) -> bool:
        return self._turn and super()._may_send_data()

    def _pump(self, now: float) -> None:
        if self._turn:
            super()._pump(now)

    def _repeat(self, now: float) -> None:
        if self._turn:
            super()._repeat(now)
        else:
            self._again = True

    def _nak(self, reason: NakReason, now: float) -> None:
        if reason not in _UNANSWERABLE:
            super()._nak(reason, now)

    def _receive_nak(self, reason: int, now: float) -> Lost | None:
        self._refused = reason == NakReason.NO_BUFFER
        return super()._receive_nak(reason, now)

    def _speak(self, now: float) -> Lost | None:
        """Say what is to be said in this turn but for its end: what was lost, then what waits. The loss of the link, when it is lost."""
        window = self._window
        if window.flights and self._retry_at is not None and now >= self._retry_at:
            if self._retries >= RETRIES_MAX:
                return self._lose(LossCause.RETRIES_SPENT, f"no acknowledgement after {RETRIES_MAX} retries", now)
            self._retries += 1
            self._again = True
        elif window.flights and self._again:
            self._nak_repeats += 1
            if self._nak_repeats > NAK_REPEATS_MAX:
                return self._lose(LossCause.RETRIES_SPENT, "the other side takes no frame", now)
        if self._again:
            self._again = False
            self._repeat(now)
        self._pump(now)
        return None

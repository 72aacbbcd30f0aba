"""The device's end of the link: it waits for RST, and says why it lost or left the link.

A device that starts or has lost its link sends RSTACK with the reason every 2 s, five times or until RST, and in answer
to any other frame at most once a second (SDP/1 1.4). RST empties everything; DATA goes out only after the host's first
PING or DATA, so that a repeated RST cannot split the numbering.
"""

from __future__ import annotations

from device_profiles.schema import Framing
from firmware_bridge.checksum import Checksum
from firmware_bridge.events import StartReason
from firmware_bridge.link.end import LinkEnd
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.frames import CTL_FAULT, CTL_RSTACK, Agreement, FaultReason, FrameKind, encode_agreement, maybe_offer
from firmware_bridge.link.limits import (
    BODY_MAX,
    RSTACK_ANSWER_INTERVAL_S,
    RSTACK_INTERVAL_S,
    RSTACK_TIMES,
    VERSION_HIGHEST,
    VERSION_LOWEST,
    WINDOW_MAX,
)
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import LinkNote, Lost, Reset

_NUMBERS = {reason: number for number, reason in enumerate(StartReason)}  # in the order of SDP/1 1.4


class DeviceLink(LinkEnd):
    """The device's end."""

    def __init__(self, framing: Framing, checksum: Checksum, line: Line, window: int = WINDOW_MAX) -> None:
        super().__init__(framing, checksum, line)
        self._own_window = window
        self._boot_count = 0
        self._reason = StartReason.POWER_ON
        self._running = False
        self._host_spoke = False
        self._calls_left = 0
        self._call_at: float | None = None
        self._last_call = float("-inf")

    def start(self, reason: StartReason, boot_count: int, now: float) -> None:
        """The device is on: call the host."""
        self._running = True
        self._boot_count = boot_count
        self._call(reason, now)

    def stop(self) -> None:
        """The device is off: nothing is said or heard."""
        self._running = False
        self._up = False
        self._call_at = None
        self._clear(self._own_window, 0.0)
        self._out = b""

    def drop(self, reason: FaultReason, cause: LossCause, detail: str, now: float) -> Lost:
        """Drop the link with FAULT."""
        if self._up:
            self._emit(CTL_FAULT, 0, bytes((reason,)), now)
        return self._lose(cause, detail, now)

    def fail(self, cause: LossCause, detail: str, now: float) -> Lost:
        """The owner takes the link for lost."""
        return self._lose(cause, detail, now)

    def _call(self, reason: StartReason, now: float) -> None:
        self._up = False
        self._reason = reason
        self._calls_left = RSTACK_TIMES
        self._send_call(now)

    def _send_call(self, now: float) -> None:
        self._calls_left -= 1
        self._call_at = now + RSTACK_INTERVAL_S if self._calls_left > 0 else None
        self._send_rstack(0, self._own_window, BODY_MAX, self._reason, VERSION_HIGHEST, now)
        self._last_call = now

    def _send_rstack(self, token: int, window: int, body_limit: int, reason: StartReason, version: int, now: float) -> None:
        agreement = Agreement(version, window, body_limit, _NUMBERS[reason], self._boot_count)
        self._emit_raw(bytes((CTL_RSTACK, self._address, token)) + encode_agreement(agreement), now)

    def _receive_reset(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        offer = maybe_offer(frame) if kind is FrameKind.RST else None
        if offer is None:
            return self._bad_frame()
        if not self._running:
            return None
        window = min(offer.window, self._own_window)
        body_limit = min(offer.body_limit, BODY_MAX)
        version = min(offer.highest, VERSION_HIGHEST)
        if version < max(offer.lowest, VERSION_LOWEST):
            self._send_rstack(frame[2], window, body_limit, StartReason.ANSWER, 0, now)
            return None
        self.counters.resets += 1
        self._clear(window, now)
        self.body_limit = body_limit
        self._up = True
        self._host_spoke = False
        self._call_at = None
        self._send_rstack(frame[2], window, body_limit, StartReason.ANSWER, version, now)
        return Reset()

    def _accepts(self, kind: FrameKind, now: float) -> bool:
        if not self._running:
            return False
        if not self._up:
            if now - self._last_call >= RSTACK_ANSWER_INTERVAL_S:
                self._send_rstack(0, self._own_window, BODY_MAX, self._reason, VERSION_HIGHEST, now)
                self._last_call = now
            return False
        if not self._host_spoke and kind in (FrameKind.PING, FrameKind.DATA):
            self._host_spoke = True
            self._pump(now)  # nothing could go before
        return True

    def _may_send_data(self) -> bool:
        return self._up and self._host_spoke

    def _tick_down(self, now: float) -> LinkNote | None:
        if self._call_at is not None and now >= self._call_at:
            self._send_call(now)
        return None

    def _next_deadline_down(self) -> float | None:
        return self._call_at

    def _lose(self, cause: LossCause, detail: str, now: float, reason: StartReason | None = None) -> Lost:
        self._clear(self._own_window, now)
        self._call(reason or StartReason.LINK_FAULT, now)
        return Lost(cause, detail, reason)

    def _seal_violation(self, *, sealed: bool, now: float) -> LinkNote:
        reason = FaultReason.SEALED_WITHOUT_SESSION if sealed else FaultReason.UNSEALED_IN_SESSION
        return self.drop(reason, LossCause.WRONG_SEAL, reason.name.lower().replace("_", " "), now)

    def _seals_spent(self, now: float) -> LinkNote:
        return self.drop(FaultReason.BAD_TAGS, LossCause.BAD_SEALS, "three bad seals within 10 s", now)

    def _receive_fault(self, frame: bytes, now: float) -> LinkNote | None:
        return self._bad_frame()  # only a device drops the link with FAULT

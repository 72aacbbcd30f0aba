"""The host's end of the link: it sends RST until the device answers, and again whenever the link is lost.

Every RST carries a token that the last 254 did not, and the link is up when RSTACK with reason 0 and the token of the
latest RST comes; all before it is dropped (SDP/1 1.4), so an answer of an older epoch cannot bring it up. After a loss
the first RST goes at once, later ones after 1, 2, 4, 8 and then every 15 s (1.8), and this series starts over only when
the owner says that the connection has settled: a device that comes up and falls again does not make a storm.

RSTACK that nobody asked for says that the device started or lost the link: the link is lost. While RST is out, a device
that started is asked again soon, because the last RST may have come too early for it.
"""

from __future__ import annotations

from typing import ClassVar

from cobs import cobs

from device_profiles.schema import Framing
from firmware_bridge.checksum import Checksum
from firmware_bridge.events import StartReason
from firmware_bridge.framing import CRC_SIZE
from firmware_bridge.link.end import LinkEnd
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.frames import (
    CTL_DATA,
    CTL_RST,
    Agreement,
    FaultReason,
    FrameKind,
    Offer,
    encode_offer,
    maybe_agreement,
)
from firmware_bridge.link.limits import (
    BODY_MAX,
    HEADER_SIZE,
    RST_BACKOFF_S,
    SEQ_MODULO,
    VERSION_HIGHEST,
    VERSION_LOWEST,
    WINDOW_MAX,
)
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Bad, LinkNote, Lost, NoCommonVersion, Up
from firmware_bridge.link.window import Flight

_REASONS = dict(enumerate(StartReason))  # the enum lists them in the order of SDP/1 1.4


class HostLink(LinkEnd):
    """The host's end."""

    window_offered: ClassVar[int] = WINDOW_MAX

    __slots__ = ("_attempt", "_rst_at", "_rst_sent_at", "_token", "epoch")

    def __init__(self, framing: Framing, checksum: Checksum, line: Line, first_token: int) -> None:
        """`first_token` is a random byte, so that a host started again does not repeat its predecessor's tokens."""
        super().__init__(framing, checksum, line)
        self.epoch = 0
        """How often the link came up."""
        self._token = first_token
        self._attempt = 0
        self._rst_at: float | None = None
        self._rst_sent_at: float | None = None

    def open(self, now: float) -> None:
        """The transport is open: begin with RST at once."""
        self._up = False
        self._attempt = 0
        self._out = b""
        self._send_rst(now)

    def shut(self) -> None:
        """Say and take nothing more until `open`; what was said may still go on the wire."""
        self._up = False
        self._rst_at = self._rst_sent_at = None
        self._clear(WINDOW_MAX, 0.0)

    def settle(self) -> None:
        """The connection is good: after the next loss, RST goes at once again."""
        self._attempt = 0

    def fail(self, cause: LossCause, detail: str, now: float) -> Lost:
        """The owner gives this connection up; RST follows as after any loss."""
        return self._lose(cause, detail, now)

    def maybe_send(self, message: bytes, now: float) -> bool:
        """Send a message if it can go out at once; else nothing has changed.

        Plain DATA, which carries every acknowledgement of an event, takes no detour here: `_start`, `_emit`,
        `_emit_raw` and `encode_frame` written out in their order.
        """
        window = self._window
        if not self._up or window.waiting or len(window.flights) >= window.size:
            return False
        if self._sealer_out is not None:
            if len(message) > self.message_limit:
                return False
            self._start(message, self._sealer_out, now)
            return True
        if len(message) > self.body_limit:
            return False
        seq = window.next_seq
        window.next_seq = (seq + 1) % SEQ_MODULO
        window.flights.append(Flight(seq, CTL_DATA, message))
        frame, checksum = self._headers_out[seq << 4 | self._expected] + message, self._checksum
        wire: bytes = b"\0%b\0" % cobs.encode(frame + checksum(frame).to_bytes(CRC_SIZE, "big"))
        self._out += wire
        self._ack_at = None
        self._owed = 0
        self._last_out = now
        self.counters.frames_out += 1
        self._line_free_at = free_at = max(now, self._line_free_at) + self._byte_s * len(wire)
        if self._retry_at is None:
            self._retry_at = free_at + self._t1_s
        return True

    def _send_rst(self, now: float) -> None:
        self._token = self._token % 0xFF + 1  # 1..255: 0 stands in RSTACK that nobody asked for
        self._clear(self.window_offered, now)
        offer = Offer(VERSION_LOWEST, VERSION_HIGHEST, self.window_offered, BODY_MAX)
        self._emit_raw(bytes((CTL_RST, self._address, self._token)) + encode_offer(offer), now)
        self.counters.resets += 1
        self._rst_sent_at = now
        self._rst_at = now + RST_BACKOFF_S[min(self._attempt, len(RST_BACKOFF_S) - 1)]
        self._attempt += 1

    def _receive_reset(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        agreement = maybe_agreement(frame) if kind is FrameKind.RSTACK else None
        if agreement is None:
            return self._bad_frame()
        token = frame[2]
        if agreement.reason != 0:
            return self._receive_unasked(agreement, now) if token == 0 else Bad(FaultKind.BAD_FRAME)
        if self._up or self._rst_sent_at is None or token != self._token:
            return None  # the answer to an older RST, or the same answer twice
        if agreement.version == 0:
            self.shut()
            return NoCommonVersion()
        if not VERSION_LOWEST <= agreement.version <= VERSION_HIGHEST:
            return self._bad_frame()
        self._clear(min(agreement.window, self.window_offered), now)
        self.body_limit = agreement.body_limit
        self._up = True
        self.epoch += 1
        self._rst_at = None
        return Up(agreement.boot_count)

    def _receive_unasked(self, agreement: Agreement, now: float) -> LinkNote | None:
        """The device started by itself or lost its link."""
        reason = _REASONS.get(agreement.reason, StartReason.UNKNOWN)
        if self._up:
            return self._lose(LossCause.DEVICE_STARTED, f"the device says: {reason.value}", now, reason)
        if reason is not StartReason.LINK_FAULT and self._rst_sent_at is not None and self._rst_at is not None:
            # Our RST may have come before it was listening. Not at once: its RSTACK and our RST may have crossed.
            self._rst_at = min(self._rst_at, max(now, self._rst_sent_at + self.line.retry_s))
        return None

    def _accepts(self, kind: FrameKind, now: float) -> bool:
        return self._up

    def _tick_down(self, now: float) -> LinkNote | None:
        if self._rst_at is not None and now >= self._rst_at:
            self._send_rst(now)
        return None

    def _next_deadline_down(self) -> float | None:
        return self._rst_at

    def _lose(self, cause: LossCause, detail: str, now: float, reason: StartReason | None = None) -> Lost:
        self._up = False
        self._clear(WINDOW_MAX, now)
        if self._attempt == 0:
            self._send_rst(now)
        else:
            self._rst_at = now + RST_BACKOFF_S[min(self._attempt - 1, len(RST_BACKOFF_S) - 1)]
        return Lost(cause, detail, reason)

    def _seal_violation(self, *, sealed: bool, now: float) -> LinkNote:
        told = "sealed DATA without a session" if sealed else "unsealed DATA in a session"
        return self._lose(LossCause.WRONG_SEAL, told, now)

    def _seals_spent(self, now: float) -> LinkNote:
        return self._lose(LossCause.BAD_SEALS, "three bad seals within 10 s", now)

    def _receive_fault(self, frame: bytes, now: float) -> LinkNote | None:
        number = frame[HEADER_SIZE]
        known = FaultReason._value2member_map_.get(number)
        told = FaultReason(number).name.lower().replace("_", " ") if known is not None else f"fault {number}"
        return self._lose(LossCause.DEVICE_FAULT, f"the device dropped the link: {told}", now)

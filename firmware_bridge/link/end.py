"""What both ends of an SDP/1 link have in common (1.3, 1.4, 1.8): numbered DATA, acknowledgement, retry, heartbeat.

Frames come in without their checksum and already checked; bytes for the wire go out through `bytes_to_send`. Time is an
argument everywhere. A frame in yields at most one result: the message of an accepted DATA frame, or a value that tells
what happened to the link, or nothing.

Order of checks for DATA: address, kind, SEQ, seal. Only the expected SEQ with a good seal is taken and moves ACK, so a
forged frame uses up no number. The 8 SEQ before it are duplicates: not opened, acknowledged again. Anything else is a
gap: one NAK, then none until the expected frame comes.

How the link comes up and what its loss means differ: `HostLink` and `DeviceLink`.
"""

from __future__ import annotations

from abc import abstractmethod

from device_profiles.schema import Framing
from firmware_bridge.checksum import Checksum
from firmware_bridge.events import StartReason
from firmware_bridge.framing import FrameFault
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.frames import CTL_ACK, CTL_NAK, CTL_PING, POINT_TO_POINT, SEC, FrameKind, NakReason, data_headers, kind_of
from firmware_bridge.link.limits import (
    ACK_DELAY_S,
    BAD_SEALS_MAX,
    BAD_SEALS_WITHIN_S,
    DUPLICATES_BEHIND,
    HEADER_SIZE,
    HEARTBEAT_S,
    NAK_REPEATS_MAX,
    PING_ANSWER,
    QUEUE_MAX,
    RETRIES_MAX,
    SEQ_MODULO,
    SILENCE_S,
    WINDOW_MAX,
)
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Bad, LinkNote, Lost
from firmware_bridge.link.outbox import Outbox
from firmware_bridge.link.window import SendWindow
from firmware_bridge.seal import Sealer

_DATA, _ACK, _NAK, _RST, _RSTACK, _PING, _FAULT = FrameKind


class LinkEnd(Outbox):
    """One end of a link: `HostLink` or `DeviceLink`."""

    __slots__ = (
        "_address_in", "_bad_seals", "_headers_in", "_last_valid_in", "_nak_repeats", "_nak_sent", "_ping_token", "_sealer_in",
        "_window_in",
    )  # fmt: skip

    _address_in: int
    """The address that frames for this end carry; that of its own frames differs only on a bus."""
    _headers_in: tuple[bytes, ...]
    """The headers of plain DATA for this end."""
    _window_in: int
    """How many frames the other side may have under way."""
    _nak_repeats: int
    _nak_sent: bool
    _last_valid_in: float
    _ping_token: int
    _sealer_in: Sealer | None
    _bad_seals: list[float]

    def __init__(self, framing: Framing, checksum: Checksum, line: Line) -> None:
        super().__init__(checksum, line)
        self._use_addresses(POINT_TO_POINT, POINT_TO_POINT)
        self._clear(WINDOW_MAX, 0.0)

    def _use_addresses(self, heard: int, said: int) -> None:
        """Frames for this end carry the first address, its own the second."""
        self._address_in, self._address = heard, said
        self._headers_in, self._headers_out = data_headers(heard), data_headers(said)

    def next_numbers(self) -> tuple[int, int]:
        """Return the SEQ of the next DATA frame to be sent, and the one expected from the other side."""
        return self._window.next_seq, self._expected

    def use_seal(self, sealer: Sealer | None, now: float) -> None:
        """Seal from the next message handed over, and take only sealed DATA from the next frame; None: neither."""
        self._sealer_in = self._sealer_out = sealer
        self._last_valid_in = now
        self.last_sealed_out = now
        self._bad_seals.clear()

    def damaged(self, fault: FrameFault, now: float) -> None:
        """Take note of a run that is no frame: counted, and answered by one NAK (SDP/1 1.4, 1.12)."""
        setattr(self.counters, fault.value, getattr(self.counters, fault.value) + 1)
        if self._up:
            self._nak(NakReason.TOO_LONG if fault is FrameFault.OVERSIZE else NakReason.CHECKSUM, now)

    def receive(self, frame: bytes, now: float) -> bytes | LinkNote | None:
        """Take one frame; return the message of accepted DATA, what happened to the link, or nothing."""
        if frame[1] != self._address_in:
            self.counters.address += 1
            return Bad(FaultKind.ADDRESS)
        kind = kind_of(frame)
        if kind is None:
            return self._bad_frame()
        self.counters.frames_in += 1
        if kind is _RST or kind is _RSTACK:
            return self._receive_reset(kind, frame, now)
        if not self._accepts(kind, now):
            return None
        if kind is _DATA:
            return self._receive_data(frame, now)
        return self._receive_control(kind, frame, now)

    def maybe_take_due(self, frame: bytes, now: float) -> bool:
        """Take plain DATA that is exactly the frame expected, as `receive` would; else nothing has changed.

        For a link that is up and has no seal.
        """
        numbers, window = frame[2], self._window
        if window.waiting or numbers >> 4 != self._expected or not frame.startswith(self._headers_in[numbers]):
            return False
        self.counters.frames_in += 1
        self._last_valid_in = now
        self._expected = (self._expected + 1) % SEQ_MODULO
        self._nak_sent = False
        flights = window.flights
        if flights:
            if numbers & 0x0F == window.next_seq:
                flights.clear()
                self._retries = self._nak_repeats = 0
                self._retry_at = None
            else:
                self._take_ack(numbers & 0x0F, now)
        if self._ack_at is None and self._owed * 2 + 2 <= self._window_in:
            self._owed += 1
            self._ack_at = now + ACK_DELAY_S
        else:
            self._owe_ack(now)
        return True

    def tick(self, now: float) -> LinkNote | None:
        """Do what is due at `now`."""
        if not self._up:
            return self._tick_down(now)
        if now >= self._last_valid_in + SILENCE_S:
            return self._lose(LossCause.SILENCE, f"nothing {'sealed' if self._sealer_in else 'valid'} for 3 s", now)
        if self._retry_at is not None and now >= self._retry_at:
            if self._retries >= RETRIES_MAX:
                return self._lose(LossCause.RETRIES_SPENT, f"no acknowledgement after {RETRIES_MAX} retries", now)
            self._retries += 1
            self._repeat(now)
        if self._ack_at is not None and now >= self._ack_at:
            self._emit(CTL_ACK, 0, b"", now)
        if now >= self._last_out + HEARTBEAT_S:
            self._ping_token = (self._ping_token + 1) % PING_ANSWER
            self._emit(CTL_PING, 0, bytes((self._ping_token,)), now)
        return None

    def next_deadline(self) -> float | None:
        """Return when `tick` has something to do, None for never."""
        if not self._up:
            return self._next_deadline_down()
        deadline = min(self._last_out + HEARTBEAT_S, self._last_valid_in + SILENCE_S)
        if self._retry_at is not None and self._retry_at < deadline:
            deadline = self._retry_at
        if self._ack_at is not None and self._ack_at < deadline:
            deadline = self._ack_at
        return deadline

    # What the two ends do differently

    @abstractmethod
    def _receive_reset(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        """Take RST or RSTACK."""

    @abstractmethod
    def _accepts(self, kind: FrameKind, now: float) -> bool:
        """Tell whether a frame of this kind counts in the present state."""

    @abstractmethod
    def _tick_down(self, now: float) -> LinkNote | None:
        """Do what is due while the link is down."""

    @abstractmethod
    def _next_deadline_down(self) -> float | None:
        """Return when `_tick_down` has something to do."""

    @abstractmethod
    def _lose(self, cause: LossCause, detail: str, now: float, reason: StartReason | None = None) -> Lost:
        """Take the link for lost."""

    @abstractmethod
    def _seal_violation(self, *, sealed: bool, now: float) -> LinkNote:
        """DATA came sealed or unsealed, and should not have."""

    @abstractmethod
    def _seals_spent(self, now: float) -> LinkNote:
        """Three bad seals within 10 s."""

    @abstractmethod
    def _receive_fault(self, frame: bytes, now: float) -> LinkNote | None:
        """Take FAULT."""

    # Receiving

    def _bad_frame(self) -> Bad:
        self.counters.bad_frame += 1
        return Bad(FaultKind.BAD_FRAME)

    def _receive_data(self, frame: bytes, now: float) -> bytes | LinkNote | None:
        ctl, seq = frame[0], frame[2] >> 4
        if seq != self._expected:
            self._receive_unexpected(frame, seq, now)
            return None
        sealer = self._sealer_in
        if bool(ctl & SEC) != (sealer is not None):
            return self._seal_violation(sealed=bool(ctl & SEC), now=now)
        if len(self._window.waiting) >= QUEUE_MAX // 2:
            # The other side asks more than it lets be answered: nothing new until it acknowledges, which counts.
            self._take_ack(frame[2] & 0x0F, now)
            self._nak(NakReason.NO_BUFFER, now)
            return None
        message = frame[HEADER_SIZE:]
        if sealer is not None:
            opened = sealer.maybe_open(ctl, frame[1], message)
            if opened is None:
                return self._bad_seal(now)
            message = opened
        self._last_valid_in = now
        self._expected = (seq + 1) % SEQ_MODULO
        self._nak_sent = False
        self._take_ack(frame[2] & 0x0F, now)
        self._owe_ack(now)
        return message

    def _receive_unexpected(self, frame: bytes, seq: int, now: float) -> None:
        if self._sealer_in is None:
            self._last_valid_in = now
        self._take_ack(frame[2] & 0x0F, now)
        if 1 <= (self._expected - seq) % SEQ_MODULO <= DUPLICATES_BEHIND:
            self.counters.duplicates += 1
            self._owe_ack(now)
        else:
            self.counters.gaps += 1
            self._nak(NakReason.SEQUENCE_GAP, now)

    def _bad_seal(self, now: float) -> LinkNote:
        """Counted, otherwise as if the frame had not been received: no acknowledgement, no NAK."""
        self.counters.bad_tag += 1
        self._bad_seals = [*self._bad_seals[-(BAD_SEALS_MAX - 1) :], now]
        if len(self._bad_seals) == BAD_SEALS_MAX and now - self._bad_seals[0] <= BAD_SEALS_WITHIN_S:
            return self._seals_spent(now)
        return Bad(FaultKind.BAD_TAG)

    def _receive_control(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        body = frame[HEADER_SIZE:]
        if kind is not _ACK and not body:
            return self._bad_frame()
        if self._sealer_in is None:
            self._last_valid_in = now
        self._take_ack(frame[2] & 0x0F, now)
        if kind is _PING and body[0] < PING_ANSWER:
            self._emit(CTL_PING, 0, bytes((body[0] | PING_ANSWER,)), now)
        elif kind is _NAK:
            self.counters.naks_in += 1
            return self._receive_nak(body[0], now)
        elif kind is _FAULT:
            return self._receive_fault(frame, now)
        return None

    def _receive_nak(self, reason: int, now: float) -> Lost | None:
        """Repeat the window at once, but at most once per T1; for lack of a buffer only after T1."""
        if not self._window.flights:
            return None
        self._nak_repeats += 1
        if self._nak_repeats > NAK_REPEATS_MAX:
            return self._lose(LossCause.RETRIES_SPENT, "the other side refuses every frame", now)
        if reason == NakReason.NO_BUFFER:
            self._retry_at = now + self._t1_s
        elif now - self._last_repeat >= self._t1_s:
            self._repeat(now)
        return None

    def _take_ack(self, ack: int, now: float) -> None:
        if not self._window.acknowledge(ack):
            return
        self._retries = self._nak_repeats = 0
        self._retry_at = now + self._t1_s if self._window.flights else None
        if self._window.waiting and self._may_send_data():
            self._pump(now)

    def _owe_ack(self, now: float) -> None:
        """See to it that the frame just received is acknowledged: by what goes out next, or alone."""
        self._owed += 1
        if self._owed * 2 > self._window_in:
            self._ack_at = now  # half the window waits for this; the owner ticks before it sleeps
        elif self._ack_at is None:
            self._ack_at = now + ACK_DELAY_S

    def _clear(self, window: int, now: float) -> None:
        """Begin the numbering anew, with nothing under way and no seal."""
        self._window = SendWindow(window)
        self._window_in = window
        self._expected = 0
        self._owed = 0
        self._ack_at = None
        self._retry_at = None
        self._retries = 0
        self._nak_repeats = 0
        self._nak_sent = False
        self._last_repeat = float("-inf")
        self._last_valid_in = now
        self._last_out = now
        self._ping_token = 0
        self._sealer_in = None
        self._sealer_out = None
        self._bad_seals = []

    def _nak(self, reason: NakReason, now: float) -> None:
        if self._nak_sent:
            return
        self._nak_sent = True
        self.counters.naks_out += 1
        self._emit(CTL_NAK, 0, bytes((reason,)), now)

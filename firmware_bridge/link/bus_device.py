"""The device's end of the link on a bus: silent until it is asked, then brief.

RST is answered at once, PING ends a turn in which up to three DATA frames went before; FAULT and NAK wait for a turn as well. A device
whose link is down cannot call the host: it says RSTACK with its reason when it is asked, at most once a second. Frames for everybody
(address 7F) are heard and never answered.
"""

from __future__ import annotations

from device_profiles.schema import Framing
from firmware_bridge.checksum import Checksum
from firmware_bridge.events import StartReason
from firmware_bridge.link.device import DeviceLink
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.frames import BROADCAST, CTL_PING, FROM_DEVICE, POINT_TO_POINT, FrameKind, kind_of
from firmware_bridge.link.limits import (
    BODY_MAX,
    HEADER_SIZE,
    PING_ANSWER,
    RSTACK_ANSWER_INTERVAL_S,
    SILENCE_S,
    TURN_DATA_MAX,
    VERSION_HIGHEST,
)
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import LinkNote, Reset
from firmware_bridge.link.turns import TurnTaker

HELD_MAX = 4
"""Frames that wait for a turn besides DATA: a NAK and a FAULT, and the RSTACK of a loss."""


def device_link(framing: Framing, checksum: Checksum, line: Line, window: int, address: int) -> DeviceLink:
    """Return the device's end of a link: on a bus where it has an address."""
    if address == POINT_TO_POINT:
        return DeviceLink(framing, checksum, line, window)
    return BusDeviceLink(framing, checksum, line, address)


class BusDeviceLink(TurnTaker, DeviceLink):
    """The device's end on a bus. `address`: 1 to 7E."""

    def __init__(self, framing: Framing, checksum: Checksum, line: Line, address: int) -> None:
        self._turn = self._again = self._refused = False
        self._held: list[bytes] = []
        super().__init__(framing, checksum, line, TURN_DATA_MAX)
        self._use_addresses(heard=address, said=address | FROM_DEVICE)

    def stop(self) -> None:
        super().stop()
        self._held.clear()
        self._again = False

    def receive(self, frame: bytes, now: float) -> bytes | LinkNote | None:
        if frame[1] == BROADCAST:
            return self._receive_broadcast(kind_of(frame), now)
        return super().receive(frame, now) if frame[1] == self._address_in else None

    def tick(self, now: float) -> LinkNote | None:
        if self._up and now >= self._last_valid_in + SILENCE_S:
            return self._lose(LossCause.SILENCE, f"nothing {'sealed' if self._sealer_in else 'valid'} for 3 s", now)
        return None

    def next_deadline(self) -> float | None:
        return self._last_valid_in + SILENCE_S if self._up else None

    def _receive_broadcast(self, kind: FrameKind | None, now: float) -> LinkNote | None:
        if not self._running:
            return None
        if kind is FrameKind.PING and self._sealer_in is None:
            self._last_valid_in = now
        if kind is not FrameKind.RST:
            return None
        self.counters.resets += 1
        self._clear(self._own_window, now)
        self._held.clear()
        self._call(StartReason.LINK_FAULT, now)
        return Reset()

    def _receive_reset(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        self._held.clear()
        self._again = False
        self._turn = True
        try:
            return super()._receive_reset(kind, frame, now)
        finally:
            self._turn = False

    def _accepts(self, kind: FrameKind, now: float) -> bool:
        if not self._running:
            return False
        if self._up:
            self._host_spoke = self._host_spoke or kind in (FrameKind.PING, FrameKind.DATA)
            return True
        if kind is FrameKind.PING and now - self._last_call >= RSTACK_ANSWER_INTERVAL_S:
            self._last_call = now
            self._say_held(now)
            self._turn = True
            self._send_rstack(0, self._own_window, BODY_MAX, self._reason, VERSION_HIGHEST, now)
            self._turn = False
        return False

    def _receive_control(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        if kind is not FrameKind.PING:
            return super()._receive_control(kind, frame, now)
        if len(frame) <= HEADER_SIZE or frame[HEADER_SIZE] >= PING_ANSWER:
            return self._bad_frame()  # only a device answers
        if self._sealer_in is None:
            self._last_valid_in = now
        self._take_ack(frame[2] & 0x0F, now)
        # The host says everything before it asks: what it does not acknowledge now is lost.
        self._again = self._again or (bool(self._window.flights) and not self._refused)
        self._refused = False
        self._say_held(now)
        self._turn = True
        lost = self._speak(now)
        if lost is None:
            self._emit(CTL_PING, 0, bytes((frame[HEADER_SIZE] | PING_ANSWER,)), now)
        self._turn = False
        return lost

    def _call(self, reason: StartReason, now: float) -> None:
        """It cannot call: the next question is answered with the reason."""
        self._up = False
        self._reason = reason
        self._call_at = None
        self._last_call = float("-inf")

    def _emit_raw(self, frame: bytes, now: float) -> None:
        if self._turn:
            super()._emit_raw(frame, now)
        elif len(self._held) < HELD_MAX:
            self._held.append(frame)

    def _say_held(self, now: float) -> None:
        self._turn = True
        held, self._held = self._held, []
        for frame in held:
            self._emit_raw(frame, now)
        self._turn = False

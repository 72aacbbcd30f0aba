"""The host's end of the link to one device on a bus: it gives the device turns, and says everything just before one.

Whatever the host has to say to this device is put together when the device is given its turn: lost frames again, what waits, PING. That
bundle is handed over whole, and the next only when the turn is over: the device has answered, or its time is up. When the line is free for
the bundle is decided by `BusArbiter`, which all devices of the line share; the time limit here allows for the turns of the others.
"""

from __future__ import annotations

from typing import ClassVar

from device_profiles.schema import Framing
from firmware_bridge.checksum import Checksum
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.frames import CTL_PING, FROM_DEVICE, POINT_TO_POINT, FrameKind
from firmware_bridge.link.host import HostLink
from firmware_bridge.link.limits import HEADER_SIZE, PING_ANSWER, POLL_S, SILENCE_S, TURN_DATA_MAX
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import LinkNote, Lost
from firmware_bridge.link.turns import TurnTaker, turn_limit_s

_NOW = 0.0
"""As a deadline: already past."""


def host_link(framing: Framing, checksum: Checksum, line: Line, first_token: int, address: int) -> HostLink:
    """Return the host's end of a link: on a bus where the device has an address."""
    if address == POINT_TO_POINT:
        return HostLink(framing, checksum, line, first_token)
    return BusHostLink(framing, checksum, line, first_token, address)


class BusHostLink(TurnTaker, HostLink):
    """The host's end on a bus. `address`: 1 to 7E."""

    window_offered: ClassVar[int] = TURN_DATA_MAX

    def __init__(self, framing: Framing, checksum: Checksum, line: Line, first_token: int, address: int) -> None:
        super().__init__(framing, checksum, line, first_token)
        self._use_addresses(heard=address | FROM_DEVICE, said=address)
        self._turn_s = turn_limit_s(line) * line.sharers
        self._begin()

    def _begin(self) -> None:
        self._turn = self._again = self._refused = self._released = False
        self._came = False
        """Whether DATA came in the present turn: more may follow."""
        self._answer_by: float | None = None
        """When the device's turn is over without an end; None: it is over."""
        self._poll_at = _NOW

    def bytes_to_send(self) -> bytes:
        if not self._released:
            return b""
        self._released = False
        return super().bytes_to_send()

    def shut(self) -> None:
        super().shut()
        self._released = True  # a last word goes without a turn, since nobody waits for an answer

    def maybe_send(self, message: bytes, now: float) -> bool:
        if not self._up or not self.has_room or len(message) > self.message_limit:
            return False
        self._window.put(message, self._sealer_out)
        return True

    def maybe_take_due(self, frame: bytes, now: float) -> bool:
        if not super().maybe_take_due(frame, now):
            return False
        self._came = True
        return True

    def tick(self, now: float) -> LinkNote | None:
        if not self._up:
            return self._tick_down(now)
        if now >= self._last_valid_in + SILENCE_S:
            return self._lose(LossCause.SILENCE, f"nothing {'sealed' if self._sealer_in else 'valid'} for 3 s", now)
        if self._answer_by is not None and now >= self._answer_by:
            self._answer_by = None
        if self._answer_by is None and (self._has_words or now >= self._poll_at):
            return self._give_turn(now)
        return None

    def next_deadline(self) -> float | None:
        if not self._up:
            return self._next_deadline_down()
        due = self._answer_by if self._answer_by is not None else _NOW if self._has_words else self._poll_at
        return min(due, self._last_valid_in + SILENCE_S)

    @property
    def _has_words(self) -> bool:
        window = self._window
        return bool(self._out) or self._again or (bool(window.waiting) and len(window.flights) < window.size)

    def _give_turn(self, now: float) -> Lost | None:
        """Say everything, then ask; what comes until the answer is the device's turn."""
        self._turn = True
        lost = self._speak(now)
        self._turn = False
        if lost is not None:
            return lost
        self._came = self._refused = False
        self._ping_token = (self._ping_token + 1) % PING_ANSWER
        self._emit(CTL_PING, 0, bytes((self._ping_token,)), now)
        self._released = True
        self._answer_by = max(now, self._line_free_at) + self._turn_s
        self._poll_at = now + POLL_S
        return None

    def _send_rst(self, now: float) -> None:
        self._out = b""  # words of before: nobody is there for them
        self._begin()
        super()._send_rst(now)
        self._released = True

    def _receive_data(self, frame: bytes, now: float) -> bytes | LinkNote | None:
        self._came = True
        return super()._receive_data(frame, now)

    def _receive_control(self, kind: FrameKind, frame: bytes, now: float) -> LinkNote | None:
        if kind is not FrameKind.PING:
            return super()._receive_control(kind, frame, now)
        if len(frame) <= HEADER_SIZE or frame[HEADER_SIZE] < PING_ANSWER:
            return self._bad_frame()  # only the host asks
        note = super()._receive_control(kind, frame, now)
        if self._answer_by is not None and frame[HEADER_SIZE] == self._ping_token | PING_ANSWER:
            self._answer_by = None
            # The answer came after everything that was said before the question: what it does not acknowledge is lost.
            self._again = bool(self._window.flights) and not self._refused
            self._poll_at = now if self._came else now + POLL_S
        return note

    def receive(self, frame: bytes, now: float) -> bytes | LinkNote | None:
        if frame[1] != self._address_in:
            return None  # an echo of the host, or a device that shares the line
        return super().receive(frame, now)

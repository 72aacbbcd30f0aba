"""Whose turn it is on a bus (SDP/1 1.1), and whose a frame on it is. Sans-I/O: the host's sessions and the line meet here.

Each session hands over bundles that end with a frame that gives its device a turn. One bundle goes out at a time; the next waits until the
device has ended its turn, or has said nothing for so long that it will not. A device that talks on is cut off when a turn can last no
longer, so it delays the others by that much and no more. What waits goes in the order in which it came: no device is passed over.

Frames go to the session whose address they carry, also outside of a turn. What is damaged goes to the session whose turn it is, which
counts it. The host's own words (an echo), frames of nobody and noise between turns are counted and dropped.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from cobs import cobs

from device_profiles.schema import Framing
from firmware_bridge.checksum import CHECKSUMS_16
from firmware_bridge.framing import CRC_SIZE
from firmware_bridge.link.frames import CTL_PING, CTL_RST, CTL_RSTACK, FROM_DEVICE
from firmware_bridge.link.limits import HEADER_SIZE, PING_ANSWER
from firmware_bridge.link.line import Line
from firmware_bridge.link.turns import answer_limit_s, turn_limit_s

_DELIMITER: Final = b"\0"
WAITING_BYTES_MAX: Final = 8192
"""Of one device: many times what a session hands over for one turn. More means that the line is dead, and is dropped."""


@dataclass(slots=True)
class BusCounters:
    """What happened on one bus; numbers only grow."""

    turns: int = 0
    unanswered: int = 0
    """Turns in which the device said nothing."""
    overrun: int = 0
    """Turns that a device did not end in time."""
    echoes: int = 0
    stray: int = 0
    """Frames of unknown addresses, and noise between turns."""


class Routed(NamedTuple):
    """Bytes for the session of a device."""

    address: int
    wire: bytes


class BusArbiter:
    """One line and the addresses on it that have a session."""

    def __init__(self, framing: Framing, line: Line) -> None:
        self._framing, self._line = framing, line
        self._checksum = CHECKSUMS_16[framing.crc]
        self._waiting: dict[int, bytes] = {}
        self._order: deque[int] = deque()
        self._turn: int | None = None
        self._turn_ends_at = self._turn_limit_at = 0.0
        self._partial = b""
        self._skipping = False
        self._last_byte_s = 0.0
        self.counters = BusCounters()

    @property
    def turn(self) -> int | None:
        """The address whose turn it is."""
        return self._turn

    def reset(self) -> None:
        """The line is a new one."""
        self._waiting.clear()
        self._order.clear()
        self._turn = None
        self._partial = b""
        self._skipping = False

    def offer(self, address: int, bundle: bytes) -> None:
        """Let this go when the line is free."""
        waiting = self._waiting.get(address, b"")
        if not bundle or len(waiting) + len(bundle) > WAITING_BYTES_MAX:
            return
        self._waiting[address] = waiting + bundle
        if not waiting:
            self._order.append(address)

    def withdraw(self, address: int) -> bytes:
        """The device's session is over: its turn ends; return what it still had to say."""
        if self._turn == address:
            self._turn = None
        if address in self._order:
            self._order.remove(address)
        return self._waiting.pop(address, b"")

    def maybe_next(self, now: float) -> Routed | None:
        """Return what goes on the line now, and from whom; None while a turn is on, or nothing waits."""
        if self._turn is not None and now >= self._turn_ends_at:
            self._end_late()
        if self._turn is not None or not self._order:
            return None
        address = self._order.popleft()
        bundle = self._waiting.pop(address)
        if _gives_turn(bundle):
            said_at = now + self._line.transmission_s(len(bundle))
            self._turn = address
            self._turn_ends_at = said_at + answer_limit_s(self._line)
            self._turn_limit_at = said_at + turn_limit_s(self._line)
            self.counters.turns += 1
        return Routed(address, bundle)

    def next_deadline(self) -> float | None:
        """Return when `maybe_next` is to be asked again, None when bytes or an offer will say so."""
        return self._turn_ends_at if self._turn is not None else None

    def feed(self, content: bytes, now: float) -> list[Routed]:
        """Take bytes from the line; return whose they are, frame by frame."""
        if not content:
            return []
        if self._turn is not None:
            self._turn_ends_at = self._turn_limit_at  # it speaks: it may speak out
        if self._partial and not self._line.pauses and now - self._last_byte_s > self._framing.silence_s:
            self._partial, self._skipping = b"", True
        self._last_byte_s = now
        runs = (self._partial + content).split(_DELIMITER)
        if self._skipping and len(runs) > 1:
            runs[0], self._skipping = b"", False
        self._partial = b"" if self._skipping else runs.pop()
        if len(self._partial) > self._framing.run_max:
            self._partial, self._skipping = b"", True
            self.counters.stray += 1
        return [routed for run in runs if run and (routed := self._route(run)) is not None]

    def _route(self, run: bytes) -> Routed | None:
        address = self._maybe_sender(run)
        if address is None:
            if self._turn is None:
                self.counters.stray += 1
            return Routed(self._turn, _DELIMITER + run + _DELIMITER) if self._turn is not None else None
        if not address & FROM_DEVICE:
            self.counters.echoes += 1
            return None
        return Routed(address & ~FROM_DEVICE, _DELIMITER + run + _DELIMITER)

    def _maybe_sender(self, run: bytes) -> int | None:
        """Return the address byte of a good frame; note when it ends the present turn."""
        if len(run) > self._framing.run_max:
            return None
        try:
            frame: bytes = cobs.decode(run)
        except cobs.DecodeError:
            return None
        if len(frame) < HEADER_SIZE + CRC_SIZE or self._checksum(frame[:-CRC_SIZE]) != (frame[-2] << 8 | frame[-1]):
            return None
        address = frame[1]
        if self._turn is not None and address == self._turn | FROM_DEVICE and _ends_turn(frame):
            self._turn = None
        return address

    def _end_late(self) -> None:
        if self._turn_ends_at >= self._turn_limit_at:
            self.counters.overrun += 1
        else:
            self.counters.unanswered += 1
        self._turn = None


def is_bundle_for(address: int, bundle: bytes) -> bool:
    """Whether a host may say this on a bus to one device: frames, each of them for this address."""
    if not bundle.startswith(_DELIMITER) or not bundle.endswith(_DELIMITER):
        return False
    runs = [run for run in bundle.split(_DELIMITER) if run]
    try:
        frames = [cobs.decode(run) for run in runs]
    except cobs.DecodeError:
        return False
    return bool(frames) and all(len(frame) >= HEADER_SIZE + CRC_SIZE and frame[1] == address for frame in frames)


def _gives_turn(bundle: bytes) -> bool:
    last = bundle.rstrip(_DELIMITER).rpartition(_DELIMITER)[2]
    return cobs.decode(last)[0] in (CTL_PING, CTL_RST) if last else False


def _ends_turn(frame: bytes) -> bool:
    return frame[0] == CTL_RSTACK or (frame[0] == CTL_PING and frame[HEADER_SIZE] >= PING_ANSWER)

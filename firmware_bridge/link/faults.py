"""What can go wrong on a link, as closed sets, and the counts of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firmware_bridge.framing import FrameFault


class LossCause(Enum):
    """Why the link was lost; only RST brings it back (SDP/1 1.8)."""

    SILENCE = "silence"
    """Nothing valid (in a session: nothing sealed) for 3 s."""
    RETRIES_SPENT = "retries-spent"
    DEVICE_FAULT = "device-fault"
    """The device sent FAULT: it dropped the link itself."""
    DEVICE_STARTED = "device-started"
    """RSTACK nobody asked for: the device started or lost its link."""
    BAD_SEALS = "bad-seals"
    """Three seals in 10 s that did not open."""
    WRONG_SEAL = "wrong-seal"
    """Unsealed DATA in a session, or sealed DATA without one."""
    TRANSPORT_CLOSED = "transport-closed"
    COMMAND_UNANSWERED = "command-unanswered"
    """A command of the connect sequence got no good final response."""
    NO_EVENT_ACK = "no-event-ack"
    """The device's side: the host acknowledged no event for 5 s."""
    EVENT_GAP = "event-gap"
    """The gap in the event numbers stayed after EVENT_RESUME was repeated."""
    SESSION_EXPIRED = "session-expired"
    RESET = "reset"
    """The device's side: the host sent RST; everything begins again."""
    SESSION_ENDED = "session-ended"
    """The device's side: the host closed the session or began another; the link itself stays."""
    CLOSED = "closed"
    """Closed on purpose by this side."""


class FaultKind(Enum):
    """What was wrong on the line or with the device's word. Counted; the session goes on unless `LinkLost` follows."""

    COBS = "cobs"
    CRC = "crc"
    OVERSIZE = "oversize"
    SHORT = "short"
    SILENCE = "silence"
    ADDRESS = "address"
    BAD_FRAME = "bad-frame"
    """Unknown kind, reserved bit set, RTX or SEC outside DATA, malformed link body."""
    BAD_TAG = "bad-tag"
    """A seal that does not open, or a counter out of turn."""
    BAD_MESSAGE = "bad-message"
    """A message that its profile cannot read: too short, or of a class the sender may not use."""
    STALE_ANSWER = "stale-answer"
    """A response to no command that is waiting: late, or made up."""
    WRONG_ANSWER = "wrong-answer"
    """The tid of one command with the code of another."""
    EVENT_CHANGED = "event-changed"
    """The same eseq with other content: device exchanged or damaged. Alarm."""
    EVENT_FLOOD = "event-flood"
    """More than 8 unacknowledged events: the device breaks the rule. The surplus is not taken; it comes again."""
    BOOT_COUNT_BACK = "boot-count-back"
    """The boot count fell: device exchanged or damaged. Alarm."""
    UNFRAMED = "unframed"
    """Bytes that belong to no frame of a plain device's profile."""
    COPIES_MISSING = "copies-missing"
    """A plain device says everything several times, and a message came fewer times."""
    REFUSED_STEP = "refused-step"
    """The device refused a step of the connect sequence."""


FRAME_FAULT_KINDS: dict[FrameFault, FaultKind] = {fault: FaultKind(fault.value) for fault in FrameFault}


@dataclass(slots=True)
class LinkCounters:
    """What happened on one link since it was made; numbers only grow."""

    frames_in: int = 0
    frames_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    cobs: int = 0
    crc: int = 0
    oversize: int = 0
    short: int = 0
    silence: int = 0
    address: int = 0
    bad_frame: int = 0
    bad_tag: int = 0
    duplicates: int = 0
    gaps: int = 0
    retries: int = 0
    naks_in: int = 0
    naks_out: int = 0
    resets: int = 0

    @property
    def other(self) -> int:
        """What STATUS reports as other errors."""
        return self.short + self.silence + self.address + self.bad_frame + self.bad_tag

    @property
    def damaged(self) -> int:
        """Frames that the line spoiled."""
        return self.cobs + self.crc + self.oversize + self.short + self.silence

"""What the host's session tells its owner: values, one for each happening, in the order in which they happened.

`epoch` counts the resets of the link: whatever belongs to an older epoch than the newest `LinkUp` is history. Nothing
here carries a card except `EventArrived.event`, where it is sealed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import msgspec

from device_profiles.values import FieldValue
from firmware_bridge.events import DeviceEvent, StartReason, Status
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport


class LossCause(Enum):
    """Why the link was lost; only RST brings it back (SDP/1 1.8)."""

    SILENCE = "silence"
    """Nothing valid (in a session: nothing sealed) for 3 s."""
    RETRIES_SPENT = "retries-spent"
    DEVICE_FAULT = "device-fault"
    """The device sent FAULT: it dropped the link itself."""
    DEVICE_STARTED = "device-started"
    """RSTACK nobody asked for: the device started or lost its link."""
    SEAL_BROKEN = "seal-broken"
    """Three bad seals in 10 s, or an unsealed frame in a session."""
    TRANSPORT_CLOSED = "transport-closed"
    DEVICE_SILENT = "command-unanswered"
    """A command of the connect sequence got no final response."""
    NO_EVENT_ACK = "no-event-ack"
    """The device's side of the same: the host acknowledged no event for 5 s."""
    RESET = "reset"
    """The device's side: the host sent RST, a new session begins from nothing."""
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
    WRONG_SEAL_STATE = "wrong-seal-state"
    """Unsealed in a session or sealed without one."""
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
    REFUSED_STEP = "refused-step"
    """The device refused a step of the connect sequence."""


class RefusalKind(Enum):
    """Why the session will not speak to this device again until its owner opens it anew."""

    IDENTITY = "identity"
    """The serial number is not the registered one."""
    KEY = "key"
    """The device's proof does not fit the registered key."""
    VERSION = "version"
    """No common protocol version."""
    HISTORY = "history"
    """The device knows fewer events than the host has stored: exchanged or damaged."""


class CommandFailure(Enum):
    TIMED_OUT = "timed-out"
    """No final response, even after STATUS and the same tid again: whether it was done, COMMAND_DONE tells."""
    LINK_LOST = "link-lost"
    """The link was lost first; COMMAND_DONE or STARTED tells; neither, and STATUS at rest: not done."""
    UNREADABLE = "unreadable"
    """The final response cannot be read."""


class LineGrade(Enum):
    GOOD = "good"
    WARNING = "warning"
    """More than 5 % of the frames of the last 60 s were damaged."""
    DEGRADED = "degraded"
    """More than 20 %: alarm."""


class LinkUp(msgspec.Struct, frozen=True):
    """RSTACK for the latest RST came. No events yet: wait for `Running`."""

    epoch: int
    boot_count: int
    restarted: bool
    """The boot count is not the one known from before: hold, and let an operator confirm."""


class LinkLost(msgspec.Struct, frozen=True):
    """Stop the table. The session keeps trying RST by itself unless the transport is closed."""

    epoch: int
    cause: LossCause
    detail: str
    reason: StartReason | None = None
    """What the device gave as its reason, with `DEVICE_STARTED`."""


class Identified(msgspec.Struct, frozen=True):
    """The device's own word, asked again inside the session where there is one; the serial is the expected one."""

    epoch: int
    identity: DeviceIdentity
    capabilities: tuple[Capability, ...]
    sealed: bool


class Running(msgspec.Struct, frozen=True):
    """The connect sequence is complete: events flow and commands are taken."""

    epoch: int
    status: StatusReport
    oldest_eseq: int
    newest_eseq: int
    """Events up to this one happened before the resume and arrive marked `replayed`."""


class Refused(msgspec.Struct, frozen=True):
    """The device is refused: nothing is accepted or sent until `connection_made` is called again."""

    epoch: int
    kind: RefusalKind
    expected: str
    actual: str


class IdentityMismatch(Refused, frozen=True):
    """The serial number differs from the registered one (EQ-51, T-04)."""


class EventArrived(msgspec.Struct, frozen=True):
    """The next event in order. Store it, then call `acknowledge`."""

    epoch: int
    event: DeviceEvent


class EventRepeated(msgspec.Struct, frozen=True):
    """An event that arrived before came again with the same content: no second effect."""

    epoch: int
    eseq: int
    reacknowledged: bool
    """False: the first one is not durable yet, so it will be acknowledged when it is."""


class EventGap(msgspec.Struct, frozen=True):
    """`seen` came where `wanted` was due; EVENT_RESUME is under way. Hold the game until `EventArrived` continues."""

    epoch: int
    wanted: int
    seen: int


class EventsLost(msgspec.Struct, frozen=True):
    """The device no longer has these events. A person must confirm before the game goes on."""

    epoch: int
    first: int
    last: int


class CommandAnswered(msgspec.Struct, frozen=True):
    """The final response to `request`. For an act, OK means accepted; the `CommandDone` event tells when it ended."""

    epoch: int
    tid: int
    name: str
    status: Status
    fields: Mapping[str, FieldValue]


class CommandFailed(msgspec.Struct, frozen=True):
    epoch: int
    tid: int
    name: str
    failure: CommandFailure


class StatusReported(msgspec.Struct, frozen=True):
    """The answer to the session's own keep-alive STATUS."""

    epoch: int
    status: StatusReport


class Fault(msgspec.Struct, frozen=True):
    kind: FaultKind
    count: int
    detail: str


class LineQuality(msgspec.Struct, frozen=True):
    """The grade of the line changed."""

    grade: LineGrade
    damaged_per_mille: int


HostOutput = (
    LinkUp
    | LinkLost
    | Identified
    | Running
    | Refused
    | IdentityMismatch
    | EventArrived
    | EventRepeated
    | EventGap
    | EventsLost
    | CommandAnswered
    | CommandFailed
    | StatusReported
    | Fault
    | LineQuality
)

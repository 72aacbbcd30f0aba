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
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.quality import LineGrade
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport


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


class HostState(Enum):
    """Where a host session stands."""

    CLOSED = "closed"
    """No transport."""
    RESETTING = "resetting"
    """RST is out."""
    CONNECTING = "connecting"
    RUNNING = "running"
    REFUSED = "refused"


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

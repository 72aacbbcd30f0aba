"""What a simulated device brings to its session: a mechanism that acts, a journal that survives, who it says it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from device_profiles.values import FieldValue
from firmware_bridge.errors import BridgeError
from firmware_bridge.events import Status
from firmware_bridge.link.faults import LossCause
from firmware_bridge.link.line import Line
from firmware_bridge.seal import DeviceKey


class JournalFullError(BridgeError):
    """Only unacknowledged events are left, and none of them is overwritten: error 0E (SDP/1 1.7)."""


class CommandReceived(msgspec.Struct, frozen=True):
    """A command that is well formed, allowed to its sender and new."""

    tid: int
    name: str
    fields: Mapping[str, FieldValue]
    act: bool
    """If accepted, exactly one `command_done` event must end it (or `started`, when power failed)."""
    needs_idle: bool
    """To be refused with NOT_IDLE while a shoe is open."""
    needs_diagnostic: bool
    """To be refused with WRONG_STATE outside diagnostic mode."""


class Answer(msgspec.Struct, frozen=True):
    """A final response; fields only with OK."""

    status: Status = Status.OK
    fields: Mapping[str, FieldValue] = {}


class Mechanism(Protocol):
    """The device below its protocol."""

    def status(self, now: float) -> Mapping[str, FieldValue]:
        """Return the fields of STATUS but for event numbers and link counters, which the session knows itself."""

    def command(self, received: CommandReceived, now: float) -> Answer | None:
        """Accept or refuse a command; None when the answer comes later, through `DeviceSession.respond`."""

    def link_lost(self, cause: LossCause, now: float) -> None:
        """Finish the card in motion, then the fail-safe; the journal goes on (SDP/1 1.8)."""


class StoredEvent(msgspec.Struct, frozen=True):
    """An event as the device's journal keeps it. Has no text form of its content: that may tell a card."""

    eseq: int
    t_ms: int
    name: str
    payload: bytes
    """The wire's bytes after eseq and t."""

    def __repr__(self) -> str:
        return f"<event {self.eseq}: {self.name}>"


class EventJournal(Protocol):
    """The device's journal; survives loss of power."""

    @property
    def oldest(self) -> int:
        """The oldest event still held; newest + 1 when there is none."""

    @property
    def newest(self) -> int:
        """The number of the last event ever; 0 before the first."""

    def append(self, event: StoredEvent) -> None:
        """Keep the event for good.

        Raises:
            JournalFullError: nothing may be overwritten.
        """

    def from_(self, eseq: int) -> Iterable[StoredEvent]:
        """Return the events held from this number on, in order."""

    def ack(self, eseq: int) -> None:
        """The host has everything up to this event."""


class DeviceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a device says of itself, and whom it trusts."""

    line: Line
    identity: Mapping[str, FieldValue]
    """The fields of IDENTIFY; capability bits are reckoned from `capabilities` unless given."""
    capabilities: tuple[Mapping[str, FieldValue], ...] = ()
    """`{"function": "gate", "level": 1, "count": 0}` for each; a command of a function not listed gets 07."""
    keys: Mapping[int, DeviceKey] = {}
    """Role to key; empty is security level 0."""
    technician_switch: bool = False
    """At level 0: the switch on the device that lets technician's and vendor's commands through."""
    window: int = 7
    address: int = 0
    """On a bus, 1 to 7E; 0: alone on its line."""

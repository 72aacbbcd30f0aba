"""What every session of a host promises its owner, whatever its device speaks: bytes and time in, outputs out, bytes to send.

Two kinds keep it: `session.host.HostSession` for SDP/1 and `plain.session.PlainSession` for devices described by a plain profile. Times are
monotonic seconds of the owner's clock.
"""

from __future__ import annotations

from typing import Protocol

from firmware_bridge.commands import Command
from firmware_bridge.reports import Capability, DeviceIdentity
from firmware_bridge.session.outputs import EventArrived, HostOutput


class Session(Protocol):
    """One device as the host hears it. Sans-I/O and without a clock of its own."""

    @property
    def epoch(self) -> int:
        """Counts the connections."""

    @property
    def identity(self) -> DeviceIdentity | None:
        """What the device last said of itself; None before it did."""

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What it can do."""

    def connection_made(self, now_s: float, /) -> list[HostOutput]:
        """The port is open."""

    def connection_lost(self, now_s: float, /) -> list[HostOutput]:
        """The port is gone."""

    def close(self, now_s: float, /) -> list[HostOutput]:
        """End it politely; the port is closed next."""

    def maybe_event(self, chunk: bytes, now_s: float, /) -> EventArrived | None:
        """Take bytes that are exactly the event that is due; None: nothing was taken, give them to `receive`."""

    def receive(self, chunk: bytes, now_s: float, /) -> list[HostOutput]:
        """Take bytes from the port."""

    def tick(self, now_s: float, /) -> list[HostOutput]:
        """Do what is due."""

    def next_deadline(self) -> float | None:
        """When `tick` has something to do; None: never."""

    def acknowledge(self, eseq: int, now_s: float, /) -> None:
        """Events up to this one are durable."""

    def request(self, command: Command, now_s: float, /) -> int:
        """Send a command and return its number; the answer comes as an output. Raises NotReadyError and MisuseError."""

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent."""

"""An ear on a line between a device and another host: it hears, and has nothing that could speak.

It keeps the contract of a session, so that whoever owns a device need not know that this one is only listened to. What a session does by
asking is not done: no connect sequence, no acknowledgement, no resume, no poll, no command. A line that is open counts as connected; that
the device is there shows when it speaks.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from firmware_bridge.commands import Command
from firmware_bridge.errors import NotReadyError
from firmware_bridge.events import DeviceEvent
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.plain.standing import KnownStanding
from firmware_bridge.reports import Capability, DeviceIdentity
from firmware_bridge.session.outputs import EventArrived, Fault, HostOutput, HostState, Identified, LinkLost, LinkUp, Running

UNKNOWN: Final = DeviceIdentity(vendor="", model="", serial=None, firmware=None)
"""A device that has not been heard saying who it is."""


class Ear:
    """What all ears have in common; `first_wanted` is the number of the first event that is new. Each kind hears in its own way."""

    def __init__(self, first_wanted: int) -> None:
        self.state = HostState.CLOSED
        self.epoch = 0
        self.identity: DeviceIdentity | None = None
        self.capabilities: tuple[Capability, ...] = ()
        self._standing = KnownStanding(first_wanted)
        self._first_wanted = first_wanted
        self._outputs: list[HostOutput] = []
        self._faults: Counter[FaultKind] = Counter()

    def connection_made(self, now_s: float) -> list[HostOutput]:
        """The port is open: from here on what passes is heard."""
        self.epoch += 1
        self.state = HostState.RUNNING
        self.identity = self.identity or UNKNOWN
        self._begin(now_s)
        return [
            LinkUp(self.epoch, 0, restarted=False),
            Identified(self.epoch, self.identity, self.capabilities, sealed=False),
            Running(self.epoch, self._standing.status(), self._first_wanted, self._standing.eseq),
        ]

    def connection_lost(self, now_s: float) -> list[HostOutput]:
        """The port is gone."""
        return self._end(LossCause.TRANSPORT_CLOSED, "the port is closed")

    def close(self, now_s: float) -> list[HostOutput]:
        """End it on purpose."""
        return self._end(LossCause.CLOSED, "closed")

    def maybe_event(self, chunk: bytes, now_s: float) -> EventArrived | None:
        """There is no short way here."""
        return None

    def receive(self, chunk: bytes, now_s: float) -> list[HostOutput]:
        """Take bytes that passed."""
        if self.state is HostState.RUNNING:
            self._hear(chunk, now_s)
        return self._told()

    def tick(self, now_s: float) -> list[HostOutput]:
        """Do what is due."""
        return self._told()

    def next_deadline(self) -> float | None:
        """When `tick` has something to do; None: never."""
        return None

    def acknowledge(self, eseq: int, now_s: float) -> None:
        """The other host acknowledges, not an ear."""

    def request(self, command: Command, now_s: float) -> int:
        """Nothing is ever asked.

        Raises:
            NotReadyError: always.
        """
        raise NotReadyError("this line is only listened to: nothing is written to it")

    def bytes_to_send(self) -> bytes:
        """Nothing is ever said."""
        return b""

    def _begin(self, now_s: float) -> None:
        """The port is open anew: a begun frame is forgotten."""
        raise NotImplementedError

    def _hear(self, chunk: bytes, now_s: float) -> None:
        """Take bytes; tell what they say."""
        raise NotImplementedError

    def _tell(self, output: HostOutput) -> None:
        self._outputs.append(output)

    def _tell_event(self, event: DeviceEvent) -> None:
        self._outputs.append(EventArrived(self.epoch, event))

    def _fault(self, kind: FaultKind) -> None:
        self._faults[kind] += 1

    def _told(self) -> list[HostOutput]:
        """Faults of one kind in one call become one output, so that noise cannot flood the owner."""
        outputs, self._outputs = self._outputs, []
        outputs += [Fault(kind, count, f"heard damaged: {kind.value}") for kind, count in self._faults.items()]
        self._faults.clear()
        return outputs

    def _end(self, cause: LossCause, detail: str) -> list[HostOutput]:
        was, self.state = self.state, HostState.CLOSED
        return [*self._told(), LinkLost(self.epoch, cause, detail)] if was is HostState.RUNNING else self._told()

"""Where a plain device stands, as far as it can be known: what it told, and what was wrong on its line."""

from __future__ import annotations

from typing import Final

import msgspec

from firmware_bridge.events import (
    DeviceError,
    DeviceEvent,
    DeviceState,
    ErrorCleared,
    ErrorRaised,
    GateChanged,
    GateState,
    Started,
)
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.plain.framers import PlainFault
from firmware_bridge.reports import StatusReport
from firmware_bridge.session.outputs import Fault, HostOutput

FAULT_KINDS: Final = {
    PlainFault.CHECKSUM: FaultKind.CRC,
    PlainFault.OVERSIZE: FaultKind.OVERSIZE,
    PlainFault.SILENCE: FaultKind.SILENCE,
    PlainFault.UNFRAMED: FaultKind.UNFRAMED,
}


class KnownStanding:
    """Counts events, cards and faults of one device; `first_wanted` is the number of the next event."""

    __slots__ = ("_error", "_faults", "_gate", "_oldest", "eseq", "position")

    def __init__(self, first_wanted: int) -> None:
        self.eseq = first_wanted - 1
        self.position = 0
        """Cards since the device started."""
        self._oldest = first_wanted
        self._error, self._gate = DeviceError.NONE, GateState.UNKNOWN
        self._faults: dict[FaultKind, int] = {}

    def number(self, event: DeviceEvent) -> DeviceEvent:
        """The event with the next number."""
        self.eseq += 1
        match event:
            case ErrorRaised():
                self._error = event.error
            case ErrorCleared() | Started():
                self._error = DeviceError.NONE
            case GateChanged():
                self._gate = event.state
            case _:
                pass
        return msgspec.structs.replace(event, eseq=self.eseq)

    def fault(self, kind: FaultKind, detail: str) -> Fault:
        """One more of these."""
        self._faults[kind] = self._faults.get(kind, 0) + 1
        return Fault(kind, 1, detail)

    def status(self) -> StatusReport:
        """The report that a device of this kind cannot give itself."""
        crc, oversize = self._faults.get(FaultKind.CRC, 0), self._faults.get(FaultKind.OVERSIZE, 0)
        return StatusReport(
            state=DeviceState.UNKNOWN, error=self._error, error_code=0, gate=self._gate, lid_open=False, drawn=self.position,
            remaining=None, last_eseq=self.eseq, oldest_eseq=self._oldest, cobs_errors=0, crc_errors=crc, oversize_errors=oversize,
            other_errors=sum(self._faults.values()) - crc - oversize, shoe_id=None,
        )  # fmt: skip


def merged_faults(outputs: list[HostOutput]) -> list[HostOutput]:
    """The same outputs, faults of one kind as one, at the place of the first: rubbish shall not flood the owner."""
    faults: dict[FaultKind, Fault] = {}
    for output in outputs:
        if isinstance(output, Fault):
            before = faults.get(output.kind)
            faults[output.kind] = output if before is None else Fault(output.kind, before.count + output.count, before.detail)
    if not faults:
        return outputs
    merged: list[HostOutput] = []
    for output in outputs:
        if not isinstance(output, Fault):
            merged.append(output)
        elif (fault := faults.pop(output.kind, None)) is not None:
            merged.append(fault)
    return merged

"""Framer and link of the host's side, and the one place where a session's outputs and faults are gathered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from firmware_bridge.codec import Codec
from firmware_bridge.framing import CobsFramer, FrameFault
from firmware_bridge.link.bus_host import host_link
from firmware_bridge.link.faults import FRAME_FAULT_KINDS, FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.link.notes import Bad, LinkNote
from firmware_bridge.session.outputs import Fault, HostOutput

_DETAILS = {
    FaultKind.EVENT_CHANGED: "an event came again with other content: the device is exchanged or damaged",
    FaultKind.BOOT_COUNT_BACK: "the device's boot count fell: the device is exchanged or damaged",
    FaultKind.EVENT_FLOOD: "the device sends more unacknowledged events than it may",
    FaultKind.STALE_ANSWER: "an answer came to no command that waits",
    FaultKind.WRONG_ANSWER: "an answer names another command than the one that waits",
    FaultKind.BAD_MESSAGE: "a message does not fit its description",
    FaultKind.BAD_TAG: "a seal did not open",
    FaultKind.REFUSED_STEP: "the device refused a step of the connect sequence",
}


class HostPipe:
    """What all parts of a host session share."""

    def __init__(self, codec: Codec, line: Line, first_token: int, address: int) -> None:
        self.codec = codec
        self.link = host_link(codec.profile.framing, codec.checksum, line, first_token, address)
        self.framer = CobsFramer(codec.profile.framing, pauses=line.pauses)
        self._outputs: list[HostOutput] = []
        self._faults: Counter[FaultKind] = Counter()

    def reset(self) -> None:
        """Forget a begun frame: the transport is a new one."""
        self.framer.reset()

    def feed(self, content: bytes, now: float) -> Iterator[bytes | LinkNote]:
        """Yield messages and notes of the link one by one: taking one may change how the next frame is read."""
        self.link.counters.bytes_in += len(content)
        for found in self.framer.feed(content, now):
            if isinstance(found, FrameFault):
                self._faults[FRAME_FAULT_KINDS[found]] += 1
                self.link.damaged(found, now)
                continue
            result = self.link.receive(found, now)
            if isinstance(result, Bad):
                self._faults[result.kind] += 1
            elif result is not None:
                yield result

    def fault(self, kind: FaultKind) -> None:
        """Count a fault; faults of one kind in one call become one output, so that noise cannot flood the owner."""
        self._faults[kind] += 1

    def tell(self, output: HostOutput) -> None:
        self._outputs.append(output)

    def told(self) -> list[HostOutput]:
        """Return what has happened since the last call."""
        outputs, self._outputs = self._outputs, []
        if self._faults:
            outputs += [
                Fault(kind, count, _DETAILS.get(kind, f"damaged on the line: {kind.value}")) for kind, count in self._faults.items()
            ]
            self._faults.clear()
        return outputs

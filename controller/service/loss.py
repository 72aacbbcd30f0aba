"""Why a connection was lost or refused, in the words that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firmware_bridge.link.faults import FaultKind
from firmware_bridge.port_news import PortFailed, PortLost
from firmware_bridge.session.outputs import Fault, LinkLost, RefusalKind, Refused
from firmware_bridge.transport.base import PortNotAllowedError

LINE_FAULTS: Final = frozenset({
    FaultKind.COBS, FaultKind.CRC, FaultKind.OVERSIZE, FaultKind.SHORT, FaultKind.SILENCE, FaultKind.BAD_FRAME, FaultKind.UNFRAMED,
})  # fmt: skip
"""What another kind of device, or a line at another rate, sounds like."""


def is_rubbish(output: object) -> bool:
    """Return whether bytes came that are no frame of the device's profile."""
    return isinstance(output, Fault) and output.kind in LINE_FAULTS


def silence_words(*, rubbish: bool) -> str:
    """Return how it is with a device that never came to run; `rubbish`: bytes came."""
    return "what answers there speaks another protocol, or its line is set differently" if rubbish else "it does not answer"


def refusal_words(refused: Refused, owners: Mapping[str, str]) -> str:
    """Return why a device is refused, for people; where another one of this daemon answers, whose that is."""
    words = f"{refused.kind.value}: expected {refused.expected}, found {refused.actual}"
    owner = owners.get(refused.actual) if refused.kind is RefusalKind.IDENTITY else None
    return words if owner is None else f"{words}, which is {owner}: the plugs of two devices are exchanged"


def loss_words(output: LinkLost | PortLost | PortFailed) -> str:
    """Return why a connection was lost, for people."""
    return f"{output.cause.value} {output.detail}".strip() if isinstance(output, LinkLost) else output.error.what


def loss_event(output: LinkLost | PortLost | PortFailed) -> str:
    """Return the notice that a table gets of it: a device that is not on the list is more than a device that is away."""
    return "foreign-usb" if isinstance(output, PortFailed) and isinstance(output.error, PortNotAllowedError) else "lost"

"""What a device says of itself when it is asked: identity, abilities, status. The canonical form of those responses.

Nothing here is believed: identity is compared with the host's own register, abilities with the house's settings
(SDP/1 1.9), and a status is one witness among several.
"""

from __future__ import annotations

import msgspec

from firmware_bridge.events import DeviceError, DeviceState, GateState


class DeviceIdentity(msgspec.Struct, frozen=True):
    """The answer to IDENTIFY; what the device left out is None."""

    vendor: str | None = None
    model: str | None = None
    serial: str | None = None
    firmware: str | None = None
    """Major, minor and patch with dots: `1.4.2`."""
    capability_bits: int = 0
    hardware: str | None = None
    image_sha256: bytes | None = None
    build: str | None = None


class Capability(msgspec.Struct, frozen=True):
    """One function of SDP/1 1.9 by the profile's name, such as `counted-unlock`; unknown ones are `function-XX`."""

    function: str
    level: int
    count: int


class StatusReport(msgspec.Struct, frozen=True):
    """The answer to STATUS."""

    state: DeviceState
    error: DeviceError
    error_code: int
    gate: GateState
    lid_open: bool
    drawn: int
    remaining: int | None
    last_eseq: int
    oldest_eseq: int
    cobs_errors: int
    crc_errors: int
    oversize_errors: int
    other_errors: int
    shoe_id: bytes | None
    """None: no shoe is open."""

"""The link frame of SDP/1 1.3 without its checksum: what its first three bytes may say."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple

from firmware_bridge.link.limits import (
    BODY_LIMIT_MIN,
    BODY_MAX,
    HEADER_SIZE,
    WINDOW_MAX,
)

RTX: Final = 0x10
SEC: Final = 0x08
_KIND_SHIFT: Final = 5
POINT_TO_POINT: Final = 0x00
BUS_ADDRESS_MAX: Final = 0x7E
BROADCAST: Final = 0x7F
FROM_DEVICE: Final = 0x80
"""On a bus this bit is set in frames from a device, so that an echo is never taken for a command (SDP/1 1.1)."""


class FrameKind(IntEnum):
    DATA = 0
    ACK = 1
    NAK = 2
    RST = 3
    RSTACK = 4
    PING = 5
    FAULT = 6


class NakReason(IntEnum):
    CHECKSUM = 1
    SEQUENCE_GAP = 2
    NO_BUFFER = 3
    TOO_LONG = 4


class FaultReason(IntEnum):
    """Why a device drops the link."""

    UNSEALED_IN_SESSION = 1
    SEALED_WITHOUT_SESSION = 2
    BAD_TAGS = 3
    SESSION_EXPIRED = 4
    INTERNAL = 5


class Offer(NamedTuple):
    """The body of RST."""

    lowest: int
    highest: int
    window: int
    body_limit: int


class Agreement(NamedTuple):
    """The body of RSTACK; `version` 0 means that there is none in common."""

    version: int
    window: int
    body_limit: int
    reason: int
    boot_count: int


CTL_DATA, CTL_ACK, CTL_NAK, CTL_RST, CTL_RSTACK, CTL_PING, CTL_FAULT = (kind << _KIND_SHIFT for kind in FrameKind)
_KINDS: Final = {kind << _KIND_SHIFT: kind for kind in FrameKind} | {CTL_DATA | bits: FrameKind.DATA for bits in (RTX, SEC, RTX | SEC)}
"""CTL bytes that mean something; every other one has an unknown kind, a reserved bit, or RTX or SEC outside DATA."""


@cache
def data_headers(address: int) -> tuple[bytes, ...]:
    """Return the first three bytes of all plain DATA with this address, by the third of them: SEQ and ACK."""
    return tuple(bytes((CTL_DATA, address, numbers)) for numbers in range(256))


def kind_of(frame: bytes) -> FrameKind | None:
    """Return what kind of frame this is, None when its CTL or SA is not one that may occur."""
    kind = _KINDS.get(frame[0])
    if kind is FrameKind.DATA or not frame[2] & 0xF0 or kind is FrameKind.RST or kind is FrameKind.RSTACK:
        return kind
    return None  # only DATA has a SEQ, only RST and RSTACK a token


def encode_offer(offer: Offer) -> bytes:
    """Return the body of RST."""
    return bytes(offer)


def maybe_offer(frame: bytes) -> Offer | None:
    """Return what an RST offers, None when it offers nothing possible."""
    if len(frame) < HEADER_SIZE + 4:
        return None
    offer = Offer(*frame[HEADER_SIZE : HEADER_SIZE + 4])
    possible = 1 <= offer.lowest <= offer.highest and 1 <= offer.window <= WINDOW_MAX
    return offer if possible and BODY_LIMIT_MIN <= offer.body_limit <= BODY_MAX else None


def encode_agreement(agreement: Agreement) -> bytes:
    """Return the body of RSTACK."""
    return bytes(agreement[:4]) + agreement.boot_count.to_bytes(4, "big")


def maybe_agreement(frame: bytes) -> Agreement | None:
    """Return what an RSTACK says, None when it says nothing possible."""
    if len(frame) < HEADER_SIZE + 8:
        return None
    version, window, body_limit, reason = frame[HEADER_SIZE : HEADER_SIZE + 4]
    boot_count = int.from_bytes(frame[HEADER_SIZE + 4 : HEADER_SIZE + 8], "big")
    possible = 1 <= window <= WINDOW_MAX and BODY_LIMIT_MIN <= body_limit <= BODY_MAX
    return Agreement(version, window, body_limit, reason, boot_count) if possible or version == 0 else None

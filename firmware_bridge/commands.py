"""The canonical commands: what the daemon can ask of a device, whatever protocol it speaks.

A profile says which of its messages carries each command and which constants go with it. What has no class here (the
queries, technician's commands) is asked for with `Request` by the profile's own name and fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from device_profiles.values import FieldValue
from firmware_bridge.events import ShuffleMode


class Lock(msgspec.Struct, frozen=True):
    """Lock the gate; never refused."""


class Unlock(msgspec.Struct, frozen=True):
    """Open the gate; with `cards` it locks itself after that many."""

    cards: int | None = None


class Dispense(msgspec.Struct, frozen=True):
    count: int
    destination: int


class Burn(msgspec.Struct, frozen=True):
    count: int
    face_up: bool = False


class BurnByValue(msgspec.Struct, frozen=True):
    """Burn one card, then as many as its value: ace 1, ten to king 10."""

    face_up: bool = True


class EjectAll(msgspec.Struct, frozen=True):
    """Eject every card; this closes the shoe."""


class CountStub(msgspec.Struct, frozen=True):
    pass


class OpenShoe(msgspec.Struct, frozen=True):
    shoe_id: bytes
    """16 bytes, not all zero: zeros mean that no shoe is open."""
    decks: int
    back: int = 0
    """Back colour, 0 for any."""


class CloseShoe(msgspec.Struct, frozen=True):
    pass


class StartShuffle(msgspec.Struct, frozen=True):
    decks: int
    mode: ShuffleMode = ShuffleMode.RANDOM


class AbortShuffle(msgspec.Struct, frozen=True):
    pass


class ClearError(msgspec.Struct, frozen=True):
    code: int


class Signal(msgspec.Struct, frozen=True):
    lamp: int
    pattern: int


class SetTime(msgspec.Struct, frozen=True):
    unix_ms: int


class Request(msgspec.Struct, frozen=True):
    """Any message of the profile by its name, such as `Request("status")` or `Request("config_get", {"key": 3})`."""

    name: str
    fields: Mapping[str, FieldValue] = {}


Command = (
    Lock
    | Unlock
    | Dispense
    | Burn
    | BurnByValue
    | EjectAll
    | CountStub
    | OpenShoe
    | CloseShoe
    | StartShuffle
    | AbortShuffle
    | ClearError
    | Signal
    | SetTime
    | Request
)

COMMAND_TYPES: Final[tuple[type[msgspec.Struct], ...]] = (
    Lock,
    Unlock,
    Dispense,
    Burn,
    BurnByValue,
    EjectAll,
    CountStub,
    OpenShoe,
    CloseShoe,
    StartShuffle,
    AbortShuffle,
    ClearError,
    Signal,
    SetTime,
)
"""Every command a profile can carry in one of its messages, by class name."""

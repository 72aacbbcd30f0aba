"""What the names, flags and card bytes of a profile become in the canonical vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from device_profiles.errors import InvalidProfileError
from device_profiles.schema import Field
from device_profiles.values import Kinds
from firmware_bridge.cards import UNREADABLE, Card, Sealed, card_from_code, unseal
from firmware_bridge.events import CardFlag

_SEALED: Final = tuple((card_from_code(code) or UNREADABLE).sealed for code in range(256))
"""One sealed card for each card byte; a byte that names no card cannot be read, which is what UNREADABLE says."""


class BridgeKinds(Kinds):
    """Names of a canonical class become members of its enums, card bytes become sealed cards."""

    def __init__(self, hints: Mapping[str, object], file: str) -> None:
        self._hints = hints
        self._file = file

    def enum_value(self, field: Field, name: str) -> object:
        hint = self._hints.get(field.name)
        if not (isinstance(hint, type) and issubclass(hint, Enum)):
            return name
        try:
            return hint(name)
        except ValueError as error:
            raise InvalidProfileError(self._file, f"field '{field.name}': '{name}' is no {hint.__name__}") from error

    def flags_value(self, field: Field, names: tuple[str, ...]) -> object:
        flags = CardFlag.NONE
        for name in names:
            try:
                flags |= CardFlag[name.upper().replace("-", "_")]
            except KeyError as error:
                raise InvalidProfileError(self._file, f"field '{field.name}': '{name}' is no card flag") from error
        return flags

    def card_value(self, code: int) -> object:
        return _SEALED[code]

    def card_code(self, value: object) -> int:
        if isinstance(value, Sealed):
            return unseal(value, "the device's own side tells the card it read").code
        if isinstance(value, Card):
            return value.code
        return super().card_code(value)

"""Values of messages as text and as JSON. Cards and secrets have a text only where a technician may see them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, Flag
from typing import Final

from device_profiles.values import Hidden
from firmware_bridge.cards import Sealed, unseal

HIDDEN_CARD: Final = "(hidden card)"
HIDDEN_BYTES: Final = "(hidden)"
_BECAUSE: Final = "a technician looks at test cards in diagnostic mode"


def plain_value(value: object, *, show_cards: bool = False) -> object:
    """Return what JSON can hold of a value."""
    match value:
        case Sealed():
            return unseal(value, _BECAUSE).name if show_cards else HIDDEN_CARD
        case Hidden():
            return value.reveal(_BECAUSE).hex(" ").upper() if show_cards else HIDDEN_BYTES
        case Flag():
            return [name.lower().replace("_", "-") for name in (value.name or "").split("|") if name and value.value]
        case Enum():
            return value.value
        case bytes():
            return value.hex(" ").upper()
        case frozenset():
            return sorted(map(str, value))
        case tuple() | list():
            return [plain_value(item, show_cards=show_cards) for item in value]
        case Mapping():
            return {str(name): plain_value(item, show_cards=show_cards) for name, item in value.items()}
        case _:
            return value


def words_of(values: Mapping[str, object], *, show_cards: bool = False) -> str:
    """Return values as one line: `error=memory detail=0`."""
    return " ".join(f"{name}={_word(plain_value(value, show_cards=show_cards))}" for name, value in values.items())


def _word(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list():
            return "[" + "; ".join(map(_word, value)) + "]"
        case dict():
            return " ".join(f"{name}={_word(item)}" for name, item in value.items())
        case str() if not value or " " in value:
            return f"'{value}'"
        case _:
            return str(value)

"""What the values of a message are, and how names, flags and cards become them.

A value is what `FieldValue` lists. Names stand for numbers on the reading side; what a name becomes (a text here, a
member of an enum in the bridge) is decided by the `Kinds` passed in. Secret fields become `Hidden`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from device_profiles.errors import FieldError
from device_profiles.schema import EnumTable, Field, FieldType, FlagTable, Registry

FieldValue: TypeAlias = object
"""int, str (enum names, text, versions), bytes, bool, None, frozenset of flag names, `Hidden`, a card as the codec's
owner carries it, or a tuple of mappings for a list."""


class Hidden:
    """Secret bytes of a message: no text form; `reveal` is the one way to them."""

    __slots__ = ("_content",)

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __repr__(self) -> str:
        return "<hidden bytes>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden) and other._content == self._content

    __hash__ = None  # type: ignore[assignment]  # a hash in a log or a set order would tell the bytes

    def reveal(self, because: str) -> bytes:
        """Return the bytes; `because` names the reason, so that a search for `reveal` lists every place."""
        if not because:
            raise ValueError("revealing hidden bytes needs a reason")
        return self._content


class Kinds:
    """What names, flags and cards become when a message is read; here plain text, sets of text and card bytes."""

    def enum_value(self, field: Field, name: str) -> object:
        return name

    def flags_value(self, field: Field, names: tuple[str, ...]) -> object:
        return frozenset(names)

    def card_value(self, code: int) -> object:
        return code

    def card_code(self, value: object) -> int:
        if isinstance(value, int) and 0 <= value <= 0xFF:
            return value
        raise FieldError("a card is given as its byte")


class Tables(NamedTuple):
    """The named tables of a profile that fields refer to."""

    enums: Mapping[str, EnumTable]
    flags: Mapping[str, FlagTable]
    registries: Mapping[str, Registry] = {}


class Compiled(NamedTuple):
    """The closures of one tuple of fields."""

    names: tuple[str, ...]
    decode: Callable[[bytes, int], dict[str, FieldValue]]
    """Raises ShortPayloadError, and in strict reading FieldRangeError."""
    decode_values: Callable[[bytes, int], list[FieldValue]] | None
    """The values alone, in the order of `names`; only where every field is fixed and there."""
    encode: Callable[[Mapping[str, FieldValue]], bytes]
    """Raises FieldError for a missing, unknown or unfitting value."""
    flags_at: tuple[int, int] | None
    """Offset and bit of the replay flag, where a field has one."""


def bytes_of(field: Field, value: FieldValue) -> bytes:
    """Return the wire form of a bytes, text or version value.

    Raises:
        FieldError: when the value is of another kind.
    """
    if isinstance(value, Hidden):
        return value.reveal("it goes on the wire of the session it belongs to")
    if field.type is FieldType.VERSION and isinstance(value, str):
        parts = value.split(".")
        if all(part.isascii() and part.isdigit() and int(part) <= 0xFF for part in parts):
            return bytes(map(int, parts))
        raise FieldError(f"field '{field.name}' takes numbers with dots, such as 1.4.2")
    if field.type is FieldType.TEXT and isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    raise FieldError(f"field '{field.name}' takes {field.type.value}")

"""Which bytes of a message tell a card or another secret, so that they are hidden wherever bytes are shown.

A field of a fixed place is hidden alone. Behind a part of free length nothing has a fixed place, so all from there on is hidden when
anything there is secret. Too much may be hidden, never too little. Checksums are no part of a message; whoever shows frames leaves them
out, because a card can be worked out from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from device_profiles.plain.messages import PlainMessage
from device_profiles.schema import Field, FieldType

_SIZES: Final = {FieldType.U8: 1, FieldType.U16: 2, FieldType.U32: 4, FieldType.U64: 8, FieldType.CARD: 1}
HIDDEN: Final = "··"


def size_of(field: Field, groups: Mapping[str, Sequence[Field]]) -> int | None:
    """Return how many bytes a field takes, None where that is free."""
    if field.type is FieldType.GROUP and field.use is not None:
        sizes = [size_of(inner, groups) for inner in groups[field.use]]
        return None if None in sizes else sum(size for size in sizes if size is not None)
    return _SIZES.get(field.type, None if field.type in (FieldType.LIST, FieldType.TLVS) else field.size)


def secret_places(fields: Sequence[Field], groups: Mapping[str, Sequence[Field]], begin: int, size: int) -> frozenset[int]:
    """Return the offsets to hide in a message of `size` bytes whose fields begin at `begin`."""
    places: set[int] = set()
    at = begin
    for index, field in enumerate(fields):
        length = size_of(field, groups)
        if length is None:
            rest = any(_is_secret(later, groups) for later in fields[index:])
            return frozenset(places | set(range(at, size))) if rest else frozenset(places)
        if field.type is FieldType.GROUP and field.use is not None:
            places |= secret_places(groups[field.use], groups, at, size)
        elif _is_secret(field, groups):
            places |= set(range(at, at + length))
        at += length
    return frozenset(places)


def tells_secret(message: PlainMessage) -> bool:
    """Whether a message of a plain device tells a card or another secret; its frame is then hidden whole, checksum and all."""
    entries = [entry for several in (message.ring, message.group) if several is not None for entry in several.entries]
    named = [*message.fields, *(field for entry in entries for field in entry.fields)]
    means = [message.means, *(entry.means for entry in entries)]
    return any(field.secret for field in named) or any(one is not None and one.card is not None for one in means)


def hex_of(content: bytes, hidden: frozenset[int] = frozenset()) -> str:
    """Return bytes as hexadecimal pairs, hidden ones as dots."""
    return " ".join(HIDDEN if at in hidden else f"{byte:02X}" for at, byte in enumerate(content))


def _is_secret(field: Field, groups: Mapping[str, Sequence[Field]]) -> bool:
    if field.secret or field.type is FieldType.CARD:
        return True
    inner = groups[field.use] if field.type is FieldType.GROUP and field.use is not None else field.items
    return any(_is_secret(item, groups) for item in inner)

"""Fields of fixed size, one after another, read and written with one `struct`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, Flag
from typing import Final, NamedTuple

from device_profiles.errors import FieldError, FieldRangeError, ShortPayloadError
from device_profiles.registered import registered_reader, registered_writer
from device_profiles.schema import Field, FieldType
from device_profiles.values import FieldValue, Hidden, Kinds, Tables, bytes_of

LETTER: Final = {
    FieldType.U8: "B",
    FieldType.U16: "H",
    FieldType.U32: "I",
    FieldType.U64: "Q",
    FieldType.CARD: "B",
}
WIDTH: Final = {"B": 0xFF, "H": 0xFFFF, "I": 0xFFFFFFFF, "Q": 2**64 - 1}
_NEVER_FIXED: Final = frozenset({FieldType.LIST, FieldType.TLVS, FieldType.GROUP})


def is_fixed_size(field: Field) -> bool:
    """Tell whether the field has one size in every message."""
    return field.type in LETTER or (field.type not in _NEVER_FIXED and field.size is not None)


def plain_struct(fields: Sequence[Field]) -> struct.Struct | None:
    """Return the layout of fields that are nothing but numbers, None where one is more."""
    plain = all(field.type in LETTER and field.enum is None and field.flags is None for field in fields)
    plain = plain and not any(field.optional or field.boolean or field.none is not None for field in fields)
    return struct.Struct(">" + "".join(LETTER[field.type] for field in fields)) if plain else None


class Fixed(NamedTuple):
    """One field of fixed size: its letter for `struct`, and the ways from and to the number or bytes."""

    field: Field
    letter: str
    read: tuple[FieldValue, ...] | Callable[[int], FieldValue] | Callable[[bytes], FieldValue] | None
    """A table of all values of a byte, or what makes one from number or bytes; None: the number is the value."""
    write: Callable[[FieldValue], int] | Callable[[FieldValue], bytes]
    none: int | None = None
    """The number that means no value, where `read` does not know it."""


class FixedRun:
    """Fixed fields one after another, read and written with one `struct`."""

    def __init__(self, fixed: list[Fixed]) -> None:
        self.fixed = fixed
        self._struct = struct.Struct(">" + "".join(entry.letter for entry in fixed))
        self.size = self._struct.size
        self.names = tuple(name for entry in fixed for name in _names_of(entry.field))
        self.decode_values = self._make_decode()

    def _make_decode(self) -> Callable[[bytes, int], list[FieldValue]]:
        unpack, size = self._struct.unpack_from, self.size
        by_value = [(i, entry.read) for i, entry in enumerate(self.fixed) if isinstance(entry.read, tuple)]
        by_call = [(i, entry.read) for i, entry in enumerate(self.fixed) if callable(entry.read)]
        by_none = [(i, entry.none) for i, entry in enumerate(self.fixed) if entry.none is not None]
        doubled = [i for i, entry in enumerate(self.fixed) if entry.field.raw is not None]

        def decode(payload: bytes, offset: int) -> list[FieldValue]:
            try:
                values: list[FieldValue] = [*unpack(payload, offset)]
            except struct.error:
                raise ShortPayloadError(f"the payload has {len(payload) - offset} of at least {size} bytes") from None
            for index, table in by_value:
                values[index] = table[values[index]]  # type: ignore[call-overload]  # a byte: the table has every one
            for index, none in by_none:
                if values[index] == none:
                    values[index] = None
            for index, read in by_call:
                values[index] = read(values[index])  # type: ignore[arg-type]  # struct made it what `read` takes
            return values

        if not doubled:
            return decode

        def decode_doubled(payload: bytes, offset: int) -> list[FieldValue]:
            numbers = unpack(payload, offset) if len(payload) - offset >= size else ()
            values = decode(payload, offset)
            for index in reversed(doubled):
                values.insert(index + 1, numbers[index])
            return values

        return decode_doubled

    def encode(self, values: Mapping[str, FieldValue]) -> bytes:
        return self._struct.pack(*[entry.write(_value_for(entry.field, values)) for entry in self.fixed])

    def flags_at(self, tables: Tables) -> tuple[int, int] | None:
        at = 0
        for entry in self.fixed:
            if entry.field.flags is not None and tables.flags[entry.field.flags].replayed:
                return at, tables.flags[entry.field.flags].replayed
            at += struct.calcsize(">" + entry.letter)
        return None


def _names_of(field: Field) -> tuple[str, ...]:
    return (field.name,) if field.raw is None else (field.name, field.raw)


def _value_for(field: Field, values: Mapping[str, FieldValue]) -> FieldValue:
    """Return what to write: the number under the raw name goes before the name, `None` means no value."""
    value = values.get(field.raw) if field.raw is not None else None
    if value is None:
        value = values.get(field.name)
    if value is None and field.none is None:
        raise FieldError(f"field '{field.name}' is missing")
    return value


def compile_fixed(field: Field, tables: Tables, kinds: Kinds, *, strict: bool) -> Fixed:
    """Compile the reading and writing of one field."""
    letter = LETTER.get(field.type)
    if letter is None:
        assert field.size is not None, "the loader lets only sized fields come here"
        return Fixed(field, f"{field.size}s", _bytes_reader(field), _bytes_writer(field))
    if field.type is FieldType.CARD:
        cards = tuple(kinds.card_value(code) for code in range(256))
        return Fixed(field, letter, cards, kinds.card_code)
    if field.enum is not None:
        return Fixed(field, letter, _enum_reader(field, tables, kinds, strict=strict), _enum_writer(field, tables))
    if field.flags is not None:
        return Fixed(field, letter, _flags_reader(field, tables, kinds), _flags_writer(field, tables))
    if field.registry is not None:
        registry = tables.registries[field.registry]
        return Fixed(field, letter, registered_reader(field, registry) if strict else None, registered_writer(field, registry))
    read = _number_reader(field, strict=strict)
    return Fixed(field, letter, read, _number_writer(field, WIDTH[letter]), field.none if read is None else None)


def _number_reader(field: Field, *, strict: bool) -> Callable[[int], FieldValue] | None:
    if field.boolean:
        return bool
    low, high, none = field.min, field.max, field.none
    if strict and (low is not None or high is not None):

        def read_checked(number: int) -> FieldValue:
            if number == none:
                return None
            _check_range(field, number)
            return number

        return read_checked
    return None


def _check_range(field: Field, number: int) -> None:
    if (field.min is not None and number < field.min) or (field.max is not None and number > field.max):
        raise FieldRangeError(f"field '{field.name}' is out of range")


def _number_writer(field: Field, width: int) -> Callable[[FieldValue], int]:
    def write(value: FieldValue) -> int:
        if value is None and field.none is not None:
            return field.none
        if not isinstance(value, int) or not 0 <= value <= width:
            raise FieldError(f"field '{field.name}' takes a number from 0 to {width}")
        if value != field.none:
            _check_range(field, value)
        return int(value)

    return write


def _enum_reader(field: Field, tables: Tables, kinds: Kinds, *, strict: bool) -> tuple[FieldValue, ...] | Callable[[int], FieldValue]:
    assert field.enum is not None
    table = tables.enums[field.enum]
    known: dict[int, object] = {number: kinds.enum_value(field, name) for name, number in table.values.items()}
    ranges = [(low, high, kinds.enum_value(field, name)) for name, (low, high) in table.ranges.items()]
    unknown = None if strict else kinds.enum_value(field, "unknown")

    def read(number: int) -> FieldValue:
        value = known.get(number)
        if value is not None:
            return value
        for low, high, ranged in ranges:
            if low <= number <= high:
                return ranged
        if strict:
            raise FieldRangeError(f"field '{field.name}' has no value {number}")
        return unknown

    if field.type is FieldType.U8 and not strict:
        return tuple(read(number) for number in range(256))
    return read


def _enum_writer(field: Field, tables: Tables) -> Callable[[FieldValue], int]:
    assert field.enum is not None
    numbers = tables.enums[field.enum].values
    width = WIDTH[LETTER[field.type]]

    def write(value: FieldValue) -> int:
        if isinstance(value, Enum):
            value = value.value
        if isinstance(value, str):
            number = numbers.get(value)
            if number is None:
                raise FieldError(f"field '{field.name}' takes one of {', '.join(numbers)}, not '{value[:40]}'")
            return number
        if isinstance(value, int) and 0 <= value <= width:
            return int(value)
        raise FieldError(f"field '{field.name}' takes one of {', '.join(numbers)}")

    return write


def _flags_reader(field: Field, tables: Tables, kinds: Kinds) -> tuple[FieldValue, ...]:
    assert field.flags is not None
    bits = tables.flags[field.flags].bits

    def read(number: int) -> FieldValue:
        return kinds.flags_value(field, tuple(name for name, bit in bits.items() if number & bit))

    return tuple(read(number) for number in range(256))


def _flags_writer(field: Field, tables: Tables) -> Callable[[FieldValue], int]:
    assert field.flags is not None
    bits = tables.flags[field.flags].bits

    def write(value: FieldValue) -> int:
        if isinstance(value, Flag):
            value = [member.name.lower().replace("_", "-") for member in value if member.name is not None]
        if isinstance(value, int) and 0 <= value <= 0xFF:
            return int(value)
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise FieldError(f"field '{field.name}' takes flag names or a number")
        number = 0
        for name in value:
            bit = bits.get(name) if isinstance(name, str) else None
            if bit is None:
                raise FieldError(f"field '{field.name}' takes flags of {', '.join(bits)}")
            number |= bit
        return number

    return write


def _bytes_reader(field: Field) -> Callable[[bytes], FieldValue] | None:
    match field.type:
        case FieldType.VERSION:
            return lambda raw: ".".join(map(str, raw))
        case FieldType.TEXT:
            return lambda raw: raw.decode("utf-8", "replace")
        case _:
            pass
    if field.secret:
        return Hidden
    if field.none is not None:
        nothing = bytes([field.none]) * (field.size or 1)
        return lambda raw: None if raw == nothing else raw
    return None


def _bytes_writer(field: Field) -> Callable[[FieldValue], bytes]:
    size = field.size or 0

    def write(value: FieldValue) -> bytes:
        raw = bytes([field.none]) * size if value is None and field.none is not None else bytes_of(field, value)
        if len(raw) != size:
            raise FieldError(f"field '{field.name}' takes {size} bytes")
        return raw

    return write

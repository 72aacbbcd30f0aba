"""Values out of frames and into them, as the fields of a plain profile describe them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from device_profiles.errors import FieldError, FieldRangeError, InvalidProfileError, ShortPayloadError
from device_profiles.plain.messages import NameTable, Plain, PlainField, Shape

Value = str | int | bool | bytes
Values = dict[str, Value]
"""By the names of fields."""
Reader = Callable[[bytes], "Value | None"]
MISSING: Final = "the frame ends before this field"


class Names:
    """A table of names at work, both ways."""

    def __init__(self, table: NameTable) -> None:
        self._names = {value: name for name, values in table.values.items() for value in values}
        self._values = {name: values[0] for name, values in table.values.items() if values}
        self._other = table.other

    def name_of(self, value: Plain) -> str | None:
        """The name of a value; None where it has none."""
        return self._names.get(value, self._other)

    def value_of(self, name: Plain) -> Plain:
        """The value that is written for a name; a number that has no name stands for itself, as it does when it is read.

        Raises:
            FieldRangeError: no value has this name.
        """
        if isinstance(name, int) and self.name_of(name) is None:
            return name
        if not isinstance(name, str) or name not in self._values:
            raise FieldRangeError(f"'{str(name)[:40]}' is none of {', '.join(self._values)}")
        return self._values[name]


class FieldAtWork:
    """One field of a binary frame, compiled."""

    def __init__(self, field: PlainField, names: Names | None, file: str) -> None:
        if field.at is None and field.tag is None:
            raise InvalidProfileError(file, f"field '{field.name}' of a binary message needs `at` or `tag`")
        self.field, self.names = field, names
        self.at: int = field.at if field.at is not None else 0
        self.by_byte = self._by_byte()
        """Of a field of one byte at a place counted from the beginning, what each byte is, None for a byte that is nothing; else None."""
        self.quick = self._quick_reader()
        """Reads as `read` does: a field of one byte is looked up, with its bits, its scale and its name."""

    def read(self, frame: bytes) -> Value | None:
        """The value; None where an optional field is missing.

        Raises:
            FieldError: the frame has no such bytes, or they are no such value.
        """
        begin, end = self._span(len(frame))
        if not 0 <= begin <= end <= len(frame) or (end == begin and self.field.to is None):
            if self.field.optional:
                return None
            raise ShortPayloadError(f"{self.field.name}: {MISSING}")
        return named(self.field, self.names, self._shaped(frame[begin:end]))

    def value_of(self, part: bytes) -> Value:
        """The value that these bytes are. Raises FieldError."""
        return named(self.field, self.names, self._shaped(part))

    def bytes_of(self, value: Plain | bytes) -> bytes:
        """The bytes that a value by its tag has: as many as it needs, numbers as many as `size` says. Raises FieldError."""
        plain = self.names.value_of(value) if self.names is not None and not isinstance(value, bytes) else value
        free = self.field.shape in (Shape.TEXT, Shape.BYTES)
        return self._unshaped(plain, self.length_of(plain) if free else self.field.size)

    def _by_byte(self) -> tuple[Value | None, ...] | None:
        if self.field.tag is not None or self.field.size != 1 or self.field.to is not None or self.at < 0:
            return None
        return tuple(self._value_of(byte) for byte in range(256))

    def _quick_reader(self) -> Reader:
        at, values = self.at, self.by_byte
        if values is None:
            return self.read

        def read(frame: bytes) -> Value | None:
            value = values[frame[at]] if at < len(frame) else None
            return value if value is not None else self.read(frame)  # which tells what is wrong, or that it is missing

        return read

    def _value_of(self, byte: int) -> Value | None:
        """The value of a field of one byte; None for a byte that is none."""
        try:
            return named(self.field, self.names, self._shaped(bytes((byte,))))
        except FieldError:
            return None

    def length_of(self, value: Plain | bytes) -> int:
        """Bytes that the value takes in a frame whose size follows from it."""
        if isinstance(value, bytes):
            return len(value)
        return len(_from_hex(self.field, str(value))) if self.field.shape is Shape.BYTES else len(str(value))

    def _span(self, size: int) -> tuple[int, int]:
        begin = self.at if self.at >= 0 else size + self.at
        if self.field.to is None:
            return begin, begin + self.field.size
        return begin, self.field.to if self.field.to > 0 else size + self.field.to

    def _shaped(self, part: bytes) -> Value:
        field = self.field
        match field.shape:
            case Shape.UINT:
                number = int.from_bytes(part, "little" if field.little else "big", signed=field.signed)
                if field.bits is not None:
                    high, low = field.bits
                    number = number >> low & (1 << high - low + 1) - 1
                if field.mask is not None:
                    number &= field.mask
                return number * field.scale
            case Shape.BYTES:
                return bytes(part)
            case Shape.BCD:
                text = part.hex()
            case _:
                text = ascii_of(field.name, part)
        return spelled(field, text)

    def write(self, frame: bytearray, value: Plain | bytes) -> None:
        """Put the value into its place.

        Raises:
            FieldError: it does not fit.
        """
        field = self.field
        plain = self.names.value_of(value) if self.names is not None and not isinstance(value, bytes) else value
        begin, end = self._span(len(frame))
        if field.shape is Shape.UINT and (field.bits is not None or field.mask is not None):
            self._write_bits(frame, begin, end, plain)
            return
        part = self._unshaped(plain, end - begin)
        if len(part) != end - begin:
            raise FieldRangeError(f"{field.name}: {len(part)} bytes do not fit into {end - begin}")
        frame[begin:end] = part

    def _write_bits(self, frame: bytearray, begin: int, end: int, value: Plain | bytes) -> None:
        field = self.field
        high, low = field.bits or (8 * (end - begin) - 1, 0)
        mask = (1 << high - low + 1) - 1
        number = as_number(field, value)
        if number & ~(mask if field.mask is None else field.mask):
            raise FieldRangeError(f"{field.name}: {number} does not fit")
        old = int.from_bytes(frame[begin:end], "little" if field.little else "big")
        frame[begin:end] = (old | number << low).to_bytes(end - begin, "little" if field.little else "big")

    def _unshaped(self, value: Plain | bytes, size: int) -> bytes:
        field = self.field
        match field.shape:
            case Shape.BYTES:
                return value if isinstance(value, bytes) else _from_hex(field, str(value))
            case Shape.TEXT:
                return str(value).encode("ascii", "replace")
            case Shape.DECIMAL:
                return f"{as_number(field, value):0{size}d}".encode("ascii")
            case Shape.HEX:
                return f"{as_number(field, value):0{size}X}".encode("ascii")
            case Shape.BCD:
                return bytes.fromhex(f"{as_number(field, value):0{2 * size}d}")
            case _:
                try:
                    return as_number(field, value).to_bytes(size, "little" if field.little else "big", signed=field.signed)
                except OverflowError as error:
                    raise FieldRangeError(f"{field.name}: {value!r} does not fit into {size} bytes") from error


def _from_hex(field: PlainField, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise FieldRangeError(f"{field.name}: '{text[:40]}' is no bytes in hexadecimal") from error


def as_number(field: PlainField, value: Plain | bytes) -> int:
    """The number that is written, before its scale.

    Raises:
        FieldRangeError: it is no number.
    """
    if not isinstance(value, int):
        raise FieldRangeError(f"{field.name}: '{str(value)[:40]}' is no number")
    return value // field.scale


def digits_of(field: PlainField, value: int) -> str:
    """A number in a text, in the digits and with the scale by which it is read; `size` digits at least."""
    match field.shape:
        case Shape.DECIMAL:
            return f"{as_number(field, value):0{field.size}d}"
        case Shape.HEX:
            return f"{as_number(field, value):0{field.size}X}"
        case _:
            return str(value)


def ascii_of(name: str, part: bytes) -> str:
    """Bytes as ASCII text.

    Raises:
        FieldError: they are none.
    """
    try:
        return part.decode("ascii")
    except UnicodeDecodeError as error:
        raise FieldError(f"{name}: these bytes are no ASCII text") from error


def spelled(field: PlainField, text: str) -> Value:
    """The value of a text: itself, or the number that its digits are.

    Raises:
        FieldError: they are no such digits.
    """
    try:
        match field.shape:
            case Shape.DECIMAL | Shape.BCD:
                return int(text) * field.scale if text.isascii() and text.isdecimal() else _no_digits(field, text)
            case Shape.HEX:
                return int(text, 16) * field.scale
            case _:
                return text
    except ValueError as error:
        raise FieldError(f"{field.name}: these are no digits") from error


def _no_digits(field: PlainField, text: str) -> int:
    raise FieldError(f"{field.name}: {len(text)} characters that are no digits")


def named(field: PlainField, names: Names | None, value: Value) -> Value:
    """The value by its name, where the field has a table; a value without a name stays as it is."""
    if names is None or isinstance(value, bytes):
        return value
    name = names.name_of(value)
    return name if name is not None else value


def missing(field: PlainField, values: Mapping[str, object]) -> bool:
    """Whether a value has to be given to write this field."""
    return field.name not in values and field.value is None and not field.optional


def fits(where: Mapping[str, Plain | tuple[Plain, ...]], values: Mapping[str, Value]) -> bool:
    """Whether these fields have these values."""
    for name, wanted in where.items():
        found = values.get(name)
        if found not in wanted if isinstance(wanted, tuple) else found != wanted:
            return False
    return True

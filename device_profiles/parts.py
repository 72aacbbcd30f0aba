"""The parts of a message that have no fixed size: bytes and text to the end, repeated groups, TLVs."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from device_profiles.errors import FieldError, FieldRangeError, ShortPayloadError
from device_profiles.fixed import LETTER, is_fixed_size
from device_profiles.schema import Field, FieldType
from device_profiles.values import Compiled, FieldValue, Hidden, bytes_of

TLV_VALUE_MAX: Final = 255  # the length of a TLV is one byte

Compile: TypeAlias = Callable[[Sequence[Field]], Compiled]
"""Compiles inner fields with the tables and kinds of the message around them."""


class Part(NamedTuple):
    """The closures of one part of free length."""

    names: tuple[str, ...]
    decode: Callable[[bytes], dict[str, FieldValue]]
    encode: Callable[[Mapping[str, FieldValue]], bytes]


def compile_part(field: Field, compile_inner: Compile) -> Part:
    """Compile the one part of free length that a message may have."""
    match field.type:
        case FieldType.LIST:
            return _list_part(field, compile_inner(field.items))
        case FieldType.TLVS:
            return _tlvs_part(field, compile_inner)
        case _:
            return _rest_part(field)


def _rest_part(field: Field) -> Part:
    """Everything up to the fixed fields after it."""

    def decode(raw: bytes) -> dict[str, FieldValue]:
        if field.max is not None and len(raw) > field.max:
            raise FieldRangeError(f"field '{field.name}' takes at most {field.max} bytes")
        if field.secret:
            return {field.name: Hidden(raw)}
        match field.type:
            case FieldType.TEXT:
                return {field.name: raw.decode("utf-8", "replace")}
            case FieldType.VERSION:
                return {field.name: ".".join(map(str, raw))}
            case _:
                return {field.name: raw}

    def encode(values: Mapping[str, FieldValue]) -> bytes:
        value = values.get(field.name)
        if value is None:
            if not field.optional:
                raise FieldError(f"field '{field.name}' is missing")
            return b""
        raw = bytes_of(field, value)
        if field.max is not None and len(raw) > field.max:
            raise FieldError(f"field '{field.name}' takes at most {field.max} bytes")
        return raw

    return Part((field.name,), decode, encode)


def _list_part(field: Field, group: Compiled) -> Part:
    """Groups of fixed size up to the end of the part."""
    size = group_size(field)

    def decode(raw: bytes) -> dict[str, FieldValue]:
        # A rest shorter than one group is ignored, as trailing bytes are everywhere.
        count = len(raw) // size
        return {field.name: tuple(group.decode(raw[i * size : (i + 1) * size], 0) for i in range(count))}

    def encode(values: Mapping[str, FieldValue]) -> bytes:
        groups = values.get(field.name)
        if not isinstance(groups, tuple | list):
            raise FieldError(f"field '{field.name}' takes a list of groups")
        encoded = b""
        for entry in groups:
            if not isinstance(entry, Mapping):
                raise FieldError(f"field '{field.name}' takes a list of groups of {', '.join(group.names)}")
            encoded += group.encode(entry)
        return encoded

    return Part((field.name,), decode, encode)


def group_size(field: Field) -> int:
    """Return the size of one group of a list, whose fields the loader has checked to be of fixed size."""
    return sum(struct.calcsize(">" + LETTER[item.type]) if item.type in LETTER else item.size or 0 for item in field.items)


def _tlvs_part(field: Field, compile_inner: Compile) -> Part:
    """Tag, length, value; the known ones stand beside the message's other fields."""
    items: dict[int, Compiled] = {}
    for item in field.items:
        assert item.tag is not None, "the loader lets only tagged fields come here"
        # The length comes from the TLV, so a value of bytes needs none of its own.
        sized = item if is_fixed_size(item) else msgspec.structs.replace(item, size=None)
        items[item.tag] = compile_inner((sized,))
    names = tuple(name for item in items.values() for name in item.names)

    def decode(raw: bytes) -> dict[str, FieldValue]:
        values: dict[str, FieldValue] = {}
        at = 0
        while at < len(raw):
            if at + 2 > len(raw) or at + 2 + raw[at + 1] > len(raw):
                raise ShortPayloadError("a tagged value runs past the end of the payload")
            tag, length = raw[at], raw[at + 1]
            item = items.get(tag)
            if item is not None:
                values.update(item.decode(raw[at + 2 : at + 2 + length], 0))
            at += 2 + length
        return values

    def encode(values: Mapping[str, FieldValue]) -> bytes:
        encoded = b""
        for tag, item in items.items():
            given = {name: values[name] for name in item.names if values.get(name) is not None}
            if given:
                value = item.encode(given)
                if len(value) > TLV_VALUE_MAX:
                    raise FieldError(f"field '{item.names[0]}' takes at most {TLV_VALUE_MAX} bytes")
                encoded += bytes((tag, len(value))) + value
        return encoded

    return Part(names, decode, encode)

"""Frames of every message that a plain profile describes, made from the profile itself."""

from __future__ import annotations

from collections.abc import Iterator

from device_profiles.errors import FieldError
from device_profiles.loader import profile_names
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import is_plain, load_plain
from device_profiles.plain.messages import Plain, PlainField, PlainMessage, Shape
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.plain.codec import PlainCodec

PLAIN = tuple(name for name in profile_names() if is_plain(name))


def codec_of(name: str) -> PlainCodec:
    return PlainCodec(load_plain(name))


def samples(codec: PlainCodec, way: Way = Way.IN) -> dict[str, bytes]:
    """Message name -> bytes on the wire: from the vectors, else written with values that fit."""
    profile = codec.profile
    found = {}
    for message in profile.messages:
        if message.way not in (way, Way.BOTH):
            continue
        wire = next((v.wire_bytes() for v in profile.vectors if v.message == message.name), None) or _written(codec, message)
        if wire:
            found[message.name] = wire
    return found


def values_of(codec: PlainCodec, message: PlainMessage) -> dict[str, Plain | bytes]:
    """Values with which the message can be said: those of a vector, else ones that fit."""
    told = next((v.fields for v in codec.profile.vectors if v.message == message.name and not v.one_way), None)
    if told is not None:
        return {name: value for name, value in told.items() if isinstance(value, str | int | bool)}
    return dict(_values(codec.profile, message))


def _written(codec: PlainCodec, message: PlainMessage) -> bytes:
    values = dict(_values(codec.profile, message))
    values = {name: value for name, value in values.items() if name not in codec.messages[message.name].late.absent(values)}
    try:
        return codec.write(message.name, values)
    except FieldError:
        return b""


def _values(profile: PlainProfile, message: PlainMessage) -> Iterator[tuple[str, Plain | bytes]]:
    for field in message.fields:
        wanted = message.where.get(field.name)
        if isinstance(wanted, tuple):
            yield field.name, wanted[0]
        elif wanted is None and field.value is None:
            yield field.name, _value(profile, field)


def _value(profile: PlainProfile, field: PlainField) -> Plain | bytes:
    if field.names is not None:
        return next(iter(profile.names[field.names].values))
    match field.shape:
        case Shape.TEXT:
            return "1" * field.size
        case Shape.BYTES:
            return bytes(field.size if field.to is None else 3)
        case _:
            return 1

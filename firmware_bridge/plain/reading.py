"""Which message a frame is and what its fields say: compiled once from a profile, read without looking at the profile again.

A message is known by its grammar, its pattern and the values of its fields; the first in the order of the profile that fits is it. Of a
binary frame one byte mostly tells it, so the messages are sorted by that byte beforehand; a JSON object is read once for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, cast

import re2

from device_profiles.errors import FieldError, InvalidProfileError, ShortPayloadError
from device_profiles.plain.messages import Plain, PlainField, PlainMessage, Tlv
from firmware_bridge.plain.fields import FieldAtWork, Names, Values, fits, named, spelled
from firmware_bridge.plain.json_paths import at_path
from firmware_bridge.plain.places import Places
from firmware_bridge.plain.tlv import read_tlv

Read = Callable[[bytes], "Values | None"]
"""A frame's values; None when it is another message. Raises FieldError where it is this one and a field of it cannot be read."""
ReadTree = Callable[[object], "Values | None"]
"""The same of the JSON value that a line is."""
Where = Mapping[str, Plain | tuple[Plain, ...]]
PLAIN_TYPES: Final = frozenset((str, int, bool))
"""What a JSON value may be to be a field's."""
_raw_decode: Final = json.JSONDecoder().raw_decode


class Match(Protocol):
    """What is used of a pattern that was found."""

    def start(self) -> int: ...
    def end(self) -> int: ...
    def groupdict(self) -> dict[str, str | None]: ...


class LinearPattern(Protocol):
    """What is used of a compiled pattern; it is matched in time that grows with the text alone."""

    @property
    def groupindex(self) -> Mapping[str, int]: ...
    def fullmatch(self, text: str) -> Match | None: ...
    def search(self, text: str) -> Match | None: ...


def linear_pattern(pattern: str, file: str, message: str) -> LinearPattern:
    """Compile a pattern.

    Raises:
        InvalidProfileError: it is none, or none that can be matched in linear time and little memory.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        compiled: LinearPattern = re2.compile(pattern, options)
    except re2.error as error:
        raise InvalidProfileError(file, f"message '{message}': its pattern cannot be used: {_why(error)[:120]}") from error
    return compiled


def _why(error: re2.error) -> str:
    """What the library says of a pattern; it says it in bytes."""
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


class BinaryReading:
    """Fields at places of a binary frame, and values by their tags."""

    def __init__(self, message: PlainMessage, fields: Sequence[FieldAtWork]) -> None:
        self._where, self._tlv = message.where, message.tlv
        at_places = [field for field in fields if field.field.tag is None]
        self._by_tag = {field.field.tag: field for field in fields if field.field.tag is not None}
        ordered = sorted(at_places, key=lambda field: field.field.name not in message.where)
        self._steps = [(field.field.name, field.quick, _wanted(message.where, field.field.name)) for field in ordered]
        """What tells the message comes first: name, reader, and the values that it must have, None where any will do."""
        self._is_told_apart = bool(at_places) and set(message.where) <= {field.field.name for field in at_places}
        self.accepted = _accepted(ordered, message.where)
        """By place: with which bytes there it may be this message."""
        self.places = Places(message, ordered, self.accepted) if self._is_simple(ordered) else None
        """Where the message can be looked up by its bytes, which is quicker than reading its fields."""

    def _is_simple(self, ordered: Sequence[FieldAtWork]) -> bool:
        """Whether every field is one byte at a place from the beginning, each name is one field's, and nothing else tells the message."""
        names = {field.field.name for field in ordered if field.by_byte is not None}
        return self._tlv is None and self._is_told_apart and len(names) == len(ordered)

    def read(self, content: bytes) -> Values | None:
        """A frame's values; None when it is another message. Raises FieldError where it is this one and a field of it cannot be read."""
        values: Values = {}
        for name, read, wanted in self._steps:
            if wanted is None:
                value = read(content)
            else:
                try:
                    value = read(content)
                except FieldError:
                    return None
                if value not in wanted:
                    return None
            if value is not None:
                values[name] = value
        if self._tlv is not None:
            values |= self._read_tags(self._tlv, content)
        return values if self._is_told_apart or fits(self._where, values) else None

    def _read_tags(self, rule: Tlv, content: bytes) -> Values:
        found = read_tlv(rule, content)
        for tag, field in self._by_tag.items():
            if tag not in found and not field.field.optional:
                raise ShortPayloadError(f"{field.field.name}: there is no value with its tag")
        return {field.field.name: field.value_of(found[tag]) for tag, field in self._by_tag.items() if tag in found}


def _wanted(where: Where, name: str) -> tuple[Plain, ...] | None:
    wanted = where.get(name)
    return wanted if wanted is None or isinstance(wanted, tuple) else (wanted,)


def _accepted(fields: Sequence[FieldAtWork], where: Where) -> dict[int, frozenset[int]]:
    accepted: dict[int, frozenset[int]] = {}
    for field in fields:
        wanted = _wanted(where, field.field.name)
        if wanted is None or field.by_byte is None:
            continue
        fitting = frozenset(byte for byte, value in enumerate(field.by_byte) if value is not None and value in wanted)
        accepted[field.at] = fitting & accepted.get(field.at, fitting)
    return accepted


def text_reading(message: PlainMessage, pattern: LinearPattern, tables: Mapping[str, Names]) -> Read:
    """Compile the fields of a line: the groups of its pattern."""
    fields = {field.name: (field, tables.get(field.name)) for field in message.fields}
    where = message.where

    def read(content: bytes) -> Values | None:
        found = pattern.fullmatch(content.decode("latin-1"))
        if found is None:
            return None
        values: Values = {}
        for name, text in found.groupdict().items():
            if text is not None and name in fields:
                field, names = fields[name]
                values[name] = named(field, names, spelled(field, text))
        return values if fits(where, values) else None

    return read


def json_reading(where: Where, fields: Sequence[PlainField], tables: Mapping[str, Names]) -> ReadTree:
    """Compile the fields of a JSON object: paths into it."""
    steps = tuple((f.name, f.path or f.name, f, tables.get(f.name), _wanted(where, f.name)) for f in fields)
    is_flat = not any("." in path for _, path, *_ in steps)

    def read(tree: object) -> Values | None:
        values: Values = {}
        top = tree if is_flat and isinstance(tree, dict) else None
        for name, path, field, names, wanted in steps:
            found = top.get(path) if top is not None else at_path(tree, path)
            if type(found) not in PLAIN_TYPES:
                if wanted is None and field.optional:
                    continue
                return None
            value = cast("Plain", found) if names is None else named(field, names, cast("Plain", found))
            if wanted is not None and value not in wanted:
                return None
            values[name] = value
        return values

    return read


def read_line(content: bytes) -> object:
    """Return the JSON value that a line is.

    Raises:
        FieldError: it is none.
    """
    try:
        if content[:1] == b"{" and content[1:2] != b"\0":  # an object in UTF-8: what `loads` does, without finding that out
            text = content.decode("utf-8", "surrogatepass")
            tree, end = _raw_decode(text)
            if end == len(text):
                return tree
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FieldError("the line is no JSON object") from error

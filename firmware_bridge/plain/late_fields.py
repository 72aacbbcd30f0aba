"""Fields whose presence or place other fields decide, both ways: `when` and `after` of the profile language.

All other fields of a message are read first, as if these were not there; then these follow in the order of the file, each with its
condition and the end of the one before it. What is not there leaves no value, and the next one moves up.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from device_profiles.errors import FieldRangeError, ShortPayloadError
from device_profiles.plain.conditions import is_late
from device_profiles.plain.describe import condition_words
from device_profiles.plain.messages import Plain, PlainField, PlainMessage
from firmware_bridge.plain.fields import MISSING, FieldAtWork, Names, Value, fits

Given = Mapping[str, Plain | bytes]


class LateFields:
    """Such fields of one message. `tail`: bytes at the frame's end that are no fields, such as its checksum."""

    def __init__(self, message: PlainMessage, tables: Mapping[str, Names], tail: int, file: str) -> None:
        self._message, self._tail = message, tail
        self._fields = [field for field in message.fields if is_late(field)]
        self._ends = {f.name: _end_of(f) for f in message.fields if not is_late(f)}
        whole = {f.name: msgspec.structs.replace(f, at=0, after=None, to=None if f.to is None else 0) for f in self._fields}
        self._at_work = {} if message.json else {name: FieldAtWork(f, tables.get(name), file) for name, f in whole.items()}
        self.names = frozenset(whole)
        self.early = tuple(f for f in message.fields if f.name not in self.names)
        """The other fields; of a JSON object, which has no places, all of them, those with a condition as optional ones."""
        if message.json:
            self.early = tuple(msgspec.structs.replace(f, optional=f.optional or bool(f.when)) for f in message.fields)

    def read(self, content: bytes, values: dict[str, Value]) -> dict[str, Value]:
        """Add their values to those of the other fields.

        Raises:
            FieldError: one has to be there and is not, or cannot be read.
        """
        if self._message.json:
            return self._sorted_out(values)
        ends = dict(self._ends)
        for field in self._fields:
            begin = self._begin(field, ends, len(content))
            ends[field.name] = begin
            if not fits(field.when, values):
                continue
            end = self._end(field, begin, len(content))
            if not 0 <= begin <= end <= self._room(field, len(content)) or (begin == end and field.to is None):
                if field.optional:
                    continue
                raise ShortPayloadError(f"{field.name}: {MISSING}")
            value = self._at_work[field.name].read(content[begin:end])
            if value is not None:
                values[field.name] = value
            ends[field.name] = end
        return values

    def _sorted_out(self, values: dict[str, Value]) -> dict[str, Value]:
        for field in self._fields:
            if not fits(field.when, values):
                values.pop(field.name, None)
            elif field.name not in values and not field.optional:
                raise ShortPayloadError(f"{field.name}: there is nothing at its path")
        return values

    def absent(self, given: Given) -> frozenset[str]:
        """Which of them are not said with these values."""
        known = dict(given)
        absent = set()
        for field in self._fields:
            if not fits(field.when, known):
                known.pop(field.name, None)
                absent.add(field.name)
        return frozenset(absent)

    def said(self, given: Given, wanted: Given) -> tuple[dict[str, Plain | bytes], frozenset[str]]:
        """(what is said of `given`, the fields that are not said with it); `wanted` is what somebody wants said.

        Raises:
            FieldRangeError: something is wanted that is not said.
        """
        absent = self.absent(given)
        if wrong := sorted(absent & set(wanted)):
            when = next(f.when for f in self._fields if f.name == wrong[0])
            raise FieldRangeError(f"{self._message.name}: {wrong[0]} is said only {condition_words(when)}")
        return {name: value for name, value in given.items() if name not in absent}, absent

    def size(self, given: Given) -> int:
        """Bytes that a frame needs for those of them that are given."""
        size = 0
        for field, begin, length in self._places(given):
            if field.at is None or field.at >= 0:
                size = max(size, begin + length + (self._tail if field.to is None else -field.to))
        return size

    def write(self, frame: bytearray, given: Given) -> None:
        """Put those that are given into their places. Raises FieldError."""
        for field, begin, length in self._places(given):
            at = begin if begin >= 0 else len(frame) + begin
            part = frame[at : at + length]
            self._at_work[field.name].write(part, given[field.name])
            frame[at : at + length] = part

    def _places(self, given: Given) -> list[tuple[PlainField, int, int]]:
        ends, places = dict(self._ends), []
        for field in self._fields:
            begin = field.at if field.at is not None else ends[field.after or ""]
            ends[field.name] = begin
            if field.name not in given:
                continue
            if field.to is None:
                length = field.size
            elif field.to > 0:
                length = field.to - begin
            else:
                length = self._at_work[field.name].length_of(given[field.name])
            places.append((field, begin, length))
            ends[field.name] = begin + length
        return places

    def _begin(self, field: PlainField, ends: Mapping[str, int], size: int) -> int:
        if field.at is None:
            return ends[field.after or ""]
        return field.at if field.at >= 0 else size + field.at

    def _end(self, field: PlainField, begin: int, size: int) -> int:
        if field.to is None:
            return begin + field.size
        return field.to if field.to > 0 else size + field.to

    def _room(self, field: PlainField, size: int) -> int:
        """Up to where it may reach; only a field at a place of its own may lie in the tail, as a checksum that is also a field."""
        return size - self._tail if field.after is not None else size


def _end_of(field: PlainField) -> int:
    return field.to if field.to is not None else (field.at or 0) + field.size

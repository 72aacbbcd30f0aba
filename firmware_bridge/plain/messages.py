"""The messages of a plain profile at work: what a frame says by them, and their bytes. What a device does not tell is not known here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from device_profiles.errors import FieldRangeError, InvalidProfileError, ShortPayloadError
from device_profiles.plain.frames import Line, Reports, Tokens
from device_profiles.plain.messages import Group, Plain, PlainMessage, RingEntry
from firmware_bridge.plain.fields import FieldAtWork, Names, Value, Values, digits_of, fits, missing
from firmware_bridge.plain.framers import GrammarReader, smallest_tail, write_frame
from firmware_bridge.plain.heard import Hear, PlainHeard
from firmware_bridge.plain.json_paths import put_at_path
from firmware_bridge.plain.late_fields import LateFields
from firmware_bridge.plain.mapping import meaning_of
from firmware_bridge.plain.places import Places
from firmware_bridge.plain.reading import BinaryReading, Read, ReadTree, json_reading, linear_pattern, read_line, text_reading
from firmware_bridge.plain.tlv import write_tlv

ENTRIES_MAX: Final = 64
"""Of a group: more than any hand of cards, and a frame of the largest size holds few more of the smallest."""


class EntryAtWork:
    """One kind of entry in a ring, compiled."""

    def __init__(self, whose: str, entry: RingEntry, size: int, tables: Mapping[str, Names], file: str) -> None:
        self.entry = entry
        self._fields = [FieldAtWork(f, tables[f.names] if f.names is not None else None, file) for f in entry.fields]
        self._size = size
        self._secret = {f.name for f in entry.fields if f.secret}
        self._meaning = meaning_of(f"{whose}, entry '{entry.name}'", entry.fields, entry.means, file)

    def read(self, part: bytes, cards: Mapping[str, str]) -> PlainHeard | None:
        """The entry; None when it is of another kind. Raises FieldError."""
        values = {f.field.name: value for f in self._fields if (value := f.read(part)) is not None}
        if not fits(self.entry.where, values):
            return None
        means, make, card_of = self._meaning
        card = card_of(values, cards) if card_of is not None else None
        shown = {n: v for n, v in values.items() if n not in self._secret}
        return PlainHeard(self.entry.name, shown, means, card, make=make)

    def write(self, values: Mapping[str, Plain | bytes]) -> bytes:
        """The bytes of such an entry. Raises FieldError."""
        part = bytearray(self._size)
        given: dict[str, Plain | bytes] = {n: v for n, v in self.entry.where.items() if not isinstance(v, tuple)}
        given.update(values)
        for field in self._fields:
            if field.field.name in given:
                field.write(part, given[field.field.name])
        return bytes(part)


class MessageAtWork:
    """One message, compiled."""

    def __init__(self, message: PlainMessage, reader: GrammarReader, tables: Mapping[str, Names], file: str) -> None:
        """`reader` of its grammar; `tables` by their names in the profile."""
        self.message, self.reader = message, reader
        self._tables = {f.name: tables[f.names] for f in message.fields if f.names is not None}
        self._fields = {f.name: f for f in message.fields}
        self.pattern = linear_pattern(message.pattern, file, message.name) if message.pattern is not None else None
        self._is_text = isinstance(reader.grammar, Line | Tokens) or message.pattern is not None or message.json
        groups = set(self.pattern.groupindex) if self.pattern is not None else {f.name for f in message.fields}
        if unknown := {f.name for f in message.fields} - groups:
            raise InvalidProfileError(file, f"message '{message.name}': its pattern has no group {', '.join(sorted(unknown))}")
        self.late = LateFields(message, self._tables, smallest_tail(reader.grammar, reader.prover), file)
        at_work = (
            [] if message.json or self.pattern is not None else [FieldAtWork(f, self._tables.get(f.name), file) for f in self.late.early]
        )
        self._at_work = [field for field in at_work if field.field.tag is None]
        self._by_tag = {field.field.tag: field for field in at_work if field.field.tag is not None}
        if self._by_tag and message.tlv is None:
            raise InvalidProfileError(file, f"message '{message.name}' has fields with a tag and no `tlv`")
        self.accepted: Mapping[int, frozenset[int]] = {}
        """By place in a binary frame: with which bytes there it may be this message."""
        self.read_tree: ReadTree | None = self._tree_reading() if message.json else None
        """For a message that is a JSON object: reads what the line is."""
        self.read, self._places = self._reading(at_work)
        """The values of its fields; None when the frame is another message. Raises FieldError: a field of it cannot be read."""
        self._hidden = tuple(f.name for f in message.fields if f.secret)
        whose = f"message '{message.name}'"
        self._meaning = meaning_of(whose, message.fields, message.means, file)
        kinds = message.ring or message.group
        self.entries = [EntryAtWork(whose, entry, kinds.size, tables, file) for entry in kinds.entries] if kinds is not None else []

    def _reading(self, at_work: list[FieldAtWork]) -> tuple[Read, Places | None]:
        """What reads the fields, and the places where they can be looked up instead."""
        if self.read_tree is not None:
            read_tree = self.read_tree
            return lambda content: read_tree(read_line(content)), None
        if self.pattern is not None:
            return text_reading(self.message, self.pattern, self._tables), None
        binary, late = BinaryReading(self.message, at_work), self.late
        self.accepted = binary.accepted
        if not late.names:
            return binary.read, binary.places if self.message.ring is None and self.message.group is None else None

        def read(content: bytes) -> Values | None:
            values = binary.read(content)
            return late.read(content, values) if values is not None else None

        return read, None

    def _tree_reading(self) -> ReadTree:
        """Fields that come late are sorted out of the object's values; it has no places, so they need no bytes."""
        early, late = json_reading(self.message.where, self.late.early, self._tables), self.late
        if not late.names:
            return early

        def read(tree: object) -> Values | None:
            values = early(tree)
            return late.read(b"", values) if values is not None else None

        return read

    def hearing(self, sorted_at: int) -> Hear:
        """Return what hears this message as `hear` does, in frames of which the byte there says that they may be this one."""
        return self._places.hearing(self._meaning, self.hear, sorted_at) if self._places is not None else self.hear

    def hear(self, content: bytes, cards: Mapping[str, str]) -> PlainHeard | None:
        """What a frame says by this message; None when it is another. Raises FieldError: a field of it cannot be read."""
        values = self.read(content)
        return self.heard(content, values, cards) if values is not None else None

    def heard(self, content: bytes, values: Values, cards: Mapping[str, str]) -> PlainHeard:
        """What a frame says that has these values, which are its own from now on. Raises FieldError."""
        means, make, card_of = self._meaning
        card = card_of(values, cards) if card_of is not None else None
        ring = self._read_entries(content, values, cards) if self.entries else ()
        for name in self._hidden:
            values.pop(name, None)
        return PlainHeard(self.message.name, values, means, card, ring, make)

    def _read_entries(self, content: bytes, values: Mapping[str, Value], cards: Mapping[str, str]) -> tuple[PlainHeard, ...]:
        """The entries of its ring, newest first, or of its group, oldest first. Raises FieldError."""
        ring, group = self.message.ring, self.message.group
        if ring is not None:
            at, size, count = ring.at, ring.size, ring.count
        elif group is not None:
            at, size, count = group.at, group.size, entries_in(group, len(content), values)
        else:
            return ()
        heard = []
        for index in range(count):
            begin = at + index * size
            part = content[begin : begin + size]
            entry = next((found for kind in self.entries if (found := kind.read(part, cards)) is not None), None)
            heard.append(entry or PlainHeard("unknown", {}, None, None))
        return tuple(heard)

    def write(self, values: Mapping[str, Plain | bytes]) -> bytes:
        """The bytes on the wire.

        Raises:
            FieldError: a value is missing, unknown or does not fit.
        """
        given: dict[str, Plain | bytes] = {n: v for n, v in self.message.where.items() if not isinstance(v, tuple)}
        given |= {f.name: f.value for f in self.message.fields if f.value is not None}
        given, absent = self.late.said(given | dict(values), values)
        if unknown := set(values) - set(self._fields):
            raise FieldRangeError(f"{self.message.name} has no field {', '.join(sorted(unknown))[:80]}")
        lacking = [f.name for f in self.message.fields if missing(f, given) and f.name not in absent]
        if lacking:
            raise FieldRangeError(f"{self.message.name} needs {', '.join(lacking)}")
        if self.message.json:
            return self._write_json(given)
        if self._is_text:
            return self._write_text(given)
        return write_frame(self.reader, self._binary(given))

    def _binary(self, given: Mapping[str, Plain | bytes]) -> bytearray:
        grammar, size, tagged = self.reader.grammar, 0, b""
        if (tlv := self.message.tlv) is not None:
            given_tags = ((tag, f.bytes_of(given[f.field.name])) for tag, f in self._by_tag.items() if f.field.name in given)
            tagged = write_tlv(tlv, given_tags)
            size = tlv.at + len(tagged) - tlv.to
        fixed = getattr(grammar, "size", None)
        for field in self._at_work:
            if field.field.to is not None and field.field.to <= 0:
                size = max(size, field.at + field.length_of(given.get(field.field.name, b"")) - field.field.to)
            elif field.at >= 0:
                size = max(size, (field.field.to or field.at + field.field.size) + smallest_tail(grammar, self.reader.prover))
        size = max(size, self.late.size(given))
        frame = bytearray(fixed or max(size, len(self.reader.start) + smallest_tail(grammar, self.reader.prover)))
        if isinstance(grammar, Reports) and grammar.id is not None:
            frame[0] = grammar.id
        if tlv is not None:
            frame[tlv.at : tlv.at + len(tagged)] = tagged
        for field in self._at_work:
            if field.field.name in given:
                field.write(frame, given[field.field.name])
        self.late.write(frame, given)
        return frame

    def _write_json(self, given: Mapping[str, Plain | bytes]) -> bytes:
        tree: dict[str, object] = {}
        for field in self.message.fields:
            if field.name in given:
                table, value = self._tables.get(field.name), given[field.name]
                plain = table.value_of(value) if table is not None and not isinstance(value, bytes) else value
                put_at_path(tree, field.path or field.name, plain)
        return write_frame(self.reader, bytearray(json.dumps(tree, separators=(",", ":")).encode("utf-8")))

    def _write_text(self, given: Mapping[str, Plain | bytes]) -> bytes:
        texts = {}
        for name, value in given.items():
            table, field = self._tables.get(name), self._fields.get(name)
            plain = table.value_of(value) if table is not None and not isinstance(value, bytes) else value
            texts[name] = digits_of(field, plain) if field is not None and isinstance(plain, int) else str(plain)
        text = self.message.template
        for name, shown in texts.items():
            text = text.replace(f"{{{name}}}", shown)
        return write_frame(self.reader, bytearray(text.encode("latin-1", "replace")))


def entries_in(group: Group, size: int, values: Mapping[str, Value]) -> int:
    """How many entries a frame of this size has.

    Raises:
        ShortPayloadError: it says that it has more than fit into it.
    """
    room = max(0, size + group.to - group.at)
    told = values.get(group.count) if group.count is not None else room // group.size
    count = told if isinstance(told, int) else 0
    if not 0 <= count <= min(ENTRIES_MAX, room // group.size):
        raise ShortPayloadError(f"{count} entries do not fit into the frame")
    return count

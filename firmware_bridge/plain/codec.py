"""Frames of plain devices to messages and canonical events, and back, compiled once from a profile.

A message is known by its grammar, its pattern and the values of its fields; the first that fits is it. What a device does not tell
(event number, time, position) is the session's to count. The profile's vectors are run here, where the wire is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

import re2

from device_profiles.errors import FieldError, FieldRangeError, InvalidProfileError, ShortPayloadError
from device_profiles.plain.frames import Line, Reports, Tokens, Way
from device_profiles.plain.messages import Group, Means, Plain, PlainMessage, RingEntry, Shape, Tlv
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.cards import Sealed
from firmware_bridge.events import DeviceEvent
from firmware_bridge.plain.fields import FieldAtWork, Names, Value, fits, missing, named, spelled
from firmware_bridge.plain.framers import GrammarReader, PlainFrame, PlainFramer, Searcher, smallest_tail, write_frame
from firmware_bridge.plain.json_paths import at_path, put_at_path
from firmware_bridge.plain.late_fields import LateFields
from firmware_bridge.plain.mapping import EventMaker, card_of, event_maker, verify_means, verify_status
from firmware_bridge.plain.tlv import read_tlv, write_tlv
from firmware_bridge.plain.vectors import verify_vector

ENTRIES_MAX: Final = 64
"""Of a group: more than any hand of cards, and a frame of the largest size holds few more of the smallest."""


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


class PlainHeard(NamedTuple):
    """A message as it was understood. Fields that tell a card are left out; `card` holds it sealed."""

    name: str
    fields: dict[str, Value]
    means: Means | None
    card: Sealed | None
    ring: tuple[PlainHeard, ...] = ()
    """Newest first, for a message that carries a ring of events; in order, for a group. An entry of no known kind tells nothing."""


class EntryAtWork:
    """One kind of entry in a ring, compiled."""

    def __init__(self, entry: RingEntry, size: int, tables: Mapping[str, Names], file: str) -> None:
        self.entry = entry
        self._fields = [FieldAtWork(f, tables[f.names] if f.names is not None else None, file) for f in entry.fields]
        self._size = size
        self._secret = {f.name for f in entry.fields if f.secret}

    def read(self, part: bytes, cards: Mapping[str, str]) -> PlainHeard | None:
        """The entry; None when it is of another kind. Raises FieldError."""
        values = {f.field.name: value for f in self._fields if (value := f.read(part)) is not None}
        if not fits(self.entry.where, values):
            return None
        means = self.entry.means
        card = card_of(means.card, values, cards) if means is not None and means.card is not None else None
        return PlainHeard(self.entry.name, {n: v for n, v in values.items() if n not in self._secret}, means, card)

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

    def __init__(self, message: PlainMessage, profile: PlainProfile, tables: Mapping[str, Names], file: str) -> None:
        self.message = message
        self._tables = {f.name: tables[f.names] for f in message.fields if f.names is not None}
        self._fields = {f.name: f for f in message.fields}
        self.pattern = _compiled(message.pattern, file, message.name) if message.pattern is not None else None
        grammar = next(g for g in profile.framing.grammars if g.name == message.grammar)
        self._is_text = isinstance(grammar, Line | Tokens) or message.pattern is not None or message.json
        groups = set(self.pattern.groupindex) if self.pattern is not None else {f.name for f in message.fields}
        if unknown := {f.name for f in message.fields} - groups:
            raise InvalidProfileError(file, f"message '{message.name}': its pattern has no group {', '.join(sorted(unknown))}")
        self.reader = GrammarReader(grammar, file)
        self.late = LateFields(message, self._tables, smallest_tail(grammar, self.reader.prover), file)
        at_work = (
            [] if message.json or self.pattern is not None else [FieldAtWork(f, self._tables.get(f.name), file) for f in self.late.early]
        )
        self._at_work = [field for field in at_work if field.field.tag is None]
        self._by_tag = {field.field.tag: field for field in at_work if field.field.tag is not None}
        if self._by_tag and message.tlv is None:
            raise InvalidProfileError(file, f"message '{message.name}' has fields with a tag and no `tlv`")
        where = message.where
        self._steps = [
            (f.field.name, f.quick, _wanted(where, f.field.name)) for f in sorted(self._at_work, key=lambda f: f.field.name not in where)
        ]
        """What tells the message comes first: name, reader, and the values that it must have, None where any will do."""
        self._is_told_apart = bool(self._at_work) and set(where) <= {f.field.name for f in self._at_work}
        self.secret = frozenset(f.name for f in message.fields if f.secret)
        kinds = message.ring or message.group
        self.entries = [EntryAtWork(entry, kinds.size, tables, file) for entry in kinds.entries] if kinds is not None else []

    def read_entries(self, content: bytes, values: Mapping[str, Value], cards: Mapping[str, str]) -> tuple[PlainHeard, ...]:
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

    def read(self, content: bytes) -> dict[str, Value] | None:
        """The values of its fields; None when the frame is another message.

        Raises:
            FieldError: it is this message, and a field of it cannot be read.
        """
        if self.message.json:
            values = self._read_json(content)
        elif self.pattern is not None:
            values = self._read_text(content)
        else:
            values = self._read_bytes(content)
            if self._is_told_apart and not self.late.names:
                return values
        if values is None or not fits(self.message.where, values):
            return None
        return self.late.read(content, values) if self.late.names else values

    def _read_bytes(self, content: bytes) -> dict[str, Value] | None:
        values: dict[str, Value] = {}
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
        return values if self.message.tlv is None else values | self._read_tags(self.message.tlv, content)

    def _read_tags(self, rule: Tlv, content: bytes) -> dict[str, Value]:
        found = read_tlv(rule, content)
        for tag, field in self._by_tag.items():
            if tag not in found and not field.field.optional:
                raise ShortPayloadError(f"{field.field.name}: there is no value with its tag")
        return {field.field.name: field.value_of(found[tag]) for tag, field in self._by_tag.items() if tag in found}

    def _read_text(self, content: bytes) -> dict[str, Value] | None:
        found = self.pattern.fullmatch(content.decode("latin-1")) if self.pattern is not None else None
        if found is None:
            return None
        values: dict[str, Value] = {}
        for name, text in found.groupdict().items():
            field = self._fields.get(name)
            if field is not None and text is not None:
                values[name] = named(field, self._tables.get(name), spelled(field, text))
        return values

    def _read_json(self, content: bytes) -> dict[str, Value] | None:
        try:
            tree = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise FieldError("the line is no JSON object") from error
        values: dict[str, Value] = {}
        for field in self.late.early:
            value = at_path(tree, field.path or field.name)
            if isinstance(value, str | int | bool):
                values[field.name] = named(field, self._tables.get(field.name), value)
            elif not field.optional:
                return None
        return values

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
            digits = field.size if field is not None and field.shape is Shape.DECIMAL and isinstance(plain, int) else 0
            texts[name] = str(plain).zfill(digits)
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


def _wanted(where: Mapping[str, Plain | tuple[Plain, ...]], name: str) -> tuple[Plain, ...] | None:
    wanted = where.get(name)
    return wanted if wanted is None or isinstance(wanted, tuple) else (wanted,)


def _compiled(pattern: str, file: str, message: str) -> LinearPattern:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        compiled: LinearPattern = re2.compile(pattern, options)
    except re2.error as error:
        raise InvalidProfileError(file, f"message '{message}': its pattern cannot be used: {str(error)[:120]}") from error
    return compiled


class PlainCodec:
    """A plain profile at work; serves all connections of its profile."""

    def __init__(self, profile: PlainProfile) -> None:
        """Compile `profile` and run its vectors.

        Raises:
            ProfileError: a name has no meaning, a checksum or pattern cannot be used, or a vector does not come out.
        """
        self.profile = profile
        self.file = f"{profile.name}.toml"
        tables = {name: Names(table) for name, table in profile.names.items()}
        self.messages = {m.name: MessageAtWork(m, profile, tables, self.file) for m in profile.messages}
        self._heard = [m for m in self.messages.values() if m.message.way in (Way.IN, Way.BOTH)]
        self._said = [m for m in self.messages.values() if m.message.way in (Way.OUT, Way.BOTH)]
        self._by_grammar = {Way.IN: _sorted_out(self._heard), Way.OUT: _sorted_out(self._said)}
        self._makers: dict[int, EventMaker] = {}
        """By the meaning's own identity, which lives as long as the profile."""
        for message in self.messages.values():
            verify_status(message.message, self.file)
            if message.message.means is not None:
                verify_means(message.message, message.message.means, self.file)
        for vector in profile.vectors:
            verify_vector(self, vector)

    def framer(self, way: Way, *, pauses: bool = False) -> PlainFramer:
        """A framer for one direction of one connection, or for both of them on one wire."""
        search = self._token_search(way) if any(isinstance(g, Tokens) for g in self.profile.framing.grammars) else None
        return PlainFramer(self.profile.framing, way, self.file, search=search, pauses=pauses)

    def _token_search(self, way: Way) -> Searcher:
        patterns = [(m.message.grammar, m.pattern) for m in (self._said if way is Way.OUT else self._heard) if m.pattern is not None]

        def search(waiting: bytes) -> tuple[int, int, str] | None:
            text = waiting.decode("latin-1")
            best: tuple[int, int, str] | None = None
            for grammar, pattern in patterns:
                found = pattern.search(text)
                if found is not None and (best is None or found.start() < best[0]):
                    best = (found.start(), found.end(), grammar)
            return best

        return search

    def read(self, frame: PlainFrame, cards: Mapping[str, str] | None = None, way: Way = Way.IN) -> PlainHeard | None:
        """What a frame says; None when no message fits. `cards` maps tags to card names.

        Raises:
            FieldError: it fits a message and a field of it cannot be read.
        """
        for message in self._by_grammar[way].get(frame.grammar, ()):
            values = message.read(frame.content)
            if values is None:
                continue
            means, secret = message.message.means, message.secret
            card = card_of(means.card, values, cards or {}) if means is not None and means.card is not None else None
            shown = {n: v for n, v in values.items() if n not in secret} if secret else values
            ring = message.read_entries(frame.content, values, cards or {}) if message.entries else ()
            return PlainHeard(message.message.name, shown, means, card, ring)
        return None

    def is_hosts(self, frame: PlainFrame) -> bool:
        """Whether a frame is a message that the host says."""
        try:
            return self.read(frame, way=Way.OUT) is not None
        except FieldError:
            return False

    def write(self, name: str, values: Mapping[str, Plain | bytes] | None = None) -> bytes:
        """The bytes on the wire of a message.

        Raises:
            FieldError: there is no such message, or a value does not fit.
        """
        if name not in self.messages:
            raise FieldRangeError(f"profile '{self.profile.name}' has no message '{name[:40]}'")
        return self.messages[name].write(values or {})

    def event_of(self, heard: PlainHeard, t_ms: int, position: int) -> DeviceEvent | None:
        """The canonical event that a message is, not numbered yet; None when it is none. `position` counts the cards of this shoe."""
        means = heard.means
        if means is None:
            return None
        maker = self._makers.get(id(means))
        if maker is None:
            maker = self._makers[id(means)] = event_maker(means)
        return maker(heard.fields, heard.card, t_ms, position)


def _sorted_out(messages: list[MessageAtWork]) -> dict[str, list[MessageAtWork]]:
    found: dict[str, list[MessageAtWork]] = {}
    for message in messages:
        found.setdefault(message.message.grammar, []).append(message)
    return found

"""Frames of plain devices to messages and canonical events, and back, compiled once from a profile.

A message is known by its grammar, its pattern and the values of its fields; the first that fits is it. What a device does not tell
(event number, time, position) is the session's to count. The profile's vectors are run here, where the wire is.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping
from enum import Enum, Flag
from typing import Final, NamedTuple, cast

import msgspec
import re2

from device_profiles.errors import FailedVectorError, FieldError, FieldRangeError, InvalidProfileError
from device_profiles.plain.frames import Line, Reports, Tokens, Way
from device_profiles.plain.messages import CardRule, Means, Plain, PlainMessage
from device_profiles.plain.profile import PlainProfile, PlainVector
from firmware_bridge.cards import UNREADABLE, Card, CardTextError, Sealed, parse_card
from firmware_bridge.events import EVENT_TYPES, CardFlag, DeviceEvent
from firmware_bridge.plain.fields import FieldAtWork, Names, Value, missing, named, spelled
from firmware_bridge.plain.framers import GrammarReader, PlainFrame, PlainFramer, Trouble, smallest_tail, write_frame

EVENTS: Final = {cls.__name__: cls for cls in EVENT_TYPES}
UNTOLD: Final[dict[str, object]] = {"flags": CardFlag.NONE, "confidence": 0, "position": 0, "remaining": None, "decks": 0, "detail": 0}
"""What an event says where the device does not: numbers that are counted elsewhere, or nothing."""
CARD_EVENTS: Final = frozenset({"CardRead", "CardOutOfFlow", "BurnEjected"})


class PlainHeard(NamedTuple):
    """A message as it was understood. Fields that tell a card are left out; `card` holds it sealed."""

    name: str
    fields: dict[str, Value]
    means: Means | None
    card: Sealed | None


class MessageAtWork:
    """One message, compiled."""

    def __init__(self, message: PlainMessage, profile: PlainProfile, tables: Mapping[str, Names], file: str) -> None:
        self.message = message
        self._tables = {f.name: tables[f.names] for f in message.fields if f.names is not None}
        self._fields = {f.name: f for f in message.fields}
        self._pattern = _compiled(message.pattern, file, message.name) if message.pattern is not None else None
        grammar = next(g for g in profile.framing.grammars if g.name == message.grammar)
        self._is_text = isinstance(grammar, Line | Tokens) or message.pattern is not None or message.json
        is_json, is_pattern = message.json, self._pattern is not None
        if is_pattern and (unknown := {f.name for f in message.fields} - {*self._pattern.groupindex}):
            raise InvalidProfileError(file, f"message '{message.name}': its pattern has no group {', '.join(sorted(unknown))}")
        self._at_work = [] if is_json or is_pattern else [FieldAtWork(f, self._tables.get(f.name), file) for f in message.fields]
        self.reader = GrammarReader(grammar, file)

    def read(self, content: bytes) -> dict[str, Value] | None:
        """The values of its fields; None when the frame is another message.

        Raises:
            FieldError: it is this message, and a field of it cannot be read.
        """
        if self.message.json:
            values = self._read_json(content)
        elif self._pattern is not None:
            values = self._read_text(content)
        else:
            values = self._read_bytes(content)
        return values if values is not None and self._fits(values) else None

    def _fits(self, values: Mapping[str, Value]) -> bool:
        for name, wanted in self.message.where.items():
            found = values.get(name)
            if found not in wanted if isinstance(wanted, tuple) else found != wanted:
                return False
        return True

    def _read_bytes(self, content: bytes) -> dict[str, Value] | None:
        values: dict[str, Value] = {}
        wheres = self.message.where
        for field in sorted(self._at_work, key=lambda item: item.field.name not in wheres):
            try:
                value = field.read(content)
            except FieldError:
                if field.field.name in wheres:
                    return None
                raise
            if value is not None:
                values[field.field.name] = value
            if field.field.name in wheres and not self._fits_one(field.field.name, value):
                return None
        return values

    def _fits_one(self, name: str, value: Value | None) -> bool:
        wanted = self.message.where[name]
        return value in wanted if isinstance(wanted, tuple) else value == wanted

    def _read_text(self, content: bytes) -> dict[str, Value] | None:
        found = self._pattern.fullmatch(content.decode("latin-1"))
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
        for field in self.message.fields:
            value = _at_path(tree, field.path or field.name)
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
        given |= dict(values)
        unknown = set(values) - set(self._fields)
        if unknown:
            raise FieldRangeError(f"{self.message.name} has no field {', '.join(sorted(unknown))[:80]}")
        lacking = [f.name for f in self.message.fields if missing(f, given)]
        if lacking:
            raise FieldRangeError(f"{self.message.name} needs {', '.join(lacking)}")
        if self.message.json:
            return self._write_json(given)
        if self._is_text:
            return self._write_text(given)
        return write_frame(self.reader, self._binary(given))

    def _binary(self, given: Mapping[str, Plain | bytes]) -> bytearray:
        grammar, size = self.reader.grammar, 0
        fixed = getattr(grammar, "size", None)
        for field in self._at_work:
            if field.field.to is not None and field.field.to <= 0:
                size = max(size, field.at + len(_as_bytes(given.get(field.field.name, b""))) - field.field.to)
            elif field.at >= 0:
                size = max(size, (field.field.to or field.at + field.field.size) + smallest_tail(grammar, self.reader.prover))
        frame = bytearray(fixed or max(size, len(self.reader.start) + smallest_tail(grammar, self.reader.prover)))
        if isinstance(grammar, Reports) and grammar.id is not None:
            frame[0] = grammar.id
        for field in self._at_work:
            if field.field.name in given:
                field.write(frame, given[field.field.name])
        return frame

    def _write_json(self, given: Mapping[str, Plain | bytes]) -> bytes:
        tree: dict[str, object] = {}
        for field in self.message.fields:
            if field.name in given:
                table, value = self._tables.get(field.name), given[field.name]
                plain = table.value_of(value) if table is not None and not isinstance(value, bytes) else value
                _put_at_path(tree, field.path or field.name, plain)
        return write_frame(self.reader, bytearray(json.dumps(tree, separators=(",", ":")).encode("utf-8")))

    def _write_text(self, given: Mapping[str, Plain | bytes]) -> bytes:
        texts = {}
        for name, value in given.items():
            table = self._tables.get(name)
            texts[name] = str(table.value_of(value) if table is not None and not isinstance(value, bytes) else value)
        text = self.message.template
        for name, shown in texts.items():
            text = text.replace(f"{{{name}}}", shown)
        return write_frame(self.reader, bytearray(text.encode("latin-1", "replace")))


def _put_at_path(tree: dict[str, object], path: str, value: object) -> None:
    *above, last = path.split(".")
    for key in above:
        inner = tree.setdefault(key, {})
        if not isinstance(inner, dict):
            raise FieldRangeError(f"{path[:80]}: a value stands where an object is needed")
        tree = inner
    tree[last] = value


def _as_bytes(value: Plain | bytes) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("ascii", "replace")


def _compiled(pattern: str, file: str, message: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise InvalidProfileError(file, f"message '{message}': its pattern cannot be used: {str(error)[:120]}") from error


def _at_path(tree: object, path: str) -> object:
    for key in path.split("."):
        if isinstance(tree, dict):
            tree = tree.get(key)
        elif isinstance(tree, list) and key.isdecimal() and int(key) < len(tree):
            tree = tree[int(key)]
        else:
            return None
    return tree


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
        for message in self.messages.values():
            if message.message.means is not None:
                _verify_means(message.message, message.message.means, self.file)
        for vector in profile.vectors:
            self._run(vector)

    def framer(self, way: Way, *, pauses: bool = False) -> PlainFramer:
        """A framer for one direction of one connection."""
        search = self._token_search(way) if any(isinstance(g, Tokens) for g in self.profile.framing.grammars) else None
        return PlainFramer(self.profile.framing, way, self.file, search=search, pauses=pauses)

    def _token_search(self, way: Way) -> typing.Callable[[bytes], tuple[int, int, str] | None]:
        patterns = [(m.message.grammar, m._pattern) for m in (self._heard if way is Way.IN else self._said) if m._pattern is not None]

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
        for message in self._heard if way is Way.IN else self._said:
            if message.message.grammar != frame.grammar:
                continue
            values = message.read(frame.content)
            if values is None:
                continue
            means = message.message.means
            card = _card_of(means.card, values, cards or {}) if means is not None and means.card is not None else None
            secret = {f.name for f in message.message.fields if f.secret}
            return PlainHeard(message.message.name, {n: v for n, v in values.items() if n not in secret}, means, card)
        return None

    def write(self, name: str, values: Mapping[str, Plain | bytes] | None = None) -> bytes:
        """The bytes on the wire of a message.

        Raises:
            FieldError: there is no such message, or a value does not fit.
        """
        if name not in self.messages:
            raise FieldRangeError(f"profile '{self.profile.name}' has no message '{name[:40]}'")
        return self.messages[name].write(values or {})

    def event_of(self, heard: PlainHeard, eseq: int, t_ms: int, position: int) -> DeviceEvent | None:
        """The canonical event that a message is; None when it is none. `position` counts the cards of this shoe."""
        means = heard.means
        if means is None:
            return None
        cls = EVENTS[means.event]
        values: dict[str, object] = {"eseq": eseq, "t_ms": t_ms, "replayed": False}
        for field in msgspec.structs.fields(cls):
            if field.name in values:
                continue
            if field.name == "position":
                values[field.name] = position
            elif field.name == "card":
                values[field.name] = heard.card or Sealed(UNREADABLE)
            elif field.name == "flags":
                values[field.name] = _flags(means, heard.card)
            else:
                told = heard.fields.get(means.map[field.name]) if field.name in means.map else means.set.get(field.name)
                values[field.name] = _converted(field.type, told) if told is not None else UNTOLD.get(field.name, _unknown(field.type))
        return cls(**values)

    def _run(self, vector: PlainVector) -> None:
        message = self.messages.get(vector.message)
        if message is None:
            raise FailedVectorError(self.file, vector.id, f"there is no message '{vector.message}'")
        way = Way.IN if message.message.way is not Way.OUT else Way.OUT
        wire = vector.wire_bytes()
        found = self.framer(way).feed(wire, 0.0)
        frames = [item for item in found if isinstance(item, PlainFrame)]
        if len(frames) != 1 or len(found) != 1:
            kinds = ", ".join(item.fault.value if isinstance(item, Trouble) else item.grammar for item in found) or "nothing whole"
            raise FailedVectorError(self.file, vector.id, f"it is one frame, but the framer found: {kinds}")
        try:
            heard = self.read(frames[0], way=way)
            everything = message.read(frames[0].content) or {}
            written = wire if vector.one_way else self.write(vector.message, cast("dict[str, Plain | bytes]", vector.fields))
        except FieldError as error:
            raise FailedVectorError(self.file, vector.id, str(error)) from error
        if heard is None or heard.name != vector.message:
            raise FailedVectorError(self.file, vector.id, f"it reads as {heard.name if heard else 'no message'}, not as {vector.message}")
        wrong = {n: everything.get(n) for n, v in vector.fields.items() if _comparable(everything.get(n)) != _comparable(v)}
        if wrong:
            raise FailedVectorError(self.file, vector.id, f"it reads as {wrong}")
        if vector.event is not None and (heard.means is None or heard.means.event != vector.event):
            raise FailedVectorError(self.file, vector.id, f"it is no {vector.event}")
        if vector.card is not None and (heard.card or Sealed(UNREADABLE)) != Sealed(_vector_card(vector.card)):
            raise FailedVectorError(self.file, vector.id, "it names another card")
        if written != wire:
            raise FailedVectorError(self.file, vector.id, f"it is written as {written.hex(' ').upper()}")


def _comparable(value: object) -> object:
    return value.hex().upper() if isinstance(value, bytes) else value


def _vector_card(name: str) -> Card:
    return UNREADABLE if name == "?" else parse_card(name)


def _card_of(rule: CardRule, values: Mapping[str, Value], cards: Mapping[str, str]) -> Sealed:
    if rule.card is not None:
        told = values.get(rule.card, "")
        text = cards.get(str(told).upper(), "") if rule.from_map else str(told)
    else:
        text = f"{values.get(rule.rank or '', '')}{values.get(rule.suit or '', '')}"
    try:
        return Sealed(parse_card(text))
    except CardTextError:
        return Sealed(UNREADABLE)


def _flags(means: Means, card: Sealed | None) -> CardFlag:
    flags = CardFlag.NONE
    for name in means.flags:
        flags |= CardFlag[name.upper().replace("-", "_")]
    if card is None or card == Sealed(UNREADABLE):
        flags |= CardFlag.UNREADABLE
    return flags


def _unknown(kind: object) -> object:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind["UNKNOWN"] if "UNKNOWN" in kind.__members__ else next(iter(kind))
    return {bool: False, int: 0, str: ""}.get(kind) if isinstance(kind, type) else None


def _converted(kind: object, value: Value) -> object:
    if isinstance(kind, type) and issubclass(kind, Enum) and not issubclass(kind, Flag):
        try:
            return kind(value)
        except ValueError:
            return _unknown(kind)
    if kind is bool:
        return value in (True, 1, "1", "true", "yes", "open")
    return value


def _verify_means(message: PlainMessage, means: Means, file: str) -> None:
    cls = EVENTS.get(means.event)
    if cls is None:
        raise InvalidProfileError(file, f"message '{message.name}': there is no event '{means.event[:40]}'")
    attributes = {field.name for field in msgspec.structs.fields(cls)}
    fields = {field.name for field in message.fields}
    if wrong := (set(means.map) | set(means.set)) - attributes:
        raise InvalidProfileError(file, f"message '{message.name}': {means.event} has no {', '.join(sorted(wrong))}")
    named_fields = {*means.map.values(), *(n for n in (_rule_fields(means.card) if means.card else ()))}
    if wrong := named_fields - fields:
        raise InvalidProfileError(file, f"message '{message.name}' has no field {', '.join(sorted(wrong))}")
    known = {flag.name.lower().replace("_", "-") for flag in CardFlag if flag.name}
    if wrong := set(means.flags) - known:
        raise InvalidProfileError(file, f"message '{message.name}': there is no card flag {', '.join(sorted(wrong))}")


def _rule_fields(rule: CardRule) -> tuple[str, ...]:
    return tuple(name for name in (rule.rank, rule.suit, rule.card) if name is not None)

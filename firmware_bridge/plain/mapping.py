"""From the fields of a plain device's message to the canonical event, and the check that a profile's mapping can do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, Flag
from typing import Final

import msgspec

from device_profiles.errors import InvalidProfileError
from device_profiles.plain.messages import CardRule, Means, PlainMessage
from firmware_bridge.cards import UNREADABLE, CardTextError, Sealed, parse_card
from firmware_bridge.events import EVENT_TYPES, CardFlag, DeviceEvent, Status
from firmware_bridge.plain.fields import Value
from firmware_bridge.round_events import ROUND_EVENTS

EVENTS: Final = {cls.__name__: cls for cls in (*EVENT_TYPES, *ROUND_EVENTS)}
_FIELDS: Final = {name: msgspec.structs.fields(cls) for name, cls in EVENTS.items()}
"""Asked once: a class works its annotations out anew each time, which costs more than all else that a message does."""
UNTOLD: Final[dict[str, object]] = {"flags": CardFlag.NONE, "confidence": 0, "position": 0, "remaining": None, "decks": 0, "detail": 0}
"""What an event says where the device does not: numbers that are counted elsewhere, or nothing."""
CARD_EVENTS: Final = frozenset({"CardRead", "CardReadAt", "CardOutOfFlow", "BurnEjected"})


EventMaker = Callable[[Mapping[str, Value], "Sealed | None", int, int], DeviceEvent]
"""Fields, card, time and position to the canonical event, not numbered yet."""
_Part = Callable[[Mapping[str, Value], "Sealed | None", int, int], object]
_UNREAD: Final = Sealed(UNREADABLE)


def event_maker(means: Means) -> EventMaker:
    """Compile a meaning; what the device does not tell has the values of `UNTOLD`."""
    make: Callable[..., DeviceEvent] = EVENTS[means.event]  # each class has fields of its own
    parts = [_part_of(means, field.name, field.type) for field in _FIELDS[means.event]]

    def event(fields: Mapping[str, Value], card: Sealed | None, t_ms: int, position: int) -> DeviceEvent:
        return make(*[part(fields, card, t_ms, position) for part in parts])

    return event


def _part_of(means: Means, name: str, kind: object) -> _Part:  # one line for each kind of part
    match name:
        case "eseq":
            return lambda *_: 0
        case "replayed":
            return lambda *_: False
        case "t_ms":
            return lambda _fields, _card, t_ms, _position: t_ms
        case "position":
            return lambda _fields, _card, _t_ms, position: position
        case "card":
            return lambda _fields, card, _t_ms, _position: card or _UNREAD
        case "flags":
            read = _flags(means)
            unread = read | CardFlag.UNREADABLE
            return lambda _fields, card, _t_ms, _position: unread if card is None or card == _UNREAD else read
        case _:
            return _told_part(means, name, kind)


def _told_part(means: Means, name: str, kind: object) -> _Part:
    untold = UNTOLD[name] if name in UNTOLD else _unknown(kind)
    if name not in means.map:
        given = means.set.get(name)
        fixed = untold if given is None else _converted(kind, given)
        return lambda *_: fixed
    field = means.map[name]

    def told(fields: Mapping[str, Value], _card: Sealed | None, _t_ms: int, _position: int) -> object:
        value = fields.get(field)
        return untold if value is None else _converted(kind, value)

    return told


def card_of(rule: CardRule, values: Mapping[str, Value], cards: Mapping[str, str]) -> Sealed:
    """The card that these fields name; one that was not read where they name none."""
    if rule.card is not None:
        told = values.get(rule.card, "")
        tag = told.hex() if isinstance(told, bytes) else str(told)
        text = cards.get(tag.upper(), "") if rule.from_map else tag
    else:
        text = str(values.get(rule.rank or "", "")) + str(values.get(rule.suit or "", ""))
    try:
        return Sealed(parse_card(text))
    except CardTextError:
        return Sealed(UNREADABLE)


def _flags(means: Means) -> CardFlag:
    flags = CardFlag.NONE
    for name in means.flags:
        flags |= CardFlag[name.upper().replace("-", "_")]
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


def verify_means(message: PlainMessage, means: Means, file: str) -> None:
    """Check that the event exists and has what is set.

    Raises:
        InvalidProfileError: it has not.
    """
    cls = EVENTS.get(means.event)
    if cls is None:
        raise InvalidProfileError(file, f"message '{message.name}': there is no event '{means.event[:40]}'")
    attributes = {field.name for field in _FIELDS[means.event]}
    fields = {field.name for field in message.fields}
    if wrong := (set(means.map) | set(means.set)) - attributes:
        raise InvalidProfileError(file, f"message '{message.name}': {means.event} has no {', '.join(sorted(wrong))}")
    named_fields = {*means.map.values(), *(n for n in (_rule_fields(means.card) if means.card else ()))}
    if wrong := named_fields - fields:
        raise InvalidProfileError(file, f"message '{message.name}' has no field {', '.join(sorted(wrong))}")
    known = {flag.name.lower().replace("_", "-") for flag in CardFlag if flag.name}
    if wrong := set(means.flags) - known:
        raise InvalidProfileError(file, f"message '{message.name}': there is no card flag {', '.join(sorted(wrong))}")


def status_of(message: PlainMessage, fields: Mapping[str, Value]) -> Status:
    """The status with which a message refuses a command."""
    rule = message.status
    word = rule.values.get(str(fields.get(rule.field))) if rule is not None else None
    return Status(word) if word is not None else Status.DENIED


def verify_status(message: PlainMessage, file: str) -> None:
    """Check that the statuses of a refusal exist.

    Raises:
        InvalidProfileError: one does not.
    """
    known = {status.value for status in Status} - {Status.OK.value, Status.UNKNOWN.value}
    wrong = set(message.status.values.values()) - known if message.status is not None else set()
    if wrong:
        raise InvalidProfileError(file, f"message '{message.name}': status '{min(wrong)}' is none of {', '.join(sorted(known))}")


def _rule_fields(rule: CardRule) -> tuple[str, ...]:
    return tuple(name for name in (rule.rank, rule.suit, rule.card) if name is not None)

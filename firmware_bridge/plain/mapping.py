"""From the fields of a plain device's message to the canonical event, and the check that a profile's mapping can do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, Flag
from functools import partial
from typing import Final, NamedTuple

import msgspec

from device_profiles.errors import InvalidProfileError
from device_profiles.plain.messages import CardRule, Means, PlainField, PlainMessage
from firmware_bridge.cards import FRENCH_CARDS, UNREADABLE, Sealed, maybe_card
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
CardReader = Callable[[Mapping[str, Value], Mapping[str, str]], Sealed]
"""Fields, and the table's own map of tags to cards, to the card that they name."""


class Meaning(NamedTuple):
    """What a message or an entry means, compiled; nothing where it only is heard."""

    means: Means | None = None
    make: EventMaker | None = None
    card_of: CardReader | None = None


_UNREAD: Final = UNREADABLE.sealed
"""The card of a message is the one sealed object of its card, so it is told by identity."""
_PAIRS: Final[dict[object, Sealed]] = {(card.name[0], card.name[1]): card.sealed for card in FRENCH_CARDS}
"""By rank and suit, as profiles name them: nearly every card that is read."""


def meaning_of(whose: str, fields: Sequence[PlainField], means: Means | None, file: str) -> Meaning:
    """Compile what a message or an entry with these fields means.

    Raises:
        InvalidProfileError: there is no such event, or it has not what is set.
    """
    if means is None:
        return Meaning()
    _verify_means(whose, {field.name for field in fields}, means, file)
    return Meaning(means, _event_maker(means), _card_reader(means.card) if means.card is not None else None)


def _event_maker(means: Means) -> EventMaker:
    """What the device does not tell has the values of `UNTOLD`."""
    make: Callable[..., DeviceEvent] = EVENTS[means.event]  # each class has fields of its own
    kinds = {field.name: field.type for field in _FIELDS[means.event]}
    places = {name: at for at, name in enumerate(kinds)}
    fixed = [_fixed_value(means, name, kind) for name, kind in kinds.items()]
    told = tuple((places[name], field, _conversion(kinds[name])) for name, field in means.map.items() if name not in _NOT_MAPPED)
    time_at, position_at, card_at, flags_at = (places.get(name) for name in ("t_ms", "position", "card", "flags"))
    flags = _flags(means)
    unread_flags = flags | CardFlag.UNREADABLE if card_at is not None else flags  # without a card nothing was to be read

    def event(fields: Mapping[str, Value], card: Sealed | None, t_ms: int, position: int) -> DeviceEvent:
        values = fixed.copy()
        if time_at is not None:
            values[time_at] = t_ms
        if position_at is not None:
            values[position_at] = position
        if card_at is not None:
            values[card_at] = card or _UNREAD
        if flags_at is not None:
            values[flags_at] = unread_flags if card is None or card is _UNREAD else flags
        for at, field, converted in told:
            value = fields.get(field)
            if value is not None:
                values[at] = value if converted is None else converted(value)
        return make(*values)

    return event


_NOT_MAPPED: Final = frozenset({"eseq", "replayed", "t_ms", "position", "card", "flags"})
"""What the host gives every event."""


def _fixed_value(means: Means, name: str, kind: object) -> object:
    """What stands there when nothing is told of it."""
    match name:
        case "eseq":
            return 0
        case "replayed":
            return False
        case _:
            given = means.set.get(name) if name not in means.map else None
            return (UNTOLD[name] if name in UNTOLD else _unknown(kind)) if given is None else _converted(kind, given)


def _conversion(kind: object) -> Callable[[Value], object] | None:
    """What makes a field's value the event's; None where it is that already."""
    if not isinstance(kind, type):
        return None
    if not issubclass(kind, Enum) or issubclass(kind, Flag):
        return partial(_converted, kind) if kind is bool else None
    known: dict[object, object] = {member.value: member for member in kind}

    def converted(value: Value) -> object:
        member = known.get(value)
        return member if member is not None else _converted(kind, value)

    return converted


def _card_reader(rule: CardRule) -> CardReader:
    """Compile which card the fields name; one that was not read where they name none."""
    if rule.card is None:
        return _from_pair(rule.rank or "", rule.suit or "")
    card, is_mapped = rule.card, rule.from_map

    def read(values: Mapping[str, Value], cards: Mapping[str, str]) -> Sealed:
        told = values.get(card, "")
        tag = told.hex() if isinstance(told, bytes) else str(told)
        return _sealed(cards.get(tag.upper(), "") if is_mapped else tag)

    return read


def _from_pair(rank: str, suit: str) -> CardReader:
    def read(values: Mapping[str, Value], _cards: Mapping[str, str]) -> Sealed:
        found = _PAIRS.get((values.get(rank), values.get(suit)))
        return found if found is not None else _sealed(str(values.get(rank, "")) + str(values.get(suit, "")))

    return read


def _sealed(name: str) -> Sealed:
    return (maybe_card(name) or UNREADABLE).sealed


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


def _verify_means(whose: str, fields: set[str], means: Means, file: str) -> None:
    if means.event not in EVENTS:
        raise InvalidProfileError(file, f"{whose}: there is no event '{means.event[:40]}'")
    if wrong := (set(means.map) | set(means.set)) - {field.name for field in _FIELDS[means.event]}:
        raise InvalidProfileError(file, f"{whose}: {means.event} has no {', '.join(sorted(wrong))}")
    named_fields = {*means.map.values(), *(fields_of_card(means.card) if means.card else ())}
    if wrong := named_fields - fields:
        raise InvalidProfileError(file, f"{whose} has no field {', '.join(sorted(wrong))}")
    known = {flag.name.lower().replace("_", "-") for flag in CardFlag if flag.name}
    if wrong := set(means.flags) - known:
        raise InvalidProfileError(file, f"{whose}: there is no card flag {', '.join(sorted(wrong))}")


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


def fields_of_card(rule: CardRule) -> tuple[str, ...]:
    """The fields that name the card."""
    return tuple(name for name in (rule.rank, rule.suit, rule.card) if name is not None)

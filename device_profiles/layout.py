"""Whether a profile's messages can be laid out: names that refer to something, codes that differ, parts in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from device_profiles.errors import InvalidProfileError
from device_profiles.fixed import LETTER, WIDTH, is_fixed_size
from device_profiles.schema import EnumTable, Field, FieldType, Profile, Registry
from device_profiles.values import Tables

COMMANDS_ENUM: Final = "@commands"
"""The table of all command names of the profile, by code."""

_NUMBERS: Final = frozenset({FieldType.U8, FieldType.U16, FieldType.U32, FieldType.U64})


def tables_of(profile: Profile) -> Tables:
    """Return the tables that fields refer to, the built-in one included."""
    commands = EnumTable(values={name: command.code for name, command in profile.commands.items()})
    return Tables({**profile.enums, COMMANDS_ENUM: commands}, profile.flags, profile.registries)


def expand_groups(profile: Profile, file: str) -> Profile:
    """Return the profile with every `group` field replaced by the fields of its group.

    Raises:
        InvalidProfileError: a group that does not exist, or groups within groups.
    """

    def expand(fields: Sequence[Field], place: str) -> tuple[Field, ...]:
        expanded: list[Field] = []
        for field in fields:
            if field.type is not FieldType.GROUP:
                expanded.append(field)
                continue
            group = profile.groups.get(field.use or "")
            if group is None or any(inner.type is FieldType.GROUP for inner in group):
                raise InvalidProfileError(file, f"{place}: field '{field.name}' uses no plain group of `groups`")
            expanded.extend(group)
        return tuple(expanded)

    commands = {
        name: msgspec.structs.replace(
            command,
            fields=expand(command.fields, f"commands.{name}"),
            response=expand(command.response, f"commands.{name}.response"),
        )
        for name, command in profile.commands.items()
    }
    events = {name: msgspec.structs.replace(event, fields=expand(event.fields, f"events.{name}")) for name, event in profile.events.items()}
    return msgspec.structs.replace(profile, commands=commands, events=events)


def verify_layout(profile: Profile, file: str) -> None:
    """Check everything about the messages that their types do not say.

    Raises:
        InvalidProfileError: naming the message and the field.
    """
    tables = tables_of(profile)
    for name, registry in profile.registries.items():
        _verify_registry(registry, f"{file}: registries.{name}")
    for place, fields in _messages(profile):
        _verify_fields(fields, tables, f"{file}: {place}")
    for kind, codes in (
        ("commands", [command.code for command in profile.commands.values()]),
        ("events", [event.code for event in profile.events.values()]),
    ):
        doubled = [code for code, count in Counter(codes).items() if count > 1]
        if doubled:
            raise InvalidProfileError(file, f"two {kind} have the code {doubled[0]:#04x}")
    for name, command in profile.commands.items():
        missing = [event for event in command.then if event not in profile.events]
        if missing:
            raise InvalidProfileError(file, f"commands.{name}.then: there is no event '{missing[0]}'")
        known = {field.name for field in command.fields}
        for form in command.forms:
            foreign = ({*form.set, *form.map}) - known
            if foreign:
                raise InvalidProfileError(file, f"commands.{name}.forms: no field '{min(foreign)}'")
    if profile.framing.frame_min > profile.framing.frame_max:
        raise InvalidProfileError(file, "framing.frame_min is above framing.frame_max")


def _messages(profile: Profile) -> Iterator[tuple[str, Sequence[Field]]]:
    messages = profile.messages
    yield "messages.header", messages.header
    yield "messages.event_ack", messages.event_ack
    for name, command in profile.commands.items():
        yield f"commands.{name}.fields", command.fields
        yield f"commands.{name}.response", (*messages.response_prefix, *command.response)
    for name, event in profile.events.items():
        yield f"events.{name}.fields", (*messages.event_prefix, *event.fields)


def _verify_fields(fields: Sequence[Field], tables: Tables, place: str) -> None:
    free = [field for field in fields if not is_fixed_size(field)]
    optional = [field for field in fields if field.optional and is_fixed_size(field)]
    if len(free) > 1:
        raise InvalidProfileError(place, f"'{free[1].name}' is a second field of free length")
    if optional and (free or fields[-len(optional) :] != tuple(optional)):
        raise InvalidProfileError(place, f"'{optional[0].name}' is optional but not at the end of fixed fields")
    names = list(_all_names(fields))
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise InvalidProfileError(place, f"two fields have the name '{doubled[0]}'")
    registered = {field.name: field.registry for field in fields if field.registry is not None}
    for field in fields:
        if field.shaped_by is not None and (field.type is not FieldType.BYTES or field.shaped_by not in registered):
            raise InvalidProfileError(place, f"'{field.name}' is shaped by '{field.shaped_by}', which has no registry")
        _verify_field(field, tables, place)


def _all_names(fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        if field.type is FieldType.TLVS:
            yield from _all_names(field.items)
        else:
            yield field.name
        if field.raw is not None:
            yield field.raw


def _verify_field(field: Field, tables: Tables, place: str) -> None:
    where = f"field '{field.name}'"
    if field.enum is not None and field.enum not in tables.enums:
        raise InvalidProfileError(place, f"{where}: there is no enum '{field.enum}'")
    if field.flags is not None and field.flags not in tables.flags:
        raise InvalidProfileError(place, f"{where}: there are no flags '{field.flags}'")
    if field.registry is not None and field.registry not in tables.registries:
        raise InvalidProfileError(place, f"{where}: there is no registry '{field.registry}'")
    if (field.enum is not None or field.boolean or field.registry is not None) and field.type not in _NUMBERS:
        raise InvalidProfileError(place, f"{where}: only a number has names")
    if field.flags is not None and field.type is not FieldType.U8:
        raise InvalidProfileError(place, f"{where}: flags are one byte")
    _verify_numbers(field, tables, f"{place}: {where}")
    is_list = field.type in (FieldType.LIST, FieldType.TLVS)
    if is_list != bool(field.items):
        raise InvalidProfileError(place, f"{where}: lists and tlvs have items, others have none")
    if field.type is FieldType.LIST:
        unsized = [item for item in field.items if not is_fixed_size(item) or item.optional]
        if unsized:
            raise InvalidProfileError(place, f"{where}: item '{unsized[0].name}' has no fixed size")
    if field.type is FieldType.TLVS:
        tags = [item.tag for item in field.items]
        if None in tags or len(set(tags)) != len(tags):
            raise InvalidProfileError(place, f"{where}: every item needs its own tag")
    if field.type is FieldType.GROUP:
        raise InvalidProfileError(place, f"{where}: a group stands only in messages")
    for item in field.items:
        if item.items:
            raise InvalidProfileError(place, f"{where}: lists do not nest")
        _verify_field(item, tables, place)


def _verify_registry(registry: Registry, place: str) -> None:
    numbers = [entry.number for entry in registry.entries.values()]
    doubled = [number for number, count in Counter(numbers).items() if count > 1]
    if doubled:
        raise InvalidProfileError(place, f"two entries have the number {doubled[0]}")
    for name, (low, high) in registry.ranges.items():
        within = [number for number in numbers if low <= number <= high]
        if low > high or within or name in registry.entries:
            raise InvalidProfileError(place, f"range '{name}' runs backwards, holds an entry or has an entry's name")
    for name, entry in registry.entries.items():
        if entry.max is not None and (entry.min > entry.max or entry.size is None or entry.max >= 1 << 8 * entry.size):
            raise InvalidProfileError(place, f"entry '{name}': its limits do not fit its size")


def _verify_numbers(field: Field, tables: Tables, place: str) -> None:
    """Check that every number the field may stand for fits its width."""
    letter = LETTER.get(field.type)
    width = WIDTH[letter] if letter is not None else 0xFF
    numbers = [number for number in (field.none, field.min, field.max) if number is not None]
    if field.type in (FieldType.BYTES, FieldType.TEXT, FieldType.VERSION):
        numbers = [field.none] if field.none is not None else []
    if field.enum is not None:
        numbers += tables.enums[field.enum].values.values()
    if field.registry is not None:
        registry = tables.registries[field.registry]
        numbers += [*(entry.number for entry in registry.entries.values()), *(high for _, high in registry.ranges.values())]
    if field.flags is not None:
        numbers += [*tables.flags[field.flags].bits.values(), tables.flags[field.flags].replayed]
    if any(number > width for number in numbers):
        raise InvalidProfileError(place, f"a number is larger than {width}")

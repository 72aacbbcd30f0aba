"""Checks what a message says of fields that are there only sometimes, or that follow another one.

The rule is closed: a field is there when earlier fields have stated values, and stands at an offset or right behind an earlier field. So
one pass in the order of the file reads and writes every message, and nothing has to be worked out.
"""

from __future__ import annotations

from collections.abc import Iterable

from device_profiles.errors import InvalidProfileError
from device_profiles.loader import nearest_of
from device_profiles.plain.messages import PlainField, PlainMessage
from device_profiles.plain.profile import PlainProfile


def verify_conditions(profile: PlainProfile, file: str) -> None:
    """Check the fields with `when` and `after` of every message.

    Raises:
        InvalidProfileError: one refers to nothing, to something later, or to something that it cannot depend on.
    """
    for message in profile.messages:
        where = f"message '{message.name}'"
        for entry in (*(message.ring.entries if message.ring else ()), *(message.group.entries if message.group else ())):
            if any(is_late(field) for field in entry.fields):
                raise InvalidProfileError(
                    file, f"{where}, entry '{entry.name}': entries have one size; give it another entry with a `where`"
                )
        for index, field in enumerate(message.fields):
            if is_late(field):
                _verify_field(profile, message, field, message.fields[:index], file)
        _verify_needed(profile, message, file)


def is_late(field: PlainField) -> bool:
    """Whether presence or place of the field depends on others."""
    return bool(field.when) or field.after is not None


def _verify_field(profile: PlainProfile, message: PlainMessage, field: PlainField, before: tuple[PlainField, ...], file: str) -> None:
    where = f"message '{message.name}', field '{field.name}'"
    if message.pattern is not None:
        raise InvalidProfileError(file, f"{where}: a pattern tells itself what may be missing; use `optional` and a group")
    if field.tag is not None:
        raise InvalidProfileError(file, f"{where}: a field with a tag is told by its tag; use `optional`")
    if field.after is not None:
        _verify_after(message, field, before, where, file)
    for name, wanted in field.when.items():
        tested = _earlier(name, before, f"{where}: when", file)
        if tested.secret and not field.secret:
            raise InvalidProfileError(file, f"{where}: whether it is there tells '{name}', which is secret; so it has to be secret too")
        names = profile.names.get(tested.names or "")
        for value in wanted if isinstance(wanted, tuple) else (wanted,):
            if names is not None and isinstance(value, str) and value not in names.values and value != names.other:
                hint = _hint(value, names.values)
                raise InvalidProfileError(file, f"{where}: when: '{name}' is never '{value[:40]}'{hint}")
        if wanted == ():
            raise InvalidProfileError(file, f"{where}: when: '{name}' has no value for which the field is there")


def _verify_after(message: PlainMessage, field: PlainField, before: tuple[PlainField, ...], where: str, file: str) -> None:
    if message.json:
        raise InvalidProfileError(file, f"{where}: a JSON object has no order; use `path`")
    if field.at is not None:
        raise InvalidProfileError(file, f"{where}: it has `at` or `after`, not both")
    if field.to is not None and field.to > 0:
        raise InvalidProfileError(file, f"{where}: with `after`, `to` counts from the end of the frame: 0 or less")
    last = _earlier(field.after or "", before, f"{where}: after", file)
    if last.tag is not None or (last.at is not None and last.at < 0) or (last.to is not None and last.to <= 0):
        raise InvalidProfileError(file, f"{where}: after: '{last.name}' has no end that is known from the beginning of the frame")


def _earlier(name: str, before: tuple[PlainField, ...], where: str, file: str) -> PlainField:
    found = next((field for field in before if field.name == name), None)
    if found is None:
        names = [field.name for field in before]
        raise InvalidProfileError(file, f"{where} '{name[:40]}' is none of the fields before it{_hint(name, names)}")
    return found


def _verify_needed(profile: PlainProfile, message: PlainMessage, file: str) -> None:
    needed: dict[str, str | None] = dict.fromkeys(message.where, "where")
    needed |= {message.ring.counter: "ring.counter"} if message.ring is not None else {}
    needed |= {message.group.count: "group.count"} if message.group is not None and message.group.count is not None else {}
    needed |= {profile.turns.field: "turns"} if profile.turns is not None else {}
    for field in message.fields:
        if is_late(field) and field.name in needed:
            what = f"message '{message.name}', field '{field.name}': {needed[field.name]} needs it always at one place"
            raise InvalidProfileError(file, f"{what}; it has neither `when` nor `after` then")


def _hint(word: str, known: Iterable[str]) -> str:
    nearest = nearest_of(word, known)
    return f"; did you mean '{nearest}'?" if nearest is not None else ""

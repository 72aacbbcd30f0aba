"""Checks that what a profile refers to is there, where a slip would not be heard of: the device would seem to do less than it does.

A running number that no message has would let losses pass; a reply that copies what is not there would never be said. So each of them is
refused with its place. References between messages, and those whose absence is noticed at once, are checked in the loader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from device_profiles.errors import InvalidProfileError
from device_profiles.loader import nearest_of
from device_profiles.plain.frames import Line, Tokens, Way
from device_profiles.plain.messages import PlainMessage
from device_profiles.plain.profile import PlainProfile

IDENTITY: Final = ("vendor", "model", "serial", "firmware")
"""What of a device's identity the daemon asks for."""
_PLACE: Final = re.compile(r"\{([a-z][a-z0-9_-]*)\}")
"""A field in a template."""


def verify_references(profile: PlainProfile, file: str) -> None:
    """Check them all.

    Raises:
        InvalidProfileError: one refers to nothing.
    """
    for message in profile.messages:
        _verify_message(profile, message, file)
    _verify_numbers(profile, file)
    _verify_asking(profile, file)
    _verify_identity(profile, file)
    messages = {message.name: message for message in profile.messages}
    if profile.repeats is not None:
        _verify_known(profile.repeats.once, messages, "repeats.once:", file)
    for name, values in profile.simulation.values.items():
        _verify_known(values, _fields(messages[name]), f"simulation.values.{name}:", file)


def _fields(message: PlainMessage) -> list[str]:
    """The fields of a message and of what it holds."""
    entries = (*(message.ring.entries if message.ring else ()), *(message.group.entries if message.group else ()))
    return [field.name for fields in (message.fields, *(entry.fields for entry in entries)) for field in fields]


def _verify_message(profile: PlainProfile, message: PlainMessage, file: str) -> None:
    where = f"message '{message.name}'"
    own = [field.name for field in message.fields]
    twice = next((name for name in own if own.count(name) > 1), None)
    if twice is not None:
        raise InvalidProfileError(file, f"{where}: two of its fields are called '{twice}'")
    messages = {m.name: m for m in profile.messages}
    if message.reply_copies:
        if message.reply_with is None:
            raise InvalidProfileError(file, f"{where}: `reply_copies` belongs to `reply_with`, which is not there")
        _verify_known(message.reply_copies, own, f"{where}: reply_copies", file)
        _verify_known(message.reply_copies, _fields(messages[message.reply_with]), f"{where}: `{message.reply_with}`, reply_copies", file)
    if message.reply_with is not None and messages[message.reply_with].way is Way.IN:
        raise InvalidProfileError(file, f"{where}: reply_with: '{message.reply_with}' is said by the device; give it way = \"out\"")
    _verify_known(message.carries_map, own, f"{where}: carries_map", file)
    _verify_text(profile, message, own, where, file)


def _verify_text(profile: PlainProfile, message: PlainMessage, own: list[str], where: str, file: str) -> None:
    _verify_known(_PLACE.findall(message.template), own, f"{where}: template", file)
    grammar = next(g for g in profile.framing.grammars if g.name == message.grammar)
    if isinstance(grammar, Line | Tokens) and message.way is not Way.IN and not message.template and not message.json:
        raise InvalidProfileError(file, f"{where}: the host says it, and no `template` tells how it is written")


def _verify_numbers(profile: PlainProfile, file: str) -> None:
    numbers, turns = profile.numbers, profile.turns
    for name, rule in (("numbers", numbers), ("turns", turns)):
        if rule is not None and rule.last <= rule.first:
            raise InvalidProfileError(file, f"{name}: `last` is {rule.last}, and has to be greater than `first`, which is {rule.first}")
    if numbers is not None:
        heard = [name for message in profile.messages if message.way is not Way.OUT for name in _fields(message)]
        _verify_known([numbers.field], heard, "numbers: field", file)


def _verify_asking(profile: PlainProfile, file: str) -> None:
    messages = {message.name: message for message in profile.messages}
    for message in profile.messages:
        where, answer = f"message '{message.name}'", message.answer
        if answer is None:
            if message.asks_only:
                raise InvalidProfileError(file, f"{where}: it only asks, and no `answer` says what answers it")
            continue
        if message.way is Way.IN:
            raise InvalidProfileError(
                file, f'{where}: the device says it, so nothing answers it; give it way = "out", or leave `answer` out'
            )
        unheard = next((name for name in (*answer.messages, *answer.refusals) if messages[name].way is Way.OUT), None)
        if unheard is not None:
            raise InvalidProfileError(file, f"{where}: answer: '{unheard}' is said by the host, and the device answers")
    if profile.poll is not None and messages[profile.poll.message].answer is None:
        raise InvalidProfileError(file, f"poll: '{profile.poll.message}' has no `answer`, so nothing would be heard of the device")


def _verify_identity(profile: PlainProfile, file: str) -> None:
    connect, messages = profile.connect, {message.name: message for message in profile.messages}
    _verify_known(connect.identity, IDENTITY, "connect.identity:", file)
    answers = [messages[name].answer for name in connect.messages]
    told = {name for answer in answers if answer is not None for name in answer.messages}
    told |= {branch.message for state in connect.states for branch in state.on}
    heard = [field for name in sorted(told) for field in _fields(messages[name])]
    for word, field in connect.identity.items():
        if field not in heard:
            hint = _hint(field, heard) if heard else "; nothing is asked on connecting"
            raise InvalidProfileError(file, f"connect.identity: {word}: no answer on connecting has a field '{field}'{hint}")


def _verify_known(names: Iterable[str], known: Iterable[str], where: str, file: str) -> None:
    listed = list(known)
    for name in names:
        if name not in listed:
            raise InvalidProfileError(file, f"{where} '{name[:40]}' is not there{_hint(name, listed)}")


def _hint(word: str, known: Iterable[str]) -> str:
    listed = list(dict.fromkeys(known))
    nearest = nearest_of(word, listed)
    if nearest is not None:
        return f"; did you mean '{nearest}'?"
    return f"; there are {', '.join(listed)}" if listed else ""

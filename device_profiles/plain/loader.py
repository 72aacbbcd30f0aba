"""Reads and checks the profile of a plain device: every name in it refers to something, every limit holds.

What needs the wire (vectors, checksums, patterns) is checked in `firmware_bridge.plain.codec`, with the same consequence.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from device_profiles.errors import InvalidProfileError
from device_profiles.extending import BaseOf, extended
from device_profiles.loader import nearest_of, product_tables, profile_names, verify_keys
from device_profiles.plain.conditions import verify_conditions
from device_profiles.plain.connecting import verify_connecting
from device_profiles.plain.frames import Reports, Stuffed, Tokens
from device_profiles.plain.messages import PlainMessage
from device_profiles.plain.profile import PlainProfile, TransportKind
from device_profiles.plain.references import verify_references
from device_profiles.schema import SPEC_VERSION
from device_profiles.wrong_values import wrong_value

PLAIN_LINK: Final = "plain"


@cache
def load_plain(name: str) -> PlainProfile:
    """Return the checked profile of a plain device by its name.

    Raises:
        UnknownProfileError: no profile has this name.
        ProfileError: it cannot be used, or is none of a plain device.
    """
    return plain_profile(product_tables(name), f"{name}.toml")


def is_plain(name: str) -> bool:
    """Whether the profile of this name is one of a plain device; False also where there is none."""
    return name in profile_names() and product_tables(name).get("link") == PLAIN_LINK


def plain_profile(tables: Mapping[str, object], file: str, base_of: BaseOf = product_tables) -> PlainProfile:
    """Return the checked profile of these tables.

    Raises:
        ProfileError: it cannot be used.
    """
    verify_keys(tables, PlainProfile, file)
    try:
        profile = msgspec.convert(extended(tables, file, base_of), PlainProfile)
    except msgspec.ValidationError as error:
        raise InvalidProfileError(file, wrong_value(error, tables, PlainProfile)) from error
    if profile.spec != SPEC_VERSION:
        raise InvalidProfileError(file, f"spec is {profile.spec}, this version reads spec {SPEC_VERSION}")
    _verify_names(profile, file)
    verify_conditions(profile, file)
    verify_connecting(profile, file)
    verify_references(profile, file)
    _verify_lines(profile, file)
    _verify_stuffing(profile, file)
    return profile


def _verify_names(profile: PlainProfile, file: str) -> None:
    grammars = [grammar.name for grammar in profile.framing.grammars]
    messages = [message.name for message in profile.messages]
    for kind, names in (("grammar", grammars), ("message", messages)):
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise InvalidProfileError(file, f"two of the {kind}s are called '{twice.pop()}'")
    for message in profile.messages:
        where = f"message '{message.name}'"
        fields = [field.name for field in message.fields]
        _known(message.grammar, grammars, f"{where}: grammar", file)
        for field in message.fields:
            if field.bits is not None and field.bits[0] < field.bits[1]:
                raise InvalidProfileError(file, f"{where}, field '{field.name}': bits go from the higher down to the lower one")
            if field.names is not None:
                _known(field.names, profile.names, f"{where}, field '{field.name}': names", file)
        for name in message.where:
            _known(name, fields, f"{where}: where", file)
        if message.answer is not None:
            for name in (*message.answer.messages, *message.answer.refusals):
                _known(name, messages, f"{where}: answer", file)
        _verify_parts(message, fields, where, file)
        if message.reply_with is not None:
            _known(message.reply_with, messages, f"{where}: reply_with", file)
        tokens = any(isinstance(g, Tokens) and g.name == message.grammar for g in profile.framing.grammars)
        if tokens and message.pattern is None:
            raise InvalidProfileError(file, f"{where}: a token needs a pattern")
    for said in profile.connect.said:
        _known(said, messages, "connect:", file)
    _verify_simulation(profile, messages, file)
    if profile.poll is not None:
        _known(profile.poll.message, messages, "poll: message", file)
    _verify_turns(profile, file)


def _verify_simulation(profile: PlainProfile, messages: list[str], file: str) -> None:
    simulation = profile.simulation
    told = (simulation.card, simulation.unreadable, simulation.start, simulation.cut_card, simulation.alive)
    follows = (*simulation.follows, *simulation.follows.values())
    for wanted in (*simulation.values, *simulation.answers, *follows, *told):
        if wanted is not None:
            _known(wanted, messages, "simulation:", file)
    for name, answers in simulation.answers.items():
        answer = next(m.answer for m in profile.messages if m.name == name)
        for given in answers:
            _known(given, [*answer.messages, *answer.refusals] if answer is not None else [], f"simulation: answers to '{name}':", file)


def _verify_turns(profile: PlainProfile, file: str) -> None:
    if profile.turns is None:
        return
    asking = [m for m in profile.messages if m.answer is not None]
    answers = {name for m in asking if m.answer is not None for name in m.answer.messages}
    if profile.turns.window > 1:
        answers |= {name for m in asking if m.answer is not None for name in m.answer.refusals}
    numbers = profile.turns.last - profile.turns.first + 1
    if 2 * profile.turns.window > max(numbers, 2):
        what = f"turns: with {numbers} numbers at most {max(1, numbers // 2)} questions may be under way"
        raise InvalidProfileError(file, f"{what}, or a late answer could pass for a new one; it says {profile.turns.window}")
    for message in profile.messages:
        if (message in asking or message.name in answers) and profile.turns.field not in [field.name for field in message.fields]:
            raise InvalidProfileError(file, f"turns: message '{message.name}' has no field '{profile.turns.field}'")


def _verify_parts(message: PlainMessage, fields: list[str], where: str, file: str) -> None:
    """Check what of a message names its own fields."""
    if message.ring is not None and message.group is not None:
        raise InvalidProfileError(file, f"{where}: it has a ring or a group of entries, not both")
    if message.group is not None and message.group.count is not None:
        _known(message.group.count, fields, f"{where}: group.count", file)
    if message.status is not None:
        _known(message.status.field, fields, f"{where}: status.field", file)
    tags = [field.tag for field in message.fields if field.tag is not None]
    if len(set(tags)) != len(tags) or any(field.tag is not None and field.at is not None for field in message.fields):
        raise InvalidProfileError(file, f"{where}: each field has a tag of its own, or `at`")


def _verify_stuffing(profile: PlainProfile, file: str) -> None:
    for grammar in profile.framing.grammars:
        if not isinstance(grammar, Stuffed):
            continue
        real = {byte for _, byte in grammar.pairs}
        said = [byte for byte, _ in grammar.pairs]
        if grammar.end == grammar.escape or (grammar.xor is None) == (not grammar.pairs):
            raise InvalidProfileError(file, f"grammar '{grammar.name}': `end` and `escape` differ, and it has either `xor` or `pairs`")
        if grammar.pairs and (not {grammar.end, grammar.escape} <= real or len(set(said)) != len(said) or grammar.end in said):
            raise InvalidProfileError(file, f"grammar '{grammar.name}': `pairs` names `end` and `escape`, each with a byte of its own")
        if grammar.xor is not None and grammar.end in (grammar.end ^ grammar.xor, grammar.escape ^ grammar.xor):
            raise InvalidProfileError(file, f"grammar '{grammar.name}': with this `xor` the end stands inside a frame")


def _verify_lines(profile: PlainProfile, file: str) -> None:
    kinds = profile.line.kinds
    if TransportKind.SERIAL in kinds and profile.line.serial is None:
        raise InvalidProfileError(file, "line: a serial device needs [line.serial]")
    if {TransportKind.USB_BULK, TransportKind.USB_HID} & set(kinds) and profile.line.usb is None:
        raise InvalidProfileError(file, "line: a USB device needs [line.usb]")
    has_reports = any(isinstance(grammar, Reports) for grammar in profile.framing.grammars)
    if has_reports and (TransportKind.SERIAL in kinds or TransportKind.TCP in kinds):
        raise InvalidProfileError(file, "framing: a serial line has no reports")


def _known(name: str, known: object, where: str, file: str) -> None:
    if isinstance(known, list | dict) and name not in known:
        nearest = nearest_of(name, known)
        hint = f"did you mean '{nearest}'? It is one of" if nearest is not None else "it is one of"
        raise InvalidProfileError(file, f"{where} '{name}' is not there; {hint} {', '.join(map(str, known))}")

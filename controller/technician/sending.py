"""A command of a profile from the words of a command line: names, fields, and whether it may be sent now.

Outside of diagnostic mode nothing goes out that needs it, that belongs to a technician or a vendor, or that changes something while a shoe
is open: those cards belong to a table. The session's own commands are never sent by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from controller.technician.bench import Bench
from controller.technician.errors import DeviceNotInOrderError, TechnicianError
from controller.technician.filters import no_such_message
from controller.technician.reach import AnyCodec
from device_profiles.loader import nearest_of
from device_profiles.plain.frames import Way
from device_profiles.plain.messages import PlainField, PlainMessage, Shape
from device_profiles.schema import Field, FieldType, Role
from firmware_bridge.commands import Request
from firmware_bridge.plain.codec import PlainCodec

EVENTS_COMMAND = "event_resume"
_YES_NO = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}


class Sendable(msgspec.Struct, frozen=True, kw_only=True):
    """A command that can be sent by hand."""

    name: str
    fields: tuple[str, ...]
    """How each is written, such as `order=unlock|lock`."""
    role: Role
    needs_diagnostic: bool
    changes: bool

    @property
    def is_unsafe(self) -> bool:
        """Whether it wants diagnostic mode."""
        return self.needs_diagnostic or self.role in (Role.TECHNICIAN, Role.VENDOR)


def sendables(codec: AnyCodec) -> dict[str, Sendable]:
    """Return what can be sent by hand, by name."""
    if isinstance(codec, PlainCodec):
        return {m.name: _plain(m) for m in codec.profile.messages if m.way is not Way.IN}
    profile = codec.profile
    found = {}
    for name, message in profile.commands.items():
        if not message.session and name != EVENTS_COMMAND:
            fields = _flat(message.fields, codec.profile.groups)
            written = tuple(_how(field, codec) for field in fields)
            found[name] = Sendable(
                name=name,
                fields=written,
                role=message.role,
                needs_diagnostic=message.needs_diagnostic,
                changes=message.changes,
            )
    return found


def request_of(codec: AnyCodec, name: str, words: Sequence[str]) -> Request:
    """Return the command that `name` and `FIELD=VALUE` words mean.

    Raises:
        TechnicianError: there is no such command or field, or a value cannot be read.
    """
    known = sendables(codec)
    if name not in known:
        raise no_such_message(name, tuple(known))
    values: dict[str, object] = {}
    fields = _fields_of(codec, name)
    for word in words:
        field_name, equals, text = word.partition("=")
        field = fields.get(field_name)
        if not equals or field is None:
            near = nearest_of(field_name, fields)
            raise TechnicianError(
                "no-such-field",
                f"`{word[:60]}` is no field of {name}.",
                f"Did you mean `{near}=...`?" if near else f"Write {' '.join(known[name].fields) or 'the command alone'}.",
            )
        values[field_name] = _value(field, text)
    return Request(name, values)


def verify_sendable(bench: Bench, name: str, *, in_diagnosis: bool) -> None:
    """Check that a command may be sent now.

    Raises:
        TechnicianError: it wants diagnostic mode.
        DeviceNotInOrderError: a shoe is open, and the command would change something.
    """
    command = sendables(bench.codec)[name]
    if command.is_unsafe and not in_diagnosis:
        raise TechnicianError(
            "wants-diagnosis",
            f"{name} is sent in diagnostic mode only: it is a {command.role.value}'s command.",
            "Add --ticket, --by technician:NAME and --second supervisor:NAME.",
        )
    shoe = bench.running.status.shoe_id if bench.running is not None else None
    if command.changes and shoe is not None:
        raise DeviceNotInOrderError(
            "shoe-open",
            f"{name} changes something, and a shoe is open in the device: its cards belong to a table.",
            "Let the table close its shoe first.",
        )


def _fields_of(codec: AnyCodec, name: str) -> dict[str, Field | PlainField]:
    if isinstance(codec, PlainCodec):
        return {field.name: field for field in codec.messages[name].message.fields}
    return {field.name: field for field in _flat(codec.profile.commands[name].fields, codec.profile.groups)}


def _plain(message: PlainMessage) -> Sendable:
    return Sendable(
        name=message.name,
        fields=tuple(f"{field.name}=..." for field in message.fields if field.name not in message.where),
        role=message.role,
        needs_diagnostic=message.needs_diagnostic,
        changes=message.carries is not None,
    )


def _flat(fields: Iterable[Field], groups: dict[str, tuple[Field, ...]]) -> list[Field]:
    flat: list[Field] = []
    for field in fields:
        flat += _flat(groups[field.use], groups) if field.type is FieldType.GROUP and field.use is not None else [field]
    return flat


def _how(field: Field, codec: AnyCodec) -> str:
    """Say how a field is written."""
    if field.boolean:
        words = "yes|no"
    elif field.enum is not None and not isinstance(codec, PlainCodec) and field.enum in codec.profile.enums:
        words = "|".join(codec.profile.enums[field.enum].values)
    elif field.registry is not None and not isinstance(codec, PlainCodec):
        registry = codec.profile.registries[field.registry]
        words = "|".join([*registry.entries, *(f"{low}..{high}" for low, high in registry.ranges.values())])
    elif field.type in (FieldType.BYTES, FieldType.TEXT, FieldType.VERSION):
        words = "HEX" if field.type is FieldType.BYTES else "TEXT"
    else:
        words = f"0..{field.max}" if field.max is not None else "NUMBER"
    return f"[{field.name}={words}]" if field.optional else f"{field.name}={words}"


def _value(field: Field | PlainField, text: str) -> object:
    try:
        return _plain_value(field, text) if isinstance(field, PlainField) else _sdp1_value(field, text)
    except (ValueError, KeyError) as error:
        raise TechnicianError(
            "bad-field-value",
            f"`{text[:40]}` is no value of {field.name}.",
            "Write a number, a name of the profile, or hexadecimal digits.",
        ) from error


def _sdp1_value(field: Field, text: str) -> object:
    if field.boolean:
        return _YES_NO[text]
    if field.type is FieldType.BYTES:
        content = bytes.fromhex(text)
        return content + bytes(max(0, (field.size or 0) - len(content)))
    named = field.enum is not None or field.registry is not None
    if field.type in (FieldType.TEXT, FieldType.VERSION) or (named and not text[:1].isdigit()):
        return text
    return int(text, 0)


def _plain_value(field: PlainField, text: str) -> str | int | bool:
    if field.names is not None or field.shape in (Shape.TEXT, Shape.BYTES):
        return text
    return int(text, 0)

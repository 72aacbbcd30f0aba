"""Runs a profile's test vectors on the message level: bytes to fields and fields to bytes, both exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from device_profiles.errors import FailedVectorError, InvalidProfileError
from device_profiles.fields import compile_fields
from device_profiles.layout import tables_of
from device_profiles.schema import Field, FieldType, Profile, Vector
from device_profiles.values import FieldValue, Kinds

CRC_SIZE = 2  # every checksum of the catalogue that a link uses so far


def verify_vectors(profile: Profile, file: str) -> None:
    """Run every vector that names a message.

    Raises:
        FailedVectorError: naming the first vector that does not come out.
    """
    for vector in profile.vectors:
        if vector.message is not None:
            _verify_vector(profile, vector, vector.message, file)


def _verify_vector(profile: Profile, vector: Vector, message: str, file: str) -> None:
    fields, numbers = _message_of(profile, message, file)
    tables = tables_of(profile)
    frame = bytes.fromhex(vector.frame)
    body = frame[profile.framing.header : len(frame) - CRC_SIZE]
    header = compile_fields(profile.messages.header, tables, Kinds())
    payload = compile_fields(fields, tables, Kinds())
    numbers["tid"] = vector.tid
    try:
        expected = _plain(fields, vector.fields)
        actual_numbers = header.decode(body, 0)
        encoded_header = header.encode(numbers)
        actual = payload.decode(body, len(encoded_header))
        encoded = encoded_header + payload.encode(expected)
    except (ValueError, TypeError) as error:
        # Besides a FieldError: the vector's own values are no hexadecimal text or no list of names.
        raise FailedVectorError(file, vector.id, str(error)) from error
    if actual_numbers != numbers:
        raise FailedVectorError(file, vector.id, f"the header reads {actual_numbers}, wanted {numbers}")
    told = {name: value for name, value in actual.items() if name in expected}
    if told != expected:
        raise FailedVectorError(file, vector.id, f"reads {told}, wanted {expected}")
    if encoded != body:
        raise FailedVectorError(file, vector.id, f"writes {encoded.hex(' ')}, wanted {body.hex(' ')}")


def _message_of(profile: Profile, message: str, file: str) -> tuple[Sequence[Field], dict[str, FieldValue]]:
    messages, classes = profile.messages, profile.messages.classes
    kind, _, name = message.partition(".")
    match kind:
        case "commands" if name in profile.commands:
            command = profile.commands[name]
            return command.fields, {"class": classes.command, "code": command.code}
        case "responses" if name in profile.commands:
            command = profile.commands[name]
            return (*messages.response_prefix, *command.response), {"class": classes.response, "code": command.code}
        case "events" if name in profile.events:
            event = profile.events[name]
            return (*messages.event_prefix, *event.fields), {"class": classes.event, "code": event.code}
        case "event_ack":
            return messages.event_ack, {"class": classes.event_ack, "code": classes.event_ack_code}
        case _:
            raise InvalidProfileError(file, f"a vector names the message '{message[:60]}', which does not exist")


def _plain(fields: Sequence[Field], given: Mapping[str, object]) -> dict[str, FieldValue]:
    """Return the vector's fields as messages have them: bytes were written as hexadecimal text, flags as a list."""
    kinds = {field.name: field for field in fields}
    plain: dict[str, FieldValue] = {}
    for name, value in given.items():
        field = kinds.get(name)
        if field is not None and field.type is FieldType.BYTES and isinstance(value, str):
            plain[name] = bytes.fromhex(value)
        elif field is not None and field.flags is not None and isinstance(value, list):
            plain[name] = frozenset(value)
        else:
            plain[name] = value
    return plain

"""Messages to values and back, compiled once from a profile into closures over `struct`.

A profile names the canonical event, command or report that each message is; here these names meet the classes, and a
profile whose names do not fit is refused like one whose vectors fail. After that, no message of any protocol is known
here by anything but its entry in the profile.

Reading never raises past `FieldError`: a message that does not fit its description is the device's fault, which the
session records.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, partial
from typing import Final, NamedTuple, cast, get_type_hints

import msgspec

from device_profiles.errors import FailedVectorError, InvalidProfileError, ShortPayloadError
from device_profiles.fields import compile_fields
from device_profiles.fixed import plain_struct
from device_profiles.layout import tables_of
from device_profiles.loader import load_profile
from device_profiles.schema import CommandMessage, EventMessage, Field, Profile, Role
from device_profiles.values import Compiled, FieldValue, Kinds
from firmware_bridge.checksum import CHECKSUMS_16
from firmware_bridge.commands import COMMAND_TYPES, Command, Request
from firmware_bridge.errors import MisuseError
from firmware_bridge.events import EVENT_TYPES, DeviceEvent, Status, UnknownEvent
from firmware_bridge.framing import CRC_SIZE, CobsFramer, encode_frame
from firmware_bridge.kinds import BridgeKinds
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport

ROLE_NUMBERS: Final = {Role.ANY: 0, Role.OPERATOR: 1, Role.TECHNICIAN: 2, Role.VENDOR: 3}
"""SDP/1 1.6: each role includes those before it."""

_REPORT_TYPES: Final = {cls.__name__: cls for cls in (DeviceIdentity, StatusReport)}
T_MASK: Final = 0xFFFFFFFF  # SDP/1 1.7: the device's milliseconds wrap

_HEADER_NAMES: Final = ("class", "code", "tid")
_EVENT_PREFIX_NAMES: Final = ("eseq", "t_ms")


class CommandSpec(NamedTuple):
    """One command of the profile, compiled."""

    name: str
    message: CommandMessage
    role: int
    request: Compiled
    response: Compiled

    def __repr__(self) -> str:
        return f"<command {self.name}>"


class _EventSpec(NamedTuple):
    name: str
    message: EventMessage
    body: Compiled
    """The fields after eseq and t, for writing."""
    read: Callable[[bytes, bool, int], DeviceEvent]
    """Message, replayed by its own flag, offset of the payload."""


class Codec:
    """A profile at work. Has no state of a connection: one serves all sessions of its profile."""

    def __init__(self, profile: Profile) -> None:
        """Compile `profile`.

        Raises:
            ProfileError: a name of the profile has no meaning here, or a vector does not come out on the wire.
        """
        self.profile = profile
        self._file = f"{profile.name}.toml"
        if profile.framing.crc not in CHECKSUMS_16:
            raise InvalidProfileError(self._file, f"framing.crc: '{profile.framing.crc}' is none of the known checksums")
        self.checksum = CHECKSUMS_16[profile.framing.crc]
        self._tables = tables_of(profile)
        self._verify_wire_vectors()
        self.classes = profile.messages.classes
        messages = profile.messages
        self._header = self._plain(messages.header, _HEADER_NAMES)
        self._prefix = self._plain(messages.event_prefix, _EVENT_PREFIX_NAMES)
        self._status = compile_fields(messages.response_prefix, self._tables, Kinds())
        if self._status.names != ("status",):
            raise InvalidProfileError(self._file, "messages.response_prefix: expected the field status")
        self.header_size = self._header.size
        self._ack = self._plain(messages.event_ack, ("eseq",))
        acknowledgement = self._plain((*messages.header, *messages.event_ack), (*_HEADER_NAMES, "eseq"))
        self.write_event_ack: Callable[[int], bytes] = partial(acknowledgement.pack, self.classes.event_ack, self.classes.event_ack_code, 0)
        """Returns the message that acknowledges every event up to this number; it goes out once for each card."""
        self._status_size = len(self._status.encode({"status": 0}))
        self.commands: dict[str, CommandSpec] = {name: self._compile_command(name, message) for name, message in profile.commands.items()}
        self._commands_by_code = {spec.message.code: spec for spec in self.commands.values()}
        self._events = {name: self._compile_event(name, message) for name, message in profile.events.items()}
        self._events_by_code = {spec.message.code: spec for spec in self._events.values()}
        self._event_readers: dict[bytes, Callable[[bytes, bool, int], DeviceEvent]] = {}
        self._forms = self._compile_forms()

    # Both directions

    def read_header(self, message: bytes) -> tuple[int, int, int]:
        """Return class, code and tid.

        Raises:
            ShortPayloadError: the message is shorter than its header.
        """
        if len(message) < self._header.size:
            raise ShortPayloadError("the message is shorter than its header")
        return cast("tuple[int, int, int]", self._header.unpack_from(message))

    def write_header(self, message_class: int, code: int, tid: int) -> bytes:
        return self._header.pack(message_class, code, tid)

    def event_readers(self) -> dict[bytes, Callable[[bytes, bool, int], DeviceEvent]]:
        """Return, by the header of its message, what reads each event: bytes, replayed, where its payload begins.

        A reader raises ShortPayloadError when the message ends before its fields do.
        """
        if not self._event_readers:
            event = self.classes.event
            self._event_readers = {self.write_header(event, code, 0): spec.read for code, spec in self._events_by_code.items()}
        return self._event_readers

    def command_by_code(self, code: int) -> CommandSpec | None:
        return self._commands_by_code.get(code)

    def command(self, name: str) -> CommandSpec:
        """Return the command of this name.

        Raises:
            MisuseError: the profile has none.
        """
        spec = self.commands.get(name)
        if spec is None:
            raise MisuseError(f"profile '{self.profile.name}' has no command '{name[:40]}'")
        return spec

    # The host's side

    def message_of(self, command: Command) -> tuple[CommandSpec, dict[str, FieldValue]]:
        """Return the message that carries `command`, and its fields.

        Raises:
            MisuseError: the profile has no message for it.
        """
        if isinstance(command, Request):
            return self.command(command.name), dict(command.fields)
        form = self._forms.get(type(command))
        if form is None:
            raise MisuseError(f"profile '{self.profile.name}' has no command for {type(command).__name__}")
        spec, constants, mapping = form
        return spec, constants | {field: getattr(command, attribute) for field, attribute in mapping}

    def write_command(self, spec: CommandSpec, tid: int, fields: Mapping[str, FieldValue]) -> bytes:
        """Return the command's message.

        Raises:
            FieldError: a value is missing, unknown or does not fit.
        """
        return self.write_header(self.classes.command, spec.message.code, tid) + spec.request.encode(fields)

    def read_response(self, spec: CommandSpec, message: bytes) -> tuple[Status, dict[str, FieldValue]]:
        """Return status and fields; the fields are empty unless the status is OK.

        Raises:
            FieldError: the response does not fit its description.
        """
        at = self.header_size
        status = Status(self._status.decode(message, at)["status"])
        if status is not Status.OK:
            return status, {}
        return status, spec.response.decode(message, at + self._status_size)

    def read_event_numbers(self, message: bytes) -> tuple[int, int]:
        """Return eseq and t of an event.

        Raises:
            ShortPayloadError: the event is too short to have them.
        """
        if len(message) < self._header.size + self._prefix.size:
            raise ShortPayloadError("the event is shorter than its number and time")
        return cast("tuple[int, int]", self._prefix.unpack_from(message, self._header.size))

    def read_event(self, code: int, message: bytes, *, replayed: bool) -> DeviceEvent:
        """Return the event; `replayed` says that it is older than the resume, whatever its own flag says.

        Raises:
            ShortPayloadError: the message ends before its fields do.
        """
        spec = self._events_by_code.get(code)
        if spec is None:
            return self.unknown_event(code, message, replayed=replayed)
        return spec.read(message, replayed, self.header_size)

    def unknown_event(self, code: int, message: bytes, *, replayed: bool) -> UnknownEvent:
        """Return what can be said of an event whose content cannot be read.

        Raises:
            ShortPayloadError: the event is too short to have a number.
        """
        eseq, t_ms = self.read_event_numbers(message)
        return UnknownEvent(eseq, t_ms, replayed, code, len(message) - self.header_size - self._prefix.size)

    def event_content(self, message: bytes) -> bytes:
        """Return what must not differ when the event is repeated: everything but tid and the replay flag."""
        spec = self._events_by_code.get(message[1])
        if spec is not None and spec.body.flags_at is not None:
            offset, bit = spec.body.flags_at
            at = self.header_size + self._prefix.size + offset
            if at < len(message) and message[at] & bit:
                return message[:at] + bytes((message[at] & ~bit,)) + message[at + 1 :]
        return message

    def identity_of(self, fields: Mapping[str, FieldValue]) -> DeviceIdentity:
        return cast("DeviceIdentity", _report(DeviceIdentity, fields))

    def status_of(self, fields: Mapping[str, FieldValue]) -> StatusReport:
        return cast("StatusReport", _report(StatusReport, fields))

    def capabilities_of(self, fields: Mapping[str, FieldValue]) -> tuple[Capability, ...]:
        return tuple(
            Capability(function if function != "unknown" else f"function-{code:02X}", level, count)
            for function, code, level, count in (
                cast("tuple[str, int, int, int]", tuple(group.values()))
                for group in cast("tuple[Mapping[str, FieldValue], ...]", fields["capabilities"])
            )
        )

    # The device's side

    def read_command(self, spec: CommandSpec, message: bytes) -> dict[str, FieldValue]:
        """Return the command's fields, read strictly.

        Raises:
            FieldRangeError: a value outside what the profile allows.
            ShortPayloadError: the message ends before its fields do.
        """
        return spec.request.decode(message, self.header_size)

    def write_response(self, spec: CommandSpec, tid: int, status: Status, fields: Mapping[str, FieldValue] | None = None) -> bytes:
        """Return a response; only OK carries fields.

        Raises:
            FieldError: a value is missing, unknown or does not fit.
        """
        start = self.write_header(self.classes.response, spec.message.code, tid) + self._status.encode({"status": status})
        return start + spec.response.encode(fields or {}) if status is Status.OK else start

    def write_refusal(self, code: int, tid: int, status: Status) -> bytes:
        """Return a response of status alone, for a code that the profile may not know."""
        return self.write_header(self.classes.response, code, tid) + self._status.encode({"status": status})

    def read_event_ack(self, message: bytes) -> int:
        """Return the eseq up to which the host acknowledges.

        Raises:
            ShortPayloadError: the message ends before its fields do.
        """
        if len(message) < self._header.size + self._ack.size:
            raise ShortPayloadError("the event acknowledgement has no number")
        return cast("int", self._ack.unpack_from(message, self._header.size)[0])

    def write_event_body(self, name: str, fields: Mapping[str, FieldValue]) -> bytes:
        """Return an event's payload after eseq and t, for the device's journal.

        Raises:
            MisuseError: the profile has no such event.
            FieldError: a value is missing, unknown or does not fit.
        """
        spec = self._events.get(name)
        if spec is None:
            raise MisuseError(f"profile '{self.profile.name}' has no event '{name[:40]}'")
        return spec.body.encode(fields)

    def write_event(self, name: str, eseq: int, t_ms: int, body: bytes, *, replayed: bool) -> bytes:
        """Return an event's message; `replayed` sets the flag where the event has flags."""
        spec = self._events[name]
        if replayed and spec.body.flags_at is not None:
            offset, bit = spec.body.flags_at
            body = body[:offset] + bytes((body[offset] | bit,)) + body[offset + 1 :]
        header = self.write_header(self.classes.event, spec.message.code, 0)
        return header + self._prefix.pack(eseq, t_ms & T_MASK) + body

    # Compilation

    def _plain(self, fields: tuple[Field, ...], names: tuple[str, ...]) -> struct.Struct:
        """Return the layout of fields that the session itself reads, which therefore must have these names."""
        layout = plain_struct(fields)
        if layout is None or tuple(field.name for field in fields) != names:
            raise InvalidProfileError(self._file, f"messages: expected the plain numbers {', '.join(names)}")
        return layout

    def _compile_command(self, name: str, message: CommandMessage) -> CommandSpec:
        kinds = BridgeKinds({}, self._file)
        if message.report is not None:
            report = _REPORT_TYPES.get(message.report)
            if report is None:
                raise InvalidProfileError(self._file, f"commands.{name}.report: no report '{message.report}'")
        request = compile_fields(message.fields, self._tables, kinds, strict=True)
        response = compile_fields(message.response, self._tables, kinds)
        if message.report is not None:
            missing = set(_REPORT_TYPES[message.report].__struct_fields__) - set(response.names)
            if missing:
                raise InvalidProfileError(self._file, f"commands.{name}.response: field '{min(missing)}' is missing")
        return CommandSpec(name, message, ROLE_NUMBERS[message.role], request, response)

    def _compile_event(self, name: str, message: EventMessage) -> _EventSpec:
        types = {cls.__name__: cls for cls in EVENT_TYPES}
        event_type = types.get(message.event)
        if event_type is None:
            raise InvalidProfileError(self._file, f"events.{name}.event: there is no event '{message.event}'")
        kinds = BridgeKinds(get_type_hints(event_type), self._file)
        body = compile_fields(message.fields, self._tables, kinds)
        whole = compile_fields((*self.profile.messages.event_prefix, *message.fields), self._tables, kinds)
        wanted = event_type.__struct_fields__[len(DeviceEvent.__struct_fields__) :]
        if body.names != wanted or whole.decode_values is None:
            raise InvalidProfileError(
                self._file, f"events.{name}: {message.event} takes the fixed fields {', '.join(wanted)} in this order"
            )
        decode_values, flags_at = whole.decode_values, whole.flags_at
        # mypy sees only the base class, whose constructor takes the first three.
        make = cast("Callable[..., DeviceEvent]", event_type)
        flag_offset, flag_bit = flags_at or (0, 0)

        def read(message_bytes: bytes, replayed: bool, at: int) -> DeviceEvent:
            values = decode_values(message_bytes, at)
            values.insert(2, replayed or bool(message_bytes[at + flag_offset] & flag_bit))
            return make(*values)

        return _EventSpec(name, message, body, read)

    def _compile_forms(self) -> dict[type, tuple[CommandSpec, dict[str, FieldValue], tuple[tuple[str, str], ...]]]:
        types = {cls.__name__: cls for cls in COMMAND_TYPES}
        forms: dict[type, tuple[CommandSpec, dict[str, FieldValue], tuple[tuple[str, str], ...]]] = {}
        for name, spec in self.commands.items():
            for form in spec.message.forms:
                command_type = types.get(form.command)
                if command_type is None:
                    raise InvalidProfileError(self._file, f"commands.{name}.forms: no command '{form.command}'")
                foreign = set(form.map.values()) - set(command_type.__struct_fields__)
                if foreign or command_type in forms:
                    raise InvalidProfileError(self._file, f"commands.{name}.forms: {form.command} stands twice or has no such field")
                forms[command_type] = (spec, dict(form.set), tuple(form.map.items()))
        return forms

    def _verify_wire_vectors(self) -> None:
        """Check framing and checksum of every vector, both ways; the loader has checked the messages."""
        framing = self.profile.framing
        for vector in self.profile.vectors:
            frame = bytes.fromhex(vector.frame)
            body = frame[:-CRC_SIZE]
            if self.checksum(body).to_bytes(CRC_SIZE, "big") != frame[-CRC_SIZE:]:
                raise FailedVectorError(self._file, vector.id, f"the checksum is {self.checksum(body):04X}")
            if vector.wire is None:
                continue
            wire = bytes.fromhex(vector.wire)
            if encode_frame(body, self.checksum) != wire:
                raise FailedVectorError(self._file, vector.id, "its frame does not give these bytes on the wire")
            if CobsFramer(framing, pauses=True).feed(wire, 0.0) != [body]:
                raise FailedVectorError(self._file, vector.id, "the bytes on the wire do not give its frame")


@cache
def load_codec(name: str) -> Codec:
    """Return the compiled profile of this name.

    Raises:
        ProfileError: no such profile, or it cannot be used.
    """
    return Codec(load_profile(name))


def _report(report_type: type[msgspec.Struct], fields: Mapping[str, FieldValue]) -> msgspec.Struct:
    """Return the canonical report of a response's fields; names become members of its enums."""
    hints = get_type_hints(report_type)
    values: dict[str, object] = {}
    for name in report_type.__struct_fields__:
        if name not in fields:
            continue
        hint, value = hints[name], fields[name]
        values[name] = hint(value) if isinstance(hint, type) and issubclass(hint, Enum) else value
    return report_type(**values)


__all__ = ["ROLE_NUMBERS", "Codec", "CommandSpec", "ShortPayloadError", "load_codec"]

"""The field language at work: a tuple of `Field` becomes two closures over `struct`, one to read and one to write.

A message is fixed fields, then at most one part of free length (bytes, text, a list, TLVs), then fixed fields again.
Optional fields stand at the end and only where nothing has free length. Bytes after the last field are ignored when
reading (SDP/1 1.9), because a newer device may add fields.

Nothing here knows frames, classes or who speaks; what values look like is told in `device_profiles.values`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from device_profiles.errors import FieldError, ShortPayloadError
from device_profiles.fixed import FixedRun, compile_fixed, is_fixed_size
from device_profiles.parts import compile_part
from device_profiles.registered import shape_checks
from device_profiles.schema import Field
from device_profiles.values import Compiled, FieldValue, Kinds, Tables


def compile_fields(fields: Sequence[Field], tables: Tables, kinds: Kinds, *, strict: bool = False) -> Compiled:
    """Compile `fields`; `strict` refuses unknown names and numbers out of range when reading, as a device must."""
    free = next((i for i, field in enumerate(fields) if not is_fixed_size(field)), len(fields))
    head_fields = [field for field in fields[:free] if not field.optional]
    optional_fields = [field for field in fields[:free] if field.optional]
    tail_fields = list(fields[free + 1 :])
    head = FixedRun([compile_fixed(field, tables, kinds, strict=strict) for field in head_fields])
    optional = [FixedRun([compile_fixed(field, tables, kinds, strict=strict)]) for field in optional_fields]
    tail = FixedRun([compile_fixed(field, tables, kinds, strict=strict) for field in tail_fields])
    part = None
    if free < len(fields):
        part = compile_part(fields[free], lambda inner: compile_fields(inner, tables, kinds, strict=strict))
    names = (
        *head.names,
        *(name for run in optional for name in run.names),
        *(part.names if part else ()),
        *tail.names,
    )

    def decode(payload: bytes, offset: int) -> dict[str, FieldValue]:
        values = dict(zip(head.names, head.decode_values(payload, offset), strict=True))
        at = offset + head.size
        for run in optional:
            if len(payload) - at >= run.size:
                values.update(zip(run.names, run.decode_values(payload, at), strict=True))
                at += run.size
            else:
                values.update(dict.fromkeys(run.names))
        if part is not None:
            end = len(payload) - tail.size
            if end < at:
                raise ShortPayloadError("the payload is too short")
            values.update(part.decode(payload[at:end]))
            values.update(zip(tail.names, tail.decode_values(payload, end), strict=True))
        if strict:
            for verify in shapes:
                verify(values)
        return values

    shapes = shape_checks(fields, tables)

    def encode(values: Mapping[str, FieldValue]) -> bytes:
        for verify in shapes:
            verify(values)
        unknown = values.keys() - names
        if unknown:
            raise FieldError(f"no such field: {', '.join(sorted(map(str, unknown)))}")
        encoded = head.encode(values)
        for run in optional:
            if all(values.get(name) is None for name in run.names):
                break
            encoded += run.encode(values)
        if part is not None:
            encoded += part.encode(values) + tail.encode(values)
        return encoded

    plain = part is None and not optional
    return Compiled(names, decode, head.decode_values if plain else None, encode, head.flags_at(tables))

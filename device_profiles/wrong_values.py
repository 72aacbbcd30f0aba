"""What is wrong with a value of a profile, in words: where it stands, what stands there, what may stand there instead.

msgspec judges the values; it tells the place and the kind, and this looks up in the types what is allowed at that place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec
from msgspec import inspect

from device_profiles import schema

_TOLD: Final = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_STEP: Final = re.compile(r"[^.\[\]]+|\[\d+\]")
_BYTES: Final = "bytes as two capital hexadecimal digits each, with blanks between them, such as `0D 0A`"
_NAME: Final = "a name: small letters, digits, dashes and underscores, a letter first, at most 40"


@cache
def shape_of(schema: type[msgspec.Struct]) -> inspect.Type:
    """The schema as a tree; making it evaluates the annotations of its types, once for all files."""
    return inspect.type_info(schema)


def wrong_value(error: msgspec.ValidationError, tables: Mapping[str, object], form: type[msgspec.Struct]) -> str:
    """Return what is wrong, without the full stop: the place, then what may stand there."""
    told = _TOLD.fullmatch(str(error))
    path = told["path"] if told is not None else None
    if told is None or not path:
        return str(error)
    allowed = _allowed(tables, shape_of(form), _STEP.findall(path))
    return f"{path}: {told['what']}" + (f"; write {allowed}" if allowed else "")


def _allowed(value: object, kind: inspect.Type, steps: list[str]) -> str:
    """What may stand where the steps lead, in words; empty where the types have no short word for it."""
    for step in steps:
        inner = next((found for one in _members(value, kind) if (found := _inner(one, step)) is not None), None)
        if inner is None:
            return ""
        kind, value = inner, _value_at(value, step)
    plain = _members(value, kind)
    words = [str(member.value) for one in plain if isinstance(one, inspect.EnumType) for member in one.cls]
    if words:
        return f"one of {', '.join(words)}"
    patterns = [one.pattern for one in plain if isinstance(one, inspect.StrType) and one.pattern is not None]
    if schema.NAME_PATTERN in patterns:
        return _NAME
    return _BYTES if any("[0-9A-F]{2}" in pattern for pattern in patterns) else ""


def _members(value: object, kind: inspect.Type) -> tuple[inspect.Type, ...]:
    """The kinds that a value may be; where tables are told apart by a key, the one that it names."""
    if not isinstance(kind, inspect.UnionType):
        return (kind,)
    tagged = [one for one in kind.types if isinstance(one, inspect.StructType) and one.tag_field is not None]
    if not tagged or not isinstance(value, Mapping):
        return kind.types
    return tuple(one for one in tagged if value.get(one.tag_field or "") == one.tag)


def _inner(kind: inspect.Type, step: str) -> inspect.Type | None:
    match kind:
        case inspect.StructType():
            return next((field.type for field in kind.fields if field.encode_name == step), None)
        case inspect.DictType():
            return kind.value_type
        case inspect.VarTupleType():
            return kind.item_type
        case _:
            return None


def _value_at(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    at = int(step[1:-1]) if step.startswith("[") else -1
    return value[at] if isinstance(value, list | tuple) and 0 <= at < len(value) else None

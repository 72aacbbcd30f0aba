"""Makes the reference page of the profile language from the types that read profiles: each table, its keys, kinds, defaults and meaning.

The meaning of a key is the text below it in the source, or else its kind says enough; nothing is written twice.
"""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from types import ModuleType
from typing import Annotated, Final, get_args, get_origin

import msgspec

from device_profiles import schema
from device_profiles.plain import frames, messages, profile
from device_profiles.plain.profile import PlainProfile

MODULES: Final[tuple[ModuleType, ...]] = (profile, frames, messages, schema)
WORDS: Final = {str: "text", int: "number", float: "number", bool: "true or false", object: "any value"}


def profile_language_lines() -> Iterator[str]:
    """The tables of a plain profile, outermost first."""
    told = _texts_below_keys()
    done: set[type] = set()
    waiting: list[type[msgspec.Struct]] = [PlainProfile]
    while waiting:
        table = waiting.pop(0)
        if table in done:
            continue
        done.add(table)
        hints = typing.get_type_hints(table, include_extras=True)
        yield from _table_lines(table, hints, told)
        waiting += [inner for hint in hints.values() for inner in _tables_in(hint)]


def _table_lines(table: type[msgspec.Struct], hints: Mapping[str, object], told: Mapping[tuple[str, str], str]) -> Iterator[str]:
    tag = table.__struct_config__.tag
    yield from [f"## {table.__name__}", "", " ".join((inspect.getdoc(table) or "").split()), ""]
    if tag is not None:
        yield from [f'With `{table.__struct_config__.tag_field} = "{tag}"`.', ""]
    yield from ["| key | kind | default | meaning |", "|---|---|---|---|"]
    for field in msgspec.structs.fields(table):
        meaning = next((told[cls.__name__, field.name] for cls in table.__mro__ if (cls.__name__, field.name) in told), "")
        cells = (f"`{field.encode_name}`", _kind(hints[field.name]), _default(field), meaning)
        yield f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "needed"
    value = field.default if field.default is not msgspec.NODEFAULT else None
    match value:
        case None | () | {} | "" | msgspec.Struct():
            return "none"
        case Enum():
            return f"`{value.value}`"
        case bool():
            return f"`{str(value).lower()}`"
        case _:
            return f"`{value}`"


def _kind(hint: object) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _with_limits(_kind(args[0]), args[1:])
    if origin in (typing.Union, types.UnionType):
        words = [_kind(arg) for arg in args if arg is not type(None)]
        return " or ".join(dict.fromkeys(words))
    if origin is tuple:
        return f"list of {_kind(args[0])}" if args[-1] is Ellipsis else f"list of {len(args)}: {_kind(args[0])}"
    if origin in (dict, Mapping):
        return f"table by name of {_kind(args[1])}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " or ".join(f"`{member.value}`" for member in hint)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    return WORDS.get(hint, str(hint)) if isinstance(hint, type) else str(hint)


def _with_limits(word: str, notes: tuple[object, ...]) -> str:
    for note in notes:
        if not isinstance(note, msgspec.Meta):
            continue
        if note.ge is not None and note.le is not None:
            word += f", {note.ge} to {note.le}"
        if note.max_length is not None:
            word += f", at most {note.max_length}"
        if note.pattern is not None:
            word += f", `{note.pattern}`"
    return word


def _tables_in(hint: object) -> Iterator[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for arg in get_args(hint):
        yield from _tables_in(arg)


def _texts_below_keys() -> dict[tuple[str, str], str]:
    """(class, key) -> the text that stands below the key in the source."""
    found: dict[tuple[str, str], str] = {}
    for module in MODULES:
        for node in ast.parse(inspect.getsource(module)).body:
            if not isinstance(node, ast.ClassDef):
                continue
            for key, text in zip(node.body, node.body[1:], strict=False):
                if not (isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name) and isinstance(text, ast.Expr)):
                    continue
                if isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
                    found[node.name, key.target.id] = text.value.value
    return found

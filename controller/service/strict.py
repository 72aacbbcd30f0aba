"""Reads plain TOML values into typed structs, and tells every mistake with its key path and the nearest valid key.

msgspec converts single values; the walk over tables is done here, so that an error knows where it is without reading
anybody's message text. A field's words for the error come from its annotation (`extra={"needs": ...}`), and so does the
reference page: one description, three uses.

Entries of an array of tables are named by their `id` or `name` where they have one, else counted from 1:
`table.T1.device.shoe.port`.
"""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar, cast, get_args, get_origin

import msgspec

from controller.service.errors import ConfigError
from device_profiles.toml_text import TomlTextError, parse_toml

S = TypeVar("S", bound=msgspec.Struct)

SHOWN_VALUE_CHARS = 40
"""A wrong value is repeated in the error, and a line on a screen must hold it."""


def needs(  # one argument for each limit a field can have
    words: str,
    about: str,
    *,
    pattern: str | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    ge: float | None = None,
    le: float | None = None,
) -> msgspec.Meta:
    """Describe a field: `words` completes "it needs ...", `about` is the sentence for the reference page."""
    told = {"needs": words}
    if ge is not None or le is not None:
        return msgspec.Meta(description=about, extra=told, ge=ge, le=le)
    return msgspec.Meta(description=about, extra=told, pattern=pattern, min_length=min_length, max_length=max_length)


def read_toml_file(file: Path, most_bytes: int) -> dict[str, object]:
    """Return the tables of a configuration file.

    Raises:
        ConfigError: it cannot be read, is longer than `most_bytes`, or is no TOML.
    """
    try:
        with file.open("rb") as stream:
            raw = stream.read(most_bytes + 1)
    except FileNotFoundError as error:
        raise ConfigError("config-missing", file, "", "there is no such file", "name an existing one") from error
    except OSError as error:
        raise ConfigError("config-unreadable", file, "", f"cannot be read: {error.strerror}", "mend that") from error
    if len(raw) > most_bytes:
        raise ConfigError("config-too-big", file, "", f"is longer than {most_bytes >> 20} MiB", "name the configuration file")
    try:
        return parse_toml(raw)
    except TomlTextError as error:
        raise ConfigError("config-not-toml", file, "", f"cannot be read: {error}", "correct that place") from error


def read_struct(struct: type[S], table: object, file: Path, path: str = "") -> S:
    """Return the struct that a TOML table means.

    Raises:
        ConfigError: an unknown, missing or wrong key, with its path.
    """
    if not isinstance(table, Mapping):
        raise ConfigError("bad-value", file, path, "needs a table", f"write it as [{path or 'section'}] with its keys")
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    for key in table:
        if key not in fields:
            raise _unknown(file, _join(path, str(key)), str(key), fields)
    hints = typing.get_type_hints(struct, include_extras=True)
    values: dict[str, object] = {}
    for key, field in fields.items():
        if key in table:
            values[field.name] = _read_value(hints[field.name], table[key], file, _join(path, key))
        elif field.required:
            raise ConfigError("missing-key", file, _join(path, key), "is missing", _how_to_add(hints[field.name], key, _join(path, key)))
    return struct(**values)


def needed_words(hint: object) -> str:
    """Return what a field needs, in words."""
    for note in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        if isinstance(note, msgspec.Meta) and note.extra:
            return str(note.extra["needs"])
    return "a value"


def nearest_key(name: str, known: Iterable[str]) -> str:
    """Return a hint naming the nearest valid name, or all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean `{near[0]}`?" if near else f"it may be one of: {', '.join(names)}"


def shown(value: object) -> str:
    """Return a wrong value as it may be repeated to a person: printable and short."""
    text = value if isinstance(value, str) else repr(value)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= SHOWN_VALUE_CHARS else text[: SHOWN_VALUE_CHARS - 3] + "..."


def _read_value(hint: object, value: object, file: Path, path: str) -> object:
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        return read_struct(plain, value, file, path)
    item = get_args(plain)[0] if get_origin(plain) is tuple else None
    if isinstance(item, type) and issubclass(item, msgspec.Struct):
        return _read_list(item, value, file, path)
    try:
        return msgspec.convert(value, type=hint)
    except msgspec.ValidationError as error:
        raise ConfigError("bad-value", file, path, f"`{_written(value)}` cannot stand here", f"it needs {needed_words(hint)}") from error


def _read_list(item: type[msgspec.Struct], value: object, file: Path, path: str) -> tuple[msgspec.Struct, ...]:
    if not isinstance(value, list):
        raise ConfigError("bad-value", file, path, "needs a list of tables", f"write [[{path}]] before each of them")
    return tuple(read_struct(item, entry, file, f"{path}.{_label(entry, number)}") for number, entry in enumerate(value, 1))


def _how_to_add(hint: object, key: str, path: str) -> str:
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        return f"add a section [{path}]"
    if get_origin(plain) is tuple:
        return f"add a section [[{path}]] for each"
    return f"write {key} = {needed_words(hint)}"


def _written(value: object) -> str:
    """A wrong value as it stands in the file: a text in quotes, so that "1" is told from 1."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{shown(value)}"' if isinstance(value, str) else shown(value)


def _label(entry: object, number: int) -> str:
    if isinstance(entry, Mapping):
        for key in ("id", "name"):
            name = cast("Mapping[object, object]", entry).get(key)
            if isinstance(name, str) and name:
                return shown(name)
    return str(number)


def _join(path: str, key: str) -> str:
    return f"{path}.{shown(key)}" if path else shown(key)


def _unknown(file: Path, path: str, key: str, known: Iterable[str]) -> ConfigError:
    return ConfigError("unknown-key", file, path, "is no key of the configuration", nearest_key(key, known))

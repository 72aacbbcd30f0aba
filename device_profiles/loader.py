"""Finds, reads and checks device profiles; hands out only ones that hold what they promise.

A profile is refused, with the file, the place and the nearest right word in the sentence, when a key is unknown, a
value has the wrong type, a name refers to nothing, two messages share a code, a message cannot be laid out, or one of
its own test vectors does not come out. What needs the wire (framing and checksum of a vector) is checked where the wire
is, in `firmware_bridge.codec`, with the same consequence.

Profiles come only from this package's folder or from text handed in: a name never becomes a path.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from device_profiles.errors import InvalidProfileError, UnknownKeyError, UnknownProfileError
from device_profiles.extending import BaseOf, extended
from device_profiles.layout import expand_groups, verify_layout
from device_profiles.schema import SPEC_VERSION, Profile
from device_profiles.toml_text import TomlTextError, parse_toml
from device_profiles.vectors import verify_vectors
from device_profiles.wrong_values import shape_of, wrong_value

PROFILE_BYTES_MAX: Final = 262_144  # ten times the largest profile; a bigger file is not one
NESTING_MAX: Final = 12  # the language nests 6 deep; more is an attack on the parser's stack


@cache
def profile_names() -> tuple[str, ...]:
    """Return the names of all profiles that come with the product."""
    files = resources.files("device_profiles").iterdir()
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in files if entry.name.endswith(".toml")))


@cache
def load_profile(name: str) -> Profile:
    """Return the checked profile of this name.

    Raises:
        UnknownProfileError: no profile has this name.
        ProfileError: the profile cannot be used.
    """
    return parse_profile(product_tables(name), f"{name}.toml")


def product_tables(name: str, _file: str = "") -> Mapping[str, object]:
    """Return the tables of a profile that comes with the product, for one that extends it; all who ask share them.

    Raises:
        UnknownProfileError: no profile has this name.
    """
    known = profile_names()
    if name not in known:
        raise UnknownProfileError(name, nearest_of(name, known), known)
    return _product_tables(name)


@cache
def _product_tables(name: str) -> Mapping[str, object]:
    """Read once: a daemon asks for the profile of each of its devices, and reading a large one takes a fortieth of a second."""
    file = f"{name}.toml"
    return read_tables(resources.files("device_profiles").joinpath(file).read_bytes(), file)


def parse_profile(content: bytes | Mapping[str, object], file: str, base_of: BaseOf = product_tables) -> Profile:
    """Return the checked profile that `content` holds; `file` is only for the error texts.

    Raises:
        ProfileError: the profile cannot be used.
    """
    own = read_tables(content, file) if isinstance(content, bytes) else content
    tables = extended(own, file, base_of)
    if tables.get("link") == "plain":
        raise InvalidProfileError(file, "is the profile of a plain device, and SDP/1 is wanted here")
    if "link" not in tables:
        raise InvalidProfileError(file, 'does not say its `link`: that of a device with a protocol of its own is link = "plain"')
    verify_keys(own, Profile, file)
    try:
        profile = msgspec.convert(tables, Profile)
    except msgspec.ValidationError as error:
        raise InvalidProfileError(file, wrong_value(error, tables, Profile)) from error
    if profile.spec != SPEC_VERSION:
        raise InvalidProfileError(file, f"spec is {profile.spec}, this version reads spec {SPEC_VERSION}")
    profile = expand_groups(profile, file)
    verify_layout(profile, file)
    verify_vectors(profile, file)
    return profile


def read_tables(content: bytes, file: str) -> dict[str, object]:
    """The tables of a profile's file, within the limits of its size and nesting.

    Raises:
        InvalidProfileError: it is no such file.
    """
    if len(content) > PROFILE_BYTES_MAX:
        raise InvalidProfileError(file, f"is larger than {PROFILE_BYTES_MAX} bytes")
    try:
        return parse_toml(content, NESTING_MAX)
    except TomlTextError as error:
        raise InvalidProfileError(file, str(error)) from error


def verify_keys(tables: Mapping[str, object], schema: type[msgspec.Struct], file: str) -> None:
    """Check that every key of `tables` is one of `schema`, at every depth.

    Raises:
        UnknownKeyError: with the path of the first unknown key and the nearest valid one.
    """
    _verify_value(tables, shape_of(schema), "", file)


def _verify_value(value: object, expected: msgspec.inspect.Type, path: str, file: str) -> None:
    match expected:
        case msgspec.inspect.StructType() if isinstance(value, dict):
            fields = {field.encode_name: field.type for field in expected.fields}
            if expected.tag_field is not None:
                fields[expected.tag_field] = msgspec.inspect.StrType()
            for key, inner in value.items():
                if key not in fields:
                    raise UnknownKeyError(file, f"{path}{key}", nearest_of(key, fields))
                _verify_value(inner, fields[key], f"{path}{key}.", file)
        case msgspec.inspect.DictType() if isinstance(value, dict):
            for key, inner in value.items():
                _verify_value(inner, expected.value_type, f"{path}{key}.", file)
        case msgspec.inspect.VarTupleType() if isinstance(value, list):
            for index, inner in enumerate(value):
                _verify_value(inner, expected.item_type, f"{path[:-1]}[{index}].", file)
        case msgspec.inspect.UnionType():
            for member in _members_for(value, expected.types):
                _verify_value(value, member, path, file)
        case _:
            return  # a plain value: its type is msgspec's to judge


def _members_for(value: object, members: tuple[msgspec.inspect.Type, ...]) -> Iterable[msgspec.inspect.Type]:
    """The members of a union that a table may be: where they are told apart by a key, the one that it names."""
    tagged = [m for m in members if isinstance(m, msgspec.inspect.StructType) and m.tag_field is not None]
    if not isinstance(value, dict) or not tagged:
        return members
    return [member for member in tagged if member.tag == value.get(member.tag_field)]


def nearest_of(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` was probably meant to be."""
    matches = difflib.get_close_matches(word[:80], list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None

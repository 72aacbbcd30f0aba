"""Profiles that extend another: `extends` names one base, and what the profile says itself goes before what the base says.

Tables are laid over each other key by key. Lists whose entries have a `name` or an `id` (messages, fields, frames, vectors) are laid over
each other entry by entry: one of the same name is changed in its place, a new one is added at the end. Every other value, such as a list of
numbers, takes the place of the base's. What comes out is checked as a whole, with the vectors of the base that were not changed: so a
profile cannot extend a base into something that the base's own bytes contradict.

Who the profile is does not come from a base: `name` and `about` are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from device_profiles.errors import InvalidProfileError

EXTENDS: Final = "extends"
DEPTH_MAX: Final = 4
"""A family, a model, a variant of a house: a longer row of bases is one that leads back to itself."""
OWN: Final = ("name", "about")

Tables = Mapping[str, object]
BaseOf = Callable[[str, str], Tables]
"""Returns the tables of a base by its name; the second is the file that wants it. Raises ProfileError."""


def extended(tables: Tables, file: str, base_of: BaseOf) -> dict[str, object]:
    """Return the tables with those of all bases under them.

    Raises:
        ProfileError: a base cannot be had, or the row of bases is too long.
    """
    row = [tables]
    while EXTENDS in row[-1]:
        base = row[-1][EXTENDS]
        if not isinstance(base, str):
            raise InvalidProfileError(file, f"{EXTENDS}: it takes the name of one profile")
        if len(row) > DEPTH_MAX:
            raise InvalidProfileError(file, f"{EXTENDS}: more than {DEPTH_MAX} bases lie under it, or they lead back to it")
        row.append(base_of(base, file))
    missing = [key for key in OWN if key not in tables]
    if len(row) > 1 and missing:
        raise InvalidProfileError(file, f"'{missing[0]}' is missing: it does not come from '{tables[EXTENDS]}'")
    whole = dict(row.pop())
    while row:
        whole = _laid_over({key: value for key, value in whole.items() if key not in OWN}, row.pop())
    return whole


def _laid_over(base: Tables, own: Tables) -> dict[str, object]:
    whole = dict(base)
    for key, value in own.items():
        before = whole.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            whole[key] = _laid_over(before, value)
        elif isinstance(value, list) and isinstance(before, list) and (label := _label_of(value, before)) is not None:
            whole[key] = _entries_over(cast("list[dict[str, object]]", before), cast("list[dict[str, object]]", value), label)
        else:
            whole[key] = value
    return whole


def _label_of(*lists: list[object]) -> str | None:
    """Return the key that names every entry of the lists, each once."""
    return next((key for key in ("name", "id") if all(_are_labelled(one, key) for one in lists)), None)


def _are_labelled(entries: list[object], key: str) -> bool:
    labels = [entry.get(key) for entry in entries if isinstance(entry, dict)]
    return len(labels) == len(entries) and all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)


def _entries_over(base: list[dict[str, object]], own: list[dict[str, object]], label: str) -> list[dict[str, object]]:
    whole = {entry[label]: entry for entry in base}
    for entry in own:
        before = whole.get(entry[label])
        whole[entry[label]] = entry if before is None else _laid_over(before, entry)
    return list(whole.values())

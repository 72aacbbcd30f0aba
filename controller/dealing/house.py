"""House settings as TOML and JSON give them become the plain values that a game's settings are made of."""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.settings import Plain


class NotPlainError(ValueError):
    """A value of a kind that no setting has, such as a date; the text is its key."""


def plain_settings(house: Mapping[str, object]) -> dict[str, Plain]:
    """Return the settings as plain values.

    Raises:
        NotPlainError: naming the key whose value is none.
    """
    return {key: _plain(key, value) for key, value in house.items()}


def _plain(key: str, value: object) -> Plain:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list):
        return [_plain(key, item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(f"{key}.{name}", item) for name, item in value.items()}
    raise NotPlainError(key)

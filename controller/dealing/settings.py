"""House settings of a game: what a casino decides where the law leaves it open.

A setting has a name, a default, allowed values, words, and the rule it rests on. `resolve_settings` checks a table of values against a
game's settings and answers with typed values; a wrong name or value is a sentence with the nearest valid one.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from controller.dealing.rules import Rule, Standing
from controller.errors import ShoedError

SHOWN_CHARS: Final = 60
"""A wrong value is repeated in the error, and a line on a screen must hold it."""

WHY_CHARS: Final = 300
"""What a check of a whole table says may name several of its values."""

Plain: TypeAlias = "bool | int | str | list[Plain] | dict[str, Plain] | None"


NEVER_RIGHT: Final[tuple[Plain, ...]] = (False, "", {}, [])
"""Values of which at least one is none that any table, list or text may be."""


class SettingError(ShoedError):
    """A house setting that does not exist or a value that it cannot have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One house setting: `allowed` lists the values, `between` gives the least and the greatest whole number, `check` judges any other."""

    name: str
    default: Plain
    meaning: str
    rule: Rule
    allowed: tuple[Plain, ...] | None = None
    between: tuple[int, int] | None = None
    check: Callable[[Plain], str] | None = None
    """Returns why a value cannot be used, or an empty text."""
    unit: str = "to 1"
    """What the numbers of a table are: odds, where it says nothing else."""
    limit_rule: Rule | None = None
    """The rule that limits the values; without it the setting's own, where that was read in the law. Named when a value is refused."""

    @property
    def allowed_words(self) -> str:
        """The allowed values in words; those of a `check` are what it says of values that cannot be right."""
        if self.between is not None:
            low, high = self.between
            words = f"{low} to {high}" if low < high else f"{low} only"
            return f"{words}, or none" if self.default is None else words
        if self.allowed is not None:
            return ", ".join(word(value) for value in self.allowed)
        words = next(filter(None, map(self.check, NEVER_RIGHT)), "any value") if self.check is not None else "any value"
        words = words.removeprefix("it is ")
        return f"{words}, or none" if self.default is None else words

    @property
    def limit(self) -> Rule | None:
        """The rule that a value contradicts which is not allowed; None where it is the house's own choice."""
        return self.limit_rule or (self.rule if self.rule.standing is Standing.LAW else None)


def word(value: Plain) -> str:
    """A value as it is written in a configuration."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def toml_text(value: Plain) -> str:
    """A value as TOML has it; `none` where there is none, which TOML cannot say: the setting is then left out."""
    match value:
        case None | bool():
            return word(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{', '.join(toml_text(item) for item in value)}]"
        case dict():
            inner = ", ".join(f"{_toml_key(name)} = {toml_text(item)}" for name, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case _:
            return str(value)


def _toml_key(name: str) -> str:
    return name if name and all(c.isascii() and (c.isalnum() or c in "-_") for c in name) else json.dumps(name, ensure_ascii=False)


def shown(value: object, most: int = SHOWN_CHARS) -> str:
    """A value of any kind as an error repeats it: printable and short."""
    text = "".join(c if c.isprintable() else "?" for c in str(value))
    return text if len(text) <= most else f"{text[: most - 3]}..."


class Settings:
    """Resolved values of one game; the getters are typed so that game modules need no casts."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Plain]) -> None:
        self._values = dict(values)

    def as_dict(self) -> dict[str, Plain]:
        """All values by name."""
        return dict(self._values)

    def number(self, name: str) -> int:
        """A whole number."""
        value = self._values[name]
        if not isinstance(value, int):
            raise TypeError(f"setting {name} is no number")
        return value

    def number_or_none(self, name: str) -> int | None:
        """A whole number, or None where the house set none."""
        value = self._values[name]
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        """A yes or no; a game that lacks the setting has said no."""
        return self._values.get(name) is True

    def text(self, name: str) -> str:
        """A word."""
        return word(self._values[name])

    def table(self, name: str) -> dict[str, Plain]:
        """A table such as posted odds; empty when none is configured."""
        value = self._values[name]
        return value if isinstance(value, dict) else {}

    def items(self, name: str) -> list[Plain]:
        """A list; empty when none is configured."""
        value = self._values[name]
        return value if isinstance(value, list) else []

    def rows(self, name: str) -> list[dict[str, Plain]]:
        """A list of tables, such as the lines of a house way; empty when none is configured."""
        return [row for row in self.items(name) if isinstance(row, dict)]


def resolve_settings(known: tuple[Setting, ...], given: Mapping[str, Plain], game: str) -> Settings:
    """Return the settings with `given` laid over the defaults.

    Raises:
        SettingError: an unknown name, or a value outside of what is allowed.
    """
    by_name = {setting.name: setting for setting in known}
    values: dict[str, Plain] = {setting.name: setting.default for setting in known}
    for name, value in given.items():
        setting = by_name.get(name)
        if setting is None:
            raise SettingError(
                code="unknown-setting",
                what=f"{game} has no house setting '{shown(name)}'{nearest(name, by_name)}.",
                do=f"List them with: shoed games settings {game}",
            )
        _check_value(setting, value, game)
        values[name] = value
    return Settings(values)


def nearest(name: str, known: Mapping[str, object] | list[str]) -> str:
    """` (did you mean 'x'?)` for the nearest known name, or an empty text."""
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean '{match[0]}'?)" if match else ""


def _check_value(setting: Setting, value: Plain, game: str) -> None:
    why = setting.check(value) if setting.check is not None else ""
    law = f" ({setting.limit})" if setting.limit is not None else ""
    if why:
        told = shown(why.rstrip("."), WHY_CHARS)
        raise SettingError(
            code="bad-setting", what=f"{game}: {setting.name} is not usable: {told}{law}.", do=f"See: shoed games settings {game}"
        )
    if setting.between is not None:
        low, high = setting.between
        none_is_fine = value is None and setting.default is None
        if not none_is_fine and (isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high):
            raise SettingError(
                code="bad-setting",
                what=f"{game}: {setting.name} = {shown(word(value))} is not allowed; it takes {setting.allowed_words}{law}.",
                do=f"Choose a whole number: {setting.allowed_words}.",
            )
    elif setting.allowed is not None and (value not in setting.allowed or isinstance(value, bool) != isinstance(setting.default, bool)):
        raise SettingError(
            code="bad-setting",
            what=f"{game}: {setting.name} = {shown(word(value))} is not allowed; it takes {setting.allowed_words}{law}.",
            do=f"Choose one of: {setting.allowed_words}.",
        )

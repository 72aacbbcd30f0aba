"""Plain values from outside become amounts, cards, seats and names, or an error that says where.

`parse_act` reads each act's value through a `Fields`: it hands out one key after the other, checks its type and limits,
and at the end complains of a key nobody asked for, naming the nearest that exists. Values are plain data as TOML and
JSON give them.

Nothing here knows a game: whether a seat exists or a wager is offered is for `controller.table.decide` to say.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final, TypeVar

from controller.errors import ShoedError
from controller.table.acts import SeatKey
from firmware_bridge.cards import CUT_CARD, UNREADABLE, Card, CardTextError, Sealed, parse_card

MAX_SEAT: Final = 99
"""Two digits: far above any layout, so that a slip of the keyboard is an error here and not a seat."""
MAX_COUNT: Final = 9_999
"""Cards: more than twenty decks are in no device."""
MAX_AMOUNT_CENTS: Final = 10**12
"""Ten billion: no table takes it, and sums of such amounts still fit 64 bits."""
MAX_TEXT: Final = 120
"""Characters of a reason or a name: one line on the operator's screen."""
LISTED_CHARS: Final = 600
"""Characters of the words that an error lists; the reference has all of them."""
MAX_CARDS: Final = 600
"""Cards in one list: more than eleven decks."""

SIDES: Final = ("dealer", "player", "banker")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,31}")
_WAGER_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")

T = TypeVar("T")


class ActError(ShoedError):
    """An act from outside cannot be read; nothing was done.

    Attributes:
        where: path of the value, such as `wager.ante`.
        nearest: the valid word nearest to a wrong one, where there is one.
    """

    def __init__(self, where: str, what: str, do: str, nearest: str | None = None) -> None:
        super().__init__("bad-act", f"{where[:MAX_TEXT]}: {what}", do)
        self.where = where
        self.nearest = nearest


def unknown_word(where: str, kind: str, word: object, valid: Iterable[str]) -> ActError:
    """Return the error for a word that is not among `valid`, naming the nearest or else all of them, as far as a line holds them."""
    words = sorted(valid)
    shown = str(word)[:40]
    near = difflib.get_close_matches(shown, words, n=1)
    listed = textwrap.shorten(", ".join(words), LISTED_CHARS, placeholder=" ...")
    do = f"Did you mean `{near[0]}`?" if near else f"Write one of: {listed.rstrip(',')}."
    return ActError(where, f"there is no {kind} `{shown}`.", do, near[0] if near else None)


def as_text(where: str, value: object) -> str:
    """Return a short text."""
    if not isinstance(value, str):
        raise ActError(where, f"{_told(value)} is no text.", "Put it in quotes.")
    if len(value) > MAX_TEXT:
        raise ActError(where, f"the text is longer than {MAX_TEXT} characters.", "Shorten it.")
    return value


def as_name(where: str, value: object) -> str:
    """Return the name of a person or device: letters, digits, `_`, `.` and `-`."""
    text = as_text(where, value)
    if not _NAME.fullmatch(text):
        raise ActError(where, "this is no name.", "Use up to 32 letters, digits, `_`, `.` or `-`, such as D7.")
    return text


def as_word(valid: Iterable[str], kind: str) -> Callable[[str, object], str]:
    """Return a reader that takes one of these words only."""
    words = frozenset(valid)

    def read(where: str, value: object) -> str:
        text = as_text(where, value)
        if text not in words:
            raise unknown_word(where, kind, text, words)
        return text

    return read


def as_flag(where: str, value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ActError(where, f"{_told(value)} is neither true nor false.", "Write true or false.")
    return value


def as_number(low: int, high: int) -> Callable[[str, object], int]:
    """Return a reader of whole numbers from `low` to `high`."""

    def read(where: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ActError(where, f"{_told(value)} is no whole number.", f"Write a number from {low} to {high}.")
        if not low <= value <= high:
            raise ActError(where, f"the number is not from {low} to {high}.", "Correct the number.")
        return value

    return read


as_count: Final = as_number(0, MAX_COUNT)
as_seat: Final = as_number(1, MAX_SEAT)


def as_seat_key(where: str, value: object) -> SeatKey:
    """Return a seat's number, or `dealer`, `player`, `banker`."""
    match value:
        case "dealer" | "player" | "banker":
            return value
        case str():
            raise unknown_word(where, "side of the table", value, SIDES)
        case _:
            return as_seat(where, value)


def as_amount(where: str, value: object) -> int:
    """Return cents from whole units, from text ("22.50") or from a TOML number with at most two decimals."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ActError(where, f"{_told(value)} is no amount.", 'Write whole units such as 10, or text such as "22.50".')
    try:
        # `repr` of a float is the shortest decimal that means it, which is what was written in the file.
        amount = Decimal(value if isinstance(value, int) else _plain_number(value))
    except (InvalidOperation, ValueError) as error:
        raise ActError(where, "this is no amount.", 'Write whole units such as 10, or text such as "22.50".') from error
    cents = amount * 100
    if not 0 <= cents <= MAX_AMOUNT_CENTS:
        raise ActError(where, "the amount is below zero or above any table's limit.", "Correct the amount.")
    if cents != cents.to_integral_value():
        raise ActError(where, "the amount has more than two decimals.", "Round it to the cent.")
    return int(cents)


def _plain_number(value: float | str) -> str:
    text = value if isinstance(value, str) else repr(value)
    if len(text) > 20 or not re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        raise ValueError(text)
    return text


def as_card(where: str, value: object) -> Card:
    """Return a named card; unreadable and cutting cards have no place in a list of cards."""
    text = as_text(where, value)
    try:
        card = parse_card(text)
    except CardTextError as error:
        raise ActError(where, f"{error}.", "Correct the card.") from error
    if card is UNREADABLE or card is CUT_CARD:
        raise ActError(where, f"`{text}` names no playing card.", "Name a card, such as 9h or Jk.")
    return card


def as_cards(where: str, value: object) -> tuple[Card, ...]:
    """Return the cards of a list of card texts."""
    if not isinstance(value, list | tuple):
        raise ActError(where, f"{_told(value)} is no list of cards.", 'Write a list, such as ["Ah", "Kh"].')
    if len(value) > MAX_CARDS:
        raise ActError(where, f"the list has more than {MAX_CARDS} cards.", "Shorten it.")
    return tuple(as_card(f"{where}[{index}]", item) for index, item in enumerate(value))


def as_read_cards(where: str, value: object) -> tuple[Sealed, ...]:
    """Return cards read in order, written as `"9h Kd ?"`."""
    words = as_long_text(where, value).split()
    if not 1 <= len(words) <= MAX_CARDS:
        raise ActError(where, "no cards are named.", 'Write the cards in order, such as "9h Kd 2c".')
    cards = []
    for index, word in enumerate(words):
        cards.append(Sealed(UNREADABLE if word == "?" else as_card(f"{where}[{index}]", word)))
    return tuple(cards)


def as_long_text(where: str, value: object) -> str:
    """Return a text that may hold `MAX_CARDS` cards."""
    if not isinstance(value, str):
        raise ActError(where, f"{_told(value)} is no text.", "Put it in quotes.")
    if len(value) > 4 * MAX_CARDS:
        raise ActError(where, "the text is too long.", "Shorten it.")
    return value


def as_places(where: str, value: object) -> tuple[int, ...]:
    """Return places of the community area, counted from 1."""
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_SEAT:
        raise ActError(where, f"{_told(value)} is no list of places.", "Write a list, such as [1, 2].")
    return tuple(as_seat(f"{where}[{index}]", item) for index, item in enumerate(value))


def as_amounts(where: str, values: Mapping[str, object]) -> dict[str, int | None]:
    """Return wagers by name, in cents."""
    amounts: dict[str, int | None] = {}
    for name, value in values.items():
        if not _WAGER_NAME.fullmatch(name):
            raise ActError(f"{where}.{name[:40]}", "this is no wager's name.", "Write it in snake case, such as ante.")
        amounts[name] = as_amount(f"{where}.{name}", value)
    return amounts


class Fields:
    """The keys of one act's value. Ask for each with `need` or `get`, then call `finish`."""

    def __init__(self, where: str, value: object, example: str) -> None:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise ActError(where, f"{_told(value)} is not what this act takes.", f"Write it as {example}.")
        if len(value) > MAX_SEAT:
            raise ActError(where, "there are too many keys.", f"Write it as {example}.")
        self.where = where
        self._left: dict[str, object] = dict(value)
        self._asked: list[str] = []

    def need(self, key: str, read: Callable[[str, object], T]) -> T:
        """Return the value of a key that must be there."""
        if key not in self._left:
            raise ActError(self.where, f"`{key}` is missing.", f"Add `{key}`.", key)
        self._asked.append(key)
        return read(f"{self.where}.{key}", self._left.pop(key))

    def get(self, key: str, read: Callable[[str, object], T], default: T) -> T:
        """Return the value of a key that may be left out."""
        self._asked.append(key)
        return read(f"{self.where}.{key}", self._left.pop(key)) if key in self._left else default

    def maybe(self, key: str, read: Callable[[str, object], T]) -> T | None:
        """Return the value of a key that may be left out, else None."""
        self._asked.append(key)
        return read(f"{self.where}.{key}", self._left.pop(key)) if key in self._left else None

    def rest(self) -> dict[str, object]:
        """Return all keys not asked for, which are then known."""
        left, self._left = self._left, {}
        return left

    def finish(self) -> None:
        """Complain of the first key that nobody asked for."""
        for key in self._left:
            raise unknown_word(f"{self.where}.{key[:40]}", "key", key, self._asked)


def _told(value: object) -> str:
    """Return a word for a value of the wrong type, never the value itself: it may be of any size."""
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a table of keys"
        case None:
            return "nothing"
        case _:
            return "this"

"""House ways as data: which cards a dealer keeps, as an ordered list of preferences that a casino can replace.

`choose` keeps two of several cards: it takes the first line of the list that any two of the cards satisfy, and among
the pairs that satisfy it the highest. Equal pairs (suits do not count) are decided by the order of the cards, so that
the same cards in the same order always give the same choice. Splitting four cards into two hands is in `split_way`.

Words of the lines: *suited* cards share a suit; *running* cards have adjacent ranks, the ace next to the king, and
next to the deuce only with `ace_low = true`; *x or better* holds for both cards, beside an ace for the other one.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from controller.hands.errors import HandError
from controller.hands.poker import high_rank
from firmware_bridge.cards import Card

ACE: Final = 14
Row = Mapping[str, object]
"""One line of a house way as it stands in a configuration."""
Strength = tuple[int, int]


class HouseWayError(HandError):
    """A configured house way that cannot be followed; the message names the line."""


def parse_rank(text: str) -> int:
    """Return the rank that `2`-`9`, `T` or `10`, `J`, `Q`, `K`, `A` names, ace 14.

    Raises:
        HouseWayError: for any other text.
    """
    rank = _RANKS.get(text)
    if rank is None:
        raise HouseWayError(f"'{text[:12]}' is no rank: write 2-9, T, J, Q, K or A")
    return rank


_RANKS: Final = {symbol: rank for rank, symbol in enumerate("23456789TJQKA", 2)} | {"10": 10}


class Preference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a house way: which two cards satisfy it."""

    def strength(self, first: Card, second: Card) -> Strength | None:
        """Return None if these two cards do not satisfy the line, else what to compare the pairs by."""
        raise NotImplementedError

    @property
    def is_always_satisfied(self) -> bool:
        """Whether any two cards satisfy it, so that a list may end here."""
        return False


class _Floor(Preference, frozen=True):
    suited: bool | None = None
    """true: only of one suit; false: only of different suits; absent: either."""
    at_least: str | None = None
    """Lowest rank allowed."""

    def __post_init__(self) -> None:
        if self.at_least is not None:
            parse_rank(self.at_least)

    def admits(self, first: Card, second: Card, lower: int) -> bool:
        if self.suited is not None and self.suited != (first.suit == second.suit):
            return False
        return self.at_least is None or lower >= parse_rank(self.at_least)


class Pair(_Floor, frozen=True):
    """Two cards of one rank; with `suited = true` of one suit as well, which needs several decks."""

    def strength(self, first: Card, second: Card) -> Strength | None:
        high, low = _ranks(first, second)
        return (high, low) if high == low and self.admits(first, second, low) else None


class AceWithHighest(_Floor, frozen=True):
    """An ace and the highest other card that goes with it."""

    def strength(self, first: Card, second: Card) -> Strength | None:
        high, low = _ranks(first, second)
        return (high, low) if high == ACE and self.admits(first, second, low) else None


class Running(_Floor, frozen=True):
    """Two cards of adjacent ranks."""

    ace_low: bool = False

    def strength(self, first: Card, second: Card) -> Strength | None:
        high, low = _ranks(first, second)
        if self.ace_low and (high, low) == (ACE, 2):
            high, low = 2, 1
        return (high, low) if high - low == 1 and self.admits(first, second, low) else None


class Highest(_Floor, frozen=True):
    """The two highest cards, with `running = false` only such as are not adjacent."""

    running: bool | None = None

    def strength(self, first: Card, second: Card) -> Strength | None:
        high, low = _ranks(first, second)
        if self.running is not None and self.running != (high - low == 1):
            return None
        return (high, low) if self.admits(first, second, low) else None

    @property
    def is_always_satisfied(self) -> bool:
        return self.suited is None and self.at_least is None and self.running is None


PREFERENCES: Final[dict[str, type[Preference]]] = {
    "pair": Pair,
    "ace-with-highest": AceWithHighest,
    "running": Running,
    "highest": Highest,
}

FAST_ACTION_HOUSE_WAY: Final[tuple[Preference, ...]] = (
    Pair(suited=True),
    Pair(),
    AceWithHighest(suited=True, at_least="T"),
    Running(suited=True, at_least="T"),
    AceWithHighest(at_least="T"),
    Running(suited=False, at_least="J"),
    AceWithHighest(suited=True),
    Highest(suited=True, at_least="T"),
    Highest(at_least="J"),
    AceWithHighest(),
    Running(suited=True),
    Highest(suited=True, running=False),
    Running(),
    Highest(),
)
"""N.J.A.C. 13:69F-21.8(i), lines 1 to 14."""


class Choice(msgspec.Struct, frozen=True):
    """What a house way keeps."""

    keep: tuple[Card, Card]
    """The higher card first."""
    rest: tuple[Card, ...]
    line: int
    """Line of the house way that decided, counted from 1."""


def choose(preferences: Sequence[Preference], cards: Sequence[Card]) -> Choice:
    """Return the two cards that the first satisfied line keeps.

    Raises:
        HandError: for fewer than three cards, or a card without rank.
        HouseWayError: when no line is satisfied, which a list from `parse_house_way` rules out.
    """
    if len(cards) < 3:
        raise HandError(f"a house way keeps two of at least three cards, not of {len(cards)}")
    verify_ranked(cards)
    places = tuple(itertools.combinations(range(len(cards)), 2))
    for line, preference in enumerate(preferences, 1):
        rated = [(preference.strength(cards[a], cards[b]), a, b) for a, b in places]
        satisfying = [(strength, a, b) for strength, a, b in rated if strength is not None]
        if satisfying:
            _, a, b = max(satisfying, key=lambda rating: rating[0])
            rest = tuple(card for place, card in enumerate(cards) if place not in (a, b))
            high, low = (a, b) if high_rank(cards[a].rank) >= high_rank(cards[b].rank) else (b, a)
            return Choice((cards[high], cards[low]), rest, line)
    raise HouseWayError("no line of the house way is satisfied: its last line must be `highest` without conditions")


def parse_house_way(rows: Sequence[Row]) -> tuple[Preference, ...]:
    """Return a house way from configuration rows such as `{ prefer = "running", suited = true, at_least = "T" }`.

    Raises:
        HouseWayError: naming the line, and the nearest valid word where one is misspelt.
    """
    preferences = parse_rows(rows, PREFERENCES)
    if not preferences or not preferences[-1].is_always_satisfied:
        raise HouseWayError("the last line of a house way must be `highest` without conditions: any cards satisfy it")
    return preferences


_Line = TypeVar("_Line", bound=msgspec.Struct)


def parse_rows(rows: Sequence[Row], kinds: Mapping[str, type[_Line]]) -> tuple[_Line, ...]:
    """Return the lines of a house way; `prefer` names the kind of a line.

    Raises:
        HouseWayError: naming the line, and the nearest valid word where one is misspelt.
    """
    return tuple(_parse_row(row, line, kinds) for line, row in enumerate(rows, 1))


def _parse_row(row: Row, line: int, kinds: Mapping[str, type[_Line]]) -> _Line:
    if not isinstance(row, Mapping):
        raise HouseWayError(f'house way line {line} must be a table such as {{ prefer = "pair" }}')
    name = row.get("prefer")
    if not isinstance(name, str) or name not in kinds:
        raise HouseWayError(f"house way line {line}: prefer = {str(name)[:40]!r} is unknown, {_nearest(str(name), kinds)}")
    kind = kinds[name]
    conditions = {key: value for key, value in row.items() if key != "prefer"}
    known = [field.name for field in msgspec.structs.fields(kind)]
    for key in conditions:
        if key not in known:
            raise HouseWayError(f"house way line {line}: unknown key '{str(key)[:40]}', {_nearest(str(key), known)}")
    try:
        return msgspec.convert(conditions, kind)
    except msgspec.ValidationError as wrong:
        raise HouseWayError(f"house way line {line}: {wrong}") from wrong


def _nearest(word: str, valid: Mapping[str, object] | Sequence[str]) -> str:
    near = difflib.get_close_matches(word, list(valid), n=1, cutoff=0.0)
    return f"the nearest is '{near[0]}'" if near else "this kind takes none"


def verify_ranked(cards: Sequence[Card]) -> None:
    """Refuse jokers and unreadable cards.

    Raises:
        HandError: when there is one.
    """
    if not all(1 <= card.rank <= 13 for card in cards):
        raise HandError("a house way cannot place a joker or an unreadable card")


def _ranks(first: Card, second: Card) -> tuple[int, int]:
    a, b = high_rank(first.rank), high_rank(second.rank)
    return (a, b) if a >= b else (b, a)

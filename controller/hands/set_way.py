"""House ways that set seven cards in two or three hands, as an ordered list of preferences that a casino can replace.

`arrange` takes the first line of the list that any permissible arrangement of the cards satisfies, and among those that satisfy it the
best, hand by hand in the order that the line names. Permissible means that no hand ranks above the one that is to be higher. A line
asks two kinds of things:

- of the seven cards: what they hold (`holding`, equal ranks only, the joker an ace), how high the biggest group of equal ranks is
  (`rank_at_least`, `rank_at_most`), and whether some permissible arrangement has a straight or flush as its high hand (`complete`);
- of the arrangement: the kind of each hand (`high`, `medium`, `low`; several kinds may be named; `complete` is any straight or flush),
  and the highest card of the low or medium hand (`low_at_least`, `medium_at_least`).

`betters_low = true` keeps an arrangement only when its low hand is higher than the best one beside a complete high hand.
Equal arrangements are decided by the order of the cards.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from controller.hands.errors import HandError
from controller.hands.house_way import HouseWayError, Row, parse_rank
from controller.hands.poker import PokerCategory, high_rank
from controller.hands.semi_wild import COMPLETE, LowStraight, RankedHand, compare_ranks, rank_hand
from firmware_bridge.cards import JOKER, Card

ACE: Final = 14
Forms = tuple[tuple[str, int], ...]
"""The hands, the highest first, and how many cards each has."""

HOLDINGS: Final[dict[tuple[int, ...], str]] = {
    (): "no-pair", (2,): "one-pair", (2, 2): "two-pair", (2, 2, 2): "three-pair", (3,): "three-of-a-kind", (3, 2): "full-house",
    (3, 2, 2): "full-house", (3, 3): "two-threes", (4,): "four-of-a-kind", (4, 2): "four-and-more", (4, 3): "four-and-more",
    (5,): "five-aces", (5, 2): "five-aces",
}  # fmt: skip
"""Numbers of equal ranks among seven cards, to the words of `holding`."""
KINDS: Final = {kind.value: frozenset({kind}) for kind in PokerCategory} | {"complete": COMPLETE}


class SetLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a house way; see the module's text."""

    holding: str | None = None
    rank_at_least: str | None = None
    rank_at_most: str | None = None
    complete: bool | None = None
    high: str | list[str] = []
    medium: str | list[str] = []
    low: str | list[str] = []
    low_at_least: str | None = None
    medium_at_least: str | None = None
    betters_low: bool = False
    best: list[str] = []
    """The hands by which arrangements are compared, the first counting most; empty: the game's usual order."""

    @property
    def is_always_satisfied(self) -> bool:
        """Whether it applies to any cards, so that a list may end here."""
        return msgspec.structs.replace(self, best=[]) == SetLine()

    def kinds(self) -> tuple[tuple[str, frozenset[PokerCategory]], ...]:
        """The kinds that hands must have, by hand."""
        named = (("high", self.high), ("medium", self.medium), ("low", self.low))
        return tuple((hand, _kinds([words] if isinstance(words, str) else words)) for hand, words in named if words)


def _kinds(words: Sequence[str]) -> frozenset[PokerCategory]:
    return frozenset().union(*(KINDS[word] for word in words))


class Arrangement(msgspec.Struct, frozen=True):
    """Seven cards set in hands, by their names, the highest first."""

    cards: dict[str, tuple[Card, ...]]
    hands: dict[str, RankedHand]


class Setting(msgspec.Struct, frozen=True):
    """What a house way chose."""

    cards: dict[str, tuple[Card, ...]]
    line: int
    """Line of the house way that decided, counted from 1."""


def arrangements(cards: Sequence[Card], forms: Forms, low_straight: LowStraight) -> list[Arrangement]:
    """Return every permissible way to set these cards.

    Raises:
        HandError: for a wrong number of cards, or an unreadable card.
    """
    if len(cards) != sum(size for _, size in forms):
        raise HandError(f"{sum(size for _, size in forms)} cards are set here, not {len(cards)}")
    found = []
    for groups in _splits(tuple(range(len(cards))), [size for _, size in forms]):
        set_ = {name: tuple(cards[i] for i in group) for (name, _), group in zip(forms, groups, strict=True)}
        hands = {name: rank_hand(group, low_straight) for name, group in set_.items()}
        ordered = list(hands.values())
        if all(compare_ranks(one, other) >= 0 for one, other in itertools.pairwise(ordered)):
            found.append(Arrangement(set_, hands))
    return found


def _splits(places: tuple[int, ...], sizes: Sequence[int]) -> list[tuple[tuple[int, ...], ...]]:
    if len(sizes) == 1:
        return [(places,)]
    found = []
    for last in itertools.combinations(places, sizes[-1]):
        rest = tuple(place for place in places if place not in last)
        found += [(*before, last) for before in _splits(rest, sizes[:-1])]
    return found


def arrange(
    lines: Sequence[SetLine], cards: Sequence[Card], forms: Forms, usual: Sequence[str], low_straight: LowStraight = LowStraight.SECOND
) -> Setting:
    """Return the setting that the first satisfied line asks for; `usual` is the order of comparison of lines that name none.

    Raises:
        HandError: for a wrong number of cards, or an unreadable card.
        HouseWayError: when no line is satisfied, which a list from `parse_set_way` rules out.
    """
    possible = arrangements(cards, forms, low_straight)
    ranks = Counter(ACE if card is JOKER else high_rank(card.rank) for card in cards)
    groups = sorted(((number, rank) for rank, number in ranks.items() if number > 1), reverse=True)
    holding = HOLDINGS.get(tuple(number for number, _ in groups), "")
    beside_complete = max((a.hands["low"].value for a in possible if a.hands["high"].category in COMPLETE), default=None)
    for number, line in enumerate(lines, 1):
        if not _fits_cards(line, holding, groups[0][1] if groups else 0, beside_complete is not None):
            continue
        satisfying = [a for a in possible if _fits(line, a, beside_complete)]
        if satisfying:
            order = line.best or usual
            best = max(satisfying, key=lambda a: [a.hands[name].value for name in order])
            return Setting(best.cards, number)
    raise HouseWayError("no line of the house way is satisfied: its last line must have no conditions")


def _fits_cards(line: SetLine, holding: str, rank: int, complete: bool) -> bool:
    return (
        (line.holding is None or line.holding == holding)
        and (line.rank_at_least is None or rank >= parse_rank(line.rank_at_least))
        and (line.rank_at_most is None or 0 < rank <= parse_rank(line.rank_at_most))
        and (line.complete is None or line.complete == complete)
    )


def _fits(line: SetLine, arrangement: Arrangement, beside_complete: int | None) -> bool:
    hands = arrangement.hands
    if any(hands[name].category not in kinds for name, kinds in line.kinds()):
        return False
    for name, least in (("low", line.low_at_least), ("medium", line.medium_at_least)):
        if least is not None and hands[name].ranks[0] < parse_rank(least):
            return False
    return not line.betters_low or beside_complete is None or hands["low"].value > beside_complete


def parse_set_way(rows: Sequence[Row], forms: Forms) -> tuple[SetLine, ...]:
    """Return a house way from configuration rows such as `{ holding = "one-pair", high = "pair" }`.

    Raises:
        HouseWayError: naming the line and what is wrong with it.
    """
    lines = tuple(_parse_line(row, number, [name for name, _ in forms]) for number, row in enumerate(rows, 1))
    if not lines or not lines[-1].is_always_satisfied:
        raise HouseWayError('the last line of a house way must have no conditions, such as `{ best = ["high"] }`: any cards satisfy it')
    return lines


def _parse_line(row: Row, number: int, hands: Sequence[str]) -> SetLine:
    where = f"house way line {number}"
    if not isinstance(row, Mapping):
        raise HouseWayError(f'{where} must be a table such as {{ holding = "one-pair", high = "pair" }}')
    try:
        line = msgspec.convert(dict(row), SetLine)
        for rank in (line.rank_at_least, line.rank_at_most, line.low_at_least, line.medium_at_least):
            if rank is not None:
                parse_rank(rank)
        _verify_words(line, hands)
    except (msgspec.ValidationError, HouseWayError) as wrong:
        raise HouseWayError(f"{where}: {wrong}") from wrong
    return line


def _verify_words(line: SetLine, hands: Sequence[str]) -> None:
    holdings = sorted(set(HOLDINGS.values()))
    if line.holding is not None and line.holding not in holdings:
        raise HouseWayError(f"holding = '{line.holding[:40]}' is unknown; it is one of {', '.join(holdings)}")
    for name, words in (("high", line.high), ("medium", line.medium), ("low", line.low)):
        for word in [words] if isinstance(words, str) else words:
            if name not in hands:
                raise HouseWayError(f"there is no {name} hand here; the hands are {', '.join(hands)}")
            if word not in KINDS:
                raise HouseWayError(f"{name} = '{word[:40]}' is no kind of hand; it is one of {', '.join(KINDS)}")
    if line.medium_at_least is not None and "medium" not in hands:
        raise HouseWayError(f"there is no medium hand here; the hands are {', '.join(hands)}")
    for name in line.best:
        if name not in hands:
            raise HouseWayError(f"best names '{name[:40]}'; the hands are {', '.join(hands)}")

"""What a deck of known order showed of its reader: errors by card, by place in the shoe and by speed, and bounds on their rates.

A card is *wrong* where the reader told another one, *unread* where it told none, *missed* where nothing came at all (two cards left as
one, or the line lost it), and *extra* where something came that no card explains. Rates are of the cards that came; their upper bounds
are exact (`controller.integrity.bounds`). A group is called weak when its errors cannot be explained by what all others show.

Pure: no device, no clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from controller.integrity.bounds import rate_at_most, so_many_by_chance
from controller.technician.deal_aligning import Deal
from firmware_bridge.cards import UNREADABLE, Card

CONFIDENCE: Final = 0.95
SPEEDS_MS: Final = (100, 200, 400, 800, 1600)
"""From the fastest that a hand can draw to leisure; EQ-46 counts on five cards a second."""
ALIKE_MIN: Final = 0.5
"""Below this the cards that came are another deck, or in another order: nothing is learnt of the reader."""
CHANCE_MAX: Final = 0.001
"""A good device is called weak once in a thousand tests at most, over all groups of a kind."""
WEAK_ERRORS_MIN: Final = 2
"""One error says nothing of where it happened."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Cards that have something in common: the same face, the same place, the same speed."""

    name: str
    cards: int
    wrong: int
    unread: int
    missed: int

    @property
    def failed(self) -> int:
        """Cards that came and were not read right."""
        return self.wrong + self.unread


class Confusion(msgspec.Struct, frozen=True):
    """One card told for another, so often."""

    card: str
    told: str
    times: int


class Weak(msgspec.Struct, frozen=True):
    """A group that stands out."""

    kind: str
    name: str
    sentence: str


class DealReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found."""

    deals: int
    set_aside: int
    """Deals that were not this deck in this order: nothing of them is counted."""
    cards: int
    right: int
    wrong: int
    unread: int
    missed: int
    extra: int
    confidence: float
    wrong_rate_at_most: float
    failed_rate_at_most: float
    confusions: tuple[Confusion, ...]
    by_card: tuple[Group, ...]
    by_place: tuple[Group, ...]
    by_speed: tuple[Group, ...]
    weak: tuple[Weak, ...]


class Reading(msgspec.Struct, frozen=True):
    """A card as the reader told it, and the time since the one before; None for the first of a deal."""

    card: Card
    since_ms: int | None


class _Count:
    __slots__ = ("cards", "missed", "unread", "wrong")

    def __init__(self) -> None:
        self.cards = self.wrong = self.unread = self.missed = 0


class Tally:
    """Counts deals, one after another."""

    def __init__(self, deck: Sequence[Card]) -> None:
        self._deck = deck
        self._cards: dict[str, _Count] = {}
        self._places: dict[str, _Count] = {}
        self._speeds: dict[str, _Count] = {}
        self._confusions: Counter[tuple[str, str]] = Counter()
        self._deals = self._set_aside = self._extra = 0
        self._top = 0
        """The deck's place of the card that was the first of the shoe."""
        self._next = 0
        self._whole = _Count()

    @property
    def expected(self) -> int:
        """The deck's place at which the next deal most likely begins."""
        return self._next

    def add(self, deal: Deal, read: Sequence[Reading]) -> bool:
        """Count a deal; False when it is another deck, or in another order."""
        if deal.alike < ALIKE_MIN * len(read):
            self._set_aside += 1
            return False
        self._deals += 1
        if deal.begins != self._next:
            self._top = deal.begins  # somebody cut the deck, or began anew
        self._next = deal.ends
        for step in deal.steps:
            if step.place is None:
                self._extra += 1
                continue
            since_ms = read[step.index].since_ms if step.read is not None else None
            for count in self._groups_of(step.place, since_ms):
                self._note(count, self._deck[step.place], step.read)
        return True

    def report(self, confidence: float = CONFIDENCE) -> DealReport:
        """Return what all deals together showed."""
        whole = self._whole
        failed = whole.wrong + whole.unread
        by_card, by_place = _groups(self._cards), _groups(self._places)
        by_speed = sorted(_groups(self._speeds), key=lambda group: _SPEED_NAMES.index(group.name))
        kinds = (("card", by_card), ("place", by_place), ("speed", by_speed))
        return DealReport(
            deals=self._deals, set_aside=self._set_aside, cards=whole.cards, right=whole.cards - failed, wrong=whole.wrong,
            unread=whole.unread, missed=whole.missed, extra=self._extra, confidence=confidence,
            wrong_rate_at_most=rate_at_most(whole.wrong, whole.cards, confidence),
            failed_rate_at_most=rate_at_most(failed, whole.cards, confidence),
            confusions=tuple(Confusion(card, told, times) for (card, told), times in self._confusions.most_common()),
            by_card=tuple(by_card), by_place=tuple(by_place), by_speed=tuple(by_speed),
            weak=tuple(weak for kind, groups in kinds for weak in _weak_of(kind, groups)),
        )  # fmt: skip

    def _groups_of(self, place: int, since_ms: int | None) -> Iterable[_Count]:
        yield self._whole
        yield self._cards.setdefault(self._deck[place].name, _Count())
        yield self._places.setdefault(str((place - self._top) % len(self._deck) + 1), _Count())
        if since_ms is not None:
            yield self._speeds.setdefault(speed_name(since_ms), _Count())

    def _note(self, count: _Count, expected: Card, read: Card | None) -> None:
        if read is None:
            count.missed += 1
            return
        count.cards += 1
        if read is UNREADABLE:
            count.unread += 1
        elif read is not expected:
            count.wrong += 1
            if count is self._whole:
                self._confusions[expected.name, read.name] += 1


_SPEED_NAMES: Final = (*(f"up to {most} ms" for most in SPEEDS_MS), f"over {SPEEDS_MS[-1]} ms")


def speed_name(since_ms: int) -> str:
    """Return the class of speed of a card that came so long after the one before."""
    return _SPEED_NAMES[sum(since_ms > most for most in SPEEDS_MS)]


def _groups(counts: dict[str, _Count]) -> list[Group]:
    return [
        Group(name=name, cards=count.cards, wrong=count.wrong, unread=count.unread, missed=count.missed) for name, count in counts.items()
    ]


def _weak_of(kind: str, groups: Sequence[Group]) -> Iterable[Weak]:
    """Groups whose errors are no chance if they are read as well as all others."""
    cards, failed = sum(group.cards for group in groups), sum(group.failed for group in groups)
    for group in sorted(groups, key=lambda group: -group.failed):
        if group.failed < WEAK_ERRORS_MIN:
            return
        others, others_failed = cards - group.cards, failed - group.failed
        usual = rate_at_most(others_failed, others, CONFIDENCE)
        if so_many_by_chance(group.failed, group.cards, usual) * len(groups) < CHANCE_MAX:
            sentence = f"{group.failed} of {group.cards} were not read right, of all others {others_failed} of {others}"
            yield Weak(kind, group.name, sentence)

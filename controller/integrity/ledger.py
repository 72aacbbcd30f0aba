"""The ledger: how many cards of a set are in which place.

At every moment: loaded = in the device + dealt + burned + discarded + set aside + unread. Each operation moves cards
from one place to another and so keeps the sum; what can go wrong is that a place does not hold what is taken from it,
or that a witness (a device, a person who counted) sees another number. Both are an `Imbalance` with a sentence for the
operator, never an exception, because both happen at real tables.

The ledger knows numbers only. Which cards they are is the census; where on the layout a card lies is the table's state.
Values are immutable: an operation returns a new ledger.
"""

from __future__ import annotations

import enum
from typing import Final

import msgspec

from controller.integrity.errors import IntegrityError


class Place(enum.Enum):
    """Where a card of the set can be."""

    _value_: str
    index: int
    words: str

    def __new__(cls, value: str, index: int, words: str) -> Place:
        member = object.__new__(cls)
        member._value_, member.index, member.words = value, index, words
        return member

    DEVICE = ("device", 0, "in the device")
    DEALT = ("dealt", 1, "on the table")
    BURNED = ("burned", 2, "burned")
    DISCARDED = ("discarded", 3, "in the discard rack")
    ASIDE = ("aside", 4, "set aside")
    UNREAD = ("unread", 5, "out of the device but unread")
    """Left the device without being read: a double feed, a card drawn while the line was down."""


DEALT: Final = Place.DEALT
BURNED: Final = Place.BURNED
"""Where nearly every card is: a look into an enumeration costs as much as a small function."""


class Imbalance(msgspec.Struct, frozen=True):
    """Two numbers that should be equal and are not."""

    what: str
    """What was counted, as words of a sentence: `in the device`."""
    expected: int
    counted: int
    witness: str
    """Who or what counted: `ledger`, `shoe`, `stub count`."""

    @property
    def short(self) -> int:
        """Cards missing; negative when there are too many."""
        return self.expected - self.counted

    @property
    def sentence(self) -> str:
        """What happened and what to do, for the operator."""
        wrong = f"{_cards(abs(self.short))} {'missing' if self.short > 0 else 'too many'}"
        return (
            f"{wrong}: {_cards(self.expected)} should be {self.what}, {self.witness} says {self.counted}. "
            "Stop dealing, count the cards of the set again and call a supervisor."
        )


class Ledger(msgspec.Struct, frozen=True, gc=False):
    """Counts of one set of cards. Start with `Ledger()` and `load`."""

    loaded: int = 0
    device: int = 0
    dealt: int = 0
    burned: int = 0
    discarded: int = 0
    aside: int = 0
    unread: int = 0

    def at(self, place: Place) -> int:
        """Return how many cards are at `place`."""
        return _counts(self)[place.index]

    def load(self, cards: int) -> Ledger:
        """Put `cards` further cards of the set into the device."""
        _verify_count(cards)
        return msgspec.structs.replace(self, loaded=self.loaded + cards, device=self.device + cards)

    def move(self, source: Place, target: Place, cards: int = 1) -> Ledger | Imbalance:
        """Move cards from one place to another, or say that the source does not hold so many."""
        if cards < 0:
            _verify_count(cards)
        counts = [self.device, self.dealt, self.burned, self.discarded, self.aside, self.unread]
        held = counts[source.index]
        if held < cards:
            return Imbalance(source.words, held, cards, "the movement of cards")
        counts[source.index] = held - cards
        counts[target.index] += cards
        return Ledger(self.loaded, *counts)

    def leave(self, target: Place) -> Ledger:
        """Take one card out of the device, which holds some; a step of `move` that every card takes."""
        if target is DEALT:
            return Ledger(self.loaded, self.device - 1, self.dealt + 1, self.burned, self.discarded, self.aside, self.unread)
        counts = [self.device - 1, self.dealt, self.burned, self.discarded, self.aside, self.unread]
        counts[target.index] += 1
        return Ledger(self.loaded, *counts)

    def collect(self) -> Ledger:
        """Put the cards of the round (dealt, burned, aside, unread) into the discard rack."""
        rack = self.dealt + self.burned + self.discarded + self.aside + self.unread
        return Ledger(self.loaded, self.device, 0, 0, rack, 0, 0)

    def reload(self) -> Ledger:
        """Put every card of the set back into the device, as for a shuffle of the whole set."""
        return Ledger(self.loaded, self.loaded, 0, 0, 0, 0, 0)

    def take_out(self, place: Place, cards: int = 1) -> Ledger | Imbalance:
        """Take cards out of the set itself, such as a damaged card: the set is then smaller."""
        moved = self.move(place, Place.ASIDE, cards)
        if isinstance(moved, Imbalance):
            return moved
        return msgspec.structs.replace(moved, loaded=moved.loaded - cards, aside=moved.aside - cards)

    def put_in(self, place: Place, cards: int = 1) -> Ledger:
        """Add cards to the set itself, such as the replacement of a damaged card."""
        _verify_count(cards)
        name = place.value
        return msgspec.structs.replace(self, loaded=self.loaded + cards, **{name: self.at(place) + cards})

    def balance(self) -> Imbalance | None:
        """Return None when all cards are accounted for and no place is below zero."""
        counts = _counts(self)
        total = sum(counts)
        if total != self.loaded:
            return Imbalance("in the set", self.loaded, total, "the ledger")
        lowest = min(counts)
        if lowest < 0:
            return Imbalance(_PLACES[counts.index(lowest)].words, 0, lowest, "the ledger")
        return None

    def compare(self, place: Place, counted: int, witness: str) -> Imbalance | None:
        """Compare what a witness counted at `place` with the ledger."""
        expected = self.at(place)
        return None if counted == expected else Imbalance(place.words, expected, counted, witness)


class DeviceFlow(msgspec.Struct, frozen=True):
    """What went into and out of one device since it was last seen empty; `inside` is what it still holds."""

    name: str
    taken_in: int = 0
    given_out: int = 0
    inside: int = 0

    def balance(self) -> Imbalance | None:
        """Return None when what went in has come out or is inside."""
        found = self.given_out + self.inside
        if found == self.taken_in:
            return None
        return Imbalance(f"in or out of {self.name}", self.taken_in, found, f"the count of {self.name}")


def reconcile(source: DeviceFlow, target: DeviceFlow) -> Imbalance | None:
    """Check two devices that hand cards on: each conserves its cards, and the source's out is the target's in.

    Cards of the set that are left inside the source, such as a shuffler that keeps some, show as missing in the target.
    """
    if wrong := source.balance() or target.balance():
        return wrong
    if source.given_out != target.taken_in:
        return Imbalance(f"handed from {source.name} to {target.name}", source.given_out, target.taken_in, target.name)
    if source.inside:
        return Imbalance(
            f"handed from {source.name} to {target.name}",
            source.taken_in,
            target.taken_in,
            f"{target.name}, while {source.name} still holds {source.inside},",
        )
    return None


_PLACES = tuple(Place)


def _counts(ledger: Ledger) -> tuple[int, ...]:
    return ledger.device, ledger.dealt, ledger.burned, ledger.discarded, ledger.aside, ledger.unread


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _verify_count(cards: int) -> None:
    if cards < 0:
        raise IntegrityError(f"a number of cards is not negative: {cards}")

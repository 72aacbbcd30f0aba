"""Deck compositions: what a shoe of a game is made of, and the orders in which makers pack a new deck.

This file decides which cards belong to a set and in which sequences a set lies before anyone has shuffled it.
It is data only: what a shoe may still produce at some moment is kept in `controller.integrity.census`, and whether the
cards come out in a suspicious sequence is judged in `controller.integrity.order`.

Cards are named here by their SDP/1 code (suit in the high nibble, rank in the low one).
"""

from __future__ import annotations

from typing import Final

import msgspec

from firmware_bridge.cards import JOKER, RANKS, SUITS

ACE: Final = 1
KING: Final = 13
SUIT_COUNT: Final = 4
MAX_DECKS: Final = 12
"""No game of the family uses more than eight decks; the census keeps a count per card in one byte."""
MAX_JOKERS: Final = 4
"""Per deck: packages hold two or three, never more than four."""
MIN_RANKS: Final = 6
"""The shortest French deck in use has six ranks (nine to ace)."""


class DeckError(ValueError):
    """A deck composition that no set of cards can have."""


class DeckSpec(msgspec.Struct, frozen=True, cache_hash=True):
    """What one set of cards consists of; `jokers` and `without_ranks` count for each deck in it.

    Raises:
        DeckError: when the numbers describe no usable set.
    """

    decks: int = 1
    jokers: int = 0
    without_ranks: tuple[int, ...] = ()
    """Ranks taken out of every deck, such as (10,) for a Spanish deck."""
    back: str | None = None
    """Back colour of the set, where it matters (two sets in turn)."""

    def __post_init__(self) -> None:
        if not 1 <= self.decks <= MAX_DECKS:
            raise DeckError(f"a shoe holds 1 to {MAX_DECKS} decks, not {self.decks}")
        if not 0 <= self.jokers <= MAX_JOKERS:
            raise DeckError(f"a deck has 0 to {MAX_JOKERS} jokers, not {self.jokers}")
        out = set(self.without_ranks)
        if len(out) != len(self.without_ranks) or not all(ACE <= rank <= KING for rank in out):
            raise DeckError("ranks taken out are different numbers from 1 (ace) to 13 (king)")
        if KING - len(out) < MIN_RANKS:
            raise DeckError(f"at least {MIN_RANKS} ranks must stay in the deck")

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks that each suit has, ace first."""
        return tuple(rank for rank in range(ACE, KING + 1) if rank not in self.without_ranks)

    @property
    def per_deck(self) -> int:
        """Cards in one deck, jokers included."""
        return SUIT_COUNT * (KING - len(self.without_ranks)) + self.jokers

    @property
    def cards(self) -> int:
        """Cards in the whole set."""
        return self.decks * self.per_deck

    @property
    def codes(self) -> tuple[int, ...]:
        """The different card codes of the set, clubs to spades, ace to king, the joker last if it is played."""
        suited = tuple((suit << 4) | rank for suit in range(1, SUIT_COUNT + 1) for rank in self.ranks)
        return (*suited, JOKER.code) if self.jokers else suited

    def copies(self, code: int) -> int:
        """How many cards with this code the set has; 0 for a card that does not belong to it."""
        if code == JOKER.code:
            return self.decks * self.jokers
        in_suit = 1 <= code >> 4 <= SUIT_COUNT and ACE <= code & 15 <= KING
        return self.decks if in_suit and (code & 15) not in self.without_ranks else 0


ONE_DECK: Final = DeckSpec()
SIX_DECKS: Final = DeckSpec(decks=6)


def census_of(spec: DeckSpec) -> dict[int, int]:
    """Return how many cards of each code the set has."""
    return {code: spec.copies(code) for code in spec.codes}


class NewDeckOrder(msgspec.Struct, frozen=True):
    """One way in which makers pack a deck: suits from the top of the pack, and the way each suit runs."""

    name: str
    suits: str
    """The four suits in the order of the pack, as letters `cdhs`."""
    directions: str
    """For each suit `+` ace to king or `-` king to ace."""

    def __post_init__(self) -> None:
        if sorted(self.suits) != sorted(SUITS) or len(self.directions) != SUIT_COUNT or set(self.directions) - set("+-"):
            raise DeckError(f"new-deck order '{self.name}' needs the four suits and four directions + or -")


NEW_DECK_ORDERS: Final[tuple[NewDeckOrder, ...]] = (
    NewDeckOrder("spades-diamonds-clubs-hearts-mirrored", "sdch", "++--"),
    NewDeckOrder("hearts-clubs-diamonds-spades-mirrored", "hcds", "++--"),
    NewDeckOrder("spades-hearts-clubs-diamonds", "shcd", "++++"),
    NewDeckOrder("spades-hearts-diamonds-clubs", "shdc", "++++"),
    NewDeckOrder("spades-diamonds-clubs-hearts", "sdch", "++++"),
    NewDeckOrder("hearts-spades-diamonds-clubs", "hsdc", "++++"),
    NewDeckOrder("clubs-diamonds-hearts-spades", "cdhs", "++++"),
    NewDeckOrder("king-first", "shdc", "----"),
    NewDeckOrder("serpentine", "shdc", "+-+-"),
)
"""The two mirrored packings are those of the largest American maker, now and earlier; the others are usual variants.
The list need not be complete: the order test takes every suit sequence with every direction of each suit, of which
these are members. Jokers lie at the bottom of each deck."""


def new_deck_codes(spec: DeckSpec, order: NewDeckOrder) -> bytes:
    """Return the whole set as packed, one code per card, decks laid one on another, top card first."""
    deck: list[int] = []
    for letter, direction in zip(order.suits, order.directions, strict=True):
        suit = SUITS.index(letter) + 1
        run = spec.ranks if direction == "+" else spec.ranks[::-1]
        deck.extend((suit << 4) | rank for rank in run)
    deck.extend([JOKER.code] * spec.jokers)
    return bytes(deck) * spec.decks


assert len(RANKS) == KING  # the census and every rank loop here stake the table on thirteen ranks

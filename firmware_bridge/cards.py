"""What a reader can say of a card: rank, suit, joker, cutting card, or nothing readable.

Cards are interned: there is one object per card code, so cards compare and hash as fast as integers do.
A code is one byte, suit in the high nibble and rank in the low one, as SDP/1 section 1.7 numbers them.

A card that the procedure has not shown yet is carried as `Sealed`: it has no text form that tells the card, it cannot
be ordered, hashed or serialised by accident, and `unseal` is the only way to the card inside (`unseal_all`, `unseal_held`
for a whole hand, `unseal_codes` for a whole shoe). Every caller states the reason in the call, so that a search for its
name lists each place where a hidden card is looked at.

This file knows no game: which cards belong to a deck is decided in `controller.decks`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NoReturn, Protocol

SUITS: Final = "cdhs"
RANKS: Final = "A23456789TJQK"

JOKER_RANK: Final = 14
CUT_CARD_RANK: Final = 15


class CardTextError(ValueError):
    """A text that names no card, such as `1x`."""


class Card:
    """One card identity; get it from `parse_card` or `card_from_code`, never by calling the class."""

    __slots__ = ("code", "name", "rank", "sealed", "suit")

    code: int
    """Suit in the high nibble (1 clubs, 2 diamonds, 3 hearts, 4 spades, 0 none), rank in the low one."""
    rank: int
    """1 ace .. 13 king, 14 joker, 15 cutting card, 0 unreadable."""
    suit: int
    name: str
    """Scenario notation: `9h`, `Td`, `As`, `Jk` joker, `cut`, `?` unreadable."""
    sealed: Sealed
    """The card as it is carried while it is not shown; one for all who carry it."""

    def __new__(cls, code: int) -> Card:
        return _CARDS[code]

    def __reduce__(self) -> tuple[type[Card], tuple[int]]:
        return (Card, (self.code,))

    def __repr__(self) -> str:
        return self.name

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: object) -> Card:
        return self


class Sealed:
    """A card that is not shown yet. Its text never tells the card; equality is for comparing whole states."""

    __slots__ = ("_card",)

    def __init__(self, card: Card) -> None:
        self._card = card

    def __repr__(self) -> str:
        return "<sealed card>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sealed) and other._card is self._card

    __hash__ = None  # type: ignore[assignment]  # a hash in a log or a set order would tell the card

    def __copy__(self) -> Sealed:
        return self

    def __deepcopy__(self, memo: object) -> Sealed:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a sealed card is not pickled: the journal encrypts it instead")


class Holder(Protocol):
    """What holds a sealed card."""

    @property
    def card(self) -> Sealed:
        """The card."""


def _intern(code: int, name: str) -> Card:
    card = object.__new__(Card)
    card.code, card.rank, card.suit, card.name = code, code & 15, code >> 4, name
    card.sealed = Sealed(card)
    return card


_CARDS: Final[dict[int, Card]] = {
    (s << 4) | r: _intern((s << 4) | r, RANKS[r - 1] + SUITS[s - 1]) for s in range(1, 5) for r in range(1, 14)
} | {
    0: _intern(0, "?"),
    JOKER_RANK: _intern(JOKER_RANK, "Jk"),
    CUT_CARD_RANK: _intern(CUT_CARD_RANK, "cut"),
}

_BY_NAME: Final = {card.name: card for card in _CARDS.values()}

UNREADABLE: Final = _CARDS[0]
JOKER: Final = _CARDS[JOKER_RANK]
CUT_CARD: Final = _CARDS[CUT_CARD_RANK]
FRENCH_CARDS: Final = tuple(card for code, card in sorted(_CARDS.items()) if code >= 16)
"""The 52 cards, clubs to spades, ace to king in each suit: new-deck order of this project."""


def maybe_card(text: str) -> Card | None:
    """Return the card that `text` names, or None when it names none."""
    return _BY_NAME.get(text) or _BY_NAME.get(text.replace("10", "T", 1))


def parse_card(text: str) -> Card:
    """Return the card that `text` names (`9h`, `Td`, `10d`, `Jk`, `?`).

    Raises:
        CardTextError: when the text names no card.
    """
    card = maybe_card(text)
    if card is None:
        raise CardTextError(f"'{text[:12]}' is no card: write rank 2-9 T J Q K A and suit c d h s, such as 9h; Jk is a joker")
    return card


def card_from_code(code: int) -> Card | None:
    """Return the card of a card byte, or None when no card has this code."""
    return _CARDS.get(code)


def unseal(sealed: Sealed, because: str) -> Card:
    """Return the card inside. `because` names the reason (a rule's citation, `census`, `journal encryption`)."""
    if not because:
        raise ValueError("unsealing a card needs a reason")
    return sealed._card  # noqa: SLF001  # the one door to the card


def unseal_all(sealed: Iterable[Sealed], because: str) -> tuple[Card, ...]:
    """Return the cards inside, for the one reason: `unseal` for a whole hand."""
    if not because:
        raise ValueError("unsealing cards needs a reason")
    return tuple([one._card for one in sealed])  # noqa: SLF001  # the door again


def unseal_codes(sealed: Iterable[Sealed], because: str) -> bytes:
    """Return the codes of the cards inside: `unseal_all` for a whole shoe, whose order alone is looked at."""
    if not because:
        raise ValueError("unsealing cards needs a reason")
    return bytes([one._card.code for one in sealed])  # noqa: SLF001  # the door again


def unseal_held(held: Iterable[Holder], because: str) -> tuple[Card, ...]:
    """Return the cards inside those that lie somewhere, each held as `card`: `unseal_all` in one pass."""
    if not because:
        raise ValueError("unsealing cards needs a reason")
    cards = []
    for one in held:  # hands are short: a comprehension, a function of its own, would cost twice as much
        cards.append(one.card._card)  # noqa: SLF001, PERF401  # the door again
    return tuple(cards)


def seal_all(cards: Iterable[Card]) -> tuple[Sealed, ...]:
    """Return the cards as they are carried while nobody may see them."""
    sealed = []
    for card in cards:  # as above
        sealed.append(card.sealed)  # noqa: PERF401
    return tuple(sealed)

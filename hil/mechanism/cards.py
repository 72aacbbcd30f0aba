"""Real cards: each is one object with a face, a back and a side up, so that none can be lost or be in two places.

Where `firmware_bridge.cards.Card` is what a reader *says*, a `PhysicalCard` is what is *there*. Two nines of hearts of
two decks are two objects; they are compared by identity on purpose.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, deque
from collections.abc import Iterable, Sequence

from controller.decks import DeckSpec
from device_profiles.loader import load_profile
from firmware_bridge.cards import FRENCH_CARDS, JOKER, Card, card_from_code

BACKS = tuple(load_profile("sdp1").registries["back"].entries)
"""Back colours by their number on the wire; 0 stands for any."""

CARD_WEIGHT_DG = 18
"""A plastic-coated card weighs about 1.8 g; the load sensor counts decigrams."""


@dataclasses.dataclass(slots=True, eq=False)
class PhysicalCard:
    """One card made of paper. `face` None means that the script has not said yet which card it is."""

    face: Card | None
    back: str = "red"
    face_up: bool = False
    is_cut_card: bool = False


def fresh_deck(back: str = "red", jokers: int = 0) -> list[PhysicalCard]:
    """Return a deck in new-deck order, clubs to spades, jokers last."""
    return [PhysicalCard(face, back) for face in (*FRENCH_CARDS, *[JOKER] * jokers)]


def fresh_shoe(decks: int, back: str = "red", jokers: int = 0) -> list[PhysicalCard]:
    """Return `decks` fresh decks, one after the other."""
    return [card for _ in range(decks) for card in fresh_deck(back, jokers)]


def shoe_of(deck: DeckSpec, back: str = "red") -> list[PhysicalCard]:
    """Return a whole set of this composition, each deck in new-deck order, jokers last."""
    faces = [card for code in deck.codes if (card := card_from_code(code)) is not None and card is not JOKER]
    return [PhysicalCard(face, back) for _ in range(deck.decks) for face in (*faces, *[JOKER] * deck.jokers)]


def blank_cards(count: int, back: str = "red") -> list[PhysicalCard]:
    """Return cards whose identities the script gives when they come out."""
    return [PhysicalCard(None, back) for _ in range(count)]


def cut_card(back: str = "red") -> PhysicalCard:
    """Return a cutting card; it is no card of the game and never counted."""
    return PhysicalCard(None, back, is_cut_card=True)


class Stack:
    """Cards lying on one another; the first is the next to leave."""

    def __init__(self, cards: Iterable[PhysicalCard] = ()) -> None:
        self._cards: deque[PhysicalCard] = deque()
        self._cut_cards = 0
        self.put_under(cards)

    def __len__(self) -> int:
        """Count the cards of the game; cutting cards do not count."""
        return len(self._cards) - self._cut_cards

    def put_under(self, cards: Iterable[PhysicalCard]) -> None:
        for card in cards:
            self._cards.append(card)
            self._cut_cards += card.is_cut_card

    def put_on_top(self, card: PhysicalCard) -> None:
        self._cards.appendleft(card)
        self._cut_cards += card.is_cut_card

    def take_top(self) -> PhysicalCard | None:
        if not self._cards:
            return None
        card = self._cards.popleft()
        self._cut_cards -= card.is_cut_card
        return card

    def take_all(self) -> list[PhysicalCard]:
        taken = list(self._cards)
        self._cards.clear()
        self._cut_cards = 0
        return taken

    def take_named(self, face: Card) -> PhysicalCard | None:
        """Take out the first card with this face, else a blank one, which then has this face; None when neither is."""
        found = next((card for card in self._cards if card.face is face), None)
        if found is None:
            found = next((card for card in self._cards if card.face is None and not card.is_cut_card), None)
        if found is None:
            return None
        self._cards.remove(found)  # by identity: PhysicalCard has no value equality
        found.face = face
        return found

    def arrange(self, order: Sequence[PhysicalCard]) -> None:
        """Lay the same cards in another order.

        Raises:
            ValueError: when `order` is not made of exactly these cards.
        """
        if Counter(map(id, order)) != Counter(map(id, self._cards)):
            raise ValueError("a new order must hold exactly the cards of the stack")
        self._cards = deque(order)

    def cards(self) -> tuple[PhysicalCard, ...]:
        """Return what lies here, next to leave first; for checks, a mechanism itself sees only the top."""
        return tuple(self._cards)

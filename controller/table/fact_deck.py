"""Facts of the cards in use: loaded, shuffled, taken out, put back, at an end."""

from __future__ import annotations

from controller.table.fact_base import Fact
from firmware_bridge.cards import Card, Sealed


class DeckLoaded(Fact, frozen=True, kw_only=True, tag=True):
    shoe: int
    decks: int
    cards: int | None
    back: str | None
    evidence: str


class DeckShuffled(Fact, frozen=True, kw_only=True, tag=True):
    mode: str
    counted: int | None
    evidence: str


class SpareShuffled(Fact, frozen=True, kw_only=True, tag=True):
    """Of two decks in turn, the one that is not dealt was shuffled: so many cards wait for their round."""

    counted: int


class SpareUnshuffled(Fact, frozen=True, kw_only=True, tag=True):
    why: str


class DeckUnshuffled(Fact, frozen=True, kw_only=True, tag=True):
    why: str


class DeckQuarantined(Fact, frozen=True, kw_only=True, tag=True):
    why: str


class DeckCleared(Fact, frozen=True, kw_only=True, tag=True):
    by: str


class CardRemoved(Fact, frozen=True, kw_only=True, tag=True):
    card: Card
    reason: str


class CardReplaced(Fact, frozen=True, kw_only=True, tag=True):
    card: Card
    reason: str


class ShoeEmptied(Fact, frozen=True, kw_only=True, tag=True):
    """The device gave its last card; the round goes on with what is on the table."""


class ShoeEnded(Fact, frozen=True, kw_only=True, tag=True):
    why: str
    missing: tuple[Card, ...] = ()


class CutCardSeen(Fact, frozen=True, kw_only=True, tag=True):
    rounds_left: int = 0
    """Rounds that may still begin after the present one."""


class StrayCard(Fact, frozen=True, kw_only=True, tag=True):
    """A card that left the device while no round was in progress; it lies aside until the next shuffle."""

    card: Sealed
    evidence: str

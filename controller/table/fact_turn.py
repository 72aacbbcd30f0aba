"""Facts of the players' turn at drawing cards: hands, splits, a look at the hole card, a card that is offered."""

from __future__ import annotations

from controller.table.fact_base import Fact
from firmware_bridge.cards import Card, Sealed


class HandsBegun(Fact, frozen=True, kw_only=True, tag=True):
    """The players begin to draw: (place, wagers that ride on the hand)."""

    hands: tuple[tuple[str, dict[str, int | None]], ...]


class HandChose(Fact, frozen=True, kw_only=True, tag=True):
    """A player chose for one hand."""

    place: str
    choose: str
    wager: str | None = None
    amount: int | None = None
    status: str = ""
    """Why the hand gets no more cards; empty while it goes on."""
    doubled: bool = False
    to_rack: int = 0


class HandSplit(Fact, frozen=True, kw_only=True, tag=True):
    """The two cards of a hand are two hands now; `wagers` ride on the second."""

    place: str
    left: str
    right: str
    wagers: dict[str, int | None]


class HandClosed(Fact, frozen=True, kw_only=True, tag=True):
    """The hand's cards say that it gets no more of them."""

    place: str
    status: str
    to_rack: int = 0


class HoleTold(Fact, frozen=True, kw_only=True, tag=True):
    """A look at the hole card said whether the dealer has a blackjack."""

    blackjack: bool


class TurnsEnded(Fact, frozen=True, kw_only=True, tag=True):
    """No hand gets a further card."""


class CardOffered(Fact, frozen=True, kw_only=True, tag=True):
    """The card that was set aside last was seen: the players may have it in turn."""

    shown: Card | None = None


class OfferTaken(Fact, frozen=True, kw_only=True, tag=True):
    place: str
    card: Sealed
    evidence: str
    shown: Card | None = None


class OfferPassed(Fact, frozen=True, kw_only=True, tag=True):
    """No player takes the card: it is the dealer's next, if the dealer draws."""


class AsideBurned(Fact, frozen=True, kw_only=True, tag=True):
    """Cards set aside that nobody can use."""

    cards: int

"""Facts of a round: wagers, cards that leave the device, the stub, voids, the end."""

from __future__ import annotations

from controller.dealing.rules import Rule
from controller.table.fact_base import Fact
from firmware_bridge.cards import Card, Sealed


class RoundStarted(Fact, frozen=True, kw_only=True, tag=True):
    round: int
    button: int | None = None
    """Where the button stays, because the last round was void, or who holds the shoe; else it is still to be moved or placed."""
    waiting: int = 0
    """Cards drawn in excess in the round before, which are the first cards of this one."""


class Wagered(Fact, frozen=True, kw_only=True, tag=True):
    seat: int
    amounts: dict[str, int | None]


class BetsClosed(Fact, frozen=True, kw_only=True, tag=True):
    seats: tuple[int, ...]


class StartFixed(Fact, frozen=True, kw_only=True, tag=True):
    position: str
    """`seat 3` or `dealer`: where the first card goes, or the button's seat for button games."""
    button: int | None = None


class StepEntered(Fact, frozen=True, kw_only=True, tag=True):
    """The machine moved to a step. `plan` holds the places of the cards it expects, `turns` the seats that may act, in order."""

    phase: str
    plan: tuple[tuple[str, str], ...] = ()
    """(place, face) per expected card or stack."""
    turns: tuple[str, ...] = ()


class CardDealt(Fact, frozen=True, kw_only=True, tag=True):
    """A card went to the next planned place."""

    to: str
    face: str
    card: Sealed
    evidence: str
    shown: Card | None = None
    rule: Rule | None = None


class CardsReordered(Fact, frozen=True, kw_only=True, tag=True):
    """A card set aside was placed as the next card."""

    to: str
    face: str
    card: Sealed
    evidence: str
    shown: Card | None = None


class CardPutAside(Fact, frozen=True, kw_only=True, tag=True):
    """A card that nobody asked for, or that cannot be used, until its remedy places it."""

    card: Sealed
    evidence: str
    as_next: bool
    shown: Card | None = None


class CardDiscarded(Fact, frozen=True, kw_only=True, tag=True):
    """A card from the device straight to the discard rack (face up in the shoe)."""

    card: Sealed
    evidence: str
    shown: Card | None = None


class StackCardRead(Fact, frozen=True, kw_only=True, tag=True):
    """One card of a stack that is not complete yet."""

    card: Sealed
    evidence: str


class StackDealt(Fact, frozen=True, kw_only=True, tag=True):
    to: str
    cards: tuple[Sealed, ...]
    faces: tuple[str, ...]
    evidence: str
    shown: tuple[Card | None, ...] = ()
    racked: int = 0
    """So many cards, the last of the stack, went to the rack unseen."""


class StubCounted(Fact, frozen=True, kw_only=True, tag=True):
    counted: int
    expected: int


class StubExplained(Fact, frozen=True, kw_only=True, tag=True):
    """A misdealt hand was found that explains a wrong stub."""

    where: str


class StubRacked(Fact, frozen=True, kw_only=True, tag=True):
    cards: int


class IdleHandsRacked(Fact, frozen=True, kw_only=True, tag=True):
    """Cards dealt to positions without a wager, collected unexposed."""

    places: tuple[str, ...]
    cards: int


class Irregular(Fact, frozen=True, kw_only=True, tag=True):
    kind: str
    remedy: str
    rule: Rule
    where: str = ""


class RoundVoided(Fact, frozen=True, kw_only=True, tag=True):
    remedy: str
    rule: Rule
    why: str
    side_bets_stand: bool = False
    stand: tuple[str, ...] = ()
    """Side wagers that are settled all the same."""
    settled: tuple[str, ...] = ()
    """Side wagers that stay as they were settled before the round was void."""
    settled_seats: tuple[int, ...] = ()
    """Seats of which all wagers were settled before, and stay so."""


class AsideReleased(Fact, frozen=True, kw_only=True, tag=True):
    """A supervisor lets the cards set aside be used as the next cards."""


class EvidenceConfirmed(Fact, frozen=True, kw_only=True, tag=True):
    """A rescan named or confirmed cards of the round: (place, index, card)."""

    cards: tuple[tuple[str, int, Sealed], ...]
    evidence: str


class RoundCollected(Fact, frozen=True, kw_only=True, tag=True):
    cards: int
    kept: int = 0
    """Cards drawn in excess that stay aside as the first cards of the next round."""


class RoundCompleted(Fact, frozen=True, kw_only=True, tag=True):
    round: int

"""Facts of what people do with their cards: decisions, set and exposed hands, results."""

from __future__ import annotations

from controller.dealing.rules import Rule
from controller.table.fact_base import Fact
from firmware_bridge.cards import Card, Sealed


class Decided(Fact, frozen=True, kw_only=True, tag=True):
    seat: int
    choose: str
    hand: int = 1
    amount: int | None = None
    wager: str | None = None
    """The wager that this choice places."""
    takes_back: str | None = None
    """The wager that goes back to the player."""
    status: str = ""
    """The seat's new standing: "", `folded`, `surrendered`, `split`, `natural`."""
    forfeits: tuple[str, ...] = ()
    """Wagers lost by this choice."""
    forfeits_to: str = "house"
    to_rack: int = 0
    """Cards of the seat that go to the discard rack now."""
    discard: tuple[Sealed, ...] = ()
    keep: tuple[Sealed, ...] = ()
    done: bool = True
    """The seat has no further turn in this step."""


class SideDecided(Fact, frozen=True, kw_only=True, tag=True):
    """Whoever acts for a side has decided; an empty word: cards that were turned up ended the choice."""

    side: str
    choose: str


class HandSet(Fact, frozen=True, kw_only=True, tag=True):
    """A hand was set. Groups hold the cards where they were named: (`keep`, cards), (`high`, cards), (`low`, cards)."""

    place: str
    groups: tuple[tuple[str, tuple[Sealed, ...]], ...]
    to_rack: int = 0
    wrong: str = ""
    """Why the set is wrong, in words; empty when it is right or cannot be judged yet."""


class DiscardsCollected(Fact, frozen=True, kw_only=True, tag=True):
    cards: int


class Exposed(Fact, frozen=True, kw_only=True, tag=True):
    place: str
    cards: tuple[Card, ...]
    groups: tuple[tuple[str, tuple[Card, ...]], ...] = ()
    done: bool = True
    natural: bool = False
    """The dealer's cards win at once, as the house has defined it."""


class HandShown(Fact, frozen=True, kw_only=True, tag=True):
    """A seat showed the cards that it has so far, for a side wager that is settled now."""

    seat: int
    wager: str
    cards: tuple[Card, ...]


class TurnTaken(Fact, frozen=True, kw_only=True, tag=True):
    place: str


class SetFoundWrong(Fact, frozen=True, kw_only=True, tag=True):
    """An exposed hand was set against the rules; it loses."""

    seat: int
    words: str
    rule: Rule


class HandJudged(Fact, frozen=True, kw_only=True, tag=True):
    """The result of a hand, visible from its `declare` or from `collect`."""

    key: str
    """`3` or `3 hand 2`."""
    results: dict[str, str]
    pays: dict[str, int | None]
    hand: str = ""
    commission: int = 0
    rule: Rule | None = None


class Declared(Fact, frozen=True, kw_only=True, tag=True):
    key: str
    result: str
    agrees: bool


class HandDead(Fact, frozen=True, kw_only=True, tag=True):
    seat: int
    rule: Rule
    dealt_on: bool = False
    """Its position still gets the cards that are due to it, as positions without a wager do."""

"""Facts of games in which players play one another: betting rounds, exchanged cards, cards shuffled back into the rest of the deck."""

from __future__ import annotations

from controller.table.fact_base import Fact
from firmware_bridge.cards import Sealed


class BettingClosed(Fact, frozen=True, kw_only=True, tag=True):
    """A betting round is over: all have folded or called the last bet."""


class Exchanged(Fact, frozen=True, kw_only=True, tag=True):
    """A seat threw cards away, face down to the rack, and gets as many."""

    seat: int
    cards: int
    discard: tuple[Sealed, ...] = ()
    """The cards, where they were named."""
    plan: tuple[tuple[str, str], ...]


class BurnedInstead(Fact, frozen=True, kw_only=True, tag=True):
    """A player's down card that the dealer exposed is the next burn; the player gets another one."""

    place: str
    index: int
    plan: tuple[tuple[str, str], ...]


class HeldOut(Fact, frozen=True, kw_only=True, tag=True):
    """A board card turned too early lies aside until it is shuffled back; a card drawn before it was its burn."""

    with_burn: bool


class RestDue(Fact, frozen=True, kw_only=True, tag=True):
    """Cards are laid out to be shuffled into the rest of the deck; until a shuffle is told no card comes."""

    cards: int
    muck: bool = False
    """The whole muck: burns, folded hands and discards."""
    own: int = 0
    """The seat whose cards, those thrown away just now included, are not shuffled in."""
    own_thrown: int = 0
    own_named: bool = False
    aside: int = 0
    """The last so many of the cards set aside."""
    held_out: bool = False
    board: int = 0
    burns: int = 0
    burn_made: int = 0
    """Burns that count as made."""
    plan: tuple[tuple[str, str], ...] = ()
    """Cards that come after the shuffle in the present step; empty: as planned."""


class RestShuffled(Fact, frozen=True, kw_only=True, tag=True):
    """The rest of the deck was shuffled with the cards laid out."""

    cards: int
    """Cards in the deck now."""
    evidence: str
    last_round: bool = False
    """A shoe of many rounds: the whole of it is shuffled when this round is over."""

"""One round's data: seats, wagers, hands, who may act, what was shown and what came of it.

`Round` is part of a table's state. Its members are never changed in place: `controller.table.apply` replaces them, so that a copy of the
struct is a snapshot. Game modules read it in conditions and in their `judge`.
"""

from __future__ import annotations

import functools
from typing import Final

import msgspec

from firmware_bridge.cards import Card, Sealed, unseal_held

DEALER = "dealer"
COMMUNITY = "community"
PLAYER, BANKER = "player", "banker"
SIDES = (PLAYER, BANKER)
BURN = "burn"

LIVE = ("", "split")
"""Standings of a seat that is still to be compared."""


class _Seats(dict[int, str]):
    """Texts by seat, kept for as many seats as any table has: they are asked for many times in every round."""

    def __init__(self, text: str) -> None:
        super().__init__({seat: text.format(seat) for seat in range(1, 100)})
        self._text = text

    def __missing__(self, seat: int) -> str:
        return self._text.format(seat)


SEAT_PLACES: Final = _Seats("seat {}")
"""The place of each seat: `seat 3`."""
HAND_KEYS: Final = _Seats("{}")
"""The key under which the result of a seat's only hand is found: `3`."""


def seat_place(seat: int, hand: int = 0) -> str:
    """`seat 3`, or `seat 3 hand 2` when `hand` is given."""
    return f"seat {seat} hand {hand}" if hand else SEAT_PLACES[seat]


@functools.lru_cache(maxsize=256)  # as above
def seat_of(place: str) -> int | None:
    """The seat number of a place such as `seat 3 hand 2`, None for other places."""
    return int(place.split()[1]) if place.startswith("seat ") else None


class Held(msgspec.Struct, frozen=True, gc=False):
    """A card lying at a place, with how it is known. `shown` is True once its face was exposed."""

    card: Sealed
    evidence: str
    shown: bool = False
    order: int = 0
    """Its number among the cards laid in this round, counted from 1; 0 while it lies nowhere."""


class Seat(msgspec.Struct, frozen=True, gc=False):
    """A betting position that placed a wager. Amounts in cents, None when not told."""

    number: int
    wagers: dict[str, int | None]
    status: str = ""
    """"" in play, `folded`, `surrendered`, `natural`, `split`, `dead`, `wrong-set`."""
    lost: dict[str, str] = {}
    """Wagers already lost, and to whom: `house`, `pot` or `half`."""
    groups: dict[str, tuple[Sealed, ...]] = {}
    """Named groups of a set hand: keep, high, low, discard; `keep 2` for the second hand of a split."""
    is_set: bool = False
    exposed: bool = False
    wrong: str = ""
    thrown: int = 0
    """Cards exchanged that nobody named: as many of those that lie in the hand's record are not there any more."""
    shown_for: tuple[str, ...] = ()
    """Side wagers for which the seat has shown its cards, so that they were settled then."""

    @property
    def live(self) -> bool:
        """Still to be compared."""
        return self.status in LIVE


class PlayedHand(msgspec.Struct, frozen=True):
    """A hand in its player's turn, where a seat may have several after a split. Amounts in cents, None when not told."""

    wagers: dict[str, int | None]
    """Those that ride on this hand alone, doubled wagers included."""
    status: str = ""
    """"" while it may get cards, else why it gets none: `stood`, `bust`, `blackjack`, `doubled`, `surrendered`, ... as its game says."""
    split: bool = False
    """One of a pair that was split."""
    doubled: bool = False
    acted: bool = False
    """Its player has chosen something."""
    cleared: bool = False
    """Settled at once; its cards are in the rack."""


class Round(msgspec.Struct, gc=False):
    """See the module's text. `plan[cursor:]` are the cards or stacks still expected in the current step.

    It holds values alone and no cycles, so garbage collection need not look at it.
    """

    number: int
    seats: dict[int, Seat] = {}
    fresh_shoe: bool = True
    """The round began with a shoe from which no card was dealt yet."""
    button: int | None = None
    """The seat at which the button stands, or that holds the shoe."""
    start: str = ""
    hands: dict[str, tuple[Held, ...]] = {}
    plan: tuple[tuple[str, str], ...] = ()
    cursor: int = 0
    turns: tuple[str, ...] = ()
    """Places that still have to act in this step, in order."""
    pending_stack: tuple[Held, ...] = ()
    aside: tuple[tuple[Held, bool], ...] = ()
    """Cards nobody asked for, each with True when it is to be used as the next card."""
    face_up_seen: int = 0
    racked: int = 0
    """Cards of this round in the discard rack."""
    burned: int = 0
    """Burns made, or made up for by a remedy."""
    muck: tuple[Held, ...] = ()
    """Cards in the rack that are known one by one: burns, cards found face up, named discards."""
    betting_rounds: int = 0
    """Betting rounds closed."""
    exposed_down: int = 0
    """Down cards of players that the dealer exposed and that became burns."""
    returning: int = 0
    """Cards laid out to be shuffled into the rest of the deck; until that is done no card comes."""
    held_out: tuple[Held, ...] = ()
    """Board cards turned too early, aside until they are shuffled back before the last board card."""
    reshuffled: bool = False
    """Cards were shuffled back into the rest of the deck: what a device has counted since it was loaded says nothing of them."""
    own_out: int = 0
    """The seat whose thrown cards were left out of the last shuffle of the rest."""
    dealer_groups: dict[str, tuple[Sealed, ...]] = {}
    dealer_exposed: bool = False
    dealer_natural: bool = False
    results: dict[str, dict[str, str]] = {}
    pays: dict[str, dict[str, int | None]] = {}
    hand_names: dict[str, str] = {}
    declared: dict[str, str] = {}
    told: dict[str, tuple[str, ...]] = {}
    """The wagers settled so far of hands that were declared before they were exposed, or while they lay open; others are declared again."""
    choices: dict[str, str] = {}
    """What was chosen for a side, by its name."""
    collected: bool = False
    stub_counted: int | None = None
    stub_racked: bool = False
    stub_wrong: bool = False
    stub_explained: bool = False
    void: bool = False
    void_side_bets_stand: bool = False
    new_dealer: bool = False
    """The dealer of this round came to the table since the last one."""
    played: dict[str, PlayedHand] = {}
    """Hands by place, `seat 3` or `seat 3 hand 2`, from the moment when players begin to draw."""
    redeemable: str = ""
    """The place of a hand that was just doubled: until anything follows, its player may still give it up."""
    hole_told: bool | None = None
    """What a look at the dealer's hole card said: is it a blackjack. None: nobody looked."""
    offered: bool = False
    """The card set aside was seen, and the players may have it in turn."""
    stacks_dealt: int = 0
    out: int = 0
    """Cards that left the device in this round."""
    laid: int = 0
    """Cards that were laid at a place in this round."""

    @property
    def cards_due(self) -> bool:
        """True when a card or stack may come now, as far as the round goes."""
        return self.cursor < len(self.plan) and not self.returning

    def live_seats(self) -> list[int]:
        """Seats still in the round, rising."""
        return sorted([n for n, s in self.seats.items() if s.status in LIVE])

    def hand_in_turn(self, seat: int) -> str | None:
        """The place of the seat's hand that may choose now, or that was just doubled; None when it has no turn."""
        places = (*self.turns[:1], self.redeemable)
        return next((place for place in places if place and seat_of(place) == seat and place in self.played), None)

    def played_by(self, seat: int) -> list[str]:
        """The places of the seat's hands, in the order of their numbers."""
        return [place for place in self.played if seat_of(place) == seat]

    def shown_cards(self, place: str) -> tuple[Card, ...]:
        """The cards at a place that the procedure has shown."""
        return unseal_held([held for held in self.hands.get(place, ()) if held.shown], "already shown")

    def cards_at(self, place: str, because: str) -> tuple[Card, ...]:
        """All cards at a place; the caller names the rule that lets it look."""
        return unseal_held(self.hands.get(place, ()), because)

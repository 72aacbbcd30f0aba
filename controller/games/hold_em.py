"""What the hold 'em games against the dealer share: burns and community cards, the best hand with them, side wagers that stand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from controller.dealing.game import Judged
from controller.dealing.round import COMMUNITY, DEALER, HAND_KEYS, Round, Seat, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain
from controller.dealing.steps import Burn, Deal, Face, Option, Remedy, Step, Who
from controller.games import common as c
from controller.games.hole_cards import hole_odds
from controller.games.stud import Slip, anyone_in
from controller.hands.poker import PokerHand, evaluate
from firmware_bridge.cards import UNREADABLE, Card, unseal_held

BOARD = 5
_rank = functools.lru_cache(maxsize=64)(evaluate)
"""The dealer's hand is compared with every seat's; so it is ranked once. 64: more dealers than one house has at these games."""
TOLD = ("", "folded")
"""Standings of a seat that a turned hand is settled in."""
COMPARED = "compared with the dealer's hand"
OWN_CARDS = "a side wager stands on the two own cards"

WRONG_NUMBER = Remedy("all-hands-void", c.memory("wrong number of cards"), "A wrong number of cards at any place: all hands void.")
BOARD_SEEN = Remedy(
    "all-hands-void",
    c.house("community-card-exposed", "no text; the safest is that all wagers go back"),
    "A community card seen before its time: all hands void, all wagers go back.",
)


def board(cards: int, rule: Rule, burn: Rule) -> tuple[Step, ...]:
    """One card burned, then so many community cards face up; nothing when nobody is left to see them."""
    return (
        Burn(when=anyone_in, rule=burn),
        Deal(to=(Who.COMMUNITY,), facing=(Face.UP,) * cards, when=anyone_in, rule=rule),
    )


def check(rule: Rule) -> Option:
    """No wager now, and the seat stays in."""
    return Option(choose="check", meaning="place no wager and stay in", rule=rule)


def seats_to_judge(round_: Round, side: str) -> list[Seat]:
    """Seats whose result can be told now: exposed ones, and those that folded without the side wager under which cards stay."""
    known, told = round_.results, []
    for number, seat in round_.seats.items():
        if not seat.exposed and seat.status != "folded":
            continue
        if HAND_KEYS[number] not in known and (seat.status in TOLD if seat.exposed else side not in seat.wagers):
            told.append(seat)
    return sorted(told, key=lambda seat: seat.number) if len(told) > 1 else told


def open_board(round_: Round) -> tuple[Card, ...]:
    """The five community cards; none while one of them is not open or not known."""
    cards = round_.shown_cards(COMMUNITY)
    return cards if len(cards) == BOARD and UNREADABLE not in cards else ()


def best_hand(round_: Round, place: str, board: tuple[Card, ...]) -> PokerHand | None:
    """The best five of a place's cards and the five on the board; None while one of them is not known."""
    cards = _with_board(round_, place, board)
    return evaluate(cards) if cards else None


def best_dealer(round_: Round, board: tuple[Card, ...]) -> PokerHand | None:
    """The dealer's best hand, once it lies open."""
    cards = _with_board(round_, DEALER, board) if round_.dealer_exposed else ()
    return _rank(cards) if cards else None


def _with_board(round_: Round, place: str, board: tuple[Card, ...]) -> tuple[Card, ...]:
    own = unseal_held(round_.hands.get(place, ()), COMPARED)
    return own + board if board and len(own) == 2 and UNREADABLE not in own else ()


def settle_on_hole_cards(slip: Slip, wager: str, table: Mapping[str, Plain], own: tuple[Card, ...], dealer: tuple[Card, ...] = ()) -> None:
    """A side wager on the two own cards alone; `odds` where no table is posted or a card is not known."""
    if not slip.has(wager):
        return
    if not table or len(own) != 2 or UNREADABLE in own:
        slip.unsettled(wager)
    elif (odds := hole_odds(table, own, dealer)) is None:
        slip.lose(wager)
    else:
        slip.win(wager, odds=odds)


def own_cards(round_: Round, seat: Seat) -> tuple[Card, ...]:
    """The seat's own cards."""
    return round_.cards_at(seat_place(seat.number), OWN_CARDS)


def side_stands(round_: Round, side: str, rule: Rule, settle: Callable[[Slip, tuple[Card, ...]], None]) -> list[Judged]:
    """The results of a void round whose side wagers stand: those are settled on the own cards, all other wagers have gone back."""
    judged = []
    for _, seat in sorted(round_.seats.items()):
        slip = Slip(seat)
        if slip.has(side) and seat.status in ("", "folded"):
            slip.void(*(name for name in seat.wagers if name != side))
            settle(slip, own_cards(round_, seat))
            judged.append(slip.judged(rule, "void"))
    return judged

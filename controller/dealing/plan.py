"""Where the cards of a step go, and whose turn it is: pure functions of the step and the round.

A plan is computed once, when a step begins, and is then followed card by card; a Draw step is planned anew after each card. It is
part of the recorded fact, so an old record is followed as it was planned then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from controller.dealing.round import BANKER, BURN, COMMUNITY, DEALER, LIVE, PLAYER, SEAT_PLACES, Round, seat_of, seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.side_steps import BurnByFirst, DecideSide, ExposeSide
from controller.dealing.steps import (
    Betting,
    Burn,
    Deal,
    Decide,
    Draw,
    ExposeCards,
    Face,
    First,
    Order,
    SetHands,
    Settle,
    Stack,
    Step,
    Who,
)
from controller.dealing.turn_steps import HandCard, PlayHands

BOARD: Final = (Who.COMMUNITY,)
SEAT_ONE: Final = First.SEAT_ONE
_place_of: Final = SEAT_PLACES.__getitem__
Plan: TypeAlias = tuple[tuple[str, str], ...]


def arranged(step: Step | None, round_: Round, seats: int) -> tuple[Plan, tuple[str, ...]]:
    """What the step begins with: (place, face) of each card or stack that it expects, in order, and the places that act in it."""
    planner, lister = _ARRANGERS.get(type(step)) or _arrangers(type(step))
    plan = planner(step, round_, seats) if planner is not None else ()
    return plan, lister(step, round_, seats) if lister is not None else ()


def turns_of(step: Step | None, round_: Round, seats: int) -> tuple[str, ...]:
    """The places that act in the step, in the order in which they must."""
    return arranged(step, round_, seats)[1]


_Planner: TypeAlias = "Callable[[Any, Round, int], Plan]"
_Lister: TypeAlias = "Callable[[Any, Round, int], tuple[str, ...]]"


_ARRANGERS: Final[dict[type, tuple[_Planner | None, _Lister | None]]] = {}
"""One entry for each kind of step that was met."""


def _arrangers(kind: type) -> tuple[_Planner | None, _Lister | None]:
    planner = next((_PLANS[base] for base in kind.__mro__ if base in _PLANS), None)
    lister = next((_TURNS[base] for base in kind.__mro__ if base in _TURNS), None)
    _ARRANGERS[kind] = found = planner, lister
    return found


def rotation(first: First, round_: Round, seats: int) -> tuple[str, ...]:
    """All places in dealing order: every seat and the dealer."""
    around = _around(seats)
    if first is SEAT_ONE:
        return around
    match first:
        case First.AFTER_BUTTON:
            live = round_.live_seats() or [1]
            button = round_.button or seats
            begin = next((n for n in live if n > button), live[0]) - 1
        case First.START:
            begin = around.index(round_.start) if round_.start else 0
    return around[begin:] + around[:begin]


@functools.lru_cache(maxsize=64)  # one for each number of seats
def _around(seats: int) -> tuple[str, ...]:
    return (*(seat_place(n) for n in range(1, seats + 1)), DEALER)


def _from_opener(step: Betting, round_: Round, seats: int) -> tuple[str, ...]:
    """The live seats clockwise from the one that acts first."""
    live = round_.live_seats()
    opener = step.opener(round_) if step.opener is not None else None
    begin = live.index(opener) if opener in live else 0
    return tuple(seat_place(n) for n in live[begin:] + live[:begin])


def _is_served(step: Deal, round_: Round, place: str) -> bool:
    seat = seat_of(place)
    return seat is None or step.serves is None or step.serves(round_, seat)


def _places(to: tuple[Who, ...], first: First, round_: Round, seats: int) -> list[str]:
    if to == BOARD:
        return [COMMUNITY]
    wanted = {place for who in to if who in _SERVED for place in _SERVED[who](round_, seats)}
    sides = [_SIDES[who] for who in to if who in _SIDES]
    places = sides + [place for place in rotation(first, round_, seats) if place in wanted]
    return [*places, COMMUNITY] if BOARD[0] in to else places


_SERVED: Final[dict[Who, Callable[[Round, int], Iterable[str]]]] = {
    Who.WAGERED: lambda round_, seats: [_place_of(n) for n, seat in round_.seats.items() if seat.status != "dead"],
    Who.LIVE: lambda round_, seats: map(_place_of, round_.live_seats()),
    Who.EVERY: lambda round_, seats: _around(seats)[:-1],
    Who.DEALER: lambda round_, seats: (DEALER,),
}
"""The places in the rotation that a step serves."""
_SIDES: Final = {Who.PLAYER: PLAYER, Who.BANKER: BANKER}


def _burn_by_first(step: BurnByFirst, round_: Round) -> Plan:
    """The first card, shown; when it lies there, the cards that it asks for; then nothing."""
    first = round_.shown_cards(BURN)
    if not first:
        return ((BURN, "up"),)
    return ((BURN, "down"),) * (step.more(first[0]) if round_.burned == 1 else 0)


def _deal_plan(step: Deal, round_: Round, seats: int) -> Plan:
    places = _places(step.to, step.first, round_, seats)
    if step.serves is not None:
        places = [place for place in places if _is_served(step, round_, place)]
    return _passes(tuple(places), step.facing, step.together, step.burns, len(round_.hands.get(COMMUNITY, ())))


@functools.lru_cache(maxsize=1024)  # a game deals the same to the same seats again and again: one entry for each set of seats in play
def _passes(places: tuple[str, ...], facing: tuple[Face, ...], together: bool, burns: int, laid: int) -> Plan:
    plan: list[tuple[str, str]] = []
    by_pass = [(place, face) for face in facing for place in places]
    for place, face in [(place, face) for place in places for face in facing] if together else by_pass:
        plan += [(BURN, "down")] * burns
        if place == COMMUNITY:
            laid += 1
            plan.append((f"{COMMUNITY} {laid}", face.value))
        else:
            plan.append((place, face.value))
    return tuple(plan)


def _stack_plan(step: Stack, round_: Round, seats: int) -> Plan:
    face = step.facing[-1].value
    return tuple([(place, face) for place in _places(step.to, step.first, round_, seats)])


def _draw_plan(step: Draw, round_: Round, seats: int) -> Plan:
    due = step.next_place(round_)
    return () if due is None else (due,)


_PLANS: Final[dict[type, _Planner]] = {
    Burn: lambda step, round_, seats: (("burn", "down"),) * step.cards,
    BurnByFirst: lambda step, round_, seats: _burn_by_first(step, round_),
    Deal: _deal_plan,
    HandCard: lambda step, round_, seats: ((round_.turns[0], "up"),) if round_.turns else (),
    Draw: _draw_plan,
    Stack: _stack_plan,
}
"""Kind of step to the function that plans its cards; each function takes its own kind."""


def _deciders(step: Decide, round_: Round, seats: int) -> tuple[str, ...]:
    asks, asked = step.asks, round_.live_seats()
    if asks is not None:
        asked = [n for n in asked if asks(round_, n)]
    if step.first is SEAT_ONE:
        return tuple(map(_place_of, asked))
    return _in_order(rotation(step.first, round_, seats), tuple(asked))


@functools.lru_cache(maxsize=1024)  # as `_passes`
def _in_order(around: tuple[str, ...], asked: tuple[int, ...]) -> tuple[str, ...]:
    return tuple([place for place in around if seat_of(place) in asked])


def _setters(step: SetHands, round_: Round, seats: int) -> tuple[str, ...]:
    if step.who is Who.DEALER:
        return (DEALER,)
    return tuple([seat_place(n) for n in round_.live_seats() if not round_.seats[n].is_set or round_.seats[n].status == ""])


def _settled(step: Settle, round_: Round, seats: int) -> tuple[str, ...]:
    if step.face_up:
        return ()
    side = step.with_folded
    numbers = [n for n, seat in round_.seats.items() if seat.status in LIVE or (seat.status == "folded" and side in seat.wagers)]
    return _in_order_of(step, numbers)


def _shown(step: ShowHands, round_: Round, seats: int) -> tuple[str, ...]:
    numbers = [n for n, seat in round_.seats.items() if seat.status in LIVE and step.wager in seat.wagers]
    return _in_order_of(step, numbers)


def _in_order_of(step: Settle, numbers: list[int]) -> tuple[str, ...]:
    return tuple(map(_place_of, sorted(numbers, reverse=step.order is Order.RIGHT_FIRST)))


def _in_turn(step: PlayHands | HandCard, round_: Round, seats: int) -> tuple[str, ...]:
    return round_.turns if round_.played else tuple([seat_place(n) for n in round_.live_seats()])


_TURNS: Final[dict[type, _Lister]] = {
    Betting: _from_opener,
    Decide: _deciders,
    PlayHands: _in_turn,
    HandCard: _in_turn,
    SetHands: _setters,
    ExposeCards: lambda step, round_, seats: (step.what.value,),
    ExposeSide: lambda step, round_, seats: (step.side.value,),
    DecideSide: lambda step, round_, seats: (step.side.value,) if step.asks is None or step.asks(round_) else (),
    Settle: _settled,
    ShowHands: _shown,
}
"""Kind of step to the function that lists who acts in it; each function takes its own kind."""

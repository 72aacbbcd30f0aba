"""Where the cards of a step go, and whose turn it is: pure functions of the step and the round.

A plan is computed once, when a step begins, and is then followed card by card; a Draw step is planned anew after each card. It is
part of the recorded fact, so an old record is followed as it was planned then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from controller.dealing.round import BURN, COMMUNITY, DEALER, LIVE, Round, Seat, seat_of, seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.side_steps import BurnByFirst, DecideSide, ExposeSide
from controller.dealing.steps import (
    Betting,
    Burn,
    Deal,
    Decide,
    Draw,
    ExposeCards,
    First,
    Order,
    SetHands,
    Settle,
    Stack,
    Step,
    Who,
)
from controller.dealing.turn_steps import HandCard, PlayHands

Plan: TypeAlias = tuple[tuple[str, str], ...]


def plan_of(step: Step | None, round_: Round, seats: int) -> Plan:
    """(place, face) of each card or stack that the step expects, in order; empty for steps that expect none."""
    planner = _planner(type(step))  # type: ignore[arg-type]  # classes can be hashed
    return planner(step, round_, seats) if planner is not None else ()


def turns_of(step: Step | None, round_: Round, seats: int) -> tuple[str, ...]:
    """The places that act in the step, in the order in which they must."""
    lister = _lister(type(step))  # type: ignore[arg-type]  # as above
    return lister(step, round_, seats) if lister is not None else ()


@functools.cache  # one entry for each kind of step
def _planner(kind: type) -> Callable[[Any, Round, int], Plan] | None:
    return next((_PLANS[base] for base in kind.__mro__ if base in _PLANS), None)


@functools.cache
def _lister(kind: type) -> Callable[[Any, Round, int], tuple[str, ...]] | None:
    return next((_TURNS[base] for base in kind.__mro__ if base in _TURNS), None)


def rotation(first: First, round_: Round, seats: int) -> tuple[str, ...]:
    """All places in dealing order: every seat and the dealer."""
    around = _around(seats)
    match first:
        case First.SEAT_ONE:
            return around
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


def _is_settled(step: Settle, seat: Seat) -> bool:
    if isinstance(step, ShowHands):
        return seat.live and step.wager in seat.wagers
    return seat.live or _is_held_by_a_side_wager(step, seat)


def _is_held_by_a_side_wager(step: Settle, seat: Seat) -> bool:
    return step.with_folded is not None and seat.status == "folded" and step.with_folded in seat.wagers


def _is_served(step: Deal, round_: Round, place: str) -> bool:
    seat = seat_of(place)
    return seat is None or step.serves is None or step.serves(round_, seat)


def _live_places(round_: Round) -> set[str]:
    return {seat_place(n) for n in round_.live_seats()}


def _places(to: tuple[Who, ...], first: First, round_: Round, seats: int) -> list[str]:
    if to == (Who.COMMUNITY,):
        return [COMMUNITY]
    wanted: set[str] = set()
    for who in to:
        match who:
            case Who.WAGERED:
                wanted |= {seat_place(n) for n in round_.seats}
            case Who.LIVE:
                wanted |= _live_places(round_)
            case Who.EVERY:
                wanted |= {seat_place(n) for n in range(1, seats + 1)}
            case Who.DEALER:
                wanted.add(DEALER)
            case Who.COMMUNITY | Who.PLAYER | Who.BANKER:
                pass
    sides = [who.value for who in to if who in (Who.PLAYER, Who.BANKER)]
    places = sides + [place for place in rotation(first, round_, seats) if place in wanted]
    return [*places, COMMUNITY] if Who.COMMUNITY in to else places


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
    laid = len(round_.hands.get(COMMUNITY, ()))
    plan: list[tuple[str, str]] = []
    by_pass = [(place, facing) for facing in step.facing for place in places]
    for place, facing in [(place, facing) for place in places for facing in step.facing] if step.together else by_pass:
        plan += [("burn", "down")] * step.burns
        if place == COMMUNITY:
            laid += 1
            plan.append((f"{COMMUNITY} {laid}", facing.value))
        else:
            plan.append((place, facing.value))
    return tuple(plan)


def _stack_plan(step: Stack, round_: Round, seats: int) -> Plan:
    face = step.facing[-1].value
    return tuple([(place, face) for place in _places(step.to, step.first, round_, seats)])


def _draw_plan(step: Draw, round_: Round, seats: int) -> Plan:
    due = step.next_place(round_)
    return () if due is None else (due,)


_PLANS: Final[dict[type, Callable[[Any, Round, int], Plan]]] = {
    Burn: lambda step, round_, seats: (("burn", "down"),) * step.cards,
    BurnByFirst: lambda step, round_, seats: _burn_by_first(step, round_),
    Deal: _deal_plan,
    HandCard: lambda step, round_, seats: ((round_.turns[0], "up"),) if round_.turns else (),
    Draw: _draw_plan,
    Stack: _stack_plan,
}
"""Kind of step to the function that plans its cards; each function takes its own kind."""


def _deciders(step: Decide, round_: Round, seats: int) -> tuple[str, ...]:
    asks = step.asks
    asked = {seat_place(n) for n, seat in round_.seats.items() if seat.status in LIVE and (asks is None or asks(round_, n))}
    return tuple([place for place in rotation(step.first, round_, seats) if place in asked])


def _setters(step: SetHands, round_: Round, seats: int) -> tuple[str, ...]:
    if step.who is Who.DEALER:
        return (DEALER,)
    return tuple([seat_place(n) for n in round_.live_seats() if not round_.seats[n].is_set or round_.seats[n].status == ""])


def _settled(step: Settle, round_: Round, seats: int) -> tuple[str, ...]:
    if step.face_up:
        return ()
    right_first = step.order is Order.RIGHT_FIRST
    numbers = sorted([n for n, seat in round_.seats.items() if _is_settled(step, seat)], reverse=right_first)
    return tuple([seat_place(n) for n in numbers])


def _in_turn(step: PlayHands | HandCard, round_: Round, seats: int) -> tuple[str, ...]:
    return round_.turns if round_.played else tuple([seat_place(n) for n in round_.live_seats()])


_TURNS: Final[dict[type, Callable[[Any, Round, int], tuple[str, ...]]]] = {
    Betting: _from_opener,
    Decide: _deciders,
    PlayHands: _in_turn,
    HandCard: _in_turn,
    SetHands: _setters,
    ExposeCards: lambda step, round_, seats: (step.what.value,),
    ExposeSide: lambda step, round_, seats: (step.side.value,),
    DecideSide: lambda step, round_, seats: (step.side.value,) if step.asks is None or step.asks(round_) else (),
    Settle: _settled,
}
"""Kind of step to the function that lists who acts in it; each function takes its own kind."""

"""Where the cards of a step go, and whose turn it is: pure functions of the step and the round.

A plan is computed once, when a step begins, and is then followed card by card; a Draw step is planned anew after each card. It is
part of the recorded fact, so an old record is followed as it was planned then.
"""

from __future__ import annotations

from typing import TypeAlias

from controller.dealing.round import BURN, COMMUNITY, DEALER, Round, Seat, seat_of, seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.side_steps import BurnByFirst, DecideSide, ExposeSide
from controller.dealing.steps import Betting, Burn, Deal, Decide, Draw, ExposeCards, First, Order, SetHands, Settle, Stack, Step, Who
from controller.dealing.turn_steps import HandCard, PlayHands

Plan: TypeAlias = tuple[tuple[str, str], ...]


def plan_of(step: Step | None, round_: Round, seats: int) -> Plan:
    """(place, face) of each card or stack that the step expects, in order; empty for steps that expect none."""
    match step:
        case Burn():
            return (("burn", "down"),) * step.cards
        case BurnByFirst():
            return _burn_by_first(step, round_)
        case Deal():
            return _deal_plan(step, round_, seats)
        case HandCard():
            return ((round_.turns[0], "up"),) if round_.turns else ()
        case Draw():
            due = step.next_place(round_)
            return () if due is None else (due,)
        case Stack():
            face = step.facing[-1].value
            return tuple((place, face) for place in _places(step.to, step.first, round_, seats))
        case _:
            return ()


def turns_of(step: Step | None, round_: Round, seats: int) -> tuple[str, ...]:
    """The places that act in the step, in the order in which they must."""
    match step:
        case Betting():
            return _from_opener(step, round_, seats)
        case Decide():
            asked = {seat_place(n) for n in round_.live_seats() if step.asks is None or step.asks(round_, n)}
            return tuple(place for place in rotation(step.first, round_, seats) if place in asked)
        case PlayHands() | HandCard():
            return round_.turns if round_.played else tuple(seat_place(n) for n in round_.live_seats())
        case SetHands(who=Who.DEALER):
            return (DEALER,)
        case SetHands():
            return tuple(seat_place(n) for n in round_.live_seats() if not round_.seats[n].is_set or round_.seats[n].status == "")
        case ExposeCards():
            return (step.what.value,)
        case ExposeSide():
            return (step.side.value,)
        case DecideSide():
            return (step.side.value,) if step.asks is None or step.asks(round_) else ()
        case Settle(face_up=False):
            places = [seat_place(n) for n, seat in sorted(round_.seats.items()) if _is_settled(step, seat)]
            return tuple(reversed(places)) if step.order is Order.RIGHT_FIRST else tuple(places)
        case _:
            return ()


def rotation(first: First, round_: Round, seats: int) -> list[str]:
    """All places in dealing order: every seat and the dealer."""
    around = [seat_place(n) for n in range(1, seats + 1)] + [DEALER]
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
    places = [place for place in _places(step.to, step.first, round_, seats) if _is_served(step, round_, place)]
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

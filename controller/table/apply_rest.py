"""Folds facts of games in which players play one another: betting rounds, exchanges, cards shuffled back into the rest of the deck.

After such a shuffle the census is made anew from the cards that are still out: whatever is not known to be out may come again.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.dealing.round import COMMUNITY, Held, Round, seat_of, seat_place
from controller.integrity.census import ShoeCensus
from controller.integrity.ledger import Place
from controller.integrity.order import OrderWatch
from controller.table import facts as f
from controller.table.folding import CENSUS, Appliers, change_seat, move, moved, no_round, rack, round_of
from controller.table.state import TableState
from firmware_bridge.cards import Sealed, unseal


def _betting_closed(state: TableState, fact: f.BettingClosed) -> None:
    round_ = state.round or no_round(state)
    round_.betting_rounds += 1
    round_.turns = ()


def _exchanged(state: TableState, fact: f.Exchanged) -> None:
    round_ = state.round or no_round(state)
    place, seat = seat_place(fact.seat), round_.seats[fact.seat]
    if fact.discard:
        left, thrown = _without(round_.hands.get(place, ()), fact.discard)
        round_.hands = {**round_.hands, place: left}
        round_.muck = round_.muck + thrown
    else:
        change_seat(round_, replace(seat, thrown=seat.thrown + fact.cards))
    rack(state, fact.cards)
    round_.plan, round_.cursor = fact.plan, 0


def _without(hand: tuple[Held, ...], named: tuple[Sealed, ...]) -> tuple[tuple[Held, ...], tuple[Held, ...]]:
    """(left, taken): the named cards, or unread ones in their stead."""
    left, taken = list(hand), []
    for sealed in named:
        code = unseal(sealed, CENSUS).code
        codes = [unseal(held.card, CENSUS).code for held in left]
        taken.append(left.pop(codes.index(code) if code in codes else codes.index(0)))
    return tuple(left), tuple(taken)


def _burned_instead(state: TableState, fact: f.BurnedInstead) -> None:
    round_ = round_of(state)
    hand = round_.hands[fact.place]
    round_.hands = {**round_.hands, fact.place: hand[: fact.index] + hand[fact.index + 1 :]}
    round_.muck = (*round_.muck, hand[fact.index])
    move(state, Place.DEALT, Place.BURNED)
    round_.burned += 1
    round_.racked += 1
    round_.exposed_down += 1
    if round_.cursor >= len(round_.plan):
        round_.plan, round_.cursor = fact.plan, 0
    else:
        round_.plan = round_.plan + fact.plan


def _held_out(state: TableState, fact: f.HeldOut) -> None:
    round_ = round_of(state)
    cards = [held for held, _ in round_.aside]
    if fact.with_burn:
        move(state, Place.ASIDE, Place.BURNED)
        round_.muck = (*round_.muck, cards[-2])
        round_.racked += 1
    round_.held_out = (*round_.held_out, cards[-1])
    round_.aside = round_.aside[: -2 if fact.with_burn else -1]


def _rest_due(state: TableState, fact: f.RestDue) -> None:
    round_ = state.round or no_round(state)
    if fact.muck:
        _muck_returns(state, round_, fact)
    _to_rack(state, Place.ASIDE, fact.aside + (len(round_.held_out) if fact.held_out else 0))
    _to_rack(state, Place.DEALT, fact.board)
    if fact.aside:
        round_.aside = round_.aside[: -fact.aside]
    if fact.held_out:
        round_.held_out = ()
    if fact.board:
        round_.hands = {place: held for place, held in round_.hands.items() if place != COMMUNITY}
    if fact.burns:
        move(state, Place.BURNED, Place.DISCARDED, fact.burns)
        round_.muck = round_.muck[: -fact.burns]
    round_.burned += fact.burn_made
    round_.returning = fact.cards
    round_.own_out = fact.own
    if fact.plan:
        round_.plan, round_.cursor = fact.plan, 0


def _to_rack(state: TableState, place: Place, cards: int) -> None:
    move(state, place, Place.DISCARDED, cards)
    round_of(state).racked += cards


def _muck_returns(state: TableState, round_: Round, fact: f.RestDue) -> None:
    """Burns, folded hands and discards leave the table's record; the own discards of the seat that draws stay in the rack."""
    move(state, Place.BURNED, Place.DISCARDED, state.deck.ledger.burned)
    gone = {seat_place(n) for n, seat in round_.seats.items() if seat.status == "folded"}
    round_.hands = {place: held for place, held in round_.hands.items() if place not in gone}
    round_.muck = round_.muck[-fact.own_thrown :] if fact.own_named else ()


def _rest_shuffled(state: TableState, fact: f.RestShuffled) -> None:
    round_, deck = round_of(state), state.deck
    ledger = moved(deck.ledger.move(Place.DISCARDED, Place.DEVICE, round_.returning), state)
    round_.racked -= round_.returning
    round_.out = ledger.loaded - ledger.device
    round_.returning, round_.reshuffled = 0, True
    watch = OrderWatch.start(deck.spec, last=deck.watch.read or deck.watch.reference.last)
    deck = replace(deck, ledger=ledger, census=_census(deck.census, round_, ledger.device), watch=watch, fresh=True)
    if fact.last_round:
        deck = replace(deck, cut_seen=True, rounds_left=0)
    state.deck = replace(deck, finding="", empty=False, evidence=fact.evidence)


def _census(before: ShoeCensus, round_: Round, left: int) -> ShoeCensus:
    counts, unknown = list(before.total), 0
    for place, hand in round_.hands.items():
        played = round_.played.get(place)
        if played is not None and played.cleared:
            continue  # in the rack, and thus in the device again
        seat = round_.seats.get(seat_of(place) or 0)
        if seat is not None and seat.thrown and seat.number != round_.own_out:
            unknown += len(hand) - seat.thrown
        else:
            unknown += _take(counts, hand)
    unknown += _take(counts, round_.muck + round_.held_out + tuple(held for held, _ in round_.aside))
    return ShoeCensus(bytes(counts), before.total, left, unknown, before.back)


def _take(counts: list[int], cards: tuple[Held, ...]) -> int:
    """Take cards that are out from the counts; returns how many of them nobody knows."""
    unknown = 0
    for held in cards:
        code = unseal(held.card, CENSUS).code
        if code and counts[code]:
            counts[code] -= 1
        else:
            unknown += 1
    return unknown


APPLY: Appliers = {
    f.BettingClosed: _betting_closed,
    f.Exchanged: _exchanged,
    f.BurnedInstead: _burned_instead,
    f.HeldOut: _held_out,
    f.RestDue: _rest_due,
    f.RestShuffled: _rest_shuffled,
}

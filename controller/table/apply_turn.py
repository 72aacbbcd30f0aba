"""Folds facts of the players' turn: hands, splits, a look at the hole card, a card that is offered."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from controller.dealing.round import Held, PlayedHand, Round, Seat, seat_of
from controller.integrity.ledger import Place
from controller.table import facts as f
from controller.table.folding import Appliers, hold, move, no_round, rack, round_of, take_turn
from controller.table.state import TableState

T = TypeVar("T")


def _change(round_: Round, place: str, hand: PlayedHand) -> None:
    round_.played = {**round_.played, place: hand}


def _hands_begun(state: TableState, fact: f.HandsBegun) -> None:
    round_of(state).played = {place: PlayedHand(wagers) for place, wagers in fact.hands}


def _hand_chose(state: TableState, fact: f.HandChose) -> None:
    round_ = state.round or no_round(state)
    hand = round_.played[fact.place]
    wagers = {**hand.wagers, fact.wager: fact.amount} if fact.wager is not None else hand.wagers
    changed = msgspec.structs.replace(
        hand, wagers=wagers, status=fact.status or hand.status, doubled=hand.doubled or fact.doubled, acted=True,
        cleared=hand.cleared or fact.to_rack > 0,
    )  # fmt: skip
    _change(round_, fact.place, changed)
    round_.redeemable = ""
    rack(state, fact.to_rack)
    if fact.status:
        take_turn(round_, fact.place)


def _hand_split(state: TableState, fact: f.HandSplit) -> None:
    """The second hand stands behind the seat's other hands; each begins with one card."""
    round_ = state.round or no_round(state)
    one, two = round_.hands[fact.place]
    hand = msgspec.structs.replace(round_.played[fact.place], split=True, acted=True)
    seat = seat_of(fact.place)
    round_.hands = _instead(round_.hands, seat, fact.place, {fact.left: (one,), fact.right: (two,)})
    round_.played = _instead(
        round_.played, seat, fact.place, {fact.left: hand, fact.right: PlayedHand(fact.wagers, split=True, acted=True)}
    )  # fmt: skip
    rest = round_.turns[1:]
    own = sum(seat_of(place) == seat for place in rest)
    round_.turns = (fact.left, *rest[:own], fact.right, *rest[own:])
    round_.redeemable = ""


def _instead(places: dict[str, T], seat: int | None, place: str, new: dict[str, T]) -> dict[str, T]:
    """The places with two new ones where one was: the first in its place, the second behind the seat's others."""
    left, right = new
    names = [left if name == place else name for name in places]
    last = max(index for index, name in enumerate(names) if seat_of(name) == seat)
    values = {**places, **new}
    return {name: values[name] for name in (*names[: last + 1], right, *names[last + 1 :])}


def _hand_closed(state: TableState, fact: f.HandClosed) -> None:
    round_ = state.round or no_round(state)
    hand = round_.played[fact.place]
    _change(round_, fact.place, msgspec.structs.replace(hand, status=fact.status, cleared=hand.cleared or fact.to_rack > 0))
    round_.redeemable = fact.place if fact.status == "doubled" else ""
    rack(state, fact.to_rack)
    take_turn(round_, fact.place)


def _hole_told(state: TableState, fact: f.HoleTold) -> None:
    round_of(state).hole_told = fact.blackjack


def _turns_ended(state: TableState, fact: f.TurnsEnded) -> None:
    round_ = state.round or no_round(state)
    round_.turns, round_.redeemable = tuple(place for place in round_.turns if place not in round_.played), ""
    round_.played = {place: hand if hand.status else msgspec.structs.replace(hand, status="ended") for place, hand in round_.played.items()}


def _card_offered(state: TableState, fact: f.CardOffered) -> None:
    round_ = state.round or no_round(state)
    held, _ = round_.aside[-1]
    round_.aside = (*round_.aside[:-1], (Held(held.card, held.evidence, True), False))
    round_.offered = True


def _offer_taken(state: TableState, fact: f.OfferTaken) -> None:
    round_ = state.round or no_round(state)
    move(state, Place.ASIDE, Place.DEALT)
    hold(round_, fact.place, (Held(fact.card, fact.evidence, True),))
    round_.aside, round_.offered = round_.aside[:-1], False
    hand = round_.played[fact.place]
    _change(round_, fact.place, msgspec.structs.replace(hand, acted=True))


def _offer_passed(state: TableState, fact: f.OfferPassed) -> None:
    round_ = state.round or no_round(state)
    held, _ = round_.aside[-1]
    round_.aside, round_.offered = (*round_.aside[:-1], (held, True)), False


def _aside_burned(state: TableState, fact: f.AsideBurned) -> None:
    round_ = state.round or no_round(state)
    move(state, Place.ASIDE, Place.BURNED, fact.cards)
    round_.aside = round_.aside[: len(round_.aside) - fact.cards]
    round_.burned += fact.cards
    round_.racked += fact.cards


def hands_go_back(round_: Round, seat: Seat, stand: tuple[str, ...]) -> None:
    """A void round gives back the wagers of all hands that were not settled at once; what was won without a wager stays won."""
    results, pays = dict(round_.results), dict(round_.pays)
    places = round_.played_by(seat.number)
    on_hands = {name for place in places for name in round_.played[place].wagers}
    beside = {name: amount for name, amount in seat.wagers.items() if name not in on_hands}
    rows: dict[str, dict[str, int | None]] = {}
    for place in places:
        hand, key = round_.played[place], place.removeprefix("seat ")
        before = results.get(key, {}).items()
        results[key] = {name: word for name, word in before if (hand.cleared if name in hand.wagers else name not in seat.wagers)}
        pays[key] = {name: pays[key][name] for name in results[key]}
        rows[key] = {} if hand.cleared else hand.wagers
    rows[str(seat.number)] = {**rows.get(str(seat.number), {}), **beside}
    for key, wagers in rows.items():
        told = {name: "odds" if name in stand else "void" for name in wagers}
        results[key] = {**results.get(key, {}), **told}
        pays[key] = {**pays.get(key, {}), **{name: None if amount is None or name in stand else 0 for name, amount in wagers.items()}}
    empty = [key for key in rows if not results[key]]
    round_.results = {key: value for key, value in results.items() if key not in empty}
    round_.pays = {key: value for key, value in pays.items() if key not in empty}


APPLY: Appliers = {
    f.HandsBegun: _hands_begun,
    f.HandChose: _hand_chose,
    f.HandSplit: _hand_split,
    f.HandClosed: _hand_closed,
    f.HoleTold: _hole_told,
    f.TurnsEnded: _turns_ended,
    f.CardOffered: _card_offered,
    f.OfferTaken: _offer_taken,
    f.OfferPassed: _offer_passed,
    f.AsideBurned: _aside_burned,
}

"""What the folds of all facts share: moving cards in the ledger, hands and seats of a draft.

Each function changes the draft that it is given by replacing members, never by changing them in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from msgspec.structs import replace

from controller.dealing.round import COMMUNITY, Held, Round, Seat
from controller.errors import NotInOrderError
from controller.integrity.census import ShoeCensus
from controller.integrity.ledger import Imbalance, Ledger, Place
from controller.table.state import TableState
from firmware_bridge.cards import Sealed, unseal

CENSUS = "census"


class FoldError(NotInOrderError):
    """A recorded fact that the cards cannot have obeyed."""


def round_of(state: TableState) -> Round:
    """The present round; a record that speaks of one where there is none is broken."""
    return state.round or no_round(state)


def no_round(state: TableState) -> NoReturn:
    """Say that the record is broken."""
    raise FoldError(
        code="fold",
        what=f"Table {state.table}: the record tells of a card outside of any round.",
        do="Verify the journal.",
    )


def moved(result: Ledger | Imbalance, state: TableState) -> Ledger:
    """The ledger after a move that the cards can have made."""
    if isinstance(result, Imbalance):
        raise FoldError(code="ledger", what=f"Table {state.table}: {result.sentence}", do="Stop the table and count all cards.")
    return result


def card_left(state: TableState, sealed: Sealed, place: Place) -> None:
    """Account for one card that left the device: ledger, census, order."""
    deck, code = state.deck, unseal(sealed, CENSUS).code
    ledger = deck.ledger.leave(place) if deck.ledger.device else _out_of_an_empty_device(state, place)
    drawn = deck.census.draw(code)
    census = drawn if type(drawn) is ShoeCensus else deck.census  # the card may be beyond it
    watch, finding = deck.watch.advance(code)
    if finding is None:
        state.deck = replace(deck, ledger=ledger, census=census, watch=watch, fresh=False)
    else:
        state.deck = replace(deck, ledger=ledger, census=census, watch=watch, fresh=False, finding=finding.sentence)
    if state.round is not None:
        state.round.out += 1


def _out_of_an_empty_device(state: TableState, place: Place) -> Ledger:
    """A card out of a device that holds none by the ledger: one of the stub, racked after the last card of a round, or one too many."""
    round_, ledger = state.round, state.deck.ledger
    if round_ is None or not round_.stub_racked or round_.collected or round_.out >= ledger.loaded:
        return ledger.put_in(place, 1)
    round_.racked -= 1
    return moved(ledger.move(Place.DISCARDED, place), state)


def move(state: TableState, source: Place, target: Place, cards: int = 1) -> None:
    """Cards go from one place to another."""
    deck = state.deck
    state.deck = replace(deck, ledger=moved(deck.ledger.move(source, target, cards), state))


def hold(round_: Round, place: str, held: tuple[Held, ...]) -> None:
    """Cards lie at a place from now on."""
    key = COMMUNITY if place.startswith(COMMUNITY) else place
    numbered = tuple(Held(card.card, card.evidence, card.shown, round_.laid + n) for n, card in enumerate(held, start=1))
    round_.laid += len(held)
    round_.hands = {**round_.hands, key: round_.hands.get(key, ()) + numbered}


def change_seat(round_: Round, seat: Seat) -> None:
    """Put a changed seat in the place of the old one."""
    seats = round_.seats.copy()
    seats[seat.number] = seat
    round_.seats = seats


def rack(state: TableState, cards: int) -> None:
    """Cards of the round go from the table to the discard rack."""
    if cards:
        move(state, Place.DEALT, Place.DISCARDED, cards)
        round_of(state).racked += cards


def take_turn(round_: Round, place: str) -> None:
    """The place has no further turn in this step."""
    turns = round_.turns
    round_.turns = turns[1:] if turns and turns[0] == place else _without(turns, place)


def _without(turns: tuple[str, ...], place: str) -> tuple[str, ...]:
    return tuple([turn for turn in turns if turn != place])


Appliers: TypeAlias = "dict[type, Callable[[TableState, Any], None]]"
"""Fact class to the function that applies it; each function takes its own fact."""

"""What players at a poker table do: fold, throw cards away, show or not; and the cards in the middle that nobody holds any more.

The muck is what the dealer has in hand when cards are shuffled into the rest of the deck: burns, folded hands, thrown cards, board
cards that were turned too early. People know these cards by name because a simulated deck has to get the very cards back.
"""

from __future__ import annotations

import random
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.round import Round, seat_of, seat_place
from controller.dealing.steps import Betting, Decide, Exchange, Option, Order, Settle, Wagers
from controller.table.outcome import Outcome
from hil.people.moves import HandCards, Move

FOLD_RATE: Final = 0.12
"""How often somebody folds before a betting round is closed: most rounds reach a showdown."""
NAMED_RATE: Final = 0.5
IN_ROUND: Final = frozenset({"dealing", "deciding", "drawing"})


def some_seats(procedure: Procedure, most: int, rng: random.Random) -> list[int]:
    """Return the seats that play the next round, no fewer than the game takes."""
    least = next(step.least for step in procedure.steps if isinstance(step, Wagers))
    return rng.sample(range(1, procedure.seats + 1), rng.randint(least, max(least, most)))


def among_players(step: Decide | Settle, round_: Round, turns: list[str], cards: HandCards, rng: random.Random) -> Move | None:
    """Return what somebody does in a game of players against one another; None at a showdown where the next hand is shown."""
    match step:
        case Betting():
            return betting(step, round_.live_seats(), rng)
        case Exchange() if turns:
            return exchange(step, turns[0], cards.at(turns[0]), rng)
        case Settle():
            return showdown(step, turns, rng) if len(round_.live_seats()) > 1 else None
        case _:
            return None


def betting(step: Betting, live: list[int], rng: random.Random) -> Move:
    """Somebody folds, or the betting round is over."""
    if rng.random() < FOLD_RATE and len(live) > 1:
        seat = rng.choice(live)
        return Move("decide", {"seat": seat, "choose": step.options[0].choose}, f"player:{seat}")
    return Move("close_bets", True)


def showdown(step: Settle, turns: list[str], rng: random.Random) -> Move | None:
    """A player sees that the hand loses and throws it away unseen; mostly hands are shown."""
    if step.order is not Order.ANY or not step.options or not turns or rng.random() >= FOLD_RATE:
        return None
    seat = seat_of(rng.choice(turns))
    return Move("decide", {"seat": seat, "choose": step.options[0].choose}, f"player:{seat}")


def exchange(step: Exchange, place: str, hand: list[str], rng: random.Random) -> Move:
    """The player throws some cards away, naming them or not, or keeps all."""
    seat = seat_of(place)
    option = rng.choice(step.options)
    value: dict[str, object] = {"seat": seat, "choose": option.choose}
    if option.exchanges:
        thrown = rng.sample(hand, rng.randint(1, min(option.exchanges, len(hand))))
        if rng.random() < NAMED_RATE and "?" not in hand:
            value["discard"] = thrown
        else:
            value["cards"] = len(thrown)
    return Move("decide", value, f"player:{seat}")


class Muck:
    """See the module's text. `unnamed` seats have thrown cards away that the table was not told."""

    def __init__(self, procedure: Procedure, cards: HandCards, rng: random.Random) -> None:
        self.unnamed: set[int] = set()
        self._procedure, self._cards, self._rng = procedure, cards, rng
        self._thrown: list[str] = []
        self._last: list[str] = []
        """What the player who draws now has thrown away."""
        self._held_out: list[str] = []
        self._laid_out: list[str] = []

    def clear(self) -> None:
        """The cards are picked up."""
        self.unnamed.clear()
        self._thrown, self._last, self._held_out, self._laid_out = [], [], [], []

    def threw(self, seat: int, option: Option, value: object) -> None:
        """A player has thrown cards away; where they were not named, any of the hand."""
        if not option.exchanges or not isinstance(value, dict):
            return
        hand = self._cards.places.get(seat_place(seat), [])
        named = value.get("discard")
        if not named:
            self.unnamed.add(seat)
        self._last = list(named) if named else self._rng.sample(hand, min(len(hand), int(value.get("cards", 0))))
        for name in self._last:
            hand.remove(name if name in hand else "?")
        self._thrown += self._last

    def heard(self, move: Move | None, outcome: Outcome, round_: Round) -> None:
        """Take note of what lies where, now that the table has answered."""
        if outcome.refused is not None:
            return
        if outcome.irregularity == "player-card-exposed" and outcome.remedy == "burn-it" and move is not None:
            self._burn_exposed(move, outcome)
        elif outcome.remedy == "put-back-and-continue" and outcome.alarm is None and move is not None:
            self._board_back(move)
        if "shuffle" in outcome.next and outcome.state in IN_ROUND and not self._laid_out:
            self._lay_out(outcome, round_)

    def _burn_exposed(self, move: Move, outcome: Outcome) -> None:
        seat = move.value.get("seat") if isinstance(move.value, dict) else None
        hand = self._cards.places.get(f"seat {seat}", [])
        name = next((card for card in outcome.cards if card in hand), hand[-1] if hand else None)
        if name is not None:
            hand.remove(name)
            self._cards.saw("burn", [name])

    def _aside(self) -> list[str]:
        """Cards set aside that no place has got since."""
        placed = {name for place, names in self._cards.places.items() if place != "aside" for name in names}
        return [name for name in self._cards.at("aside") if name not in placed]

    def _board_back(self, move: Move) -> None:
        aside, board = self._aside(), self._cards.at("community")
        what = move.value.get("what") if isinstance(move.value, dict) else None
        if what == "wrong-count":
            burns = self._cards.places["burn"]
            self._laid_out = [*board, *aside, burns.pop()]
            self._cards.places.pop("community")
        elif not board:
            self._laid_out = aside
        else:
            self._held_out = aside[-1:]
            self._cards.saw("burn", aside[:-1])
        self._cards.places["aside"] = [name for name in self._cards.at("aside") if name not in aside]

    def _lay_out(self, outcome: Outcome, round_: Round) -> None:
        if self._held_out:
            self._laid_out, self._held_out = self._held_out, []
            return
        step = self._procedure.step(outcome.phase)
        own = self._last if isinstance(step, Exchange) and step.own_stay else []
        folded = [n for n, seat in round_.seats.items() if seat.status == "folded"]
        hands = [name for n in folded for name in self._cards.places.pop(seat_place(n), [])]
        racked = [*self._cards.places.pop("burn", []), *self._cards.places.pop("discard", [])]
        self._laid_out = [*racked, *hands, *(name for name in self._thrown if name not in own)]
        self._thrown = list(own)

    def take_laid_out(self) -> list[str]:
        """Return the cards that are to be shuffled into the rest of the deck, and forget them."""
        cards, self._laid_out = self._laid_out, []
        return cards

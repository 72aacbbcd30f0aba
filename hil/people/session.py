"""Plays rounds: people and a device in turn on any table, until enough rounds are over.

What kind of table it is does not matter here: the core alone, or a daemon with simulated devices behind `PlayTable`.
A session that does not get on is an error with the seed's words, never an endless loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from controller.errors import NotInOrderError
from controller.table.outcome import Outcome
from hil.people.moves import Move
from hil.people.people import People
from hil.people.slips import Slips

MOST_ACTS_A_ROUND: Final = 600
"""Nine seats with five cards and three decisions each, every act with a slip before it, are under three hundred."""
BETWEEN_ROUNDS: Final = frozenset({"complete", "unverified", "ready", "quarantined"})


class StuckError(NotInOrderError):
    """The people know nothing to do, or a round does not end."""


class PlayTable(Protocol):
    """A table that people sit at."""

    def view(self) -> Outcome:
        """Return how the table stands."""
        ...

    def tell(self, move: Move) -> Outcome:
        """Put a person's act to the table."""
        ...

    def draw(self, outcome: Outcome) -> Outcome:
        """Let the device give the next card or stack."""
        ...

    def take_placed(self) -> list[tuple[str, str]]:
        """Return (place, card) of the cards placed since the last call, as the people at the table saw it."""
        ...

    def make_ready(self, outcome: Outcome) -> Outcome:
        """Load and shuffle as far as the table needs it before the next round."""
        ...

    def shuffle_rest(self, names: list[str]) -> Outcome:
        """Shuffle these cards, which lie on the table, into the rest of the deck."""
        ...


Watcher = Callable[[Move | None, Outcome], None]


def play_rounds(people: People, table: PlayTable, rounds: int, *, slips: Slips | None = None, watch: Watcher | None = None) -> Outcome:
    """Play until this many rounds are over, void ones included, and return the last outcome.

    Raises:
        StuckError: when nobody knows what to do next.
    """
    outcome = table.view()
    people.heard(None, outcome)
    over, acts, last_over = 0, 0, outcome.round
    while over < rounds:
        move = slips.maybe_slip(people, outcome) if slips is not None else None
        move = move or people.next_move(outcome)
        outcome = _one_act(people, table, move, outcome)
        if watch is not None:
            watch(move, outcome)
        acts += 1
        if outcome.state in BETWEEN_ROUNDS and outcome.round > last_over:
            over, acts, last_over = over + 1, 0, outcome.round
        if acts > MOST_ACTS_A_ROUND:
            raise StuckError("round-endless", f"Round {outcome.round} does not end: {_where(outcome)}.", "See its seed.")
    return outcome


def _one_act(people: People, table: PlayTable, move: Move | None, outcome: Outcome) -> Outcome:
    if move is not None:
        outcome = table.tell(move)
    elif outcome.gate == "open":
        outcome = table.draw(outcome)
    elif outcome.state in BETWEEN_ROUNDS or outcome.state == "void":
        outcome = table.make_ready(outcome)
    elif "shuffle" in outcome.next:
        outcome = table.shuffle_rest(people.muck.take_laid_out())
    else:
        raise StuckError("nobody-knows", f"Nobody knows what to do now: {_where(outcome)}.", "See its seed.")
    placed = table.take_placed()
    for place, name in placed:
        people.saw_card(place, name)
    people.heard(move, outcome)
    if outcome.irregularity == "device-malfunction" and placed:
        people.lost_track()
    return outcome


def _where(outcome: Outcome) -> str:
    return f"{outcome.phase or outcome.state}, next {', '.join(outcome.next)}, last words: {outcome.message.removesuffix('.')}"

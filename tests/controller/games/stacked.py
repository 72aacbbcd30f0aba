"""Whole rounds from stacks, for settlement tables: wagers, hands and choices in, the outcome after the collection out."""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.settings import Plain
from controller.table.outcome import Outcome
from tests.controller.games.rounds import collect, decide, did, open_table, places
from tests.controller.table.bench import Bench

Choice = str | tuple[str, object]
"""A word, or a word and the amount of the wager that it places."""


def dealt(game: str, wagers: Mapping[int, Mapping[str, object]], cards: str, method: str = "automated-shoe", **house: Plain) -> Bench:
    """A table whose first cards or stacks are dealt: the cards lie in dealing order, bars between hands are for the reader."""
    bench = open_table(game, method, house, cards.replace("|", " "))
    for seat, placed in wagers.items():
        did(bench, "wager", {"seat": seat, **placed})
    did(bench, "close_bets")
    places(bench)
    return bench


def choose(bench: Bench, choices: Mapping[int, Choice]) -> None:
    """Seats decide, in this order."""
    for seat, choice in choices.items():
        word, more = (choice, {}) if isinstance(choice, str) else (choice[0], {"amount": choice[1]})
        decide(bench, seat, word, **more)


def settled(bench: Bench) -> Outcome:
    """The dealer's hand and the seats' hands are exposed in order, then the cards are collected."""
    while bench.view().state == "settling":
        turn = bench.state.round.turns[0] if bench.state.round is not None else ""
        did(bench, "expose", {"seat": "dealer" if turn == "dealer" else int(turn.split()[1])})
    return collect(bench)


def played(
    game: str,
    wagers: Mapping[int, Mapping[str, object]],
    cards: str,
    choices: Mapping[int, Choice],
    method: str = "automated-shoe",
    **house: Plain,
) -> Outcome:
    """One whole round."""
    bench = dealt(game, wagers, cards, method, **house)
    choose(bench, choices)
    return settled(bench)

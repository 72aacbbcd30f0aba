"""Two own cards against a posted table: the side wager of the hold 'em games.

A row names two ranks, the higher first, as `K-K`, or with how their suits stand, as `A-K-suited` and `A-K-unsuited`; `A-A-both` is paid
when the dealer holds the same ranks. `suited` and `pair` stand for all such hands. The row that says most of a hand is the one that pays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.dealing.settings import Plain
from controller.games.pay import RANKS, Odds, check_odds, odds_for
from firmware_bridge.cards import Card

PAIR: Final = "pair"
SUITED: Final = "suited"
_DOWN: Final = RANKS[::-1]
_PAIRS: Final = tuple(f"{rank}-{rank}" for rank in _DOWN)
_OTHERS: Final = tuple(f"{high}-{low}" for at, high in enumerate(_DOWN) for low in _DOWN[at + 1 :])
_BY_SUIT: Final = tuple(f"{ranks}-{how}" for ranks in _OTHERS for how in ("suited", "unsuited"))
NAMES: Final = frozenset((PAIR, SUITED, *_PAIRS, *(f"{pair}-both" for pair in _PAIRS), *_OTHERS, *_BY_SUIT))


def check_hole_table(value: Plain) -> str:
    """Why a table of odds for two own cards cannot be used; empty when it can."""
    return check_odds(value, NAMES, "A-K-suited")


def hole_odds(table: Mapping[str, Plain], own: tuple[Card, ...], dealer: tuple[Card, ...] = ()) -> Odds | None:
    """Odds to one for two own cards, None where the table names none."""
    ranks = ranks_of(own)
    for name in _rows(own, ranks, both=len(dealer) == 2 and ranks_of(dealer) == ranks):
        odds = odds_for(table, name)
        if odds is not None:
            return odds
    return None


def ranks_of(cards: tuple[Card, ...]) -> str:
    """The ranks of two cards, the higher first, as `A-K`."""
    return "-".join(sorted((card.name[0] for card in cards), key=_DOWN.index))


def _rows(own: tuple[Card, ...], ranks: str, *, both: bool) -> tuple[str, ...]:
    """The rows that name these cards, the one that says most first."""
    one, two = own
    if one.rank == two.rank:
        return (f"{ranks}-both", ranks, PAIR) if both else (ranks, PAIR)
    return (f"{ranks}-suited", ranks, SUITED) if one.suit == two.suit else (f"{ranks}-unsuited", ranks)

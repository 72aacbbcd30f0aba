"""Right acts at tables with two common hands: wagers of the shoe's holder and of the others, turning up and deciding for a side."""

from __future__ import annotations

from controller.dealing.game import Game
from controller.dealing.side_steps import DecideSide
from controller.dealing.steps import Placer
from controller.table import acts as a
from controller.table.side_acts import winner_of
from firmware_bridge.cards import UNREADABLE, Sealed
from tests.controller.table.bench import DEALER, Bench

AMOUNTS = (500, 1000, 333, 10_000, None)


def has_holder_wager(game: Game) -> bool:
    """Whether some wagers belong to the holder of the shoe and some to the others."""
    return any(kind.by is Placer.HOLDER for kind in game.wagers)


def wager(bench: Bench) -> a.Wager:
    """The holder states the bank; then others cover what is left of it."""
    rng, round_ = bench.rng, bench.state.round
    bank, cover = (next(k.name for k in bench.procedure.game.wagers if k.by is by) for by in (Placer.HOLDER, Placer.OTHERS))
    seat = bench.view().next and rng.randint(1, bench.procedure.seats)
    if round_ is None or bench.state.phase != "wagers" or not round_.seats:
        holder = bench.would(a.Wager(seat=int(seat), amounts={bank: 100}, by=DEALER))
        if not holder.accepted:
            seats = range(1, bench.procedure.seats + 1)
            seat = next(n for n in seats if bench.would(a.Wager(seat=n, amounts={bank: 100}, by=DEALER)).accepted)
        return a.Wager(seat=int(seat), amounts={bank: rng.choice(AMOUNTS)}, by=DEALER)
    assert round_.button is not None
    whole = round_.seats[round_.button].wagers[bank]
    others = [n for n in range(1, bench.procedure.seats + 1) if n != round_.button and n not in round_.seats]
    left = None if whole is None else whole - sum(s.wagers.get(cover) or 0 for s in round_.seats.values())
    if not others or left == 0:
        number, covering = next((n, s) for n, s in round_.seats.items() if cover in s.wagers)
        return a.Wager(seat=number, amounts={cover: covering.wagers[cover]}, by=DEALER)
    amount = None if left is None else rng.choice((left, max(1, left // 3)))
    return a.Wager(seat=rng.choice(others), amounts={cover: amount}, by=DEALER)


def expose(bench: Bench, side: str) -> a.Expose:
    """A side's hand turned up, with its cards named where one was not read."""
    round_ = bench.state.round
    assert round_ is not None
    unread = any(held.card == Sealed(UNREADABLE) for held in round_.hands[side])
    return a.Expose(seat=side, cards=tuple(bench.places[side]) if unread else (), by=DEALER)  # type: ignore[arg-type]


def decide(bench: Bench, step: DecideSide) -> a.Decide:
    """A choice that the rules leave to the side."""
    round_ = bench.state.round
    assert round_ is not None
    may = [option for option in step.options if option.needs is None or not option.needs(round_, 0)]
    option = bench.rng.choice(may)
    named = tuple(bench.places[step.side.value]) if option.turns_up else ()
    return a.Decide(seat=0, side=step.side.value, choose=option.choose, keep=named, by=a.By("player"))  # type: ignore[arg-type]


def declare(bench: Bench) -> a.Declare:
    """Who wins, as the dealer says it."""
    round_ = bench.state.round
    assert round_ is not None
    winner = winner_of(round_)
    assert winner is not None
    return a.Declare(result=winner, by=DEALER)

"""Which acts may come next at a table, by their names: what a dealer, the API and a simulated player may do.

Whether an act is judged at all in a kind of state is told by the closed table of outcomes; what else it needs is asked here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from controller.dealing.round import DEALER
from controller.dealing.side_steps import DecideSide, ExposeSide
from controller.dealing.steps import Betting, Decide, ExposeCards, SetHands, Settle, Stack, StateKind, Wagers
from controller.dealing.turn_steps import HandCard, PlayHands
from controller.table import acts as a
from controller.table.holder_acts import bets_flaw
from controller.table.judging import to_declare
from controller.table.look import Look
from controller.table.outcomes import OUTCOMES, Handler
from controller.table.repair_acts import may_rescan
from controller.table.turn_acts import look_may_come

BETWEEN_DEALS = frozenset({StateKind.UNVERIFIED, StateKind.COMPLETE, StateKind.VOID})
OUT_OF_PLAY = frozenset({StateKind.SUSPENDED, StateKind.QUARANTINED})


def next_acts(look: Look) -> tuple[str, ...]:
    """The acts that are acceptable now, by their names."""
    return tuple([name for name, question in _questions(look.kind) if question(look)])


@functools.cache  # one entry for each kind of state
def _questions(kind: StateKind) -> tuple[tuple[str, Callable[[Look], bool]], ...]:
    """The acts that are judged in states of this kind, each with what decides whether it is acceptable."""
    judged = [act for act in _NEXT if isinstance(OUTCOMES[kind, act], Handler)]
    return tuple([(str(act.__struct_config__.tag), _NEXT[act]) for act in judged])


def _cards_due(look: Look) -> bool:
    return look.gate_open and not isinstance(look.step, Stack)


def _stack_due(look: Look) -> bool:
    return look.gate_open and isinstance(look.step, Stack)


def _may_wager(look: Look) -> bool:
    return not look.state.holding and (look.kind is not StateKind.COMPLETE or not look.procedure.shuffle_each_round)


def _may_close_bets(look: Look) -> bool:
    step, round_ = look.step, look.round
    if round_ is None:
        return False
    if isinstance(step, Decide) and step.unsaid:
        return bool(round_.turns)
    return isinstance(step, Betting) or (isinstance(step, Wagers) and not bets_flaw(look.procedure, round_))


def _may_shuffle(look: Look) -> bool:
    between = look.kind in BETWEEN_DEALS and look.state.deck.ledger.loaded > 0
    return between or (look.round is not None and look.round.returning > 0)


def _may_start(look: Look) -> bool:
    if look.procedure.button_game:
        return look.kind in (StateKind.READY, StateKind.WAGERING) and not look.state.holding
    if look.procedure.game.holder:
        return _may_name_holder(look)
    return look.kind is StateKind.STARTING


def _may_name_holder(look: Look) -> bool:
    """Until somebody has placed a wager."""
    kind = look.kind
    if kind is StateKind.WAGERING:
        return look.round is not None and not look.round.seats
    return kind in (StateKind.READY, StateKind.COMPLETE) and not look.state.holding


def _may_decide(look: Look) -> bool:
    step, round_ = look.step, look.round
    if round_ is None:
        return False
    plays = look.procedure.plays_hands
    if plays is not None and round_.redeemable and isinstance(step, ExposeCards | HandCard):
        return any(option.redeems for option in plays.options)
    if isinstance(step, Decide | DecideSide):
        return bool(round_.turns) and round_.cursor >= len(round_.plan)
    if isinstance(step, PlayHands):
        return bool(round_.turns) and not (step.must_look and look_may_come(round_, step))
    if not isinstance(step, SetHands | Settle) or not step.options:
        return False
    unexposed = any(seat.live and not seat.exposed for seat in round_.seats.values())
    players_turn = any(place != DEALER for place in round_.turns)
    return players_turn or (unexposed and any(option.until_exposed for option in step.options))


def _may_look(look: Look) -> bool:
    """The dealer may look at the hole card: in the players' turns, or where it is turned since nobody has a turn."""
    plays, step, round_ = look.procedure.plays_hands, look.step, look.round
    if plays is None or round_ is None or not round_.played or not isinstance(step, PlayHands | ExposeCards):
        return False
    return look_may_come(round_, plays)


def _may_set(look: Look) -> bool:
    step = look.step
    return isinstance(step, SetHands) and look.round is not None and bool(look.round.turns)


def _may_expose(look: Look) -> bool:
    step = look.step
    return isinstance(step, ExposeCards | ExposeSide | Settle) and look.round is not None and bool(look.round.turns)


def _may_declare(look: Look) -> bool:
    return look.round is not None and bool(to_declare(look.round))


def _may_count(look: Look) -> bool:
    round_ = look.round
    return look.procedure.game.stub is not None and round_ is not None and round_.stub_racked and round_.stub_counted is None


def _may_collect(look: Look) -> bool:
    step, round_ = look.step, look.round
    if look.kind is StateKind.VOID:
        return round_ is not None and not round_.collected
    if isinstance(step, SetHands):
        return step.ends_with_discards and round_ is not None and not round_.turns
    return look.kind is StateKind.COLLECTING and round_ is not None and not round_.collected


def _may_resolve(look: Look) -> bool:
    return bool(look.state.alarms) or look.kind in OUT_OF_PLAY


_NEXT: dict[type[a.Act], Callable[[Look], bool]] = {
    a.Open: lambda look: True,
    a.Load: lambda look: look.kind in BETWEEN_DEALS or look.kind is StateKind.QUARANTINED,
    a.Shuffle: _may_shuffle,
    a.Wager: _may_wager,
    a.Start: _may_start,
    a.CloseBets: _may_close_bets,
    a.CardOut: _cards_due,
    a.StackOut: _stack_due,
    a.Decide: _may_decide,
    a.HoleCheck: _may_look,
    a.SetHand: _may_set,
    a.Expose: _may_expose,
    a.Declare: _may_declare,
    a.StubCount: _may_count,
    a.Collect: _may_collect,
    a.Rescan: may_rescan,
    a.ReplaceCard: lambda look: bool(look.state.deck.short),
    a.Resolve: _may_resolve,
    a.Close: lambda look: True,
    a.Join: lambda look: look.state.beside,
}

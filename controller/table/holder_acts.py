"""The seat that holds the shoe: a curator who deals on the dealer's orders, or a banker who also stakes the bank.

It is named by `start`, keeps the shoe as the game says, and passes it on. Wagers that belong to the holder, or to everybody else, are
checked here, and those of others against the holder's: together they cover at most the bank.
"""

from __future__ import annotations

from controller.dealing.procedure import Procedure
from controller.dealing.round import Round, seat_place
from controller.dealing.sizes import money
from controller.dealing.steps import Placer, StateKind, WagerKind, Wagers
from controller.table import facts as f
from controller.table.acts import Start
from controller.table.desk import Desk


def holds_next(desk: Desk) -> int | None:
    """The seat that holds the shoe in the round that begins now, or at which the button stays; None: it is to be named."""
    state, game = desk.draft, desk.procedure.game
    before = state.round
    if before is None or (game.holder and state.deck.fresh):
        return None
    if before.void:
        return before.button if game.holder else state.button
    return game.next_holder(before, desk.procedure.seats) if game.next_holder is not None else None


def name_holder(desk: Desk, act: Start) -> int:
    """The seat that `start` names as holder; the caller records it. Said again after the bets are closed, it must be the same.

    Refuses another form of start, a seat that does not exist, and a change when the holder's wager is placed.
    """
    holder, seats = desk.procedure.game.holder, desk.procedure.seats
    if not isinstance(act.seat, int) or not 1 <= act.seat <= seats:
        desk.refuse("bad-position", f"Name the seat of the {holder}, 1 to {seats}.")
    round_ = desk.draft.round
    if desk.kind is StateKind.DEALING and (round_ is None or round_.out or round_.button != act.seat):
        desk.refuse("not-expected-now", f"The {holder} is named before the bets are closed.")
    if desk.kind is StateKind.WAGERING and round_ is not None:
        staked = next((n for n, seat in round_.seats.items() for kind in _holders(desk) if kind.name in seat.wagers), None)
        if staked not in (None, act.seat):
            desk.refuse("not-your-turn", f"Seat {staked} has placed the {_holders(desk)[0].name} already.")
    return act.seat


def _holders(desk: Desk) -> list[WagerKind]:
    return [kind for kind in desk.procedure.game.wagers if kind.by is Placer.HOLDER]


def default_wagers(desk: Desk, seat: int) -> tuple[str, ...]:
    """The wagers of a seat that names none: all that are required, else the first that it may place."""
    game, round_ = desk.procedure.game, desk.draft.round
    if any(kind.required for kind in game.wagers) or not any(kind.by is Placer.HOLDER for kind in game.wagers):
        return game.wagers_without_words
    holder = round_.button if round_ is not None and desk.kind is StateKind.WAGERING else holds_next(desk)
    by = Placer.HOLDER if holder in (None, seat) else Placer.OTHERS
    return tuple(kind.name for kind in game.wagers if kind.by is by)[:1]


def check_placers(desk: Desk, seat: int, amounts: dict[str, int | None]) -> None:
    """Refuse wagers that belong to another seat, or that cover more than the bank. The round has begun."""
    round_ = desk.round
    for kind in desk.procedure.game.wagers:
        if kind.name not in amounts or kind.by is Placer.ANYONE:
            continue
        if (kind.by is Placer.HOLDER) != (round_.button in (None, seat)):
            holder = desk.procedure.game.holder
            owner = f"the {holder} alone" if kind.by is Placer.HOLDER else f"the others, not to the {holder}"
            words = f"the {kind.name} wager belongs to {owner}"
            desk.refuse("not-your-turn", f"Seat {seat}: {words} (seat {round_.button}).", kind.rule)
        if kind.within is not None:
            _check_cover(desk, seat, kind, kind.within, amounts[kind.name])


def _check_cover(desk: Desk, seat: int, kind: WagerKind, whole: str, amount: int | None) -> None:
    round_ = desk.round
    holder = round_.seats.get(round_.button or 0)
    if holder is None or whole not in holder.wagers:
        desk.refuse("not-your-turn", f"The {whole} is stated first, by seat {round_.button}.", kind.rule)
    bank = holder.wagers[whole]
    others = [other.wagers.get(kind.name) for number, other in round_.seats.items() if number != seat]
    taken = sum(other or 0 for other in others)
    if bank is not None and amount is not None and taken + amount > bank:
        left = f"{money(bank - taken)} of the {whole} is not covered yet"
        desk.refuse("bad-amount", f"Seat {seat}: {left}; what is above it is refused.", kind.rule)


def bets_flaw(procedure: Procedure, round_: Round) -> str:
    """Why the bets cannot be closed yet; empty when they can."""
    if not round_.seats:
        return "No seat has placed a wager yet."
    least = next(step.least for step in procedure.steps if isinstance(step, Wagers))
    if len(round_.seats) < least:
        return f"It takes {least} players; {len(round_.seats)} has placed a wager."
    for kind in procedure.game.wagers if procedure.holder_wagers else ():
        if kind.within is not None and not any(kind.name in seat.wagers for seat in round_.seats.values()):
            return f"Nobody has placed a {kind.name} wager yet."
    return ""


def fix_holder(desk: Desk) -> None:
    """When the bets are closed somebody holds the shoe: it is offered to seat 1, then counterclockwise, until a seat in play takes it."""
    if desk.procedure.game.holder and desk.round.button is None:
        seat = 1 if 1 in desk.round.seats else max(desk.round.seats)
        desk.emit(f.StartFixed(position=seat_place(seat), button=seat))


def return_uncovered(desk: Desk) -> None:
    """When the bets are closed, the part of the holder's wager that nobody covers goes back."""
    if not desk.procedure.holder_wagers:
        return
    round_ = desk.round
    holder = round_.seats.get(round_.button or 0)
    for kind in desk.procedure.game.wagers:
        if kind.within is None or holder is None or holder.wagers.get(kind.within) is None:
            continue
        covers = [seat.wagers[kind.name] for seat in round_.seats.values() if kind.name in seat.wagers]
        covered = None if None in covers else sum(amount or 0 for amount in covers)
        if covered != holder.wagers[kind.within]:
            desk.emit(f.Wagered(seat=holder.number, amounts={kind.within: covered}))

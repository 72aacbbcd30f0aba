"""The two common hands of a baccarat table: turning them up, deciding on a third card, declaring who wins.

What a patron says of cards that only he has seen is checked with the cards that were read; a wrong play is corrected to the one that
the rule asks for, and the cards stay hidden.
"""

from __future__ import annotations

from controller.dealing.round import BANKER, PLAYER, SIDES, Round
from controller.dealing.side_steps import DecideSide, ExposeSide
from controller.dealing.steps import Draw, Option
from controller.table import facts as f
from controller.table.acts import Decide, Expose
from controller.table.desk import Desk
from controller.table.hand_cards import hand_faces
from firmware_bridge.cards import Card

OUTCOMES = (*SIDES, "tie")
"""What a dealer declares of the whole round."""


def expose_side(desk: Desk, act: Expose, side: str) -> None:
    """A side's hand is turned up: where it is due, or before a decision that it makes needless. Turned once, saying so again is nothing."""
    step, held = desk.step, desk.round.hands.get(side, ())
    if held and all(item.shown for item in held):
        desk.notes.to, desk.notes.face = side, "up"
        desk.notes.rule = step.rule if step is not None else None
    elif isinstance(step, DecideSide):
        _turn_before_deciding(desk, step, act, side)
    elif isinstance(step, ExposeSide) and step.side.value == side:
        _turn(desk, act.cards, side)
        desk.notes.rule = step.rule
        desk.fire("advance")
    else:
        desk.refuse("not-your-turn", f"The {side.capitalize()}'s cards are not turned in this step.")


def _turn(desk: Desk, named: tuple[Card, ...], side: str, *, done: bool = True) -> tuple[Card, ...]:
    cards = hand_faces(desk, desk.round.hands.get(side, ()), named, side)
    desk.emit(f.Exposed(place=side, cards=cards, done=done))
    desk.notes.to, desk.notes.face, desk.notes.cards = side, "up", cards
    return cards


def _turn_before_deciding(desk: Desk, step: DecideSide, act: Expose, side: str) -> None:
    """A natural is turned at once, whosever it is; whoever has to decide may show his cards in any case."""
    desk.notes.rule = step.rule
    if side != step.side.value:
        cards = hand_faces(desk, desk.round.hands.get(side, ()), act.cards, side)
        if step.may_turn is None or not step.may_turn(cards):
            desk.refuse(
                "not-your-turn", f"The {step.side.value.capitalize()} decides first; only a natural is turned up before.", step.rule
            )
    _turn(desk, act.cards, side, done=False)
    if step.asks is not None and not step.asks(desk.round):
        desk.emit(f.SideDecided(side=step.side.value, choose=""))
        desk.fire("advance")


def side_of(desk: Desk, seat: int) -> str | None:
    """The side that a seat decides for in this step; None where seats decide for themselves."""
    speaks_for = desk.procedure.game.speaks_for
    if speaks_for is None or not isinstance(desk.step, DecideSide | Draw):
        return None
    side = speaks_for(desk.round, seat)
    if side is None:
        desk.refuse("not-your-turn", f"Seat {seat} decides for no side; the largest wager acts for the Player.", desk.step.rule)
    return side


def decide_side(desk: Desk, act: Decide, side: str) -> None:
    """Whoever acts for a side draws or stays."""
    step = desk.step
    if isinstance(step, Draw):
        _forced_play_is_said(desk, step, act, side)
        return
    if not isinstance(step, DecideSide):
        desk.refuse("not-expected-now", "No side has a choice in this step.")
    if step.side.value != side:
        desk.refuse("not-your-turn", f"Now the {step.side.value.capitalize()} decides.", step.rule)
    option = _option(desk, step, act)
    why = option.needs(desk.round, 0) if option.needs is not None else ""
    if why:
        desk.refuse("bad-option", why, option.rule)
    if option.turns_up:
        _turn(desk, act.keep, side, done=False)
    desk.emit(f.SideDecided(side=side, choose=act.choose))
    desk.notes.rule, desk.notes.place, desk.notes.choice = option.rule, side, act.choose
    desk.fire("advance")


def _option(desk: Desk, step: DecideSide, act: Decide) -> Option:
    option = next((o for o in step.options if o.choose == act.choose), None)
    if option is None:
        words = ", ".join(o.choose for o in step.options)
        desk.refuse("bad-option", f"The {step.side.value.capitalize()} may choose {words}, not '{act.choose[:24]}'.")
    if act.amount is not None:
        desk.refuse("bad-amount", f"'{act.choose}' places no wager, so it takes no amount.")
    if act.discard or (act.keep and not option.turns_up):
        desk.refuse("bad-cards", f"'{act.choose}' names no cards.", option.rule)
    return option


def _forced_play_is_said(desk: Desk, step: Draw, act: Decide, side: str) -> None:
    """The table leaves no choice; whoever says so aloud says nothing new, and whoever says otherwise is corrected."""
    due = step.next_place(desk.round)
    if due is None or due[0] != side:
        desk.refuse("not-your-turn", f"The {side.capitalize()} draws no card now.", step.rule)
    if act.choose != "draw":
        desk.refuse("bad-option", f"The {side.capitalize()} must draw: the rule leaves no choice.", step.rule)
    desk.notes.rule, desk.notes.place, desk.notes.choice = step.rule, side, act.choose


# ---- declaring


def winner_of(round_: Round) -> str | None:
    """`player`, `banker` or `tie`, None while the hands are not compared."""
    if PLAYER not in round_.results or BANKER not in round_.results:
        return None
    words = {side: set(round_.results[side].values()) for side in SIDES}
    return next((side for side in SIDES if words[side] == {"win"}), "tie")


def declare_outcome(desk: Desk, result: str) -> None:
    """The dealer says which side wins; with that the results of all seats are told."""
    winner = winner_of(desk.round)
    if winner is None:
        desk.refuse("not-expected-now", "This result is not known yet: the cards come first.")
    if result not in OUTCOMES:
        desk.refuse("bad-option", f"Declare {', '.join(OUTCOMES)}, or the result of a seat.")
    agrees = result == winner
    for key in desk.round.results:
        desk.emit(f.Declared(key=key, result=result, agrees=agrees))
    if not agrees:
        desk.raise_alarm("declared-differs", detail=f"declared {result}", holds=False, ways=("continue", "void"))

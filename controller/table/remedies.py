"""Remedies that change something at the table without voiding the round: a dead hand, a burn instead, cards shuffled back into the deck.

`Desk.irregular` has recorded the irregularity before it comes here. A remedy that the cards on the table do not allow ends with a
supervisor, never with a guess.
"""

from __future__ import annotations

from typing import Final

from controller.dealing.round import COMMUNITY, seat_of
from controller.dealing.rules import Rule
from controller.dealing.steps import Betting, Deal, Decide, Exchange, SetHands, Settle, Who
from controller.table import facts as f
from controller.table.desk import Desk
from firmware_bridge.cards import unseal

WAYS: Final = ("continue", "void", "replace-deck", "reshuffle")


def apply_remedy(desk: Desk, kind: str, remedy: str, rule: Rule, where: str) -> None:
    """Do what the remedy says; others than these need nothing done here."""
    done = True
    match remedy:
        case "hand-dead":
            done = _hand_dead(desk, rule, where)
        case "shake-again":
            desk.fire("shake")
        case "player-chooses":
            _player_may_void(desk, kind, where)
        case "burn-it" if kind == "player-card-exposed":
            done = _burned_instead(desk, where)
        case "put-back-and-continue" if kind in ("community-card-exposed", "wrong-count-community"):
            done = _board_back(desk, kind)
        case "reshuffle-and-continue":
            done = _rest_with_muck(desk)
        case _:
            pass
    if not done:
        desk.notes.remedy = "supervisor-decides"
        desk.raise_alarm(kind, where=where, ways=WAYS)


# ---- a hand leaves the round


def _hand_dead(desk: Desk, rule: Rule, where: str) -> bool:
    number = seat_of(where)
    seat = desk.round.seats.get(number or 0)
    if seat is None or not seat.live or not desk.round.hands.get(where):
        return False
    desk.kill_hand(seat.number, rule)
    after_a_hand_left(desk)
    desk.notes.rule = rule
    return True


def _player_may_void(desk: Desk, kind: str, where: str) -> None:
    """Play goes on; until the round is over a supervisor may record that the player has voided the hand."""
    seat = desk.round.seats.get(seat_of(where) or 0)
    if seat is not None and seat.live:
        desk.raise_alarm(kind, where=where, holds=False, ways=("continue", "hand-dead"))


def after_a_hand_left(desk: Desk) -> None:
    """Go on where nothing is waited for any more, now that a hand is out of the round."""
    desk.judge()
    step, round_ = desk.step, desk.round
    if round_.cursor < len(round_.plan):
        return
    if isinstance(step, Betting):
        over = len(round_.live_seats()) < 2
    elif isinstance(step, SetHands):
        over = not round_.turns and not step.ends_with_discards
    else:
        over = isinstance(step, Decide | Settle) and not round_.turns
    if over:
        desk.fire("advance")
    else:
        desk.step_done()


# ---- an exposed down card is the next burn


def _burned_instead(desk: Desk, where: str) -> bool:
    seat = desk.round.seats.get(seat_of(where) or 0)
    hand = desk.round.hands.get(where, ()) if seat is not None and seat.live else ()
    down = [index for index, held in enumerate(hand) if not held.shown]
    if not down or not isinstance(desk.step, Deal | Betting):
        return False
    card = hand[down[-1]].card
    desk.emit(f.BurnedInstead(place=where, index=down[-1], plan=((where, "down"),)))
    desk.notes.cards = (unseal(card, "exposed by the dealer"),)
    desk.serve()
    return True


# ---- cards go back into the rest of the deck


def _rest_with_muck(desk: Desk) -> bool:
    """The rest of the deck is too small for the cards that are due: the muck is shuffled into it."""
    round_, ledger, step = desk.round, desk.draft.deck.ledger, desk.step
    needed = len(round_.plan) - round_.cursor - sum(as_next for _, as_next in round_.aside)
    own, own_thrown, own_named = 0, 0, False
    if isinstance(step, Exchange) and step.own_stay and round_.plan:
        own, own_thrown = seat_of(round_.plan[0][0]) or 0, len(round_.plan)
        own_named = not round_.seats[own].thrown
    cards = ledger.discarded + ledger.burned - own_thrown
    if round_.returning or needed <= ledger.device or cards <= 0 or needed > ledger.device + cards:
        return False
    desk.emit(f.RestDue(cards=cards, muck=True, own=own, own_thrown=own_thrown, own_named=own_named))
    due, left = _are(needed, "due"), _are(ledger.device, "left")
    desk.notes.message = f"{due}, {left}. Shuffle the muck ({cards}) into the rest of the deck, cut, and deal on."
    return True


def _are(cards: int, what: str) -> str:
    return f"1 card is {what}" if cards == 1 else f"{cards} cards are {what}"


def _board_back(desk: Desk, kind: str) -> bool:
    """Board cards turned before their time, or too many of them; what becomes of them depends on which deal of the board they belong to."""
    round_ = desk.round
    if not isinstance(desk.step, Betting) or round_.cursor < len(round_.plan) or round_.returning or round_.held_out:
        return False
    board, aside = round_.hands.get(COMMUNITY, ()), len(round_.aside)
    before, after = _board_deals(desk)
    if kind == "wrong-count-community":
        if not board or len(before) != 1 or round_.face_up_seen or not round_.burned or round_.exposed_down:
            return False
        plan = tuple((f"{COMMUNITY} {number}", "up") for number in range(1, len(board) + 1))
        desk.emit(f.RestDue(cards=len(board) + aside + 1, aside=aside, board=len(board), burns=1, plan=plan))
        desk.notes.message = _laid_out(len(board) + aside + 1)
    elif not aside or not after:
        return False
    elif not before:
        desk.emit(f.RestDue(cards=aside, aside=aside, burn_made=1))
        desk.notes.message = _laid_out(aside)
    elif aside > 2:
        return False
    else:
        _turned_early(desk, with_burn=aside == 2, last=len(after) == 1)
    return True


def _laid_out(cards: int) -> str:
    return f"Shuffle {'this card' if cards == 1 else f'these {cards} cards'} into the rest of the deck and cut; no further burn is made."


def _turned_early(desk: Desk, *, with_burn: bool, last: bool) -> None:
    """The last board card is shuffled back and comes again without a burn; one before it stays out while the next two come."""
    desk.emit(f.HeldOut(with_burn=with_burn))
    desk.notes.message = "Leave the card aside until it is shuffled back before the last card of the board."
    if last:
        desk.emit(f.RestDue(cards=1, held_out=True, burn_made=1))
        desk.notes.message = _laid_out(1)


def _board_deals(desk: Desk) -> tuple[list[Deal], list[Deal]]:
    """The deals of board cards before and after the present step."""
    names, steps = desk.procedure.names, desk.procedure.steps
    here = names.index(desk.draft.phase)
    deals = [(index, step) for index, step in enumerate(steps) if isinstance(step, Deal) and Who.COMMUNITY in step.to]
    return [step for index, step in deals if index < here], [step for index, step in deals if index > here]


def shuffle_held_out_back(desk: Desk) -> None:
    """Before the last board card, one that was turned too early goes back into the deck, and no further burn is made."""
    round_ = desk.round
    _, after = _board_deals(desk)
    if round_.held_out and len(after) == 1 and len(round_.live_seats()) > 1:
        desk.emit(f.RestDue(cards=len(round_.held_out), held_out=True, burn_made=1))
        desk.notes.message = _laid_out(1)

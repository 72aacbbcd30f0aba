"""What comes next while players draw: the next hand, its next card, or the dealer.

A hand that is closed by its cards, by its player or by a rule is passed over; a split hand that has one card gets its second one first.
When no hand is left, the procedure goes on. Cards of hands that are settled at once go to the rack.
"""

from __future__ import annotations

from controller.dealing.round import DEALER, Held, Round, seat_of
from controller.dealing.steps import Decide, Draw, ExposeCards
from controller.dealing.turn_steps import Closing, PlayHands
from controller.table import facts as f
from controller.table.desk import Desk
from firmware_bridge.cards import UNREADABLE, Card, unseal


def go_on(desk: Desk, step: PlayHands) -> None:
    """The players' turns begin, or a hand got the card that it asked for."""
    if not desk.round.played:
        _begin(desk, step)
    proceed(desk, step)


def _begin(desk: Desk, step: PlayHands) -> None:
    round_ = desk.round
    hands = tuple((place, _stakes(step, round_, place)) for place in round_.turns)
    desk.emit(f.HandsBegun(hands=hands))
    for place, _ in hands:
        close_by_cards(desk, step, place)
    desk.judge()


def _stakes(step: PlayHands, round_: Round, place: str) -> dict[str, int | None]:
    wagers = round_.seats[seat_of(place) or 0].wagers
    return {name: wagers[name] for name in step.stakes if name in wagers}


def close_by_cards(desk: Desk, step: PlayHands, place: str) -> Closing | None:
    """Close the hand if its cards say so."""
    closing = step.closes(desk.round, place)
    if closing is not None:
        cards = len(desk.round.hands.get(place, ())) if closing.cleared else 0
        desk.emit(f.HandClosed(place=place, status=closing.status, to_rack=cards))
        desk.notes.rule = closing.rule
    return closing


def proceed(desk: Desk, step: PlayHands) -> None:
    """Go to the next hand that waits for a choice, or to the card that it needs first, or on to the dealer."""
    judged = False
    while desk.round.turns:
        round_ = desk.round
        place = round_.turns[0]
        if _is_out(round_, place):
            desk.emit(f.TurnTaken(place=place))
        elif len(round_.hands.get(place, ())) < 2:
            desk.fire("draw")
            return
        elif close_by_cards(desk, step, place) is None:
            return
        else:
            judged = True
            desk.judge()
    if desk.round.offered:
        desk.emit(f.OfferPassed())
    if not judged:
        desk.judge()
    desk.fire("advance")


def _is_out(round_: Round, place: str) -> bool:
    seat = round_.seats.get(seat_of(place) or 0)
    return seat is None or not seat.live or bool(round_.played[place].status)


def is_what_was_told(desk: Desk) -> bool:
    """False when a look at the hole card told something else than the card now turned up; then the remedy is applied or awaited."""
    round_ = desk.draft.round
    if round_ is None or round_.hole_told in (None, round_.dealer_natural):
        return True
    if round_.hole_told:
        desk.irregular("hole-check-wrong", where=DEALER)
    else:
        desk.raise_alarm("hole-check-wrong", where=DEALER, detail="no blackjack was told", ways=("continue", "void"))
        desk.notes.irregularity, desk.notes.remedy = "hole-check-wrong", "supervisor-decides"
    return False


def hole_card_lies_down(desk: Desk) -> bool:
    """No hand needed the dealer's; the hole card may be shown before the cards are picked up."""
    hand = desk.round.hands.get(DEALER, ())
    return desk.procedure.plays_hands is not None and not desk.round.collected and any(not held.shown for held in hand)


def seen(held: Held) -> Card | None:
    """A card that people saw, None when no device read it."""
    card = unseal(held.card, "seen by people")
    return card if card is not UNREADABLE else None


def may_offer(desk: Desk) -> bool:
    """A card that was drawn in error and seen is offered in turn, from the end of the deal until the dealer has drawn."""
    round_, step = desk.round, desk.step
    if "shown-card-drawn-in-error" not in desk.procedure.irregularities or not round_.aside or round_.offered:
        return False
    dealt = len(round_.hands.get(DEALER, ())) >= 2
    return dealt and isinstance(step, PlayHands | Decide | ExposeCards | Draw)


def offer(desk: Desk) -> None:
    """Offer the card set aside last to the hands still to play; when all have, it is the dealer's."""
    row = desk.procedure.irregularities["shown-card-drawn-in-error"]
    held, _ = desk.round.aside[-1]
    desk.emit(f.Irregular(kind="card-drawn-in-error", remedy=row.remedy, rule=row.rule, where="aside"))
    desk.emit(f.CardOffered(shown=seen(held)))
    notes = desk.notes
    notes.irregularity, notes.remedy, notes.rule = "card-drawn-in-error", row.remedy, row.rule
    if isinstance(desk.step, ExposeCards | Draw):
        desk.emit(f.OfferPassed())


def burn_what_nobody_can_use(desk: Desk) -> None:
    """Cards drawn in error that neither a player nor the dealer took are burned when the round is played out."""
    round_ = desk.round
    waiting = sum(as_next for _, as_next in round_.aside)
    row = desk.procedure.irregularities.get("drawn-and-not-used")
    if not waiting or row is None or waiting != len(round_.aside):
        return
    desk.emit(f.Irregular(kind="card-drawn-in-error", remedy=row.remedy, rule=row.rule, where="burn"))
    desk.emit(f.AsideBurned(cards=waiting))
    desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = "card-drawn-in-error", row.remedy, row.rule

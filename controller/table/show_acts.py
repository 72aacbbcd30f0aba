"""Hands shown in the middle of a round, for a side wager that is settled at once."""

from __future__ import annotations

from controller.dealing.round import seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.steps import Order
from controller.table import facts as f
from controller.table.acts import Expose
from controller.table.desk import Desk
from controller.table.hand_cards import hand_faces


def show_hand(desk: Desk, step: ShowHands, act: Expose, number: int) -> None:
    """A seat shows the cards that it has so far."""
    place, turns = seat_place(number), desk.round.turns
    if place not in turns:
        desk.refuse("not-your-turn", f"Seat {number} shows no cards for the {step.wager} wager (again).", step.rule)
    if step.order is not Order.ANY and turns[0] != place:
        desk.refuse("not-your-turn", f"{turns[0]} shows its cards first.", step.rule)
    cards = hand_faces(desk, desk.round.hands.get(place, ()), act.cards, place)
    desk.emit(f.HandShown(seat=number, wager=step.wager, cards=cards))
    desk.notes.to, desk.notes.face, desk.notes.rule, desk.notes.cards = place, "up", step.rule, cards
    desk.judge()
    if not desk.round.turns:
        desk.fire("advance")

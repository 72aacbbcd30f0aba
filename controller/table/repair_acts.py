"""Cards read again in order, and cards put right by people: what they are told, and what ends the waiting.

A rescan names unread cards, confirms those that were read, and proves that cards which were laid wrongly or picked up early now lie as the
record says. Two readings that differ are never settled by a third guess: a supervisor decides.
"""

from __future__ import annotations

from controller.dealing.procedure import Procedure
from controller.dealing.repairs import PUT_RIGHT, REPAIRED
from controller.dealing.round import BURN, Held, Round
from controller.dealing.steps import StateKind
from controller.table import facts as f
from controller.table.acts import Rescan
from controller.table.desk import Desk
from controller.table.going_on import go_on_if_free
from controller.table.look import Look
from firmware_bridge.cards import UNREADABLE, Sealed, unseal


def ended_by_rescan(procedure: Procedure) -> frozenset[str]:
    """Alarms that end when the cards of the round are read again and agree with the record."""
    rows = procedure.irregularities
    return frozenset({"unreadable-card", *(kind for kind in PUT_RIGHT if kind in rows and rows[kind].remedy in REPAIRED)})


def may_rescan(look: Look) -> bool:
    """Whether a reading is what the table waits for."""
    if look.round is None or not look.state.alarms or look.kind is not StateKind.SUSPENDED:
        return False
    codes = {alarm.code for alarm in look.state.alarms}
    return bool(codes & ended_by_rescan(look.procedure)) and bool(dealing_order(look.round))


def tell_where_cards_belong(desk: Desk) -> None:
    """People put cards right: each place with the numbers of its cards in the order in which they were laid."""
    places: dict[str, list[str]] = {}
    for place, _, held in dealing_order(desk.round):
        places.setdefault(place, []).append(str(held.order))
    told = "; ".join(f"{place}: {', '.join(numbers)}" for place, numbers in places.items())
    desk.notes.message = (
        f"In the order in which they were dealt the cards belong to {told}. "
        "Lay them so, then have them read again in that order, or call a supervisor."
    )


def lie_on_the_table(round_: Round) -> bool:
    """Whether there is a card that can lie wrongly or be picked up too early."""
    return round_.laid > 0 and not round_.collected


def rescan(desk: Desk, act: Rescan) -> None:
    """The cards of the round, read again in the order dealt: unread ones get their names, read ones are confirmed."""
    round_ = desk.round
    if not desk.in_round:
        desk.refuse("not-expected-now", "No round is in progress whose cards could be read again.")
    order = dealing_order(round_)
    if not order:
        desk.refuse("not-expected-now", "No card lies on the table.")
    if len(act.cards) != len(order):
        desk.refuse("bad-count", f"{len(order)} cards lie on the table, {len(act.cards)} were read again.")
    confirmed = []
    for (place, index, held), sealed in zip(order, act.cards, strict=True):
        old, new = unseal(held.card, "rescan"), unseal(sealed, "rescan")
        if new is UNREADABLE:
            desk.refuse("bad-cards", "A card could not be read again; read the whole round once more.")
        if old is not UNREADABLE and old is not new:
            desk.raise_alarm("unreadable-card", where=place, detail="two readings differ", ways=("continue", "void", "replace-deck"))
            desk.notes.irregularity, desk.notes.remedy = "unreadable-card", "supervisor-decides"
            return
        confirmed.append((place, index, Sealed(new)))
    desk.emit(f.EvidenceConfirmed(cards=tuple(confirmed), evidence="confirmed"))
    desk.notes.evidence, desk.notes.remedy = "confirmed", "rescan"
    for code in sorted(ended_by_rescan(desk.procedure)):
        if desk.draft.alarm(code) is not None:
            desk.emit(f.AlarmSettled(code=code, by=desk.by, choose="rescan"))
    go_on_if_free(desk)


def dealing_order(round_: Round) -> list[tuple[str, int, Held]]:
    """Cards on the table in the order in which they were laid; the card that opens a shoe only until another one is burned."""
    hands = round_.hands if round_.burned == 1 else {place: held for place, held in round_.hands.items() if place != BURN}
    laid = [(place, index, held) for place, hand in hands.items() for index, held in enumerate(hand)]
    return sorted(laid, key=lambda item: item[2].order)

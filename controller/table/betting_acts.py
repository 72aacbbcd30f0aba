"""Wagers, "no more bets", and what fixes the first position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.round import DEALER, SEAT_PLACES, Round, seat_of, seat_place
from controller.dealing.rules import house, inferred
from controller.dealing.sizes import money
from controller.dealing.steps import Betting, Decide, Placer, StateKind, WagerKind, Wagers
from controller.table import facts as f
from controller.table.acts import CloseBets, Start, Wager
from controller.table.desk import VOIDING, Desk
from controller.table.exchange_acts import close_betting
from controller.table.folding import no_round
from controller.table.holder_acts import bets_flaw, check_placers, default_wagers, fix_holder, holds_next, name_holder, return_uncovered
from firmware_bridge.cards import UNREADABLE, card_from_code

COUNT_RULE = inferred("31.11(b)2", "counted counterclockwise, the dealer is 1, round again past the last position")
_SEALED = tuple((card_from_code(code) or UNREADABLE).sealed for code in range(256))
"""Every card that a device can tell."""
DICE = (3, 18)
"""Totals that three dice can show (13:69F-31.11(b))."""
WAGERING: Final = StateKind.WAGERING
"""Asked for with every wager: a look into an enumeration costs as much as a small function."""
TOO_FEW = house("cards for a round", "no round starts with fewer cards than it can take")


def wager(desk: Desk, act: Wager) -> None:
    """A seat places wagers."""
    procedure, seat = desk.procedure, act.seat
    game, known = procedure.game, procedure.wager_words
    if not 1 <= seat <= procedure.seats:
        desk.refuse("bad-position", f"This table has seats 1 to {procedure.seats}; there is no seat {seat}.")
    amounts: dict[str, int | None] = {}
    for word, amount in (act.amounts or dict.fromkeys(default_wagers(desk, seat))).items():
        if word not in known:
            desk.refuse("bad-option", f"{game.title} takes no wager '{word}' before the cards; it takes {_names(procedure)}.")
        if amount is not None and amount <= 0:
            desk.refuse("bad-amount", f"Seat {seat}: the {word} wager must be more than nothing.")
        amounts[known[word]] = amount
    _begin_round(desk)
    round_, notes, place = desk.draft.round or no_round(desk.draft), desk.notes, SEAT_PLACES[seat]
    before = round_.seats.get(seat)
    _check_wagers(desk, seat, {**before.wagers, **amounts} if before is not None else amounts)
    if procedure.holder_wagers:
        check_placers(desk, seat, amounts)
    if game.holder and round_.button is None and _holder_wagers(procedure):
        desk.emit(f.StartFixed(position=place, button=seat))
    desk.emit(f.Wagered(seat=seat, amounts=amounts))
    notes.place, notes.choice = place, ", ".join(amounts)
    if before is not None:
        notes.message = _changes(seat, before.wagers, amounts)
    for kind in game.wagers:
        if kind.name in amounts:
            notes.rule = kind.rule
            break


def _changes(seat: int, before: Mapping[str, int | None], now: Mapping[str, int | None]) -> str:
    """What is another wager than before, so that two people at one table hear of each other."""
    changed = [(name, before[name], amount) for name, amount in now.items() if name in before and before[name] != amount]
    told = "; ".join(f"the {name} wager is {_amount(amount)} now, and was {_amount(was)}" for name, was, amount in changed)
    return f"Seat {seat}: {told}." if told else ""


def _amount(cents: int | None) -> str:
    return "an amount not told" if cents is None else money(cents)


def _names(procedure: Procedure) -> str:
    return ", ".join(kind.name for kind in procedure.game.wagers_before(procedure.settings))


def _holder_wagers(procedure: Procedure) -> bool:
    return any(kind.by is Placer.HOLDER for kind in procedure.game.wagers)


def _check_wagers(desk: Desk, seat: int, wagers: dict[str, int | None]) -> None:
    game = desk.procedure.game
    opening = game.opening_wagers
    if opening[0] in wagers:
        pass  # the usual case
    elif not any(kind.required for kind in game.wagers):
        if not any(name in wagers for name in opening):
            desk.refuse("not-wagered", f"Seat {seat} needs one of the wagers {', '.join(opening)} before any other.")
    else:
        desk.refuse("not-wagered", f"Seat {seat} needs the {opening[0]} wager before any other.")
    for kind in desk.procedure.measured_wagers:
        amount = wagers.get(kind.name)
        flaw, rule = "", kind.rule
        if kind.size is not None and amount is not None:
            flaw, rule = kind.size.flaw(amount, wagers), kind.size.rule or rule
        others = placed_by_others(desk.round, seat, kind) if kind.alike and amount is not None else None
        if others not in (None, amount):
            flaw, rule = f"{money(others or 0)}, as everybody's", kind.rule
        if flaw:
            desk.refuse("bad-amount", f"Seat {seat}: the {kind.name} wager must be {flaw}.", rule)


def placed_by_others(round_: Round, seat: int, kind: WagerKind) -> int | None:
    """The amount that another seat has told for a wager of this kind, in cents."""
    return next((amount for n, s in round_.seats.items() if n != seat and (amount := s.wagers.get(kind.name)) is not None), None)


def _begin_round(desk: Desk) -> None:
    kind = desk.procedure.kinds[desk.draft.phase]
    if kind is WAGERING:
        return
    if kind is StateKind.COMPLETE and desk.procedure.shuffle_each_round:
        desk.refuse("not-expected-now", "The deck is shuffled before the next round.")
    begin_round(desk)


def begin_round(desk: Desk) -> None:
    """A new round; with a fresh deck the record can be folded from here on."""
    state, deck = desk.draft, desk.draft.deck
    if state.holding:
        desk.refuse("alarm-open", f"No round begins while an alarm holds the table: {state.holding[0].code}.")
    stays = holds_next(desk)
    waiting = 0 if deck.fresh or state.round is None else sum(as_next for _, as_next in state.round.aside)
    if deck.fresh:
        last = deck.watch.read or deck.watch.reference.last
        alarms = tuple(f.CarriedAlarm(a.code, a.where, a.detail, a.holds, a.ways) for a in state.alarms)
        desk.emit(
            f.StateCarried(
                phase=state.phase, shoe=state.shoe, round_number=state.round_number, rounds_since_count=state.rounds_since_count,
                rules_hash=desk.procedure.rules_hash, cards=deck.ledger.device, decks=deck.decks, mode=deck.mode, evidence=deck.evidence,
                back=deck.back, short=deck.short, last_order=tuple(map(_SEALED.__getitem__, last)),
                last_back=state.last_back, button=state.button, shuffler_out=state.shuffler_out, dealer=state.dealer,
                device_seq=state.device_seq, device_modes=state.device_modes, devices_down=tuple(sorted(state.devices_down)), alarms=alarms,
                spare=state.spare, dealer_is_new=state.dealer_is_new, beside=state.beside, agreed=state.agreed, differed=state.differed,
            )
        )  # fmt: skip
    desk.emit(f.RoundStarted(round=state.round_number + 1, button=stays, waiting=waiting))
    if not desk.fire("begin"):
        desk.refuse("not-expected-now", "A round cannot begin now.")


def close_bets(desk: Desk, act: CloseBets) -> None:
    """No more bets: the seats in play are fixed and the first card may come."""
    step = desk.step
    round_ = desk.round
    if isinstance(step, Betting):
        close_betting(desk, step)
        return
    if isinstance(step, Decide) and step.unsaid:
        _decline_for_the_rest(desk, step)
        return
    flaw = bets_flaw(desk.procedure, round_)
    if not isinstance(step, Wagers) or flaw:
        desk.refuse("not-expected-now", flaw or "No bets are taken in this step.", step.rule if step is not None else None)
    required = [kind.name for kind in desk.procedure.game.wagers if kind.required]
    for number, seat in sorted(round_.seats.items()):
        for name in required:
            if name not in seat.wagers:
                desk.refuse("not-wagered", f"Seat {number} has no {name} wager yet.")
    desk.notes.rule = step.rule
    needed = desk.procedure.game.cards_needed
    cards = needed(desk.procedure.settings, len(round_.seats)) if needed is not None and not desk.procedure.game.may_run_out else 0
    if cards > desk.cards_in_device + len(round_.aside):
        _too_few(desk, cards)
        return
    if desk.procedure.button_game and round_.button is None:
        _move_button(desk)
    fix_holder(desk)
    return_uncovered(desk)
    desk.emit(f.BetsClosed(seats=tuple(sorted(round_.seats))))
    desk.fire("advance")


def _decline_for_the_rest(desk: Desk, step: Decide) -> None:
    """No more bets: who has not taken the optional wager declines it."""
    desk.notes.rule, desk.notes.choice = step.rule, step.unsaid
    for place in desk.round.turns:
        desk.emit(f.Decided(seat=seat_of(place) or 0, choose=step.unsaid))
    desk.fire("advance")


def _too_few(desk: Desk, cards: int) -> None:
    kind = "too-few-cards"
    row = desk.procedure.irregularities.get(kind)
    voids = row is not None and row.remedy in (*VOIDING, "deck-off-table")
    remedy, rule = (row.remedy, row.rule) if row is not None and voids else ("reshuffle", TOO_FEW)
    desk.emit(f.Irregular(kind=kind, remedy=remedy, rule=rule))
    desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = kind, remedy, rule
    desk.notes.message = f"This round can take {cards} cards, but only {desk.cards_in_device} are left. Shuffle before the next round."
    if remedy == "deck-off-table":
        desk.deck_off_table(kind, rule)
    else:
        desk.void(kind, remedy, rule)


def _move_button(desk: Desk) -> None:
    """One seat clockwise from the last round; before the first round it stands at the last seat, so that seat 1 is first."""
    seats = desk.procedure.seats
    button = desk.draft.button % seats + 1 if desk.draft.button is not None else seats
    desk.emit(f.StartFixed(position=seat_place(button), button=button))


def start(desk: Desk, act: Start) -> None:
    """The button, dice, a number or a named seat fixes the first position."""
    given = [name for name in ("seat", "dice", "number", "button") if getattr(act, name) is not None]
    if len(given) != 1:
        desk.refuse("bad-option", "Give exactly one of seat, dice, number or button.")
    if desk.procedure.button_game:
        _place_button(desk, act)
        return
    if desk.procedure.game.holder:
        _hand_the_shoe(desk, act)
        return
    if desk.kind is not StateKind.STARTING or desk.step is None:
        desk.refuse("not-expected-now", "The starting position is not fixed in this step.")
    if act.button is not None:
        desk.refuse("bad-option", f"{desk.procedure.game.title} has no button; give dice, a number or a seat.")
    desk.notes.rule = desk.step.rule
    position = _position(desk, act)
    desk.emit(f.StartFixed(position=position))
    desk.notes.to = position
    desk.fire("advance")


def _position(desk: Desk, act: Start) -> str:
    seats = desk.procedure.seats
    if act.seat is not None:
        if act.seat == DEALER:
            return DEALER
        if not isinstance(act.seat, int) or not 1 <= act.seat <= seats:
            desk.refuse("bad-position", f"This table has seats 1 to {seats} and the dealer.")
        return seat_place(act.seat)
    total = act.dice if act.dice is not None else act.number
    low, high = DICE if act.dice is not None else (1, seats + 1)
    if total is None or not low <= total <= high:
        desk.refuse(
            "bad-count",
            f"{'Three dice show' if act.dice is not None else 'The generator shows'} {low} to {high}, not {total}.",
        )
    desk.notes.rule = COUNT_RULE
    counted = (total - 1) % (seats + 1)
    return DEALER if counted == 0 else seat_place(seats + 1 - counted)


def _hand_the_shoe(desk: Desk, act: Start) -> None:
    seat = name_holder(desk, act)
    desk.notes.to = seat_place(seat)
    if desk.kind is not StateKind.DEALING:
        _begin_round(desk)
        desk.emit(f.StartFixed(position=seat_place(seat), button=seat))


def _place_button(desk: Desk, act: Start) -> None:
    seats = desk.procedure.seats
    button = act.button if act.button is not None else act.seat
    if act.dice is not None or act.number is not None or not isinstance(button, int):
        desk.refuse("bad-option", f"{desk.procedure.game.title} begins after a button; give its seat.")
    if not 1 <= button <= seats:
        desk.refuse("bad-position", f"This table has seats 1 to {seats}; the button cannot stand at {button}.")
    if desk.kind is StateKind.WAGERING or desk.kind is StateKind.READY:
        _begin_round(desk)
        desk.emit(f.StartFixed(position=seat_place(button), button=button))
        desk.notes.to = seat_place(button)
        return
    desk.refuse("not-expected-now", "The button is placed before the bets are closed.")

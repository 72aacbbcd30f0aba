"""Decisions and set hands: whose turn it is, which words and amounts are allowed, which cards stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from controller.dealing.procedure import Procedure
from controller.dealing.round import DEALER, SEAT_PLACES, Round, Seat, seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.steps import Betting, Option, Order, SetHands, Settle, Step, Who
from controller.dealing.steps import Decide as DecideStep
from controller.dealing.turn_steps import PlayHands
from controller.table import facts as f
from controller.table.acts import Decide, SetHand
from controller.table.dealer_acts import set_dealer
from controller.table.desk import Desk
from controller.table.exchange_acts import exchange
from controller.table.hand_cards import check_named, match_named, named_groups
from controller.table.side_acts import decide_side, side_of
from controller.table.sizing import amount_of
from controller.table.turn_acts import choose as choose_in_turn
from firmware_bridge.cards import UNREADABLE, Card, seal_all

LEAVES = ("folded", "surrendered", "natural")
"""Standings with which a seat's cards go to the rack."""
NO_CHOICES: Final[Mapping[str, Option]] = {}


def options_of(desk_procedure: Procedure, phase: str) -> tuple[Option, ...]:
    """The words of `choose` that the step of this phase knows."""
    step = desk_procedure.step(phase)
    return step.options if isinstance(step, DecideStep | SetHands | Settle | PlayHands) else ()


def decide(desk: Desk, act: Decide) -> None:
    """One decision of one seat, or of a side."""
    option = desk.procedure.plain_choices.get(desk.draft.phase, NO_CHOICES).get(act.choose)
    if option is not None and _stays_in_as_usual(desk, act, option):
        return
    side = act.side or side_of(desk, act.seat)
    if side is not None:
        decide_side(desk, act, side)
        return
    step, round_ = desk.step, desk.round
    plays = desk.procedure.plays_hands
    if plays is not None and (step is plays or round_.redeemable):
        choose_in_turn(desk, act, plays)
        return
    choices = desk.procedure.choices.get(desk.draft.phase)
    if step is None or not choices:
        desk.refuse("not-expected-now", "No decision is asked for in this step.")
    if round_.cursor < len(round_.plan):
        desk.refuse("not-expected-now", f"A card for {round_.plan[round_.cursor][0]} comes first.")
    seat = _seat(desk, round_, act.seat)
    option = choices.get(act.choose) or _no_option(desk, act, step, round_)
    place = seat_place(act.seat)
    _check_turn(desk, step, round_, seat, place, option)
    _check_option(desk, act, round_, seat, option)
    if option.exchanges:
        exchange(desk, act, seat, option)
        return
    amount = amount_of(desk, act, option, seat.wagers, place)
    if act.discard or act.keep:
        _check_cards(desk, act, option, place)
    desk.emit(_decided(desk, act, round_, seat, option, amount))
    notes = desk.notes
    notes.rule, notes.place, notes.choice = option.rule, place, option.choose
    if option.status or not isinstance(step, DecideStep):  # a seat that stays in has no result before its cards are compared
        desk.judge()
    _finish(desk, step, round_)


def _stays_in_as_usual(desk: Desk, act: Decide, option: Option) -> bool:
    """The seat in turn places the wager of a plain choice, or none; it has no result before the cards are compared.

    False, and nothing is done, when a card is due or something else about the decision has to be looked at.
    """
    round_, seat, amount = desk.draft.round, act.seat, None
    if round_ is None or round_.plan or round_.redeemable or not round_.turns:
        return False
    if act.discard or act.keep or act.hand or act.side or act.cards is not None:
        return False
    place, notes = SEAT_PLACES[seat], desk.notes
    if round_.turns[0] != place:
        return False
    if option.places is not None or act.amount is not None:
        amount = amount_of(desk, act, option, round_.seats[seat].wagers, place)
    desk.emit(f.Decided(seat=seat, choose=option.choose, amount=amount, wager=option.places))
    notes.rule, notes.place, notes.choice = option.rule, place, option.choose
    if not round_.turns:
        desk.fire("advance")
    return True


def _decided(desk: Desk, act: Decide, round_: Round, seat: Seat, option: Option, amount: int | None) -> f.Decided:
    place = seat_place(act.seat)
    keep, discard = _kept(desk, act, place)
    stays = option.stays_under is not None and option.stays_under in seat.wagers
    leaves = option.status in LEAVES and not stays
    return f.Decided(
        seat=act.seat, choose=option.choose, hand=act.hand or 1, amount=amount, wager=option.places, takes_back=option.takes_back,
        status=option.status, forfeits=option.forfeits, forfeits_to=option.forfeits_to if option.forfeit_percent == 100 else "half",
        to_rack=len(round_.hands.get(place, ())) - seat.thrown if leaves else 0, discard=seal_all(discard), keep=seal_all(keep),
        done=not option.keeps_turn,
    )  # fmt: skip


def _seat(desk: Desk, round_: Round, number: int) -> Seat:
    seat = round_.seats.get(number)
    if seat is None:
        desk.refuse("not-wagered", f"Seat {number} has no wager in this round.")
    return seat


def _no_option(desk: Desk, act: Decide, step: Step, round_: Round) -> NoReturn:
    """The step knows no such word."""
    if isinstance(step, ShowHands) and round_.turns:
        desk.refuse("not-your-turn", f"{round_.turns[0]} shows cards for the {step.wager} wager first, or shows nothing.", step.rule)
    options = options_of(desk.procedure, desk.draft.phase)
    desk.refuse("bad-option", f"Seat {act.seat} may choose {', '.join(o.choose for o in options)}, not '{act.choose[:24]}'.")


def _check_turn(desk: Desk, step: Step, round_: Round, seat: Seat, place: str, option: Option) -> None:
    turns = round_.turns
    if (turns and turns[0] == place) or (option.until_exposed and seat.live and not seat.exposed):
        return
    if place not in turns:
        words = "has no choice to make now" if seat.live else f"is out of the round ({seat.status})"
        desk.refuse("not-your-turn", f"Seat {seat.number} {words}.")
    if isinstance(step, DecideStep) and step.order is Order.CLOCKWISE:
        desk.refuse("not-your-turn", f"It is the turn of {turns[0]}, then {place}.", step.rule)


def _check_option(desk: Desk, act: Decide, round_: Round, seat: Seat, option: Option) -> None:
    if option.needs is not None and (why := option.needs(round_, act.seat)):
        desk.refuse("bad-option", why, option.rule)
    if option.takes_back is not None and option.takes_back not in seat.wagers:
        desk.refuse("bad-option", f"Seat {act.seat} has no {option.takes_back} wager to take back.", option.rule)
    if act.cards is not None and not option.exchanges:
        desk.refuse("bad-cards", f"'{act.choose}' throws no cards away.", option.rule)


def _check_cards(desk: Desk, act: Decide, option: Option, place: str) -> None:
    for named, size, words in ((act.discard, option.discard, "discard"), (act.keep, option.keep, "keep")):
        if named and not size:
            desk.refuse("bad-cards", f"'{act.choose}' names no cards to {words}.", option.rule)
        if named and len(named) != size:
            desk.refuse(
                "bad-cards",
                f"'{act.choose}' takes exactly {size} card{'s' if size > 1 else ''} to {words}.",
                option.rule,
            )
        check_named(desk, place, named)


def _kept(desk: Desk, act: Decide, place: str) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """(kept, discarded) where one of them was named and the hand is known."""
    if not (act.discard or act.keep):
        return (), ()
    rest = match_named(desk.round, place, act.discard or act.keep)
    known = rest is not None and UNREADABLE not in rest
    if act.discard:
        return (rest or ()) if known else (), act.discard
    return act.keep, (rest or ()) if known else ()


def _finish(desk: Desk, step: Step, round_: Round) -> None:
    if isinstance(step, Betting):
        if len(round_.live_seats()) < 2:
            desk.fire("advance")
    elif not round_.turns and (isinstance(step, DecideStep | Settle) or (isinstance(step, SetHands) and not step.ends_with_discards)):
        desk.fire("advance")


# ---- set hands


def set_hand(desk: Desk, act: SetHand) -> None:
    """A hand is set: by a player, face down, or by the dealer, by the house way."""
    if act.seat == DEALER:
        set_dealer(desk, act)
        return
    step = desk.step
    if not isinstance(step, SetHands) or not isinstance(act.seat, int):
        desk.refuse("not-expected-now", "No hand is set in this step.")
    if step.who is Who.DEALER:
        desk.refuse("not-your-turn", "The players' hands are set; now the dealer sets.")
    seat = _seat(desk, desk.round, act.seat)
    place = seat_place(act.seat)
    if place not in desk.round.turns:
        words = "is set and is not touched again" if seat.live else f"is out of the round ({seat.status})"
        desk.refuse("not-your-turn", f"The hand of seat {act.seat} {words}.", step.rule)
    groups = named_groups(act)
    named = tuple(card for _, cards in groups for card in cards)
    check_named(desk, place, named)
    _check_groups(desk, groups, step)
    wrong = wrongly_sized(groups, step)
    desk.emit(f.HandSet(place=place, groups=tuple((name, seal_all(cards)) for name, cards in groups), wrong=wrong))
    desk.notes.rule, desk.notes.place = step.rule, place
    _finish(desk, step, desk.round)


def _check_groups(desk: Desk, groups: tuple[tuple[str, tuple[Card, ...]], ...], step: SetHands) -> None:
    known = dict(step.groups)
    told = sum(len(cards) for _, cards in groups)
    if len(known) > 1 and groups and told != sum(known.values()):
        desk.refuse("bad-cards", f"All {sum(known.values())} cards of the hand are set; {told} are named.", step.rule)
    for name, cards in groups:
        if name not in known:
            desk.refuse("bad-cards", f"This hand is set as {' and '.join(f'{n} {size}' for n, size in step.groups)}.", step.rule)
        if name == "keep" and len(cards) != known[name]:
            desk.refuse("bad-cards", f"Exactly {known[name]} cards are kept.", step.rule)


def wrongly_sized(groups: tuple[tuple[str, tuple[Card, ...]], ...], step: SetHands) -> str:
    """Why the sizes are wrong; such a hand stands as set and is ruled on when it is exposed."""
    sizes = {name: len(cards) for name, cards in groups}
    if groups and any(sizes.get(name, 0) != size for name, size in step.groups):
        return "set as " + " and ".join(f"{name} {count}" for name, count in sizes.items())
    return ""

"""What players choose for their hands while they draw, and what a look at the dealer's hole card says.

One hand after the other: its player hits, stands, doubles, splits or surrenders until the hand is closed. A look at the hole card is one
bit of news and stays apart from what the record knows of the card: whether the two agree shows when the card is turned up.
"""

from __future__ import annotations

from controller.dealing.round import DEALER, PlayedHand, Round, seat_of, seat_place
from controller.dealing.steps import ExposeCards, Who
from controller.dealing.turn_steps import PlayHands, TurnOption
from controller.table import facts as f
from controller.table import turns
from controller.table.acts import Decide, HoleCheck
from controller.table.desk import Desk
from controller.table.sizing import amount_of


def choose(desk: Desk, act: Decide, step: PlayHands) -> None:
    """One decision of one seat for one hand."""
    place = _place(desk, act)
    option = _option(desk, act, step, place)
    if step.must_look and _look_is_due(desk, step):
        desk.refuse("not-expected-now", "The hole card is looked at before the first decision.", step.looks_rule)
    in_turn = desk.round.turns[:1] == (place,)
    why = option.needs(desk.round, act.seat) if in_turn and option.needs is not None else ""
    if why:
        desk.refuse("bad-option", why, option.rule)
    if act.discard or act.keep:
        desk.refuse("bad-cards", f"'{act.choose}' names no cards.", option.rule)
    desk.notes.rule, desk.notes.place, desk.notes.choice = option.rule, place, option.choose
    if option is step.accept:
        _take_offered(desk, place)
    elif option.splits:
        _split(desk, act, option, place)
    else:
        _choose(desk, act, option, place)
    desk.judge()
    _go_on(desk, step, option)


def _go_on(desk: Desk, step: PlayHands, option: TurnOption) -> None:
    here = desk.step
    if isinstance(here, PlayHands):
        if (option.draws or option.doubles) and desk.round.turns:
            desk.fire("draw")
        else:
            turns.proceed(desk, step)
    elif here is not None and here.when is not None and not here.when(desk.round):
        desk.fire("advance")


def _place(desk: Desk, act: Decide) -> str:
    """The place of the hand that is meant, whose turn it must be."""
    round_ = desk.round
    if act.seat not in round_.seats:
        desk.refuse("not-wagered", f"Seat {act.seat} has no wager in this round.")
    place = _named(round_, act)
    current = round_.turns[0] if round_.turns else ""
    if place in round_.played and place in (current, round_.redeemable):
        return place
    if place not in round_.played:
        desk.refuse("not-your-turn", f"There is no hand at {place}.")
    if place in round_.turns:
        desk.refuse("not-your-turn", f"It is the turn of {current}, then {place}.")
    return desk.refuse("not-your-turn", f"{place} gets no more cards ({round_.played[place].status or 'out of the round'}).")


def _named(round_: Round, act: Decide) -> str:
    """The hand that the act names; without a number it is the seat's hand in turn, or its only one."""
    hands = round_.played_by(act.seat)
    whole = seat_place(act.seat)
    if act.hand is None:
        return round_.hand_in_turn(act.seat) or (hands[0] if hands else whole)
    return whole if act.hand == 1 and hands in ([], [whole]) else seat_place(act.seat, act.hand)


def _option(desk: Desk, act: Decide, step: PlayHands, place: str) -> TurnOption:
    round_ = desk.round
    if round_.turns[:1] != (place,):
        options = tuple(option for option in step.options if option.redeems)
    elif round_.offered:
        options = (step.accept, step.refuse)
    else:
        options = step.options
    for option in options:
        if option.answers_to(act.choose):
            return option
    return desk.refuse(
        "bad-option", f"{place} may choose {', '.join(o.choose for o in options) or 'nothing more'}, not '{act.choose[:24]}'."
    )


def choices_now(round_: Round, step: PlayHands) -> tuple[str, ...]:
    """The words that the hand in turn may choose."""
    seat = seat_of(round_.turns[0]) if round_.turns and round_.turns[0] in round_.played else None
    if seat is None or (step.must_look and look_may_come(round_, step)):
        return ()
    if round_.offered:
        return step.accept.choose, step.refuse.choose
    return tuple(option.choose for option in step.options if option.needs is None or not option.needs(round_, seat))


def _choose(desk: Desk, act: Decide, option: TurnOption, place: str) -> None:
    hand = desk.round.played[place]
    amount = amount_of(desk, act, option, hand.wagers, place)
    clears = option.clears is not None and option.clears(desk.round)
    desk.emit(
        f.HandChose(
            place=place, choose=option.choose, wager=option.places, amount=amount, status=option.status, doubled=option.doubles,
            to_rack=len(desk.round.hands.get(place, ())) if clears else 0,
        )
    )  # fmt: skip


def _split(desk: Desk, act: Decide, option: TurnOption, place: str) -> None:
    round_ = desk.round
    hand = round_.played[place]
    _check_split_amount(desk, act, option, hand, place)
    hands = round_.played_by(act.seat)
    left, number = (place, len(hands) + 1) if place != seat_place(act.seat) else (seat_place(act.seat, 1), 2)
    desk.emit(f.HandSplit(place=place, left=left, right=seat_place(act.seat, number), wagers=dict(hand.wagers)))


def _check_split_amount(desk: Desk, act: Decide, option: TurnOption, hand: PlayedHand, place: str) -> None:
    """The second hand's wagers are equal to those of the first, together if an amount is said."""
    if act.amount is None or any(amount is None for amount in hand.wagers.values()):
        return
    equal = sum(amount or 0 for amount in hand.wagers.values())
    if act.amount != equal:
        whole, cents = divmod(equal, 100)
        text = f"{whole}.{cents:02}" if cents else str(whole)
        desk.refuse("bad-amount", f"{place}: the second hand's wager must be {text}.", option.rule)


# ---- a card that was drawn in error and seen


def _take_offered(desk: Desk, place: str) -> None:
    held, _ = desk.round.aside[-1]
    shown = turns.seen(held)
    desk.emit(f.OfferTaken(place=place, card=held.card, evidence=held.evidence, shown=shown))
    notes = desk.notes
    notes.to, notes.face, notes.card, notes.evidence = place, "up", shown.name if shown is not None else None, held.evidence


# ---- the hole card


def look_may_come(round_: Round, step: PlayHands) -> bool:
    """True from the end of the deal until a player has chosen, once, when the up card calls for it."""
    return round_.hole_told is None and step.looks(round_) and not any(hand.acted for hand in round_.played.values())


def _look_is_due(desk: Desk, step: PlayHands) -> bool:
    return look_may_come(desk.round, step)


def hole_check(desk: Desk, act: HoleCheck) -> None:
    """A reader or a peek told one bit of the hole card."""
    step = desk.procedure.plays_hands
    title = desk.procedure.game.title
    if step is None:
        desk.refuse("not-this-game", f"{title} has no hole card to check.")
    here, round_ = desk.step, desk.round
    in_time = isinstance(here, PlayHands) or (isinstance(here, ExposeCards) and here.what is Who.DEALER and bool(round_.played))
    if not in_time or round_.hole_told is not None or len(round_.hands.get(DEALER, ())) < 2:
        desk.refuse("not-expected-now", "The hole card is looked at once, after the deal and before the first decision.", step.looks_rule)
    if not step.looks(round_):
        desk.irregular("hole-check-not-due")
        return
    if any(hand.acted for hand in round_.played.values()):
        desk.refuse("not-expected-now", "Players have chosen already: the hole card is turned when all have.", step.looks_rule)
    desk.emit(f.HoleTold(blackjack=act.blackjack))
    desk.notes.rule = step.looks_rule
    if act.blackjack:
        desk.emit(f.TurnsEnded())
    else:
        _clear_what_waited(desk, step)
    desk.judge()
    if isinstance(here, PlayHands):
        turns.proceed(desk, step)
    elif here is not None and here.when is not None and not here.when(desk.round):
        desk.fire("advance")


def _clear_what_waited(desk: Desk, step: PlayHands) -> None:
    """Hands that waited for the look, such as a player's blackjack, are settled now."""
    for place, hand in desk.round.played.items():
        if hand.status and not hand.cleared and seat_of(place) in desk.round.live_seats():
            turns.close_by_cards(desk, step, place)

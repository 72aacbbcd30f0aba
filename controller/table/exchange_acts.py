"""Acts of games in which players play one another: the end of a betting round, cards thrown away for new ones, a shuffle in the round."""

from __future__ import annotations

from typing import NoReturn

from controller.dealing.round import Seat, seat_place
from controller.dealing.rules import Rule, memory
from controller.dealing.steps import Betting, Face, Option
from controller.table import facts as f
from controller.table.acts import Decide, Load, Shuffle
from controller.table.desk import Desk
from controller.table.hand_cards import check_named
from controller.table.remedies import shuffle_held_out_back
from firmware_bridge.cards import seal_all

SHUFFLE_RULE = memory("reshuffle of stub and muck", "a whole random shuffle of just these cards")


def close_betting(desk: Desk, step: Betting) -> None:
    """The betting round is over."""
    if desk.round.cursor < len(desk.round.plan):
        desk.refuse("not-expected-now", "A card is still to come in this step.")
    shuffle_held_out_back(desk)
    desk.emit(f.BettingClosed())
    desk.notes.rule = step.rule
    desk.fire("advance")


def exchange(desk: Desk, act: Decide, seat: Seat, option: Option) -> None:
    """A seat throws cards away; as many come at once."""
    place = seat_place(seat.number)
    cards = len(act.discard) if act.cards is None else act.cards
    held = len(desk.round.hands.get(place, ())) - seat.thrown
    most = min(option.exchanges, held)
    if act.discard and len(act.discard) != cards:
        _bad(desk, f"{cards} cards are thrown away, {len(act.discard)} are named.", option.rule)
    if not cards:
        _bad(desk, f"Say how many cards seat {seat.number} throws away, such as cards = 2, or name them in discard.", option.rule)
    if cards > most:
        _bad(desk, f"At most {most} cards are thrown away here, not {cards}.", option.rule)
    if act.keep or act.amount is not None:
        _bad(desk, f"'{act.choose}' takes a number of cards or their names, nothing else.", option.rule)
    check_named(desk, place, act.discard)
    desk.emit(f.Decided(seat=seat.number, choose=act.choose))
    plan = ((place, Face.DOWN.value),) * cards
    desk.emit(f.Exchanged(seat=seat.number, cards=cards, discard=seal_all(act.discard), plan=plan))
    desk.notes.rule, desk.notes.place, desk.notes.choice = option.rule, place, act.choose
    desk.serve()


def _bad(desk: Desk, words: str, rule: Rule) -> NoReturn:
    desk.refuse("bad-cards", words, rule)


def rest_loaded(desk: Desk, act: Load) -> None:
    """The rest of the deck goes into the shuffler, with the cards laid out, or comes back from it; it must be the right number."""
    round_, deck = desk.draft.round, desk.draft.deck
    if round_ is None or act.decks != desk.procedure.deck.decks:
        desk.refuse("not-expected-now", "A round is in progress.")
    is_back = deck.fresh and deck.ledger.device < deck.ledger.loaded
    if not round_.returning and not is_back:
        desk.refuse("not-expected-now", "No cards are put into a device in the middle of a round.")
    expected = deck.ledger.device + round_.returning
    if act.cards not in (None, expected):
        desk.refuse("bad-count", f"The rest of the deck has {expected} cards, {act.cards} were loaded.", SHUFFLE_RULE)
    desk.notes.rule, desk.notes.evidence = SHUFFLE_RULE, "confirmed" if is_back else "counted"


def rest_shuffled(desk: Desk, act: Shuffle) -> None:
    """The cards laid out are shuffled into the rest of the deck; a wrong count makes the deck one that leaves the table.

    A shuffler that counts against a whole deck finds too few; what it counted decides here.
    """
    expected = desk.cards_in_device + desk.round.returning
    desk.notes.rule = SHUFFLE_RULE
    if act.mode != "random" or act.problem == "aborted":
        desk.notes.message = "That was no whole random shuffle; the cards are shuffled again."
        return
    count_is_told_right = act.counted == expected or (act.counted is None and act.problem != "count")
    if act.missing or act.extra or act.problem in ("duplicates", "foreign-back") or not count_is_told_right:
        desk.notes.message = f"{expected} cards belong in the rest of the deck."
        desk.notes.irregularity, desk.notes.remedy = "count-mismatch", "deck-off-table"
        desk.deck_off_table("count-mismatch", SHUFFLE_RULE)
        return
    evidence = "counted" if act.counted is not None else "told"
    desk.emit(f.RestShuffled(cards=expected, evidence=evidence, last_round=desk.procedure.game.shoe_game))
    desk.notes.evidence = evidence
    desk.serve()

"""Leaving suspension: an alarm is settled, and the table goes on in the very phase that was held."""

from __future__ import annotations

from controller.dealing.steps import Decide, ExposeCards, Settle, StateKind
from controller.dealing.turn_steps import HandCard, PlayHands
from controller.table import facts as f
from controller.table import turns
from controller.table.desk import SUPERVISOR, Desk


def settle_alarm(desk: Desk, code: str, choose: str, where: str | None = None) -> None:
    """Settle the alarms of this code that are open, at `where` alone when that is named."""
    if any(alarm.code == code and where in (None, alarm.where) for alarm in desk.draft.alarms):
        desk.emit(f.AlarmSettled(code=code, where=where, by=desk.by, choose=choose))


def go_on_if_free(desk: Desk) -> None:
    """Leave suspension for the very phase that was held, when nothing holds the table any more."""
    to_phase = desk.draft.resume_to
    if desk.kind is not StateKind.SUSPENDED or desk.draft.holding or to_phase is None:
        return
    if desk.procedure.phases.after("suspended", "resume", desk.draft.round, to_phase) is None:
        desk.refuse("not-expected-now", f"The table cannot go back to {to_phase}.")
    desk.emit(f.Resumed(to_phase=to_phase))
    if not desk.in_round:
        _unverify_if_unshuffled(desk)
        return
    catch_up(desk)


def _unverify_if_unshuffled(desk: Desk) -> None:
    """While the table was held between rounds, something happened to the shuffled cards."""
    a_shoe_goes_on = desk.kind is StateKind.COMPLETE and not desk.procedure.shuffle_each_round
    if not desk.draft.deck.shuffled and (desk.kind is StateKind.READY or a_shoe_goes_on):
        desk.fire("unverify")


def unshuffle_outside_round(desk: Desk, why: str) -> None:
    """What happened to the cards between rounds undoes their shuffle; while the table is held it shows when it goes on."""
    kind = desk.kind
    if kind is StateKind.SUSPENDED and not desk.in_round:
        desk.emit(f.DeckUnshuffled(why=why))
    elif kind in (StateKind.READY, StateKind.COMPLETE, StateKind.UNVERIFIED):
        desk.emit(f.DeckUnshuffled(why=why))
        if kind is not StateKind.UNVERIFIED:
            desk.fire("unverify")


def catch_up(desk: Desk) -> None:
    """What was finished while the table was held: a full plan, a card waiting to be the next, a last exposed hand."""
    round_ = desk.draft.round
    if round_ is None or desk.step is None:
        return
    if isinstance(desk.step, PlayHands):
        turns.proceed(desk, desk.step)
    elif isinstance(desk.step, HandCard) and round_.turns[:1] != (round_.plan[0][0],):
        desk.fire("drawn")
    elif round_.plan:
        desk.place_waiting_cards()
        if desk.draft.round is round_:
            desk.step_done()
    elif isinstance(desk.step, ExposeCards | Decide) and not round_.turns:
        desk.fire("advance")
    elif isinstance(desk.step, Settle):
        desk.judge()
        if not desk.round.turns:
            desk.fire("advance")


def unshuffle_spare(desk: Desk, why: str) -> None:
    """Whatever happens to the other deck, or in its shuffler, undoes its shuffle."""
    if desk.draft.spare is not None:
        desk.emit(f.SpareUnshuffled(why=why))


def shuffler_failed(desk: Desk, name: str) -> None:
    """A shuffler fails in its cycle: the cards are shuffled again, no hand is affected."""
    row = desk.procedure.irregularities.get("shuffler-malfunction")
    remedy, rule = (row.remedy, row.rule) if row is not None else ("reshuffle", SUPERVISOR)
    desk.emit(f.Irregular(kind="device-malfunction", remedy=remedy, rule=rule, where=name))
    desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = "device-malfunction", remedy, rule

"""Leaving suspension: an alarm is settled, and the table goes on in the very phase that was held."""

from __future__ import annotations

from controller.dealing.steps import Settle, StateKind
from controller.table import facts as f
from controller.table.desk import Desk
from controller.table.judging import judge


def settle_alarm(desk: Desk, code: str, choose: str) -> None:
    """Settle the alarm of this code if it is open."""
    if desk.draft.alarm(code) is not None:
        desk.emit(f.AlarmSettled(code=code, by=desk.by, choose=choose))


def go_on_if_free(desk: Desk) -> None:
    """Leave suspension for the very phase that was held, when nothing holds the table any more."""
    to_phase = desk.draft.resume_to
    if desk.kind is not StateKind.SUSPENDED or desk.draft.holding or to_phase is None:
        return
    if desk.procedure.phases.after("suspended", "resume", desk.draft.round, to_phase) is None:
        desk.refuse("not-expected-now", f"The table cannot go back to {to_phase}.")
    desk.emit(f.Resumed(to_phase=to_phase))
    _catch_up(desk)


def _catch_up(desk: Desk) -> None:
    """What was finished while the table was held: a full plan, a card waiting to be the next, a last exposed hand."""
    round_ = desk.draft.round
    if round_ is None or desk.step is None:
        return
    if round_.plan:
        desk.place_waiting_cards()
        if desk.draft.round is round_:
            desk.step_done()
    elif isinstance(desk.step, Settle):
        judge(desk)
        if not desk.round.turns:
            desk.fire("advance")

"""Supervisors settle what holds the table: go on, void, replace the deck, rule on one hand."""

from __future__ import annotations

from controller.dealing.round import seat_of
from controller.dealing.rules import Rule, Standing
from controller.dealing.steps import StateKind
from controller.table import facts as f
from controller.table.acts import Resolve
from controller.table.codes import RESOLVE_WORDS
from controller.table.desk import Desk
from controller.table.going_on import go_on_if_free
from controller.table.remedies import after_a_hand_left
from controller.table.state import Alarm

RESOLVED = Rule("house setting: supervisor decides", Standing.HOUSE, "a supervisor's recorded act")
ENDED_BY_THE_DEVICE = frozenset({"device-lost", "wrong-identity"})


def resolve(desk: Desk, act: Resolve) -> None:
    """A supervisor settles what holds the table."""
    if act.by.role != "supervisor":
        desk.refuse("role-not-allowed", "Only a supervisor settles an alarm.")
    open_alarms = [a for a in desk.draft.alarms if act.alarm is None or a.code == act.alarm]
    if not open_alarms and desk.kind not in (StateKind.SUSPENDED, StateKind.QUARANTINED):
        desk.refuse("not-expected-now", "No alarm is open.")
    ways = {way for alarm in open_alarms for way in alarm.ways}
    if act.choose in ("continue", "hand-dead") and open_alarms and not (ways & {act.choose}) and any(a.holds for a in open_alarms):
        desk.refuse("bad-option", f"This alarm is settled by: {', '.join(sorted(ways)) or 'mending its cause'}.")
    lid_is_open = any(a.code == "lid-open" and a.holds and a.detail == "open" for a in desk.draft.alarms)
    if act.choose == "continue" and lid_is_open:
        desk.refuse("not-expected-now", "The lid is still open: close it first.")
    match act.choose:
        case "continue" | "recount":
            _continue(desk, open_alarms)
        case "hand-dead":
            _hand_dead(desk, open_alarms)
        case "void" | "reshuffle":
            _void_by_supervisor(desk, act.choose, open_alarms)
        case "replace-deck":
            _replace_deck(desk, open_alarms)
        case _:
            desk.refuse(
                "bad-option",
                f"Settle by {', '.join(RESOLVE_WORDS[:-1])} or {RESOLVE_WORDS[-1]}, not '{act.choose[:24]}'.",
            )
    desk.notes.rule = RESOLVED


def _settle(desk: Desk, alarms: list[Alarm], choose: str) -> None:
    """Settle these alarms; a device that is not there, or is another one, is not mended by a word."""
    for alarm in alarms:
        going_on_mends_it = choose not in ("continue", "recount", "hand-dead") or not alarm.holds or {"continue", choose} & set(alarm.ways)
        if alarm.code not in ENDED_BY_THE_DEVICE and going_on_mends_it:
            desk.emit(f.AlarmSettled(code=alarm.code, where=alarm.where, by=desk.by, choose=choose))


def _continue(desk: Desk, alarms: list[Alarm]) -> None:
    if desk.kind is StateKind.QUARANTINED:
        _settle(desk, alarms, "continue")
        desk.emit(f.DeckCleared(by=desk.by))
        desk.fire("unverify")
        return
    round_ = desk.draft.round
    codes = {alarm.code for alarm in alarms}
    if round_ is not None and round_.aside and "card-drawn-in-error" in codes and not codes & {"duplicate-card", "foreign-card"}:
        desk.emit(f.AsideReleased())
    _settle(desk, alarms, "continue")
    go_on_if_free(desk)


def _hand_dead(desk: Desk, alarms: list[Alarm]) -> None:
    for alarm in alarms:
        number = seat_of(alarm.where)
        if number is None or desk.draft.round is None or number not in desk.draft.round.seats:
            continue
        if alarm.code == "wrong-set":
            desk.emit(f.SetFoundWrong(seat=number, words=alarm.detail, rule=RESOLVED))
        else:
            desk.kill_hand(number, RESOLVED)
    _settle(desk, alarms, "hand-dead")
    go_on_if_free(desk)
    if desk.in_round and desk.kind is not StateKind.SUSPENDED:
        after_a_hand_left(desk)


def _void_by_supervisor(desk: Desk, choose: str, alarms: list[Alarm]) -> None:
    if not desk.in_round:
        desk.emit(f.DeckUnshuffled(why=f"a supervisor chose {choose}"))
        _settle(desk, alarms, choose)
        if desk.kind is StateKind.SUSPENDED:
            go_on_if_free(desk)
        if desk.kind in (StateKind.READY, StateKind.COMPLETE):
            desk.fire("unverify")
        return
    desk.emit(f.Irregular(kind="device-malfunction", remedy="round-void", rule=RESOLVED))
    desk.wagers_go_back("round-void", RESOLVED, "supervisor decides")
    desk.fire("void")
    _settle(desk, alarms, choose)
    desk.notes.remedy = "round-void"


def _replace_deck(desk: Desk, alarms: list[Alarm]) -> None:
    if desk.in_round:
        desk.wagers_go_back("deck-off-table", RESOLVED, "supervisor decides")
    if desk.kind is not StateKind.QUARANTINED:
        desk.emit(f.DeckQuarantined(why="replaced by a supervisor"))
        desk.fire("quarantine")
    _settle(desk, alarms, "replace-deck")
    desk.notes.remedy = "deck-off-table"

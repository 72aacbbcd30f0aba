"""Beside another host: a shoe is taken up in the middle, and what the line tells of another's judgement is compared with the cards.

A table that deals by itself hears only the results that its own device reckons: a device is a witness here too, and what it tells shows
nothing before the dealer has declared. A table beside another host waits for nobody: what the other host passes over is told as a
difference, and the table takes the shoe up again where its next round begins.
"""

from __future__ import annotations

from controller.dealing.steps import StateKind
from controller.table import facts as f
from controller.table.acts import CardOut, Join, ResultTold
from controller.table.desk import OUTSIDE_ROUND, Desk
from controller.table.going_on import settle_alarm
from controller.table.side_acts import winner_of
from controller.table.supervisor_acts import ENDED_BY_THE_DEVICE

ALSO_CALLED: dict[str, frozenset[str]] = {"burn": frozenset({"burn", "first-card"})}
"""Places as the procedure calls them, by the words that devices have for them, where these differ."""
SAYS_ENOUGH = frozenset({"card-face-up", "cards-face-up", "duplicate-card", "foreign-card"})
"""A card that is no card of the round, wherever it lies."""
UNKNOWN_TO_US = frozenset(
    {"unreadable-card", "device-lost", "device-restarted", "device-error", "partial-knowledge", "wrong-identity", "lid-open"}
)
"""Alarms that another host may have settled with eyes and hands that this line does not show."""


def result_told(desk: Desk, act: ResultTold) -> None:
    """The device, or another host through it, tells who won."""
    round_ = desk.draft.round
    if round_ is None or round_.collected:
        desk.notes.message = "It belongs to no round that is on: it is recorded, and counts for none."
        return
    found = winner_of(round_)
    if found is None:
        _told_too_early(desk, act)
        return
    if act.result == found:
        _compare(desk, "result", act.result, found)
    else:
        _differs(desk, "result", act.result, found)


def _told_too_early(desk: Desk, act: ResultTold) -> None:
    """By the cards the round is not over, or it cannot be judged here."""
    if not desk.draft.beside:
        desk.notes.message = "By the cards the round is not over: it is recorded, and counts for none."
        return
    if desk.kind not in OUTSIDE_ROUND and desk.kind is not StateKind.SUSPENDED:
        _differs(desk, "result", act.result, "unfinished")
    elif not _passed_over(desk, f"the result {act.result[:40]}"):
        _compare(desk, "result", act.result, "")


def join(desk: Desk, act: Join) -> None:
    """The shoe of another host is followed from here; with `at_boundary` its next card is the first of a round."""
    if not desk.draft.beside:
        desk.refuse("not-expected-now", "This table deals its own cards and follows nobody's: load and shuffle them.")
    if act.over:
        _passed_over(desk, act.over)
    deck = desk.draft.deck
    is_over = desk.kind is StateKind.UNVERIFIED and (deck.cut_seen or deck.empty)
    under_way = not is_over and (deck.shuffled or deck.partial or desk.in_round or bool(desk.draft.quarantine_why))
    keeps = act.heard_all and deck.ledger.loaded > 0 and not is_over
    _leave(desk, act.over or "it could not be followed")
    for alarm in desk.draft.alarms:
        if alarm.code not in ENDED_BY_THE_DEVICE:
            settle_alarm(desk, alarm.code, "joined", alarm.where)
    was_partial = desk.draft.deck.partial
    desk.emit(f.ShoeJoined(shoe=desk.draft.shoe if under_way else desk.draft.shoe + 1, keeps=keeps))
    if not (keeps and was_partial):
        desk.raise_alarm("partial-knowledge", detail="the shoe was taken up in the middle", holds=False)
    if act.at_boundary and not desk.draft.holding:
        desk.fire("verify")
    desk.notes.evidence = "unknown"
    desk.notes.message = "Followed from here; what left the shoe before is not known."


def _leave(desk: Desk, why: str) -> None:
    """To `unverified` from wherever the table is."""
    if desk.in_round:
        desk.emit(f.RoundLeft(why=why))
        desk.fire("void")
    elif desk.kind is StateKind.SUSPENDED and desk.draft.resume_to is not None:
        desk.emit(f.Resumed(to_phase=desk.draft.resume_to))
    if desk.kind is StateKind.VOID and desk.draft.round is not None and not desk.draft.round.collected:
        desk.emit(f.RoundCollected(cards=desk.draft.deck.ledger.dealt))
        desk.emit(f.RoundCompleted(round=desk.round.number))
    if desk.kind is not StateKind.UNVERIFIED:
        desk.fire("unverify")


def card_told(desk: Desk, act: CardOut) -> None:
    """The device says where a card goes in the round that it follows itself; beside another host that is looked at."""
    place = desk.notes.to
    if not desk.draft.beside or place is None or desk.notes.irregularity in SAYS_ENOUGH:
        return
    if act.told not in ALSO_CALLED.get(place, frozenset({place})):
        _differs(desk, "place", act.told, place)


def _passed_over(desk: Desk, what: str) -> bool:
    """The other host goes on although the procedure would not; False when nothing here stands against it."""
    held = [alarm.code for alarm in desk.draft.alarms if alarm.code not in UNKNOWN_TO_US]
    round_ = desk.draft.round
    if desk.draft.quarantine_why or desk.kind is StateKind.VOID:
        found = desk.draft.quarantine_why or "void"
    elif held and desk.kind is StateKind.SUSPENDED:
        found = held[0]
    elif desk.in_round and desk.kind is not StateKind.SUSPENDED and round_ is not None and round_.cards_due:
        found = "unfinished"
    else:
        return False
    _differs(desk, "going-on", what, found)
    return True


def _differs(desk: Desk, what: str, told: str, found: str) -> None:
    _compare(desk, what, told, found)
    desk.raise_alarm(
        "told-differs", where=desk.act.by.name, detail=f"{what}: told {told[:40]}, here {found}", holds=False, ways=("continue",)
    )


def _compare(desk: Desk, what: str, told: str, found: str) -> None:
    desk.emit(f.HostCompared(what=what, told=told[:40], found=found, agrees=told == found or not found))

"""What people report: irregularities seen by people get the game's remedy like those seen by devices."""

from __future__ import annotations

from collections.abc import Collection

from controller.dealing.repairs import PUT_RIGHT, REPAIRED
from controller.dealing.round import COMMUNITY, DEALER, Round
from controller.dealing.steps import Betting, ExposeCards, SetHands, StateKind, Step, Who
from controller.table import facts as f
from controller.table import turns
from controller.table.acts import Report
from controller.table.desk import SUPERVISOR, Desk
from controller.table.device_acts import WAYS
from controller.table.going_on import catch_up
from controller.table.repair_acts import lie_on_the_table, tell_where_cards_belong

BEFORE_DECISIONS_END = frozenset({StateKind.STARTING, StateKind.DEALING, StateKind.DECIDING, StateKind.SETTING, StateKind.DRAWING})

FEW_CARDS = {0: "no-card-at-seat", 1: "one-card-at-seat"}
"""Rows of games that tell a box without a card from one with too few."""
MISSED_BY_DEALER = "missed-card-at-dealer"
"""The row of games in which a dealer without one of the first two cards gets it; too many cards are another matter."""

REPORTS = {
    "dealer-card-exposed": "dealer-card-exposed", "community-card-exposed": "community-card-exposed",
    "player-card-exposed": "player-card-exposed", "card-drawn-in-error": "card-drawn-in-error", "invalid-roll": "invalid-roll",
    "wrong-start": "wrong-start", "wrong-set": "wrong-set", "wrong-discards": "wrong-discards", "cleared-early": "cleared-early",
    "wrong-place": "wrong-place", "card-face-up": "card-face-up", "cards-face-up": "cards-face-up",
    "device-malfunction": "device-malfunction", "foreign-card": "foreign-card", "duplicate-card": "duplicate-card",
    "missing-card": "missing-card", "too-few-cards": "too-few-cards", "hand-fouled": "hand-fouled",
}  # fmt: skip


def report(desk: Desk, act: Report) -> None:
    """An irregularity seen by people: the game's row applies."""
    if act.what == "hands-counted-right":
        _hands_counted_right(desk)
        return
    if act.what == "wrong-count" and _explains_the_stub(desk):
        _misdealt(desk, act)
        return
    if not desk.in_round:
        desk.refuse("not-expected-now", "No round is in progress to which this could belong.")
    if act.what == "wrong-count":
        _wrong_count(desk, act)
        return
    kind = REPORTS.get(act.what)
    if kind is None:
        known = ", ".join(sorted([*REPORTS, "wrong-count", "hands-counted-right"]))
        desk.refuse("unknown-report", f"'{act.what[:40]}' is not known; report one of: {known}.")
    if kind in PUT_RIGHT and not lie_on_the_table(desk.round):
        desk.refuse("not-expected-now", "No card lies on the table that could be put right.")
    if not _in_time(desk, kind):
        desk.refuse("not-expected-now", "This is no irregularity any more: those cards are due to be seen now.")
    if kind == "invalid-roll" and kind in desk.procedure.irregularities and not _may_be_shaken_again(desk):
        desk.refuse("not-expected-now", "Cards have come by this roll; if they began at the wrong position, report wrong-start.")
    where = f"seat {act.seat}" if isinstance(act.seat, int) else str(act.seat or act.area or "")
    if kind == "card-drawn-in-error":
        desk.notes.to = "aside"
        if act.shown and turns.may_offer(desk):
            turns.offer(desk)
            return
        if act.shown:
            desk.raise_alarm(kind, where=where, detail="its face was seen", ways=WAYS)
            desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = kind, "supervisor-decides", SUPERVISOR
            return
    desk.irregular(kind, where=where)
    if kind in PUT_RIGHT and desk.notes.remedy in REPAIRED:
        tell_where_cards_belong(desk)


def _in_time(desk: Desk, kind: str) -> bool:
    """Cards seen too early are irregular only until the procedure shows them."""
    if kind == "dealer-card-exposed":
        return _a_decision_is_due(desk) and not desk.round.dealer_exposed
    if kind == "community-card-exposed":
        if isinstance(desk.step, Betting):
            return bool(desk.round.aside)
        return any(number not in _due_now(desk) for number in _community_down(desk.round))
    return True


def _may_be_shaken_again(desk: Desk) -> bool:
    """Until the first card of the deal that the roll begins."""
    begun = desk.procedure.phases.after(desk.draft.phase, "shake", desk.round) is not None
    return desk.kind is StateKind.STARTING or (begun and not desk.round.out)


def _community_down(round_: Round) -> list[int]:
    """The numbers of the community cards that lie face down."""
    return [number for number, held in enumerate(round_.hands.get(COMMUNITY, ()), start=1) if not held.shown]


def _due_now(desk: Desk) -> Collection[int]:
    """The community cards that may be seen now: those that the step turns, and all of them once nobody decides any more."""
    step = desk.step
    if desk.kind in BEFORE_DECISIONS_END and not isinstance(step, ExposeCards):
        return ()
    down = _community_down(desk.round)
    if isinstance(step, ExposeCards) and step.what is Who.COMMUNITY and step.cards and _a_decision_is_due(desk):
        return step.cards
    return down


def _a_decision_is_due(desk: Desk) -> bool:
    """True until the last player has decided, while the table is not held; cards that follow the last decision change nothing."""
    procedure, round_ = desk.procedure, desk.round
    if desk.kind is StateKind.WAGERING or desk.draft.phase not in procedure.by_name or not round_.live_seats():
        return False
    rest = procedure.steps[procedure.names.index(desk.draft.phase) :]
    return any(_asks_players(step) and (step.when is None or step.when(round_)) for step in rest)


def _asks_players(step: Step) -> bool:
    return step.kind in (StateKind.DECIDING, StateKind.DRAWING) or (isinstance(step, SetHands) and step.who is not Who.DEALER)


def _wrong_count(desk: Desk, act: Report) -> None:
    kind, where = _wrong_place(desk, act)
    own = None
    if kind == "wrong-count-seat" and act.cards is not None:
        own = FEW_CARDS.get(act.cards)
    elif kind == "wrong-count-dealer" and act.cards in (None, 0, 1):
        own = MISSED_BY_DEALER
    desk.irregular(kind, where=where, row=own if own in desk.procedure.irregularities else None)
    if desk.notes.remedy == "hand-dead" and desk.in_round and desk.kind is not StateKind.SUSPENDED:
        catch_up(desk)


def _wrong_place(desk: Desk, act: Report) -> tuple[str, str]:
    """(kind, place) of a wrong number of cards."""
    if act.seat == DEALER:
        return "wrong-count-dealer", DEALER
    if act.area is not None:
        return "wrong-count-community", COMMUNITY
    if isinstance(act.seat, int):
        return "wrong-count-seat", f"seat {act.seat}"
    return desk.refuse("bad-option", 'Say where: seat = 3, seat = "dealer" or area = "community".')


def _explains_the_stub(desk: Desk) -> bool:
    """After a wrong stub count the hands are counted; what is found is recorded once."""
    round_ = desk.draft.round
    return desk.kind is StateKind.VOID and round_ is not None and round_.stub_wrong and not round_.stub_explained


def _misdealt(desk: Desk, act: Report) -> None:
    """The round is void already: a row that says how play would go on has nothing to say any more."""
    kind, where = _wrong_place(desk, act)
    check = desk.procedure.game.stub
    if check is None:
        desk.refuse("not-expected-now", "This game counts no stub.")
    row = desk.procedure.irregularities.get(kind)
    if row is None or row.remedy != check.wrong_misdealt.remedy:
        row = check.wrong_misdealt
    desk.emit(f.Irregular(kind=kind, remedy=row.remedy, rule=row.rule, where=where))
    desk.emit(f.StubExplained(where=where))
    desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = kind, row.remedy, row.rule


def _hands_counted_right(desk: Desk) -> None:
    check = desk.procedure.game.stub
    round_ = desk.draft.round
    if check is None or round_ is None or not _explains_the_stub(desk):
        desk.refuse("not-expected-now", "This follows a wrong stub count.")
    remedy = check.wrong_deck
    desk.emit(f.Irregular(kind="stub-count-wrong", remedy=remedy.remedy, rule=remedy.rule))
    desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = "stub-count-wrong", remedy.remedy, remedy.rule
    desk.deck_off_table("stub-count-wrong", remedy.rule)

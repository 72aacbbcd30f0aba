"""What a phase does by itself when a round comes to it: what needs no input is passed over, what comes of itself is recorded."""

from __future__ import annotations

from controller.dealing.round import Round, seat_of
from controller.dealing.side_steps import BurnByFirst, DecideSide, ExposeSide
from controller.dealing.steps import Burn, Collect, Deal, Decide, Draw, ExposeCards, SetHands, Settle, Stack, Step, Stub
from controller.dealing.turn_steps import PlayHands
from controller.table import facts as f
from controller.table import turns
from controller.table.desk import GATED, Desk
from firmware_bridge.cards import UNREADABLE, unseal_held

CARD_STEPS = (Burn, BurnByFirst, Deal, Stack, Draw)
"""Steps that are over when they plan no card."""
WAITING_FOR_TURNS = (Decide, DecideSide, SetHands, ExposeCards, Settle)
"""Steps that wait for the places whose turn it is, where there are any."""
OVER_WITHOUT_TURNS = (Decide, DecideSide, Settle)
"""Those of them that are over at once where there is none."""


def arrive(desk: Desk, step: Step, round_: Round) -> None:
    """Go on from a phase that was just entered until something is waited for."""
    if round_.plan:
        desk.serve()
        if desk.draft.deck.empty:
            _shoe_has_run_out(desk)
        return
    if round_.turns and isinstance(step, WAITING_FOR_TURNS):
        return
    if isinstance(step, Collect) and not round_.collected and desk.procedure.plays_hands is not None:
        turns.burn_what_nobody_can_use(desk)
    if isinstance(step, Stub):
        desk.emit(f.StubRacked(cards=desk.draft.deck.ledger.device))
        if desk.procedure.deals_to_every:
            _rack_hands_without_wager(desk, round_)
        if stub_count_due(desk):
            desk.raise_alarm("stub-count-due", holds=False)
        desk.fire("advance")
    elif isinstance(step, PlayHands):
        turns.go_on(desk, step)
    elif isinstance(step, Settle) and step.face_up:
        desk.judge()
        desk.fire("advance")
    elif isinstance(step, ExposeSide):
        _turn_up_at_once(desk, step)
    elif (
        isinstance(step, CARD_STEPS)
        or (isinstance(step, OVER_WITHOUT_TURNS) and not round_.turns)
        or (isinstance(step, SetHands) and not round_.turns and not step.ends_with_discards)
        or (isinstance(step, Collect) and round_.collected)
    ):
        desk.fire("advance")


def _shoe_has_run_out(desk: Desk) -> None:
    """The device has said that it is empty: is a card due?"""
    round_ = desk.draft.round
    if round_ is not None and round_.cards_due and desk.kind in GATED:
        desk.irregular("too-few-cards")


def _turn_up_at_once(desk: Desk, step: ExposeSide) -> None:
    """The procedure itself turns up a hand whose cards are all known; an unread one waits until somebody names it."""
    held = desk.round.hands.get(step.side.value, ())
    cards = unseal_held(held, "turned up by the procedure")
    if not step.at_once or UNREADABLE in cards:
        return
    desk.emit(f.Exposed(place=step.side.value, cards=cards))
    desk.notes.cards = cards
    desk.fire("advance")


def _rack_hands_without_wager(desk: Desk, round_: Round) -> None:
    """Cards dealt to positions without a wager are collected unexposed, right after the stub is proved."""
    idle = [p for p in round_.hands if (n := seat_of(p)) is not None and n not in round_.seats]
    cards = sum(len(round_.hands[place]) for place in idle)
    if cards:
        desk.emit(f.IdleHandsRacked(places=tuple(idle), cards=cards))


def stub_count_due(desk: Desk) -> bool:
    """True when this round must not end without a counted stub."""
    round_ = desk.draft.round
    if desk.procedure.game.stub is None or round_ is None or round_.stub_counted is not None:
        return False
    return desk.draft.rounds_since_count + 1 >= desk.procedure.settings.number("stub_count_every")

"""What the play of another host means for a table that follows it: the acts that people must have made, as far as the line shows them.

The other host's people tell this table nothing. What the line shows is enough where nobody at the table decides anything: that a round
has begun shows that bets were placed and closed, that the next one has begun shows that the cards of the last were picked up. Such acts
are made in the name of the role `host` and are known by inference. No act is ever made by a timer or a reconnect: each follows from an
event of the device, and where no event shows it, the table waits for people's acts or for the next shoe.

`Words` says how the line shows where a round begins. Whatever cannot be followed is left unjudged, and the shoe taken up again
where its next round begins.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.side_steps import BurnByFirst
from controller.dealing.steps import Burn, Collect, Deal, Draw, Settle, StateKind, Wagers
from controller.table import acts as a
from controller.table.acts import HOST_ROLE, AnyAct, By
from controller.table.state import TableState
from controller.table.supervisor_acts import ENDED_BY_THE_DEVICE
from firmware_bridge import events as e
from firmware_bridge import round_events as r

HOST: Final = By(HOST_ROLE)
FIRST_CARD: Final = "first-card"
"""What a device calls the card that opens a shoe."""
ACTS_MAX: Final = 8
"""Acts between two events of a line: leave, load, shuffle, bet, close, with some to spare."""
FOLLOWED_ALONE: Final = (Wagers, BurnByFirst, Burn, Deal, Draw, Settle, Collect)
"""Steps in which nobody decides anything."""
BETWEEN: Final = frozenset({StateKind.READY, StateKind.COMPLETE})


class Words(Enum):
    """How a table beside another host knows where rounds begin and end."""

    LINE = "line"
    """The device tells it: the place of each card, the result, that no round is on, or the gate that is opened."""
    CARDS = "cards"
    """A card that comes when the procedure has ended its round is the first of the next."""
    PEOPLE = "people"
    """Acts come through the API."""


def follows_alone(procedure: Procedure) -> bool:
    """Return whether rounds of this procedure can be followed without a word of people."""
    plain = all(isinstance(step, FOLLOWED_ALONE) for step in procedure.steps)
    return plain and procedure.game.shoe_game and not procedure.holder_wagers


def next_before(procedure: Procedure, state: TableState, event: e.DeviceEvent, words: Words) -> AnyAct | None:
    """Return the next act that must have been made before this event, None when the table is where the event finds it."""
    kind = procedure.kind_at(state.phase, state.round)
    if kind is StateKind.CLOSED or any(alarm.code in ENDED_BY_THE_DEVICE for alarm in state.alarms):
        return None
    match event:
        case e.ShoeLoaded() | e.ShuffleDone():
            return _leave(state, kind, "a new shoe")
        case r.CardReadAt(place=place) if place == FIRST_CARD:
            return _new_shoe(procedure, state, kind) or (_begin(state, kind) if words is not Words.PEOPLE else None)
        case e.CardRead() | e.StackDispensed() | e.BurnEjected():
            return _before_card(procedure, state, event, words, kind)
        case e.GateChanged(state=e.GateState.OPEN, cause=e.Cause.COMMAND) if words is Words.LINE:
            return _to_next_round(state, kind, "the gate is opened") if _may_begin(state, kind) else None
        case r.BetweenRounds() if words is Words.LINE:
            return None if _rests(state, kind) else _end(state, kind, "no round is on")
        case _:
            return None


def next_after(procedure: Procedure, state: TableState, event: e.DeviceEvent, words: Words) -> AnyAct | None:
    """Return the next act that this event shows, once it has been taken."""
    kind = procedure.kind_at(state.phase, state.round)
    if kind is StateKind.CLOSED:
        return None
    if isinstance(event, e.JournalLost):
        return missed(procedure, state)
    if isinstance(event, r.RoundTold) and words is Words.LINE and not _rests(state, kind):
        return _end(state, kind, "")
    return None


def missed(procedure: Procedure, state: TableState) -> AnyAct | None:
    """Something passed that nobody heard: what is known of the cards is an upper bound from here on, and the round is left."""
    is_open = procedure.kind_at(state.phase, state.round) is not StateKind.CLOSED
    return a.Join(by=HOST) if is_open and state.deck.loaded else None


def _before_card(procedure: Procedure, state: TableState, event: e.DeviceEvent, words: Words, kind: StateKind) -> AnyAct | None:
    if isinstance(event, e.CardRead) and e.CardFlag.OUT_OF_FLOW in event.flags:
        return None
    if words is Words.LINE and isinstance(event, r.CardReadAt) and event.place == "player" and event.index == 1:
        return None if _is_first_due(state, kind) else _to_next_round(state, kind, "the next round begins")
    if words is Words.CARDS and _may_begin(state, kind):
        return _to_next_round(state, kind, "")
    return None if kind is not StateKind.UNVERIFIED or state.deck.loaded else a.Join(by=HOST)


def _is_first_due(state: TableState, kind: StateKind) -> bool:
    """The round is on, and its first card to a hand is what comes next."""
    round_ = state.round
    return kind in (StateKind.DEALING, StateKind.DRAWING) and round_ is not None and round_.cards_due and not round_.hands.get("player")


def _may_begin(state: TableState, kind: StateKind) -> bool:
    """Nothing stands between the table and its next round."""
    return kind in BETWEEN or kind is StateKind.WAGERING or _is_played(state, kind)


def _is_played(state: TableState, kind: StateKind) -> bool:
    return kind is StateKind.COLLECTING and state.round is not None and not state.round.collected


def _rests(state: TableState, kind: StateKind) -> bool:
    """No round is on, and the table would take the next one, or waits for the next shoe."""
    return kind in BETWEEN or _is_over(state, kind)


def _is_over(state: TableState, kind: StateKind) -> bool:
    """The shoe is dealt out; the next card comes from another one."""
    return kind is StateKind.UNVERIFIED and (state.deck.cut_seen or state.deck.empty)


def _to_next_round(state: TableState, kind: StateKind, over: str) -> AnyAct | None:
    """One step towards a round whose first card is due."""
    if kind in BETWEEN or kind is StateKind.WAGERING:
        return _begin(state, kind)
    return _end(state, kind, over)


def _begin(state: TableState, kind: StateKind) -> AnyAct | None:
    if kind is StateKind.WAGERING and state.round is not None:
        return a.CloseBets(by=HOST) if state.round.seats else a.Wager(seat=1, by=HOST)
    if kind not in BETWEEN:
        return None
    return a.Wager(seat=1, by=HOST)


def _end(state: TableState, kind: StateKind, over: str) -> AnyAct | None:
    """The round is over for the other host: the cards are picked up, or, where that is not what the procedure says, it is left."""
    keeps_one = state.round is not None and any(as_next for _, as_next in state.round.aside)
    if _is_played(state, kind) and not keeps_one:
        return a.Collect(by=HOST)
    return a.Join(by=HOST, heard_all=not _is_over(state, kind), at_boundary=True, over=over)


def _leave(state: TableState, kind: StateKind, over: str) -> AnyAct | None:
    """A set of cards is put in or shuffled only between rounds."""
    if kind in (*BETWEEN, StateKind.UNVERIFIED, StateKind.QUARANTINED):
        return None
    return _end(state, kind, over)


def _new_shoe(procedure: Procedure, state: TableState, kind: StateKind) -> AnyAct | None:
    """The first card of a shoe shows that a new set is in use, and that its cards were said to be shuffled."""
    deck = state.deck
    untouched = deck.ledger.loaded > 0 and deck.ledger.device == deck.ledger.loaded and not deck.partial
    if deck.shuffled and deck.fresh and untouched:
        return None
    if leave := _leave(state, kind, "a new shoe"):
        return leave
    return a.Shuffle(by=HOST) if untouched and not deck.shuffled else a.Load(by=HOST, decks=procedure.deck.decks)

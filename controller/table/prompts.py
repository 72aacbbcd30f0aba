"""What to do now: one sentence for whoever deals, made from the step that is enforced and never from a hidden card.

Because the sentence comes from the very step that judges the next act, what the dealer reads and what the table takes cannot differ.
Whether a choice is open to a hand may depend on cards that nobody else sees, so all words of the step are named, as on the layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from controller.dealing.describe import step_words
from controller.dealing.procedure import Procedure
from controller.dealing.round import BURN, COMMUNITY, Round, Seat, seat_of
from controller.dealing.show_steps import ShowHands
from controller.dealing.sizes import money
from controller.dealing.steps import Betting, Collect, Decide, ExposeCards, Option, SetHands, Settle, Stack, StateKind, Step, Wagers, Who
from controller.dealing.turn_steps import PlayHands
from controller.table.codes import ALARMS, IRREGULARITIES
from controller.table.holder_acts import bets_flaw
from controller.table.look import Look
from controller.table.state import TableState
from controller.table.turn_acts import choices_now, look_may_come

SHUFFLE = "Shuffle the cards: one whole random cycle, counted."


def prompt(look: Look) -> str:
    """What is to be done next at this table."""
    procedure, state, round_, step = look.procedure, look.state, look.round, look.step
    outside = _OUTSIDE.get(look.kind)
    if outside is not None:
        return outside(procedure, state)
    if round_ is None or step is None:
        return ""
    if round_.returning:
        return "Shuffle the discards into the rest of the deck; then the deal goes on."
    if round_.cards_due:
        return _card_due(step, round_)
    return _in_step(procedure, state, step, round_)


# ---- outside of a step


def _unverified(procedure: Procedure, state: TableState) -> str:
    return SHUFFLE if state.deck.ledger.loaded else f"Load {procedure.deck.cards} cards, then shuffle them."


def _ready(procedure: Procedure, state: TableState) -> str:
    holder = procedure.game.holder
    if holder and (state.round is None or state.round.button is None):
        return f"Name the {holder}, then take wagers: {_wagers(procedure)}."
    return f"Take wagers: {_wagers(procedure)}."


def _complete(procedure: Procedure, state: TableState) -> str:
    return SHUFFLE if procedure.shuffle_each_round else _ready(procedure, state)


def _void(procedure: Procedure, state: TableState) -> str:
    if state.round is not None and not state.round.collected:
        return "The round is void. Give the wagers back as the results say and pick up all cards."
    return SHUFFLE


def _suspended(procedure: Procedure, state: TableState) -> str:
    alarm = state.holding[0] if state.holding else None
    if alarm is None:
        return "Wait for a supervisor."
    known = ALARMS.get(alarm.code) or IRREGULARITIES.get(alarm.code)
    words = known.do if known is not None else "Call a supervisor."
    return f"{words} A supervisor chooses {_either(alarm.ways)}." if alarm.ways else words


def _wagers(procedure: Procedure) -> str:
    """The wagers that are taken before the cards, with their sizes."""
    kinds = [w for w in procedure.game.wagers if w.before_deal and (w.offered is None or w.offered(procedure.settings))]
    return ", ".join(f"{_named(kind.name)} ({kind.size.words})" if kind.size is not None else _named(kind.name) for kind in kinds)


_OUTSIDE: dict[StateKind, Callable[[Procedure, TableState], str]] = {
    StateKind.CLOSED: lambda procedure, state: "Open the table.",
    StateKind.UNVERIFIED: _unverified,
    StateKind.READY: _ready,
    StateKind.COMPLETE: _complete,
    StateKind.VOID: _void,
    StateKind.SUSPENDED: _suspended,
    StateKind.QUARANTINED: lambda procedure, state: "Take the deck off the table; load and shuffle another, or call a supervisor.",
}


# ---- in a step


def _card_due(step: Step, round_: Round) -> str:
    place, face = round_.plan[round_.cursor]
    number = f" ({round_.cursor + 1} of {len(round_.plan)})" if len(round_.plan) > 1 else ""
    if isinstance(step, Stack):
        return f"Dispense a stack of {step.size} to {_at(place)}{number}."
    if place == BURN:
        return f"Burn a card{', shown' if face == 'up' else ', unseen'}{number}."
    if place.startswith(COMMUNITY):
        return f"Deal community card {place.split()[1]}, face {face}{number}."
    return f"Deal a card to {_at(place)}, face {face}{number}."


def _in_step(procedure: Procedure, state: TableState, step: Step, round_: Round) -> str:
    match step:
        case Wagers():
            missing = bets_flaw(procedure, round_) if round_.seats else ""
            return f"{missing.rstrip('.')}." if missing else f'Take wagers: {_wagers(procedure)}. Then call "no more bets".'
        case Betting() if round_.turns:
            return f"Betting round, {_at(round_.turns[0])} first: enter folds, then call the end of the round."
        case Decide() if round_.turns:
            return f"{_begun(_at(round_.turns[0]))}: {_choices(step.options, _seat_at(round_, round_.turns[0]))}."
        case PlayHands() if round_.turns:
            return _in_turn(step, round_)
        case SetHands():
            return _to_set(step, round_)
        case ExposeCards():
            return _to_turn(step, round_)
        case ShowHands():
            words = _either(option.choose for option in step.options)
            return f"{_places(round_.turns)} shows cards for the {_named(step.wager)} wager, or chooses {words}."
        case Settle() if round_.turns:
            return f"Turn up and settle the hand of {_at(round_.turns[0])}."
        case Collect() if any(alarm.code == "stub-count-due" for alarm in state.alarms):
            return "Count the stub face down and enter the number of its cards; then pick up the cards."
        case _:
            return _words(step)


def _words(step: Step) -> str:
    """The step's own sentence; it applies, since the table is in it."""
    return step_words(step).removesuffix(" (Only where it applies.)")


def _in_turn(step: PlayHands, round_: Round) -> str:
    look = ""
    if look_may_come(round_, step):
        if step.must_look:
            return "Look at the hole card and say what it is."
        look = "The hole card may be looked at now. "
    return f"{look}{_begun(_at(round_.turns[0]))}: {_either(choices_now(round_, step))}."


def _to_set(step: SetHands, round_: Round) -> str:
    groups = " and ".join(f"{name} {size}" for name, size in step.groups)
    if step.who is Who.DEALER:
        return f"Set the dealer's hand: {groups}."
    if not round_.turns:
        return "Take up the players' discards."
    return f"{_places(round_.turns)} sets {groups}{f', or chooses {_either(o.choose for o in step.options)}' if step.options else ''}."


def _to_turn(step: ExposeCards, round_: Round) -> str:
    if step.what is Who.DEALER or not step.cards:
        return _words(step)
    held = round_.hands.get(COMMUNITY, ())
    due = [str(number) for number in step.cards if number <= len(held) and not held[number - 1].shown]
    return f"Turn up community card{'s' if len(due) > 1 else ''} {' and '.join(due)}."


def _choices(options: Iterable[Option], seat: Seat | None) -> str:
    """The words of a decision; a wager with what it must be."""
    words = []
    for option in options:
        if seat is not None and option.takes_back is not None and option.takes_back not in seat.wagers:
            continue
        amounts = option.size.choices(seat.wagers) if option.size is not None and seat is not None else ()
        if amounts:
            words.append(f"{option.choose} ({' or '.join(map(money, amounts))})")
        elif option.size is not None:
            words.append(f"{option.choose} ({option.size.words})")
        else:
            words.append(option.choose)
    return _either(words)


def _seat_at(round_: Round, place: str) -> Seat | None:
    number = seat_of(place)
    return round_.seats.get(number) if number is not None else None


def _places(places: Iterable[str]) -> str:
    return _begun(_either(_at(place) for place in places))


def _at(place: str) -> str:
    return {"dealer": "the dealer", "player": "the Player's hand", "banker": "the Banker's hand", COMMUNITY: "the community area"}.get(
        place, place
    )


def _named(wager: str) -> str:
    return wager.replace("_", " ")


def _begun(words: str) -> str:
    """The words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def _either(words: Iterable[str]) -> str:
    listed = list(words)
    return f"{', '.join(listed[:-1])} or {listed[-1]}" if len(listed) > 1 else "".join(listed)

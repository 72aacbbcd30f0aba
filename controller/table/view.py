"""What of a table's state is told to the outside: the outcome of an act, what may come next, and what the devices should do.

Everything here is public. Hidden cards are never looked at: only cards that the procedure has shown, and numbers, are used.
"""

from __future__ import annotations

from controller.dealing.procedure import Procedure
from controller.dealing.round import DEALER, Round
from controller.dealing.rules import Standing
from controller.dealing.sizes import money
from controller.dealing.steps import Decide, SetHands, Stack, StateKind, Who
from controller.dealing.turn_steps import PlayHands
from controller.table.codes import REFUSALS, REMEDIES, sentence
from controller.table.desk import Notes, Refusal, stub_expected
from controller.table.judging import overall, told_wagers, visible_keys
from controller.table.look import Look, look_at
from controller.table.next_acts import next_acts
from controller.table.outcome import Outcome, ResultsByWager, Wanted
from controller.table.prompts import prompt
from controller.table.state import TableState
from controller.table.turn_acts import choices_now

SEQUENCE = 256
"""Destinations at a device are one byte."""
KINDS = {kind: kind.value for kind in StateKind}
STANDINGS = {standing: standing.value for standing in Standing}
PLAYED = frozenset({StateKind.COLLECTING, StateKind.COMPLETE})
NO_SHOE = frozenset({StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.QUARANTINED, StateKind.VOID})
"""Kinds of states in which no shoe may be open."""


def outcome(procedure: Procedure, state: TableState, act: str, notes: Notes, refusal: Refusal | None = None) -> Outcome:
    """The answer to one act in the state that follows it."""
    look = look_at(procedure, state)
    round_ = look.round
    rule = refusal.rule if refusal is not None else notes.rule
    keys = visible_keys(round_) if round_ is not None else ()
    return Outcome(
        act=act,
        state=KINDS[look.kind],
        phase=state.phase,
        gate="open" if look.gate_open else "locked",
        refused=refusal.code if refusal is not None else None,
        message=_message(notes, refusal),
        to=notes.to,
        face=notes.face,
        card=notes.card,
        cards=tuple([card.name for card in notes.cards]),
        place=notes.place,
        choice=notes.choice,
        irregularity=notes.irregularity,
        remedy=notes.remedy,
        rule=rule.citation if rule is not None else None,
        standing=STANDINGS[rule.standing] if rule is not None else None,
        alarm=notes.alarm,
        alarms=tuple([alarm.code for alarm in state.alarms]),
        next=next_acts(look),
        prompt=prompt(look),
        turn=_turn(look),
        choices=choices_now(round_, look.step) if isinstance(look.step, PlayHands) and round_ is not None else (),
        stub_expected=_cards_left(look),
        results={key: _result(procedure, round_, key) for key in keys if round_ is not None},
        pays={key: _pay(round_, key) for key in keys if round_ is not None and round_.pays[key]},
        hands={key: round_.hand_names[key] for key in keys if round_ is not None and _is_told(round_, key) and round_.hand_names.get(key)},
        house_way=_house_way(look),
        rack=round_.racked if round_ is not None else None,
        evidence=notes.evidence,
        round=state.round_number,
        beside=state.beside,
        partial=state.deck.partial,
    )


def _message(notes: Notes, refusal: Refusal | None) -> str:
    if refusal is not None:
        return f"{refusal.words.rstrip('.')}. {REFUSALS[refusal.code].do}"
    if notes.message:
        return notes.message
    code = notes.irregularity or notes.alarm
    if code is None:
        return ""
    words = REMEDIES.get(notes.remedy or "", "") if notes.irregularity is not None else ""
    return f"{sentence(code)} {words[0].upper()}{words[1:]}." if words else sentence(code)


def _result(procedure: Procedure, round_: Round, key: str) -> str | ResultsByWager:
    results = {wager: round_.results[key][wager] for wager in told_wagers(round_, key)}
    return overall(results, procedure.game.telling_wagers) if len(set(results.values())) == 1 else results


def _is_told(round_: Round, key: str) -> bool:
    return len(told_wagers(round_, key)) == len(round_.results[key])


def _pay(round_: Round, key: str) -> str | dict[str, str]:
    told = told_wagers(round_, key)
    pays = {wager: amount for wager, amount in round_.pays[key].items() if amount is not None and wager in told}
    if len(pays) != len(told):
        return {wager: money(amount) for wager, amount in pays.items()}
    if len(pays) == 1:
        return money(next(iter(pays.values())))
    return {wager: money(amount) for wager, amount in pays.items()}


def _house_way(look: Look) -> dict[str, tuple[str, ...]] | None:
    step, round_, procedure = look.step, look.round, look.procedure
    if not isinstance(step, SetHands) or step.who is not Who.DEALER or round_ is None or not round_.dealer_exposed:
        return None
    cards = round_.shown_cards(DEALER)
    advised = procedure.game.house_way(procedure.settings, cards) if cards else None
    return {name: tuple(card.name for card in group) for name, group in advised.items()} if advised else None


def _cards_left(look: Look) -> int | None:
    """What the stub must have when the last card was dealt; of a shoe that goes on, what is left in it when the round is played."""
    round_, game, ledger = look.round, look.procedure.game, look.state.deck.ledger
    if round_ is None:
        return None
    if game.stub is not None:
        return stub_expected(round_, ledger.loaded)
    return ledger.device if game.shoe_game and look.kind in PLAYED else None


def _turn(look: Look) -> str | None:
    turns = look.round.turns if look.round is not None else ()
    return turns[0] if turns and isinstance(look.step, PlayHands | Decide) else None


def wanted(procedure: Procedure, state: TableState) -> Wanted:
    """What the devices should do now."""
    deck, look = state.deck, look_at(procedure, state)
    if state.beside or not deck.shuffled or look.kind in NO_SHOE:
        return Wanted()
    round_, step = look.round, look.step
    if round_ is not None and round_.stub_racked and look.kind is not StateKind.READY:
        return Wanted()
    if round_ is None or not look.gate_open:
        return Wanted(shoe=state.shoe, decks=deck.decks, back=deck.back)
    if isinstance(step, Stack):
        place = round_.plan[round_.cursor][0]
        destination = {DEALER: 0}.get(place) if not place.startswith("seat") else int(place.split()[1])
        return Wanted(
            shoe=state.shoe, decks=deck.decks, back=deck.back,
            dispense=(step.size, destination if destination is not None else SEQUENCE - 1, round_.number * SEQUENCE + round_.stacks_dealt),
        )  # fmt: skip
    return Wanted(shoe=state.shoe, decks=deck.decks, back=deck.back, unlock=len(round_.plan) - round_.cursor)

"""What of a table's state is told to the outside: the outcome of an act, what may come next, and what the devices should do.

Everything here is public. Hidden cards are never looked at: only cards that the procedure has shown, and numbers, are used.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.dealing.procedure import Procedure
from controller.dealing.round import DEALER, Round
from controller.dealing.side_steps import DecideSide, ExposeSide
from controller.dealing.sizes import money
from controller.dealing.steps import Betting, Decide, ExposeCards, SetHands, Settle, Stack, StateKind, Wagers, Who
from controller.dealing.turn_steps import PlayHands
from controller.table import acts as a
from controller.table.codes import REFUSALS, sentence
from controller.table.dealer_acts import stub_expected
from controller.table.desk import Notes, Refusal
from controller.table.holder_acts import bets_flaw
from controller.table.judging import overall, to_declare, told_wagers, visible_keys
from controller.table.outcome import Outcome, ResultsByWager, Wanted
from controller.table.outcomes import OUTCOMES, Handler
from controller.table.prompts import prompt
from controller.table.repair_acts import may_rescan
from controller.table.state import TableState
from controller.table.turn_acts import choices_now, look_may_come

SEQUENCE = 256
"""Destinations at a device are one byte."""


def outcome(procedure: Procedure, state: TableState, act: str, notes: Notes, refusal: Refusal | None = None) -> Outcome:
    """The answer to one act in the state that follows it."""
    round_ = state.round
    kind = procedure.kind_at(state.phase, state.round)
    rule = refusal.rule if refusal is not None else notes.rule
    keys = visible_keys(round_) if round_ is not None else []
    return Outcome(
        act=act,
        state=kind.value,
        phase=state.phase,
        gate="open" if gate_open(procedure, state) else "locked",
        refused=refusal.code if refusal is not None else None,
        message=_message(notes, refusal),
        to=notes.to,
        face=notes.face,
        card=notes.card,
        cards=notes.cards,
        place=notes.place,
        choice=notes.choice,
        irregularity=notes.irregularity,
        remedy=notes.remedy,
        rule=rule.citation if rule is not None else None,
        standing=rule.standing.value if rule is not None else None,
        alarm=notes.alarm,
        alarms=tuple(alarm.code for alarm in state.alarms),
        next=next_acts(procedure, state),
        prompt=prompt(procedure, state),
        turn=_turn(procedure, state),
        choices=_choices(procedure, state),
        stub_expected=_cards_left(procedure, state),
        results={key: _result(procedure, round_, key) for key in keys if round_ is not None},
        pays={key: _pay(round_, key) for key in keys if round_ is not None and round_.pays[key]},
        hands={key: round_.hand_names[key] for key in keys if round_ is not None and _is_told(round_, key) and round_.hand_names.get(key)},
        house_way=_house_way(procedure, state),
        rack=round_.racked if round_ is not None else None,
        evidence=notes.evidence,
        round=state.round_number,
    )


def _message(notes: Notes, refusal: Refusal | None) -> str:
    if refusal is not None:
        return f"{refusal.words.rstrip('.')}. {REFUSALS[refusal.code].do}"
    if notes.message:
        return notes.message
    code = notes.irregularity or notes.alarm
    return sentence(code) if code is not None else ""


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


def _house_way(procedure: Procedure, state: TableState) -> dict[str, tuple[str, ...]] | None:
    step = procedure.step(state.phase)
    round_ = state.round
    if not isinstance(step, SetHands) or step.who is not Who.DEALER or round_ is None or not round_.dealer_exposed:
        return None
    cards = round_.shown_cards(DEALER)
    advised = procedure.game.house_way(procedure.settings, cards) if cards else None
    return {name: tuple(card.name for card in group) for name, group in advised.items()} if advised else None


def _cards_left(procedure: Procedure, state: TableState) -> int | None:
    """What the stub must have when the last card was dealt; of a shoe that goes on, what is left in it when the round is played."""
    round_ = state.round
    if round_ is None or procedure.game.stub is not None:
        return stub_expected(round_, state.deck.ledger.loaded) if round_ is not None else None
    played = procedure.kinds[state.phase] in (StateKind.COLLECTING, StateKind.COMPLETE)
    return state.deck.ledger.device if procedure.game.shoe_game and played else None


def _turn(procedure: Procedure, state: TableState) -> str | None:
    if not isinstance(procedure.step(state.phase), PlayHands | Decide) or state.round is None:
        return None
    return next(iter(state.round.turns), None)


def _choices(procedure: Procedure, state: TableState) -> tuple[str, ...]:
    step, round_ = procedure.step(state.phase), state.round
    return choices_now(round_, step) if isinstance(step, PlayHands) and round_ is not None else ()


def gate_open(procedure: Procedure, state: TableState) -> bool:
    """True exactly while a card or a stack is expected."""
    round_ = state.round
    return (
        round_ is not None
        and procedure.kind_at(state.phase, state.round) in (StateKind.DEALING, StateKind.DRAWING)
        and round_.cards_due
        and not state.holding
    )


def wanted(procedure: Procedure, state: TableState) -> Wanted:
    """What the devices should do now."""
    deck = state.deck
    kind = procedure.kind_at(state.phase, state.round)
    if not deck.shuffled or kind in (StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.QUARANTINED, StateKind.VOID):
        return Wanted()
    round_ = state.round
    if round_ is not None and round_.stub_racked and kind is not StateKind.READY:
        return Wanted()
    shoe = Wanted(shoe=state.shoe, decks=deck.decks, back=deck.back)
    if round_ is None or not gate_open(procedure, state):
        return shoe
    step = procedure.step(state.phase)
    if isinstance(step, Stack):
        place = round_.plan[round_.cursor][0]
        destination = {DEALER: 0}.get(place) if not place.startswith("seat") else int(place.split()[1])
        return Wanted(
            shoe=state.shoe, decks=deck.decks, back=deck.back,
            dispense=(step.size, destination if destination is not None else SEQUENCE - 1, round_.number * SEQUENCE + round_.stacks_dealt),
        )  # fmt: skip
    return Wanted(shoe=state.shoe, decks=deck.decks, back=deck.back, unlock=len(round_.plan) - round_.cursor)


# ---- what may come next


def next_acts(procedure: Procedure, state: TableState) -> tuple[str, ...]:
    """The acts that are acceptable now, by their names."""
    kind = procedure.kind_at(state.phase, state.round)
    names = []
    for act, test in _NEXT.items():
        if isinstance(OUTCOMES[kind, act], Handler) and test(procedure, state):
            names.append(str(act.__struct_config__.tag))
    return tuple(names)


def _cards_due(procedure: Procedure, state: TableState) -> bool:
    return gate_open(procedure, state) and not isinstance(procedure.step(state.phase), Stack)


def _stack_due(procedure: Procedure, state: TableState) -> bool:
    return gate_open(procedure, state) and isinstance(procedure.step(state.phase), Stack)


def _may_wager(procedure: Procedure, state: TableState) -> bool:
    return not state.holding and (procedure.kind_at(state.phase, state.round) is not StateKind.COMPLETE or not procedure.shuffle_each_round)


def _may_close_bets(procedure: Procedure, state: TableState) -> bool:
    step, round_ = procedure.step(state.phase), state.round
    if round_ is None:
        return False
    if isinstance(step, Decide) and step.unsaid:
        return bool(round_.turns)
    return isinstance(step, Betting) or (isinstance(step, Wagers) and not bets_flaw(procedure, round_))


def _may_shuffle(procedure: Procedure, state: TableState) -> bool:
    kind = procedure.kind_at(state.phase, state.round)
    between = kind in (StateKind.UNVERIFIED, StateKind.COMPLETE, StateKind.VOID) and state.deck.ledger.loaded > 0
    return between or (state.round is not None and state.round.returning > 0)


def _may_start(procedure: Procedure, state: TableState) -> bool:
    if procedure.button_game:
        return procedure.kind_at(state.phase, state.round) in (StateKind.READY, StateKind.WAGERING) and not state.holding
    if procedure.game.holder:
        return _may_name_holder(procedure, state)
    return procedure.kind_at(state.phase, state.round) is StateKind.STARTING


def _may_name_holder(procedure: Procedure, state: TableState) -> bool:
    """Until somebody has placed a wager."""
    kind = procedure.kinds[state.phase]
    if kind is StateKind.WAGERING:
        return state.round is not None and not state.round.seats
    return kind in (StateKind.READY, StateKind.COMPLETE) and not state.holding


def _may_decide(procedure: Procedure, state: TableState) -> bool:
    step, round_ = procedure.step(state.phase), state.round
    if round_ is None:
        return False
    plays = procedure.plays_hands
    if plays is not None and round_.redeemable and isinstance(step, ExposeCards):
        return any(option.redeems for option in plays.options)
    if isinstance(step, Decide | DecideSide):
        return bool(round_.turns) and round_.cursor >= len(round_.plan)
    if isinstance(step, PlayHands):
        return bool(round_.turns) and not (step.must_look and look_may_come(round_, step))
    if not isinstance(step, SetHands | Settle) or not step.options:
        return False
    unexposed = any(seat.live and not seat.exposed for seat in round_.seats.values())
    players_turn = any(place != DEALER for place in round_.turns)
    return players_turn or (unexposed and any(option.until_exposed for option in step.options))


def _may_look(procedure: Procedure, state: TableState) -> bool:
    """The dealer may look at the hole card: in the players' turns, or where it is turned since nobody has a turn."""
    plays, step, round_ = procedure.plays_hands, procedure.step(state.phase), state.round
    if plays is None or round_ is None or not round_.played or not isinstance(step, PlayHands | ExposeCards):
        return False
    return look_may_come(round_, plays)


def _may_set(procedure: Procedure, state: TableState) -> bool:
    step = procedure.step(state.phase)
    return isinstance(step, SetHands) and state.round is not None and bool(state.round.turns)


def _may_expose(procedure: Procedure, state: TableState) -> bool:
    step = procedure.step(state.phase)
    return isinstance(step, ExposeCards | ExposeSide | Settle) and state.round is not None and bool(state.round.turns)


def _may_declare(procedure: Procedure, state: TableState) -> bool:
    return state.round is not None and bool(to_declare(state.round))


def _may_count(procedure: Procedure, state: TableState) -> bool:
    round_ = state.round
    return procedure.game.stub is not None and round_ is not None and round_.stub_racked and round_.stub_counted is None


def _may_collect(procedure: Procedure, state: TableState) -> bool:
    step, round_ = procedure.step(state.phase), state.round
    if procedure.kind_at(state.phase, state.round) is StateKind.VOID:
        return round_ is not None and not round_.collected
    if isinstance(step, SetHands):
        return step.ends_with_discards and round_ is not None and not round_.turns
    return procedure.kind_at(state.phase, state.round) is StateKind.COLLECTING and round_ is not None and not round_.collected


def _may_resolve(procedure: Procedure, state: TableState) -> bool:
    return bool(state.alarms) or procedure.kind_at(state.phase, state.round) in (StateKind.SUSPENDED, StateKind.QUARANTINED)


_NEXT: dict[type[a.Act], Callable[[Procedure, TableState], bool]] = {
    a.Open: lambda p, s: True,
    a.Load: lambda p, s: p.kind_at(s.phase, s.round) in (StateKind.UNVERIFIED, StateKind.QUARANTINED, StateKind.COMPLETE, StateKind.VOID),
    a.Shuffle: _may_shuffle,
    a.Wager: _may_wager,
    a.Start: _may_start,
    a.CloseBets: _may_close_bets,
    a.CardOut: _cards_due,
    a.StackOut: _stack_due,
    a.Decide: _may_decide,
    a.HoleCheck: _may_look,
    a.SetHand: _may_set,
    a.Expose: _may_expose,
    a.Declare: _may_declare,
    a.StubCount: _may_count,
    a.Collect: _may_collect,
    a.Rescan: may_rescan,
    a.ReplaceCard: lambda p, s: bool(s.deck.short),
    a.Resolve: _may_resolve,
    a.Close: lambda p, s: True,
}

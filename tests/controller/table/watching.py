"""What must be true after every decision of a table, whatever the act was.

`Watch.see` looks at one verdict against the state before it. It asks the table for nothing that it can count by itself: the cards are
counted from the bench's physical deck, the money from the wagers.
"""

from __future__ import annotations

import msgspec

from controller.dealing.round import seat_of
from controller.dealing.steps import Deal, Stack, StateKind, Who
from controller.table import acts as a
from controller.table import facts as f
from controller.table.apply import fold
from controller.table.outcomes import DEVICE_ACTS
from controller.table.record import decode_entry, encode_entry
from controller.table.state import TableState, new_state
from controller.table.table import Verdict, facts_from_boundary, wanted
from firmware_bridge.cards import UNREADABLE, unseal
from tests.controller.table.bench import Bench
from tests.controller.table.money import check_money

LOOK = "the test compares the books with the cards"
MAY_HOLD = frozenset({StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.READY, StateKind.COMPLETE, StateKind.VOID, StateKind.QUARANTINED})
"""States outside of a round in which an alarm may be open that holds the table; in a round it suspends."""

GATED = frozenset({StateKind.DEALING, StateKind.DRAWING})
"""States in which cards may be due."""


class Watch:
    """See the module's text. `records` are the facts since the last record that a fold may begin with."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.records: list[tuple[f.AnyFact, ...]] = []
        self.whole = True

    def see(self, before: TableState, act: a.AnyAct, verdict: Verdict) -> None:
        """Check one verdict; an AssertionError says what is not so."""
        self._facts_are_all(before, act, verdict)
        self._remember(verdict)
        self._cards_add_up(verdict)
        self._gate_follows_the_plan(before, act, verdict)
        self._results_are_hidden(verdict)
        self._prompt_is_what_is_taken(verdict)
        self._holding_holds(verdict)
        if any(isinstance(fact, f.RoundCompleted) for fact in verdict.facts):
            check_money(self.bench.procedure, before if before.round is not None else verdict.state, verdict.state)

    def _facts_are_all(self, before: TableState, act: a.AnyAct, verdict: Verdict) -> None:
        assert fold(before, verdict.facts) == verdict.state, "the state is not the fold of the facts"
        decoded = decode_entry(*encode_entry(act, verdict.facts))
        assert decoded == (act, verdict.facts), "the record does not come back as it was written"
        heard = [fact for fact in verdict.facts if isinstance(fact, f.DeviceHeard)]
        assert len(heard) == (act.origin is not None), "the device's event number is recorded once"
        if verdict.outcome.refused is not None:
            assert len(verdict.facts) == len(heard), f"a refused act leaves facts: {verdict.facts}"
            seq = {fact.device: fact.eseq for fact in heard}
            assert verdict.state == msgspec.structs.replace(before, device_seq={**before.device_seq, **seq})
        if not verdict.facts:
            assert type(act) not in DEVICE_ACTS or act.origin is None

    def _remember(self, verdict: Verdict) -> None:
        if verdict.boundary:
            self.records = []
            self.whole = False
            self.records.append(facts_from_boundary(verdict.facts))
        elif verdict.facts:
            self.records.append(verdict.facts)

    def recovered(self) -> TableState:
        """The table as a restart would rebuild it."""
        state = new_state(self.bench.procedure.deck, self.bench.state.table)
        for facts in self.records:
            state = fold(state, facts)
        return state

    def _cards_add_up(self, verdict: Verdict) -> None:
        bench, state = self.bench, verdict.state
        deck, ledger = state.deck, state.deck.ledger
        assert ledger.balance() is None
        places = (ledger.device, ledger.dealt, ledger.burned, ledger.discarded, ledger.aside, ledger.unread)
        assert min(places) >= 0
        assert ledger.loaded == sum(places)
        assert ledger.device == len(bench.pack), "the device holds another number of cards than the ledger says"
        assert len(deck.watch.read) == len(bench.out), "a card that left the device is not in the order read"
        told = [unseal(sealed, LOOK) for fact in verdict.facts for sealed in _cards_of(fact)]
        for card, seen in zip(bench.fed, told, strict=False):
            assert seen in (card, UNREADABLE), "the record tells another card than the one that came"
        in_phase = state.resume_to or state.phase
        if state.round is not None and bench.procedure.kinds[in_phase] not in MAY_HOLD:
            lying = sum(len(held) for held in state.round.hands.values()) + len(state.round.pending_stack)
            racked = ledger.discarded + ledger.burned
            assert lying + len(state.round.aside + state.round.held_out) >= ledger.dealt + ledger.aside >= 0
            assert racked >= 0

    def _gate_follows_the_plan(self, before: TableState, act: a.AnyAct, verdict: Verdict) -> None:
        bench, state, outcome = self.bench, verdict.state, verdict.outcome
        kind = bench.procedure.kind_at(state.phase, state.round)
        due = state.round is not None and state.round.cards_due and kind in GATED
        assert (outcome.gate == "open") == (due and not state.holding), "the gate is not what the plan says"
        want = wanted(bench.procedure, state)
        assert (outcome.gate == "open") == bool(want.unlock or want.dispense), "the device is told another gate than the people"
        if outcome.gate == "open":
            assert want.shoe == state.shoe
        for fact in verdict.facts:
            if isinstance(fact, f.CardDealt | f.StackDealt | f.CardsReordered) and (seat := seat_of(fact.to)) is not None:
                self._may_get_a_card(verdict, seat)
            if isinstance(fact, f.CardDealt | f.StackDealt):
                assert _was_open(bench, before), "a card was dealt although the gate was locked"

    def _may_get_a_card(self, verdict: Verdict, seat: int) -> None:
        round_ = verdict.state.round
        assert round_ is not None
        everyone = any(isinstance(step, Deal | Stack) and Who.EVERY in step.to for step in self.bench.procedure.steps)
        assert everyone or seat in round_.seats, f"seat {seat} has no wager"
        if seat in round_.seats:
            status = round_.seats[seat].status
            assert status == "" or round_.void or (everyone and status == "dead"), (
                f"a card went to seat {seat}, which is {round_.seats[seat].status}"
            )

    def _prompt_is_what_is_taken(self, verdict: Verdict) -> None:
        """What the dealer reads is never empty, and names the card, the hand or the place that the table waits for."""
        outcome, round_ = verdict.outcome, verdict.state.round
        assert outcome.prompt.endswith("."), f"in {outcome.phase} the prompt is '{outcome.prompt}'"
        if outcome.gate == "open":
            assert outcome.prompt.startswith(("Deal ", "Dispense ", "Burn ")), outcome.prompt
        elif "decide" in outcome.next and outcome.state == "deciding" and outcome.turn is not None:
            assert outcome.turn in outcome.prompt.lower(), outcome.prompt
        if round_ is not None and outcome.state == "settling" and len(round_.turns) == 1:
            assert round_.turns[0] in outcome.prompt.lower() or not round_.turns[0].startswith("seat"), outcome.prompt

    def _results_are_hidden(self, verdict: Verdict) -> None:
        outcome, round_ = verdict.outcome, verdict.state.round
        told = {*outcome.results, *outcome.pays, *outcome.hands}
        if round_ is None:
            assert not told
        elif not (round_.collected or round_.void):
            assert told <= set(round_.declared), "a result is told before it was declared"

    def _holding_holds(self, verdict: Verdict) -> None:
        state = verdict.state
        kind = self.bench.procedure.kind_at(state.phase, state.round)
        if state.holding:
            assert kind is StateKind.SUSPENDED or kind in MAY_HOLD, f"the table goes on in {state.phase} with {state.holding}"
        if kind is StateKind.SUSPENDED:
            assert state.holding, "the table waits for nothing"
            assert state.resume_to is not None
        if kind is StateKind.READY:
            assert state.deck.shuffled, "ready without a shuffle"


def _was_open(bench: Bench, before: TableState) -> bool:
    """Open, or held by a lost line alone: the device, which locks itself later, tells of a card that it was asked for."""
    round_ = before.round
    return round_ is not None and round_.cursor < len(round_.plan) and all(alarm.code == "device-lost" for alarm in before.holding)


def _cards_of(fact: f.AnyFact) -> tuple[f.Sealed, ...]:
    match fact:
        case f.CardDealt() | f.CardPutAside() | f.StrayCard() | f.CardDiscarded() | f.StackCardRead():
            return (fact.card,)
        case _:
            return ()

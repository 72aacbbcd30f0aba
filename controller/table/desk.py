"""The working place of one decision: a draft of the state, the facts so far, and the words of the answer.

Handlers read the draft, `emit` facts (each is applied to the draft at once) and note what the sender is told. They never change the draft
otherwise. A `Refusal` ends a decision without any fact of a person's act.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import msgspec

from controller.dealing.game import Judged
from controller.dealing.plan import arranged
from controller.dealing.procedure import Procedure
from controller.dealing.repairs import PUT_RIGHT, REPAIRED
from controller.dealing.round import COMMUNITY, Round, seat_of
from controller.dealing.rules import Rule, house
from controller.dealing.show_steps import ShowHands
from controller.dealing.side_steps import BurnByFirst
from controller.dealing.steps import (
    Betting,
    Deal,
    Draw,
    Exchange,
    Stack,
    StateKind,
    Step,
)
from controller.dealing.turn_steps import HandCard
from controller.table import facts as f
from controller.table.acts import AnyAct
from controller.table.apply import APPLY
from controller.table.codes import REFUSALS
from controller.table.state import TableState
from firmware_bridge.cards import UNREADABLE, Card, Sealed, unseal

SUPERVISOR = house("supervisor decides", "no text says more; a supervisor decides")
DECIDED_WAYS = ("continue", "void", "replace-deck", "reshuffle")
"""How a supervisor may settle what no rule decides."""
VOIDING = frozenset({"round-void", "all-hands-void", "all-hands-void-side-bets-stand", "reshuffle"})
RESHUFFLE_REST = "reshuffle-and-continue"
"""The remedy of too few cards that is due before the first of them is missing."""
GATED = (StateKind.DEALING, StateKind.DRAWING)
"""Kinds of states in which cards may be due."""
OUTSIDE_ROUND = frozenset(
    {StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.READY, StateKind.COMPLETE, StateKind.VOID, StateKind.QUARANTINED}
)
ASKED_AGAIN = (Draw, BurnByFirst)
"""Steps whose rule is asked after every card."""


def shown_card(card: Sealed, face: str) -> Card | None:
    """The card in clear when the procedure deals it face up, else None."""
    if face != "up":
        return None
    seen = unseal(card, "dealt face up")
    return seen if seen is not UNREADABLE else None


class Refusal(Exception):  # noqa: N818  # a verdict on the act, not a fault of ours
    """The act is not accepted; `code` is one of REFUSALS."""

    def __init__(self, code: str, words: str, rule: Rule | None = None) -> None:
        super().__init__(words)
        self.code, self.words, self.rule = code, words, rule


class Notes:
    """What the answer will say besides the state. The defaults stand at the class, so that a card pays for what it notes alone."""

    to: str | None = None
    face: str | None = None
    card: str | None = None
    cards: tuple[Card, ...] = ()
    place: str | None = None
    choice: str | None = None
    irregularity: str | None = None
    remedy: str | None = None
    rule: Rule | None = None
    alarm: str | None = None
    evidence: str | None = None
    message = ""


class Course(msgspec.Struct, frozen=True):
    """Where a round goes by itself, handed to the desk by whoever has it decide: what is asked of it calls the desk again."""

    arrive: Callable[[Desk, Step, Round], None]
    """Goes on from a phase that was just entered, as far as nobody is waited for."""
    remedy: Callable[[Desk, str, str, Rule, str], None]
    """Does what a remedy asks for an irregularity of a kind at a place, other than voiding, a dead hand or a supervisor."""


class Desk(msgspec.Struct, eq=False, gc=False):
    """See the module's text."""

    course: Course
    procedure: Procedure
    draft: TableState
    act: AnyAct
    facts: list[f.AnyFact] = []
    notes: Notes = msgspec.field(default_factory=Notes)

    # ---- reading

    @property
    def by(self) -> str:
        """Who acts, as records name them."""
        return str(self.act.by)

    @property
    def round(self) -> Round:
        """The present round; handlers are only called where there is one."""
        return self.draft.round or self._no_round()

    def _no_round(self) -> NoReturn:
        raise Refusal("not-expected-now", "No round is in progress.")

    @property
    def step(self) -> Step | None:
        """The step of the present phase."""
        return self.procedure.by_name.get(self.draft.phase)

    @property
    def kind(self) -> StateKind:
        """The kind of the present phase."""
        return self.procedure.kind_at(self.draft.phase, self.draft.round)

    @property
    def in_round(self) -> bool:
        """True from the first wager until the cards are collected or the round is void, also while suspended in it."""
        phase = self.draft.resume_to if self.kind is StateKind.SUSPENDED and self.draft.resume_to else self.draft.phase
        return self.procedure.kinds[phase] not in OUTSIDE_ROUND

    def refuse(self, code: str, words: str = "", rule: Rule | None = None) -> NoReturn:
        """End the decision with a refusal."""
        raise Refusal(code, words or REFUSALS[code].happened, rule)

    # ---- emitting

    def emit(self, fact: f.AnyFact) -> None:
        """Record a fact and apply it to the draft."""
        self.facts.append(fact)
        APPLY[type(fact)](self.draft, fact)

    def judged(self, hand: Judged) -> None:
        """Record the result of one hand."""
        self.emit(
            f.HandJudged(
                key=hand.key, results=hand.results, pays=hand.pays, hand=hand.hand, commission=hand.commission, rule=hand.rule
            )
        )  # fmt: skip

    def fire(self, trigger: str) -> bool:
        """Fire a trigger of the machine and enter the phase it leads to; False when the machine has no such transition from here."""
        draft = self.draft
        phase = self.procedure.phases.after(draft.phase, trigger, draft.round)
        if phase is None:
            return False
        self.enter(phase)
        return True

    def enter(self, phase: str) -> None:
        """Enter a phase: plan its cards, list its turns, and pass over what needs no input."""
        procedure, round_ = self.procedure, self.draft.round
        step = procedure.by_name.get(phase)
        if step is None or round_ is None:
            self.emit(f.StepEntered(phase=phase))
            return
        plan, turns = arranged(step, round_, procedure.seats)
        self.emit(f.StepEntered(phase=phase, plan=plan, turns=turns))
        self.course.arrive(self, step, round_)

    def serve(self) -> None:
        """The planned cards may come: is the rest of the deck large enough, and do some of them wait already?"""
        round_ = self.draft.round or self._no_round()
        row = self.procedure.irregularities.get("too-few-cards")
        if row is not None and row.remedy == RESHUFFLE_REST and not round_.returning:
            waiting = sum(as_next for _, as_next in round_.aside)
            if len(round_.plan) - round_.cursor - waiting > self.cards_in_device:
                self.irregular("too-few-cards")
        if round_.aside:
            self.place_waiting_cards()

    def place_waiting_cards(self) -> None:
        """Cards drawn in error and to be used as the next card go to the next planned places by themselves; none is a stack."""
        round_ = self.round
        if isinstance(self.step, Stack) or (round_.cards_due and not round_.aside):
            return
        while round_.cards_due and self.kind is not StateKind.SUSPENDED:
            waiting = next((held for held, as_next in round_.aside if as_next), None)
            if waiting is None:
                return
            place, face = round_.plan[round_.cursor]
            shown = shown_card(waiting.card, face)
            self.emit(f.CardsReordered(to=place, face=face, card=waiting.card, evidence=waiting.evidence, shown=shown))
            self.notes.to, self.notes.face, self.notes.card = place, face, shown.name if shown else None
            self.notes.evidence = waiting.evidence
            if face == "up" and shown is None:
                self.unread(place, face)
                return
        self.step_done()

    def step_done(self) -> None:
        """Go on when the step has all its cards; a rule that asks card by card is asked again."""
        round_ = self.draft.round or self._no_round()
        if not round_.plan or round_.cursor < len(round_.plan):
            return
        step = self.procedure.by_name.get(self.draft.phase)
        if isinstance(step, Deal):
            if step.announces is not None:
                self.notes.message = step.announces(round_)
        elif isinstance(step, ASKED_AGAIN):
            self.enter(self.draft.phase)
            return
        elif isinstance(step, HandCard):
            self.fire("drawn")
            return
        elif isinstance(step, Betting) or (isinstance(step, Exchange) and round_.turns):
            return
        self.fire("advance")

    def judge(self) -> None:
        """Record the results that the round now allows and that are not recorded yet."""
        round_, procedure = self.draft.round or self._no_round(), self.procedure
        for hand in procedure.game.judge(procedure.settings, round_):
            if round_.results.get(hand.key) == hand.results and round_.pays.get(hand.key) == hand.pays:
                continue
            self.judged(hand)
            self.notes.rule = hand.rule

    # ---- trouble

    def raise_alarm(self, code: str, *, where: str = "", detail: str = "", holds: bool = True, ways: tuple[str, ...] = ()) -> None:
        """Raise an alarm; one that holds suspends the table in place."""
        self.emit(f.AlarmRaised(code=code, where=where, detail=detail, holds=holds, ways=ways))
        self.notes.alarm = self.notes.alarm or code
        if holds:
            self.suspend()

    def suspend(self) -> None:
        """Hold the table where it is."""
        if self.procedure.phases.after(self.draft.phase, "suspend", self.draft.round) is not None:
            self.emit(f.Suspended(from_phase=self.draft.phase))

    def unread(self, place: str, face: str) -> None:
        """A card was not read. One that lies open, or that a rule looks at, is named by nobody later: play waits for its name."""
        named_later = face != "up" or not (
            self.procedure.hands_lie_open or place.startswith(COMMUNITY) or isinstance(self.step, Draw | BurnByFirst)
        )
        self.irregular("unreadable-card", where=place, ways=DECIDED_WAYS if named_later else DECIDED_WAYS[1:])

    def irregular(
        self, kind: str, *, where: str = "", detail: str = "", ways: tuple[str, ...] = DECIDED_WAYS, row: str | None = None
    ) -> None:
        """Apply the game's remedy for an irregularity; without a row a supervisor decides while the table waits."""
        first = self.procedure.irregularities.get(row or kind)
        found = first.at(self.draft.round, where) if first is not None else None
        remedy, rule = (found.remedy, found.rule) if found is not None else ("supervisor-decides", SUPERVISOR)
        self.emit(f.Irregular(kind=kind, remedy=remedy, rule=rule, where=where))
        self.notes.irregularity, self.notes.remedy, self.notes.rule = kind, remedy, rule
        if remedy in VOIDING:
            self.void(kind, remedy, rule)
        elif remedy == "deck-off-table":
            self.deck_off_table(kind, rule)
        elif (
            remedy == "hand-dead" and not self.procedure.among_players and (seat := seat_of(where)) is not None and seat in self.round.seats
        ):
            self.kill_hand(seat, rule)
        elif remedy == "supervisor-decides" or (remedy in REPAIRED and kind in PUT_RIGHT):
            self.raise_alarm(kind, where=where, detail=detail, ways=ways)
        else:
            self.course.remedy(self, kind, remedy, rule, where)

    def kill_hand(self, seat: int, rule: Rule) -> None:
        """A hand is out of the round; where every position is dealt, wager or not, its position still gets its cards."""
        self.emit(f.HandDead(seat=seat, rule=rule, dealt_on=self.procedure.deals_to_every))

    def wagers_go_back(self, remedy: str, rule: Rule, why: str, *, side_bets_stand: bool = False) -> None:
        """The round is void; only what was settled for good before stays, and side wagers where the remedy says so."""
        procedure = self.procedure
        stand = tuple(wager.name for wager in procedure.game.wagers if wager.side) if side_bets_stand else ()
        shown = tuple(step.wager for step in procedure.steps if isinstance(step, ShowHands) and step.stands)
        seats = procedure.game.settled_early(self.round)
        void = f.RoundVoided(
            remedy=remedy, rule=rule, why=why, side_bets_stand=side_bets_stand, stand=stand, settled=shown, settled_seats=seats
        )
        self.emit(void)

    def void(self, why: str, remedy: str, rule: Rule) -> None:
        """All hands void by a rule; wagers go back."""
        stands = remedy.endswith("side-bets-stand")
        self.wagers_go_back(remedy, rule, why, side_bets_stand=stands)
        judge_void = self.procedure.game.judge_void
        for hand in judge_void(self.procedure.settings, self.round) if stands and judge_void is not None else ():
            self.judged(hand)
        if why in self.procedure.irregularities or why.endswith("wrong"):
            self.raise_alarm(why, holds=False)
        self.fire("void")

    def deck_off_table(self, why: str, rule: Rule) -> None:
        """The round is void and the deck is quarantined."""
        if self.draft.round is not None and not self.draft.round.void and self.in_round:
            self.wagers_go_back("deck-off-table", rule, why)
        self.emit(f.DeckQuarantined(why=why))
        self.raise_alarm(why, holds=False, ways=("replace-deck",))
        self.fire("quarantine")

    @property
    def cards_in_device(self) -> int:
        """Cards that the device still holds, by the ledger."""
        return self.draft.deck.ledger.device


def stub_expected(round_: Round, loaded: int) -> int | None:
    """Cards that the stub must have, once the last card of the round was dealt."""
    return loaded - round_.out if round_.stub_racked else None

"""P1 and P9: the verdict on one card against one bare trigger of the state machine library, and whole rounds against PokerKit.

Both sides only compute, so what is counted is processor time: who else uses the machine in between does not matter.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Final

from transitions import EventData, Machine

from controller.dealing.procedure import Procedure, build_procedure
from controller.games import find_game
from controller.table import acts as a
from controller.table.state import TableState
from controller.table.table import decide, new_state
from firmware_bridge.cards import FRENCH_CARDS, Card, Sealed
from hil.bench.measure import Goal, at_least, at_most, in_turn

SEATS = 6
CARDS = 20
"""Cards timed in one deal: all but the last, which ends the step."""
REPEATS = 40
PAIRS = 31
"""Many short pairs: on a shared machine the median of few long ones wanders by a third."""


def opened(procedure: Procedure, table: str = "bench") -> TableState:
    """A table with a shuffled deck."""
    state = new_state(procedure, table)
    for act in (a.Open(), a.Load(decks=1, cards=52), a.Shuffle(counted=52)):
        state = decide(procedure, state, act, 0).state
    return state


def bets_closed(procedure: Procedure, state: TableState) -> TableState:
    """All seats wagered, no more bets."""
    for seat in range(1, SEATS + 1):
        state = decide(procedure, state, a.Wager(seat=seat, amounts={"ante": 1000}), 0).state
    return decide(procedure, state, a.CloseBets(), 0).state


class _Bare:
    """A machine with a condition, a before and an after callback: the least that a guarded transition costs."""

    def __init__(self) -> None:
        self.count = 0
        self.machine = Machine(model=self, states=["a", "b"], initial="a", auto_transitions=False, send_event=True)
        self.machine.add_transition("go", "a", "b", conditions=self.may, before=self.note, after=self.note)
        self.machine.add_transition("go", "b", "a", conditions=self.may, before=self.note, after=self.note)

    def may(self, event: EventData) -> bool:
        return True

    def note(self, event: EventData) -> None:
        self.count += 1


def measure_verdict() -> Goal:
    """P1: seconds per verdict on a card of a Colorado deal, and per trigger."""
    procedure = build_procedure(find_game("colorado-hold-em-poker"), "hand", {})
    begin = bets_closed(procedure, opened(procedure))
    deck = list(FRENCH_CARDS)
    random.Random(1).shuffle(deck)
    cards = [a.CardOut(read=Sealed(card)) for card in deck[:CARDS]]
    bare = _Bare()
    trigger = bare.machine.events["go"].trigger

    def ours() -> float:
        started = time.process_time()
        for _ in range(REPEATS):
            state = begin
            for act in cards:
                state = decide(procedure, state, act, 0).state
        return (time.process_time() - started) / (REPEATS * CARDS)

    def peer() -> float:
        started = time.process_time()
        for _ in range(REPEATS * CARDS):
            trigger(bare)
        return (time.process_time() - started) / (REPEATS * CARDS)

    return at_most("P1", "verdict on one card / one guarded trigger", *in_turn(ours, peer, PAIRS), limit=1.0)


# ---- whole rounds

ROUNDS, HANDS = 40, 2
"""Samples of both sides last equally long, so that the caches which a side finds cold in its turn weigh the same for both."""

_WAGERS: Final = tuple(a.Wager(seat=seat, amounts={"ante": 1000}) for seat in range(1, SEATS + 1))
_CARDS: Final = {card: a.CardOut(read=Sealed(card)) for card in FRENCH_CARDS}
_DECISIONS: Final = {choice: tuple(a.Decide(seat=seat, choose=choice) for seat in range(1, SEATS + 1)) for choice in ("flop", "check")}
_DEALER: Final = a.Expose(seat="dealer")
_HANDS: Final = tuple(a.Expose(seat=seat) for seat in range(SEATS, 0, -1))
_END: Final = (a.StubCount(cards=42 - 2 * SEATS), a.Collect(), a.Shuffle(counted=52))
"""The acts of a round, made beforehand like the cards of a deal: it is verdicts that are measured."""


def round_acts(deck: Sequence[Card]) -> tuple[a.AnyAct, ...]:
    """One round of Texas Hold 'Em Bonus from the first wager to the shuffle after it; every seat stays in and checks turn and river."""
    cards = [_CARDS[card] for card in deck[: 2 * (SEATS + 1) + 8]]
    hands = 2 * (SEATS + 1)
    flop, turn, river = cards[hands : hands + 4], cards[hands + 4 : hands + 6], cards[hands + 6 :]
    check = _DECISIONS["check"]
    return (
        *_WAGERS, a.CloseBets(), *cards[:hands], *_DECISIONS["flop"], *flop, *check, *turn, *check, *river, _DEALER, *_HANDS, *_END,
    )  # fmt: skip


def play_round(procedure: Procedure, state: TableState, deck: Sequence[Card]) -> TableState:
    """The state after a round with this deck."""
    for act in round_acts(deck):
        state = decide(procedure, state, act, 0).state
    return state


def measure_rounds() -> Goal:
    """P9: rounds per second through `decide`, and hands per second that PokerKit deals out."""
    from pokerkit import Automation, NoLimitTexasHoldem  # noqa: PLC0415  # a peer, imported for this measurement alone

    procedure = build_procedure(find_game("texas-hold-em-bonus-poker"), "hand", {})
    ready = opened(procedure)
    rng = random.Random(2)
    automations = tuple(Automation)

    def ours(rounds: int = ROUNDS) -> float:
        deck = list(FRENCH_CARDS)
        state = ready
        started = time.process_time()
        for _ in range(rounds):
            rng.shuffle(deck)
            state = play_round(procedure, state, deck)
        spent = time.process_time() - started
        if state.round_number != rounds:
            raise RuntimeError(f"only {state.round_number} of {rounds} rounds were played")
        return rounds / spent

    def peer(hands: int = HANDS) -> float:
        started = time.process_time()
        for _ in range(hands):
            hand = NoLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, (200,) * SEATS, SEATS)
            while hand.status:
                hand.check_or_call()
        return hands / (time.process_time() - started)

    return at_least(
        "P9", "Texas Hold 'Em Bonus rounds per second / PokerKit hold 'em hands per second", *in_turn(ours, peer, PAIRS), limit=20.0
    )

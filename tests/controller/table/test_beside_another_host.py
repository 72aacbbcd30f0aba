"""A table that follows another host's shoe by its line alone: what it takes from the line, what it compares, what it leaves unjudged."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from controller.table import acts as a
from controller.table import facts as f
from controller.table.devices import act_of_event
from controller.table.following import ACTS_MAX, Words, follows_alone, missed, next_after, next_before
from controller.table.outcome import Outcome, Wanted
from controller.table.table import decide, fold, new_state, wanted
from firmware_bridge import events as e
from firmware_bridge import round_events as r
from firmware_bridge.cards import FRENCH_CARDS, UNREADABLE, Sealed, parse_card
from tests.controller.table.bench import procedure_of

BACCARAT = procedure_of("minibaccarat", "manual-shoe", {})
WITHOUT_BURN = procedure_of("minibaccarat", "manual-shoe", {"shoe_start_burn": False})
SUPERVISOR = a.By("supervisor", "S1")
BANKER_WINS = ("player 1 2c", "banker 1 9h", "player 2 Kd", "banker 2 Ts")
PLAYER_WINS = ("player 1 8c", "banker 1 2h", "player 2 Kd", "banker 2 5s")
WITH_THIRD_CARDS = ("player 1 2c", "banker 1 3h", "player 2 2d", "banker 2 2s", "player 3 4s", "banker 3 4h")


class Ear:
    """A table beside another host, fed with events of the line; every decision is checked to be the fold of its facts."""

    def __init__(self, procedure=BACCARAT, words: Words = Words.LINE, *, opened: bool = True) -> None:  # type: ignore[no-untyped-def]
        self.procedure, self.words = procedure, words
        self.state = new_state(procedure, "T1")
        self.facts: list[f.AnyFact] = []
        self.outcomes: list[Outcome] = []
        self._eseq = 0
        if opened:
            self.take(a.Open(by=SUPERVISOR, beside=True))

    def take(self, act: a.AnyAct) -> Outcome:
        verdict = decide(self.procedure, self.state, act, 0)
        assert fold(self.state, verdict.facts) == verdict.state
        assert verdict.state.deck.ledger.balance() is None
        self.state = verdict.state
        self.facts += verdict.facts
        self.outcomes.append(verdict.outcome)
        return verdict.outcome

    def hear(self, event: e.DeviceEvent) -> Outcome:
        for _ in range(ACTS_MAX):
            act = next_before(self.procedure, self.state, event, self.words)
            if act is None:
                break
            assert self.take(act).refused is None, (act, self.state.phase)
        else:
            raise AssertionError(f"never where {event} finds it: {self.state.phase}")
        outcome = self.take(act_of_event(event, "shoe", self.state))
        for _ in range(ACTS_MAX):
            act = next_after(self.procedure, self.state, event, self.words)
            if act is None:
                break
            assert self.take(act).refused is None, (act, self.state.phase)
        return outcome

    def card(self, text: str) -> Outcome:
        place, index, name = text.split()
        card = UNREADABLE if name == "?" else parse_card(name)
        flags = e.CardFlag.UNREADABLE if name == "?" else e.CardFlag.NONE
        return self.hear(r.CardReadAt(self._next(), 0, False, Sealed(card), flags, 0, 0, None, place, int(index)))

    def plain_card(self, name: str) -> Outcome:
        return self.hear(e.CardRead(self._next(), 0, False, Sealed(parse_card(name)), e.CardFlag.NONE, 0, 0, None))

    def round(self, cards: Iterable[str], result: str) -> Outcome:
        for text in cards:
            self.card(text)
        return self.result(result)

    def result(self, result: str) -> Outcome:
        return self.hear(r.RoundTold(self._next(), 0, False, result))

    def between(self) -> Outcome:
        return self.hear(r.BetweenRounds(self._next(), 0, False))

    def compared(self) -> list[tuple[str, str, str, bool]]:
        return [(fact.what, fact.told, fact.found, fact.agrees) for fact in self.facts if isinstance(fact, f.HostCompared)]

    def _next(self) -> int:
        self._eseq += 1
        return self._eseq


def new_shoe(ear: Ear) -> None:
    """The shoe's first card is an ace, so that one card is burned."""
    ear.card("first-card 1 As")
    ear.card("burn 1 7d")


def test_a_shoe_that_is_seen_from_its_first_card_is_known_whole_and_its_rounds_are_judged() -> None:
    ear = Ear()
    new_shoe(ear)
    assert ear.round(BANKER_WINS, "banker").alarms == ()
    ear.between()
    ear.round(WITH_THIRD_CARDS, "banker")
    assert not ear.state.deck.partial
    assert ear.compared() == [("result", "banker", "banker", True), ("result", "banker", "banker", True)]
    assert (ear.state.agreed, ear.state.differed, ear.state.round_number) == (2, 0, 2)
    assert ear.state.deck.ledger.discarded == 12
    assert wanted(ear.procedure, ear.state).shoe is None, "nothing is asked of the device"


def test_punto_banco_is_followed_too() -> None:
    ear = Ear(procedure_of("baccarat-punto-banco", "manual-shoe", {"face_up_deal": True, "shoe_start_burn": False}))
    ear.between()
    ear.round(BANKER_WINS, "banker")
    ear.round(PLAYER_WINS, "banker")
    assert (ear.state.agreed, ear.state.differed) == (1, 1)


def test_a_result_that_the_cards_do_not_bear_out_is_a_difference_and_the_next_round_is_judged_again() -> None:
    ear = Ear()
    new_shoe(ear)
    told = ear.round(BANKER_WINS, "player")
    assert told.alarm == "told-differs"
    assert ear.compared() == [("result", "player", "banker", False)]
    assert ear.round(PLAYER_WINS, "player").alarms == ()
    assert (ear.state.agreed, ear.state.differed) == (1, 1)


def test_taken_up_in_the_middle_cards_are_counted_until_a_round_begins_and_knowledge_is_partial_until_a_new_shoe() -> None:
    ear = Ear()
    outcome = ear.card("banker 2 9d")
    assert outcome.partial
    assert outcome.round == 0, "no round is invented for cards of one that was under way"
    ear.result("banker")
    assert ear.compared() == []
    ear.round(BANKER_WINS, "banker")
    assert ear.state.deck.partial
    assert ear.compared() == [("result", "banker", "banker", True)]
    new_shoe(ear)
    assert not ear.state.deck.partial
    assert ear.state.round_number == 2


@pytest.mark.requirement("I15")
def test_a_card_beyond_the_shoe_is_told_and_another_host_that_goes_on_differs() -> None:
    ear = Ear(procedure_of("minibaccarat", "manual-shoe", {"decks": 6, "shoe_start_burn": False}))
    ear.between()
    for _ in range(3):
        ear.round(("player 1 9h", "banker 1 9h", "player 2 Kd", "banker 2 Ts"), "tie")
    assert ear.card("player 1 9h").alarm == "duplicate-card"
    for text in ("banker 1 2c", "player 2 Ks", "banker 2 6s"):
        ear.card(text)
    ear.result("player")
    assert [pair for pair in ear.compared() if not pair[3]] == [("going-on", "the result player", "duplicate-card", False)]
    ear.round(PLAYER_WINS, "player")
    assert ear.compared()[-1] == ("result", "player", "player", True), "the next round is followed again"


def test_a_card_that_was_not_read_leaves_its_round_unjudged_and_is_no_difference() -> None:
    ear = Ear()
    new_shoe(ear)
    ear.round(("player 1 2c", "banker 1 ?", "player 2 Kd", "banker 2 Ts"), "banker")
    ear.round(BANKER_WINS, "banker")
    assert [pair[3] for pair in ear.compared()] == [True, True]
    assert (ear.state.agreed, ear.state.differed) == (1, 0)


def test_a_host_that_ends_the_round_while_a_card_is_due_differs() -> None:
    ear = Ear()
    new_shoe(ear)
    ear.round(WITH_THIRD_CARDS[:4], "banker")
    assert ear.compared() == [("result", "banker", "unfinished", False)]
    assert "told-differs" in {outcome.alarm for outcome in ear.outcomes}


def test_a_card_that_is_not_due_differs_and_does_not_shift_the_next_round() -> None:
    ear = Ear()
    new_shoe(ear)
    for text in (*BANKER_WINS, "player 3 4d"):
        ear.card(text)
    ear.result("banker")
    assert ("place", "player", "aside", False) in ear.compared()
    ear.round(PLAYER_WINS, "player")
    assert ear.compared()[-1] == ("result", "player", "player", True)


def test_a_card_that_goes_to_the_other_hand_differs() -> None:
    ear = Ear()
    new_shoe(ear)
    ear.card("player 1 2c")
    assert ear.card("player 2 9h").alarm == "told-differs"
    assert ear.compared() == [("place", "player", "banker", False)]


def test_a_round_whose_result_was_not_told_ends_with_the_first_card_of_the_next() -> None:
    ear = Ear()
    new_shoe(ear)
    for text in (*BANKER_WINS, *PLAYER_WINS):
        ear.card(text)
    ear.result("player")
    assert ear.state.round_number == 2
    assert ear.compared() == [("result", "player", "player", True)]


def test_after_the_cutting_card_and_its_last_rounds_a_shoe_is_over_and_the_next_one_is_counted_once() -> None:
    ear = Ear()
    new_shoe(ear)
    before = ear.state.shoe
    ear.hear(e.CutCardSeen(90, 0, False, 0, None))
    ear.round(BANKER_WINS, "banker")
    ear.between()
    late = ear.result("banker")
    assert "belongs to no round" in late.message
    assert ear.state.shoe == before
    new_shoe(ear)
    assert not ear.state.deck.partial
    assert ear.state.deck.ledger.device == 414


def test_a_shoe_that_begins_without_a_word_after_the_last_one_is_over_is_another_shoe_and_partly_known() -> None:
    ear = Ear(WITHOUT_BURN)
    ear.between()
    ear.hear(e.CutCardSeen(90, 0, False, 0, None))
    ear.round(BANKER_WINS, "banker")
    before, out = ear.state.shoe, ear.state.deck.ledger.device
    ear.round(BANKER_WINS, "banker")
    assert (ear.state.shoe, ear.state.deck.partial) == (before + 1, True)
    assert ear.state.deck.ledger.device == out, "416 less the four cards of this round: the old shoe's cards are not counted again"


def test_what_passed_unheard_makes_knowledge_partial_and_waits_for_a_round_to_begin() -> None:
    ear = Ear()
    new_shoe(ear)
    ear.card("player 1 2c")
    join = missed(ear.procedure, ear.state)
    assert isinstance(join, a.Join)
    ear.take(join)
    ear.card("banker 2 Ts")
    ear.result("banker")
    assert ear.compared() == []
    assert ear.state.deck.partial
    ear.round(PLAYER_WINS, "player")
    assert ear.compared() == [("result", "player", "player", True)]


def test_a_table_that_is_closed_or_never_opened_follows_nothing() -> None:
    ear = Ear(opened=False)
    ear.card("player 1 2c")
    assert missed(ear.procedure, ear.state) is None
    assert ear.state.round_number == 0
    ear.take(a.Open(by=SUPERVISOR, beside=True))
    new_shoe(ear)
    ear.round(BANKER_WINS, "banker")
    ear.take(a.Close(by=SUPERVISOR))
    ear.take(a.Open(by=SUPERVISOR, beside=True))
    assert ear.state.deck.partial


def test_a_shoe_without_words_for_rounds_is_followed_by_its_cards_from_a_boundary_that_people_tell() -> None:
    ear = Ear(WITHOUT_BURN, Words.CARDS)
    assert ear.plain_card("2c").round == 0
    ear.take(a.Join(by=SUPERVISOR, at_boundary=True))
    for name in ("2c", "9h", "Kd", "Ts", "8c"):
        ear.plain_card(name)
    assert ear.state.round_number == 2


def test_the_gate_that_is_opened_by_command_begins_a_round_and_a_jam_or_a_key_does_not() -> None:
    ear = Ear(WITHOUT_BURN)
    ear.take(a.Load(decks=8, cards=416, by=SUPERVISOR))
    ear.take(a.Shuffle(counted=416, by=SUPERVISOR))
    for number, names in ((1, "2c 9h Kd Ts"), (2, "8c 2h Qd 5s")):
        ear.hear(e.GateChanged(0, 0, False, e.GateState.OPEN, e.Cause.KEY))
        assert ear.state.round_number == number - 1
        ear.hear(e.GateChanged(0, 0, False, e.GateState.OPEN, e.Cause.COMMAND))
        for name in names.split():
            ear.plain_card(name)
        assert (ear.state.round_number, ear.outcomes[-1].state) == (number, "collecting")
    assert not ear.state.deck.partial


def test_only_games_in_which_nobody_decides_are_followed_without_people() -> None:
    assert follows_alone(BACCARAT)
    assert follows_alone(procedure_of("baccarat-punto-banco", "manual-shoe", {"face_up_deal": True}))
    for game, method in (("blackjack", "manual-shoe"), ("casino-war", "manual-shoe"), ("colorado-hold-em-poker", "hand")):
        assert not follows_alone(procedure_of(game, method, {}))
    assert not follows_alone(procedure_of("minibaccarat", "manual-shoe", {"face_up_deal": False}))


def any_event(rng: random.Random, number: int) -> e.DeviceEvent:
    """Whatever a line may carry, in any order."""
    card, flags = Sealed(rng.choice((*FRENCH_CARDS, UNREADABLE))), e.CardFlag.NONE
    place = rng.choice(("player", "banker", "burn", "first-card"))
    if rng.random() < 0.7:
        return r.CardReadAt(number, 0, False, card, flags, 0, 0, None, place, rng.randint(1, 3))
    return rng.choice(
        (
            r.RoundTold(number, 0, False, rng.choice(("player", "banker", "tie", "forced-end"))),
            r.BetweenRounds(number, 0, False),
            e.CutCardSeen(number, 0, False, 0, None),
            e.CardRead(number, 0, False, card, e.CardFlag.OUT_OF_FLOW, 0, 0, None),
            e.CardRead(number, 0, False, card, e.CardFlag.DOUBLE_FEED, 0, 0, None),
            e.GateChanged(number, 0, False, e.GateState.OPEN, e.Cause.COMMAND),
            e.ShoeLoaded(number, 0, False, 8, 416, 0),
            e.ShuffleDone(number, 0, False, 416, 416, 0, e.ShuffleResult.GOOD),
            e.Started(number, 0, False, 1, e.StartReason.POWER_ON, False),
            e.JournalLost(number, 0, False, 1, 2),
            e.ErrorRaised(number, 0, False, e.DeviceError.CANNOT_READ, 1, 0),
            e.ShoeEmpty(number, 0, False, 0),
        )
    )


@pytest.mark.parametrize("words", Words)
def test_whatever_a_line_carries_every_card_is_accounted_for_and_the_table_never_asks_for_anything(words: Words) -> None:
    for seed in range(2):
        rng, ear = random.Random(seed), Ear(words=words)
        for number in range(1, 120):
            ear.hear(any_event(rng, number))
            assert wanted(ear.procedure, ear.state) == Wanted(), f"seed {seed}, event {number}"
        assert sum(isinstance(fact, f.DeviceHeard) for fact in ear.facts) == 119


def test_a_table_that_deals_itself_joins_no_shoe() -> None:
    ear = Ear(opened=False)
    ear.take(a.Open(by=SUPERVISOR))
    assert ear.take(a.Join(by=SUPERVISOR, at_boundary=True)).refused == "not-expected-now"

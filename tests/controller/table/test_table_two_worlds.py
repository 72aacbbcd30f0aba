"""Two worlds that differ in hidden cards alone look the same from outside, after every act, to the byte.

The first world is played; then the cards that nobody has seen by the end of each shoe change places among themselves, and the very same
acts are put to a second table. Outcomes, record bodies, texts of states and facts must be equal; only the sealed bytes differ.
"""

from __future__ import annotations

import random
import re

import msgspec
import pytest

from controller.dealing.round import SIDES
from controller.table import acts as a
from controller.table import facts as f
from controller.table.record import encode_entry
from controller.table.state import TableState
from controller.table.table import Verdict, decide, new_state, wanted
from firmware_bridge.cards import UNREADABLE, Card, Sealed, unseal
from tests.controller.table.bench import TABLES, Bench, procedure_of, share
from tests.controller.table.wandering import Wanderer, notice

LOOK = "the test takes the cards of one world for another"
STEPS_INTO_A_ROUND = 120
"""Enough to mend what holds a table, to take the wagers of all seats and to deal."""
EVENTS = ("jam", "lid-open", "lid-closed", "lost", "back", "restarted", "warning", "tamper", "error", "error-cleared")


class Player(Wanderer):
    """Plays the first world and notes what was put to it; nobody names a card that is not shown."""

    def __init__(self, bench: Bench, trouble: float) -> None:
        super().__init__(bench, trouble=trouble)
        bench.names = False
        self.acts: list[a.AnyAct] = []
        self.shoes: list[list[Card]] = []
        """Cards of each shoe, in the order in which they left the device, and then those that stayed in it."""
        self.seen: list[set[int]] = []
        """Places in that order of the cards that were shown."""
        self._number: dict[int, int] = {}
        self._keep: list[Sealed] = []
        """Sealed cards stay alive, so that each has an identity of its own."""

    def play_into_a_round(self) -> None:
        """Stop where cards lie that are shown later, if at all: there are games that show every card that they deal."""
        self.trouble = 0.0
        for _ in range(STEPS_INTO_A_ROUND):
            if self.bench.view().state in ("deciding", "setting"):
                return
            self.step()

    def make_trouble(self) -> object:  # type: ignore[override]
        bench, rng = self.bench, self.rng
        if rng.random() < 0.6 or not bench.pack:
            return self.take(notice(bench, rng.choice(EVENTS), rng.choice(("shoe", "shuffler"))))
        card = bench.pack[0]
        match rng.randrange(4):
            case 0:
                return self.take(bench.card_act(card, out_of_flow=True), [card])
            case 1:
                return self.take(bench.card_act(card, face_up=True), [card])
            case 2:
                return self.take(bench.card_act(card, back_mismatch=True), [card])
            case _:
                return self.take(a.Report(what=rng.choice(("dealer-card-exposed", "wrong-start", "wrong-set", "wrong-discards")), seat=1))

    def take(self, act: a.AnyAct, fed: list[Card] | None = None) -> object:  # type: ignore[override]
        before = self.bench.state
        left = len(self.shoes[-1]) - len(self.bench.pack) if self.shoes else 0
        for number, sealed in enumerate(cards_of(act), start=left):
            self._number[id(sealed)] = number
            self._keep.append(sealed)
        self.acts.append(act)
        outcome = super().take(act, fed)
        verdict = self.bench.verdict
        assert verdict is not None
        if any(isinstance(fact, f.DeckShuffled | f.DeckLoaded) for fact in verdict.facts):
            self.shoes.append(list(self.bench.pack))
            self.seen.append(set())
            self._number.clear()
        if any(isinstance(fact, f.RestShuffled) for fact in verdict.facts):
            self.shoes[-1] = self.shoes[-1][:left] + self.bench.pack
        self._note_shown(before, verdict)
        return outcome

    def _note_shown(self, before: TableState, verdict: Verdict) -> None:
        round_ = verdict.state.round
        shown = [held.card for held, _ in round_.aside if held.shown] if round_ is not None else []
        if round_ is not None:
            shown += [held.card for hand in round_.hands.values() for held in hand if held.shown]
        for fact in verdict.facts:
            if isinstance(fact, f.Exposed) and fact.place.startswith(("community ", "dealer ")) and before.round is not None:
                place, at = fact.place.split()
                shown.append(before.round.hands[place][int(at) - 1].card)
            if isinstance(fact, f.CardDiscarded):
                shown.append(fact.card)
            if isinstance(fact, f.SideDecided) and round_ is not None:
                shown += [held.card for side in SIDES for held in round_.hands.get(side, ())]  # a patron has told what they ask for
        self.seen[-1:] and self.seen[-1].update(self._number[id(card)] for card in shown if id(card) in self._number)


def cards_of(act: a.AnyAct) -> tuple[Sealed, ...]:
    """The cards that leave the device with an act."""
    match act:
        case a.CardOut():
            return (act.read,)
        case a.StackOut():
            return act.cards
        case _:
            return ()


def other_world(player: Player, rng: random.Random) -> list[list[Card]]:
    """Each shoe with its unseen cards in other places, save twins of cards that were shown: a named card could be either."""
    shoes = []
    for cards, seen in zip(player.shoes, player.seen, strict=True):
        names = {cards[number] for number in seen}
        hidden = [number for number in range(len(cards)) if number not in seen and cards[number] not in names]
        moved = list(hidden)
        rng.shuffle(moved)
        other = list(cards)
        for number, source in zip(hidden, moved, strict=True):
            other[number] = cards[source]
        if player.bench.procedure.deck.decks == 1:
            other = _each_card_as_another(cards, hidden, rng)
        shoes.append(other)
    return shoes


def _each_card_as_another(cards: list[Card], hidden: list[int], rng: random.Random) -> list[Card]:
    """A card of a single deck is the same other card whenever it comes: it may come again after the rest of the deck was shuffled."""
    faces = list(dict.fromkeys(cards[number] for number in hidden))
    others = rng.sample(faces, len(faces))
    instead = dict(zip(faces, others, strict=True))
    return [instead[card] if number in set(hidden) else card for number, card in enumerate(cards)]


def in_other_world(act: a.AnyAct, cards: list[Card]) -> a.AnyAct:
    """The same act where other cards come out of the device."""
    match act:
        case a.CardOut() if unseal(act.read, LOOK) is UNREADABLE:
            del cards[:1]
            return act
        case a.CardOut():
            return msgspec.structs.replace(act, read=Sealed(cards.pop(0)))
        case a.StackOut():
            told = tuple(Sealed(cards.pop(0)) for _ in act.cards)
            return msgspec.structs.replace(act, cards=told)
        case _:
            return act


def public(verdict: Verdict, act: a.AnyAct) -> tuple[object, ...]:
    """All that anybody outside can see of a verdict."""
    body, sealed = encode_entry(act, verdict.facts)
    return (
        msgspec.json.encode(verdict.outcome), body, len(sealed), repr(verdict.state), repr(verdict.facts), repr(act), str(verdict.outcome),
    )  # fmt: skip


@pytest.mark.requirement("T-11", "T-12")
@pytest.mark.parametrize("trouble", [0.0, 0.1])
@pytest.mark.parametrize(("game", "method"), TABLES)
def test_worlds_that_differ_in_hidden_cards_look_the_same(game: str, method: str, trouble: float) -> None:
    differ, worlds = 0, max(2, share(4))
    for seed in range(worlds):
        player = Player(Bench(procedure_of(game, method), random.Random(seed)), trouble)
        with player.telling(f"seed {seed}"):
            player.play(4)
            player.play_into_a_round()
        procedure = player.bench.procedure
        one, two = new_state(procedure, "T1"), new_state(procedure, "T1")
        shoes, cards = iter(other_world(player, random.Random(seed))), []
        for number, act in enumerate(player.acts):
            other_act = in_other_world(act, cards)
            here, there = decide(procedure, one, act, 0), decide(procedure, two, other_act, 0)
            assert public(here, act) == public(there, other_act), f"seed {seed}, act {number}: {act}"
            assert wanted(procedure, here.state) == wanted(procedure, there.state)
            differ += encode_entry(act, here.facts)[1] != encode_entry(other_act, there.facts)[1]
            one, two = here.state, there.state
            if any(isinstance(fact, f.DeckShuffled | f.DeckLoaded) for fact in here.facts):
                cards = next(shoes)
    assert differ >= worlds, "the two worlds are the same world"


def test_no_text_of_a_state_or_fact_names_a_hidden_card() -> None:
    looked_for = 0
    for game, method in TABLES:
        bench = Bench(procedure_of(game, method), random.Random(3))
        bench.ready()
        bench.wagered(1, 2)
        if "start" in bench.view().next:
            bench.put(a.Start(seat=1))
        while bench.view().gate == "open":
            bench.deal()
            assert bench.verdict is not None
            texts = repr(bench.state) + repr(bench.verdict.facts) + str(bench.verdict.outcome) + repr(bench.act)
            shown = {card.name for place in bench.places for card in bench.state.round.shown_cards(place)} if bench.state.round else set()
            hidden = {card.name for cards in bench.places.values() for card in cards} - shown
            assert not hidden & set(re.findall(r"\b\w\w\b", texts))
            looked_for += len(hidden)
    assert looked_for > 100

"""A table that is the core alone, with a deck of cards in memory: for random play in large numbers."""

from __future__ import annotations

import random
from collections import Counter
from typing import Final

from controller.dealing.procedure import Procedure
from controller.decks import census_of
from controller.table.acts import AnyAct, By, CardOut, DeviceNotice, Load, Origin, Shuffle, StackOut, name_of
from controller.table.outcome import Outcome
from controller.table.parse import parse_act, parse_by
from controller.table.state import TableState
from controller.table.table import Verdict, decide, new_state, outcome_of, wanted
from firmware_bridge.cards import Card, Sealed, card_from_code, parse_card, unseal
from hil.people.moves import Move
from hil.people.tracker import CardTracker

SHOE = By("device", "shoe")
SHUFFLER = By("device", "shuffler")
RACK: Final = "the cards that lie on the table are not in the rack"


class CoreTable:
    """A `PlayTable` on the core. `last` is the latest verdict, for tests of what must always be true."""

    def __init__(self, procedure: Procedure, rng: random.Random, table: str = "core") -> None:
        self.procedure = procedure
        self.state: TableState = new_state(procedure, table)
        self.last: Verdict | None = None
        self.pack: list[Card] = []
        self._rng = rng
        self._now_ms = 0
        self._tracker = CardTracker()

    def view(self) -> Outcome:
        """Return how the table stands."""
        return outcome_of(self.procedure, self.state)

    def tell(self, move: Move) -> Outcome:
        """Put a person's act to the core."""
        return self.decide(parse_act(move.key, move.value, parse_by(move.by)))

    def draw(self, outcome: Outcome) -> Outcome:
        """Give the next card, or the next stack where one is wanted; an empty device says so."""
        if not self.pack:
            return self.decide(DeviceNotice(event="empty", name="shoe", by=SHOE, origin=Origin("shoe")))
        stack = wanted(self.procedure, self.state).dispense
        if stack is None:
            card = self.pack.pop(0)
            self._tracker.pulled([card.name])
            return self.decide(CardOut(read=Sealed(card), by=SHOE, origin=Origin("shoe")))
        cards = tuple(self.pack[: stack[0]])
        del self.pack[: stack[0]]
        self._tracker.pulled([card.name for card in cards])
        told = tuple(map(Sealed, cards))
        return self.decide(StackOut(count=len(cards), cards=told, by=SHOE, origin=Origin("shoe")))

    def take_placed(self) -> list[tuple[str, str]]:
        """Return (place, card) of the cards placed since the last call."""
        return self._tracker.take_placed()

    def make_ready(self, outcome: Outcome) -> Outcome:
        """Load a whole deck where there is none in order, then shuffle it."""
        deck = self.procedure.deck
        self._tracker.clear()
        if not self.pack or outcome.state == "quarantined":
            outcome = self.decide(Load(decks=deck.decks, cards=deck.cards, back=deck.back, by=SHOE, origin=Origin("shoe")))
        self.pack = self._whole()
        self._rng.shuffle(self.pack)
        return self.decide(Shuffle(counted=deck.cards, by=SHUFFLER, origin=Origin("shuffler")))

    def shuffle_rest(self, names: list[str]) -> Outcome:
        """Shuffle these cards into the rest of the deck; of a shoe that serves many rounds, all that lie in the rack."""
        self.pack += self._rack() if self.procedure.game.shoe_game else [parse_card(name) for name in names]
        self._rng.shuffle(self.pack)
        return self.decide(Shuffle(counted=len(self.pack), by=SHUFFLER, origin=Origin("shuffler")))

    def _rack(self) -> list[Card]:
        round_ = self.state.round
        hands = round_.hands.items() if round_ is not None else ()
        cleared = {place for place, hand in round_.played.items() if hand.cleared} if round_ is not None else set()
        lying = [unseal(held.card, RACK) for place, cards in hands if place not in cleared for held in cards]
        lying += [unseal(held.card, RACK) for held, _ in round_.aside] if round_ is not None else []
        out = Counter(self._whole()) - Counter(self.pack) - Counter(lying)
        return list(out.elements())

    def _whole(self) -> list[Card]:
        cards = [card_from_code(code) for code, copies in census_of(self.procedure.deck).items() for _ in range(copies)]
        return [card for card in cards if card is not None]

    def decide(self, act: AnyAct) -> Outcome:
        """Judge one act and take its state."""
        self._now_ms += 250
        self.last = decide(self.procedure, self.state, act, self._now_ms)
        self.state = self.last.state
        self._tracker.told(name_of(act), self.last.outcome, in_stack=False)
        return self.last.outcome

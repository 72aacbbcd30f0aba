"""A table at a real daemon whose shoe speaks a foreign protocol: what `hil.people.session` plays rounds on.

Such a shoe has seldom a gate and no shuffler beside it: the dealer draws when the daemon expects a card and the shoe gives it, and people
tell the daemon that the shoe was loaded and shuffled. What left the shoe, in which order, is kept: the journal can be compared with it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from controller.dealing.procedure import Procedure
from controller.table.outcome import Outcome
from hil.endtoend.bench import Bench
from hil.endtoend.daemon import ApiClient, DaemonError, Entry
from hil.mechanism.cards import PhysicalCard, cut_card, shoe_of
from hil.people.moves import Move
from hil.people.tracker import CardTracker
from hil.simulated.plain import PlainDevice

ENTRY_S: Final = 20.0
"""A card takes its mechanism's cycle and its frames' time; a lost line up to 15 s more."""
CARD_ACTS: Final = frozenset({"card", "cut_card"})


class PlainTable:
    """See the module's text. `on_card` is called on the devices' loop after each card has left, with whether it was read."""

    def __init__(
        self,
        procedure: Procedure,
        client: ApiClient,
        bench: Bench,
        shoe: PlainDevice,
        rng: random.Random,
        *,
        table: str = "T1",
        on_card: Callable[[bool], None] = lambda _read: None,
    ) -> None:
        self.left: list[PhysicalCard] = []
        """Every card that has left the shoe, in order, over all shoes."""
        self.entries: list[Entry] = []
        self._procedure, self._client, self._bench, self._shoe, self._rng = procedure, client, bench, shoe, rng
        self._table = table
        self._on_card = on_card
        self._tracker = CardTracker()
        self._last_entry = 0

    def view(self) -> Outcome:
        """Return how the table stands."""
        return self._client.view(self._table).outcome

    def tell(self, move: Move) -> Outcome:
        """Put a person's act to the daemon."""
        outcome = self._client.act(self._table, move.key, move.value, move.by).outcome
        self._catch_up()
        return outcome

    def draw(self, outcome: Outcome) -> Outcome:
        """Draw the next card, and return what the daemon made of it."""
        unread = len(self._shoe.unread)
        self._bench.run(self._shoe.unlocked())
        if not self._bench.call(self._shoe.draw):
            raise DaemonError("shoe-empty", "The shoe gives no card.", "Load it.")
        entry = self._await_card()
        self._bench.call(lambda: self._on_card(len(self._shoe.unread) == unread))
        self._bench.run(self._shoe.said_everything())
        self._catch_up()
        return entry.outcome if entry.act == "card" else self.view()

    def take_placed(self) -> list[tuple[str, str]]:
        """Return (place, card) of the cards placed since the last call."""
        return self._tracker.take_placed()

    def make_ready(self, outcome: Outcome) -> Outcome:
        """Put a freshly shuffled shoe in by hand, with the cutting card near its end, and tell the daemon so."""
        self._bench.call(self._shoe.unload)
        self._tracker.clear()
        deck = self._procedure.deck
        cards = shoe_of(deck)
        self._rng.shuffle(cards)
        cards.insert(len(cards) - CUT_CARD_FROM_END, cut_card())
        self._bench.call(lambda: self._shoe.load(cards))
        self.tell(Move("load", {"decks": deck.decks, "cards": deck.cards}))
        return self.tell(Move("shuffle", {"mode": "random", "counted": deck.cards}))

    def _await_card(self) -> Entry:
        deadline = time.monotonic() + ENTRY_S
        while (left := deadline - time.monotonic()) > 0:
            found = [entry for entry in self._new_entries(min(left, 5.0)) if entry.by.startswith("device") and entry.act in CARD_ACTS]
            cards = [entry for entry in found if entry.act == "card"]
            if cards:
                return cards[-1]
        raise DaemonError("no-entry", f"The daemon journalled no card in {ENTRY_S:g} s.", "Look at its log.")

    def _catch_up(self) -> None:
        self._new_entries(0.0)

    def _new_entries(self, wait_s: float) -> tuple[Entry, ...]:
        page = self._client.entries(self._table, self._last_entry, wait_s=wait_s).entries
        for entry in page:
            self._last_entry = entry.entry
            if entry.act == "card":
                self._pick_up()
            self._tracker.told(entry.act, entry.outcome, in_stack=False)
        self.entries.extend(page)
        return page

    def _pick_up(self) -> None:
        def empty_tray() -> list[PhysicalCard]:
            cards = list(self._shoe.tray)
            self._shoe.tray.clear()
            return cards

        cards = [card for card in self._bench.call(empty_tray) if not card.is_cut_card]
        self.left.extend(cards)
        self._tracker.pulled([card.face.name if card.face is not None else "?" for card in cards])


CUT_CARD_FROM_END: Final = 14
"""Cards behind the cutting card, as houses place it: enough for the round that is on and one more."""

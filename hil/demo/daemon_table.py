"""A table at a real daemon with real cards in simulated devices: what `hil.people.session` plays rounds on.

The cards are objects that go round: shuffler, shoe, table, and back into the shuffler. People's acts go through the API,
cards leave the shoe when the dealer pulls them, and everything that the daemon journals is told to a watcher in order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.steps import Stack
from controller.table.outcome import Outcome
from hil.demo.pace import Pace
from hil.endtoend.bench import Bench, Pair
from hil.endtoend.daemon import ApiClient, DaemonError, Entry
from hil.mechanism.cards import PhysicalCard, shoe_of
from hil.mechanism.options import DrawResult
from hil.people.moves import Move
from hil.people.tracker import CardTracker

ENTRY_S: Final = 20.0
"""A line that is cut is told after 3 s and mended after 4 s (SDP/1 1.8); a busy machine takes its time."""
FOLLOW_S: Final = 10.0
LOOK_S: Final = 0.5
"""A gate is done within 0.3 s (SDP/1 1.8); after this the dealer looks up."""
BACK_S: Final = 30.0
"""A line is tried again at the latest every 15 s (SDP/1 1.8)."""
SHUFFLE_S: Final = 60.0
"""The slowest shuffle in this demonstration, a six-deck shoe at a tenth of the speed."""
TROUBLE: Final = frozenset({"device-malfunction", "device-error", "lid-open"})
"""Alarms after which somebody looks at the devices and puts them right."""
TABLE: Final = "T1"


class DaemonTable:
    """See the module's text. `on_entry` hears every journalled act that is not mere routine."""

    def __init__(
        self,
        procedure: Procedure,
        client: ApiClient,
        bench: Bench,
        pair: Pair,
        pace: Pace,
        on_entry: Callable[[Entry, Move | None], None],
    ) -> None:
        self._procedure = procedure
        self._client = client
        self._bench = bench
        self._pair = pair
        self._pace = pace
        self._on_entry = on_entry
        self._last_entry = 0
        self._phase = ""
        self._lying: list[PhysicalCard] = []
        self._backs = ("red", "blue")
        self._packs = 0
        self._tracker = CardTracker()
        self._moves: dict[int | None, Move] = {}

    def view(self) -> Outcome:
        """Return how the table stands."""
        return self._client.view(TABLE).outcome

    def tell(self, move: Move) -> Outcome:
        """Put a person's act to the daemon; what devices did meanwhile is told first."""
        self._pace.person()
        answer = self._client.act(TABLE, move.key, move.value, move.by)
        self._moves[answer.entry] = move
        self._catch_up()
        outcome = answer.outcome
        if outcome.state == "suspended" or TROUBLE & set(outcome.alarms):
            self._put_right()
        return outcome

    def draw(self, outcome: Outcome) -> Outcome:
        """Pull the next card once the gate has opened, or wait for the stack that the daemon has asked for."""
        now = self._open_gate()
        if now.gate != "open":
            return now
        self._pace.card()
        step = self._procedure.step(now.phase)
        wants = "stack" if isinstance(step, Stack) else "card"
        if wants == "card" and self._bench.call(self._pair.shoe.draw) is not DrawResult.DRAWN:
            return self.view()  # the gate has shut under the dealer's hand
        entry = self._await({wants, "device"})
        if TROUBLE & set(entry.outcome.alarms) or entry.outcome.state == "suspended":
            self._put_right()
        return entry.outcome

    def take_placed(self) -> list[tuple[str, str]]:
        """Return (place, card) of the cards placed since the last call."""
        return self._tracker.take_placed()

    def _open_gate(self) -> Outcome:
        """Return how the table stands once the shoe's gate has followed it, or once it wants no card any more.

        Raises:
            DaemonError: when the gate does not follow.
        """
        deadline = time.monotonic() + FOLLOW_S
        while True:
            now = self.view()
            if now.gate != "open":
                self._put_right()
                return now
            if isinstance(self._procedure.step(now.phase), Stack):
                return now
            try:
                self._bench.run(self._pair.shoe.gate("open", LOOK_S))
            except TimeoutError as error:
                if time.monotonic() > deadline:
                    raise DaemonError("gate-behind", f"The shoe's gate did not open: {error}.", "Look at its log.") from error
                self._put_right()
            else:
                return now

    def make_ready(self, outcome: Outcome) -> Outcome:
        """Pick all cards up, shuffle them in the shuffler, and put them into the shoe; a new set where one is wanted."""
        self._put_right()
        deck = self._procedure.deck
        self._pick_up()
        self._tracker.clear()
        cards = [*self._lying, *self._bench.call(self._pair.shoe.unload), *self._bench.call(self._pair.shuffler.unload)]
        self._lying.clear()
        self._bench.call(self._pair.shuffler.tray.clear)
        if len(cards) != deck.cards or outcome.state == "quarantined":
            cards = shoe_of(deck, self._backs[self._packs % 2])
            self._packs += 1
        shuffler, shoe = self._pair.shuffler, self._pair.shoe
        self._bench.call(lambda: shuffler.load(cards))
        self._await({"load"})
        self._bench.call(lambda: shuffler.press_shuffle(decks=deck.decks))
        shuffled = self._await({"shuffle", "shuffle_aborted"}, SHUFFLE_S)
        shuffled_cards = self._bench.call(shuffler.unload)
        if shuffled.outcome.state != "ready":
            self._lying.extend(shuffled_cards)
            return shuffled.outcome
        self._bench.call(lambda: shoe.load(shuffled_cards))
        return self._await({"load"}).outcome

    def shuffle_rest(self, names: list[str]) -> Outcome:
        """Shuffle these cards, which lie on the table, into the rest of the deck, and put it back into the shoe."""
        self._put_right()
        self._pick_up()
        shuffler, shoe = self._pair.shuffler, self._pair.shoe
        rest = list(self._bench.call(shoe.unload))
        for name in names:
            card = next(card for card in self._lying if card.face is not None and card.face.name == name)
            self._lying.remove(card)
            rest.append(card)
        self._bench.call(shuffler.unload)
        self._bench.call(shuffler.tray.clear)
        self._bench.call(lambda: shuffler.load(rest))
        self._await({"load"})
        self._bench.call(lambda: shuffler.press_shuffle(decks=self._procedure.deck.decks))
        self._await({"shuffle", "shuffle_aborted"}, SHUFFLE_S)
        shuffled = self._bench.call(shuffler.unload)
        self._bench.call(lambda: shoe.load(shuffled))
        return self._await({"load"}).outcome

    def _pick_up(self) -> None:
        """Pick the cards up that have left the shoe; their owners know them now."""

        def empty_tray() -> list[PhysicalCard]:
            cards = list(self._pair.shoe.tray)
            self._pair.shoe.tray.clear()
            return cards

        cards = self._bench.call(empty_tray)
        self._lying.extend(cards)
        names = [card.face.name if card.face is not None else "?" for card in cards if not card.is_cut_card]
        self._tracker.pulled(names)

    def _put_right(self) -> None:
        """Wait for a device that is away; then take a stuck card loose, shut the lid and clear the errors."""
        self._catch_up()
        deadline = time.monotonic() + BACK_S
        while "device-lost" in self.view().alarms:
            if time.monotonic() > deadline:
                raise DaemonError("device-gone", f"A device did not come back in {BACK_S:g} s.", "Look at its log.")
            for entry in self._client.entries(TABLE, self._last_entry, wait_s=1.0).entries:
                self._note(entry)

        def mend() -> None:
            for device in (self._pair.shoe, self._pair.shuffler):
                snapshot = device.snapshot()
                if snapshot.lid_open:
                    device.close_lid()
                for error in snapshot.errors:
                    device.mend(error)

        self._bench.call(mend)
        self._catch_up()

    def _await(self, acts: set[str], within_s: float = ENTRY_S) -> Entry:
        """Return the first journalled act of these kinds, telling all that come on the way."""
        deadline = time.monotonic() + within_s
        while (left := deadline - time.monotonic()) > 0:
            found = None
            for entry in self._client.entries(TABLE, self._last_entry, wait_s=min(left, 5.0)).entries:
                self._note(entry)
                if found is None and entry.act in acts and entry.by.startswith("device"):
                    found = entry
            if found is not None:
                return found
        raise DaemonError("no-entry", f"The daemon journalled no {' or '.join(sorted(acts))} in {within_s:g} s.", "Look at its log.")

    def _catch_up(self) -> None:
        for entry in self._client.entries(TABLE, self._last_entry).entries:
            self._note(entry)

    def _note(self, entry: Entry) -> None:
        self._last_entry = entry.entry
        if entry.act in ("card", "stack"):
            self._pick_up()
        before, after = self._procedure.step(self._phase), self._procedure.step(entry.outcome.phase)
        self._phase = entry.outcome.phase
        size = before.size if isinstance(before, Stack) else None
        self._tracker.told(entry.act, entry.outcome, in_stack=isinstance(after, Stack), size=size)
        if entry.act != "routine":
            self._on_entry(entry, self._moves.pop(entry.entry, None))

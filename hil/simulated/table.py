"""A shuffler, a shoe and a discard rack at one table, and the cards that go round between them.

The cards are real: each is in exactly one place, and `verify_cards` says so or names what is wrong. The methods are what
a dealer's hands do; nothing here decides when to do it. A second deck can wait in `spare`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from types import TracebackType

from firmware_bridge.cards import Card
from firmware_bridge.events import ShuffleMode
from hil.mechanism.cards import PhysicalCard, fresh_shoe
from hil.mechanism.options import DrawResult
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings


class LostCardError(RuntimeError):
    """A card is in no place or in two: the simulation itself is wrong."""


class SimulatedTable:
    """Two devices and a rack. `shuffler` None: the deck is shuffled by hand and only the shoe is there."""

    def __init__(
        self,
        shoe: SimulatedSettings,
        shuffler: SimulatedSettings | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.shoe = SimulatedDevice(shoe, clock=clock)
        self.shuffler = SimulatedDevice(shuffler, clock=clock) if shuffler is not None else None
        self.rack: list[PhysicalCard] = []
        self.spare: list[PhysicalCard] = []
        self._everything: list[PhysicalCard] = []

    async def __aenter__(self) -> SimulatedTable:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.stop()

    async def start(self) -> None:
        await self.shoe.start()
        if self.shuffler is not None:
            await self.shuffler.start()

    async def stop(self) -> None:
        await self.shoe.stop()
        if self.shuffler is not None:
            await self.shuffler.stop()

    def bring_decks(self, decks: int = 1, back: str = "red", jokers: int = 0) -> None:
        """Put fresh decks into the rack, in new-deck order."""
        cards = fresh_shoe(decks, back, jokers)
        self._everything += cards
        self.rack += cards

    def rack_to_shuffler(self) -> None:
        """Put the rack into the shuffler, or beside it where there is none."""
        cards, self.rack = self.rack, []
        if self.shuffler is None:
            self.spare += cards
        else:
            self.shuffler.load(cards)

    async def run_shuffler(self, decks: int = 1, mode: ShuffleMode = ShuffleMode.RANDOM) -> None:
        """Press the shuffler's button and wait until the cycle has ended; by hand, shuffle without a witness."""
        if self.shuffler is None:
            self.shoe.machine.rng.shuffle(self.spare)
            return
        self.shuffler.press_shuffle(mode, decks)
        await self.shuffler.until(lambda now: now.act is None)

    def shuffler_to_shoe(self) -> None:
        """Put the shuffled cards into the shoe."""
        if self.shuffler is None:
            cards, self.spare = self.spare, []
        else:
            cards = self.shuffler.unload()
        self.shoe.load(cards)

    def deal(self, cards: int = 1) -> int:
        """Pull up to so many cards as far as the gate lets them; return how many came."""
        for drawn in range(cards):
            if self.shoe.draw() is not DrawResult.DRAWN:
                return drawn
        return cards

    def collect(self) -> None:
        """Pick up every card that lies on the table, and the stub out of the shoe, into the rack."""
        for device in self._devices():
            self.rack += device.tray
            device.tray.clear()
        self.rack += self.shoe.unload()

    def verify_cards(self) -> None:
        """Check that each card is in exactly one place.

        Raises:
            LostCardError: with the places and what is missing or double.
        """
        places = {"rack": self.rack, "spare": self.spare}
        for device in self._devices():
            machine, name = device.machine, device.settings.serial
            places |= {f"{name} feed": list(machine.feed.cards()), f"{name} tray": machine.tray}
            places[f"{name} stuck"] = machine.stuck
        found = Counter(id(card) for cards in places.values() for card in cards)
        wrong = [card for card in self._everything if found[id(card)] != 1]
        if wrong or found.total() != len(self._everything):
            counts = {name: len(cards) for name, cards in places.items()}
            raise LostCardError(f"{len(wrong)} of {len(self._everything)} cards are lost or double: {counts}")

    def faces_out(self) -> list[Card | None]:
        """Return the cards on the table in the order in which they left the shoe."""
        return [card.face for card in self.shoe.tray]

    def _devices(self) -> list[SimulatedDevice]:
        return [self.shoe] if self.shuffler is None else [self.shoe, self.shuffler]

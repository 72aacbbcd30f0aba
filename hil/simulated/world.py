"""What people, cards and bad luck can do to a simulated device, as one would do it to a real one.

Each method lets due movements happen first, then does its deed at this moment; the device tells what follows by itself.
Call them on the device's event loop. Nothing here waits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from firmware_bridge.cards import Card
from firmware_bridge.events import (
    Cause,
    DeviceError,
    DeviceState,
    JamPlace,
    PowerChange,
    ReturnPlace,
    ShuffleMode,
    ShuffleResult,
    TamperKind,
)
from hil.mechanism.cards import PhysicalCard, blank_cards
from hil.mechanism.machine import Mechanism
from hil.mechanism.options import DrawResult, ScriptedCard, ScriptedShuffle, ScriptedStack
from hil.simulated.adapter import Adapter

Outcome = TypeVar("Outcome")

KEY_PRESSED = 1
"""BUTTON action."""


class World(ABC):
    """The outside of one device; `SimulatedDevice` is the inside."""

    machine: Mechanism
    adapter: Adapter

    @abstractmethod
    def happen(self, deed: Callable[[float], Outcome]) -> Outcome:
        """Let due movements happen, do `deed` with the moment, send what follows."""

    @property
    def tray(self) -> list[PhysicalCard]:
        """Cards that have left and lie where nobody has picked them up; take them out of the list to pick them up."""
        return self.machine.tray

    def load(self, cards: Sequence[PhysicalCard]) -> None:
        """Put cards in, under those already there."""
        self.happen(lambda now: self.machine.load(cards, now))

    def load_blank(self, count: int, back: str = "red") -> None:
        """Put cards in whose identities the script gives when they come out."""
        self.load(blank_cards(count, back))

    def unload(self) -> list[PhysicalCard]:
        """Take out every card by hand, stuck ones too."""
        return self.happen(lambda _now: self.machine.unload())

    def draw(self) -> DrawResult:
        """Pull the next card of the stack."""
        return self.happen(self.machine.draw)

    def draw_card(
        self,
        face: Card | None,
        *,
        face_up: bool = False,
        unreadable: bool = False,
        double: bool = False,
        back: str | None = None,
        reads_as: Card | None = None,
        out_of_flow: bool = False,
    ) -> DrawResult:
        """Exactly this card comes out next, gate open or not; with the gate locked it is out of the flow."""
        card = ScriptedCard(face, face_up, unreadable, double, back, reads_as, out_of_flow)
        return self.happen(lambda now: self.machine.draw_scripted(card, now))

    def supply_stack(
        self,
        cards: Sequence[Card | None] | None = None,
        *,
        count: int | None = None,
        now: bool = False,
        destination: int = 0,
    ) -> None:
        """Give the stack of the dispense that waits or comes next; `now` dispenses without being asked.

        Either `cards` (None among them is unreadable) or a `count` of cards that nobody reads.

        Raises:
            ScriptError: too many stacks wait, or the mechanism is busy.
            ValueError: neither or both were given.
        """
        if (cards is None) == (count is None):
            raise ValueError("a stack is either cards or a count")
        stack = ScriptedStack(tuple(ScriptedCard(card) for card in cards or ()), count)
        script = self.adapter.script
        if now:
            self.happen(lambda moment: script.dispense_now(stack, destination, moment))
        else:
            self.happen(lambda moment: script.supply_stack(stack, moment))

    def shuffle_result(
        self,
        mode: ShuffleMode = ShuffleMode.RANDOM,
        counted: int = 52,
        expected: int | None = None,
        unreadable: int = 0,
        result: ShuffleResult | None = None,
        decks: int | None = None,
    ) -> None:
        """A cycle ends so: the one that was ordered, or one started by the device's own button."""
        found = ScriptedShuffle(counted, expected, unreadable, result)
        number = self._decks_of(counted) if decks is None else decks
        self.happen(lambda now: self.adapter.script.finish_shuffle(found, mode, number, now))

    def shuffle_aborted(self, mode: ShuffleMode = ShuffleMode.RANDOM, decks: int = 1) -> None:
        """A cycle is stopped at the device."""
        self.happen(lambda now: self.adapter.script.abort_shuffle(mode, decks, now))

    def press_shuffle(self, mode: ShuffleMode = ShuffleMode.RANDOM, decks: int = 1) -> None:
        """Somebody starts a cycle at the device; it ends by itself after its time."""
        self.happen(lambda now: self.adapter.orders.start_shuffle(decks, mode, None, now))

    def stub_result(self, counted: int, unreadable: int = 0) -> None:
        """A stub count ends so, ordered or not."""
        self.happen(lambda now: self.adapter.script.finish_stub(counted, unreadable, now))

    def cut_card(self) -> None:
        """The cutting card comes out."""
        self.happen(self.machine.draw_cut_card)

    def shoe_empty(self) -> None:
        """The last card has left."""
        self._tell("shoe_empty", {"position": self.machine.position()})

    def card_returned(self, place: str | ReturnPlace = ReturnPlace.EXIT) -> None:
        """A card is pushed back in."""
        where = ReturnPlace(place)
        self.happen(lambda now: self.machine.push_back(where, now))

    def jam(self, place: str | JamPlace = JamPlace.FEED) -> None:
        """A card sticks."""
        where = JamPlace(place)
        self.happen(lambda now: self.machine.jam(where, now))

    def clear_jam(self) -> None:
        """The card is taken loose and the error cleared by the device's own key."""
        self.mend(DeviceError.JAM)

    def open_lid(self) -> None:
        self.happen(self.machine.open_lid)

    def close_lid(self) -> None:
        """The lid is shut; an error that its opening raised is cleared by the device's own key."""
        self.happen(self.machine.close_lid)
        self.mend(DeviceError.LID)

    def fail(self, error: str | DeviceError, detail: int = 0) -> None:
        """A part breaks."""
        what = DeviceError(error)
        self.happen(lambda now: self.machine.fail(what, detail, now))

    def mend(self, error: str | DeviceError) -> None:
        """The cause goes away, and the error is cleared by the device's own key."""
        what = DeviceError(error)
        self.remove_cause(what)
        self.happen(lambda now: self.machine.clear_error(what, now))

    def remove_cause(self, error: str | DeviceError) -> None:
        """The cause goes away; the error stays until the host clears it."""
        self.machine.mend(DeviceError(error))

    def mode_changed(self, old: str | DeviceState, new: str | DeviceState, cause: Cause = Cause.KEY) -> None:
        self._tell("mode_changed", {"old": DeviceState(old), "new": DeviceState(new), "cause": cause})

    def tamper(self, kind: str | TamperKind = TamperKind.CASE) -> None:
        self._tell("tamper", {"kind": TamperKind(kind)})

    def power_event(self, change: str | PowerChange = PowerChange.LOST) -> None:
        """The device tells of its mains without losing its own power, as one with a battery does."""
        self._tell("power", {"change": PowerChange(change)})

    def press(self, button: int, action: int = KEY_PRESSED) -> None:
        self._tell("button", {"button": button, "action": action})

    def _tell(self, name: str, fields: dict[str, object]) -> None:
        self.happen(lambda now: self.machine.emit(name, fields, now))

    def _decks_of(self, cards: int) -> int:
        return max(1, round(cards / self.machine.options.deck_size))

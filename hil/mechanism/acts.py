"""Acts: what a mechanism does over some time because the host asked, or because somebody pressed its button.

Each act is one small object that the machine steps when its time comes. It takes cards from the machine's stack and
tells by the machine's events; the machine ends it with exactly one `command_done`. In the scripted style an act has no
time of its own (`due_s` None): it waits until the script supplies what comes.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

from firmware_bridge.cards import UNREADABLE
from firmware_bridge.events import CardFlag, DeviceError, OutOfFlow, ShuffleMode, ShuffleResult, Status
from hil.mechanism.act import Act
from hil.mechanism.cards import PhysicalCard
from hil.mechanism.machine import Mechanism
from hil.mechanism.options import ScriptedCard, ScriptedShuffle, ScriptedStack


@dataclasses.dataclass(slots=True)
class DispenseAct(Act[Mechanism]):
    """Feed a stack of cards out to a place."""

    asked: int
    destination: int
    target: int
    name = "dispense"
    flags: CardFlag = CardFlag.NONE

    def step(self, machine: Mechanism, now_s: float) -> None:
        card = machine.take_from_stack(now_s) if self.moved < self.target else None
        if card is not None:
            struck = machine.faults.struck("misread", "wrong-read", "face-up", "foreign-back")
            card.face_up = card.face_up or "face-up" in struck
            self.feed_card(machine, card, now_s, None, struck)
            self.due_s = now_s + machine.options.timing.card_s
        if card is None or self.moved >= self.target:
            self.finish(machine, now_s)

    def feed_card(
        self,
        machine: Mechanism,
        card: PhysicalCard,
        now_s: float,
        script: ScriptedCard | None,
        struck: frozenset[str] = frozenset(),
    ) -> None:
        self.moved += 1
        if card.face_up:
            self.flags |= CardFlag.FACE_UP
        if machine.options.reads_stacks:
            machine.read_out("card_read", card, now_s, script=script, struck=struck)
        else:
            machine.pass_unread(card)

    def finish(self, machine: Mechanism, now_s: float) -> None:
        self._tell(machine, now_s)
        if not len(machine.feed) and not machine.options.scripted:
            machine.emit("shoe_empty", {"position": machine.position()}, now_s)
        machine.end_act(Status.OK if self.moved or not self.asked else Status.EMPTY, now_s)

    def supply(self, machine: Mechanism, stack: ScriptedStack, now_s: float) -> None:
        """The script says what this stack is; it may have the wrong size."""
        for script in stack.cards if stack.count is None else ():
            self.feed_card(machine, machine.take_scripted(script), now_s, script)
        for _ in range(stack.count or 0):
            self.moved += 1
            machine.pass_unread(machine.feed.take_top() or PhysicalCard(None, machine.loaded_back))
        self.finish(machine, now_s)

    def break_off(self, machine: Mechanism, now_s: float) -> None:
        self._tell(machine, now_s)

    def _tell(self, machine: Mechanism, now_s: float) -> None:
        fields = {
            "destination": self.destination,
            "asked": self.asked,
            "counted": self.moved,
            "flags": self.flags.value,
        }
        machine.emit("stack_dispensed", fields, now_s)


@dataclasses.dataclass(slots=True)
class BurnAct(Act[Mechanism]):
    """Eject cards to the rack; by value: one card, then as many as it counts."""

    wanted: int
    by_value: bool
    name = "burn"

    def step(self, machine: Mechanism, now_s: float) -> None:
        card = machine.take_from_stack(now_s)
        if card is None:
            machine.end_act(Status.EMPTY, now_s)
            return
        struck = machine.faults.struck("misread", "double-feed", "foreign-back")
        self.due_s = now_s + machine.options.timing.card_s
        self._eject(machine, card, None, struck, now_s)

    def take_drawn(self, machine: Mechanism, card: PhysicalCard, script: ScriptedCard, now_s: float) -> bool:
        self._eject(machine, card, script, frozenset(), now_s)
        return True

    def _eject(
        self,
        machine: Mechanism,
        card: PhysicalCard,
        script: ScriptedCard | None,
        struck: frozenset[str],
        now_s: float,
    ) -> None:
        seen = machine.read_out("burn_ejected", card, now_s, script=script, struck=struck)
        self.moved += 1
        if self.by_value and self.moved == 1:
            if seen is UNREADABLE:
                machine.raise_error(DeviceError.CANNOT_READ, machine.position(), now_s)
                return
            self.wanted = 1 + min(seen.rank, 10)
        if self.moved >= self.wanted:
            machine.end_act(Status.OK, now_s)


@dataclasses.dataclass(slots=True)
class EjectAct(Act[Mechanism]):
    """Eject everything; the shoe is closed at the end."""

    name = "eject_all"

    def step(self, machine: Mechanism, now_s: float) -> None:
        card = machine.take_from_stack(now_s)
        if card is None:
            machine.shoe = None
            machine.end_act(Status.OK, now_s)
            return
        self.moved += 1
        struck = machine.faults.struck("misread")
        machine.read_out("card_out_of_flow", card, now_s, struck=struck, out_of_flow=OutOfFlow.EJECTED)
        self.due_s = now_s + machine.options.timing.card_s


@dataclasses.dataclass(slots=True)
class StubAct(Act[Mechanism]):
    """Count what is left without giving it out."""

    name = "stub_count"

    def step(self, machine: Mechanism, now_s: float) -> None:
        unreadable = sum(card.face is None and not card.is_cut_card for card in machine.feed.cards())
        self.finish(machine, len(machine.feed), unreadable, now_s)

    def finish(self, machine: Mechanism, counted: int, unreadable: int, now_s: float) -> None:
        shoe = machine.shoe
        expected = max(0, shoe.loaded - shoe.position) if shoe is not None else counted
        fields = {"counted": counted, "expected": expected, "unreadable": unreadable}
        machine.emit("stub_counted", fields, now_s)
        machine.end_act(Status.OK, now_s)


@dataclasses.dataclass(slots=True)
class ShuffleAct(Act[Mechanism]):
    """One cycle: shuffle, sort or count."""

    decks: int
    mode: ShuffleMode
    name = "shuffle_start"

    def begin(self, machine: Mechanism, now_s: float) -> None:
        machine.emit("shuffle_started", {"decks": self.decks, "mode": self.mode}, now_s)

    def step(self, machine: Mechanism, now_s: float) -> None:
        struck = machine.faults.struck("shuffle-short", "false-shuffle")
        if "shuffle-short" in struck and (card := machine.feed.take_top()) is not None:
            machine.stuck.append(card)
        cards = list(machine.feed.cards())
        if self.mode is ShuffleMode.RANDOM and "false-shuffle" not in struck:
            machine.rng.shuffle(cards)
        elif self.mode is ShuffleMode.SORT:
            cards.sort(key=lambda card: card.face.code if card.face is not None else 0)
        machine.feed.arrange(cards)
        unreadable = sum(card.face is None for card in cards)
        self.finish(machine, ScriptedShuffle(len(cards), None, unreadable, self._finding(machine, cards)), now_s)

    def finish(self, machine: Mechanism, found: ScriptedShuffle, now_s: float) -> None:
        expected = self.decks * machine.options.deck_size if found.expected is None else found.expected
        result = found.result or (ShuffleResult.GOOD if found.counted == expected else ShuffleResult.COUNT)
        self.moved = found.counted
        machine.counters.shuffles += 1
        self._tell(machine, found.counted, expected, found.unreadable, result, now_s)
        machine.end_act(Status.OK, now_s)

    def break_off(self, machine: Mechanism, now_s: float) -> None:
        expected = self.decks * machine.options.deck_size
        self._tell(machine, len(machine.feed), expected, 0, ShuffleResult.ABORTED, now_s)

    def abort(self, machine: Mechanism, now_s: float) -> None:
        """End the cycle early; the order is whatever it is, so the cards count as unshuffled."""
        self.break_off(machine, now_s)
        machine.end_act(Status.WRONG_STATE, now_s)

    def _finding(self, machine: Mechanism, cards: list[PhysicalCard]) -> ShuffleResult | None:
        """What a machine that recognises cards finds beyond their number; None leaves it to the number."""
        if len({card.back for card in cards}) > 1:
            return ShuffleResult.FOREIGN_BACK
        if len(cards) != self.decks * machine.options.deck_size or not machine.options.recognises:
            return None
        copies = Counter(card.face for card in cards if card.face is not None and card.face.suit)
        return ShuffleResult.DUPLICATES if any(n > self.decks for n in copies.values()) else None

    @staticmethod
    def _tell(machine: Mechanism, counted: int, expected: int, unreadable: int, result: ShuffleResult, now_s: float) -> None:
        fields = {"counted": counted, "expected": expected, "unreadable": unreadable, "result": result}
        machine.emit("shuffle_done", fields, now_s)

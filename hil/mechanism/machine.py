"""The mechanism of a shoe or shuffler: cards, feed, reader, gate, lid, errors and power. It speaks no protocol.

This file has what moves and what people do to it; what the host may order is in `orders`, what a script may bring in
`script`.

Time is passed in and only moves by `advance`; what happens is told through `emit` by the canonical names of events
(SDP/1 1.7 names the same set). The rules kept here are the device's side of SDP/1 1.6 to 1.8:

* The gate is locked from power-on and from each error. Nothing is dealt without an open shoe, with an error or with an
  open lid; locking is never refused. A card in motion is finished before the gate locks.
* One act at a time; each accepted one ends with exactly one `command_done`, unless power fails: then `started` tells.
* Open shoe, position, errors and counters survive loss of power; the act under way, the gate and a diagnosis do not.
* `position` counts every card that left in this shoe, never a cutting card.

Cards are conserved: each is in the feed, in the tray of cards that left, or stuck. In the scripted style somebody
outside says which card comes next and may bring one that was never loaded, as a cheat would.
"""

from __future__ import annotations

import dataclasses
import random
from collections import deque
from collections.abc import Callable, Sequence

from device_profiles.values import FieldValue
from firmware_bridge.cards import UNREADABLE, Card
from firmware_bridge.events import (
    CardFlag,
    Cause,
    DeviceError,
    DeviceState,
    GateState,
    JamPlace,
    OutOfFlow,
    ReturnPlace,
    StartReason,
    Status,
)
from hil.faults import DeviceFaults
from hil.mechanism.act import Act
from hil.mechanism.cards import BACKS, CARD_WEIGHT_DG, PhysicalCard, Stack
from hil.mechanism.gate import Emit, Gate
from hil.mechanism.options import DrawResult, HardCounters, MechanismOptions, ScriptedCard
from hil.mechanism.reader import READER_FAULTS, Shoe, flags_of, see_card, weakness


@dataclasses.dataclass(slots=True)
class _Pull:
    """A card on its way through the reader."""

    due_s: float
    script: ScriptedCard | None


class Mechanism:
    """One device's physics. Commands return a `Status`; everything else is told by `emit`."""

    def __init__(self, options: MechanismOptions, rng: random.Random, faults: DeviceFaults, emit: Emit) -> None:
        self.options = options
        self.rng = rng
        self.faults = faults
        self.emit = emit
        self.gate = Gate(emit, options.timing.gate_s)
        self.feed = Stack()
        self.tray: list[PhysicalCard] = []
        self.stuck: list[PhysicalCard] = []
        self.shoe: Shoe | None = None
        self.lid_open = False
        self.errors: dict[DeviceError, int] = {}
        self.causes: set[DeviceError] = set()
        self.memory_is_full: Callable[[], bool] = lambda: False
        self.counters = HardCounters()
        self.in_diagnosis = False
        self.powered = False
        self.boot_count = 0
        self.power_loss_is_due = False
        self.act: Act[Mechanism] | None = None
        self.loaded_back = "red"
        self._pulls: deque[_Pull] = deque()
        self._reader_free_s = float("-inf")

    def state(self) -> DeviceState:
        """Return the state that STATUS tells."""
        if self.in_diagnosis:
            return DeviceState.DIAGNOSTIC
        if self.errors:
            return DeviceState.ERROR
        if self.act is not None and self.act.name == "shuffle_start":
            return DeviceState.SHUFFLING
        if self.shoe is None:
            return DeviceState.IDLE
        return DeviceState.DEALING if self.gate.state is GateState.OPEN else DeviceState.ARMED

    def remaining(self) -> int | None:
        """Return how many cards are left, None when the device does not know."""
        if not self.options.knows_remaining or (self.options.scripted and not len(self.feed)):
            return None
        return len(self.feed)

    def can_deal(self) -> bool:
        """Say whether an unlock, a dispense or a burn would be accepted as far as shoe, lid and errors go."""
        return self.shoe is not None and not self.errors and not self.lid_open and not self.in_diagnosis

    def is_moving(self) -> bool:
        """Say whether an act or a card is under way."""
        return self.act is not None or bool(self._pulls)

    def next_due_s(self) -> float | None:
        """Return when `advance` has something to do next."""
        due = [self._pulls[0].due_s] if self._pulls else []
        if self.gate.next_due_s is not None:
            due.append(self.gate.next_due_s)
        if self.act is not None and self.act.due_s is not None:
            due.append(self.act.due_s)
        return min(due, default=None)

    def advance(self, now_s: float) -> None:
        """Let everything happen that is due by now, in order."""
        while self.powered and (due_s := self.next_due_s()) is not None and due_s <= now_s:
            if self._pulls and self._pulls[0].due_s <= due_s:
                self._pass_reader(self._pulls.popleft().script, due_s)
            elif self.gate.next_due_s is not None and self.gate.next_due_s <= due_s:
                self.gate.finish_move(due_s)
            elif self.act is not None:
                self.act.step(self, due_s)
            self.watch_memory(due_s)

    def load(self, cards: Sequence[PhysicalCard], now_s: float) -> None:
        """Cards are put in under those already there."""
        self.feed.put_under(cards)
        self.loaded_back = next((c.back for c in cards if not c.is_cut_card), self.loaded_back)
        counted = len(self.feed)
        decks = max(1, round(counted / self.options.deck_size)) if counted else 0
        self.emit("shoe_loaded", {"decks": decks, "counted": counted, "level": counted * CARD_WEIGHT_DG}, now_s)

    def unload(self) -> list[PhysicalCard]:
        """A person takes out every card, stuck ones too."""
        taken = self.feed.take_all() + self.stuck
        self.stuck = []
        return taken

    def draw(self, now_s: float) -> DrawResult:
        """The dealer pulls the next card of the stack."""
        if not self.powered:
            return DrawResult.DEAD
        if self.errors or self.lid_open or not self.gate.lets_through(len(self._pulls)):
            return DrawResult.BLOCKED
        if len(self._pulls) >= len(self.feed.cards()):
            return DrawResult.EMPTY
        self._pull(None, now_s)
        return DrawResult.DRAWN

    def draw_scripted(self, card: ScriptedCard, now_s: float) -> DrawResult:
        """Exactly this card comes out, whether anything allows it or not."""
        if not self.powered:
            return DrawResult.DEAD
        self._pull(card, now_s)
        return DrawResult.DRAWN

    def draw_cut_card(self, now_s: float) -> None:
        """The cutting card comes out."""
        self.emit("cut_card", {"position": self.position(), "remaining": self.remaining()}, now_s)

    def position(self) -> int:
        return self.shoe.position if self.shoe is not None else 0

    def push_back(self, place: ReturnPlace, now_s: float) -> None:
        """The card that left last is pushed back in; it counts as not drawn."""
        if self.shoe is None or not self.tray or not self.shoe.position:
            return
        card = self.tray.pop()
        self.feed.put_on_top(card)
        self.shoe.take_back(card)
        self.emit("card_returned", {"place": place, "position": self.shoe.position}, now_s)

    def jam(self, place: JamPlace, now_s: float) -> None:
        """A card sticks; the cause lasts until `remove_jam`."""
        self.counters.jams += 1
        self.causes.add(DeviceError.JAM)
        self.emit("jam", {"place": place, "card_present": True}, now_s)
        self.raise_error(DeviceError.JAM, 0, now_s)

    def remove_jam(self) -> None:
        """Somebody takes the stuck card loose; the error itself is cleared by command or by `clear_error`."""
        self.causes.discard(DeviceError.JAM)

    def open_lid(self, now_s: float) -> None:
        if self.lid_open:
            return
        self.lid_open = True
        self.counters.lid_openings += 1
        self.emit("lid", {"is_open": True}, now_s)
        if self.act is not None or self._pulls:
            self.causes.add(DeviceError.LID)
            self._pulls.clear()  # the card under way lies in the open shoe again
            self.raise_error(DeviceError.LID, 0, now_s)
        else:
            self.gate.lock_now(Cause.FAULT, now_s)

    def close_lid(self, now_s: float) -> None:
        if not self.lid_open:
            return
        self.lid_open = False
        self.causes.discard(DeviceError.LID)
        self.emit("lid", {"is_open": False}, now_s)

    def fail(self, error: DeviceError, detail: int, now_s: float) -> None:
        """A part breaks; the cause lasts until `mend`."""
        self.causes.add(error)
        self.raise_error(error, detail, now_s)

    def mend(self, error: DeviceError) -> None:
        self.causes.discard(error)

    def power_off(self) -> None:
        """Everything that needs current stops at once; what is written down or lies there stays."""
        self.powered = False
        self.act = None
        self._pulls.clear()
        self.gate.power_off()
        self.in_diagnosis = False

    def power_on(self, reason: StartReason, now_s: float) -> None:
        self.powered = True
        self.boot_count += 1
        self.counters.power_ups += 1
        self._reader_free_s = now_s
        fields = {"boot_count": self.boot_count, "reason": reason, "shoe_open": self.shoe is not None}
        self.emit("started", fields, now_s)

    def begin_act(self, act: Act[Mechanism], now_s: float) -> Status:
        """Start an act whose own conditions were checked; it runs at once as far as time allows."""
        if self.act is not None:
            return Status.BUSY
        self.act = act
        act.begin(self, now_s)
        self.advance(now_s)
        return Status.OK

    def clear_error(self, error: DeviceError, now_s: float) -> Status:
        """Clear an error, by order or at the device; refused while its cause lasts."""
        if error not in self.errors:
            return Status.OUT_OF_RANGE
        if error in self.causes or (error is DeviceError.MEMORY and self.memory_is_full()):
            return Status.WRONG_STATE
        detail = self.errors.pop(error)
        self.emit("error_cleared", {"error": error, "detail": detail}, now_s)
        return Status.OK

    def end_act(self, status: Status, now_s: float) -> None:
        """Tell that the act has ended. An act that began at the device's own button has no number and is not told."""
        act, self.act = self.act, None
        if act is not None and act.act_id is not None:
            fields = {"tid": act.act_id, "command": act.name, "status": status, "count": act.moved}
            self.emit("command_done", fields, now_s)

    def raise_error(self, error: DeviceError, detail: int, now_s: float) -> None:
        """Raise an error once, lock the gate, break off the act."""
        if error in self.errors:
            return
        self.errors[error] = detail
        self.emit("error_raised", {"error": error, "detail": detail}, now_s)
        self.gate.lock_now(Cause.FAULT, now_s)
        if self.act is not None:
            self.act.break_off(self, now_s)
            self.end_act(Status.WRONG_STATE, now_s)

    def watch_memory(self, now_s: float) -> None:
        """Raise error 0E when the device can write down no more; call it after whatever may have written."""
        if self.powered and self.memory_is_full():
            self.raise_error(DeviceError.MEMORY, 0, now_s)

    def take_from_stack(self, now_s: float) -> PhysicalCard | None:
        """Take the next card of the game off the stack, telling cutting cards on the way; None when none is left."""
        while (card := self.feed.take_top()) is not None and card.is_cut_card:
            self.tray.append(card)
            self.draw_cut_card(now_s)
        return card

    def take_scripted(self, script: ScriptedCard) -> PhysicalCard:
        """Take the card the script names from the stack, or from a sleeve when it is not there."""
        card = self.feed.take_named(script.face) if script.face is not None else self.feed.take_top()
        if card is None:
            card = PhysicalCard(script.face, self.loaded_back)
        card.face_up = card.face_up or script.face_up
        card.back = script.back or card.back
        return card

    def read_out(
        self,
        name: str,
        card: PhysicalCard,
        now_s: float,
        *,
        script: ScriptedCard | None = None,
        struck: frozenset[str] = frozenset(),
        out_of_flow: OutOfFlow | None = None,
    ) -> Card:
        """Let a card leave through the reader and tell it as event `name`; return what the reader saw."""
        self.counters.cards += 1
        self.tray.append(card)
        flags = flags_of(card, self._expected_back())
        moved = 1
        if (script is not None and script.double) or ("double-feed" in struck and len(self.feed)):
            flags |= CardFlag.DOUBLE_FEED
            second = self.take_from_stack(now_s)
            self.tray.extend([second] if second is not None else [])
            moved = 2 if self.options.sure_of_doubles else 1
        seen, confidence = see_card(card, script, struck, self.options.threshold) if self.options.reads else (UNREADABLE, 0)
        if seen is UNREADABLE:
            flags |= CardFlag.UNREADABLE
            self.counters.misreads += 1
        if out_of_flow is not None:
            flags |= CardFlag.OUT_OF_FLOW
        if self.shoe is not None and self.shoe.count(seen, moved) and self.options.recognises:
            flags |= CardFlag.BEYOND_SHOE
        fields: dict[str, FieldValue] = {
            "card": seen.code,
            "flags": flags.value,
            "confidence": confidence,
            "position": self.position(),
            "remaining": self.remaining(),
        }
        if out_of_flow is not None:
            fields["state"] = out_of_flow
        self.emit(name, fields, now_s)
        return seen

    def pass_unread(self, card: PhysicalCard) -> None:
        """Let a card leave past a reader that does not look."""
        self.counters.cards += 1
        self.tray.append(card)
        if self.shoe is not None:
            self.shoe.position += 1

    def fail_safe(self, now_s: float) -> None:
        """Link or session lost: finish the card in motion, then lock; nothing to tell when it is locked already."""
        if self.gate.is_open_or_opening():
            self.lock_gate(None, Cause.LINK_LOST, now_s)

    def lock_gate(self, act_id: int | None, cause: Cause, now_s: float) -> None:
        """Lock the gate after the card in motion; never refused."""
        self.gate.lock(act_id, cause, now_s, self._pulls[-1].due_s if self._pulls else now_s)
        self.advance(now_s)

    def _pull(self, script: ScriptedCard | None, now_s: float) -> None:
        due_s = max(now_s, self._reader_free_s)
        self._reader_free_s = due_s + self.options.timing.card_s
        self._pulls.append(_Pull(due_s, script))
        self.advance(now_s)

    def _pass_reader(self, script: ScriptedCard | None, now_s: float) -> None:
        if script is not None:
            self._read_drawn(self.take_scripted(script), now_s, script, frozenset())
            return
        top = self.feed.take_top()
        if top is None:
            return
        if top.is_cut_card:
            self.tray.append(top)
            self.draw_cut_card(now_s)
            return
        struck = self.faults.struck(*READER_FAULTS) | weakness(top, self.options.weak, self.rng)
        if "jam" in struck:
            self.feed.put_on_top(top)
            self._pulls.clear()
            self.jam(JamPlace.FEED, now_s)
            return
        top.face_up = top.face_up or "face-up" in struck
        if "foreign-back" in struck:
            top.back = next(back for back in BACKS[1:] if back != self._expected_back())
        self._read_drawn(top, now_s, None, struck)
        self.power_loss_is_due = self.power_loss_is_due or "power-loss" in struck
        if "lid" in struck:
            self.open_lid(now_s)
            self.close_lid(now_s)

    def _read_drawn(self, card: PhysicalCard, now_s: float, script: ScriptedCard | None, struck: frozenset[str]) -> None:
        """A card pulled by hand has cleared the reader: in the flow, or not."""
        if script is not None and self.act is not None and self.act.take_drawn(self, card, script, now_s):
            return
        forced = script is not None and script.out_of_flow
        if self.gate.state is GateState.OPEN and not self.errors and not forced:
            before = self.position()
            self.read_out("card_read", card, now_s, script=script, struck=struck)
            self.gate.count(self.position() - before, now_s)
        else:
            self.read_out("card_out_of_flow", card, now_s, script=script, struck=struck, out_of_flow=self._why_not())
        if not len(self.feed) and not (self.options.scripted and self.shoe is not None and not self.shoe.loaded):
            self.emit("shoe_empty", {"position": self.position()}, now_s)

    def _why_not(self) -> OutOfFlow:
        if self.in_diagnosis:
            return OutOfFlow.DIAGNOSTIC
        return OutOfFlow.IN_ERROR if self.errors else OutOfFlow.LOCKED

    def _expected_back(self) -> str:
        return BACKS[self.shoe.back] if self.shoe is not None and self.shoe.back else self.loaded_back

"""What kind of mechanism it is, how fast it moves, and the small values that go into and come out of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum

import msgspec

from firmware_bridge.cards import Card
from firmware_bridge.events import ShuffleResult


class Kind(Enum):
    SHOE = "shoe"
    SHUFFLER = "shuffler"


class Timing(msgspec.Struct, frozen=True):
    """Seconds that movements take. All zero (`Timing.instant()`) makes every act end at once."""

    card_s: float = 0.05
    """From one card clearing the reader to the next: 20 a second, well above the fastest dealer (EQ-46)."""
    gate_s: float = 0.03
    """SDP/1 1.8 allows 0.3 s."""
    shuffle_s: float = 3.0
    stub_card_s: float = 0.02

    @classmethod
    def instant(cls) -> Timing:
        return cls(0.0, 0.0, 0.0, 0.0)


class MechanismOptions(msgspec.Struct, frozen=True):
    """Everything about a mechanism that does not change while it runs."""

    kind: Kind = Kind.SHOE
    timing: Timing = Timing()
    deck_size: int = 52
    """Cards a deck must have after a shuffle: 53 where a joker is played."""
    reads: bool = True
    """The reader tells which card it is; without it every card is unreadable."""
    reads_stacks: bool = True
    """Cards of a dispensed stack pass the reader too."""
    sure_of_doubles: bool = True
    """A double feed counts two in the position (SDP/1 1.7); a device that is not sure counts one."""
    recognises: bool = True
    """Duplicates in a shuffle, and more copies than the shoe holds, are noticed."""
    knows_remaining: bool = True
    counted_unlock: bool = True
    threshold: int = 0
    """A card that is read with less confidence is told as one that was not read."""
    weak: Mapping[Card, float] = {}
    """Cards that the reader makes out badly, such as a worn one: how often it fails, half of the time without noticing."""
    scripted: bool = False
    """Acts wait for the script to say which cards come; nothing comes from the stack by itself."""


class DrawResult(Enum):
    """What the dealer's hand feels when it pulls."""

    DRAWN = "drawn"
    BLOCKED = "blocked"
    EMPTY = "empty"
    DEAD = "dead"
    """No power: the gate is held by its spring."""


class ScriptedCard(msgspec.Struct, frozen=True):
    """Exactly the card that comes out next. `face` None: whatever lies on top, and it cannot be read."""

    face: Card | None
    face_up: bool = False
    unreadable: bool = False
    double: bool = False
    back: str | None = None
    reads_as: Card | None = None
    """The reader reports this card instead of the one that left."""
    out_of_flow: bool = False
    """The card leaves although nothing allows it, such as by force, even with the gate open."""


class ScriptedStack(msgspec.Struct, frozen=True):
    """What a DISPENSE gives: these cards, or `count` cards that nobody read."""

    cards: tuple[ScriptedCard, ...] = ()
    count: int | None = None

    def size(self) -> int:
        return len(self.cards) if self.count is None else self.count


class ScriptedShuffle(msgspec.Struct, frozen=True):
    """How a shuffle ended; `result` None is worked out from the counts."""

    counted: int
    expected: int | None = None
    unreadable: int = 0
    result: ShuffleResult | None = None


@dataclasses.dataclass(slots=True)
class HardCounters:
    """Counters that only rise and survive loss of power (EQ-47)."""

    cards: int = 0
    jams: int = 0
    misreads: int = 0
    shuffles: int = 0
    lid_openings: int = 0
    power_ups: int = 0

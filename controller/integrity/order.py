"""Order tests: does the sequence in which cards are read look like a shuffled one?

Three orders are looked for while the cards come out: that of a new (or sorted) set, that of the last shoe, and the
reverse of the last shoe; each with any cut. Two things betray them:

- a run: `RUN_CARDS` cards in a row as the order has them. An order that was never shuffled is found at the seventh
  card, or at the eighth if one of the first eight could not be read (in this shoe, in the last one, or in both);
- kept neighbours: more neighbouring cards of the order than chance leaves over the whole shoe. This finds a set that
  was shuffled badly, or once and then no more.

The thresholds follow from the false-alarm rates in `rates`: at most one shoe in 100,000 for each order. Equal cards of
several decks need no guess at which copy it is, because windows of cards are compared, not places.

`OrderWatch` is an immutable value. It holds hidden cards, so neither its text nor a finding's sentence tells one. It
does not know whether the device claims to have shuffled (that is the shuffle gate), nor what the table does about a
finding. The cutting card is not passed to it.
"""

from __future__ import annotations

import enum
import functools
from typing import Final, TypeAlias

import msgspec

from controller.decks import DeckSpec
from controller.integrity.patterns import circle_windows, neighbour_windows, new_deck_windows
from controller.integrity.rates import (
    RUN_SHARE,
    TARGET,
    most_copies,
    neighbour_rate_decks,
    neighbour_rate_one_deck,
    repeat_run_rate,
    run_rate,
    smallest_threshold,
)
from firmware_bridge.cards import JOKER

RUN_CARDS: Final = 7
"""With six cards chance alone would raise more than one alarm in 100,000 shoes; with eight one unreadable card would
hide an unshuffled order until the ninth."""
_SEARCHED_MAX: Final = 64
"""One deck with all its jokers."""
_GAP: Final = b"\xff"
"""No card has this code: between two orders it keeps their ends apart."""
_TAIL: Final = 4
"""Cards by which the quick path tells that no run can end here; four leave next to nothing to a closer look."""
_BYTES: Final = tuple(bytes([code]) for code in range(256))


class OrderKind(enum.Enum):
    """Which order has shown itself."""

    NEW_DECK = "new-deck-order"
    LAST_SHOE = "last-order"
    LAST_SHOE_REVERSED = "last-order-reversed"
    NEW_DECK_NEIGHBOURS = "kept-neighbours-new-deck"
    LAST_SHOE_NEIGHBOURS = "kept-neighbours-last-shoe"


_WORDS: Final = {
    OrderKind.NEW_DECK: "{} cards in a row came out as in a new or sorted set",
    OrderKind.LAST_SHOE: "{} cards in a row came out as in the last shoe",
    OrderKind.LAST_SHOE_REVERSED: "{} cards in a row came out as in the last shoe, in reverse",
    OrderKind.NEW_DECK_NEIGHBOURS: "{} groups of neighbours came out together as in a new deck",
    OrderKind.LAST_SHOE_NEIGHBOURS: "{} groups of neighbours came out together as in the last shoe",
}
_BITS: Final = {kind: 1 << index for index, kind in enumerate(OrderKind)}


class OrderFinding(msgspec.Struct, frozen=True):
    """An order that a shuffled set would not show."""

    kind: OrderKind
    cards_read: int
    matched: int
    """Cards of the run, or groups of kept neighbours."""

    @property
    def sentence(self) -> str:
        """What happened and what to do, for the operator; it names no card."""
        what = _WORDS[self.kind].format(self.matched)
        return f"{what}: the set is not shuffled. Stop dealing, call a supervisor and have the whole set shuffled again."


class FalseAlarm(msgspec.Struct, frozen=True):
    """Upper bounds of the probability of a false alarm in one shoe, for each order tested."""

    new_deck: float
    last_order: float
    """The last shoe's order and its reverse together."""


class OrderReference(msgspec.Struct, frozen=True, dict=True):
    """What the cards are compared with; shared by all states of one shoe."""

    spec: DeckSpec
    last: bytes = b""
    """Codes in which the last shoe of this set was read, 0 where a card was unreadable; empty for a new set."""

    def __repr__(self) -> str:
        return f"<OrderReference {self.spec.decks} decks, last shoe {len(self.last)} cards>"

    @functools.cached_property
    def patterns(self) -> _Patterns:
        """What follows from the fields alone; it is dropped together with the shoe."""
        return _Patterns(self)


class OrderWatch(msgspec.Struct, frozen=True, gc=False):
    """The order tests of one shoe, up to the card read last; make it with `OrderWatch.start`."""

    reference: OrderReference
    read: bytes = b""
    """Codes read so far, oldest first: keep it as `last` of the next shoe of this set."""
    kept: int = 0
    """Kept neighbours: rising and falling of a new deck, forward and reverse of the last shoe, 14 bits each."""
    gap: int = 0
    """Reads for which an unreadable card still lies inside the last eight."""
    found: int = 0
    """Kinds reported already, one bit each: a kind is reported once a shoe."""

    @classmethod
    def start(cls, spec: DeckSpec, last: bytes = b"", before: OrderWatch | None = None) -> OrderWatch:
        """Return the watch of a shoe that no card has left yet. What `before` compares with is taken over where it is the same."""
        if before is not None and before.reference.last == last and before.reference.spec == spec:
            return cls(before.reference)
        watch = cls(OrderReference(spec, last))
        _ = watch.reference.patterns  # made now, so that the first card does not wait for it
        return watch

    def __repr__(self) -> str:
        return f"<OrderWatch {len(self.read)} read>"

    @property
    def kinds_found(self) -> tuple[OrderKind, ...]:
        """The kinds reported in this shoe."""
        return tuple(kind for kind, bit in _BITS.items() if self.found & bit)

    def next_shoe(self) -> OrderWatch:
        """Return the watch for the next shoe of the same set, which must not repeat this one."""
        return OrderWatch.start(self.reference.spec, self.read)

    def advance(self, code: int) -> tuple[OrderWatch, OrderFinding | None]:
        """Take the next card (0: unreadable) and return the new watch, and a finding the first time there is one."""
        reference = self.reference
        patterns = reference.patterns
        read = self.read + _BYTES[code]
        group = read[patterns.group_start :]
        if (
            code
            and group not in patterns.neighbours
            and patterns.circle.find(group) < 0
            and read[-_TAIL:] not in patterns.tails
            and not (self.gap or patterns.holed)
        ):
            return OrderWatch(reference, read, self.kept, 0, self.found), None
        return self._look_closer(patterns, read)

    def _look_closer(self, patterns: _Patterns, read: bytes) -> tuple[OrderWatch, OrderFinding | None]:
        step = patterns.step(read)
        kept = self.kept + step
        gap = max(0, self.gap - 1) if read[-1] else RUN_CARDS
        found, finding = self.found, None
        run = patterns.run_around_gap(read) if gap or patterns.holed else None
        run = run or patterns.run(read)
        suspicions = ([(run, RUN_CARDS)] if run else []) + (patterns.enough_neighbours(kept) if step else [])
        for kind, matched in suspicions:
            if not found & _BITS[kind]:
                found |= _BITS[kind]
                finding = finding or OrderFinding(kind, len(read), matched)
        return OrderWatch(self.reference, read, kept, gap, found), finding


def false_alarm_bound(spec: DeckSpec) -> FalseAlarm:
    """Return upper bounds of the false-alarm rates per shoe of the tests on a shoe of this composition."""
    thresholds = neighbour_thresholds(spec)
    runs = run_rate(spec, new_deck_windows(spec, RUN_CARDS), RUN_CARDS)
    return FalseAlarm(
        new_deck=runs + 2 * _new_neighbour_rate(spec, thresholds[0]),
        last_order=repeat_run_rate(spec, RUN_CARDS) + 2 * _last_neighbour_rate(spec, thresholds[1]),
    )


@functools.lru_cache(maxsize=64)  # one entry for each composition in use in the house
def neighbour_thresholds(spec: DeckSpec) -> tuple[int, int]:
    """Return from how many kept neighbours, one way round, the alarm is raised: as a new deck, as the last shoe."""
    limit = TARGET * (1 - RUN_SHARE) / 2  # two ways round
    in_a_run = RUN_CARDS - neighbour_length(spec) + 1  # never fewer, so that a run is reported as a run
    return (
        max(in_a_run, smallest_threshold(lambda count: _new_neighbour_rate(spec, count), limit)),
        max(in_a_run, smallest_threshold(lambda count: _last_neighbour_rate(spec, count), limit)),
    )


def neighbour_length(spec: DeckSpec) -> int:
    """Return how many cards a group of neighbours has: with several decks, pairs are too common to count."""
    return 2 if spec.decks == 1 else 3


def _new_neighbour_rate(spec: DeckSpec, threshold: int) -> float:
    if spec.decks == 1:
        # Pairs inside the suits are part of one circle of all cards.
        return neighbour_rate_one_deck(spec.cards, threshold)
    return neighbour_rate_decks(spec, 4 * (len(spec.ranks) - 2), 1, threshold)


def _last_neighbour_rate(spec: DeckSpec, threshold: int) -> float:
    if spec.decks == 1:
        return neighbour_rate_one_deck(spec.cards, threshold)
    return neighbour_rate_decks(spec, spec.cards, most_copies(spec), threshold)


_FIELD_BITS: Final = 14
"""Room for the kept neighbours of one kind: no shoe has 16,384 cards."""
_FIELD: Final = (1 << _FIELD_BITS) - 1
_STEPS: Final = tuple(1 << field * _FIELD_BITS for field in range(4))
"""Rising and falling as in a new deck, forward and reverse as in the last shoe."""


class _NewDeckPatterns(msgspec.Struct, frozen=True):
    """What `advance` looks up for a new or sorted set: the same for every shoe of a composition."""

    length: int
    """Cards in a group of neighbours."""
    thresholds: tuple[int, int]
    codes: tuple[int, ...]
    runs: frozenset[bytes]
    around_gap: frozenset[bytes]
    tails: frozenset[bytes]
    rising: frozenset[bytes]
    falling: frozenset[bytes]
    neighbours: frozenset[bytes]


_Groups: TypeAlias = "frozenset[bytes] | bytes"


def _groups_of_last(last: bytes, length: int) -> tuple[_Groups, _Groups, bytes, frozenset[bytes]]:
    """(forward, reverse, either searched, either looked up): the groups of neighbours that the last shoe had.

    Those with an unreadable card are left to the caller. The bytes of a short order are searched as quickly as a set of its groups, and a
    game of one deck would make that set every round; so one of the last two is empty.
    """
    if len(last) < length:
        return b"", b"", b"", frozenset()
    if len(last) <= _SEARCHED_MAX:
        circle = last + last[: length - 1]
        return circle, circle[::-1], circle + _GAP + circle[::-1], frozenset()
    groups = circle_windows(last, length)
    forward, reverse = frozenset(groups), frozenset([group[::-1] for group in groups])
    return forward, reverse, b"", forward | reverse


class _Patterns:
    """What `advance` looks up for one reference. A game of one deck makes one every round, so making it must be cheap."""

    __slots__ = ("_around", "_counted", "_new", "again", "circle", "group_start", "holed", "neighbours", "tails")

    def __init__(self, reference: OrderReference) -> None:
        last = reference.last
        self._new = new = _new_deck_patterns(reference.spec)
        self.group_start = -new.length
        self.tails = new.tails
        self._around = last + last[:RUN_CARDS] if len(last) > RUN_CARDS else b""
        forward, reverse, self.circle, self.again = _groups_of_last(last, new.length)
        self.neighbours = new.neighbours | self.again if self.again else new.neighbours
        """Groups that may end a run or count as kept, here or in `circle`; all others take the quick path."""
        self._counted = ((new.rising, _STEPS[0]), (new.falling, _STEPS[1]), (forward, _STEPS[2]), (reverse, _STEPS[3]))
        self.holed = _windows_around_gaps(last) if 0 in last else {}
        """Windows of the last shoe around a card that was unreadable there."""

    def step(self, read: bytes) -> int:
        """Return what the newest group of neighbours adds to `OrderWatch.kept`."""
        group = read[self.group_start :]
        # One joker is like another: counting it would break the exact rate of one deck.
        if len(group) < self._new.length or JOKER.code in group or 0 in group:
            return 0
        return sum([step for groups, step in self._counted if group in groups])

    def run(self, read: bytes) -> OrderKind | None:
        """Return the order of which the newest cards are a run, if any."""
        window = read[-RUN_CARDS:]
        if window in self._new.runs:
            return OrderKind.NEW_DECK
        # Searching the last shoe is the dearest step here, so first see that the card before was a neighbour too.
        before = read[self.group_start - 1 : -1]
        if (self.circle.find(before) < 0 and before not in self.again) or len(window) < RUN_CARDS or 0 in window:
            return None
        return self._in_last(window)

    def run_around_gap(self, read: bytes) -> OrderKind | None:
        """Look for a run of eight places of which one, not at an end, is unknown here, in the last shoe, or in both."""
        window = read[-RUN_CARDS - 1 :]
        if len(window) <= RUN_CARDS:
            return None
        if _has_one_gap(window):
            at = window.index(0)
            for code in (0, *self._new.codes):
                filled = window[:at] + _BYTES[code] + window[at + 1 :]
                kind = OrderKind.NEW_DECK if filled in self._new.around_gap else self._in_last(filled)
                if kind:
                    return kind
        elif 0 not in window:
            for at in range(1, RUN_CARDS):
                if kind := self.holed.get(window[:at] + b"\0" + window[at + 1 :]):
                    return kind
        return None

    def _in_last(self, window: bytes) -> OrderKind | None:
        if window in self._around:
            return OrderKind.LAST_SHOE
        return OrderKind.LAST_SHOE_REVERSED if window[::-1] in self._around else None

    def enough_neighbours(self, kept: int) -> list[tuple[OrderKind, int]]:
        """Return the kinds whose kept neighbours have reached their threshold, with their number."""
        enough: list[tuple[OrderKind, int]] = []
        new_deck = max(kept & _FIELD, kept >> _FIELD_BITS & _FIELD)
        if new_deck >= self._new.thresholds[0]:
            enough.append((OrderKind.NEW_DECK_NEIGHBOURS, new_deck))
        last = max(kept >> 2 * _FIELD_BITS & _FIELD, kept >> 3 * _FIELD_BITS)
        if last >= self._new.thresholds[1]:
            enough.append((OrderKind.LAST_SHOE_NEIGHBOURS, last))
        return enough


@functools.lru_cache(maxsize=64)  # one entry for each composition in use in the house
def _new_deck_patterns(spec: DeckSpec) -> _NewDeckPatterns:
    runs = new_deck_windows(spec, RUN_CARDS)
    length = neighbour_length(spec)
    rising, falling = neighbour_windows(spec, length)
    return _NewDeckPatterns(
        length=length, thresholds=neighbour_thresholds(spec), codes=spec.codes, runs=runs,
        around_gap=new_deck_windows(spec, RUN_CARDS + 1), tails=frozenset(window[-_TAIL:] for window in runs),
        rising=rising, falling=falling, neighbours=rising | falling,
    )  # fmt: skip


def _windows_around_gaps(last: bytes) -> dict[bytes, OrderKind]:
    orders = ((last[::-1], OrderKind.LAST_SHOE_REVERSED), (last, OrderKind.LAST_SHOE))
    return {window: kind for order, kind in orders for window in circle_windows(order, RUN_CARDS + 1) if _has_one_gap(window)}


def _has_one_gap(window: bytes) -> bool:
    """Tell whether exactly one card, neither the first nor the last, is unknown."""
    return window.count(0) == 1 and bool(window[0]) and bool(window[-1])

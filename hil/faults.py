"""One vocabulary of faults for tests, command line and training: what can go wrong on a line and in a device.

A fault is ordered by text: `flip` (its usual rate), `flip:0.02` (that rate), `misread@5` (exactly at the fifth card or
chunk). Everything random comes from the generator passed in, so a seed repeats a run; print the seed when a run fails.

Line faults act on chunks of bytes in one direction (`FaultyLine`), time is passed in, and the order of bytes is kept as
a cable keeps it. Device faults are only *chosen* here (`DeviceFaults`); what they do is the mechanism's business.
"""

from __future__ import annotations

import dataclasses
import difflib
import random
from collections import deque
from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

MAX_WAITING_CHUNKS = 512
"""Chunks under way in one direction; a cable holds nothing, so more than this are lost and counted."""

MAX_JUNK_BYTES = 24
"""A connector that is being touched gives a few stray bytes, not a message."""

LONGEST_DELAY_S = 0.4
"""Past the first retry time of SDP/1 1.4 at 115200 baud (0.22 s), so that late and repeated frames cross."""

MERGE_HOLD_S = 0.03
"""As long as a USB adapter's latency timer may hold bytes back, doubled."""

MAX_HELD_BYTES = 512
"""One block of a full-speed USB adapter's buffer; it sends a full buffer without waiting for its timer."""

CUT_S = 4.0
"""Longer than the 3 s after which SDP/1 1.8 calls the link lost."""


class FaultError(ValueError):
    """The text orders no fault; the message names the nearest one."""


class Place(Enum):
    """Where a fault strikes."""

    LINE = "line"
    DEVICE = "device"


class Fault(msgspec.Struct, frozen=True):
    """One entry of the vocabulary. `usual_rate` is per chunk on a line, per card in a device."""

    name: str
    place: Place
    usual_rate: float
    help: str


FAULTS = (
    Fault("drop", Place.LINE, 0.02, "some bytes of a chunk are lost"),
    Fault("flip", Place.LINE, 0.02, "one bit of a chunk is flipped"),
    Fault("duplicate", Place.LINE, 0.02, "a chunk arrives twice"),
    Fault("delay", Place.LINE, 0.02, "a chunk and all after it arrive up to 0.4 s late"),
    Fault("split", Place.LINE, 0.10, "a chunk arrives in pieces"),
    Fault("merge", Place.LINE, 0.10, "a chunk waits and arrives together with the next one"),
    Fault("junk", Place.LINE, 0.02, "stray bytes come before a chunk"),
    Fault("junk-inside", Place.LINE, 0.02, "stray bytes come in the middle of a chunk"),
    Fault("cut", Place.LINE, 0.001, "the line is dead for 4 s"),
    Fault("misread", Place.DEVICE, 0.02, "the reader cannot read a card"),
    Fault("wrong-read", Place.DEVICE, 0.005, "the reader reports another card than the one that left"),
    Fault("double-feed", Place.DEVICE, 0.01, "two cards leave together"),
    Fault("face-up", Place.DEVICE, 0.01, "a card lies face up in the shoe"),
    Fault("foreign-back", Place.DEVICE, 0.01, "a card with another back lies in the shoe"),
    Fault("short-stack", Place.DEVICE, 0.02, "a dispensed stack has one card too few"),
    Fault("long-stack", Place.DEVICE, 0.02, "a dispensed stack has one card too many"),
    Fault("jam", Place.DEVICE, 0.005, "a card sticks in the feed until somebody clears it"),
    Fault("lid", Place.DEVICE, 0.005, "the lid is opened and closed again"),
    Fault("power-loss", Place.DEVICE, 0.002, "the device loses power and starts again"),
    Fault("unplug", Place.DEVICE, 0.002, "the plug is pulled for half a second; the host sees its port vanish"),
    Fault("wrong-serial", Place.DEVICE, 1.0, "another unit answers in the device's place"),
    Fault("shuffle-short", Place.DEVICE, 0.05, "a card is missing after a shuffle"),
    Fault("false-shuffle", Place.DEVICE, 0.05, "a shuffle leaves the order as it was"),
)

_BY_NAME = {fault.name: fault for fault in FAULTS}


class FaultOrder(msgspec.Struct, frozen=True):
    """A fault that was asked for: at a rate, or exactly once at the n-th chance (from 1)."""

    fault: Fault
    rate: float
    at: int | None = None

    def strikes(self, chance: int, rng: random.Random) -> bool:
        """Say whether the fault happens at this chance (the n-th card or chunk, from 1)."""
        return chance == self.at if self.at is not None else rng.random() < self.rate


def parse_fault(text: str) -> FaultOrder:
    """Return the order that `name`, `name:rate` or `name@n` stands for.

    Raises:
        FaultError: unknown name (the nearest is named), or a rate or number out of range.
    """
    head, colon, rate_text = text.partition(":")
    name, at_sign, at_text = head.partition("@")
    fault = _BY_NAME.get(name)
    if fault is None:
        near = difflib.get_close_matches(name, _BY_NAME, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(_BY_NAME)}"
        raise FaultError(f"there is no fault '{name[:40]}'; {hint}")
    if at_sign:
        if colon or not at_text.isascii() or not at_text.isdigit() or not 1 <= int(at_text[:9]) <= 1_000_000:
            raise FaultError(f"'{text[:40]}': write {name}@5 for the fifth chance, or {name}:0.02 for a rate")
        return FaultOrder(fault, 0.0, int(at_text))
    if not colon:
        return FaultOrder(fault, fault.usual_rate)
    try:
        rate = float(rate_text)
    except ValueError as error:
        raise FaultError(f"'{rate_text[:20]}' is no rate; write a number from 0 to 1") from error
    if not 0.0 <= rate <= 1.0:
        raise FaultError(f"{rate_text[:20]} is no rate; write a number from 0 to 1")
    return FaultOrder(fault, rate)


def help_text() -> str:
    """Return one line a fault, for `--help` and for training."""
    width = max(len(fault.name) for fault in FAULTS)
    return "\n".join(f"{fault.name:<{width}}  {fault.place.value:<6}  {fault.help} (usually {fault.usual_rate:g})" for fault in FAULTS)


@dataclasses.dataclass(slots=True)
class DeviceFaults:
    """Chooses which device faults strike at each card, and at each shuffle or start by name."""

    orders: tuple[FaultOrder, ...] = ()
    rng: random.Random = dataclasses.field(default_factory=lambda: random.Random(0))
    _chances: dict[str, int] = dataclasses.field(default_factory=dict)

    def struck(self, *names: str) -> frozenset[str]:
        """Return which of the named faults happen at this chance; each call is one chance for each of them."""
        happened = set()
        for order in self.orders:
            name = order.fault.name
            if name not in names:
                continue
            self._chances[name] = self._chances.get(name, 0) + 1
            if order.strikes(self._chances[name], self.rng):
                happened.add(name)
        return frozenset(happened)


class FaultyLine:
    """One direction of a cable: chunks go in with a time, chunks come out when they are due, in order.

    Without orders everything comes out at once and unchanged.
    """

    def __init__(self, orders: Iterable[FaultOrder] = (), rng: random.Random | None = None) -> None:
        self._orders: Sequence[FaultOrder] = tuple(o for o in orders if o.fault.place is Place.LINE)
        self._rng = rng or random.Random(0)
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._held = b""
        self._held_until_s = 0.0
        self._dead_until_s = float("-inf")
        self._chunks = 0
        self.struck: dict[str, int] = {}
        """How often each fault has happened; `overflow` counts chunks beyond `MAX_WAITING_CHUNKS`."""

    @property
    def is_clean(self) -> bool:
        """True when nothing is ordered and nothing waits: a caller may then pass bytes on directly."""
        return not self._orders and not self._waiting and not self._held and self._dead_until_s == float("-inf")

    def cut(self, now_s: float, for_s: float = CUT_S) -> None:
        """Make the line dead: what is under way and what comes within `for_s` is lost."""
        self._count("cut")
        self._dead_until_s = now_s + for_s
        self._waiting.clear()
        self._held = b""

    def mend(self) -> None:
        """End a cut at once."""
        self._dead_until_s = float("-inf")

    def feed(self, chunk: bytes, now_s: float) -> None:
        """Put bytes on the line."""
        self._chunks += 1
        struck = {o.fault.name for o in self._orders if o.strikes(self._chunks, self._rng)}
        for name in struck - {"cut"}:
            self._count(name)
        if "cut" in struck:
            self.cut(now_s)
        if now_s < self._dead_until_s:
            return
        if self._dead_until_s != float("-inf"):
            self.mend()
        held, self._held = self._held, b""
        if "merge" in struck and len(held) < MAX_HELD_BYTES:
            self._held_until_s = self._held_until_s if held else now_s + MERGE_HOLD_S
            self._held = held + self._damage(chunk, struck)
            return
        self._enqueue(held + self._damage(chunk, struck), struck, now_s)

    def take(self, now_s: float) -> list[bytes]:
        """Return the chunks that have arrived by now, in order."""
        if self._held and now_s >= self._held_until_s:
            held, self._held = self._held, b""
            self._append(held, now_s)
        arrived: list[bytes] = []
        while self._waiting and self._waiting[0][0] <= now_s:
            arrived.append(self._waiting.popleft()[1])
        return arrived

    def next_due_s(self) -> float | None:
        """Return when `take` has something next, None when nothing is under way."""
        due = [self._waiting[0][0]] if self._waiting else []
        if self._held:
            due.append(self._held_until_s)
        return min(due, default=None)

    def _damage(self, chunk: bytes, struck: set[str]) -> bytes:
        rng = self._rng
        if "flip" in struck and chunk:
            at = rng.randrange(len(chunk))
            chunk = chunk[:at] + bytes([chunk[at] ^ (1 << rng.randrange(8))]) + chunk[at + 1 :]
        if "drop" in struck and chunk:
            start = rng.randrange(len(chunk))
            chunk = chunk[:start] + chunk[start + rng.randint(1, len(chunk)) :]
        if "duplicate" in struck:
            chunk += chunk
        if "junk-inside" in struck and chunk:
            at = rng.randrange(len(chunk))
            chunk = chunk[:at] + rng.randbytes(rng.randint(1, MAX_JUNK_BYTES)) + chunk[at:]
        if "junk" in struck:
            chunk = rng.randbytes(rng.randint(1, MAX_JUNK_BYTES)) + chunk
        return chunk

    def _enqueue(self, chunk: bytes, struck: set[str], now_s: float) -> None:
        rng = self._rng
        due_s = now_s + (rng.uniform(0.0, LONGEST_DELAY_S) if "delay" in struck else 0.0)
        if "split" in struck and len(chunk) > 1:
            at = rng.randrange(1, len(chunk))
            self._append(chunk[:at], due_s)
            self._append(chunk[at:], due_s + rng.uniform(0.0, 0.02))
            return
        self._append(chunk, due_s)

    def _append(self, chunk: bytes, due_s: float) -> None:
        if not chunk:
            return
        if len(self._waiting) >= MAX_WAITING_CHUNKS:
            self._count("overflow")
            return
        if self._waiting:
            due_s = max(due_s, self._waiting[-1][0])  # a cable does not reorder
        self._waiting.append((due_s, chunk))

    def _count(self, name: str) -> None:
        self.struck[name] = self.struck.get(name, 0) + 1

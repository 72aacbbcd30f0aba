"""A deck of known order on the bench, dealt again and again by a person's hand: what its reader tells is compared with what must have left.

A device of SDP/1 is given a shoe of its own for this, whose number says that it is a test (EQ-82): no card of a table's shoe is ever
looked at. Its gate is opened, and after each deal the shoe is closed and opened anew; an error is cleared when its cause is gone. Cards
that leave while the gate moves count too. Every event goes into a capture before it is acknowledged, those from before the test as well:
they may be a table's.

A deal ends with as many cards as the deck has, when the device says that it is empty or was filled, and where the hand paused. After the
last deal that is wanted nothing counts any more: a hand that goes on draws a few cards, and a few cards fit any deck.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from controller.technician.bench import Bench
from controller.technician.deal_aligning import lay_beside
from controller.technician.deal_tally import Reading, Tally
from controller.technician.errors import DeviceNotInOrderError
from firmware_bridge.cards import CUT_CARD, UNREADABLE, Card, unseal
from firmware_bridge.codec import Codec
from firmware_bridge.commands import ClearError, CloseShoe, Command, Lock, OpenShoe, Unlock
from firmware_bridge.events import (
    BurnEjected,
    CardOutOfFlow,
    CardRead,
    CardReturned,
    DeviceError,
    DeviceEvent,
    ErrorCleared,
    ErrorRaised,
    Lid,
    ShoeEmpty,
    ShoeLoaded,
    Started,
    Status,
)
from firmware_bridge.plain.abilities import commands_of
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.reports import StatusReport
from firmware_bridge.session.outputs import CommandAnswered, EventArrived, HostOutput, Running

TEST_SHOE_ID: Final = b"shoed: TEST DECK"
"""The number of the shoe in which a test deck is dealt: whoever reads the device's events knows it for a test."""
PAUSE_MS: Final = 5_000
"""A hand that rests so long has put cards back, or will go on: either way the next card begins a new deal."""
SAME_MS: Final = 1_000
"""A device that tells an unread card and the error of it does so within this."""
TRY_AGAIN_S: Final = 1.0
"""A person closes a lid or takes out a jam; nothing is gained by asking sooner."""
DECK_CARDS: Final = 52
DECKS_MAX: Final = 12
_BECAUSE: Final = "a test deck of known order"
_WRAP_MS: Final = 1 << 32

Told = Callable[[str], None]


class KnownDeck:
    """Hears one bench. `told` gets a sentence for each deal and for what keeps the gate shut."""

    def __init__(self, bench: Bench, deck: Sequence[Card], told: Told, deals: int | None = None) -> None:
        """`deals`: so many are wanted; None: whatever comes."""
        self.tally = Tally(deck)
        self.enough = asyncio.Event()
        """Set with the last deal that is wanted."""
        self._left = deals
        self._bench, self._deck, self._told = bench, deck, told
        self._is_plain = isinstance(bench.codec, PlainCodec)
        self._readings: list[Reading] = []
        self._last_ms: int | None = None
        self._after = 0
        """Events up to this one are from before the test."""
        self._error_told_ms: int | None = None
        self._shut = asyncio.Event()
        self._why_shut = ""

    @asynccontextmanager
    async def on_the_bench(self) -> AsyncIterator[None]:
        """Listen, and keep the gate open while this lasts; at the end the gate is locked and the test's shoe closed.

        Raises:
            DeviceNotInOrderError: a shoe is open in the device that is not the test's.
        """
        if self._bench.running is not None:
            self._after = self._bench.running.newest_eseq
        if not self._is_plain:
            verify_no_other_shoe((await self._status()).shoe_id)
        self._bench.listeners.append(self._hear)
        self._shut.set()
        keeper = asyncio.create_task(self._keep_open())
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            self._end_deal()
            with contextlib.suppress(DeviceNotInOrderError):  # a lost link: the device locks itself, and its next host closes the shoe
                await self._let_go()

    # ---- what the device says

    def _hear(self, output: HostOutput) -> None:
        match output:
            case EventArrived() if output.event.eseq > self._after and not self.enough.is_set():
                self._take(output.event)
            case Running():
                self._shut.set()
            case _:
                pass

    def _take(self, event: DeviceEvent) -> None:
        match event:
            case CardRead() | BurnEjected() | CardOutOfFlow():
                self._take_card(unseal(event.card, _BECAUSE), event.t_ms)
            case CardReturned() if self._readings:
                self._readings.pop()
            case ErrorRaised():
                if self._is_plain and event.error is DeviceError.CANNOT_READ:
                    self._take_error(event.t_ms)
                self._shut.set()
            case ShoeEmpty() | ShoeLoaded() | Started() | Lid():
                self._end_deal()
                self._shut.set()
            case ErrorCleared():
                self._shut.set()
            case _:
                pass

    def _take_card(self, card: Card, t_ms: int) -> None:
        if card is CUT_CARD:
            return
        if card is UNREADABLE and _within(self._error_told_ms, t_ms, SAME_MS):
            self._error_told_ms = None
            return  # told by its error already
        since_ms = None if self._last_ms is None else (t_ms - self._last_ms) % _WRAP_MS
        if since_ms is not None and since_ms >= PAUSE_MS:
            self._end_deal()
            since_ms = None
        self._readings.append(Reading(card, since_ms if self._readings else None))
        self._last_ms = t_ms
        if len(self._readings) >= len(self._deck):
            self._end_deal()
            self._shut.set()

    def _take_error(self, t_ms: int) -> None:
        """A card that a foreign device could not read; some of them tell it as a card besides."""
        if self._readings and self._readings[-1].card is UNREADABLE and _within(self._last_ms, t_ms, SAME_MS):
            return
        self._take_card(UNREADABLE, t_ms)
        self._error_told_ms = t_ms

    def _end_deal(self) -> None:
        readings, self._readings = self._readings, []
        if not readings:
            return
        deal = lay_beside(self._deck, [reading.card for reading in readings], self.tally.expected)
        if self.tally.add(deal, readings):
            wrong = len(readings) - deal.alike
            self._told(f"{len(readings)} cards, {'all read right' if not wrong else f'{wrong} not read right'}.")
        else:
            self._told(f"{len(readings)} cards that are not this deck in this order: they are not counted.")
        if self._left is not None:
            self._left -= 1
            if not self._left:
                self.enough.set()

    # ---- the gate

    async def _keep_open(self) -> None:
        while True:
            await self._shut.wait()
            self._shut.clear()
            if self.enough.is_set():
                return  # the gate stays as the device left it, until it is locked
            try:
                why = await (self._open_plain() if self._is_plain else self._open_gate())
            except DeviceNotInOrderError as error:
                why = error.what
            if why and why != self._why_shut:
                self._told(why)
            self._why_shut = why
            if why:
                await asyncio.sleep(TRY_AGAIN_S)
                self._shut.set()

    async def _open_plain(self) -> str:
        """Unlock a foreign device that has a lock, where it may be written to."""
        session, codec = self._bench.session, self._bench.codec
        if not isinstance(session, PlainSession) or not isinstance(codec, PlainCodec):
            return ""
        can_unlock = Unlock.__name__ in commands_of(codec.profile, may_write=session.may_write)
        return _refused(Unlock(), await self._status_of(Unlock())) if can_unlock else ""

    async def _open_gate(self) -> str:
        """Give the device a new shoe and open its gate; say why not."""
        status = await self._status()
        verify_no_other_shoe(status.shoe_id)
        decks = min(DECKS_MAX, max(1, round(len(self._deck) / DECK_CARDS)))
        steps: list[Command] = [CloseShoe()] if status.shoe_id is not None else []
        steps += [ClearError(status.error_code)] if status.error_code else []
        for command in (*steps, OpenShoe(TEST_SHOE_ID, decks), Unlock()):
            why = _refused(command, await self._status_of(command))
            if why:
                return why
        return ""

    async def _let_go(self) -> None:
        if not self._is_plain:
            await self._status_of(Lock())
            if (await self._status()).shoe_id == TEST_SHOE_ID:
                await self._status_of(CloseShoe())

    async def _status(self) -> StatusReport:
        codec = self._bench.codec
        assert isinstance(codec, Codec)
        return codec.status_of((await self._bench.ask("status")).fields)

    async def _status_of(self, command: Command) -> Status | None:
        answer = await self._bench.command(command)
        return answer.status if isinstance(answer, CommandAnswered) else None


def verify_no_other_shoe(shoe_id: bytes | None) -> None:
    """Check that no shoe is open but a test's.

    Raises:
        DeviceNotInOrderError: another is.
    """
    if shoe_id not in (None, TEST_SHOE_ID):
        raise DeviceNotInOrderError(
            "shoe-open", "A shoe is open in the device: its cards belong to a table.", "Let the table close its shoe first."
        )


def _refused(command: Command, status: Status | None) -> str:
    """Say why a command did not help; empty when it did."""
    if status is Status.OK:
        return ""
    why = "no answer" if status is None else status.value
    return f"The device does not {_WORDS[type(command)]} ({why}): see whether its lid is shut and no card sticks."


_WORDS: Final[dict[type, str]] = {
    Unlock: "open its gate",
    OpenShoe: "open a shoe",
    CloseShoe: "close the shoe",
    ClearError: "let its error be cleared",
}
"""The commands of `_open_gate`, for people."""


def _within(earlier_ms: int | None, now_ms: int, limit_ms: int) -> bool:
    return earlier_ms is not None and (now_ms - earlier_ms) % _WRAP_MS <= limit_ms

"""What a table has done, for everyone who follows it: the public outcomes of its journalled acts, in order.

A bounded ring per table. Followers ask for what came after a number and may wait for it; whoever asks for entries that
the ring has already dropped is told so and reads the table anew. Only outcomes are kept, and an outcome is public.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

import msgspec

from controller.service.errors import RequestError
from controller.table.outcome import Outcome

FEED_ENTRIES: Final = 10_000
"""About two days of a busy table, at some 500 bytes each 5 MB."""

PAGE_ENTRIES: Final = 500
"""One answer stays under half a megabyte; the follower asks again for more."""


class FeedEntry(msgspec.Struct, frozen=True):
    """One journalled act and what it came to."""

    entry: int
    act: str
    by: str
    wall_ms: int
    outcome: Outcome


class Feed:
    """The ring of one table."""

    def __init__(self, limit: int = FEED_ENTRIES) -> None:
        self._entries: deque[FeedEntry] = deque(maxlen=limit)
        self._dropped_up_to = 0
        self._arrived = asyncio.Event()
        self._ended = False

    @property
    def last(self) -> int:
        """Number of the newest entry, 0 when there is none."""
        return self._entries[-1].entry if self._entries else self._dropped_up_to

    def begin_after(self, number: int) -> None:
        """Say that entries up to this number exist and are not kept here."""
        self._dropped_up_to = max(self._dropped_up_to, number)

    def append(self, entry: FeedEntry) -> None:
        """Add the newest entry and wake everyone who waits."""
        if len(self._entries) == self._entries.maxlen:
            self._dropped_up_to = self._entries[0].entry
        self._entries.append(entry)
        arrived, self._arrived = self._arrived, asyncio.Event()
        arrived.set()

    def after(self, number: int) -> list[FeedEntry]:
        """Return the next entries after a number, at most a page.

        Raises:
            RequestError: with status 410 when some of them are no longer kept.
        """
        if number < self._dropped_up_to:
            raise RequestError(
                "entries-gone",
                f"Entries after {number} are no longer at hand; the oldest kept is after {self._dropped_up_to}.",
                "Read the table's state anew and follow from its journal number; older entries are in the journal.",
                "after",
                410,
            )
        kept = self._entries
        low, high = 0, len(kept)
        while low < high:
            middle = (low + high) // 2
            if kept[middle].entry <= number:
                low = middle + 1
            else:
                high = middle
        return [kept[index] for index in range(low, min(len(kept), low + PAGE_ENTRIES))]

    def end(self) -> None:
        """Say that nothing more comes: nobody waits any longer."""
        self._ended = True
        self._arrived.set()

    async def wait_after(self, number: int, seconds: float) -> list[FeedEntry]:
        """Return entries after a number, waiting up to this time for the first; empty when none came."""
        try:
            async with asyncio.timeout(seconds):
                while not (found := self.after(number)) and not self._ended:
                    await self._arrived.wait()
        except TimeoutError:
            return []
        return found

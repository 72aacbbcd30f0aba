"""Another vendor's host of an electronic baccarat shoe: it unlocks the shoe for each card that it takes to be due, and tells who won.

It knows no shoed. `errs` makes it wrong in one of the ways in which such programs are: it tells another result than the cards give
(`result`), or lets the Banker draw whenever he has less than 7 (`draw`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from controller.hands.baccarat import Play, banker_play, count, is_natural, player_play
from device_profiles.plain.frames import Way
from firmware_bridge.cards import Card, unseal
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame

READ_BYTES: Final = 4096
HEARD_S: Final = 20.0
"""A card takes three telegrams; this long only on a machine busy with tests."""
Error = Literal["", "result", "draw"]
WRONG: Final = {"player": "banker", "banker": "player", "tie": "player"}


class BaccaratHost:
    """One host on one line. Call it on its event loop only."""

    def __init__(self, codec: PlainCodec) -> None:
        self.errs: Error = ""
        self._codec, self._framer = codec, codec.framer(Way.IN, pauses=True)
        self._hands: dict[str, list[Card]] = {}
        self._last = b""
        self._news = asyncio.Event()
        self._cards = 0
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None

    async def connect(self, host: str, port: int) -> None:
        """Take the line."""
        reader, self._writer = await asyncio.open_connection(host, port)
        self._listening = asyncio.create_task(self._listen(reader))

    async def close(self) -> None:
        """Leave the line."""
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            self._writer.close()

    def begin(self) -> None:
        """A new round."""
        self._hands = {"player": [], "banker": []}

    def order(self, name: str) -> None:
        """Give the shoe an order of its profile."""
        if self._writer is not None:
            self._writer.write(self._codec.write(name))

    def due(self) -> tuple[str, int] | None:
        """Where this host takes the next card to go, and its number there."""
        player, banker = self._hands["player"], self._hands["banker"]
        if len(banker) < 2:
            place = "player" if len(player) == len(banker) else "banker"
            return place, len(self._hands[place]) + 1
        if is_natural(player) or is_natural(banker):
            return None
        if len(player) == 2 and player_play(count(player)) is Play.DRAW:
            return "player", 3
        return ("banker", 3) if len(banker) == 2 and self._banker_draws(player, banker) else None

    def _banker_draws(self, player: Sequence[Card], banker: Sequence[Card]) -> bool:
        if self.errs == "draw":
            return count(banker) < 7
        return banker_play(count(banker), player[2] if len(player) == 3 else None) is Play.DRAW

    def result(self) -> str:
        """Who has won, as this host tells it."""
        player, banker = count(self._hands["player"]), count(self._hands["banker"])
        won = "player" if player > banker else "banker" if banker > player else "tie"
        return WRONG[won] if self.errs == "result" else won

    async def heard(self, cards: int) -> None:
        """Wait until so many cards were heard in all."""
        async with asyncio.timeout(HEARD_S):
            while self._cards < cards:
                self._news.clear()
                await self._news.wait()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        now_s = 0.0
        while chunk := await reader.read(READ_BYTES):
            for frame in self._framer.feed(chunk, now_s):
                if isinstance(frame, PlainFrame) and frame.content != self._last:
                    self._last = frame.content  # everything comes three times
                    self._take(frame)

    def _take(self, frame: PlainFrame) -> None:
        heard = self._codec.read(frame)
        if heard is None or heard.card is None:
            return
        place = heard.fields.get("target")
        if isinstance(place, str) and place in self._hands:
            self._hands[place].append(unseal(heard.card, "a simulated host plays with it"))
        self._cards += 1
        self._news.set()

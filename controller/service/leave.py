"""A device that is away from its table for a while: its driver lets the port go, and waits until it comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.transport.bus import BusTap


class Leave:
    """Begun and ended by whoever lends the device; waited for by its driver between two links."""

    def __init__(self, place: BusTap | None = None) -> None:
        """`place`: where the device is on a line that it shares; the line itself is not let go."""
        self.place = place
        self._at_home, self._away = asyncio.Event(), asyncio.Event()
        self._at_home.set()

    async def begin(self, end_link: Callable[[], None], *, has_link: bool) -> None:
        """Have the driver end the link that it has; the port is free when this returns."""
        self._at_home.clear()
        end_link()
        if has_link:
            await self._away.wait()

    def end(self) -> None:
        """The driver may connect again."""
        self._at_home.set()

    async def over(self) -> None:
        """Wait while the device is away."""
        if not self._at_home.is_set():
            self._away.set()
            await self._at_home.wait()
            self._away.clear()

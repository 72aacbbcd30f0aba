"""Which card lies where: the cards that left the device, brought together with where the table said that they went.

The people at a table see the cards leave and see the dealer place them; here the same is told by acts and outcomes. A
card that waits aside is placed by a later act; two cards that left together leave the second one aside.
"""

from __future__ import annotations

from controller.table.outcome import Outcome

PLACED_BY = frozenset({"close_bets", "start", "decide", "set", "collect", "device", "resolve", "rescan"})
"""Acts that may make a waiting card due."""


class CardTracker:
    """See the module's text. Feed it `pulled` and `told`, and take what was placed with `take_placed`."""

    def __init__(self) -> None:
        self._pulled: list[str] = []
        self._aside: list[str] = []
        self._placed: list[tuple[str, str]] = []

    def pulled(self, names: list[str]) -> None:
        """Cards have left the device, in this order."""
        self._pulled.extend(names)

    def told(self, act: str, outcome: Outcome, *, in_stack: bool, size: int | None = None) -> None:
        """The table has said what an act came to. Cards of a stack are placed with the stack, not one by one.

        `size` is how many cards a stack has, where cards of the next one may have left the device already.
        """
        place = outcome.to
        if act == "stack" and place is not None:
            self._place(place, self._pulled[:size])
            self._pulled = [] if size is None else self._pulled[size:]
        elif act == "card" and not (in_stack and place != "aside") and self._pulled:
            first, *together = self._pulled
            self._pulled = []
            self._place(place or "aside", [first])
            self._aside += together
        elif act in PLACED_BY and self._aside and _is_new_place(act, place):
            self._placed.append((place or "aside", self._aside.pop(0)))

    def take_placed(self) -> list[tuple[str, str]]:
        """Return (place, card) of what was placed since the last call."""
        placed, self._placed = self._placed, []
        return placed

    def clear(self) -> None:
        """All cards were picked up."""
        self._pulled, self._aside, self._placed = [], [], []

    def _place(self, place: str, names: list[str]) -> None:
        if place == "aside":
            self._aside += names
        else:
            self._placed += [(place, name) for name in names]


def _is_new_place(act: str, place: str | None) -> bool:
    if place is None or place in ("aside", "discard"):
        return False
    return not (act == "set" and place == "dealer")

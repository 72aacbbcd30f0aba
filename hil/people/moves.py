"""What a person does next: one act in the plain form that scripts and the API share."""

from __future__ import annotations

import msgspec

Plain = bool | int | str | dict[str, object]


class Move(msgspec.Struct, frozen=True):
    """One act of a person. `why` says what kind of slip it is, empty for what the procedure asks for."""

    key: str
    value: Plain
    by: str = "dealer:D1"
    why: str = ""


NOT_ON_THE_TABLE = frozenset({"burn", "discard", "aside"})


class HandCards(msgspec.Struct):
    """What the people at the table can know of the cards: by place, in the order dealt, as card names; `?` unread."""

    places: dict[str, list[str]] = {}
    laid: list[str] = []
    """All cards on the table in the order in which they were laid."""

    def saw(self, place: str, names: list[str]) -> None:
        """Cards came to a place."""
        self.places.setdefault(place, []).extend(names)
        if place not in NOT_ON_THE_TABLE:
            self.laid.extend(names)

    def at(self, place: str) -> list[str]:
        """The cards at a place, in the order dealt."""
        return list(self.places.get(place, ()))

    def known(self, place: str, count: int) -> list[str] | None:
        """The cards at a place when all of them are known and there are so many, else None."""
        cards = self.at(place)
        return cards if len(cards) == count and "?" not in cards else None

    def in_dealing_order(self) -> list[str]:
        """All cards on the table, in the order in which they were laid."""
        return list(self.laid)

    def clear(self) -> None:
        """The cards are picked up."""
        self.places.clear()
        self.laid.clear()

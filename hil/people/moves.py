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


class HandCards(msgspec.Struct):
    """What the people at the table can know of the cards: by place, in the order dealt, as card names; `?` unread."""

    places: dict[str, list[str]] = {}

    def saw(self, place: str, names: list[str]) -> None:
        """Cards came to a place."""
        self.places.setdefault(place, []).extend(names)

    def at(self, place: str) -> list[str]:
        """The cards at a place, in the order dealt."""
        return list(self.places.get(place, ()))

    def known(self, place: str, count: int) -> list[str] | None:
        """The cards at a place when all of them are known and there are so many, else None."""
        cards = self.at(place)
        return cards if len(cards) == count and "?" not in cards else None

    def clear(self) -> None:
        """The cards are picked up."""
        self.places.clear()


def community_name(place: str) -> str:
    """All community places as one: a person looks at the row."""
    return "community" if place.startswith("community") else place

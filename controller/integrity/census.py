"""The census: which cards a shoe may still produce.

It starts with every card of the set and loses the card of each read. A read that no remaining card can explain is
refused on that very read, as `Beyond`. At the end of the shoe `missing` names what has not been seen.

A card that could not be read (code 0) takes one unknown card out. From then on the census is inexact: it knows how
many cards have left, but not which ones the unread were. It stays sound: a further copy of a card is refused when all
copies have been seen, and any card is refused when the number of cards out is the number in the set, even if one
identity has not been seen, because that identity is among the unread ones.

The census looks at hidden cards. Its text form and `Beyond.sentence` therefore name no card; `Missing` does, and is
asked for only when the shoe is over. Values are immutable; a draw costs less than a microsecond.
"""

from __future__ import annotations

import enum
import functools

import msgspec

from controller.decks import DeckSpec
from controller.integrity.errors import IntegrityError
from firmware_bridge.cards import CUT_CARD, card_from_code

_SLOTS = 256
"""One count for every byte that a device can send, so that no read needs a range check."""


class BeyondReason(enum.Enum):
    """Why a card cannot have come from this set."""

    DUPLICATE = "duplicate-card"
    """All copies of this card were out already."""
    FOREIGN = "foreign-card"
    """No such card, or no such back, belongs to the set."""
    SURPLUS = "count-mismatch"
    """More cards came out than the set has."""


_SENTENCES: dict[BeyondReason, str] = {
    BeyondReason.DUPLICATE: "A card came out once more than the set holds it",
    BeyondReason.FOREIGN: "A card came out that does not belong to this set",
    BeyondReason.SURPLUS: "More cards came out than the set holds",
}


class Beyond(msgspec.Struct, frozen=True):
    """A card that the shoe cannot produce. `code` is hidden information until the round is void or over."""

    code: int
    reason: BeyondReason

    def __repr__(self) -> str:
        return f"<Beyond {self.reason.value}>"

    @property
    def sentence(self) -> str:
        """What happened and what to do, for the operator; it names no card."""
        return f"{_SENTENCES[self.reason]}. Stop dealing, keep all cards where they lie and call a supervisor."


class Missing(msgspec.Struct, frozen=True):
    """What a shoe that is over has not shown."""

    cards: tuple[tuple[int, int], ...]
    """(card code, number not seen), in code order."""
    unread: int
    """Cards that left unread: as many of `cards` are accounted for by them."""

    @property
    def exact(self) -> bool:
        """Whether every card named here is missing for certain."""
        return self.unread == 0

    @property
    def absent(self) -> int:
        """How many cards are really missing from the set, whatever the unread ones were."""
        return sum(number for _, number in self.cards) - self.unread

    @property
    def sentence(self) -> str:
        """What is missing, in words."""
        names = ", ".join(f"{number} x {_name(code)}" if number > 1 else _name(code) for code, number in self.cards)
        if not self.cards:
            return "Every card of the set has been seen."
        if self.exact:
            return f"Not seen in this shoe: {names}. Look for them, or take the set off the table."
        if not self.absent:
            return f"Every card is accounted for; the {self.unread} unread ones must have been: {names}."
        return f"{self.absent} missing and {self.unread} unread among: {names}. Look for them and read the unread cards."


class ShoeCensus(msgspec.Struct, frozen=True, gc=False):
    """The cards that are still to come; make it with `ShoeCensus.of`."""

    counts: bytes
    """How many cards of each code have not been seen, indexed by code."""
    total: bytes
    """The same for the whole set."""
    left: int
    """Cards still to come, read or not."""
    unknown: int = 0
    """Cards that left unread and have not been told since."""
    back: str | None = None

    @classmethod
    def of(cls, spec: DeckSpec) -> ShoeCensus:
        """Return the census of a full shoe of this composition."""
        return _full_shoe(spec)

    def __repr__(self) -> str:
        return f"<ShoeCensus {self.left} to come, {self.unknown} unread>"

    @property
    def exact(self) -> bool:
        """Whether the identity of every card out is known."""
        return self.unknown == 0

    @property
    def size(self) -> int:
        """Cards in the whole set."""
        return sum(self.total)

    def may_come(self, code: int) -> int:
        """Return how many cards of this code may still come; an upper bound while cards are unread."""
        return min(self.counts[code], self.left)

    def draw(self, code: int, back: str | None = None) -> ShoeCensus | Beyond:
        """Take one read card out (code 0: it could not be read), or say why it cannot have come from here."""
        counts = self.counts
        copies = counts[code]
        if copies and self.left and (back is None or back == self.back):
            rest = counts[:code] + _BYTES[copies - 1] + counts[code + 1 :]
            return ShoeCensus(rest, self.total, self.left - 1, self.unknown, self.back)
        if back is not None and self.back is not None and back != self.back:
            return Beyond(code, BeyondReason.FOREIGN)
        if code and not copies:
            return self._beyond(code)
        if not self.left:
            return Beyond(code, BeyondReason.SURPLUS)
        if not code:
            return ShoeCensus(counts, self.total, self.left - 1, self.unknown + 1, self.back)
        return ShoeCensus(self._counted(code, -1), self.total, self.left - 1, self.unknown, self.back)

    def _beyond(self, code: int) -> Beyond:
        return Beyond(code, BeyondReason.DUPLICATE if self.total[code] else BeyondReason.FOREIGN)

    def identify(self, code: int) -> ShoeCensus | Beyond:
        """Name a card that left unread (read again, or told by a supervisor).

        Raises:
            IntegrityError: when no unread card is open.
        """
        if not self.unknown:
            raise IntegrityError("no unread card is waiting to be named")
        if not self.counts[code]:
            return self._beyond(code)
        return ShoeCensus(self._counted(code, -1), self.total, self.left, self.unknown - 1, self.back)

    def put_back(self, code: int) -> ShoeCensus:
        """Return a card that had left (0: an unread one) to the shoe.

        Raises:
            IntegrityError: when no such card is out.
        """
        if code == 0:
            if not self.unknown:
                raise IntegrityError("no unread card is out")
            return ShoeCensus(self.counts, self.total, self.left + 1, self.unknown - 1, self.back)
        if self.counts[code] >= self.total[code]:
            raise IntegrityError("no such card is out of this shoe")
        return ShoeCensus(self._counted(code, 1), self.total, self.left + 1, self.unknown, self.back)

    def without(self, code: int) -> ShoeCensus | Beyond:
        """Take a card out of the set itself while it is still to come; a later read of it is then beyond."""
        drawn = self.draw(code)
        if isinstance(drawn, Beyond):
            return drawn
        return ShoeCensus(drawn.counts, _changed(self.total, code, -1), drawn.left, drawn.unknown, self.back)

    def with_added(self, code: int) -> ShoeCensus:
        """Add a card to the set that is still to come, such as the replacement of a damaged one.

        Raises:
            IntegrityError: when the code names no playing card.
        """
        if not code or card_from_code(code) in (None, CUT_CARD):
            raise IntegrityError("only a playing card can be added to a set")
        total = _changed(self.total, code, 1)
        return ShoeCensus(self._counted(code, 1), total, self.left + 1, self.unknown, self.back)

    def missing(self) -> Missing:
        """Name what has not been seen; call it when the shoe is over and no card is hidden any more."""
        cards = tuple((code, number) for code, number in enumerate(self.counts) if number)
        return Missing(cards, self.unknown)

    def _counted(self, code: int, step: int) -> bytes:
        return _changed(self.counts, code, step)


_BYTES = tuple(bytes([number]) for number in range(256))


def _changed(counts: bytes, code: int, step: int) -> bytes:
    return counts[:code] + _BYTES[counts[code] + step] + counts[code + 1 :]


def _name(code: int) -> str:
    card = card_from_code(code)
    return card.name if card is not None else f"code {code:02X}"


@functools.cache
def _full_shoe(spec: DeckSpec) -> ShoeCensus:
    """The census of a full shoe; immutable, so one per composition serves every table and round."""
    counts = bytes(spec.copies(code) for code in range(_SLOTS))
    return ShoeCensus(counts, counts, spec.cards, 0, spec.back)

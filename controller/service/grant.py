"""Who may have a device in diagnostic mode: a technician with a work order, and a second person of the house (EQ-78).

Whether the persons are who they say is asked in `controller.service.persons`, where the configuration knows them.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from controller.errors import ShoedError
from controller.table.acts import By

TICKET_CHARACTERS: Final = 8
"""SDP/1 1.6, DIAG_ENTER."""
MINUTES_MAX: Final = 60.0
"""Whoever needs longer asks the second person again."""
MINUTES_USUAL: Final = 15.0


LENT: Final = "diagnostic mode: "
UNTOLD: Final = "; not all of its events are known"


class GrantError(ShoedError):
    """The persons or the order do not suffice."""


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a device is in diagnostic mode for, and how long at most."""

    ticket: str
    by: By
    second: By
    minutes: Annotated[float, msgspec.Meta(gt=0, le=MINUTES_MAX)] = MINUTES_USUAL

    def __post_init__(self) -> None:
        size = len(self.ticket)
        if not (self.ticket.isascii() and self.ticket.isprintable() and 1 <= size <= TICKET_CHARACTERS):
            raise GrantError(
                "bad-ticket", f"`{self.ticket[:20]}` is no work order's number.", f"Write 1 to {TICKET_CHARACTERS} letters and digits."
            )
        if self.by.role != "technician" or not self.by.name:
            raise GrantError("wants-technician", f"{self.by} is no technician with a name.", "Name who works: technician:NAME.")
        if self.second.role not in ("supervisor", "dealer") or not self.second.name or self.second.name == self.by.name:
            raise GrantError(
                "wants-second-person",
                f"{self.second} is no second person of the house beside {self.by}.",
                "Name another person: supervisor:NAME.",
            )

    def words(self, *, is_told: bool = True) -> str:
        """Say it in one line, for the journal; not `is_told`: the device may hold events of its table that are not known yet."""
        words = f"{LENT}work order {self.ticket}, {self.by} with {self.second}, {self.minutes:g} minutes"
        return words if is_told else f"{words}{UNTOLD}"


def lent_and_told(detail: str) -> bool:
    """Whether these words of the journal are those of a device that was lent when its table knew all its events."""
    return detail.startswith(LENT) and not detail.endswith(UNTOLD)

"""How a table stands, for somebody who comes to it now: after a stop, another's act, or a pause, with no outcome at hand.

Public: alarms as they are recorded, with what each wants, and the wagers that people told.
"""

from __future__ import annotations

import msgspec

from controller.dealing.sizes import money
from controller.table.codes import ALARMS
from controller.table.state import TableState


class OpenAlarm(msgspec.Struct, frozen=True):
    """An alarm that is open, with its two sentences. `holds`: the table waits for it; `ways`: the words of `resolve` meant for it."""

    code: str
    where: str
    detail: str
    holds: bool
    ways: tuple[str, ...]
    what: str
    do: str


def open_alarms(state: TableState) -> tuple[OpenAlarm, ...]:
    """Return the alarms that are open, the oldest first."""
    return tuple(
        OpenAlarm(alarm.code, alarm.where, alarm.detail, alarm.holds, alarm.ways, ALARMS[alarm.code].happened, ALARMS[alarm.code].do)
        for alarm in state.alarms
    )


def wagers_placed(state: TableState) -> dict[str, dict[str, str | None]]:
    """Return what each seat of the round has placed, as decimal text; None where nobody told the amount."""
    seats = state.round.seats if state.round is not None else {}
    return {
        str(number): {name: None if amount is None else money(amount) for name, amount in seats[number].wagers.items()}
        for number in sorted(seats)
    }

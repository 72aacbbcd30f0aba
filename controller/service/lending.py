"""Lends a table's device to a technician: diagnostic mode as the daemon sees it (EQ-78 to EQ-80, EQ-84).

The table is closed first, in the second person's name, which takes its deck for unshuffled; in a round no table closes, and the device
stays. Then the journal has who got the device, for which order and how long, as a notice that holds the table; then the gate is locked and
the port is free. All of that is durable before the port is free: a daemon that is killed meanwhile comes back with a closed table.

The device comes back when it is given back or its time is up: it must prove its identity as after every lost connection, the table must be
opened by a person, and its cards must be loaded and shuffled before one is dealt. What it did meanwhile is the technician's and no card of
the table: its table takes up its events after those, which is noted, unless some were still untold when it was lent.

A device that shares its line is lent with its place on it: the daemon keeps the line, and carries what the technician says.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from controller.service.errors import RequestError
from controller.service.grant import MINUTES_MAX, MINUTES_USUAL, Grant
from controller.service.inbox import Answer
from controller.service.leave import Leave
from controller.service.relay import LineRelay, RelayPlace
from controller.service.strict import shown
from controller.service.table_task import TableTask
from controller.table.acts import Close, DeviceNotice
from controller.table.parse import parse_by

CLOSED: Final = "closed"
_NEEDED: Final = frozenset({"ticket", "by", "second"})
_KEYS: Final = _NEEDED | {"minutes"}


class Lent(msgspec.Struct, frozen=True):
    """A device that a technician has now."""

    grant: Grant
    timer: asyncio.TimerHandle
    relay: LineRelay | None = None


class Lending:
    """Which devices of which tables are with a technician. Lives on the daemon's loop."""

    def __init__(self) -> None:
        self._lent: dict[tuple[str, str], Lent] = {}
        self._coming_back: set[asyncio.Task[None]] = set()

    def of(self, table: str, device: str) -> Grant | None:
        """Return for what a device is lent; None when it is at its table."""
        lent = self._lent.get((table, device))
        return None if lent is None else lent.grant

    async def lend(self, task: TableTask, device: str, grant: Grant, host: str) -> tuple[Answer, RelayPlace | None]:
        """Close the table, note it, and free the device's port; the answer is the refused closing, or the note.

        Where the device shares its line, it is reached at the place that is returned, on `host`.

        Raises:
            RequestError: the device is lent already.
        """
        key = (task.id, device)
        if key in self._lent:
            raise RequestError(
                "lent-already",
                f"The device `{device}` of table {task.id} is in diagnostic mode: {self._lent[key].grant.words()}.",
                "Wait until it is given back.",
                status=409,
            )
        if task.view().state != CLOSED:
            closed = await task.ask(Close(by=grant.second))
            if closed.entry is None:
                return closed, None
        driver = task.drivers[device]
        words = grant.words(is_told=driver.caught_up)
        noted = await task.ask(DeviceNotice(event="lost", name=device, detail=words, by=grant.by))
        if noted.entry is None:
            return noted, None
        timer = asyncio.get_running_loop().call_later(grant.minutes * 60, self.give_back, task, device)
        relay = None if driver.leave.place is None else LineRelay(driver.leave.place)
        self._lent[key] = Lent(grant, timer, relay)
        await driver.lend(words)
        if relay is None or key not in self._lent:
            return noted, None
        return noted, await relay.start(host)

    def give_back(self, task: TableTask, device: str) -> bool:
        """Take the device up again; False when it was not lent."""
        lent = self._lent.pop((task.id, device), None)
        if lent is None:
            return False
        lent.timer.cancel()
        leave = task.drivers[device].leave
        if lent.relay is None:
            leave.end()
        else:
            coming = asyncio.create_task(_come_back(lent.relay, leave), name=f"{task.id} {device} comes back")
            self._coming_back.add(coming)
            coming.add_done_callback(self._coming_back.discard)
        return True


async def _come_back(relay: LineRelay, leave: Leave) -> None:
    try:
        await relay.end()
    finally:
        leave.end()


def read_grant(body: object) -> Grant:
    """Return the grant in a request's body.

    Raises:
        RequestError: it is none.
        GrantError: the persons or the order do not suffice.
    """
    if not isinstance(body, dict) or not _NEEDED <= body.keys() <= _KEYS or not isinstance(body["ticket"], str):
        raise RequestError(
            "bad-grant",
            "This is no grant of diagnostic mode.",
            'Send {"ticket": "WO-1", "by": "technician:T3", "second": "supervisor:S1"}.',
        )
    minutes = body.get("minutes", MINUTES_USUAL)
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not 0 < minutes <= MINUTES_MAX:
        what, do = f"`minutes` is {shown(str(minutes))}.", f"Write a number of minutes up to {MINUTES_MAX:g}."
        raise RequestError("bad-grant", what, do, "minutes")
    return Grant(ticket=body["ticket"], by=parse_by(body["by"]), second=parse_by(body["second"], "second"), minutes=minutes)

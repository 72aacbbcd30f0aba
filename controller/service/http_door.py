"""The API's door: how many come in at once, and how long one may stand in it without asking.

Whoever opens connections and says nothing, or says half a request, would keep the operators out: nobody needs a token for that. So a
request must be whole within a time, and beyond a number of connections the answer is an error in the API's own form.
"""

from __future__ import annotations

import asyncio
from typing import Final

import h11
import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS_MAX: Final = 64
"""A console, a scenario runner and monitoring for a few tables; more is a program gone wrong."""

CONNECTIONS_HELD_MAX: Final = 2 * CONNECTIONS_MAX
"""Connections that get an answer at all; a process has some thousand files, and the devices and the journal need theirs."""

REQUEST_WAIT_S: Final = 10.0
"""The longest request is 64 kB from this machine: it comes in a thousandth of that."""

CROWDED: Final = {
    "code": "too-many-connections",
    "what": f"More than {CONNECTIONS_MAX} connections to the API are open.",
    "do": "Ask again in a moment, and close connections that are not needed.",
    "where": "",
}


class Door(H11Protocol):
    """One connection."""

    _wait: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base has it
        """Wait for the first request."""
        self._inside = self.app
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS_HELD_MAX:
            transport.abort()
        else:
            self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait on where the request is not whole yet."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._wait_for_request()
        else:
            self._stop_waiting()

    def handle_events(self) -> None:
        """Serve requests, or tell that there are too many."""
        self.app = tell_crowded if len(self.connections) > CONNECTIONS_MAX else self._inside
        super().handle_events()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The daemon ends: a request that is not whole is not waited for."""
        if self._wait is not None:
            self._give_up()
        super().shutdown()

    def _wait_for_request(self) -> None:
        if self._wait is None:
            self._wait = self.loop.call_later(REQUEST_WAIT_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._wait is not None:
            self._wait.cancel()
            self._wait = None

    def _give_up(self) -> None:
        self._stop_waiting()
        self.transport.close()


async def tell_crowded(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer that too many are here already, and let this one go."""
    headers = {"Connection": "close", "Retry-After": "1"}
    await Response(msgspec.json.encode(CROWDED), 503, headers, media_type="application/json")(scope, receive, send)

"""One table behind the API, asked as a server would ask it: with any method, path, query, headers and body.

The journal takes everything at once and keeps nothing, so that what stays in memory is the daemon's own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, cast

from starlette.types import Message

from controller.dealing.procedure import Procedure
from controller.journal.batch import JournalState
from controller.journal.entry import EntryDraft
from controller.journal.journal import Journal
from controller.service.api import Api
from controller.service.engine import Engine
from controller.service.feed import Feed
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.table_task import Health, TableTask

TOKEN = "t" * 64
BEARER = (b"authorization", b"Bearer " + TOKEN.encode())


class Told(NamedTuple):
    """What the API answered."""

    status: int
    body: bytes

    def json(self) -> Mapping[str, object]:
        """The body as a JSON object."""
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found


class ForgetfulJournal:
    """Takes everything at once and keeps the last number only."""

    state = JournalState.READY
    state_reason = ""
    last = 0

    async def append(self, _draft: EntryDraft, *, closing: bool = False) -> int:
        self.last += 1
        return self.last


class Site:
    """See the module's text."""

    def __init__(self, procedure: Procedure) -> None:
        journal = ForgetfulJournal()
        metrics = Metrics()
        self._log = LogFile(None)
        engine = Engine("T1", procedure)
        logger = make_logger(self._log, "error", pretty=False)
        self.task = TableTask(
            engine,
            engine.new_state(),
            cast("Journal", journal),
            Feed(),
            metrics=metrics,
            logger=logger,
            clock=lambda: 0.0,
            wall_ms=lambda: 1_700_000_000_000,
        )
        self._app = Api({"T1": self.task}, metrics, TOKEN, "0.1", lambda: journal.last).app

    async def act(self, body: bytes) -> Told:
        """Send the body of an act."""
        return await self.ask("POST", "/v1/tables/T1/acts", body=body)

    async def ask(
        self,
        method: str,
        path: str,
        query: bytes = b"",
        headers: Sequence[tuple[bytes, bytes]] = (BEARER,),
        body: bytes = b"",
        chunk: int = 1 << 16,
    ) -> Told:
        """Ask as a server does after it has read the request's head."""
        left = [body[at : at + chunk] for at in range(0, len(body), chunk)] or [b""]
        sent: list[Message] = []

        async def receive() -> Message:
            if not left:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode("utf-8", "surrogatepass"),
            "root_path": "",
            "query_string": query,
            "headers": list(headers),
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 7_000),
        }
        await self._app(scope, receive, send)
        assert self.task.health is Health.GOOD, "the table has stopped"
        return Told(sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]))


@asynccontextmanager
async def site_of(procedure: Procedure) -> AsyncIterator[Site]:
    """Run a table as long as it is asked."""
    made = Site(procedure)
    running = asyncio.create_task(made.task.run())
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        made._log.close()

"""A caller of the daemon's API on the loop, over one connection that stays: quick, and honest about what it does not know.

When the connection breaks while an act is under way, nobody here can tell whether the daemon took it. `GoneError` says
just that; the caller asks the entries once the daemon is there again.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import msgspec

from hil.endtoend.daemon import Answer, ApiError, Entries, View

ANSWER_S: Final = 40.0
"""Above the longest wait that the API allows a follower (30 s)."""
HEAD_BYTES: Final = 65_536
"""An answer's head is a few hundred bytes."""


class GoneError(Exception):
    """The connection broke: the daemon is dead, ends, or has closed it. An act under way may or may not have been taken."""


class ApiLine:
    """One connection, for one task at a time. It finds the daemon's present port and token by itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def act(self, table: str, key: str, value: object, by: str) -> Answer:
        """Put one act to a table.

        Raises:
            GoneError: it may have been taken or not.
            ApiError: the act cannot be read, or the table takes none.
        """
        body = msgspec.json.encode({key: value, "by": by})
        return msgspec.json.decode(await self._ask("POST", f"/v1/tables/{table}/acts", body), type=Answer)

    async def entries(self, table: str, after: int, wait_s: float = 0.0) -> Entries:
        """Return the acts journalled after a number, waiting for the first up to some seconds."""
        path = f"/v1/tables/{table}/entries?after={after}&wait={wait_s:.3f}"
        return msgspec.json.decode(await self._ask("GET", path), type=Entries)

    async def view(self, table: str) -> View:
        """Return how a table stands."""
        return msgspec.json.decode(await self._ask("GET", f"/v1/tables/{table}"), type=View)

    async def text(self, path: str) -> str:
        """Return any page as it is."""
        return (await self._ask("GET", path)).decode()

    def close(self) -> None:
        """Give the connection back."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _ask(self, verb: str, path: str, body: bytes = b"") -> bytes:
        try:
            async with asyncio.timeout(ANSWER_S):
                status, content = await self._exchange(verb, path, body)
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise GoneError(f"{verb} {path}: {error!r}") from error
        if status in (200, 409):
            return content
        told = msgspec.json.decode(content, type=dict[str, str])
        if told.get("code") == "daemon-stopping":
            self.close()
            raise GoneError(told["what"])
        raise ApiError(told.get("code", f"http-{status}"), told.get("what", f"{status}"), told.get("do", ""))

    async def _exchange(self, verb: str, path: str, body: bytes) -> tuple[int, bytes]:
        reader, writer = self._streams or await self._connect()
        token = (self._folder / "api.token").read_text().strip()
        head = f"{verb} {path} HTTP/1.1\r\nHost: shoed\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        first, *lines = answer.split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines if line)
        content = await reader.readexactly(int(fields["content-length"]))
        if fields.get("connection") == "close":
            self.close()
        return int(first.split()[1]), content

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        port = int((self._folder / "api.port").read_text())
        self._streams = await asyncio.open_connection("127.0.0.1", port, limit=HEAD_BYTES)
        return self._streams

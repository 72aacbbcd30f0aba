"""The API's door: half a request keeps nobody out, a crowd is told in words, and no key stands twice in a body."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from controller.service import http_door
from controller.service.errors import RequestError
from controller.service.feed import Feed
from controller.service.http_door import Door
from controller.service.request_body import parse_body, read_body

PATIENCE_S = 30.0
ASKED = b"GET /there HTTP/1.1\r\nHost: table\r\n\r\n"
HALF = b"POST /there HTTP/1.1\r\nHost: table\r\nContent-Length: 50\r\n\r\n{"


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if holds():
                return
            await asyncio.sleep(0.001)


class House:
    """A server with this door; `told` are the errors of requests."""

    def __init__(self) -> None:
        self.told: list[str] = []
        app = Starlette(routes=[Route("/there", self._answer, methods=["GET", "POST"])])
        settings = uvicorn.Config(app, host="127.0.0.1", port=0, http=Door, ws="none", lifespan="off", log_config=None, loop="asyncio")
        self.server = uvicorn.Server(settings)

    async def _answer(self, request: Request) -> Response:
        if request.method == "POST":
            try:
                await read_body(request)
            except RequestError as error:
                self.told.append(error.code)
        return JSONResponse({"ok": True})

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.server.servers[0].sockets[0].getsockname()[1])


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    made = House()
    serving = asyncio.create_task(made.server._serve())
    async with asyncio.timeout(PATIENCE_S):
        await until(lambda: bool(made.server.started))
        yield made
        made.server.should_exit = True
        await serving


async def ask(at: House) -> tuple[int, dict[str, object]]:
    reader, writer = await at.connect()
    writer.write(ASKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return int(head.split()[1]), json.loads(body)


@pytest.mark.parametrize("said", [b"", b"GET /th", HALF])
async def test_who_says_less_than_a_request_is_let_go(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(http_door, "REQUEST_WAIT_S", 0.05)
    async with house() as at:
        reader, writer = await at.connect()
        writer.write(said)
        assert await reader.read() == b""
        writer.close()
        if said == HALF:
            await until(lambda: bool(at.told))
            assert at.told == ["body-cut-off"]
        assert (await ask(at))[0] == 200


async def test_a_whole_request_is_answered_and_the_connection_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_door, "REQUEST_WAIT_S", 0.05)
    async with house() as at:
        reader, writer = await at.connect()
        for _ in range(2):
            writer.write(ASKED)
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head
            await reader.readexactly(len(b'{"ok":true}'))
        writer.close()


async def test_a_crowd_is_told_in_the_form_of_every_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_door, "CONNECTIONS_MAX", 3)
    monkeypatch.setattr(http_door, "CONNECTIONS_HELD_MAX", 6)
    async with house() as at:
        standing = [await at.connect() for _ in range(4)]
        await until(lambda: len(at.server.server_state.connections) >= 4)
        status, told = await ask(at)
        assert status == 503
        assert set(told) == {"code", "what", "do", "where"}
        assert told["code"] == "too-many-connections"
        standing += [await at.connect() for _ in range(4)]
        with suppress(ConnectionError):
            assert await standing[-1][0].read() == b""
        for _, writer in standing:
            writer.close()
        await until(lambda: not at.server.server_state.connections)
        assert (await ask(at))[0] == 200


async def test_half_a_request_does_not_hold_up_the_end() -> None:
    async with house() as at:
        reader, writer = await at.connect()
        writer.write(HALF)
        await until(lambda: bool(at.server.server_state.tasks))
        at.server.should_exit = True
        assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (b'{"wager": {"seat": 2, "player": 10, "player": 500}}', "player"),
        (b'{"wager": {"seat": 3, "banker": 10}, "wager": {"seat": 4, "banker": 20}}', "wager"),
        (b'{"resolve": "void", "by": "dealer:D1", "by": "supervisor:S1"}', "by"),
        (b'{"a": 1, "\\u0061": 2}', "a"),
    ],
)
def test_a_key_that_stands_twice_is_refused(body: bytes, key: str) -> None:
    with pytest.raises(RequestError, match="stands twice") as caught:
        parse_body(body)
    assert (caught.value.code, caught.value.where) == ("key-twice", key)


def test_the_same_key_in_two_objects_stands_once_in_each() -> None:
    assert parse_body(b'[{"a": 1.5}, {"a": {"a": 2}}]') == [{"a": 1.5}, {"a": {"a": 2}}]


@pytest.mark.parametrize("body", [b"", b"{", b"\xef\xbb\xbf{}", b'{"\xff": 1}', b"[" * 60_000, b'{"a":' * 9000, b"9" * 5000, b"NaN"])
def test_what_is_no_json_raises_one_error(body: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        parse_body(body)
    assert caught.value.code == "not-json"


async def test_nobody_waits_for_entries_when_the_daemon_ends() -> None:
    feed = Feed()
    waiting = asyncio.create_task(feed.wait_after(7, PATIENCE_S * 10))
    await asyncio.sleep(0)
    feed.end()
    async with asyncio.timeout(PATIENCE_S):
        assert await waiting == []
        assert await feed.wait_after(7, PATIENCE_S * 10) == []

"""The local HTTP API: people's acts in, public outcomes out. Loopback only, with a bearer token.

Bodies and answers use the vocabulary of the scenario format. This file translates and decides nothing: an act that
parses goes to its table, and the table's answer comes back, taken (200) or refused (409). Every error has the form
`{"code", "what", "do", "where"}`.

Whoever has the token acts in every role; there is no finer right until a console knows persons.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from controller.dealing.placard import placard_of
from controller.errors import ShoedError
from controller.service.capture_desk import CaptureDesk, read_switch
from controller.service.driver import DeviceDriver
from controller.service.errors import BusyError, RequestError, StoppingError
from controller.service.lending import Lending, read_grant
from controller.service.metrics import Metrics
from controller.service.persons import Persons, take_codes
from controller.service.request_body import read_body
from controller.service.sheet import SheetChangedError, SheetDesk
from controller.service.standing import open_alarms, wagers_placed
from controller.service.strict import shown
from controller.service.table_task import TableBrokenError, TableTask
from controller.service.token import is_token
from controller.table.acts import AnyAct
from controller.table.parse import parse_act, parse_by

WAIT_MAX_S: Final = 30.0
"""A follower asks again at least this often, so a dead one frees its place."""

ENTRY_MAX: Final = 2**53
"""Whole numbers are exact up to here; a journal that long is two million years of one table."""

NOT_ACTS: Final = ("expect", "at", "note")
"""Keys of a scenario's step that are no part of an act."""

DEFAULT_BY: Final = "dealer"

NO_SHEETS: Final[Mapping[str, SheetDesk]] = {}

Endpoint = Callable[[Request], Awaitable[Response]]


class Api:
    """The routes over the tables of one daemon."""

    def __init__(
        self,
        tables: Mapping[str, TableTask],
        metrics: Metrics,
        token: str,
        version: str,
        last_entry: Callable[[], int],
        sheets: Mapping[str, SheetDesk] = NO_SHEETS,
        captures: CaptureDesk | None = None,
        persons: Persons | None = None,
    ) -> None:
        self._tables = tables
        self._metrics = metrics
        self._version = version
        self._last_entry = last_entry
        self._sheets = sheets
        self._captures, self._persons = captures, persons or Persons()
        self._lending = Lending()
        routes = [
            Route("/v1/health", self._health),
            Route("/v1/tables", self._list),
            Route("/v1/tables/{table}", self._show),
            Route("/v1/tables/{table}/placard", self._placard),
            Route("/v1/tables/{table}/acts", self._act, methods=["POST"]),
            Route("/v1/tables/{table}/entries", self._entries),
            Route("/v1/tables/{table}/devices/{device}/diagnosis", self._lend, methods=["POST"]),
            Route("/v1/tables/{table}/devices/{device}/diagnosis", self._give_back, methods=["DELETE"]),
            Route("/v1/tables/{table}/devices/{device}/capture", self._capture, methods=["GET", "POST"]),
            Route("/v1/metrics", self._show_metrics),
        ]
        handlers: dict[int | type[Exception], Callable[[Request, Exception], Response]] = {
            ShoedError: _tell_error,
            HTTPException: _tell_http_error,
        }
        app = Starlette(routes=routes, exception_handlers=handlers)
        # Sending a client from `/v1/tables/` to `/v1/tables` would read the query as UTF-8, which it need not be.
        app.router.redirect_slashes = False
        self.app: ASGIApp = _TokenGate(app, token)

    async def _health(self, _request: Request) -> Response:
        return _json({"ok": True, "version": self._version})

    async def _list(self, _request: Request) -> Response:
        return _json([self._row(task) for task in self._tables.values()])

    async def _show(self, request: Request) -> Response:
        task = self._table(request)
        outcome = task.view()
        told = {"outcome": outcome, "devices": _devices(task), "journal": self._last_entry(), "health": task.health.value}
        told["open_alarms"] = open_alarms(task.state)
        if task.engine.round_under_way(task.state):
            told["wagers"] = wagers_placed(task.state)
        told |= _mode(task)
        desk = self._sheets.get(task.id)
        if desk is not None:
            sheet = desk.present()
            told["enforcement"] = {"sheet": sheet.digest, "mode": sheet.mode, "lines": sheet.lines, "limits": sheet.limits}
        return _json(told)

    async def _placard(self, request: Request) -> Response:
        return _json(placard_of(self._table(request).engine.procedure))

    async def _act(self, request: Request) -> Response:
        task = self._table(request)
        act, desk = _read_act(await read_body(request)), self._sheets.get(task.id)
        if desk is not None:
            act = desk.stamped(act)
        answer = await task.ask(act)
        if desk is not None:
            desk.note_opened(act, answer.entry)
        return _json(answer, 200 if answer.entry is not None else 409)

    async def _lend(self, request: Request) -> Response:
        task = self._table(request)
        device, (body, codes) = _device_name(task, request), take_codes(await read_body(request))
        grant = read_grant(body)
        await self._persons.prove(codes, by=grant.by, second=grant.second)
        answer, place = await self._lending.lend(task, device, grant, request.scope["server"][0])
        told = answer if place is None else {**msgspec.structs.asdict(answer), "line": place}
        return _json(told, 200 if answer.entry is not None else 409)

    async def _give_back(self, request: Request) -> Response:
        task = self._table(request)
        return _json({"given_back": self._lending.give_back(task, _device_name(task, request))})

    async def _capture(self, request: Request) -> Response:
        task = self._table(request)
        device = _device_name(task, request)
        if self._captures is None:
            raise HTTPException(404)
        if request.method == "POST":
            body, codes = take_codes(await read_body(request))
            wanted = read_switch(body)
            await self._persons.prove(codes, by=wanted.by, second=wanted.second)
            return _json(await self._captures.switch(task, device, wanted))
        return _json(self._captures.state(task.id, device))

    async def _entries(self, request: Request) -> Response:
        task = self._table(request)
        after = int(_number(request, "after", ENTRY_MAX))
        wait_s = _number(request, "wait", WAIT_MAX_S)
        entries = await task.feed.wait_after(after, wait_s)
        return _json({"entries": entries, "last": task.feed.last})

    async def _show_metrics(self, _request: Request) -> Response:
        return Response(self._metrics.render(), media_type="text/plain; version=0.0.4")

    def _table(self, request: Request) -> TableTask:
        name = request.path_params["table"]
        task = self._tables.get(name)
        if task is None:
            raise RequestError(
                "no-such-table",
                f"This daemon has no table `{shown(name)}`.",
                f"Its tables are: {', '.join(self._tables)}.",
                "table",
                404,
            )
        return task

    def _row(self, task: TableTask) -> dict[str, object]:
        outcome, procedure = task.view(), task.engine.procedure
        return {
            "table": task.id,
            "game": procedure.game.key,
            "method": procedure.method,
            "rules_hash": procedure.rules_hash,
            "state": outcome.state,
            "gate": outcome.gate,
            "round": outcome.round,
            "alarms": outcome.alarms,
            "health": task.health.value,
            "devices": _devices(task),
            **_mode(task),
        }


class _TokenGate:
    """Lets nobody in without the token, except to ask whether the daemon lives."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != "/v1/health" and not self._has_token(scope):
            response = _error(
                RequestError(
                    "token-missing",
                    "The request does not bear this daemon's token.",
                    "Send the header `Authorization: Bearer TOKEN` with the text of the token file.",
                    "Authorization",
                    401,
                )
            )
            response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _has_token(self, scope: Scope) -> bool:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        given = [value for name, value in headers if name == b"authorization"]
        if len(given) != 1 or not given[0].startswith(b"Bearer "):
            return False
        return is_token(given[0].removeprefix(b"Bearer ").decode("latin-1"), self._token)


def _device_name(task: TableTask, request: Request) -> str:
    name = str(request.path_params["device"])
    if name not in task.drivers:
        what, do = f"Table {task.id} has no device `{shown(name)}`.", f"Its devices are: {', '.join(task.drivers)}."
        raise RequestError("no-such-device", what, do, "device", 404)
    return name


def _mode(task: TableTask) -> dict[str, object]:
    """Who deals at a table, and how another host is followed there."""
    if task.beside is None:
        return {"mode": "enforce"}
    return {"mode": "shadow", "shadow": task.beside.told(task.state)}


def _devices(task: TableTask) -> dict[str, object]:
    return {name: _device(driver) for name, driver in task.drivers.items()}


def _device(driver: DeviceDriver) -> dict[str, object]:
    identity = driver.identity
    return {
        "state": driver.standing.value,
        "serial": None if identity is None else identity.serial,
        "vendor": None if identity is None else identity.vendor,
        "model": None if identity is None else identity.model,
        "firmware": None if identity is None else identity.firmware,
        "caught_up": driver.caught_up,
        "detail": driver.detail,
    }


def _read_act(body: object) -> AnyAct:
    if not isinstance(body, dict):
        raise RequestError("bad-act", "An act is a JSON object.", 'Send e.g. {"close_bets": true, "by": "dealer:D7"}.')
    for key in NOT_ACTS:
        if key in body:
            raise RequestError("bad-act", f"`{key}` belongs to scenarios, not to acts.", "Leave it out.", key)
    by = parse_by(body.get("by", DEFAULT_BY))
    if by.role == "device":
        raise RequestError("role-not-allowed", "Devices speak over their own lines, not here.", "Name the person who acts.", "by")
    keys = [key for key in body if key != "by"]
    if len(keys) != 1:
        raise RequestError("bad-act", f"A request holds exactly one act, and this one holds {len(keys)}.", "Send one act at a time.")
    return parse_act(keys[0], body[keys[0]], by)


def _number(request: Request, key: str, most: float) -> float:
    text = request.query_params.get(key, "0")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise RequestError("bad-number", f"`{key}` is `{shown(text)}`.", f"Write a number from 0 to {most:.0f}.", key)
    return number


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _error(error: ShoedError) -> Response:
    status = 400
    if isinstance(error, RequestError):
        status = error.status
    elif isinstance(error, SheetChangedError):
        status = 409
    elif isinstance(error, BusyError | StoppingError | TableBrokenError):
        status = 503
    where = getattr(error, "where", "")
    return _json({"code": error.code, "what": error.what, "do": error.do, "where": str(where)}, status)


def _tell_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ShoedError)
    return _error(error)


def _tell_http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    found = RequestError(
        "no-such-page" if error.status_code == 404 else "not-possible-here",
        f"The API answers `{error.detail}`.",
        "Use one of the addresses under /v1 that the manual lists.",
        "",
        error.status_code,
    )
    return _error(found)

"""The local API: a token, one act a request, public outcomes, typed errors for everything else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.dealing.procedure import build_procedure
from controller.errors import ShoedError
from controller.games import find_game
from controller.journal.batch import JournalState
from controller.journal.entry import EntryDraft
from controller.journal.journal import Journal
from controller.service.api import Api, _read_act
from controller.service.driver import DeviceDriver
from controller.service.engine import Engine
from controller.service.feed import Feed
from controller.service.habits import Post
from controller.service.inbox import Heard, Noticed
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.request_body import BODY_LIMIT_BYTES
from controller.service.table_task import TableTask
from firmware_bridge.cards import Sealed, parse_card
from firmware_bridge.events import CardFlag, CardRead, ShoeLoaded, ShuffleDone, ShuffleMode, ShuffleResult, ShuffleStarted

TOKEN = "t" * 64


class CountingJournal:
    """Takes everything at once."""

    state = JournalState.READY
    state_reason = ""

    def __init__(self) -> None:
        self.drafts: list[EntryDraft] = []

    async def append(self, draft: EntryDraft, *, closing: bool = False) -> int:
        self.drafts.append(draft)
        return len(self.drafts)


class Site:
    """One table with its API and a client that bears the token."""

    def __init__(self, log: Path | None = None) -> None:
        self.journal = CountingJournal()
        self.metrics = Metrics()
        self.log = LogFile(log)
        engine = Engine("T1", build_procedure(find_game("colorado-hold-em-poker"), "manual-shoe", {}))
        logger = make_logger(self.log, "debug" if log else "error", pretty=False)
        self.task = TableTask(
            engine,
            engine.new_state(),
            cast("Journal", self.journal),
            Feed(),
            metrics=self.metrics,
            logger=logger,
            clock=lambda: 0.0,
            wall_ms=lambda: 1_700_000_000_000,
        )
        driver = DeviceDriver(Post("T1", "shoe"), _no_link, self.task.tell, metrics=self.metrics, logger=logger, clock=lambda: 0.0)
        self.task.drivers["shoe"] = driver
        api = Api({"T1": self.task}, self.metrics, TOKEN, "0.1", lambda: len(self.journal.drafts))
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(api.app),
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )

    async def act(self, key: str, value: object = True, by: str = "dealer:D7", status: int = 200) -> dict[str, object]:
        answer = await self.client.post("/v1/tables/T1/acts", json={key: value, "by": by})
        assert answer.status_code == status, answer.text
        found = answer.json()
        assert isinstance(found, dict)
        return found

    async def shuffled_deck(self) -> None:
        self.task.tell(Heard("shoe", ShoeLoaded(1, 0, False, 1, 52, 0), 1))
        self.task.tell(Heard("shoe", ShuffleStarted(2, 0, False, 1, ShuffleMode.RANDOM), 1))
        self.task.tell(Heard("shoe", ShuffleDone(3, 0, False, 52, 52, 0, ShuffleResult.GOOD), 1))
        await self.client.get("/v1/tables/T1/entries", params={"after": 0, "wait": 5})

    def card(self, eseq: int, name: str) -> None:
        flags = CardFlag.NONE
        self.task.tell(Heard("shoe", CardRead(eseq, 0, False, Sealed(parse_card(name)), flags, 99, eseq, None), 1))


def _no_link(_first: int, _consumer: object) -> object:
    class Silent:
        def start(self) -> asyncio.Task[None]:
            return asyncio.create_task(self._wait())

        async def _wait(self) -> None:
            await asyncio.Event().wait()

        async def stop(self) -> None:
            return

        def acknowledge(self, eseq: int) -> None:
            return

    return Silent()


@asynccontextmanager
async def site(log: Path | None = None) -> AsyncIterator[Site]:
    made = Site(log)
    running = asyncio.create_task(made.task.run())
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await made.client.aclose()
        made.log.close()


async def test_only_health_is_told_without_the_token() -> None:
    async with site() as s:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": "Bearer "}):
            del s.client.headers["Authorization"]
            for path in ("/v1/tables", "/v1/tables/T1", "/v1/metrics", "/v1/tables/T1/entries", "/v1/nothing"):
                answer = await s.client.get(path, headers=headers)
                assert answer.status_code == 401
                assert answer.json()["code"] == "token-missing"
            assert (await s.client.get("/v1/health", headers=headers)).json() == {"ok": True, "version": "0.1"}
            s.client.headers["Authorization"] = f"Bearer {TOKEN}"
        assert (await s.client.get("/v1/tables")).status_code == 200


async def test_an_act_is_taken_or_refused_in_the_words_of_the_scenario_format() -> None:
    async with site() as s:
        refused = await s.act("close_bets", status=409)
        assert refused["entry"] is None
        assert cast("dict[str, str]", refused["outcome"])["refused"] == "table-closed"
        opened = await s.act("open", by="supervisor:S1")
        assert opened["entry"] == 1
        shown = (await s.client.get("/v1/tables/T1")).json()
        assert shown["outcome"]["state"] == "unverified"
        assert shown["journal"] == 1
        assert shown["devices"]["shoe"]["state"] == "connecting"
        (row,) = (await s.client.get("/v1/tables")).json()
        assert (row["table"], row["game"], row["method"]) == ("T1", "colorado-hold-em-poker", "manual-shoe")


async def test_who_comes_to_a_table_reads_its_alarms_and_wagers() -> None:
    async with site() as s:
        await s.act("open", by="supervisor:S1")
        await s.act("load", {"decks": 1, "cards": 52})
        await s.act("shuffle", {"mode": "random", "counted": 52})
        shown = (await s.client.get("/v1/tables/T1")).json()
        assert (shown["open_alarms"], "wagers" in shown) == ([], False)
        await s.act("wager", {"seat": 2, "ante": 10, "bonus": 5})
        await s.act("wager", {"seat": 4})
        again = await s.act("wager", {"seat": 2, "ante": "20.50"})
        assert cast("dict[str, str]", again["outcome"])["message"] == "Seat 2: the ante wager is 20.50 now, and was 10."
        same = await s.act("wager", {"seat": 2, "ante": "20.50"})
        assert "message" not in cast("dict[str, str]", same["outcome"])
        shown = (await s.client.get("/v1/tables/T1")).json()
        assert shown["wagers"] == {"2": {"ante": "20.50", "bonus": "5"}, "4": {"ante": None}}
        s.task.tell(Noticed("shoe", "lost", "the plug was pulled"))
        await s.client.get("/v1/tables/T1/entries", params={"after": len(s.journal.drafts), "wait": 5})
        (alarm,) = (a for a in (await s.client.get("/v1/tables/T1")).json()["open_alarms"] if a["code"] == "device-lost")
        assert (alarm["where"], alarm["detail"], alarm["holds"], alarm["ways"]) == ("shoe", "the plug was pulled", True, ["void"])
        assert alarm["what"] == "The line to a device is lost."


@pytest.mark.requirement("EQ-94")
async def test_the_sign_and_the_prompt_are_those_of_the_procedure_that_judges() -> None:
    async with site() as s:
        enforced = s.task.engine.procedure
        sign = (await s.client.get("/v1/tables/T1/placard")).json()
        (row,) = (await s.client.get("/v1/tables")).json()
        assert sign["rules_hash"] == row["rules_hash"] == enforced.rules_hash
        assert [line["name"] for line in sign["wagers"]] == ["ante", "bonus", "bet"]
        opened = await s.act("open", by="supervisor:S1")
        assert cast("dict[str, str]", opened["outcome"])["prompt"] == "Load 52 cards, then shuffle them."
        assert f'"rules_hash":"{enforced.rules_hash}"'.encode() in s.journal.drafts[0].body
        assert (await s.client.get("/v1/tables/T9/placard")).status_code == 404


async def test_entries_follow_in_order_and_a_follower_may_wait() -> None:
    async with site() as s:
        waiting = asyncio.create_task(s.client.get("/v1/tables/T1/entries", params={"after": 0, "wait": 10}))
        await asyncio.sleep(0)
        await s.act("open", by="supervisor:S1")
        found = (await waiting).json()
        assert [(entry["entry"], entry["act"], entry["by"]) for entry in found["entries"]] == [(1, "open", "supervisor:S1")]
        assert found["last"] == 1
        empty = (await s.client.get("/v1/tables/T1/entries", params={"after": 1})).json()
        assert empty == {"entries": [], "last": 1}
        s.task.feed.begin_after(900)
        gone = await s.client.get("/v1/tables/T1/entries", params={"after": 1})
        assert (gone.status_code, gone.json()["code"]) == (410, "entries-gone")


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        (b"{", "not-json", ""),
        (b"\xff", "not-json", ""),
        (b"[" * 5000, "not-json", ""),
        (b"[1]", "bad-act", ""),
        (b"{}", "bad-act", ""),
        (b'{"open": true, "close": true}', "bad-act", ""),
        (b'{"open": true, "expect": {}}', "bad-act", "expect"),
        (b'{"open": true, "at": 1}', "bad-act", "at"),
        (b'{"opne": true}', "bad-act", "opne"),
        (b'{"wager": {"seat": "one"}}', "bad-act", "wager.seat"),
        (b'{"open": true, "by": "boss"}', "bad-act", "by"),
        (b'{"open": true, "by": 7}', "bad-act", "by"),
        (b'{"card": "9h", "by": "device:shoe"}', "role-not-allowed", "by"),
    ],
)
async def test_a_bad_act_is_a_typed_error_and_changes_nothing(body: bytes, code: str, where: str) -> None:
    async with site() as s:
        answer = await s.client.post("/v1/tables/T1/acts", content=body)
        assert answer.status_code == 400, answer.text
        error = answer.json()
        assert set(error) == {"code", "what", "do", "where"}
        assert (error["code"], error["where"]) == (code, where)
        assert s.journal.drafts == []


async def test_limits_and_unknown_places_are_typed_errors() -> None:
    async with site() as s:
        big = await s.client.post("/v1/tables/T1/acts", content=b" " * (BODY_LIMIT_BYTES + 1))
        assert (big.status_code, big.json()["code"]) == (413, "body-too-big")
        for path, status, code in (
            ("/v1/tables/T9", 404, "no-such-table"),
            ("/v1/nothing", 404, "no-such-page"),
            ("/v1/tables/T1/acts", 405, "not-possible-here"),
            ("/v1/tables/T1/entries?after=x", 400, "bad-number"),
            ("/v1/tables/T1/entries?after=-1", 400, "bad-number"),
            ("/v1/tables/T1/entries?wait=31", 400, "bad-number"),
            ("/v1/tables/T1/entries?wait=nan", 400, "bad-number"),
        ):
            answer = await s.client.get(path)
            assert (answer.status_code, answer.json()["code"]) == (status, code)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
ACTS = st.sampled_from(
    ["wager", "start", "decide", "set", "expose", "report", "declare", "rescan", "card", "stack", "load", "shuffle",
     "device", "resolve", "collect", "stub_count", "remove_card", "sign_on", "hole_check", "by"]
)  # fmt: skip


@given(st.dictionaries(ACTS, JSON, max_size=2) | JSON)
def test_no_body_raises_past_the_typed_error(body: object) -> None:
    try:
        act = _read_act(json.loads(json.dumps(body)))
    except ShoedError as error:
        told = (error.code, error.what, error.do)
        assert all(told)
    else:
        assert act.by.role != "device"


@pytest.mark.requirement("EQ-71", "EQ-72", "T-11")
async def test_two_worlds_that_differ_in_hidden_cards_look_the_same(tmp_path: Path) -> None:
    worlds = []
    for number, cards in enumerate((["9h", "Kd", "2c", "Td", "3s", "As"], ["4c", "4d", "Qh", "2s", "Jc", "7h"])):
        log = tmp_path / f"log{number}"
        async with site(log) as s:
            await s.act("open", by="supervisor:S1")
            await s.shuffled_deck()
            for _ in range(20):
                await asyncio.sleep(0)
            await s.act("wager", {"seat": 1, "ante": 10})
            await s.act("close_bets")
            for place, card in enumerate(cards):
                s.card(4 + place, card)
            for _ in range(50):
                await asyncio.sleep(0)
            texts = [
                (await s.client.get(path)).text for path in ("/v1/tables", "/v1/tables/T1", "/v1/tables/T1/entries?after=0", "/v1/metrics")
            ]
            bodies = [draft.body for draft in s.journal.drafts]
        lines = [{k: v for k, v in json.loads(line).items() if k != "timestamp"} for line in log.read_text().splitlines()]
        assert len(s.journal.drafts) == 12
        worlds.append((texts, lines, bodies))
    assert worlds[0] == worlds[1]

"""No request to the API, whatever its body, query, path or headers, gets more than a typed answer, stops a table or stays in memory."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

from controller.dealing.procedure import build_procedure
from controller.errors import ShoedError
from controller.games import find_game
from controller.scenario.script import Scenario, load_scenario
from controller.service.request_body import BODY_LIMIT_BYTES
from controller.table.acts import By
from controller.table.parse import ACT_KEYS, ROLES, parse_act, parse_by
from tests.fuzz.judging import MemoryWatch, in_time, is_told, telling
from tests.fuzz.mutation import TOML_VALUES, WRONG_VALUES, Tree, mutate_bytes, mutate_tree, places_of
from tests.fuzz.table_site import BEARER, Site, Told, site_of

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "tests" / "scenarios").rglob("*.scenario.toml"))
STATUSES = {200, 400, 401, 404, 405, 409, 410, 413}
ERROR_KEYS = {"code", "what", "do", "where"}
PREPARING: tuple[dict[str, Tree], ...] = (
    {"open": True, "by": "supervisor:S1"},
    {"load": {"decks": 1, "cards": 52}},
    {"shuffle": {"mode": "random", "counted": 52}},
)
NASTY_TEXTS = (
    "", "0", "-1", "1e999", "nan", "-nan", "inf", "0x10", "1_0", "9" * 400, "9" * 5000, "\0", "T1", "T1/acts", "..", "%00", "%2e%2e/", "é",
    "\U0001f0a1", "\udcff", "x" * 5000, "/", "//", "?", "#", ";", "{table}", "T1\r\nX: y", "entries", "\u0663", "\uff11", " 1 ", "1\n",
)  # fmt: skip
ENTRIES_WAITS = ("0", "0.001", "-1", "nan", "inf", "1e9", "", "x", "0.0", "1e-9", "31")
"""None of these waits long when it is allowed."""


@cache
def script(path: Path) -> Scenario:
    return load_scenario(path)


def acts_of(scenario: Scenario) -> list[dict[str, Tree]]:
    """The bodies that play a script through the API, where people tell what devices do."""
    acts = [{step.key: step.value, "by": "dealer:D1" if step.by.role == "device" else str(step.by)} for step in scenario.steps]
    return [*(PREPARING if scenario.prepared else ()), *acts]


def as_json(tree: Tree) -> bytes:
    return json.dumps(tree).encode()


def check(told: Told, allowed: Iterable[int] = STATUSES) -> None:
    """Fail unless the answer is one that the API's page lists."""
    assert told.status in allowed, (told.status, told.body[:300])
    assert len(told.body) < 100_000
    if told.status >= 400 and told.status != 409:
        error = told.json()
        assert error.keys() == ERROR_KEYS
        is_told(ShoedError(str(error["code"]), str(error["what"]), str(error["do"])))
        assert len(str(error["where"])) < 200
    if told.status == 409:
        assert told.json()["entry"] is None


async def play_with_slips(path: Path, seed: int, slips: int) -> int:
    """Play a script; before each of its acts come wrong ones made of it, so that every state meets them.

    Returns how many of the script's own acts were taken: a wrong one that is taken leads the table elsewhere.
    """
    taken = 0
    rng = random.Random(seed)
    scenario = script(path)
    acts = acts_of(scenario)
    async with site_of(build_procedure(find_game(scenario.game), scenario.method, scenario.house)) as site:
        for number, act in enumerate(acts):
            for slip in range(slips):
                body = wrong_body(rng, act if slip % 3 else rng.choice(acts))
                with telling(f"seed {seed}, {path.name}, act {number}", body), in_time(seed):
                    check(await site.act(body), (200, 400, 409, 413))
            told = await site.act(as_json(act))
            check(told, (200, 409))
            taken += told.status == 200
    return taken


def wrong_body(rng: random.Random, act: dict[str, Tree]) -> bytes:
    if rng.random() < 0.4:
        return mutate_bytes(rng, as_json(act))
    places = list(places_of(act))
    return as_json(mutate_tree(rng, act, rng.choice(places), WRONG_VALUES))


async def wrong_request(rng: random.Random, site: Site) -> None:
    """One request with a wrong head."""
    nasty = lambda: rng.choice(NASTY_TEXTS)  # noqa: E731  # said often in the lines below
    path = rng.choice((
        "/v1/tables", "/v1/tables/T1", "/v1/tables/T1/acts", "/v1/tables/T1/entries", "/v1/metrics", "/v1/health", f"/v1/tables/{nasty()}",
        f"/v1/tables/{nasty()}/acts", f"/v1/tables/{nasty()}/entries", f"/{nasty()}", f"/v1/tables/T1/{nasty()}", nasty(),
    ))  # fmt: skip
    wait = rng.choice(ENTRIES_WAITS)
    query = f"after={nasty()}&wait={wait}&{nasty()}={nasty()}".encode("utf-8", "surrogateescape")
    if rng.random() < 0.3:
        query = b"after=" + mutate_bytes(rng, b"0123") + b"&wait=0"
    headers: list[tuple[bytes, bytes]] = [BEARER]
    if rng.random() < 0.5:
        value = mutate_bytes(rng, BEARER[1])
        headers = rng.choice(([(b"authorization", value)], [BEARER, BEARER], [BEARER, (b"authorization", value)], []))
    headers += [(b"content-type", mutate_bytes(rng, b"application/json")), (b"content-length", nasty().encode("utf-8", "surrogateescape"))]
    method = rng.choice(("GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "X" * 200, ""))
    body = rng.randbytes(rng.choice((0, 3, 100)))
    request = (method, path, query, headers, body)
    with telling("request", request), in_time(request):
        told = await site.ask(method, path, query, headers, body, chunk=rng.choice((1, 7, 1 << 16)))
        assert told.status in STATUSES
        if told.status != 200:
            check(told)
        elif method != "HEAD" and path != "/v1/metrics":
            json.loads(told.body)


@pytest.mark.requirement("T-27")
async def test_wrong_acts_are_answered_in_every_state_of_a_table() -> None:
    paths = SCENARIOS[1::8]
    taken = [await play_with_slips(path, 7000 + number, 4) for number, path in enumerate(paths)]
    assert sum(taken) > len(paths) * 8, taken


@pytest.mark.requirement("T-27")
async def test_wrong_heads_of_requests_are_answered() -> None:
    rng = random.Random(8)
    async with site_of(build_procedure(find_game("colorado-hold-em-poker"), "hand", {})) as site:
        await site.act(as_json(PREPARING[0]))
        for _ in range(600):
            await wrong_request(rng, site)


@pytest.mark.parametrize("size", [BODY_LIMIT_BYTES + 1, 4 << 20])
async def test_a_long_body_is_cut_off_at_the_limit(size: int) -> None:
    async with site_of(build_procedure(find_game("colorado-hold-em-poker"), "hand", {})) as site:
        for filling in (b" ", b"[", b'{"a":', b"9", b'"'):
            told = await site.act((filling * (size // len(filling) + 1))[:size])
            check(told, (413,))
            check(await site.act((filling * BODY_LIMIT_BYTES)[:BODY_LIMIT_BYTES]), (400,))


def judge_act(key: str, value: Tree, by: By) -> None:
    with telling(f"{key} by {by}", value), in_time(key):
        try:
            act = parse_act(key, value, by)
        except ShoedError as error:
            is_told(error)
        else:
            assert re.fullmatch(r"\w+\(.*", repr(act), re.DOTALL)


@cache
def values_of_acts() -> dict[str, list[Tree]]:
    """What the scripts write behind each act."""
    values: dict[str, list[Tree]] = {key: [True, "x"] for key in ACT_KEYS}
    for path in SCENARIOS:
        for step in script(path).steps:
            values[step.key].append(step.value)
    return values


def judge_values(key: str, rng: random.Random, wrong: Sequence[Tree], rounds: int) -> None:
    known = values_of_acts()[key]
    for value in (*wrong, *known[:2]):
        judge_act(key, value, parse_by(rng.choice(ROLES)))
    for _ in range(rounds):
        tree = rng.choice(known)
        judge_act(key, mutate_tree(rng, tree, rng.choice(list(places_of(tree))), wrong), parse_by(rng.choice(ROLES)))


@pytest.mark.requirement("T-27")
@pytest.mark.parametrize("key", sorted(ACT_KEYS))
def test_wrong_values_of_an_act_are_told_or_taken(key: str) -> None:
    judge_values(key, random.Random(9), (*WRONG_VALUES, *TOML_VALUES), 100)


@pytest.mark.requirement("T-27")
def test_wrong_keys_and_names_are_told() -> None:
    texts = [text for text in NASTY_TEXTS if text != "\udcff"]  # no decoder here lets that one through
    for wrong in (*texts, *(value for value in WRONG_VALUES if value != "dealer"), *TOML_VALUES):
        with telling("word", wrong), pytest.raises(ShoedError) as caught:
            parse_by(wrong)
        is_told(caught.value)
        if isinstance(wrong, str) and wrong not in ACT_KEYS:
            with pytest.raises(ShoedError) as caught:
                parse_act(wrong, True, By("dealer"))
            is_told(caught.value)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.requirement("T-27")
async def test_very_many_wrong_requests() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    watch = MemoryWatch()
    for turn in range(8):
        for number, path in enumerate(SCENARIOS):
            await play_with_slips(path, seed + 1000 * turn + number, 12)
        async with site_of(build_procedure(find_game("colorado-hold-em-poker"), "hand", {})) as site:
            for _ in range(10_000):
                await wrong_request(rng, site)
        for key in sorted(ACT_KEYS):
            judge_values(key, rng, (*WRONG_VALUES, *TOML_VALUES), 3_000)
        if turn == 0:
            watch.note()
    watch.check()

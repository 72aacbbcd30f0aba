"""A table's device lent to a technician: the table is closed, the port is free, and nothing is dealt before cards are shuffled again."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from controller.journal.keys import load_keys
from controller.journal.reader import open_reader
from hil.mechanism.options import Timing

PATH = "/v1/tables/T1/devices/shoe/diagnosis"
GRANT = {"ticket": "WO-9", "by": "technician:T3", "second": "supervisor:S1"}


async def shoed(*words: str) -> tuple[int, str]:
    import sys

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from controller.cli.main import main; main()", "device", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


@pytest.mark.requirement("EQ-78", "EQ-79", "EQ-80", "EQ-84")
async def test_a_device_is_lent_for_diagnosis_and_comes_back(new_site: Any, person: Any, tmp_path: Path) -> None:
    async with new_site(technician_switch=True) as site, await site.start() as client:
        await person(client).act("open", by="supervisor:S1")
        await site.shoe.host_running()
        where = ["--config", str(site.file), "--at", "T1/shoe"]
        code, text = await shoed("linetest", *where)
        assert (code, "The daemon holds this port for its table T1, device shoe" in text) == (2, True), text
        code, text = await shoed("identify", *where)
        assert (code, "SIM-SHOE-1" in text) == (0, True), text
        words = ["--ticket", "WO-9", "--by", "technician:T3", "--second", "supervisor:S1", "--work-log", str(tmp_path / "work.jsonl")]
        code, text = await shoed("selftest", *where, *words)
        assert (code, "All 4 steps are good." in text) == (0, True), text
        await site.shoe.host_running()
        shown = await person(client).show()
        assert shown["outcome"]["state"] == "closed"  # type: ignore[index]
        for _ in range(200):
            shown = await person(client).show()
            if shown["devices"]["shoe"]["caught_up"]:  # type: ignore[index]
                break
            await asyncio.sleep(0.02)
        assert not shown["outcome"].get("alarms")  # type: ignore[attr-defined]
        assert await site.end() == 0
        keys = load_keys(site.folder / "keys.json")
        with open_reader(site.folder / "journal.db", seal_key=keys.seal_key) as reader:
            bodies = [json.loads(entry.body) for entry in reader.read_entries("T1")]
        told = [json.dumps(body) for body in bodies]
        assert any("work order WO-9, technician:T3 with supervisor:S1, 15 minutes" in text for text in told)
        assert any("the table closed" in text for text in told)


async def test_what_is_no_grant_is_told_and_lending_ends(new_site: Any) -> None:
    async with new_site() as site, await site.start() as client:
        await site.shoe.host_running()
        for body, code in (
            ({}, "bad-grant"),
            ({**GRANT, "minutes": 0}, "bad-grant"),
            ({**GRANT, "minutes": "long"}, "bad-grant"),
            ({**GRANT, "ticket": ""}, "bad-ticket"),
            ({**GRANT, "by": "supervisor:S2"}, "wants-technician"),
            ({**GRANT, "second": "supervisor:T3"}, "wants-second-person"),
        ):
            answer = await client.post(PATH, json=body)
            assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert (await client.post(PATH.replace("shoe", "shoo"), json=GRANT)).status_code == 404
        assert (await client.delete(PATH)).json() == {"given_back": False}
        assert (await client.post(PATH, json={**GRANT, "minutes": 0.02})).status_code == 200
        assert (await client.post(PATH, json=GRANT)).json()["code"] == "lent-already"
        await site.shoe.until(lambda now: not now.host_running)
        await site.shoe.host_running()  # its time is up
        assert (await client.post(PATH, json=GRANT)).status_code == 200
        assert (await client.delete(PATH)).json() == {"given_back": True}
        await site.shoe.host_running()


async def settled(person: Any) -> dict[str, Any]:
    """How the table stands when its device has told everything."""
    for _ in range(3_000):
        shown: dict[str, Any] = await person.show()
        if shown["devices"]["shoe"]["caught_up"]:
            return shown
        await asyncio.sleep(0.01)
    raise AssertionError(shown)


def kinds_in(site: Any) -> list[str]:
    keys = load_keys(site.folder / "keys.json")
    with open_reader(site.folder / "journal.db", seal_key=keys.seal_key) as reader:
        return [entry.kind for entry in reader.read_entries("T1")]


async def draw_and_lay_in_again(shoe: Any, deck: Any) -> None:
    while True:
        await shoe.until(lambda now: now.gate == "open", within_s=60)
        if not shoe.snapshot().inside:
            shoe.load(deck()[:13])
        shoe.draw()
        await asyncio.sleep(0.001)


@pytest.mark.requirement("EQ-79", "EQ-80", "EQ-82")
async def test_a_test_deck_is_no_card_of_the_table(new_site: Any, person: Any, deck: Any, tmp_path: Path) -> None:
    async with new_site(timing=Timing.instant()) as site, await site.start() as client:
        await person(client).act("open", by="supervisor:S1")
        await site.shoe.host_running()
        await settled(person(client))
        (tmp_path / "deck").write_text(" ".join(card.face.name for card in deck()[:13]))
        words = ["--ticket", "WO-9", "--by", "technician:T3", "--second", "supervisor:S1", "--work-log", str(tmp_path / "work.jsonl")]
        words += ["--deck", str(tmp_path / "deck"), "--deals", "3", "--capture", str(tmp_path / "c.pcapng")]
        hand = asyncio.create_task(draw_and_lay_in_again(site.shoe, deck))
        code, text = await shoed("testdeal", "--config", str(site.file), "--at", "T1/shoe", *words)
        hand.cancel()
        assert (code, "Wrong reads: 0 of" in text) == (0, True), text
        shown = await settled(person(client))
        assert (shown["outcome"]["state"], shown["outcome"].get("alarms")) == ("closed", None)
        assert await site.end() == 0
        assert not {"card", "load"} & set(kinds_in(site))
        assert site.shoe.snapshot().acknowledged_eseq == site.shoe.snapshot().newest_eseq


@pytest.mark.requirement("EQ-79", "EQ-80", "T-31")
async def test_a_daemon_that_is_killed_while_its_device_is_lent_comes_back_closed(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            dealer = person(client)
            await dealer.act("open", by="supervisor:S1")
            await site.shoe.host_running()
            await settled(dealer)
            assert (await client.post(PATH, json=GRANT)).status_code == 200
            await site.end(signal.SIGKILL)
        site.shoe.load(deck())  # what the technician lays in is no deck of the table
        await site.shoe.until(lambda now: now.newest_eseq > now.acknowledged_eseq)
        async with await site.start() as client:
            dealer = person(client)
            shown = await settled(dealer)  # identified again
            assert shown["outcome"]["state"] == "closed"
            assert "load" not in kinds_in(site)
            await dealer.act("open", by="supervisor:S1")
            refused = await dealer.act("wager", {"seat": 1}, status=409)
            assert (refused["state"], refused["gate"]) == ("unverified", "locked")  # its cards are verified and shuffled first
            assert await site.end() == 0
        assert "routine" in kinds_in(site)

"""The daemon as its own process, a simulated shoe on a pseudo-terminal, people at the API: rounds, kills, swaps, signals."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.journal.keys import load_keys
from controller.journal.verify import verify_journal
from hil.mechanism.cards import PhysicalCard
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings

pytestmark = pytest.mark.timeout(120)

SEED = 3
"""Printed by each deck that fails, and the same in every run."""


def shuffled(deck: Callable[[], list[PhysicalCard]]) -> list[PhysicalCard]:
    cards = deck()
    random.Random(SEED).shuffle(cards)
    return cards


async def connected(site: Any, table: Any) -> None:
    async with asyncio.timeout(15):
        while not (await table.show())["devices"]["shoe"]["caught_up"]:  # noqa: ASYNC110  # in another process
            await asyncio.sleep(0.01)


async def ready_table(site: Any, table: Any, deck: Any) -> None:
    """Open the table with a shuffled deck in the shoe."""
    await connected(site, table)
    await table.act("open", by="supervisor:S1")
    site.shoe.load(shuffled(deck))
    await table.see("load")
    site.shoe.shuffle_result(counted=52, expected=52)
    assert (await table.see("shuffle"))["state"] == "ready"


async def pull(site: Any) -> None:
    """Pull the next card as soon as the gate lets it."""
    async with asyncio.timeout(15):
        while site.shoe.draw().name != "DRAWN":  # a gate that is just moving lets no card out
            await site.shoe.gate("open")
            await asyncio.sleep(0.01)


async def draw(site: Any, table: Any) -> dict[str, Any]:
    """Pull the next card as soon as the gate lets it, and return what the table made of it."""
    await pull(site)
    seen: dict[str, Any] = await table.see("card")
    return seen


def verify(folder: Path) -> None:
    keys = load_keys(folder / "keys.json")
    report = verify_journal(folder / "journal.db", seal_key=keys.seal_key)
    assert report.ok, report.sentence


def commands(site: Any) -> list[str]:
    lines = [json.loads(line) for line in site.log().splitlines()]
    return [line["command"] for line in lines if line["event"] == "command"]


DEALT = ["seat 1", "seat 4", "community 1", "seat 1", "seat 4", "community 2", "seat 1", "seat 4", "community 3"]


async def test_a_round_is_dealt_decided_and_settled(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("wager", {"seat": 4, "ante": 25})
            assert (await table.act("close_bets"))["gate"] == "open"
            assert [(await draw(site, table))["to"] for _ in DEALT] == DEALT
            await site.shoe.gate("locked")
            for seat in (1, 4):
                await table.act("decide", {"seat": seat, "choose": "fold"})
            refused = await table.act("decide", {"seat": 1, "choose": "fold"}, status=409)
            assert refused["refused"]
            await site.shoe.all_acknowledged()
        assert await site.end() == 0
        assert commands(site)[:2] == ["OpenShoe", "Unlock"]
        assert "Unlock" not in commands(site)[2:]  # one counted unlock for the nine cards of the step
        assert not (site.folder / "api.port").exists()
        verify(site.folder)


@pytest.mark.requirement("EQ-96", "EQ-97", "T-28", "EQ-57")
async def test_killed_after_every_card_it_goes_on_where_it_was(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            for seat in (1, 4):
                await table.act("wager", {"seat": seat, "ante": 10})
            await table.act("close_bets")
            last = table.last
        places = []
        for number, _ in enumerate(DEALT):
            await pull(site)
            if number % 3:
                async with site.client() as client:
                    table = person(client)
                    table.last = last
                    places.append((await table.see("card"))["to"])
                    last = table.last
                continue
            await site.end(signal.SIGKILL)
            async with await site.start() as client:
                table = person(client)
                table.last = last
                places.append((await table.see("card"))["to"])
                last = table.last
        assert places == DEALT
        async with site.client() as client:
            assert (await person(client).show())["outcome"]["state"] == "deciding"
        assert await site.end() == 0
        verify(site.folder)


@pytest.mark.requirement("EQ-44", "EQ-57")
async def test_a_device_that_is_cut_off_holds_the_table_until_it_is_back(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("close_bets")
            await draw(site, table)
            site.shoe.cut_line(60)
            lost = await table.see("device")
            assert (lost["state"], lost["alarms"]) == ("suspended", ["device-lost"])
            site.shoe.mend_line()
            back = await table.see("device")
            assert back["state"] == "dealing"
            assert (await draw(site, table))["to"] == "community 1"
        assert await site.end() == 0


@pytest.mark.requirement("EQ-57", "T-04")
async def test_another_device_is_refused_at_the_start_without_a_trace(new_site: Any) -> None:
    async with new_site(serial="SIM-SHOE-2") as site:
        with pytest.raises(AssertionError, match="wrong-device") as told:
            await site.start()
        assert "SIM-SHOE-2" in str(told.value)
        assert await site.end() == 2
        assert sorted(path.name for path in site.folder.iterdir()) == ["keys.json", "table.toml"]


async def test_a_second_daemon_is_refused(new_site: Any) -> None:
    async with new_site() as site:
        async with await site.start():
            first = site.process
            with pytest.raises(AssertionError, match=r"port-busy|journal-busy"):
                await site.start()
            site.process = first
        assert await site.end() == 0


async def test_a_sealed_session_works_the_same(new_site: Any, person: Any, deck: Any) -> None:
    key = bytes(range(1, 17))
    async with new_site(key=key) as site:
        (site.folder / "shoe.key").write_text(key.hex())
        site.configure(device_extra='security = 1\nkey_file = "shoe.key"')
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("close_bets")
            assert (await draw(site, table))["to"] == "seat 1"
        assert await site.end() == 0
        assert key.hex() not in site.log()


async def test_stacks_are_dispensed_one_by_one(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site(method="automated-shoe") as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            for seat in (2, 3):
                await table.act("wager", {"seat": seat, "ante": 10})
            await table.act("close_bets")
            places = [(await table.see("stack"))["to"] for _ in range(3)]
            assert places == ["seat 2", "seat 3", "community"]
        assert await site.end() == 0
        assert commands(site).count("Dispense") == 3


async def test_the_service_manager_and_signals(new_site: Any, tmp_path: Path) -> None:
    async with new_site() as site:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(tmp_path / "notify"))
            manager.setblocking(False)
            site.extra_environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
            async with await site.start():
                heard: list[str] = []

                def hears(word: str) -> Callable[[], bool]:
                    def look() -> bool:
                        while True:
                            try:
                                heard.append(manager.recv(300).decode())
                            except BlockingIOError:
                                return any(word in message for message in heard)

                    return look

                await site.until(hears("READY=1"))
                await site.until(hears("WATCHDOG=1"))
                (site.folder / "log").rename(site.folder / "log.1")
                site.process.send_signal(signal.SIGHUP)
                await site.until(hears("RELOADING=1"))
                await site.until(lambda: "log-reopened" in site.log())
            began = asyncio.get_running_loop().time()
            assert await site.end() == 0
            assert asyncio.get_running_loop().time() - began < 5
            await site.until(hears("STOPPING=1"))


async def test_it_stops_in_time_although_a_device_is_silent(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("close_bets")
            await site.shoe.gate("open")
            following = asyncio.create_task(client.get("/v1/tables/T1/entries?after=100000&wait=30"))
            site.shoe.cut_line(60)
            began = asyncio.get_running_loop().time()
            assert await site.end() == 0
            assert asyncio.get_running_loop().time() - began < 5
            await asyncio.gather(following, return_exceptions=True)
        verify(site.folder)


@pytest.mark.requirement("EQ-38", "EQ-39", "EQ-43")
async def test_an_error_is_cleared_when_a_supervisor_settled_it_and_its_cause_is_gone(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("close_bets")
            await draw(site, table)
            site.shoe.fail("motor")
            while "device-error" not in (stopped := await table.see("device")).get("alarms", ()):
                pass
            assert stopped["state"] == "suspended"
            await site.shoe.gate("locked")
            refused = await table.act("resolve", {"choose": "continue"}, by="dealer:D7", status=409)
            assert refused["refused"] == "role-not-allowed"
            await table.act("resolve", {"choose": "continue"}, by="supervisor:S1")
            table.last = table.acted
            while "device-error" not in (await table.see("device")).get("alarms", ()):
                pass  # the device does not let the error be cleared while its cause lasts
            site.shoe.remove_cause("motor")
            await table.act("resolve", {"choose": "continue"}, by="supervisor:S1")
            assert (await draw(site, table))["to"] == "community 1"
        assert await site.end() == 0
        assert "ClearError" in commands(site)


@pytest.mark.requirement("EQ-42")
async def test_a_full_disk_is_told_and_the_daemon_goes_on_by_itself(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site:
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            # a write past this offset fails for this one process, as on a disk that has no room
            resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
            refused = None
            for number in range(50):
                answer = await client.post("/v1/tables/T1/acts", json={"sign_on": {"person": f"D{number}"}})
                if answer.status_code == 409:
                    refused = answer.json()["outcome"]
                    break
            assert refused is not None
            assert refused["refused"] == "journal-full"
            assert "journal" in (await table.show())["outcome"]["alarms"]
            stored = (await table.show())["journal"]
            resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            async with asyncio.timeout(15):
                while "journal" in (await table.show())["outcome"].get("alarms", ()):  # noqa: ASYNC110  # as above
                    await asyncio.sleep(0.05)
            await table.act("wager", {"seat": 1, "ante": 10})
            assert (await table.show())["journal"] > stored
        assert await site.end() == 0
        verify(site.folder)


@pytest.mark.slow
@pytest.mark.requirement("EQ-57", "EQ-51", "T-04")
async def test_a_device_exchanged_in_play_is_refused_and_the_right_one_taken_again(
    new_site: Any, person: Any, deck: Any, tmp_path: Path
) -> None:
    port = tmp_path / "port"
    async with new_site() as site, SimulatedDevice(SimulatedSettings(kind="shoe", serial="SIM-SHOE-2")) as other:
        port.symlink_to(site.shoe.url)
        site.configure(port=str(port))
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("close_bets")
            await draw(site, table)
            await site.shoe.unplug()
            point(port, other.url)
            while "wrong-identity" not in (held := await table.see("device")).get("alarms", ()):
                pass
            assert held["state"] == "suspended"
            assert (await table.show())["devices"]["shoe"]["state"] == "refused"
            await site.shoe.plug_in()
            point(port, site.shoe.url)
            while (back := await table.see("device")).get("alarms", ()):
                pass
            assert back["state"] == "dealing"
            assert (await draw(site, table))["to"] == "community 1"
        assert await site.end() == 0
        verify(site.folder)


def point(link: Path, target: str) -> None:
    fresh = link.with_name("fresh")
    fresh.symlink_to(target)
    fresh.replace(link)


@pytest.mark.requirement("T-27", "EQ-58")
async def test_two_tables_do_not_wait_for_one_another(new_site: Any, person: Any, deck: Any) -> None:
    async with new_site() as site, SimulatedDevice(SimulatedSettings(kind="shoe", serial="SIM-SHOE-2")) as other:
        site.configure()
        with site.file.open("a") as file:
            file.write(
                """
[[table]]
id = "T2"
game = "winners-pot-poker"
method = "manual-shoe"
[[table.device]]
name = "shoe"
kind = "shoe"
serial = "SIM-SHOE-2"
"""
                f'port = "{other.url}"'
            )
        async with await site.start() as client:
            table = person(client)
            await ready_table(site, table, deck)
            await table.act("wager", {"seat": 1, "ante": 10})
            await table.act("close_bets")
            await other.stop()
            assert (await draw(site, table))["to"] == "seat 1"
            rows = (await client.get("/v1/tables")).json()
            assert [row["game"] for row in rows] == ["colorado-hold-em-poker", "winners-pot-poker"]
            assert (await table.show())["outcome"].get("alarms", []) == []
        assert await site.end() == 0
        verify(site.folder)

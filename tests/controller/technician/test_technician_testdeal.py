"""A deck of known order dealt again and again by a simulated hand: what is found, what is written down, what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.cli.main import run
from controller.technician.bench import Bench
from controller.technician.known_deck import TEST_SHOE_ID, KnownDeck
from controller.technician.reach import Reach
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import read_capture
from firmware_bridge.cards import FRENCH_CARDS, Card, Sealed, parse_card
from firmware_bridge.events import CardFlag, CardRead
from firmware_bridge.session.outputs import EventArrived
from hil.mechanism.cards import fresh_deck
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.plain import PlainDevice

Beside = Callable[..., Any]
INSTANT = Timing.instant()
PACE_S = 0.001
"""How fast the simulated hand draws; nothing waits for it."""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    file = tmp_path / "deck"
    file.write_text("# new-deck order\n" + " ".join(card.name for card in FRENCH_CARDS))
    return file


async def draw_and_lay_in_again(device: SimulatedDevice) -> None:
    while True:
        await device.until(lambda now: now.gate == "open", within_s=60)
        if not device.snapshot().inside:
            device.load(fresh_deck())
        device.draw()
        await asyncio.sleep(PACE_S)


async def draw_plain(device: PlainDevice) -> None:
    while True:
        if not len(device.stack):
            device.load(fresh_deck())
        device.draw()
        await asyncio.sleep(PACE_S)


def words(port: str, deck: Path, *more: str) -> list[str]:
    return ["device", "testdeal", "--port", port, "--deck", str(deck), *more]


@pytest.mark.requirement("EQ-82", "EQ-84", "EQ-103", "T-25")
def test_a_weak_reader_shows_the_weak_card(
    beside: Beside, diagnostic: list[str], deck: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(serial="SN-1", timing=INSTANT, weak={"7d": 0.9}, seed=4)
    shoe.keep_doing(draw_and_lay_in_again)
    capture = tmp_path / "deals.pcapng"
    assert run(words(shoe.url, deck, "--deals", "4", "--capture", str(capture), *diagnostic, "--json")) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    report, good = told[-1]["report"], told[-1]["good"]
    assert (good, report["set_aside"], report["missed"], report["extra"]) == (False, 0, 0, 0)
    assert report["cards"] >= 4 * 51
    assert ("card", "7d") in [(weak["kind"], weak["name"]) for weak in report["weak"]]
    assert {confusion["card"] for confusion in report["confusions"]} == {"7d"}
    assert report["wrong"] + report["unread"] == report["cards"] - report["right"] >= 2
    assert report["wrong"] / report["cards"] < report["wrong_rate_at_most"] < 1
    lines = [json.loads(line) for line in (tmp_path / "work.jsonl").read_text().splitlines()]
    assert [line["what"] for line in lines] == ["diagnosis-entered", "test-deck", "test-deck-dealt", "diagnosis-left"]
    assert lines[2]["wrong"] == report["wrong"]
    assert [record for record in read_capture(capture) if record.way is Way.IN]
    shoe.do(lambda device: told.append(device.snapshot()))
    assert (told[-1].shoe_id, told[-1].gate) == (None, "locked")


def test_a_good_reader_is_in_order_and_the_wanted_rate_is_weighed(
    beside: Beside, diagnostic: list[str], deck: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(timing=INSTANT)
    shoe.keep_doing(draw_and_lay_in_again)
    assert run(words(shoe.url, deck, "--deals", "2", "--capture", str(tmp_path / "a"), "--rate", "0.05", *diagnostic)) == 0
    out = capsys.readouterr().out
    assert "Wrong reads: 0 of 10" in out
    assert "at 95 %" in out
    assert run(words(shoe.url, deck, "--deals", "1", "--capture", str(tmp_path / "b"), "--rate", "0.0001", *diagnostic)) == 1
    assert "which takes 29,956 cards without a wrong one" in capsys.readouterr().out


@pytest.mark.requirement("EQ-82")
def test_a_tables_shoe_is_never_looked_at_and_its_events_are_stored(
    beside: Beside, diagnostic: list[str], deck: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(timing=INSTANT, past={"events": 40})
    assert run(words(shoe.url, deck)) == 2
    assert "(wants-diagnosis)" in capsys.readouterr().err
    assert run(words(shoe.url, deck, *diagnostic)) == 2
    assert "(wants-capture)" in capsys.readouterr().err
    shoe.do(lambda device: (device.load(fresh_deck()), device.adapter.orders.open_shoe(b"\7" * 16, 1, 0)))
    assert run(words(shoe.url, deck, "--capture", str(tmp_path / "a"), *diagnostic)) == 1
    assert "its cards belong to a table" in capsys.readouterr().err
    shoe.do(lambda device: device.adapter.orders.close_shoe(0.0))
    shoe.do(lambda device: device.adapter.orders.open_shoe(TEST_SHOE_ID, 1, 0))  # left by a test that was killed
    shoe.keep_doing(draw_and_lay_in_again)
    assert run(words(shoe.url, deck, "--deals", "1", "--capture", str(tmp_path / "b"), *diagnostic)) == 0
    assert run(["device", "replay", str(tmp_path / "b"), "--json"]) == 0
    replayed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert replayed["events"] >= 40 + 52  # those from before the test too


def test_another_deck_is_set_aside(beside: Beside, diagnostic: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside(timing=INSTANT)
    shoe.keep_doing(draw_and_lay_in_again)
    other = tmp_path / "other"
    other.write_text(" ".join(FRENCH_CARDS[(at * 23) % 52].name for at in range(52)))
    assert run(words(shoe.url, other, "--deals", "1", "--capture", str(tmp_path / "a"), *diagnostic)) == 1
    out = capsys.readouterr().out
    assert "not this deck in this order: lay it in as its file says" in out
    assert "No card of the deck came" in out


def read_card(card: Card, eseq: int) -> CardRead:
    return CardRead(
        eseq=eseq, t_ms=eseq, replayed=False, card=Sealed(card), flags=CardFlag(0), confidence=99, position=eseq, remaining=None
    )


def test_cards_after_the_last_wanted_deal_are_not_looked_at() -> None:
    other = [FRENCH_CARDS[(at * 23) % 52] for at in range(52)]  # begins with the same card
    told: list[str] = []
    known = KnownDeck(Bench(Reach(port="nowhere")), other, told.append, deals=2)
    for number in range(52 + 52 + 3):
        known._hear(EventArrived(1, read_card(FRENCH_CARDS[number % 52], eseq=number + 1)))
    assert known.enough.is_set()
    known._end_deal()  # as when the test ends
    report = known.tally.report()
    assert (len(told), report.set_aside, report.deals, report.cards) == (2, 2, 0, 0)


@pytest.mark.parametrize("profile", ["angel-eye-ii-ex", "bee-tek"])
def test_devices_that_only_speak_are_tested_too(
    beside_plain: Beside, diagnostic: list[str], deck: Path, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside_plain(profile, weak={parse_card("Ks"): 1.0}, factor=60.0, seed=2)
    shoe.keep_doing(draw_plain)
    assert run(words(shoe.url, deck, "--profile", profile, "--deals", "3", *diagnostic, "--json")) == 1
    report = json.loads(capsys.readouterr().out.splitlines()[-1])["report"]
    assert ("card", "Ks") in [(weak["kind"], weak["name"]) for weak in report["weak"]]
    assert (report["set_aside"], report["extra"]) == (0, 0)


def test_ctrl_c_ends_it_with_the_report(beside: Beside, diagnostic: list[str], deck: Path, tmp_path: Path) -> None:
    shoe = beside(timing=INSTANT)
    shoe.keep_doing(draw_and_lay_in_again)
    code = "from controller.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words(shoe.url, deck, "--capture", str(tmp_path / "a"), *diagnostic)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    told = ""
    for line in process.stdout:
        told += line
        if "all read right" in line:
            process.send_signal(signal.SIGINT)
            break
    told += process.communicate(timeout=60)[0]
    assert process.returncode == 0, told
    assert "Wrong reads: 0 of" in told


def test_a_port_that_breaks_ends_it_with_what_was_found(
    beside: Beside, diagnostic: list[str], deck: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = beside(timing=INSTANT)

    async def deal_and_pull_the_plug(device: SimulatedDevice) -> None:
        device.load(fresh_deck())
        for _ in range(20):
            await device.until(lambda now: now.gate == "open", within_s=60)
            device.draw()
        await device.until(lambda now: now.newest_eseq > 20 and now.acknowledged_eseq == now.newest_eseq, within_s=60)
        await device.unplug()

    shoe.keep_doing(deal_and_pull_the_plug)
    assert run(words(shoe.url, deck, "--capture", str(tmp_path / "a"), *diagnostic)) == 1
    out = capsys.readouterr().out
    assert "What was dealt until then is told." in out
    assert "Wrong reads: 0 of 20" in out

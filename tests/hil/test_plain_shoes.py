"""Shoes of foreign protocols at the real daemon: minibaccarat from an ANGEL EYE II-EX and from a Bee-Tek, misreads and alarms included.

Two witnesses are compared: the paper that left the simulated shoe, and the journal. Every card stands in it exactly once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.table.enforcement import Detection
from device_profiles.loader import read_tables
from device_profiles.plain.loader import load_plain, plain_profile
from device_profiles.plain.profile import PlainProfile
from hil.endtoend.bench import open_bench
from hil.endtoend.daemon import PROFILES, DeviceEntry, TableEntry, links_of, run_daemon, working_folder
from hil.endtoend.plain_table import PlainTable
from hil.people.people import People
from hil.people.session import play_rounds
from hil.simulated.plain import PlainDevice, PlainSettings
from tests.hil.plain_rounds import GAME, PROCEDURE, TABLE, Played

SOURCES = Path(__file__).parents[2] / "device_profiles"
LINE_FAULTS = ("drop:0.02", "flip:0.02", "duplicate:0.02", "split:0.1", "merge:0.1", "junk:0.02", "junk-inside:0.02")
"""Of each single telegram; it comes three times."""
HARMLESS = ("split:0.2", "merge:0.1", "delay:0.05")
"""What a line may do to a device without checksum and number without making another card of it."""


def play(  # one argument for each thing that differs
    folder: Path,
    profile: PlainProfile,
    rounds: int,
    *,
    seed: int,
    factor: float,
    faults: tuple[str, ...],
    on_card: Callable[[PlainDevice, bool], None] = lambda _shoe, _read: None,
    tcp: bool = False,
    write: bool = False,
) -> Played:
    rng = random.Random(seed)
    with open_bench() as bench, working_folder(folder) as site:
        settings = PlainSettings(
            profile=profile,
            name="SHOE",
            seed=seed,
            factor=factor,
            faults=faults,
            link_dir=links_of(site),
            tcp=("127.0.0.1", 0) if tcp else None,
        )
        shoe = PlainDevice(settings)
        bench.run(shoe.start())
        device = DeviceEntry("shoe", "shoe", None, shoe.url if tcp else "SHOE", profile=profile.name, write=write)
        with run_daemon(site, [TableEntry(TABLE, GAME, "manual-shoe", {}, (device,))]) as daemon:
            client = daemon.client()
            table = PlainTable(PROCEDURE, client, bench, shoe, rng, on_card=lambda read: on_card(shoe, read))
            play_rounds(People(PROCEDURE, rng, most_seats=3), table, rounds)
            client.close()
        bench.run(shoe.stop())
    return Played(site, table, shoe)


def hurried(folder: Path) -> PlainProfile:
    """The Angel Eye with a shorter time for its repetitions, as a vendor's own file: so it may go faster than the real one."""
    text = (SOURCES / "angel-eye-ii-ex.toml").read_text()
    text = text.replace('name = "angel-eye-ii-ex"', 'name = "angel-eye-hurried"', 1).replace("within_s = 3.0", "within_s = 1.0", 1)
    (folder / PROFILES).mkdir(parents=True)
    (folder / PROFILES / "angel-eye-hurried.toml").write_text(text)
    return plain_profile(read_tables(text.encode(), "angel-eye-hurried.toml"), "angel-eye-hurried.toml")


def announce(shoe: PlainDevice, read: bool) -> None:
    """A Bee-Tek says of a card that it could not read also that there is an alarm."""
    if not read:
        shoe.say("alarm", {"alarm": "cannot-read", "words": " Card Not Read"})


def test_three_rounds_from_an_angel_eye_that_says_everything_three_times(tmp_path: Path) -> None:
    faults = (*LINE_FAULTS, "misread@9")
    played = play(tmp_path, hurried(tmp_path), 3, seed=5, factor=4.2, faults=faults)
    played.verify(misread=True)
    assert sum(played.shoe.to_host.struck.values()) > 0
    (sheet,) = played.sheets
    assert sheet is not None
    assert {line.mishap: line.detection for line in sheet.lines}["a card leaves although none is due"] is Detection.AT_ONCE
    assert "A double card and a card face up in the shoe are not noticed." in [limit.sentence for limit in sheet.limits]
    assert f'"sheet":"{sheet.digest}"' in (tmp_path / "daemon.log").read_text()
    assert "identity-not-checked" in (tmp_path / "daemon.log").read_text()
    assert "unreadable-card" in {alarm for entry in played.table.entries for alarm in entry.outcome.alarms}


def test_an_angel_eye_that_may_be_written_to_is_locked_but_for_the_cards_that_are_due(tmp_path: Path) -> None:
    tried: list[bool] = []

    def try_another(shoe: PlainDevice, read: bool) -> None:
        tried.append(shoe.locked)

    played = play(tmp_path, hurried(tmp_path), 1, seed=8, factor=4.2, faults=(), write=True, on_card=try_another)
    played.verify(misread=False)
    (sheet,) = played.sheets
    assert sheet is not None
    assert {line.mishap: line.detection for line in sheet.lines}["a card leaves although none is due"] is Detection.PREVENTED
    assert played.shoe.locked
    assert False in tried


def test_three_rounds_from_a_bee_tek_that_says_everything_once(tmp_path: Path) -> None:
    played = play(tmp_path, load_plain("bee-tek"), 3, seed=6, factor=20.0, faults=(*HARMLESS, "misread@10"), on_card=announce, tcp=True)
    played.verify(misread=True)
    alarms = {alarm for entry in played.table.entries for alarm in entry.outcome.alarms}
    assert {"unreadable-card", "device-error"} <= alarms


@pytest.mark.slow
def test_a_whole_shoe_from_an_angel_eye_at_4800_baud(tmp_path: Path) -> None:
    """The shipped profile, 1.4 times as fast: its nine numbers come round in just over the three seconds of its repetitions."""
    played = play(tmp_path, load_plain("angel-eye-ii-ex"), 62, seed=11, factor=1.4, faults=(*LINE_FAULTS, "misread:0.01"))
    played.verify(misread=True)
    assert len(played.table.left) > 300


@pytest.mark.slow
def test_a_whole_shoe_from_a_bee_tek(tmp_path: Path) -> None:
    played = play(tmp_path, load_plain("bee-tek"), 62, seed=12, factor=10.0, faults=(*HARMLESS, "misread:0.01"), on_card=announce)
    played.verify(misread=True)
    assert len(played.table.left) > 300

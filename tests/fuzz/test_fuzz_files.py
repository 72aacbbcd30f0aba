"""No configuration, profile or scenario file raises past its typed error, hangs or stays in memory."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.errors import ShoedError
from controller.scenario.direct import DirectPlayer
from controller.scenario.runner import run_scenario
from controller.scenario.script import load_scenario
from controller.service.config_file import load_config
from controller.service.preflight import plan_tables
from device_profiles.errors import ProfileError
from device_profiles.loader import parse_profile
from firmware_bridge.codec import Codec
from tests.fuzz.judging import TEXT_MAX, MemoryWatch, in_time, is_told, telling
from tests.fuzz.mutation import TOML_VALUES, WRONG_VALUES, mutate_bytes, mutate_tree, places_of, replaced, to_toml

ROOT = Path(__file__).parents[2]
VALUES = (*WRONG_VALUES, *TOML_VALUES)
SCENARIOS = sorted((ROOT / "tests" / "scenarios").rglob("*.scenario.toml"))
PROFILE = (ROOT / "device_profiles" / "sdp1.toml").read_bytes()
CONFIG = b"""
config = 1
journal = { path = "journal.db", key_file = "keys/journal.json" }
api = { host = "127.0.0.1", port = 0, port_file = "api.port", token_file = "api.token" }
log = { format = "json", level = "info", file = "log" }
service = { stop_s = 2.5, program_sha256 = "" }
[ports]
links = "links"
[[table]]
id = "T1"
game = "colorado-hold-em-poker"
method = "hand"
house = { stub_count_every = 5, seats = 7, pay_table = { pair = 1, two-pair = 2 }, lowest_paid_pair = "T" }
[[table.device]]
name = "shoe"
kind = "shoe"
port = "usb-ACME"
serial = "SN1"
[[table.device]]
name = "shuffler"
kind = "shuffler"
profile = "sdp1"
port = "tcp://127.0.0.1:7001"
serial = "SN2"
security = 1
key_file = "keys/shuffler"
[[table]]
id = "T2"
game = "fast-action-hold-em"
method = "manual-shoe"
house = { natural = ["four-of-a-kind"], decks = 2 }
"""

Reader = Callable[[Path, bytes], None]


def read_config(folder: Path, content: bytes) -> None:
    """As the daemon reads it, up to where ports and files are asked."""
    file = folder / "table.toml"
    file.write_bytes(content)
    try:
        plan_tables(load_config(file))
    except ShoedError as error:
        is_told(error)


def read_profile(_folder: Path, content: bytes) -> None:
    """As the bridge reads it."""
    try:
        Codec(parse_profile(content, "shoe.toml"))
    except ProfileError as error:
        names_its_file(str(error))


def names_its_file(told: str) -> None:
    """Fail unless the text of a profile's error begins with a file and is short."""
    assert ".toml: " in told
    assert len(told) < TEXT_MAX, told


def play_scenario(folder: Path, content: bytes) -> None:
    """A script that can be read is also played: the table then takes whatever stands in it."""
    file = folder / "x.scenario.toml"
    file.write_bytes(content)
    try:
        scenario = load_scenario(file)
        report = run_scenario(scenario, DirectPlayer(scenario))
    except ShoedError as error:
        is_told(error)
    else:
        assert report.passed == (report.failed_step is None)


def attack(reader: Reader, folder: Path, document: bytes, seed: int, rounds: int, watch: MemoryWatch | None = None) -> None:
    """Half wrong bytes, half a wrong value at a place."""
    rng = random.Random(seed)
    tree = tomllib.loads(document.decode())
    places = list(places_of(tree))
    for number in range(rounds):
        wrong = mutate_bytes(rng, document) if number % 2 else to_toml(mutate_tree(rng, tree, rng.choice(places), VALUES))
        with telling(f"seed {seed}, input {number}", wrong), in_time(f"seed {seed}, input {number}"):
            reader(folder, wrong)
        if watch is not None and number == rounds // 4:
            watch.note()


def attack_everywhere(reader: Reader, folder: Path, document: bytes, share: int = 1) -> int:
    """Every value, or every so many-th, at every place of the tree; returns how many inputs that were."""
    tree = tomllib.loads(document.decode())
    inputs = 0
    for number, place in enumerate(places_of(tree)):
        for value in VALUES[number % share :: share]:
            wrong = to_toml(replaced(tree, place, value))
            inputs += 1
            with telling(str(place), wrong), in_time(place):
                reader(folder, wrong)
    return inputs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the right configuration finds the key that it names."""
    (tmp_path / "keys").mkdir()
    key = tmp_path / "keys" / "shuffler"
    key.write_text(bytes(range(16)).hex())
    key.chmod(0o600)
    return tmp_path


def test_the_documents_are_right_before_they_are_made_wrong(folder: Path) -> None:
    (folder / "table.toml").write_bytes(CONFIG)
    assert len(plan_tables(load_config(folder / "table.toml"))) == 2
    Codec(parse_profile(PROFILE, "shoe.toml"))
    for path in SCENARIOS[::9]:
        written = folder / "x.scenario.toml"
        written.write_bytes(to_toml(tomllib.loads(path.read_text())))
        scenario = load_scenario(written)
        assert run_scenario(scenario, DirectPlayer(scenario)).passed, path


@pytest.mark.requirement("T-27")
def test_wrong_configurations_are_refused_in_words(folder: Path) -> None:
    attack(read_config, folder, CONFIG, 1, 300)
    attack_everywhere(read_config, folder, CONFIG, share=29)


@pytest.mark.requirement("T-27")
def test_wrong_profiles_are_refused_in_words(folder: Path) -> None:
    attack(read_profile, folder, PROFILE, 2, 30)


@pytest.mark.requirement("T-27")
def test_wrong_scenarios_are_refused_or_played(folder: Path) -> None:
    for number, path in enumerate(SCENARIOS[::7]):
        attack(play_scenario, folder, path.read_bytes(), 3000 + number, 16)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.requirement("T-27")
@pytest.mark.parametrize(
    ("reader", "documents", "rounds", "share"),
    [
        (read_config, [CONFIG], 100_000, 1),
        (read_profile, [PROFILE], 5_000, 40),
        (play_scenario, [path.read_bytes() for path in SCENARIOS], 1_500, 7),
    ],
    ids=["configuration", "profile", "scenario"],
)
def test_very_many_wrong_files(folder: Path, reader: Reader, documents: list[bytes], rounds: int, share: int) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    watch = MemoryWatch()
    for number, document in enumerate(documents):
        attack(reader, folder, document, seed + number, rounds, watch if number == 0 else None)
        attack_everywhere(reader, folder, document, share)
    watch.check()

"""A scenario file is checked as a whole before anything runs; each slip names file, step and the nearest valid key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.scenario.script import ScenarioError, load_scenario, parse_scenario
from controller.table.acts import By, CardOut, Origin

HEAD = 'scenario = 1\ntitle = "t"\ngame = "g"\nmethod = "hand"\n'


def script(*steps: str, head: str = HEAD) -> str:
    return head + "steps = [\n" + "".join(f"  {{ {step} }},\n" for step in steps) + "]\n"


def test_a_whole_script_is_read() -> None:
    text = script(
        'wager = { seat = 5, ante = 10 }, at = 1, by = "dealer:D7", note = "a note"',
        'card = "9h", expect = { to = "seat 5", face = "down" }, at = 2.5',
        "shuffle = { counted = 52 }",
        'device = "mode-sort"',
        'card = "2c", by = "dealer"',
        head=HEAD + "house = { stub_count_every = 4 }\nprepared = false\n",
    )
    scenario = parse_scenario(text, "f")
    assert (scenario.house, scenario.prepared) == ({"stub_count_every": 4}, False)
    wager, card, shuffle, mode, told = scenario.steps
    assert (wager.number, wager.by, wager.at_ms, wager.note) == (1, By("dealer", "D7"), 1000, "a note")
    assert (card.by, card.at_ms, card.expect) == (By("device", "shoe"), 2500, {"to": "seat 5", "face": "down"})
    assert isinstance(card.act, CardOut)
    assert card.act.origin == Origin("shoe")
    assert (card.by_device, told.by_device, told.is_device_act, told.act.origin) == (True, False, True, None)
    assert (shuffle.by.name, mode.by.name) == ("shuffler", "shuffler")


@pytest.mark.parametrize(
    ("text", "step", "nearest"),
    [
        ("scenario = 2", None, None),
        ("scenario = true", None, None),
        (HEAD, None, "steps"),
        (HEAD + "steps = []", None, None),
        (HEAD + "steps = 5", None, None),
        (HEAD + "titel = 1\nsteps = [{ open = true }]", None, "title"),
        (HEAD + "house = 3\nsteps = [{ open = true }]", None, None),
        (HEAD + "prepared = 1\nsteps = [{ open = true }]", None, None),
        (script("open = true", "wagr = { seat = 1 }"), 2, "wager"),
        (script("open = true, expct = {}"), 1, "expect"),
        (script("open = true, close = true"), 1, None),
        (script('note = "nothing happens"'), 1, None),
        (script("open = false"), 1, None),
        (script('card = "9x"'), 1, None),
        (script("decide = { seat = 1, chose = 'bet' }"), 1, "choose"),
        (script('open = true, by = "superviser"'), 1, "supervisor"),
        (script("open = true, at = -1"), 1, None),
        (script("open = true, at = nan"), 1, None),
        (script("open = true, at = 5", "close = true, at = 4"), 2, None),
        (script("open = true, note = 5"), 1, None),
        (script('card = "9h", expect = { two = "seat 1" }'), 1, "to"),
        (script('card = "9h", expect = { to = "sear 1" }'), 1, "seat 3"),
        (script('card = "9h", expect = { irregularity = "card-face-upp" }'), 1, "card-face-up"),
        (script('card = "9h", expect = { refused = "not-expected" }'), 1, "not-expected-now"),
        (script('card = "9h", expect = { state = "dealin" }'), 1, "dealing"),
        (script('card = "9h", expect = { alarms = ["device-lst"] }'), 1, "device-lost"),
        (script('card = "9h", expect = { next = ["wagers"] }'), 1, "wager"),
        (script('card = "9h", expect = { results = { "seat 1" = "win" } }'), 1, None),
        (script('card = "9h", expect = { pays = { "1" = "ten" } }'), 1, None),
        (script('card = "9h", expect = { house_way = { kept = ["9h"] } }'), 1, "keep"),
        (script('card = "9h", expect = 5'), 1, None),
        ("scenario = ", None, None),
    ],
)
def test_a_slip_names_file_step_and_nearest_key(text: str, step: int | None, nearest: str | None) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "rounds/x.scenario.toml")
    assert (caught.value.step, caught.value.nearest) == (step, nearest)
    assert caught.value.what.startswith("rounds/x.scenario.toml")
    assert step is None or f"step {step}" in caught.value.what


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * ((1 << 20) + 1)])
def test_a_file_that_is_no_script_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.scenario.toml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError):
        load_scenario(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="No such file"):
        load_scenario(tmp_path / "none.scenario.toml")


LINES = ("open = true", 'card = "9h"', "wager = { seat = 1 }", "at = 1", "expect = { }", 'by = "dealer"')


@given(st.text(max_size=60) | st.lists(st.sampled_from(LINES) | st.text(max_size=12), max_size=5).map(", ".join))
def test_no_text_raises_past_the_typed_error(text: str) -> None:
    for whole in (text, HEAD + text, script(text)):
        try:
            scenario = parse_scenario(whole, "f")
        except ScenarioError:
            continue
        assert scenario.steps


def test_deep_nesting_is_an_error() -> None:
    with pytest.raises(ScenarioError):
        parse_scenario(HEAD + "steps = " + "[" * 5000 + "]" * 5000, "f")

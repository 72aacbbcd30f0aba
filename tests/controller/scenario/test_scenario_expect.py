"""An expectation holds when all that it names matches, and nothing that it leaves out is looked at."""

from __future__ import annotations

import pytest

from controller.scenario.expect import EXPECT_KEYS, find_differences, parse_expectation
from controller.table.outcome import Outcome

OUTCOME = Outcome(
    act="card",
    state="dealing",
    gate="open",
    to="seat 5",
    face="down",
    irregularity="card-face-up",
    remedy="discard-and-continue",
    rule="13:69F-27.12(a)",
    alarm="stub-count-due",
    alarms=("stub-count-due", "device-warning"),
    next=("card", "report"),
    stub_expected=46,
    results={"1": "win", "2": {"ante": "win", "bonus": "lose"}, "3 hand 2": {"wager": "lose"}},
    pays={"1": "20.75", "2": {"ante": "10", "bonus": "-5"}},
    house_way={"high": ("Qd", "Qc"), "low": ("Kd", "3h")},
    rack=9,
    evidence="read",
)

HOLD = [
    {},
    {"to": "seat 5", "face": "down", "gate": "open", "state": "dealing"},
    {"irregularity": "card-face-up", "remedy": "discard-and-continue", "rule": "13:69F-27.12(a)"},
    {"alarm": "stub-count-due"},
    {"alarm": "device-warning"},
    {"alarms": ["device-warning", "stub-count-due"]},
    {"next": ["card"]},
    {"stub_expected": 46, "rack": 9, "evidence": "read"},
    {"results": {"1": "win"}},
    {"results": {"1": {"wager": "win"}}},
    {"results": {"2": {"bonus": "lose"}, "3 hand 2": "lose"}},
    {"pays": {"1": "20.750"[:5], "2": 5}},
    {"pays": {"1": 20.75, "2": {"bonus": -5}}},
    {"house_way": {"high": ["Qc", "Qd"]}},
]

DIFFER = [
    ({"to": "seat 4"}, "seat 5"),
    ({"rule": "13:69F-27.12"}, "13:69F-27.12(a)"),
    ({"alarm": "tamper"}, ["stub-count-due", "device-warning"]),
    ({"alarms": []}, ["stub-count-due", "device-warning"]),
    ({"alarms": ["stub-count-due"]}, ["stub-count-due", "device-warning"]),
    ({"next": ["card", "collect"]}, ["card", "report"]),
    ({"stub_expected": 45}, 46),
    ({"results": {"2": "win"}}, OUTCOME.results),
    ({"results": {"4": "win"}}, OUTCOME.results),
    ({"results": {"2": {"ante": "lose"}}}, OUTCOME.results),
    ({"results": {"2": {"bet": "win"}}}, OUTCOME.results),
    ({"results": {}}, OUTCOME.results),
    ({"pays": {"1": 20}}, OUTCOME.pays),
    ({"pays": {"2": 10}}, OUTCOME.pays),
    ({"pays": {"2": {"bonus": 5}}}, OUTCOME.pays),
    ({"house_way": {"high": ["Qc", "Kd"]}}, OUTCOME.house_way),
    ({"refused": "not-expected-now"}, None),
]


@pytest.mark.parametrize("expected", HOLD)
def test_what_is_named_matches(expected: dict[str, object]) -> None:
    assert find_differences(parse_expectation(expected), OUTCOME, by_device=False) == {}


@pytest.mark.parametrize(("expected", "actual"), DIFFER)
def test_a_difference_tells_both_values(expected: dict[str, object], actual: object) -> None:
    key = next(iter(expected))
    different = find_differences(parse_expectation(expected), OUTCOME, by_device=False)
    assert list(different) == [key]
    assert different.actual == {key: actual}
    assert set(different.expected) == {key}


def test_every_key_is_tried_here() -> None:
    assert {key for expected in HOLD for key in expected} | {"refused"} == EXPECT_KEYS


def test_a_refusal_of_a_person_is_never_overlooked() -> None:
    refused = Outcome(act="wager", state="dealing", gate="open", refused="not-expected-now")
    named = parse_expectation({"refused": "not-expected-now"})
    assert find_differences(named, refused, by_device=False) == {}
    assert find_differences({"gate": "open"}, refused, by_device=False) == {"refused": (None, "not-expected-now")}
    assert find_differences({"gate": "open"}, refused, by_device=True) == {}


def test_empty_results_mean_that_nothing_is_visible() -> None:
    nothing = Outcome(act="expose", state="settling", gate="locked")
    assert find_differences(parse_expectation({"results": {}, "alarms": []}), nothing, by_device=False) == {}
    hidden = find_differences(parse_expectation({"results": {"1": "win"}}), nothing, by_device=False)
    assert hidden.actual == {"results": {}}

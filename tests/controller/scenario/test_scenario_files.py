"""Every scenario file holds on the table core."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.scenario.direct import DirectPlayer
from controller.scenario.runner import run_scenario
from controller.scenario.script import load_scenario

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.rglob("*.scenario.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)).removesuffix(".scenario.toml"))
def test_the_scenario_holds(path: Path) -> None:
    scenario = load_scenario(path)
    report = run_scenario(scenario, DirectPlayer(scenario))
    assert report.passed, f"step {report.failed_step} ({report.act}): {report.expected} but {report.actual}"


INCIDENTS = ("i01", "i02", "i05", "i07", "i08", "i12", "i15", "i22")


@pytest.mark.parametrize("incident", INCIDENTS)
def test_each_incident_has_a_scenario(incident: str) -> None:
    assert [path for path in FILES if path.name.startswith(incident)]


def test_a_wrong_expectation_anywhere_fails_at_its_step() -> None:
    """Turn each expected gate of each file round: the runner must stop at exactly that step."""
    turned = {"open": "locked", "locked": "open"}
    tried = 0
    for path in FILES:
        scenario = load_scenario(path)
        gates = [step for step in scenario.steps if "gate" in step.expect]
        if not gates:
            continue
        last = gates[-1]
        wrong = {**last.expect, "gate": turned[str(last.expect["gate"])]}
        report = run_scenario(replace_expect(scenario, last.number, wrong), DirectPlayer(scenario))
        assert (report.passed, report.failed_step) == (False, last.number), path
        assert report.expected == {"gate": wrong["gate"]}
        assert report.actual == {"gate": last.expect["gate"]}
        tried += 1
    assert tried > 50


def replace_expect(scenario: object, number: int, expect: dict[str, object]) -> object:
    import dataclasses

    steps = tuple(
        dataclasses.replace(step, expect=expect) if step.number == number else step
        for step in scenario.steps  # type: ignore[attr-defined]
    )
    return dataclasses.replace(scenario, steps=steps)  # type: ignore[type-var]

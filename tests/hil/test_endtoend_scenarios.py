"""Every scenario file holds on a real daemon with simulated devices behind pseudo-terminals."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.scenario.runner import run_scenario
from controller.scenario.script import load_scenario, parse_scenario
from hil.endtoend.pool import TABLES_A_DAEMON, open_pool

FOLDER = Path(__file__).parents[1] / "scenarios"
FILES = sorted(FOLDER.glob("*/*.scenario.toml"))
ONE_IN = 12
"""Of the files that are no worked example, so many stand for one that is played end to end by default; `make soak` plays all."""
GROUPS = 12
"""Each fills one daemon with tables: starting one costs as much as playing eight scenarios."""


def some_of(files: list[Path]) -> list[Path]:
    """All worked examples and incidents, and one in twelve of the rest."""
    rest = [path for path in files if not path.name.startswith(("example", "i"))]
    return sorted({*files} - {*rest} | {*rest[::ONE_IN]})


def play(files: list[Path]) -> None:
    """Play the files on real daemons, sixteen tables each."""
    scenarios = [load_scenario(path) for path in files]
    assert scenarios
    with open_pool(scenarios) as pool:
        for scenario in scenarios:
            with pool.table_for(scenario) as player:
                report = run_scenario(scenario, player)
            assert report.passed, f"{report.file} step {report.failed_step} ({report.act}): {report.expected}, but {report.actual}"


@pytest.mark.parametrize("group", range(GROUPS))
def test_worked_examples_and_some_of_the_other_scenarios_hold(group: int) -> None:
    files = some_of(FILES)[group::GROUPS]
    assert len(files) <= TABLES_A_DAEMON, "another group is wanted"
    play(files)


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({path.parent.name for path in FILES}))
def test_all_scenarios_of_a_folder_hold(folder: str) -> None:
    play([path for path in FILES if path.parent.name == folder])


DEVICES = """
scenario = 1
title = "what devices do over the wire"
game = "fast-action-hold-em"
method = "manual-shoe"
house = { shoe_start_burn = false }
steps = [
  { wager = { seat = 1, wager = 10 } },
  { close_bets = true, expect = { gate = "open" } },
  { card = "As", expect = { to = "seat 1" } },
  { device = "lid-open", expect = { alarm = "lid-open", state = "suspended", gate = "locked" } },
  { device = "lid-closed", expect = { gate = "locked" } },
  { resolve = "continue", by = "supervisor:S1", expect = { state = "dealing", gate = "open", alarms = [] } },
  { card = "Qc", expect = { to = "dealer" } },
  { card = "?", expect = { to = "seat 1", irregularity = "unreadable-card", evidence = "unknown", gate = "locked" } },
  { rescan = "As Qc Ks", expect = { evidence = "confirmed", alarms = [], gate = "open" } },
  { device = "lost", expect = { alarm = "device-lost", gate = "locked" } },
  { device = "back", expect = { alarms = [], state = "dealing", gate = "open" } },
  { card = "Jc", expect = { to = "dealer" } },
  { device = "restarted", expect = { alarm = "device-restarted", gate = "locked" } },
  { resolve = "continue", by = "supervisor:S1", expect = { state = "dealing", gate = "open" } },
  { card = "4d", expect = { to = "seat 1" } },
  { device = "tamper", expect = { alarm = "tamper", gate = "locked" } },
]
"""


SHARED_LINE = """
scenario = 1
title = "a shoe and a shuffler on one line"
game = "fast-action-hold-em"
method = "manual-shoe"
house = { shoe_start_burn = false }
steps = [
  { wager = { seat = 1, wager = 10 } },
  { close_bets = true, expect = { gate = "open" } },
  { card = "As", expect = { to = "seat 1" } },
  { device = "lid-open", expect = { alarm = "lid-open", state = "suspended", gate = "locked" } },
  { device = "lid-closed", expect = { gate = "locked" } },
  { resolve = "continue", by = "supervisor:S1", expect = { state = "dealing", gate = "open", alarms = [] } },
  { card = "Qc", expect = { to = "dealer" } },
]
"""


def play_devices(text: str, *, on_bus: bool = False) -> None:
    scenario = parse_scenario(text, "devices")
    with open_pool([scenario], on_bus=on_bus) as pool, pool.table_for(scenario) as player:
        report = run_scenario(scenario, player)
    assert report.passed, f"step {report.failed_step} ({report.act}): {report.expected}, but {report.actual}"


@pytest.mark.requirement("SDP/1 1.8")
def test_device_events_reach_the_table_over_the_wire() -> None:
    play_devices(DEVICES)


@pytest.mark.requirement("SDP/1 1.1")
def test_a_shoe_and_a_shuffler_share_a_line() -> None:
    play_devices(SHARED_LINE, on_bus=True)


@pytest.mark.slow
@pytest.mark.requirement("SDP/1 1.1", "SDP/1 1.8")
def test_device_events_reach_the_table_over_a_shared_line() -> None:
    play_devices(DEVICES, on_bus=True)


def test_a_wrong_expectation_fails_end_to_end_too() -> None:
    scenario = parse_scenario(DEVICES.replace('{ card = "Qc", expect = { to = "dealer"', '{ card = "Qc", expect = { to = "burn"'), "f")
    with open_pool([scenario]) as pool, pool.table_for(scenario) as player:
        report = run_scenario(scenario, player)
    assert (report.failed_step, report.expected, report.actual) == (7, {"to": "burn"}, {"to": "dealer"})

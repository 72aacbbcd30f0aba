"""Every rule of law that a game rests on is proved by a scenario or by a test that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.dealing.rules import Standing
from controller.games import GAMES
from tests import tracing

MARKERS = tracing.markers_in(Path(__file__).parent)


@pytest.mark.parametrize("key", GAMES)
def test_every_rule_of_law_is_proved(key: str) -> None:
    cited = tracing.cited_by_scenarios(tracing.scenarios_of(key))
    rules = [rule for rule in tracing.rules_of(GAMES[key]) if rule.standing == Standing.LAW]
    unproved = [f"{rule.citation} ({', '.join(rule.lines)})" for rule in rules if not any(tracing.proofs(rule, cited[key], MARKERS))]
    assert not unproved


def test_a_marker_proves_the_paragraph_above_it_and_no_other() -> None:
    rule = tracing.GameRule("13:69F-23.8(d)", "law", ("stub",))
    assert tracing.proofs(rule, {}, {"13:69F-23.8(d)1": {"a"}, "13:69F-23.8(d)(2)": {"b"}, "13:69F-23.8": {"c"}}) == (set(), {"b"})

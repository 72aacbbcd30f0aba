"""Counters in the text format, in a fixed order, each with its meaning."""

from __future__ import annotations

import pytest

from controller.service.metrics import HELP, Metrics


def test_samples_are_rendered_with_help_type_and_labels() -> None:
    metrics = Metrics()
    metrics.add("shoed_acts_total", table="T1", act="card", taken="yes")
    metrics.add("shoed_acts_total", 2, taken="yes", act="card", table="T1")
    metrics.add("shoed_acts_total", table='T"1\\', act="card", taken="no")
    metrics.note_max("shoed_commit_seconds_max", 0.5)
    metrics.note_max("shoed_commit_seconds_max", 0.25)
    metrics.ask(lambda: [("shoed_journal_ready", (), 1.0)])
    lines = metrics.render().splitlines()
    assert 'shoed_acts_total{act="card",table="T1",taken="yes"} 3' in lines
    assert r'shoed_acts_total{act="card",table="T\"1\\",taken="no"} 1' in lines
    assert "shoed_commit_seconds_max 0.5" in lines
    assert "shoed_journal_ready 1" in lines
    assert "# TYPE shoed_acts_total counter" in lines
    assert "# TYPE shoed_journal_ready gauge" in lines
    assert lines.index("# TYPE shoed_acts_total counter") < lines.index("# TYPE shoed_journal_ready gauge")


def test_a_metric_without_a_meaning_cannot_be_shown() -> None:
    metrics = Metrics()
    metrics.add("shoed_unheard_of_total")
    with pytest.raises(KeyError):
        metrics.render()
    assert all(text.endswith(".") for text in HELP.values())

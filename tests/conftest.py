"""What all tests share: the profiles of Hypothesis, and the table that traces requirements and rules to tests.

`--traceability FILE` writes, at the end of collection, which tests prove which rule and which requirement, from the
markers `rule` and `requirement`. With `--collect-only -m ""` that takes no test run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.tracing import table_lines

# The default run is the same every time; `make soak` looks for new cases with fresh seeds.
settings.register_profile(
    "default-run",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("soak", database=None, deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("default-run")

TRACED_MARKERS = {
    "requirement": "Requirements",
    "rule": "Rules named by tests",
}
KNOWN_FORMS = {
    "requirement": re.compile(r"(EQ-\d+|T-?\d+|P-?\d+|I-?\d+|SDP/1 \d+(\.\d+)*)"),
    "rule": re.compile(r"(published sheets|((PA|MD|MA|IAC|S\.D\.|205 CMR) )?[\w:.-]+(\(\w+\)[\di]*)*)"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--traceability", metavar="FILE", help="write which test proves which rule and requirement")


def pytest_collection_finish(session: pytest.Session) -> None:
    traced = traced_tests(session.items)
    target = session.config.getoption("traceability")
    if target:
        path = Path(str(target))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(traceability_lines(traced)), encoding="utf-8")


def traced_tests(items: Iterable[pytest.Item]) -> dict[str, dict[str, set[str]]]:
    """Return marker name -> id -> test names; a marker that names nothing well-formed is a usage error."""
    traced: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in TRACED_MARKERS}
    for item in items:
        test = item.nodeid.split("[", 1)[0]
        for name, form in KNOWN_FORMS.items():
            for marker in item.iter_markers(name):
                if not marker.args or not all(isinstance(a, str) and form.fullmatch(a) for a in marker.args):
                    raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{name}{marker.args} names no {name}")
                for argument in marker.args:
                    traced[name][argument].add(test)
    return traced


def traceability_lines(traced: dict[str, dict[str, set[str]]]) -> list[str]:
    lines: list[str] = []
    lines += ["## Rules by game", *table_lines(traced["rule"]), ""]
    for name, title in TRACED_MARKERS.items():
        lines += [f"## {title}", "", f"| {name} | proved by |", "|---|---|"]
        lines += [f"| {key} | {_listed(traced[name][key])} |" for key in sorted(traced[name], key=_natural)]
        lines.append("")
    return lines


def _listed(tests: Iterable[str]) -> str:
    return "<br>".join(f"`{test}`" for test in sorted(tests))


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text))

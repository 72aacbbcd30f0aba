"""Exact bounds of a rate: against closed forms, against the published tables, and by their own meaning."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.integrity.bounds import few_or_none, rate_at_most, so_many_by_chance, tries_for


@pytest.mark.requirement("EQ-103")
@pytest.mark.parametrize("tries", [1, 10, 59, 300, 30_000, 1_000_000])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_no_error_at_all_has_a_closed_form(tries: int, confidence: float) -> None:
    assert rate_at_most(0, tries, confidence) == pytest.approx(-math.expm1(math.log(1 - confidence) / tries), rel=1e-9)


@pytest.mark.requirement("EQ-103")
def test_no_error_in_n_reads_is_three_in_n() -> None:
    assert rate_at_most(0, 30_000, 0.95) == pytest.approx(3 / 30_000, rel=0.01)


# One-sided 95 % limits: the upper ends of the two-sided 90 % intervals of Clopper and Pearson's charts.
@pytest.mark.parametrize(
    ("errors", "tries", "bound"), [(1, 10, 0.39416), (2, 10, 0.50690), (5, 10, 0.77756), (9, 10, 0.99488), (3, 100, 0.07571)]
)
def test_published_bounds_come_out(errors: int, tries: int, bound: float) -> None:
    assert rate_at_most(errors, tries, 0.95) == pytest.approx(bound, abs=5e-5)


def test_nothing_tried_says_nothing_and_all_wrong_says_all() -> None:
    assert rate_at_most(0, 0, 0.95) == 1.0
    assert rate_at_most(7, 7, 0.95) == 1.0
    for errors, tries, confidence in ((-1, 5, 0.9), (6, 5, 0.9), (1, 5, 1.0), (1, 5, 0.0)):
        with pytest.raises(ValueError, match="make no bound"):
            rate_at_most(errors, tries, confidence)


@given(st.integers(1, 400), st.data(), st.floats(0.5, 0.999))
def test_the_bound_is_where_so_few_errors_become_that_rare(tries: int, data: st.DataObject, confidence: float) -> None:
    errors = data.draw(st.integers(0, tries - 1))
    bound = rate_at_most(errors, tries, confidence)
    assert errors / tries < bound < 1
    assert few_or_none(errors, tries, bound) == pytest.approx(1 - confidence, rel=1e-6)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.001, 0.999))
def test_probabilities_are_those_of_counted_cases(errors: int, tries: int, rate: float) -> None:
    exact = math.fsum(math.comb(tries, n) * rate**n * (1 - rate) ** (tries - n) for n in range(min(errors, tries) + 1))
    assert few_or_none(errors, tries, rate) == pytest.approx(min(1.0, exact), abs=1e-9)
    assert so_many_by_chance(errors + 1, tries, rate) == pytest.approx(1 - min(1.0, exact), abs=1e-9)
    assert so_many_by_chance(0, tries, rate) == 1.0


@pytest.mark.requirement("EQ-103")
def test_thirty_thousand_reads_show_one_in_ten_thousand() -> None:
    assert tries_for(1e-4, 0.95) == 29_956
    assert rate_at_most(0, 29_956, 0.95) <= 1e-4 < rate_at_most(0, 29_955, 0.95)
    with pytest.raises(ValueError, match="no number"):
        tries_for(0.0, 0.95)

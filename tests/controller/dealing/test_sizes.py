"""How large a wager may be beside the others of its seat."""

from __future__ import annotations

import pytest

from controller.dealing.sizes import Size, money

ANTE = {"ante": 1000, "blind": 1000}


def test_exact_multiples_are_the_only_amounts() -> None:
    size = Size(of=("ante",), percent=(300, 400))
    assert size.choices(ANTE) == (3000, 4000)
    assert size.flaw(4000, ANTE) == ""
    assert size.flaw(3500, ANTE) == "30 or 40"


def test_a_range_takes_every_amount_in_it() -> None:
    size = Size(of=("ante", "blind"), between=(0, 50))
    assert size.flaw(1000, ANTE) == ""
    assert size.flaw(1, ANTE) == ""
    assert size.flaw(0, ANTE) == size.flaw(1001, ANTE) == "0.01 to 10"


@pytest.mark.parametrize("wagers", [{}, {"ante": None}])
def test_nothing_is_checked_against_an_amount_that_nobody_told(wagers: dict[str, int | None]) -> None:
    size = Size(of=("ante",))
    assert size.base(wagers) is None
    assert size.choices(wagers) == ()
    assert size.flaw(5, wagers) == ""


def test_words_are_those_of_a_layout() -> None:
    assert Size(of=("ante",)).words == "equal to the ante"
    assert Size(of=("ante",), percent=(100, 200)).words == "1 or 2 times the ante"
    assert Size(of=("first_attack", "third_attack"), between=(0, 50)).words == "up to 0.5 times the first attack and third attack"
    assert Size(of=("ante",), between=(100, 300)).words == "1 to 3 times the ante"


def test_a_fixed_amount_is_measured_by_no_other_wager() -> None:
    size = Size(fixed=100)
    assert size.choices({}) == (100,)
    assert size.flaw(100, {}) == ""
    assert size.flaw(200, ANTE) == "1"
    assert size.words == "exactly 1"


def test_money_has_cents_only_where_there_are_any() -> None:
    assert [money(cents) for cents in (-1000, 2075, 5)] == ["-10", "20.75", "0.05"]

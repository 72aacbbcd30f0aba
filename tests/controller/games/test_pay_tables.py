"""Odds as a pay table states them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from controller.games.common import net
from controller.games.pay import PayTableError, check_pay_table, odds_for, parse_odds


@pytest.mark.parametrize(("stated", "odds"), [(0, 0), (3, 3), ("3 to 2", Fraction(3, 2)), ("1 to 4", Fraction(1, 4)), ("6 to 1", 6)])
def test_odds_are_a_whole_number_to_one_or_one_number_to_another(stated: int | str, odds: int | Fraction) -> None:
    assert parse_odds(stated) == odds
    assert not check_pay_table({"flush": stated})


@pytest.mark.rule("13:69F-28.11(a)")
@pytest.mark.parametrize("stated", ["3 for 2", "3:2", "3 to 0", "-3 to 2", "three", -1, True, None, [3], "3 to 2 ", "9999999 to 1"])
def test_whatever_else_is_written_is_no_odds_least_of_all_with_for(stated: object) -> None:
    assert parse_odds(stated) is None  # type: ignore[arg-type]
    assert "3 to 2" in check_pay_table({"flush": stated})  # type: ignore[dict-item]
    if stated is not None:
        with pytest.raises(PayTableError):
            odds_for({"flush": stated}, "flush")  # type: ignore[dict-item]


def test_a_fraction_of_a_cent_stays_with_the_house() -> None:
    assert net(1000, Fraction(3, 2)) == 1500
    assert net(25, Fraction(3, 2)) == 37
    assert net(None, Fraction(3, 2)) is None

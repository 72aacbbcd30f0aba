"""Posted odds, commissions and rounding, in whole cents."""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.settings import Plain, nearest, shown
from controller.errors import ShoedError
from controller.hands.poker import PokerCategory

HAND_NAMES = frozenset(category.value for category in PokerCategory)


class PayTableError(ShoedError):
    """A pay table that cannot be used."""


def odds_for(table: Mapping[str, Plain], hand: str) -> int | None:
    """Odds to one for a hand, None where the table names none.

    Raises:
        PayTableError: the entry is not a whole number.
    """
    odds = table.get(hand)
    if odds is None:
        return None
    if isinstance(odds, bool) or not isinstance(odds, int) or odds < 0:
        raise PayTableError(
            code="bad-pay-table", what=f"The odds for {hand} are '{shown(odds)}'.", do="Write a whole number of odds to one."
        )
    return odds


def check_pay_table(value: Plain) -> str:
    """Why a table of odds cannot be used; empty when it can."""
    if not isinstance(value, dict):
        return "it is a table of odds to one by hand, such as { three-of-a-kind = 3 }"
    for hand, odds in value.items():
        if hand not in HAND_NAMES:
            return f"there is no hand '{shown(hand)}'{nearest(hand, sorted(HAND_NAMES))}"
        if isinstance(odds, bool) or not isinstance(odds, int) or odds < 0:
            return f"the odds for {hand} are '{shown(odds)}'; write a whole number of odds to one"
    return ""


def percent_of(amount: int, percent: int) -> int:
    """A percentage of cents, rounded down to the cent."""
    return amount * percent // 100


def round_up(amount: int, step: int) -> int:
    """Up to the next multiple of `step` cents."""
    return -(-amount // step) * step


def round_nearest(amount: int, step: int) -> int:
    """To the nearest multiple of `step` cents; a half goes up."""
    return (2 * amount + step) // (2 * step) * step


def share(amount: int, parts: int) -> tuple[int, int]:
    """(each part, cents left over)."""
    return divmod(amount, parts)

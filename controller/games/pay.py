"""Posted odds, commissions and rounding, in whole cents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings, nearest, shown
from controller.errors import ShoedError
from controller.hands.poker import PokerCategory, PokerHand
from controller.hands.three_card import RANKING, ThreeCardHand

RANKS: Final = "23456789TJQKA"
HAND_NAMES = frozenset(category.value for category in PokerCategory)
MINI_ROYAL: Final = "mini-royal"
"""Ace, king and queen of one suit; a table that does not name it pays it as a straight flush."""
THREE_CARD_NAMES = frozenset(category.value for category in RANKING.order) | {MINI_ROYAL}


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
    """Why a table of odds for five-card hands cannot be used; empty when it can."""
    return _check_table(value, HAND_NAMES)


def check_three_card_table(value: Plain) -> str:
    """Why a table of odds for three-card hands cannot be used; empty when it can."""
    return _check_table(value, THREE_CARD_NAMES)


def three_card_odds(table: Mapping[str, Plain], hand: ThreeCardHand) -> int | None:
    """Odds to one for a three-card hand, None where the table names none."""
    best = odds_for(table, MINI_ROYAL) if hand.is_mini_royal else None
    return best if best is not None else odds_for(table, hand.category.value)


def _check_table(value: Plain, names: frozenset[str]) -> str:
    if not isinstance(value, dict):
        return "it is a table of odds to one by hand, such as { three-of-a-kind = 3 }"
    for hand, odds in value.items():
        if hand not in names:
            return f"there is no hand '{shown(hand)}'{nearest(hand, sorted(names))}"
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


def pair_rank(hand: PokerHand) -> str:
    """The rank letter of a hand's only pair."""
    return hand.cards[0].name[0]


def pair_reaches(hand: PokerHand, lowest: str) -> bool:
    """Whether the pair is of this rank or a higher one."""
    return RANKS.index(pair_rank(hand)) >= RANKS.index(lowest)


# ---- five-card hands against a posted table


def posted_settings(
    odds: Mapping[str, Plain], odds_rule: Rule, *, wins_from: str, pushes_from: str | None, limit: int | None, limit_rule: Rule
) -> tuple[Setting, ...]:
    """The settings of a game that pays a hand by posted odds: the odds, the lowest pairs that win and push, the most that one hand wins."""
    return (
        Setting(
            name="pay_table", default=dict(odds), check=check_pay_table, rule=odds_rule,
            meaning="posted odds to one by hand, for every wager of the hand; a hand that is not named loses; empty: results say the hand",
        ),
        Setting(
            name="lowest_paid_pair", default=wins_from, allowed=tuple(RANKS), rule=odds_rule, meaning="rank of the lowest pair that wins",
        ),
        Setting(
            name="lowest_push_pair", default=pushes_from, allowed=(None, *RANKS), rule=odds_rule,
            meaning="rank of the lowest pair that neither wins nor loses; none: every pair that does not win loses",
        ),
        Setting(
            name="payout_limit", default=limit, between=(1, 100_000_000), rule=limit_rule,
            meaning="the most that one hand wins on these wagers together, in whole currency units",
        ),
        Setting(
            name="minimum_wager", default=None, between=(1, 1_000_000), rule=limit_rule,
            meaning="the table's minimum in whole currency units; the limit is never below what the best hand wins with it; none: not told",
        ),
    )  # fmt: skip


def posted_verdict(settings: Settings, hand: PokerHand) -> tuple[str, int | None]:
    """(`win`, `push` or `lose`, odds to one); the odds are None where the hand loses or no table is configured."""
    if hand.category is PokerCategory.HIGH_CARD:
        return "lose", None
    if hand.category is PokerCategory.PAIR and not pair_reaches(hand, settings.text("lowest_paid_pair")):
        lowest = settings.text("lowest_push_pair")
        return ("push", 0) if lowest != "none" and pair_reaches(hand, lowest) else ("lose", None)
    table = settings.table("pay_table")
    odds = odds_for(table, hand.category.value)
    return ("lose", None) if table and odds is None else ("win", odds)


def posted_pays(
    settings: Settings, wagers: Mapping[str, int | None], hand: PokerHand, *, at_minimum: int
) -> tuple[dict[str, str], dict[str, int | None]]:
    """(results, pays) by wager. `at_minimum` is how many minimum wagers a hand has at least that stays to the end."""
    result, odds = posted_verdict(settings, hand)
    results = dict.fromkeys(wagers, result)
    if result == "lose":
        return results, {name: None if amount is None else -amount for name, amount in wagers.items()}
    if odds is None:
        return results, dict.fromkeys(wagers)
    won = {name: None if amount is None else amount * odds for name, amount in wagers.items()}
    return results, at_most(won, _limit_cents(settings, at_minimum))


def _limit_cents(settings: Settings, at_minimum: int) -> int | None:
    limit = settings.number_or_none("payout_limit")
    if limit is None:
        return None
    best = max((odds for odds in settings.table("pay_table").values() if isinstance(odds, int)), default=0)
    return 100 * max(limit, (settings.number_or_none("minimum_wager") or 0) * at_minimum * best)


def at_most(won: Mapping[str, int | None], limit: int | None) -> dict[str, int | None]:
    """What the wagers of one hand win, together at most `limit` cents: paid in their order until it is reached."""
    if limit is None:
        return dict(won)
    left, paid = limit, dict[str, int | None]()
    for name, amount in won.items():
        paid[name] = None if amount is None else min(amount, left)
        left -= paid[name] or 0
    return paid

"""Posted odds, commissions and rounding, in whole cents."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Final, TypeAlias

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
Odds: TypeAlias = "int | Fraction"
"""What a wager wins, to one."""
_ODDS: Final = re.compile(r"(\d{1,6}) to ([1-9]\d{0,5})")
_ODDS_WORDS: Final = 'a whole number of odds to one, or such as "3 to 2"'


class PayTableError(ShoedError):
    """A pay table that cannot be used."""


def odds_for(table: Mapping[str, Plain], hand: str) -> Odds | None:
    """Odds to one for a hand, None where the table names none.

    Raises:
        PayTableError: the entry is no odds.
    """
    entry = table.get(hand)
    if entry is None:
        return None
    odds = parse_odds(entry)
    if odds is None:
        raise PayTableError(code="bad-pay-table", what=f"The odds for {hand} are '{shown(entry)}'.", do=f"Write {_ODDS_WORDS}.")
    return odds


def parse_odds(entry: Plain) -> Odds | None:
    """Odds as a table states them: a whole number to one, or a text such as "3 to 2"; None when it is neither.

    Odds are stated with "to" and never with "for" (13:69F-28.11(a)): the wager itself comes back beside them.
    """
    if isinstance(entry, bool):
        return None
    if isinstance(entry, int):
        return entry if entry >= 0 else None
    parts = _ODDS.fullmatch(entry) if isinstance(entry, str) else None
    return Fraction(int(parts[1]), int(parts[2])) if parts is not None else None


def check_pay_table(value: Plain) -> str:
    """Why a table of odds for five-card hands cannot be used; empty when it can."""
    return check_odds(value, HAND_NAMES)


def check_three_card_table(value: Plain) -> str:
    """Why a table of odds for three-card hands cannot be used; empty when it can."""
    return check_odds(value, THREE_CARD_NAMES)


def three_card_name(table: Mapping[str, Plain], hand: ThreeCardHand) -> str:
    """The line of a table of odds that a three-card hand is paid by, named in it or not."""
    return MINI_ROYAL if hand.is_mini_royal and MINI_ROYAL in table else hand.category.value


def check_odds(value: Plain, names: Collection[str], example: str = "three-of-a-kind") -> str:
    """Why a table of odds by these names cannot be used; empty when it can."""
    if not isinstance(value, dict):
        return f"it is a table of odds to one by hand, such as {{ {example} = 3 }}"
    for hand, odds in value.items():
        if hand not in names:
            return f"there is no hand '{shown(hand)}'{nearest(hand, sorted(names))}"
        if parse_odds(odds) is None:
            return f"the odds for {hand} are '{shown(odds)}'; write {_ODDS_WORDS}"
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


QUARTER: Final = 25
VIGORISH_ROUNDINGS: Final = ("up-quarter", "quarter", "cent")


def vigorish(won: int, percent: int, rounding: str) -> int:
    """A percentage of cents won: up to the next quarter, to the nearest quarter, or to the cent; a win never costs more than it brings."""
    match rounding:
        case "up-quarter":
            kept = round_up(-(-won * percent // 100), QUARTER)
        case "quarter":
            kept = round_nearest(won * percent, QUARTER * 100) // 100
        case _:
            kept = round_nearest(won * percent, 100) // 100
    return min(won, kept)


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
            name="lowest_push_pair", default=pushes_from or "none", allowed=("none", *RANKS), rule=odds_rule,
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


def posted_verdict(settings: Settings, hand: PokerHand) -> tuple[str, Odds | None]:
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
    won = {name: None if amount is None else amount * odds // 1 for name, amount in wagers.items()}
    return results, at_most(won, _limit_cents(settings, at_minimum))


def _limit_cents(settings: Settings, at_minimum: int) -> int | None:
    limit = settings.number_or_none("payout_limit")
    if limit is None:
        return None
    best = max((parse_odds(odds) or 0 for odds in settings.table("pay_table").values()), default=0)
    least = 100 * (settings.number_or_none("minimum_wager") or 0) * at_minimum
    return max(100 * limit, least * best // 1)


def at_most(won: Mapping[str, int | None], limit: int | None) -> dict[str, int | None]:
    """What the wagers of one hand win, together at most `limit` cents: paid in their order until it is reached."""
    if limit is None:
        return dict(won)
    left, paid = limit, dict[str, int | None]()
    for name, amount in won.items():
        paid[name] = None if amount is None else min(amount, left)
        left -= paid[name] or 0
    return paid

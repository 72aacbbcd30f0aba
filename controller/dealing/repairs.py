"""What a house lets people put right at the table: cards laid in the wrong place, cards picked up too early.

No sheet of the chapter says what becomes of a round whose cards lie wrongly although they came in the right order, so every game leaves
it to a supervisor unless the house says that the cards may be put right. The record knows which card belongs where.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from controller.dealing.rules import Rule, house
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Remedy

REARRANGE: Final = "rearrange-and-continue"
PUT_BACK: Final = "put-back-and-continue"
REPAIRED: Final = frozenset({REARRANGE, PUT_BACK})
"""Remedies that people carry out; the table waits until the cards are read again in order, or a supervisor says that it is done."""
PUT_RIGHT: Final = ("wrong-place", "cleared-early")
"""Irregularities in which all cards came as they should and only lie wrongly."""
SUPERVISOR: Final = "supervisor"


def wrong_place(default: str = SUPERVISOR, rule: Rule | None = None) -> Setting:
    """What becomes of cards that came in the right order and were laid in the wrong place."""
    return Setting(
        name="wrong_place", default=default, allowed=(SUPERVISOR, "rearrange"),
        meaning="cards laid in the wrong place but the right order: a supervisor decides, or they are rearranged and play goes on",
        rule=rule or house("wrong_place", "no text says whether the cards may be put right"),
    )  # fmt: skip


CLEARED_EARLY: Final = Setting(
    name="cleared_early", default=SUPERVISOR, allowed=(SUPERVISOR, "put-back"),
    meaning="cards picked up before their time: a supervisor decides, or they are put back and play goes on",
    rule=house("cleared_early", "cards are picked up in an order that lets each hand be rebuilt, 34.12(j); no text says more"),
)  # fmt: skip


def with_repairs(settings: tuple[Setting, ...], rows: Collection[str]) -> tuple[Setting, ...]:
    """A game's settings with those of this file, as far as neither its settings nor the `rows` of its irregularity table say it already."""
    told = {setting.name for setting in settings} | {kind.replace("-", "_") for kind in rows}
    return settings + tuple(setting for setting in (wrong_place(), CLEARED_EARLY) if setting.name not in told)


def repair_rows(settings: Settings) -> dict[str, Remedy]:
    """The irregularity rows that these settings make; none where a supervisor decides."""
    rows = {}
    chosen = settings.as_dict()
    if chosen.get("wrong_place") == "rearrange":
        words = "Cards in the wrong place but the right order: they are laid as they were dealt, and play goes on."
        rows["wrong-place"] = Remedy(REARRANGE, house("wrong_place"), words)
    if chosen.get("cleared_early") == "put-back":
        words = "Cards picked up before their time: they are put back as they were dealt, and play goes on."
        rows["cleared-early"] = Remedy(PUT_BACK, house("cleared_early"), words)
    return rows

"""The amount of a wager that a choice places: as said, or as it must be when nobody says it."""

from __future__ import annotations

from controller.dealing.sizes import Wagers
from controller.dealing.steps import Option
from controller.table.acts import Decide
from controller.table.desk import Desk


def amount_of(desk: Desk, act: Decide, option: Option, wagers: Wagers, place: str) -> int | None:
    """Cents of the wager that the choice places beside `wagers`; None when it places none or the amount is not told."""
    if option.places is None:
        if act.amount is not None:
            desk.refuse("bad-amount", f"'{act.choose}' places no wager, so it takes no amount.")
        return None
    size = option.size
    if size is None:
        return act.amount
    if act.amount is None:
        usual = size.usual_amount(wagers)
        if usual is None and size.base(wagers) is not None:
            desk.refuse("bad-amount", f"{place}: say how much the {option.places} wager is; it is {size.words}.", size.rule or option.rule)
        return usual
    flaw = size.flaw(act.amount, wagers)
    if flaw:
        desk.refuse("bad-amount", f"{place}: the {option.places} wager must be {flaw}.", size.rule or option.rule)
    return act.amount

"""The step in which hands are shown in the middle of a round, for a side wager that is settled at once."""

from __future__ import annotations

from dataclasses import dataclass

from controller.dealing.steps import Order, Settle


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHands(Settle):
    """Seats with a side wager show the cards that they have so far, and the wager is settled at once; or they choose one of `options`."""

    label = "show"
    order: Order = Order.ANY
    wager: str
    stands: bool = True
    """What was settled here stays settled when the round is void later."""

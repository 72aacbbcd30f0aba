"""What people put on the table: amounts that the game allows, as scripts and the API write them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.round import Seat
from controller.dealing.sizes import Size, money
from controller.dealing.steps import Option, WagerKind
from controller.table.parse_values import as_amounts

AMOUNTS: Final = (5, 10, 10, 20, 25, "7.50", 100)
SIDE_RATE: Final = 0.25
"""How often a seat places an optional wager."""
DECLINED_RATE: Final = 0.2
"""How often a seat that may show its cards for a side wager shows nothing."""
MONEY_RATE: Final = 0.9
"""How often amounts are told at all."""


def cents(wagers: Mapping[str, object]) -> dict[str, int | None]:
    """The wagers of an act in cents, by name."""
    return as_amounts("wager", {name: amount for name, amount in wagers.items() if name != "seat"})


def seat_after(seat: Seat, option: Option, value: Mapping[str, object]) -> Seat:
    """Return the seat after its player has chosen."""
    wagers = {name: amount for name, amount in seat.wagers.items() if name != option.takes_back}
    if option.places is not None:
        wagers[option.places] = cents({option.places: value["amount"]})[option.places] if "amount" in value else None
    return Seat(seat.number, wagers, status=option.status or seat.status)


def wagers_of(procedure: Procedure, rng: random.Random, others: Iterable[Mapping[str, int | None]] = ()) -> dict[str, object]:
    """Return the wagers of one seat before the deal, beside those of the other seats; empty when no amounts are told."""
    value: dict[str, object] = {}
    if rng.random() >= MONEY_RATE:
        return value
    game = procedure.game
    opening = game.opening_wagers
    first = "" if any(kind.required for kind in game.wagers) else rng.choice(opening)
    for kind in game.wagers_before(procedure.settings):
        if kind.required or kind.name == first or rng.random() < SIDE_RATE:
            alike = _told(kind, others)
            value[kind.name] = alike or sized(kind.size, cents(value), rng) or rng.choice(AMOUNTS)
    return value


def wagers_missing(procedure: Procedure, seats: Iterable[Seat], rng: random.Random) -> dict[str, object] | None:
    """Return the wager that makes whole the first seat that must place more beside what it has placed; None when all have."""
    required = [kind for kind in procedure.game.wagers_before(procedure.settings) if kind.required]
    for seat in seats:
        if missing := [kind for kind in required if kind.name not in seat.wagers]:
            amounts = {kind.name: sized(kind.size, seat.wagers, rng) or rng.choice(AMOUNTS) for kind in missing}
            return {"seat": seat.number, **amounts}
    return None


def _told(kind: WagerKind, others: Iterable[Mapping[str, int | None]]) -> str | None:
    """What every seat has to place alike, where one has told its amount."""
    told = next((amount for wagers in others if (amount := wagers.get(kind.name)) is not None), None)
    return money(told) if kind.alike and told is not None else None


def amount_of(option: Option, wagers: Mapping[str, int | None], rng: random.Random) -> object | None:
    """Return the amount that a choice needs or may name; None where none is told."""
    if option.places is None:
        return None
    if option.size is None:
        return rng.choice(AMOUNTS)
    return sized(option.size, wagers, rng)


def sized(size: Size | None, wagers: Mapping[str, int | None], rng: random.Random) -> str | None:
    """Return an amount that is allowed beside these wagers, as decimal text; None where any is."""
    base = size.base(wagers) if size is not None else None
    if size is None or base is None:
        return None
    low, high = size.limits(base)
    return money(rng.choice(size.choices(wagers) or (max(1, low), high)))

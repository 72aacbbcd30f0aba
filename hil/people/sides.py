"""People at tables with two common hands: the shoe's holder and those who cover the bank, and what is decided for a side."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from controller.dealing.game import Game
from controller.dealing.round import SIDES, Held, Round
from controller.dealing.side_steps import DecideSide
from controller.dealing.sizes import money
from controller.dealing.steps import Placer
from firmware_bridge.cards import UNREADABLE, Sealed, parse_card
from hil.people.moves import HandCards, Move

BANKS: Final = (500, 1000)
"""Enough that every other seat of a full table can cover a part."""
COVERS: Final = (500, 1000, 750, 2500)
"""In cents."""


def has_holder_wager(game: Game) -> bool:
    """Whether some wagers belong to the holder of the shoe and others to everybody else."""
    return any(kind.by is Placer.HOLDER for kind in game.wagers)


def wagers_at(game: Game, seat: int, round_: Round, rng: random.Random) -> dict[str, object]:
    """What a seat stakes: the bank, or a part of what is not covered yet; nothing named when no amounts are told."""
    if rng.random() < 0.1:
        return {}
    bank = next(kind.name for kind in game.wagers if kind.by is Placer.HOLDER)
    cover = next(kind.name for kind in game.wagers if kind.within == bank)
    if round_.button in (None, seat):
        return {bank: rng.choice(BANKS)}
    holder = round_.seats.get(round_.button or 0)
    whole = holder.wagers.get(bank) if holder is not None else None
    amount = rng.choice(COVERS)
    if whole is not None:
        amount = min(amount, whole - sum(other.wagers.get(cover) or 0 for other in round_.seats.values()))
    return {cover: money(amount)}


def holder_after(game: Game, round_: Round, seat: int, wagers: Mapping[str, object]) -> int | None:
    """Who holds the shoe after a seat's wagers: whoever stakes the bank while nobody does."""
    staked = {kind.name for kind in game.wagers if kind.by is Placer.HOLDER} & set(wagers)
    return seat if round_.button is None and (staked or (has_holder_wager(game) and not wagers)) else round_.button


def decision(step: DecideSide, cards: HandCards, rng: random.Random) -> Move:
    """A choice that the cards leave to whoever acts for the side; he sees his own hand, and what lies open."""
    held = {side: tuple(_held(name) for name in cards.at(side)) for side in SIDES}
    round_ = Round(number=0, hands=held)
    may = [option for option in step.options if option.needs is None or not option.needs(round_, 0)]
    option = rng.choice(may)
    value: dict[str, object] = {"seat": step.side.value, "choose": option.choose}
    if option.turns_up:
        value["keep"] = cards.at(step.side.value)
    return Move("decide", value, "player")


def _held(name: str) -> Held:
    return Held(Sealed(UNREADABLE if name == "?" else parse_card(name)), "read")

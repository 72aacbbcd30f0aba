"""Rounds by script: a stacked deck, and acts in the words that scripts and the API use."""

from __future__ import annotations

import random
from collections.abc import Mapping

from controller.dealing.settings import Plain
from controller.dealing.sizes import money
from controller.table.outcome import Outcome
from controller.table.parse import parse_act, parse_by
from firmware_bridge.cards import Card, parse_card
from tests.controller.table.bench import Bench, full_pack, opening_amounts, procedure_of


def open_table(game: str, method: str = "hand", house: Mapping[str, Plain] | None = None, cards: str = "") -> Bench:
    """A table that is ready, with the named cards on top of its shuffled deck."""
    bench = Bench(procedure_of(game, method, house), random.Random(5))
    next_round(bench, cards)
    return bench


def next_round(bench: Bench, cards: str = "") -> Outcome:
    """Load and shuffle so that the named cards lie on top."""
    top = [parse_card(name) for name in cards.split()]
    rest: list[Card] = full_pack(bench.procedure)
    bench.rng.shuffle(rest)
    for card in top:
        rest.remove(card)
    if bench.state.phase == "closed":
        do(bench, "open", by="supervisor:S1")
    bench.load()
    bench.next_pack = top + rest
    return bench.shuffle()


def do(bench: Bench, key: str, value: object = True, by: str = "dealer:D1") -> Outcome:  # the plain value of most acts
    """One act of a person, accepted or not."""
    return bench.put(parse_act(key, value, parse_by(by)))


def did(bench: Bench, key: str, value: object = True, by: str = "dealer:D1") -> Outcome:  # the plain value of most acts
    """One act of a person that must be accepted."""
    outcome = do(bench, key, value, by)
    assert outcome.refused is None, outcome.message
    return outcome


def refusal(bench: Bench, key: str, value: object = True, by: str = "dealer:D1") -> str | None:  # as above
    """The code with which an act is refused; None when it is accepted."""
    return do(bench, key, value, by).refused


def bets(bench: Bench, *seats: int, amount: object = 10, **more: object) -> Outcome:
    """Seats place the first wager (and others), then no more bets."""
    cents = None if amount is None else round(float(str(amount)) * 100)
    opening = {name: None if each is None else money(each) for name, each in opening_amounts(bench.procedure.game, cents).items()}
    for seat in seats:
        did(bench, "wager", {"seat": seat, **opening, **more})
    return did(bench, "close_bets")


def places(bench: Bench) -> list[str]:
    """Deal all cards of the present deal and return where each card or stack went."""
    went = []
    outcome = bench.view()
    while outcome.gate == "open":
        outcome = bench.card() if "card" in outcome.next else bench.stack(getattr(bench.procedure.step(outcome.phase), "size", 0))
        went.append(outcome.to or "?")
    return went


def decide(bench: Bench, seat: int, choose: str, **more: object) -> Outcome:
    """A decision that must be accepted."""
    return did(bench, "decide", {"seat": seat, "choose": choose, **more}, f"player:{seat}")


def collect(bench: Bench) -> Outcome:
    """The cards of the round are picked up; its results are told."""
    return did(bench, "collect")


def pay(outcome: Outcome, key: str) -> int:
    """Net cents of a hand, all wagers together."""
    amounts = outcome.pays[key]
    texts = [amounts] if isinstance(amounts, str) else list(amounts.values())
    return sum(round(float(text) * 100) for text in texts)

"""How simulated players draw to twenty-one, hand by hand, and when the dealer looks at a hole card. Only what the rules ask."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from controller.dealing.round import DEALER, Seat, seat_of
from controller.dealing.turn_steps import PlayHands
from controller.hands.points import is_blackjack, total_of
from controller.table.outcome import Outcome
from firmware_bridge.cards import parse_card
from hil.people.moves import HandCards, Move
from hil.people.stakes import amount_of

LOOK_RATE: Final = 0.7
"""How often a dealer who may look at the hole card does."""
WHIM_RATE: Final = 0.25
"""How often a player chooses anything."""


def next_in_turns(step: PlayHands, outcome: Outcome, cards: HandCards, seats: Mapping[int, Seat], rng: random.Random) -> Move | None:
    """Return the look at the hole card where that is due, else what the hand in turn chooses."""
    if "hole_check" in outcome.next and (rng.random() < LOOK_RATE or not outcome.choices):
        return Move("hole_check", {"blackjack": _sees_blackjack(cards.at(DEALER))})
    seat = seat_of(outcome.turn or "")
    if seat is None or outcome.turn is None or not outcome.choices:
        return None
    word = choose_for_hand(cards.at(outcome.turn), cards.at(DEALER)[:1], outcome.choices, rng)
    value: dict[str, object] = {"seat": seat, "choose": word}
    if " hand " in outcome.turn:
        value["hand"] = int(outcome.turn.split()[-1])
    option = next((option for option in step.options if option.choose == word), None)
    amount = amount_of(option, seats[seat].wagers, rng) if option is not None and seat in seats else None
    if amount is not None:
        value["amount"] = amount
    return Move("decide", value, f"player:{seat}")


def _sees_blackjack(dealer: list[str]) -> bool:
    return "?" not in dealer and is_blackjack([parse_card(name) for name in dealer])


def choose_for_hand(hand: list[str], dealer_up: list[str], choices: Sequence[str], rng: random.Random) -> str:
    """Return one of the choices: mostly draw to sixteen against a high card and to eleven against a low one, sometimes anything."""
    if "hit" not in choices or "?" in hand or rng.random() < WHIM_RATE:
        return rng.choice(list(choices))
    total = total_of([parse_card(name) for name in hand])
    if "double" in choices and 9 <= total.points <= 11:
        return "double"
    low = bool(dealer_up) and dealer_up[0][0] in "23456"
    enough = 18 if total.soft else 12 if low else 17
    return "stand" if total.points >= enough else "hit"

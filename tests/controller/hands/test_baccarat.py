"""Baccarat counts and drawing tables, against the published table cell by cell, and the exact frequencies of eight decks."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from controller.hands.baccarat import (
    CHEMIN_PLAYER,
    CHEMIN_TABLEAU,
    FORCED_TABLEAU,
    Play,
    banker_play,
    burn_value,
    count,
    hand_name,
    is_natural,
    player_play,
    value_of,
)
from controller.hands.errors import HandError
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card, parse_card


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, text.split()))


BY_VALUE = {value_of(card): card for card in FRENCH_CARDS}


@pytest.mark.parametrize(
    ("names", "points"), [("Ah 2c", 3), ("Td 9s", 9), ("Jh Qd", 0), ("7d 8c", 5), ("9h 9d", 8), ("5h Kc 7c", 2), ("As As As", 3)]
)
def test_the_count_is_the_last_digit_of_the_sum(names: str, points: int) -> None:
    assert count(cards(names)) == points


@pytest.mark.parametrize(("name", "more"), [("Ac", 1), ("2d", 2), ("9h", 9), ("Ts", 10), ("Jc", 10), ("Kd", 10)])
def test_the_first_card_of_a_shoe_burns_its_value(name: str, more: int) -> None:
    assert burn_value(parse_card(name)) == more


def test_a_natural_needs_two_cards_of_8_or_9() -> None:
    assert is_natural(cards("8h Qd"))
    assert is_natural(cards("4h 5d"))
    assert not is_natural(cards("3h 4d"))
    assert is_natural(cards("9h Kd 2c")), "the third card does not undo it"
    assert not is_natural(cards("2h 3d 4c")), "a nine of three cards is none"
    assert [hand_name(cards(names)) for names in ("9h Kd", "3h 4d", "2h 3d 3c")] == ["natural 9", "7", "three-card 8"]


def test_an_unread_card_has_no_count() -> None:
    for card in (UNREADABLE, JOKER):
        with pytest.raises(HandError):
            count((card, parse_card("2c")))


@pytest.mark.rule("PA-631a.11(b)")
def test_the_player_draws_to_5_and_stays_on_6_and_7() -> None:
    assert [player_play(points) for points in range(10)] == [Play.DRAW] * 6 + [Play.STAY] * 4
    assert player_play(5, CHEMIN_PLAYER) is Play.FREE
    assert player_play(4, CHEMIN_PLAYER) is Play.DRAW


DRAWS_ON = {0: "0123456789", 1: "0123456789", 2: "0123456789", 3: "012345679", 4: "234567", 5: "4567", 6: "67", 7: "", 8: "", 9: ""}
DRAWS_WHEN_PLAYER_STAYED = {0, 1, 2, 3, 4, 5}


@pytest.mark.rule("PA-631a.11(c)")
@pytest.mark.parametrize("banker", range(10))
def test_every_cell_of_the_forced_table(banker: int) -> None:
    for third, card in BY_VALUE.items():
        expected = Play.DRAW if str(third) in DRAWS_ON[banker] else Play.STAY
        assert banker_play(banker, card) is expected, f"banker {banker} against {third}"
    assert (banker_play(banker, None) is Play.DRAW) == (banker in DRAWS_WHEN_PLAYER_STAYED)


def test_chemin_de_fer_differs_in_two_cells_alone() -> None:
    free = []
    for banker in range(8):
        for third, card in BY_VALUE.items():
            play = banker_play(banker, card, CHEMIN_TABLEAU)
            if play is Play.FREE:
                free.append((banker, third))
            else:
                assert play is banker_play(banker, card)
        assert banker_play(banker, None, CHEMIN_TABLEAU) is banker_play(banker, None)
    assert free == [(3, 9), (5, 4)]
    assert all(len(row) == 11 for row in (*FORCED_TABLEAU.values(), *CHEMIN_TABLEAU.values()))


def coup(shoe: list[int]) -> str:
    """The winner of one coup dealt from the end of a shoe of card codes, by the tables."""
    hands = [[shoe[-1], shoe[-3]], [shoe[-2], shoe[-4]]]
    used = 4
    player, banker = ([CODES[code] for code in hand] for hand in hands)
    if not (is_natural(player) or is_natural(banker)):
        two = count(banker)
        third = None
        if player_play(count(player)) is Play.DRAW:
            used += 1
            third = CODES[shoe[-used]]
            player.append(third)
        if banker_play(two, third) is Play.DRAW:
            used += 1
            banker.append(CODES[shoe[-used]])
    one, other = count(player), count(banker)
    return "player" if one > other else "banker" if other > one else "tie"


CODES = {card.code: card for card in FRENCH_CARDS}
EXACT = {"banker": 0.458597, "player": 0.446247, "tie": 0.095156}
"""Probabilities of eight decks, known exactly from combinatorial analysis."""


def deviations(coups: int, seed: int) -> dict[str, float]:
    """How many standard errors each outcome is away from its probability."""
    rng = random.Random(seed)
    shoe = [card.code for card in FRENCH_CARDS] * 8
    seen: Counter[str] = Counter()
    for _ in range(coups):
        for at in range(1, 7):
            other = rng.randrange(len(shoe) - at + 1)
            shoe[-at], shoe[other] = shoe[other], shoe[-at]
        seen[coup(shoe)] += 1
    return {who: (seen[who] / coups - p) / math.sqrt(p * (1 - p) / coups) for who, p in EXACT.items()}


def test_outcomes_of_eight_decks_are_those_of_the_known_mathematics() -> None:
    for who, errors in deviations(60_000, 7).items():
        assert abs(errors) < 4, f"{who}: {errors:.1f} standard errors"


@pytest.mark.slow
def test_outcomes_of_eight_decks_over_two_million_coups() -> None:
    for who, errors in deviations(2_000_000, 8).items():
        assert abs(errors) < 4, f"{who}: {errors:.1f} standard errors"
